"""A measure against a bound: by its whole interval or by its value, compared as exact fractions."""

from __future__ import annotations

from typing import Literal

import msgspec

from assay.report.wording import percent, word
from assay.stats import fraction
from assay.vocabulary import Measure, Verdict, VerdictKind

from .measures import Labels

__all__ = ["By", "Side", "against", "bounded", "unless_invalid", "word"]

Side = Literal["at least", "at most"]
By = Literal["interval", "value"]


def bounded(low: float, high: float, side: Side, bound: float) -> bool | None:
    """Whether everything from ``low`` to ``high`` keeps the bound (True), breaks it (False), or neither."""
    first, last, line = fraction(low), fraction(high), fraction(bound)
    kept, broken = (first >= line, last < line) if side == "at least" else (last <= line, first > line)
    return True if kept else False if broken else None


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

    A level has no interval and goes by its value; one that is provisional and too low may only lack evidence.
    """
    rule = "the value, compared exactly"
    if by == "interval":
        rule = (
            f"the whole {percent(measure.confidence)} interval"
            if measure.confidence
            else "the whole interval"
        )
    holds: bool | None = None
    if measure.value is None:
        because = "; ".join(measure.notes) or "there is no value"
    elif by == "interval" and (measure.low is None or measure.high is None):
        because = f"{measure.value:.3f}, without an interval, n = {measure.n}"
    elif by == "interval":
        assert measure.low is not None
        assert measure.high is not None
        because = f"{measure.value:.3f}, interval {measure.low:.3f} to {measure.high:.3f}, n = {measure.n}"
        holds = bounded(measure.low, measure.high, side, bound)
    else:
        because = f"{measure.value:g}, n = {measure.n}"
        holds = bounded(measure.value, measure.value, side, bound)
        if holds is False and (open_ := [f for f in measure.flags if f.kind == "Provisional"]):
            holds, because = None, f"{because}; {open_[0]}"
    if any(flag.kind == "Invalid" for flag in measure.flags):
        holds, because = None, f"{because}; but the measure is invalid"
    found = dict(measure.labels if labels is None else labels)
    return Verdict(name=name, kind=kind, labels=found, claim=claim, rule=rule, holds=holds, because=because)


def unless_invalid(verdict: Verdict, why: str) -> Verdict:
    """Nothing is claimed where too much was lost to infrastructure; ``why`` is empty where that is not so."""
    if not why:
        return verdict
    return msgspec.structs.replace(verdict, holds=None, because=f"{verdict.because}; invalid: {why}")
