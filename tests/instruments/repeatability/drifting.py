"""What the tests of drift need: cells a letter an output, and the folder of an earlier run of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import encode
from assay.instruments.repeatability.cells.canons import canon_bytes
from assay.instruments.repeatability.cells.cell import Canon, Cell, CellKey, Output
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.scoring import find_anchors, score_cells
from assay.vocabulary import Flag, Reading

from .making import contract

__all__ = ["CONTRACTS", "cell", "run_of"]

CONTRACTS = {name: contract(id=name) for name in ("c", "d")}


def cell(programs: str, name: str = "c", subject: str = "m", temperature: float = 0.0, **more: Any) -> Cell:
    """A letter an output: capitals pass, equal letters are equal programs."""
    planned, language = more.pop("planned", None), more.pop("language", "python")
    outputs = [
        Output(i, f"x = {letter.lower()!r}\n", "pass" if letter.isupper() else "wrong", 0, 1)
        for i, letter in enumerate(programs)
    ]
    return Cell(
        CellKey(name, subject, temperature, **more), outputs, planned=planned, kind=programs_in(language)
    )


def run_of(
    folder: Path, *cells: Cell, flags: Sequence[Flag] = (), settings: Settings | None = None, **more: Any
) -> Path:
    """The folder of a finished run of these cells, as far as drift reads it."""
    chosen = settings or Settings()
    declared: dict[str, Canon] = more.pop("declared", {})
    anchors = find_anchors(cells, CONTRACTS, chosen, lambda key: declared.get(key.contract))
    result = score_cells(cells, anchors, chosen, source="ledger", version="2", flags=flags)
    (folder / "canons").mkdir(parents=True)
    for anchor in anchors:
        if anchor.canon is not None:
            (folder / "canons" / f"{anchor.canon.digest}.json").write_bytes(canon_bytes(anchor.canon))
    result = msgspec.structs.replace(result, **more)
    (folder / "reading-repeatability.json").write_bytes(encode(Reading(result=result)) + b"\n")
    return folder
