"""The records of repeatability: one flat row an output, at full precision, with the versions that define it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.instruments.repeatability.kinds import OutputKind
from assay.instruments.repeatability.measures.pairs import PAIRS
from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.extraction import EXTRACTION
from assay.instruments.repeatability.programs.normalisation import VERSIONS, signature
from assay.instruments.repeatability.programs.repair import REPAIR

from .cell import PYTHON, Anchor, Cell, CellKey, Output

__all__ = ["record_rows", "rule_versions", "versions"]


def versions(cells: Sequence[Cell], *, extracted: bool, repaired: bool) -> dict[str, str]:
    """Recorded with every result: signatures and canons hold within these versions only (spec, Versions)."""
    return _versions([cell.kind for cell in cells], extracted=extracted, repaired=repaired)


def rule_versions(kinds: Iterable[OutputKind] = ()) -> dict[str, str]:
    """Of all rules, whatever Python prints trees: recorded where nothing is printed yet, in locks and canons."""
    found = _versions(list(kinds), extracted=True, repaired=True)
    return {name: version.partition("+")[0] for name, version in found.items()}


def _versions(kinds: Sequence[OutputKind], *, extracted: bool, repaired: bool) -> dict[str, str]:
    different = {kind.name: kind for kind in kinds or (PYTHON,)}.values()
    found = {name: version for kind in different for name, version in kind.versions.items()}
    found["pairs"] = PAIRS
    if repaired and any(kind.noun == "program" for kind in different):
        found["repair"] = REPAIR
    return {**found, "extraction": EXTRACTION} if extracted else found


def record_rows(
    cells: Sequence[Cell],
    anchors: Sequence[Anchor],
    *,
    repaired: bool = False,
    rows: Mapping[CellKey, Sequence[int]] | None = None,
) -> Iterator[dict[str, Any]]:
    """One record an output. ``rows`` are the numbers of the rows they came in, where they are no trials of a run."""
    kinds = [cell.kind for cell in cells]
    rungs = tuple(dict.fromkeys((*_RUNGS, *(rung for kind in kinds for rung in kind.rungs[1:]))))
    levels = tuple(dict.fromkeys((*_LEVELS, *(level for kind in kinds for level in kind.levels))))
    answers = any("answer" in kind.rungs for kind in kinds)
    for cell, anchor in zip(cells, anchors, strict=True):
        canon = None if anchor.canon is None else anchor.canon.code
        for place, output in enumerate(cell.outputs):
            yield {
                **({} if rows is None else {"row": rows[cell.key][output.repetition]}),
                "contract": cell.key.contract,
                "subject": cell.key.subject,
                "temperature": cell.key.temperature,
                "top_p": cell.key.top_p,
                "wording": cell.key.wording,
                "repetition": output.repetition,
                **({"trial": output.trial} if rows is None else {}),
                "state": output.state,
                "tests_passed": output.tests_passed,
                "tests": output.tests,
                "first_failing": output.failing,
                "detail": output.detail,
                **{
                    f"class_{rung}": cell.ladder[rung][place] if rung in cell.ladder else None
                    for rung in rungs
                },
                **({"answer": getattr(cell.forms(output.code), "answer", None)} if answers else {}),
                **_signatures(cell, output, levels),
                **_distances(cell, output, canon, levels, repaired=repaired and cell.kind.noun == "program"),
                "canon": anchor.canon.digest if anchor.canon else None,
                "is_canon": place == anchor.index,
                "unparseable": cell.forms(output.code).fallback if len(cell.levels) > 1 else None,
                "normalisation_text": VERSIONS["text"],
                "normalisation_ast": VERSIONS["ast"],
                "oracle": cell.kind.oracle,
                "distance": DISTANCE,
                "repair": REPAIR if repaired and cell.kind.noun == "program" else None,
                "program_start": output.start,
                "program_end": output.start + len(output.code),
                "program": output.code,
            }


_RUNGS = ("text", "layout", "ast", "names", "behaviour")
_LEVELS = ("text", "ast")


def _signatures(cell: Cell, output: Output, levels: Sequence[str]) -> dict[str, str | None]:
    return {
        f"signature_{level}": signature(cell.form(output.code, level)) if level in cell.levels else None
        for level in levels
    }


def _distances(
    cell: Cell, output: Output, canon: str | None, levels: Sequence[str], *, repaired: bool
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for level in levels:
        there = canon is not None and level in cell.levels
        row[f"distance_{level}"] = float(cell.distance(output.code, canon or "", level)) if there else None
        if level in _LEVELS:  # only programs are repaired
            after = (
                float(cell.distance(cell.repaired(output), canon or "", level))
                if there and repaired
                else None
            )
            row[f"distance_{level}_post"] = after
    steps = (
        cell.repairs[output.code].steps if repaired and output.passed and output.code in cell.repairs else ()
    )
    row["repair_steps"] = " ".join(steps) if repaired else None
    row["repair_result"] = _repaired(cell, output, row) if repaired and canon is not None else None
    return row


def _repaired(cell: Cell, output: Output, row: Mapping[str, Any]) -> str:
    """What became of an output: it need not be, could not be, or was brought nearer, or all the way."""
    if not any(row[f"distance_{level}"] for level in cell.levels):
        return "equal before"
    if not output.passed:
        return "fails its tests"
    if output.code not in cell.repairs:
        return "not repaired"
    if not any(row[f"distance_{level}_post"] for level in cell.levels):
        return "equal"
    return "nearer" if row["repair_steps"] else "unchanged"
