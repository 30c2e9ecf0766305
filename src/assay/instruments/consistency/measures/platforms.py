"""Two subjects on the same thread states: do they behave alike?

Equivalence is shown, not assumed: both M5 must reach the threshold, and the interval of their difference must lie
within the tolerance. The interval has confidence 1 − 2α, which makes it the pair of one-sided tests at α.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.measuring import measure_of, percent, unless_invalid
from assay.stats import (
    Interval,
    Part,
    equivalent,
    fisher_exact,
    fraction,
    holm,
    philox,
    share_difference,
    weighted_difference,
    weighted_mean,
)
from assay.vocabulary import Flag, Measure, Verdict

from .composite import Composite, composite_verdict
from .shares import COMPONENTS, ConsistencySettings, Share, bounds_of, strata

__all__ = ["PlannedPower", "compare_platforms", "planned_power"]

FloatArray = npt.NDArray[np.float64]
ComparedPlatforms = tuple[list[Measure], list[Verdict], list[str]]


def compare_platforms(
    composites: Sequence[Composite],
    shares: Mapping[str, Mapping[str, Share]],
    threads: Mapping[str, frozenset[str]],
    settings: ConsistencySettings,
    invalid: Mapping[str, str] | None = None,
) -> ComparedPlatforms:
    """Every pair of subjects that met the same thread states: differences, verdicts, and notes.

    ``invalid``: why nothing is claimed of a subject.
    """
    measures: list[Measure] = []
    verdicts: list[Verdict] = []
    notes: list[str] = []
    for first, second in combinations(composites, 2):
        one, two = threads[first.subject], threads[second.subject]
        common = Fraction(len(one & two), max(len(one | two), 1))
        if common < 1:
            pair = f"{first.subject} and {second.subject}"
            said = f"{pair} have {len(one & two)} of {len(one | two)} thread states in common"
            if common < 1 - settings.excluded_share:
                notes.append(f"{said}; they are not compared")
                continue
            notes.append(said)
        found = _differences(first, second, shares, settings)
        measures += found
        apart = _artefacts(first.subject, second.subject, shares, settings)
        verdict = _verdict(first, second, settings)
        for name in (first.subject, second.subject):
            verdict = unless_invalid(verdict, (invalid or {}).get(name, ""))
        verdicts.append(verdict)
        notes += [f"{first.subject} and {second.subject} differ in {text}" for text in apart]
    return measures, verdicts, notes


def _one_sided(settings: ConsistencySettings) -> float:
    """1 − 2α: the confidence of an interval whose ends are each tested at α."""
    return float(1 - 2 * (1 - fraction(settings.confidence)))


def _m5_difference(first: Composite, second: Composite, confidence: float) -> Interval:
    if first.value is None or second.value is None:
        return Interval(
            value=None, low=-1.0, high=1.0, confidence=confidence, n=0, method="weighted-chernoff-joined"
        )
    return weighted_difference(first.parts, second.parts, confidence)


def _differences(
    first: Composite,
    second: Composite,
    shares: Mapping[str, Mapping[str, Share]],
    settings: ConsistencySettings,
) -> list[Measure]:
    labels = {"subject": second.subject, "against": first.subject}
    whole = _m5_difference(first, second, _one_sided(settings))
    exact = None if first.value is None or second.value is None else second.value - first.value
    untested = [name for name in COMPONENTS if name in (*first.missing, *second.missing)]
    flags = [Flag("Provisional", f"no data for {', '.join(untested)} of both")] if untested else []
    measures = [
        measure_of(
            "M5_difference",
            whole,
            labels,
            value=exact,
            n=first.scenarios + second.scenarios,
            bounds=_difference_bounds(first, second),
            units="difference",
            why_null="a subject has no M5",
            flags=flags if exact is not None else (),
        )
    ]
    for name in COMPONENTS:
        one, two = shares[first.subject][name], shares[second.subject][name]
        value = None if one.value is None or two.value is None else two.value - one.value
        interval = _component_difference(one, two, settings.confidence)
        measures.append(
            measure_of(
                f"{name}_difference",
                interval,
                labels,
                value=value,
                n=one.total + two.total,
                bounds=_difference_bounds(one, two),
                units="difference",
                why_null="a subject has no data",
            )
        )
    return measures


def _difference_bounds(one: Share | Composite, two: Share | Composite) -> tuple[float | None, float | None]:
    """The second at worst less the first at best, and the other way round."""
    if one.value is None or two.value is None or (one.ends is None and two.ends is None):
        return None, None
    low1, high1 = one.ends or (one.value, one.value)
    low2, high2 = two.ends or (two.value, two.value)
    return bounds_of((low2 - high1, high2 - low1))


def _component_difference(one: Share, two: Share, confidence: float) -> Interval:
    if (one.single and two.single) or not (one.total and two.total):
        return share_difference(one.successes, one.total, two.successes, two.total, confidence)
    alone = {"": Fraction(1)}
    return weighted_difference(strata({"": one}, alone), strata({"": two}, alone), confidence)


def _clean(share: Share) -> tuple[int, int]:
    """Scenarios without a failure, and all: independent, which outcomes of one scenario are not."""
    return sum(good == number for good, number in share.counts.values()), len(share.counts)


def _artefacts(
    first: str, second: str, shares: Mapping[str, Mapping[str, Share]], settings: ConsistencySettings
) -> list[str]:
    """Components in which the platforms differ: Fisher's test of scenarios without a failure, Holm's correction."""
    names = [name for name in COMPONENTS if shares[first][name].total and shares[second][name].total]
    tests = []
    for name in names:
        (k1, n1), (k2, n2) = _clean(shares[first][name]), _clean(shares[second][name])
        tests.append(fisher_exact(k1, n1 - k1, k2, n2 - k2).p_value)
    alpha = float(1 - fraction(settings.confidence))
    found = []
    for name, p in zip(names, holm(tests).adjusted, strict=True):
        assert p is not None
        if p <= alpha:
            one, two = shares[first][name].value, shares[second][name].value
            assert one is not None
            assert two is not None
            found.append(
                f"{name} ({float(one):.3f} and {float(two):.3f}; p = {p:.2g} after Holm): an artefact of the "
                "container, as far as the thread states are the same; document it, or expand τ"
            )
    return found


def _verdict(first: Composite, second: Composite, settings: ConsistencySettings) -> Verdict:
    """Both M5 reach the threshold, and the difference lies within the tolerance."""
    line, margin = settings.threshold, settings.tolerance
    claim = f"{first.subject} and {second.subject} are behaviourally equivalent"
    rule = f"both M5 at least {float(line):g}, and their difference less than {float(margin):g}"

    def verdict(rule: str, holds: bool | None, because: str) -> Verdict:
        labels = {"subject": first.subject, "against": second.subject}
        return Verdict(
            name="equivalent",
            kind="comparison",
            labels=dict(labels),
            claim=claim,
            rule=rule,
            holds=holds,
            because=because,
        )

    if first.value is None or second.value is None:
        return verdict(rule, None, "a subject has no M5")
    confidence = _one_sided(settings)
    interval = _m5_difference(first, second, confidence)
    difference = second.value - first.value
    if settings.rule == "point":
        near: bool | None = abs(difference) < margin
        rule += "; the values, compared exactly"
    else:
        near = equivalent(interval, margin)
        rule += f"; the {percent(confidence)} interval of the difference, and the intervals of both"
    if first.missing or second.missing:  # the difference is of what was tested, which need not be that of M5
        near = None
    each = [composite_verdict(found, settings) for found in (first, second)]
    ends = f"{interval.low:+.3f} to {interval.high:+.3f}"
    numbers = f"difference {float(difference):+.3f}, {percent(confidence)} interval {ends}"
    holds = [near, *(verdict.holds for verdict in each)]
    because = "; ".join([numbers, *(verdict.because for verdict in each)])
    if False in holds:
        return verdict(rule, False, because)
    return verdict(rule, None if None in holds else True, because)


class PlannedPower(NamedTuple):
    """What so many scenarios can show about two subjects that are equally good."""

    power: float  # the chance that the verdict holds, as declared
    reach: float  # the smallest tolerance that the difference would keep with the power asked for
    share: float  # the chance of success that was assumed, of every component of both
    simulations: int


def planned_power(
    counts: Mapping[str, int],
    settings: ConsistencySettings,
    *,
    share: float | Fraction = Fraction(98, 100),
    power: float = 0.8,
    simulations: int = 4000,
) -> PlannedPower:
    """For ``assay plan``. ``counts`` are the scenarios a component gets; O and L rest on the same exchanges.

    By simulation, keyed by the counts, with O and L as one coin, which is the worst case. The ends of an M5 hang on
    its value alone, so they are worked out at 17 values and interpolated.
    """
    if set(counts) != set(COMPONENTS) or min(counts.values()) < 1 or counts["O"] != counts["L"]:
        raise InputError(f"counts of at least 1 are needed for {', '.join(COMPONENTS)}, the same for O and L")
    chance = float(fraction(share))
    weights = settings.weights
    sizes = [(weights["O"] + weights["L"], counts["O"]), *((weights[c], counts[c]) for c in "FRP")]
    sizes = [(weight, n) for weight, n in sizes if weight]
    confidence = _one_sided(settings)
    each = 1.0 - 2.0 * (1.0 - math.sqrt(0.5 + confidence / 2.0))
    key = "/".join(["platforms", *(f"{w}:{n}" for w, n in sizes), repr(chance)])
    one, two = (_draw_m5(f"{key}/{side}", sizes, chance, simulations) for side in ("first", "second"))
    grid = np.linspace(min(one.min(), two.min()), max(one.max(), two.max()), 17)
    joined = [weighted_mean([Part(w, float(at), n) for w, n in sizes], each) for at in grid]
    alone = [weighted_mean([Part(w, float(at), n) for w, n in sizes], settings.confidence) for at in grid]

    def ends(at: FloatArray, found: Sequence[Interval]) -> tuple[FloatArray, FloatArray]:
        return np.interp(at, grid, [i.low for i in found]), np.interp(at, grid, [i.high for i in found])

    (low1, high1), (low2, high2) = ends(one, joined), ends(two, joined)
    reach = np.maximum(high2 - low1, high1 - low2)
    sure = np.minimum(ends(one, alone)[0], ends(two, alone)[0]) >= float(settings.threshold)
    holds = (reach <= float(settings.tolerance)) & sure
    return PlannedPower(float(holds.mean()), float(np.quantile(reach, power)), chance, simulations)


def _draw_m5(key: str, sizes: Sequence[tuple[Fraction, int]], chance: float, simulations: int) -> FloatArray:
    total = np.zeros(simulations)
    for place, (weight, n) in enumerate(sizes):
        words = philox(key, place).random_raw(simulations * n).reshape(simulations, n)
        unit = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
        total += float(weight) * (unit < chance).mean(axis=1)
    return total
