"""M5, identity persistence: a weighted mean of O, F, R, P and L, with an interval that holds, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

import msgspec

from assay.measuring import measure_of, percent
from assay.stats import Interval, Part, fraction, weighted_mean, weighted_value
from assay.vocabulary import Flag, Measure, Verdict

from .shares import COMPONENTS, ConsistencySettings, Share, bounds_of, strata

__all__ = ["Composite", "compose", "composite_measure", "composite_verdict", "composite_verdicts"]

NOTHING = "none of its components was tested"


class Composite(NamedTuple):
    """M5 of one subject over what was tested. ``value`` is exact; None where nothing was."""

    subject: str
    value: Fraction | None
    interval: Interval
    parts: tuple[Part, ...]
    missing: tuple[str, ...]  # components that have a weight and no data
    scenarios: int
    ends: tuple[Fraction, Fraction] | None = (
        None  # the value at worst and at best, where something is unknown
    )

    @property
    def complete(self) -> bool:
        return not self.missing


def compose(subject: str, shares: Mapping[str, Share], settings: ConsistencySettings) -> Composite:
    """Weigh the components that have data; the weights of the others go to them in proportion."""
    wanted = [name for name in COMPONENTS if settings.weights[name]]
    tested = {name: shares[name] for name in wanted if name in shares and shares[name].total}
    missing = tuple(name for name in wanted if name not in tested)
    if not tested:
        whole = Interval(
            value=None, low=0.0, high=1.0, confidence=settings.confidence, n=0, method="weighted-chernoff"
        )
        return Composite(subject, None, whole, (), missing, 0)
    covered = sum((settings.weights[name] for name in tested), Fraction(0))
    parts = tuple(strata(tested, {name: settings.weights[name] / covered for name in tested}))
    interval = weighted_mean(parts, settings.confidence)
    ends = _ends(tested, {name: settings.weights[name] / covered for name in tested})
    return Composite(subject, weighted_value(parts), interval, parts, missing, interval.n, ends)


def _ends(shares: Mapping[str, Share], weights: Mapping[str, Fraction]) -> tuple[Fraction, Fraction] | None:
    """The weighted ends of the components: what is unknown in one says nothing about another."""
    if all(share.ends is None for share in shares.values()):
        return None
    low = high = Fraction(0)
    for name, share in shares.items():
        assert share.value is not None
        least, most = share.ends or (share.value, share.value)
        low, high = low + weights[name] * least, high + weights[name] * most
    return low, high


def composite_measure(found: Composite, settings: ConsistencySettings) -> Measure:
    flags, notes = [], []
    if found.missing and found.value is not None:
        names = ", ".join(found.missing)
        flags.append(Flag("Provisional", f"no data for {names}; the value is of the other components"))
        rest = sum(settings.weights[name] for name in found.missing)
        notes.append(f"{names} would carry {float(rest):g} of the weight")
    return measure_of(
        "M5",
        found.interval,
        {"subject": found.subject},
        value=found.value,
        n=found.scenarios,
        bounds=bounds_of(found.ends),
        why_null=NOTHING,
        flags=flags,
        notes=notes,
    )


def composite_verdicts(found: Composite, settings: ConsistencySettings) -> tuple[Verdict, Verdict]:
    """``M5`` by the declared rule, and beside it ``M5_point`` or ``M5_interval`` by the other.

    The spec goes by the point: "M5 ≥ 0.90 → PASS". The interval says whether so few scenarios can show it.
    """
    other: Literal["point", "interval"] = "point" if settings.rule == "interval" else "interval"
    beside = composite_verdict(found, msgspec.structs.replace(settings, rule=other))
    claim = f"{beside.claim}, by its {'value' if other == 'point' else 'interval'}"
    return composite_verdict(found, settings), msgspec.structs.replace(
        beside, name=f"M5_{other}", claim=claim
    )


def composite_verdict(found: Composite, settings: ConsistencySettings) -> Verdict:
    """M5 reaches the threshold, by the rule that was declared."""
    line = settings.threshold
    claim = f"M5 of {found.subject} is at least {float(line):g}"
    rule = "the value, compared exactly"
    if settings.rule == "interval":
        above = f"the {percent(settings.confidence)} interval lies at or above {float(line):g}"
        rule = f"{above}; below it the claim fails"

    def verdict(holds: bool | None, because: str) -> Verdict:
        labels: dict[str, str | float] = {"subject": found.subject}
        return Verdict(
            name="M5", kind="threshold", labels=labels, claim=claim, rule=rule, holds=holds, because=because
        )

    if found.value is None:
        return verdict(None, NOTHING)
    holds = _holds(found, settings)
    because = _because(found, settings)
    if found.missing and holds is not False:
        names = ", ".join(found.missing)
        return verdict(None, f"{because}, but nothing was tested for {names}")
    return verdict(holds, because)


def _at_best(found: Composite, value: Fraction, settings: ConsistencySettings) -> Fraction:
    """What M5 would be if everything that was not tested were perfect: it fails only where even that is too little."""
    rest = sum((settings.weights[name] for name in found.missing), Fraction(0))
    return value * (1 - rest) + rest


def _holds(found: Composite, settings: ConsistencySettings) -> bool | None:
    assert found.value is not None
    point = settings.rule == "point"
    low, high = (found.value,) * 2 if point else map(fraction, (found.interval.low, found.interval.high))
    if low >= settings.threshold:
        return True
    return False if _at_best(found, high, settings) < settings.threshold else None


def _because(found: Composite, settings: ConsistencySettings) -> str:
    """The numbers, and whether it was a near thing."""
    assert found.value is not None
    low, high = found.interval.low, found.interval.high
    text = f"M5 = {float(found.value):.3f}, {percent(settings.confidence)} interval {low:.3f}–{high:.3f}"
    apart = abs(found.value - settings.threshold)
    straddles = fraction(low) < settings.threshold <= fraction(high)
    if apart <= settings.marginal:
        return f"{text}; marginal: {float(apart):.3f} from the threshold"
    return f"{text}; marginal: the interval reaches over the threshold" if straddles else text
