"""Requirements: what a release must reach, declared in the study and judged by the intervals.

A requirement is a measure's name, with its rung or level where it has one (``R behaviour``, ``R_anchor ast``; ast
where none is named), and a number from 0 to 1. Shares must be at least that, distances at most. In each cell it
holds when the whole interval does, fails when none of it does, and is not established in between, nor where the
measure is not taken (trees of another language, what comes after a repair that is not made).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import InputError, UnknownName
from assay.stats import fraction
from assay.vocabulary import Measure, Verdict

from .measures import percent
from .programs.ladder import RUNGS

__all__ = ["check_requirements", "requirement_verdicts"]

DISTANCES = ("mu_pre", "mu_post", "pairwise_distance")
ON_RUNGS = ("R", "pairwise_agreement")
AT_LEVELS = ("R_anchor_pre", "P_tau_pre", "R_anchor", "rescue_rate", "P_tau_post", "mu_pre", "mu_post")
ALONE = ("R_raw", "R_ast", "R_reply", "pass_rate", "pairwise_distance")
KNOWN = (
    *ALONE,
    *(f"{name} {rung}" for name in ON_RUNGS for rung in RUNGS),
    *(f"{name} {level}" for name in AT_LEVELS for level in ("text", "ast")),
)


def _full(name: str) -> str:
    return f"{name} ast" if name in (*ON_RUNGS, *AT_LEVELS) else name


def check_requirements(required: Mapping[str, float]) -> None:
    """Refuse what is not measured."""
    for name, bound in required.items():
        if _full(name) not in KNOWN:
            raise UnknownName("measure", name, KNOWN)
        if not 0 <= bound <= 1:
            raise InputError(f"{name}: {bound:g} is asked for, but it lies between 0 and 1")


def requirement_verdicts(measures: Sequence[Measure], required: Mapping[str, float]) -> list[Verdict]:
    """One verdict a requirement and cell, in the order of the cells."""
    taken: dict[tuple[str, str], Measure] = {}
    for measure in measures:
        place = measure.labels.get("rung", measure.labels.get("level", ""))
        name = measure.name if measure.name in ALONE else f"{measure.name} {place}"
        taken.setdefault((name, _cell(measure)), measure)
    cells = [_cell(measure) for measure in measures if measure.name == "pass_rate"]
    return [
        _verdict(taken.get((_full(name), cell)), _full(name), bound, cell)
        for name, bound in required.items()
        for cell in cells
    ]


def _cell(measure: Measure) -> str:
    """The cell in words."""
    apart = ("rung", "level", "tau")
    return ", ".join(f"{key} {value}" for key, value in measure.labels.items() if key not in apart)


def _verdict(measure: Measure | None, name: str, bound: float, cell: str) -> Verdict:
    below = name.partition(" ")[0] in DISTANCES
    claim = f"{name} is at {'most' if below else 'least'} {bound:g} ({cell})"
    if measure is None:
        return Verdict(claim, "the whole interval", None, "it is not measured in this cell")
    rule = (
        "the whole interval"
        if measure.confidence is None
        else f"the whole {percent(measure.confidence)} interval"
    )
    if measure.value is None or measure.low is None or measure.high is None:
        return Verdict(claim, rule, None, "; ".join(measure.notes) or "there is no interval")
    because = f"{measure.value:.3f}, interval {measure.low:.3f} to {measure.high:.3f}, n = {measure.n}"
    low, high, wanted = fraction(measure.low), fraction(measure.high), fraction(bound)
    if any(flag.kind == "Invalid" for flag in measure.flags):
        return Verdict(claim, rule, None, f"{because}; but the measure is invalid")
    reached, missed = (high <= wanted, low > wanted) if below else (low >= wanted, high < wanted)
    return Verdict(claim, rule, True if reached else False if missed else None, because)
