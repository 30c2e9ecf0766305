"""Cells made up for the tests of what people see of them; no sandbox, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey, Output, sorted_cells
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.present import present
from assay.instruments.repeatability.programs.repair import Repair, Tried
from assay.instruments.repeatability.scoring import Settings, score_cells
from assay.report.html import ReportPage, render_report
from assay.report.presentation import Presentation
from assay.vocabulary import Reading, Result

from .making import canon_of

__all__ = ["cell", "page_of", "presented", "scored"]


def cell(
    codes: Sequence[str],
    passing: Sequence[int] = (),
    *,
    contract: str = "add",
    subject: str = "m",
    temperature: float | None = 0.0,
    top_p: float | None = None,
    wording: int | None = None,
    planned: int | None = None,
    language: str = "python",
    repairs: Mapping[str, tuple[str, Sequence[str]]] = MappingProxyType({}),
) -> Cell:
    """A cell with these programs, of which those at ``passing`` pass; ``repairs`` are what became of some."""
    outputs = [
        Output(i, code, "pass" if i in passing else "wrong", 3 if i in passing else 1, 3)
        for i, code in enumerate(codes)
    ]
    made = Cell(
        CellKey(contract, subject, temperature, top_p, wording),
        outputs,
        planned=planned,
        kind=programs_in(language),
    )
    for code, (source, steps) in repairs.items():
        made.repairs[code] = Repair(source, tuple(Tried(step, "0" * 64, True) for step in steps), len(steps))
    return made


def scored(cells: Sequence[Cell], *, repair: bool = False) -> tuple[Result, list[Cell], list[Anchor]]:
    ordered = sorted_cells(cells)
    anchors = []
    for one in ordered:
        index = one.first_passing()
        if index is None:
            anchors.append(Anchor(None, None, "none"))
        else:
            canon = canon_of(one.outputs[index].code, "0" * 64, one.key.contract)
            anchors.append(Anchor(canon, index, "this cell"))
    settings = Settings(repair=repair)
    return score_cells(ordered, anchors, settings, source="ledger", version="1"), ordered, anchors


def presented(cells: Sequence[Cell], *, repair: bool = False) -> tuple[Result, Presentation]:
    result, ordered, anchors = scored(cells, repair=repair)
    return result, present(result, ordered, anchors)


def page_of(cells: Sequence[Cell], **changed: object) -> str:
    """The report of these cells."""
    result, presentation = presented(cells)
    return render_report(ReportPage(title="t", run="r", readings=[(Reading(result=result), presentation)]))
