"""The records of repeatability: one flat row an output, at full precision, with the versions that define it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.instruments.repeatability.measures.pairs import PAIRS
from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.extraction import EXTRACTION
from assay.instruments.repeatability.programs.inputs import INPUTS
from assay.instruments.repeatability.programs.normalisation import VERSIONS, signature
from assay.instruments.repeatability.programs.repair import REPAIR

from .cell import ORACLE, Anchor, Cell, Output

__all__ = ["record_rows", "versions"]

BEHAVIOUR = "behaviour/1"


def versions(*, extracted: bool, repaired: bool) -> dict[str, str]:
    """Recorded with every result: signatures and canons hold within these versions only (spec, Versions)."""
    found = {
        "normalisation.text": VERSIONS["text"],
        "normalisation.ast": VERSIONS["ast"],
        "agreement.ast": VERSIONS["astdump"],
        "rung.layout": VERSIONS["layout"],
        "rung.names": VERSIONS["names"],
        "rung.behaviour": BEHAVIOUR,
        "inputs": INPUTS,
        "pairs": PAIRS,
        "oracle": ORACLE,
        "distance": DISTANCE,
    }
    if repaired:
        found["repair"] = REPAIR
    return {**found, "extraction": EXTRACTION} if extracted else found


def record_rows(
    cells: Sequence[Cell], anchors: Sequence[Anchor], *, repaired: bool = False
) -> Iterator[dict[str, Any]]:
    for cell, anchor in zip(cells, anchors, strict=True):
        canon = None if anchor.canon is None else anchor.canon.code
        for place, output in enumerate(cell.outputs):
            yield {
                "contract": cell.key.contract,
                "subject": cell.key.subject,
                "temperature": cell.key.temperature,
                "top_p": cell.key.top_p,
                "wording": cell.key.wording,
                "repetition": output.repetition,
                "trial": output.trial,
                "state": output.state,
                "tests_passed": output.tests_passed,
                "tests": output.tests,
                **{
                    f"class_{rung}": cell.ladder[rung][place] if rung in cell.ladder else None
                    for rung in _RUNGS
                },
                **_signatures(cell, output),
                **_distances(cell, output, canon, repaired=repaired),
                "canon": anchor.canon.digest if anchor.canon else None,
                "unparseable": cell.forms(output.code).fallback if cell.language == "python" else None,
                "normalisation_text": VERSIONS["text"],
                "normalisation_ast": VERSIONS["ast"],
                "oracle": ORACLE,
                "distance": DISTANCE,
                "repair": REPAIR if repaired else None,
            }


_RUNGS = ("text", "layout", "ast", "names", "behaviour")
_LEVELS = ("text", "ast")


def _signatures(cell: Cell, output: Output) -> dict[str, str | None]:
    forms = cell.forms(output.code)
    return {
        f"signature_{level}": signature(getattr(forms, level)) if level in cell.levels else None
        for level in _LEVELS
    }


def _distances(cell: Cell, output: Output, canon: str | None, *, repaired: bool) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for level in _LEVELS:
        there = canon is not None and level in cell.levels
        row[f"distance_{level}"] = float(cell.distance(output.code, canon or "", level)) if there else None
        after = cell.repaired(output)
        row[f"distance_{level}_post"] = (
            float(cell.distance(after, canon or "", level)) if there and repaired else None
        )
    steps = (
        cell.repairs[output.code].steps if repaired and output.passed and output.code in cell.repairs else ()
    )
    row["repair_steps"] = " ".join(steps) if repaired else None
    return row
