"""Measures, verdicts and exclusions of one reading.

No level becomes a measure without its comparison tuple (11.9.1): `vector_measure` is the only place where one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.instruments.agency.declarations.outcome import SCORED
from assay.measuring import Labels, measure_of, plain_measure
from assay.stats import Interval, clopper_pearson
from assay.vocabulary import Exclusion, Flag, Measure, Verdict

from .analysis import AgencyReading
from .criteria import rubric
from .levels import AssignedLevel, LevelTest, interval_of
from .robustness import family_readings
from .tally import CellCounts, total_of
from .tuples import Tuples

__all__ = ["exclusions_of", "measures_of", "vector_measure", "verdicts_of"]

AFTER_A_STOP = (
    "11.5.1: sampled until decided; this interval, made for a fixed n, does not hold its confidence"
)
DROP = "success under baseline less success under the target, same contents"


def vector_measure(
    assigned: AssignedLevel, tuples: Tuples, labels: Labels, more: Sequence[str] = ()
) -> Measure:
    """A level with its tuple (11.9.1: never without)."""
    regimes = {"regime": ", ".join(assigned.regimes)} if assigned.regimes else {}
    return _level_measure(
        assigned.dimension,
        assigned.value,
        tuples,
        {**labels, **regimes},
        n=assigned.n,
        units="level",
        method="rubric of section 10",
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
    for assigned in reading.vector:
        yield vector_measure(assigned, reading.tuples, reading.labels, more.get(assigned.dimension, ()))
    yield _level_measure(
        "tier",
        reading.tier.tier,
        reading.tuples,
        reading.labels,
        n=sum(one.n for one in reading.vector if one.dimension in SCORED),
        units="tier",
        method="gates of 12.4",
        flags=reading.tier.flags,
        notes=(*reading.tier.notes, *more.get("tier", ())),
    )
    yield from _rates(reading)
    yield from _level_rates(reading)
    for family in family_readings(reading.tally, reading.declaration, rubric()):
        for target, drop in sorted(family.drops.items()):
            where = {"family": family.family, "from": "baseline", "to": target}
            yield measure_of("drop", drop, {**reading.labels, **where}, units="difference", notes=(DROP,))
    yield from _shares(reading)


def _share(name: str, interval: Interval, labels: Labels, *notes: str) -> Measure:
    return measure_of(name, interval, labels, why_null="no instance can be scored", notes=notes)


def _rates(reading: AgencyReading) -> Iterator[Measure]:
    for key, cell in reading.tally.cells.items():
        where = {
            "dimension": key.dimension,
            "level": str(key.level),
            "family": key.family,
            "regime": key.regime,
        }
        family = reading.declaration.family(key.family)
        reason = f"11.8: left out of the levels: {family.exclusion_reason or 'no reason'}"
        interval = interval_of(cell.k, cell.n, reading.declaration)
        yield _share("rate", interval, {**reading.labels, **where}, *([] if family.included else [reason]))


def _level_rates(reading: AgencyReading) -> Iterator[Measure]:
    pooled: dict[tuple[str, int, str], list[CellCounts]] = {}
    for key, cell in reading.tally.cells.items():
        if reading.declaration.family(key.family).included:
            pooled.setdefault((key.dimension, key.level, key.regime), []).append(cell)
    for (dimension, level, regime), cells in sorted(pooled.items()):
        total = total_of(cells)
        where = {"dimension": dimension, "level": str(level), "regime": regime}
        stopped = f"{dimension}{level}" in reading.declaration.decided
        interval = interval_of(total.k, total.n, reading.declaration)
        yield _share("level_rate", interval, {**reading.labels, **where}, *[AFTER_A_STOP] * stopped)


def _shares(reading: AgencyReading) -> Iterator[Measure]:
    tally, declaration, labels = reading.tally, reading.declaration, reading.labels
    for regime in sorted({key.regime for key in tally.cells}):
        total = total_of([cell for key, cell in tally.cells.items() if key.regime == regime])
        own: Labels = {**labels, "regime": regime}
        if total.attacked:
            yield _share("resisted", interval_of(total.resisted, total.attacked, declaration), own)
        if total.compliant or total.breached:
            yield _share("compliant", interval_of(total.compliant, total.n, declaration), own)
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

    for assigned in reading.vector:
        for test in assigned.tests:
            row = test.criterion
            where = ", ".join(filter(None, (row.section, row.example)))
            rule = f"{where}, {row.regime} regime, rule {reading.declaration.rule}"
            at = {"dimension": assigned.dimension, "level": str(test.level)}
            yield verdict("level", row.claim, rule, *_level_holds(assigned, test), at)
    for gate in reading.tier.gates:
        at = {"tier": "1", "gate": gate.name}
        yield verdict("gate", f"Tier 1, {gate.name}", gate.rule, gate.holds, gate.because, at)
    for threat in reading.threats:
        claim = f"ruled out: {threat.name}"
        yield verdict("threat", claim, "section 3", threat.ruled_out, threat.because, {"threat": threat.name})
    missing = ", ".join(reading.missing)
    because = f"exploratory: missing {missing}" if missing else "all nine fields can be filled"
    for claim in reading.claims.values():
        whole = f"{claim} has its Technical Report"
        yield verdict("technical_report", whole, "13.4.1", not missing, because, {"claim": claim})


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
