"""The records of repeatability: one flat row an output, at full precision, with the versions that define it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.instruments.repeatability.measures.pairs import PAIRS
from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.extraction import EXTRACTION
from assay.instruments.repeatability.programs.inputs import INPUTS
from assay.instruments.repeatability.programs.normalisation import VERSIONS, signature
from assay.instruments.repeatability.programs.repair import REPAIR

from .cell import ORACLE, Anchor, Cell, CellKey, Output

__all__ = ["record_rows", "rule_versions", "versions"]

BEHAVIOUR = "behaviour/2"


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


def rule_versions() -> dict[str, str]:
    """Of all rules, whatever Python prints trees: recorded where nothing is printed yet, in locks and canons."""
    return {name: found.partition("+")[0] for name, found in versions(extracted=True, repaired=True).items()}


def record_rows(
    cells: Sequence[Cell],
    anchors: Sequence[Anchor],
    *,
    repaired: bool = False,
    rows: Mapping[CellKey, Sequence[int]] | None = None,
) -> Iterator[dict[str, Any]]:
    """One record an output. ``rows`` are the numbers of the rows they came in, where they are no trials of a run."""
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
                    for rung in _RUNGS
                },
                **_signatures(cell, output),
                **_distances(cell, output, canon, repaired=repaired),
                "canon": anchor.canon.digest if anchor.canon else None,
                "is_canon": place == anchor.index,
                "unparseable": cell.forms(output.code).fallback if cell.language == "python" else None,
                "normalisation_text": VERSIONS["text"],
                "normalisation_ast": VERSIONS["ast"],
                "oracle": ORACLE,
                "distance": DISTANCE,
                "repair": REPAIR if repaired else None,
                "program_start": output.start,
                "program_end": output.start + len(output.code),
                "program": output.code,
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
    row["repair_result"] = _repaired(cell, output, row) if repaired and canon is not None else None
    return row


def _repaired(cell: Cell, output: Output, row: Mapping[str, Any]) -> str:
    """What became of an output: it need not be, could not be, or was brought nearer, or all the way."""
    levels = [level for level in _LEVELS if level in cell.levels]
    if not any(row[f"distance_{level}"] for level in levels):
        return "equal before"
    if not output.passed:
        return "fails its tests"
    if output.code not in cell.repairs:
        return "not repaired"
    if not any(row[f"distance_{level}_post"] for level in levels):
        return "equal"
    return "nearer" if row["repair_steps"] else "unchanged"
