"""What the tests of repeatability need: small contracts, cells with known states, measures by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from assay.instruments.repeatability.cells.canons import make_canon
from assay.instruments.repeatability.cells.cell import Anchor, Canon, Cell, CellKey, Output
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.oracle import OracleJudgement, job_for, judge
from assay.instruments.repeatability.scoring import Settings, find_anchors, score_cells
from assay.sandbox import run_all
from assay.vocabulary import Measure, Result

__all__ = ["anchors_of", "canon_of", "cell_of", "contract", "judgements", "measure", "score", "summary"]


def contract(
    cases: Iterable[dict[str, Any]] = ({"args": [1], "expected": 2},), *, kind: str = "function", **more: Any
) -> Contract:
    """A contract for ``f`` (or the class ``f``), as it would come out of a file."""
    value = {"id": "c", "prompt": "Write f.", "entry_point": "f", "kind": kind, "test_cases": list(cases)}
    return msgspec.convert({**value, **more}, Contract)


def cell_of(
    *codes: str | tuple[str, str],
    subject: str = "m",
    temperature: float | None = 0.0,
    planned: int | None = None,
    contract: str = "c",
) -> Cell:
    """A cell of programs that pass; ``(code, state)`` for those that end otherwise."""
    outputs = []
    for number, entry in enumerate(codes):
        code, state = (entry, "pass") if isinstance(entry, str) else entry
        outputs.append(Output(number, code, state, int(state == "pass"), 1))
    return Cell(CellKey(contract, subject, temperature), outputs, planned=planned)


def canon_of(code: str, snapshot: str, contract: str = "c") -> Canon:
    """A canon of the present versions."""
    return make_canon(contract, snapshot, code)


def anchors_of(
    cells: Sequence[Cell], settings: Settings | None = None, declared: dict[str, Canon] | None = None
) -> list[Anchor]:
    contracts = {cell.key.contract: contract(id=cell.key.contract) for cell in cells}
    older = declared or {}
    return find_anchors(cells, contracts, settings or Settings(), lambda key: older.get(key.contract))


def score(*cells: Cell, settings: Settings | None = None, declared: dict[str, Canon] | None = None) -> Result:
    chosen = settings or Settings()
    return score_cells(cells, anchors_of(cells, chosen, declared), chosen, source="rows", version="1")


def measure(result: Result, name: str, level: str | None = None, **labels: Any) -> Measure:
    """The one measure of that name, level and labels."""
    (found,) = [
        m
        for m in result.measures
        if m.name == name and m.labels.get("level") == level and labels.items() <= m.labels.items()
    ]
    return found


def summary(result: Result, level: str = "text") -> tuple[float | None, ...]:
    """R_anchor_pre, mu_pre and P_tau_pre of the only cell."""
    return tuple(measure(result, name, level).value for name in ("R_anchor_pre", "mu_pre", "P_tau_pre"))


def judgements(*pairs: tuple[Contract, str], workers: int = 2) -> list[OracleJudgement]:
    """Programs through the real sandbox."""
    runs = run_all([job_for(asked, code) for asked, code in pairs], workers=workers)
    return [judge(asked, run.comparable()) for (asked, _), run in zip(pairs, runs, strict=True)]
