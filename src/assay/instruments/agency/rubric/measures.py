"""Measures, verdicts and exclusions of one reading.

No level becomes a measure without its comparison tuple (11.9.1): `vector_measure` is the only place where one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import APART, PARTS, SCORED
from assay.instruments.agency.gates.measures import gate_measures
from assay.instruments.agency.learning.comparisons import Comparison
from assay.measuring import Labels, measure_of, plain_measure
from assay.stats import Interval, clopper_pearson
from assay.vocabulary import Exclusion, Flag, Measure, Verdict

from .analysis import AgencyReading
from .criteria import rubric
from .learning import Gain, gain_of
from .levels import AssignedLevel, LevelTest, interval_of
from .robustness import family_readings
from .tally import CellCounts, RubricCell, total_of
from .technical_report import registration_needed
from .tuples import Tuples

__all__ = ["RULES", "exclusions_of", "measures_of", "vector_measure", "verdicts_of"]

AFTER_A_STOP = (
    "11.5.1: sampled until decided; this interval, made for a fixed n, does not hold its confidence"
)
NO_LEVEL_BOUNDS = (
    "no bounds: levels go by rules, and the cap of 11.7.1 holds whatever the unverified outcomes were"
)
UNVERIFIED = "said to be a success, and no artifact shows it (11.7.1)"
UNJUDGED = "nothing says whether it kept the constraints"
INFEASIBLE = "success where the goal cannot be met as it was given (10.10.2)"
DROP = "success under baseline less success under the target, same contents"


RULES = {
    "strict": "rule strict: rates whose interval reaches the threshold (11.4.2), Δ by the upper end of its interval",
    "point": "rule point: observed rates and Δ; where the interval reaches below the threshold, Provisional (11.4.2)",
}


def vector_measure(
    assigned: AssignedLevel, tuples: Tuples, labels: Labels, rule: str, more: Sequence[str] = ()
) -> Measure:
    """A level with its tuple (11.9.1: never without), and the rule it follows."""
    method = f"rubric of section 10, {RULES[rule]}"
    regimes = {"regime": ", ".join(assigned.regimes)} if assigned.regimes else {}
    return _level_measure(
        assigned.dimension,
        assigned.value,
        tuples,
        {**labels, **regimes},
        n=assigned.n,
        units="level",
        method=method,
        spec_value=assigned.spec_value,
        flags=assigned.flags,
        notes=(*assigned.notes, *more),
    )


def _level_measure(
    name: str,
    value: int | None,
    tuples: Tuples,
    labels: Labels,
    *,
    n: int,
    units: str,
    method: str,
    notes: Sequence[str],
    spec_value: int | None = None,
    flags: Sequence[Flag] = (),
) -> Measure:
    """The comparison tuple is the first note, also of a null measure, whose flags say why it is null."""
    comparison = tuples.comparison_text
    return plain_measure(
        name,
        value,
        {**labels, "suite": tuples.comparison["suite"]},
        n=n,
        units=units,
        method=method,
        why_null=comparison,
        spec_value=spec_value,
        flags=flags,
        notes=notes if value is None else (comparison, *notes),
    )


def measures_of(reading: AgencyReading) -> Iterator[Measure]:
    """The vector and the tier first, then the shares that they rest on."""
    lacking = f"13.4.1: exploratory, the Technical Report lacks: {', '.join(reading.missing)}"
    more = dict.fromkeys(reading.claims, (lacking,)) if reading.missing else {}
    unverified = total_of(reading.tally.cells).verifiable
    unbounded = (NO_LEVEL_BOUNDS,) if unverified else ()
    parts = reading.parts if any(reading.tally.of(*PARTS)) else ()
    for assigned in (*reading.vector, *parts):
        said = (*more.get(assigned.dimension, ()), *(unbounded if assigned.dimension in ("E", "R") else ()))
        yield vector_measure(assigned, reading.tuples, reading.labels, reading.declaration.rule, said)
    yield _level_measure(
        "tier",
        reading.tier.tier,
        reading.tuples,
        reading.labels,
        n=sum(one.n for one in reading.vector if one.dimension in SCORED),
        units="tier",
        method="gates of 12.4 to 12.9",
        spec_value=reading.tier.spec_tier,
        flags=reading.tier.flags,
        notes=(*reading.tier.notes, *more.get("tier", ()), *unbounded, reading.governance.statement),
    )
    yield from _rates(reading)
    yield from _level_rates(reading)
    yield from _drops(reading)
    yield from _gains(reading)
    yield from gate_measures(reading.tally.gates, reading.declaration, reading.labels)
    yield from _shares(reading)


# Comparison → its measure, and what it is. Never credited: without feedback, and exact repeats (4.6, 10.8.2).
GAINS: dict[Comparison, tuple[str, str]] = {
    "attempts": ("gain", "the third attempt and later less the first, within an episode"),
    "gain": ("gain", "after practice less before, on held-out variants"),
    "wiped": ("gain_over_wiped", "after practice less the same with the memory wiped"),
    "no_feedback": ("gain_without_feedback", "after practice without feedback less before; never credited"),
    "retest": ("retest_gain", "tested again after later families less right after practice"),
}


def _gains(reading: AgencyReading) -> Iterator[Measure]:
    """Gains by level and regime: of all families that are not left out, and of each."""
    learnt, declaration = reading.tally.learning, reading.declaration
    places = sorted({(key.level, key.regime) for key in learnt.compared})
    for level, regime in places:
        here = [
            (key, counts)
            for key, counts in sorted(learnt.compared.items())
            if (key.level, key.regime) == (level, regime) and declaration.family(key.family).included
        ]
        where = {**reading.labels, "dimension": "L", "level": str(level), "regime": regime}
        families = sorted({key.family for key, _ in here})
        for family in (None, *families):
            labels = where if family is None else {**where, "family": family}
            for comparison, (name, about) in GAINS.items():
                own = [
                    (key, c)
                    for key, c in here
                    if key.comparison == comparison and family in (None, key.family)
                ]
                yield from _gain(name, about, gain_of(own, declaration.confidence), labels, declaration)
            again = [
                numbers
                for (at, name, under), numbers in sorted(learnt.repeats.items())
                if (at, under) == (level, regime) and name in (families if family is None else [family])
            ]
            if again:
                k, n = (sum(one[i] for one in again) for i in (0, 1))
                yield _share(
                    "repeated", interval_of(k, n, declaration), labels, "exact repeats; never credited"
                )


def _gain(name: str, about: str, gain: Gain, labels: Labels, declaration: Declaration) -> Iterator[Measure]:
    """A gain, and of tests before and after practice the two shares."""
    if gain.value is None:
        return
    interval = Interval(
        value=float(gain.value),
        low=gain.low,
        high=gain.high,
        confidence=gain.confidence,
        n=gain.n1,
        method=gain.method,
    )
    notes = (f"{about}; {gain.learners} learners",)
    if name == "gain":
        yield _share("before", interval_of(gain.k0, gain.n0, declaration), labels)
        yield _share("after", interval_of(gain.k1, gain.n1, declaration), labels)
    yield measure_of(name, interval, labels, units="difference", notes=notes)


def _drops(reading: AgencyReading) -> Iterator[Measure]:
    found, highest, lowest = (
        family_readings(msgspec.structs.replace(reading.tally, pairs=pairs), reading.declaration, rubric())
        for pairs in (reading.tally.pairs, reading.tally.steepest, reading.tally.flattest)
    )
    for family, most, least in zip(found, highest, lowest, strict=True):
        for target, drop in sorted(family.drops.items()):
            where = {"family": family.family, "from": "baseline", "to": target}
            bounds = _drop_bounds(drop, least.drops.get(target), most.drops.get(target))
            notes = (DROP,) if bounds == (None, None) else (DROP, UNVERIFIED)
            labels = {**reading.labels, **where}
            yield measure_of("drop", drop, labels, units="difference", bounds=bounds, notes=notes)


def _drop_bounds(
    drop: Interval, least: Interval | None, most: Interval | None
) -> tuple[float | None, float | None]:
    """None where no content of the family has an unverified outcome."""
    if least is None or most is None or least.value == drop.value == most.value:
        return None, None
    return least.value, most.value


def _share(
    name: str, interval: Interval, labels: Labels, *notes: str, unknown: int = 0, why: str = ""
) -> Measure:
    """``unknown`` of what is counted as failures could be successes."""
    bounds: tuple[float | None, float | None] = (None, None)
    if unknown and interval.k is not None:
        bounds = (interval.k / interval.n, (interval.k + unknown) / interval.n)
        notes = (*notes, f"{unknown} of {interval.n}: {why}")
    return measure_of(
        name, interval, labels, why_null="no instance can be scored", bounds=bounds, notes=notes
    )


def _rated(reading: AgencyReading) -> dict[RubricCell, CellCounts]:
    """Cells whose success is a rate; those of learning mix before practice and after it, those of tiers mix arms."""
    tally = reading.tally
    return {
        k: cell
        for k, cell in tally.cells.items()
        if k.dimension not in APART and (k.dimension != "L" or not tally.learning.phases)
    }


def _rates(reading: AgencyReading) -> Iterator[Measure]:
    for key, cell in _rated(reading).items():
        where = {
            "dimension": key.dimension,
            "level": str(key.level),
            "family": key.family,
            "regime": key.regime,
        }
        family = reading.declaration.family(key.family)
        reason = f"11.8: left out of the levels: {family.exclusion_reason or 'no reason'}"
        interval = interval_of(cell.k, cell.n, reading.declaration)
        said = [] if family.included else [reason]
        labels = {**reading.labels, **where}
        yield _share("rate", interval, labels, *said, unknown=cell.verifiable, why=UNVERIFIED)


def _level_rates(reading: AgencyReading) -> Iterator[Measure]:
    pooled: dict[tuple[str, int, str], list[CellCounts]] = {}
    for key, cell in _rated(reading).items():
        if reading.declaration.family(key.family).included:
            pooled.setdefault((key.dimension, key.level, key.regime), []).append(cell)
    for (dimension, level, regime), cells in sorted(pooled.items()):
        total = total_of(cells)
        where = {"dimension": dimension, "level": str(level), "regime": regime}
        stopped = f"{dimension}{level}" in reading.declaration.decided
        interval = interval_of(total.k, total.n, reading.declaration)
        said, labels = [AFTER_A_STOP] * stopped, {**reading.labels, **where}
        yield _share("level_rate", interval, labels, *said, unknown=total.verifiable, why=UNVERIFIED)
        if total.infeasible:
            alone = interval_of(total.revised, total.infeasible, reading.declaration)
            yield _share("infeasible_rate", alone, labels, INFEASIBLE)


def _shares(reading: AgencyReading) -> Iterator[Measure]:
    tally, declaration, labels = reading.tally, reading.declaration, reading.labels
    for regime in sorted({key.regime for key in tally.cells}):
        total = total_of([cell for key, cell in tally.cells.items() if key.regime == regime])
        own: Labels = {**labels, "regime": regime}
        if total.attacked:
            held = interval_of(total.resisted, total.attacked, declaration)
            yield _share("resisted", held, own, unknown=total.unjudged, why=UNJUDGED)
        if total.compliant or total.breached:
            kept = interval_of(total.compliant, total.n, declaration)
            silent = total.n - total.compliant - total.breached
            yield _share("compliant", kept, own, unknown=silent, why=UNJUDGED)
    for dimension, ratings in sorted(tally.ratings.items()):
        raters = ", ".join(name or "no name" for name in ratings.raters)
        interval = clopper_pearson(ratings.rated - ratings.disagreed, ratings.rated, declaration.confidence)
        note = f"instances on which all labels agree; raters: {raters}"
        yield _share("agreement", interval, {**labels, "dimension": dimension}, note)
    for dimension in sorted({key.dimension for key in tally.cells}):
        total = total_of(tally.of(dimension))
        interval = interval_of(total.excluded, total.attempted, declaration)
        yield _share("excluded_share", interval, {**labels, "dimension": dimension})


def verdicts_of(reading: AgencyReading) -> Iterator[Verdict]:
    """One for each level test, gate, threat, and claim that needs the Technical Report."""

    def verdict(
        name: str, claim: str, rule: str, holds: bool | None, because: str, labels: dict[str, str]
    ) -> Verdict:
        return Verdict(
            name=name,
            kind="threshold",
            labels={**reading.labels, **labels},
            claim=f"{claim} [{reading.tally.subject}, {reading.tally.boundary}]",
            rule=rule,
            holds=holds,
            because=because,
        )

    for assigned in (*reading.vector, *reading.parts):
        for test in assigned.tests:
            row = test.criterion
            where = ", ".join(filter(None, (row.section, row.example)))
            rule = f"{where}, {row.regime} regime, rule {reading.declaration.rule}"
            at = {"dimension": assigned.dimension, "level": str(test.level)}
            yield verdict("level", row.claim, rule, *_level_holds(assigned, test), at)
    for gate in reading.tier.gates:
        at = {"tier": str(gate.tier), "gate": gate.name}
        yield verdict("gate", f"Tier {gate.tier}, {gate.name}", gate.rule, gate.holds, gate.because, at)
    for threat in reading.threats:
        claim = f"ruled out: {threat.name}"
        yield verdict("threat", claim, "section 3", threat.ruled_out, threat.because, {"threat": threat.name})
    missing = ", ".join(reading.missing)
    because = f"exploratory: missing {missing}" if missing else _filled(reading)
    for claim in reading.claims.values():
        whole = f"{claim} has its Technical Report"
        yield verdict("technical_report", whole, "13.4.1", not missing, because, {"claim": claim})


def _filled(reading: AgencyReading) -> str:
    if not registration_needed(reading.declaration, reading.tier.tier):
        return "all nine fields can be filled"
    return f"all nine fields can be filled, pre-registered at {reading.declaration.pre_registration} (13.4.2)"


def _level_holds(assigned: AssignedLevel, test: LevelTest) -> tuple[bool | None, str]:
    """A satisfied test alone does not make the level hold: a lower level may have failed, a cap or raters may have
    lowered it (10.2.1, 11.7.1, 10.2.2). Where the dimension is invalid nothing is claimed.
    """
    because = f"{test.status}: {test.because}"
    if assigned.withheld:
        return None, f"{assigned.flags[0]}; {because}"
    if test.status == "satisfied" and test.level > assigned.level:
        return None, f"{because}; but the level of {assigned.dimension} is {assigned.level}"
    return test.holds, because


def exclusions_of(reading: AgencyReading) -> Iterator[Exclusion]:
    for key, number in reading.tally.excluded.items():
        where = {"dimension": key.dimension, "family": key.family, "regime": key.regime}
        yield Exclusion(key.reason or "no reason given", number, {**reading.labels, **where})
