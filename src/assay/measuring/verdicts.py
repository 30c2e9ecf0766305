"""A measure against a bound: by its whole interval or by its value, compared as exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from assay.report.wording import percent, word
from assay.stats import Exactable, fraction
from assay.vocabulary import Measure, Verdict, VerdictKind

from .measures import Labels

__all__ = ["By", "Side", "against", "bounded", "rule_of", "unless_invalid", "word"]

Side = Literal["at least", "at most"]
By = Literal["interval", "value"]
LEVELS = ("level", "tier")  # units of what is assigned by evidence, and too low where there is too little


def bounded(low: Exactable, high: Exactable, side: Side, bound: Exactable) -> bool | None:
    """Whether everything from ``low`` to ``high`` keeps the bound (True), breaks it (False), or neither."""
    first, last, line = fraction(low), fraction(high), fraction(bound)
    kept, broken = (first >= line, last < line) if side == "at least" else (last <= line, first > line)
    return True if kept else False if broken else None


def rule_of(by: By, confidence: float | None = None) -> str:
    """How a bound is judged, for people."""
    if by == "value":
        return "the value, compared exactly"
    return f"the whole {percent(confidence)} interval" if confidence else "the whole interval"


def against(
    measure: Measure,
    side: Side,
    bound: float,
    *,
    name: str,
    kind: VerdictKind,
    claim: str,
    by: By = "interval",
    labels: Labels | None = None,
) -> Verdict:
    """The verdict on one measure. What is null, invalid or has no interval establishes nothing.

    Unknown outcomes count: nothing is established that they could overturn. A level goes by its value; one that is
    too low and Provisional may only lack evidence.
    """
    holds, because = _judged(measure, side, bound, by)
    if any(flag.kind == "Invalid" for flag in measure.flags):
        holds, because = None, f"{because}; but the measure is invalid"
    return Verdict(
        name=name,
        kind=kind,
        labels=dict(measure.labels if labels is None else labels),
        claim=claim,
        rule=rule_of(by, measure.confidence),
        holds=holds,
        because=because,
    )


def _judged(measure: Measure, side: Side, bound: float, by: By) -> tuple[bool | None, str]:
    value, n = measure.value, measure.n
    if value is None:
        return None, "; ".join(measure.notes) or "there is no value"
    ends: list[Exactable]
    if by == "value":
        ends = [value if measure.k is None else Fraction(measure.k, n)]
        because = f"{value:g}, n = {n}"
    elif measure.low is None or measure.high is None:
        return None, f"{value:.3f}, without an interval, n = {n}"
    else:
        ends = [measure.low, measure.high]
        because = f"{value:.3f}, interval {measure.low:.3f} to {measure.high:.3f}, n = {n}"
    if measure.bound_low is not None and measure.bound_high is not None:
        ends += [measure.bound_low, measure.bound_high]
        because += f", {measure.bound_low:.3f} to {measure.bound_high:.3f} with the unknown outcomes"
    exact = [fraction(end) for end in ends]
    holds = bounded(min(exact), max(exact), side, bound)
    lacking = [flag for flag in measure.flags if flag.kind == "Provisional"]
    if holds is False and side == "at least" and measure.units in LEVELS and lacking:
        return None, f"{because}; {lacking[0]}"
    return holds, because


def unless_invalid(verdict: Verdict, why: str) -> Verdict:
    """Nothing is claimed where too much was lost to infrastructure; ``why`` is empty where that is not so."""
    if not why:
        return verdict
    return msgspec.structs.replace(verdict, holds=None, because=f"{verdict.because}; invalid: {why}")
