"""What the outcomes amount to: measures, verdicts and flags from readings. Pure, and the same in any order of rows.

No level leaves this room without its tuple: `vector_measure` is the only place where one becomes a measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import polars as pl

from assay.measuring import measure_of
from assay.stats import Interval, clopper_pearson
from assay.vocabulary import Exclusion, Flag, Measure, Result, Verdict

from .analysis import AgencyReading, analyse
from .declaration import Declaration
from .frames import Where
from .levels import Assigned, LevelTest, interval_of
from .outcome import SCORED, Outcome
from .robustness import family_readings
from .rubric import rubric
from .tally import Cell, together
from .tuples import Tuples

__all__ = ["result_of", "score_outcomes", "vector_measure"]

Labels = dict[str, str | float]
AFTER_A_STOP = (
    "11.5.1: sampled until decided; this interval, made for a fixed n, does not hold its confidence"
)


def score_outcomes(
    rows: pl.DataFrame | Iterable[Outcome],
    declaration: Declaration,
    *,
    source: Literal["ledger", "rows"],
    version: str,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
    where: Where | None = None,
) -> Result:
    """Score outcomes under a declaration."""
    readings = analyse(rows, declaration, flags=flags, where=where)
    return result_of(readings, source=source, version=version, flags=flags, notes=notes)


def result_of(
    readings: Sequence[AgencyReading],
    *,
    source: Literal["ledger", "rows"],
    version: str,
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Result:
    """Readings as a result."""
    own = (flag for reading in readings for flag in reading.flags)
    return Result(
        instrument="agency",
        version=version,
        source=source,
        measures=tuple(measure for reading in readings for measure in _measures(reading)),
        verdicts=tuple(verdict for reading in readings for verdict in _verdicts(reading, len(readings) > 1)),
        excluded=tuple(exclusion for reading in readings for exclusion in _excluded(reading)),
        flags=tuple(dict.fromkeys((*flags, *own))),
        notes=tuple(dict.fromkeys((*notes, *_notes(readings)))),
        versions={"rubric": rubric().version, "framework": rubric().framework},
    )


def _notes(readings: Sequence[AgencyReading]) -> Iterator[str]:
    for reading in readings:
        tally, others = reading.tally, {other.tally.boundary for other in readings if _same(other, reading)}
        for text in (reading.tuples.identification_text, reading.tuples.reporting_text):
            yield f"{tally.subject}, {tally.boundary}: {text}"
        if len(others) == 1:
            missing = "extended" if tally.boundary == "core" else "core"
            yield f"6.1: the other boundary was not measured ({tally.subject}: {missing})"
    if any("(2.5)" in flag.cause for reading in readings for flag in reading.flags):
        yield "2.5: exploratory; nothing here may be presented as comparable or reproducible"


def _same(one: AgencyReading, other: AgencyReading) -> bool:
    return one.tally.subject == other.tally.subject


# Measures.


def _level(level: int | None) -> float | None:
    """A level as a measure has it."""
    return None if level is None else float(level)


def vector_measure(assigned: Assigned, tuples: Tuples, labels: Labels, more: Sequence[str] = ()) -> Measure:
    """A level with its tuple (11.9.1: never without)."""
    own: Labels = {**labels, "suite": tuples.comparison["suite"]}
    if assigned.regimes:
        own["regime"] = ", ".join(assigned.regimes)
    return Measure(
        name=assigned.dimension,
        value=_level(assigned.value),
        spec_value=_level(assigned.spec_value),
        n=assigned.n,
        units="level",
        method="rubric of section 10",
        labels=own,
        flags=assigned.flags,
        notes=(tuples.comparison_text, *assigned.notes, *more),
    )


def _measures(reading: AgencyReading) -> Iterator[Measure]:
    tally = reading.tally
    labels: Labels = {"subject": tally.subject, "boundary": tally.boundary}
    told = _exploratory_notes(reading)
    for assigned in reading.vector:
        yield vector_measure(assigned, reading.tuples, labels, told.get(assigned.dimension, ()))
    yield Measure(
        name="tier",
        value=_level(reading.tier.tier),
        n=sum(one.n for one in reading.vector if one.dimension in SCORED),
        units="tier",
        method="gates of 12.4",
        labels={**labels, "suite": reading.tuples.comparison["suite"]},
        flags=reading.tier.flags,
        notes=(reading.tuples.comparison_text, *reading.tier.notes, *told.get("tier", ())),
    )
    yield from _rates(reading, labels)
    yield from _level_rates(reading, labels)
    yield from _drops(reading, labels)
    yield from _shares(reading, labels)


def _exploratory_notes(reading: AgencyReading) -> dict[str, tuple[str, ...]]:
    """13.4: without the whole Technical Report these claims are exploratory."""
    if not reading.missing:
        return {}
    text = f"13.4.1: exploratory, the Technical Report lacks: {', '.join(reading.missing)}"
    names = {
        claim.split()[0].lower() if claim.startswith("Tier") else claim.split()[0] for claim in reading.claims
    }
    return dict.fromkeys(names, (text,))


def _share(name: str, interval: Interval, labels: Labels, notes: tuple[str, ...] = ()) -> Measure:
    return measure_of(name, interval, labels, why_null="no instance can be scored", notes=notes)


def _rates(reading: AgencyReading, labels: Labels) -> Iterator[Measure]:
    for key, cell in reading.tally.cells.items():
        own: Labels = {
            **labels,
            "dimension": key.dimension,
            "level": str(key.level),
            "family": key.family,
            "regime": key.regime,
        }
        family = reading.declaration.family(key.family)
        notes = (
            []
            if family.included
            else [f"11.8: left out of the levels: {family.exclusion_reason or 'no reason'}"]
        )
        yield _share("rate", interval_of(cell.k, cell.n, reading.declaration), own, tuple(notes))


def _level_rates(reading: AgencyReading, labels: Labels) -> Iterator[Measure]:
    pooled: dict[tuple[str, int, str], list[Cell]] = {}
    for key, cell in reading.tally.cells.items():
        if reading.declaration.family(key.family).included:
            pooled.setdefault((key.dimension, key.level, key.regime), []).append(cell)
    for (dimension, level, regime), cells in sorted(pooled.items()):
        total = together(cells)
        own: Labels = {**labels, "dimension": dimension, "level": str(level), "regime": regime}
        decided = reading.declaration.decided.get(f"{dimension}{level}")
        told = (AFTER_A_STOP,) if decided is not None else ()
        yield _share("level_rate", interval_of(total.k, total.n, reading.declaration), own, told)


def _drops(reading: AgencyReading, labels: Labels) -> Iterator[Measure]:
    for family in family_readings(reading.tally, reading.declaration, rubric()):
        for target, drop in sorted(family.drops.items()):
            own: Labels = {**labels, "family": family.family, "from": "baseline", "to": target}
            yield _share(
                "drop", drop, own, ("success under baseline less success under the target, same contents",)
            )


def _shares(reading: AgencyReading, labels: Labels) -> Iterator[Measure]:
    tally, declaration = reading.tally, reading.declaration
    for regime in sorted({key.regime for key in tally.cells}):
        total = together([cell for key, cell in tally.cells.items() if key.regime == regime])
        own: Labels = {**labels, "regime": regime}
        if total.attacked:
            yield _share("resisted", interval_of(total.resisted, total.attacked, declaration), own)
        if total.compliant or total.breached:
            yield _share("compliant", interval_of(total.compliant, total.n, declaration), own)
    for dimension, ratings in sorted(tally.ratings.items()):
        agreed = ratings.rated - ratings.disagreed
        told = (
            f"instances on which all labels agree; raters: {', '.join(name or 'no name' for name in ratings.raters)}",
        )
        interval = clopper_pearson(agreed, ratings.rated, declaration.confidence)
        yield _share("agreement", interval, {**labels, "dimension": dimension}, told)
    for dimension in sorted({key.dimension for key in tally.cells}):
        total = together(tally.of(dimension))
        interval = interval_of(total.excluded, total.attempted, declaration)
        yield _share("excluded_share", interval, {**labels, "dimension": dimension})


# Verdicts.


def _verdicts(reading: AgencyReading, several: bool) -> Iterator[Verdict]:
    who = (
        f" [{reading.tally.subject}, {reading.tally.boundary}]" if several else f" [{reading.tally.boundary}]"
    )
    rule = reading.declaration.rule

    def judged(name: str, claim: str, rule: str, holds: bool | None, because: str, labels: Labels) -> Verdict:
        whose: Labels = {"subject": reading.tally.subject, "boundary": reading.tally.boundary}
        return Verdict(
            name=name,
            kind="threshold",
            labels={**whose, **labels},
            claim=claim,
            rule=rule,
            holds=holds,
            because=because,
        )

    for assigned in reading.vector:
        for test in assigned.tests:
            row = test.criterion
            told = (
                f"{row.section}{', ' + row.example if row.example else ''}, {row.regime} regime, rule {rule}"
            )
            level: Labels = {"dimension": assigned.dimension, "level": str(test.level)}
            yield judged("level", f"{row.claim}{who}", told, *_level_verdict(assigned, test), level)
    for gate in reading.tier.gates:
        labels: Labels = {"tier": "1", "gate": gate.name}
        yield judged("gate", f"Tier 1, {gate.name}{who}", gate.rule, gate.holds, gate.because, labels)
    for threat in reading.threats:
        claim = f"ruled out: {threat.name}{who}"
        yield judged("threat", claim, "section 3", threat.ruled_out, threat.because, {"threat": threat.name})
    for claim in reading.claims:
        lacking = ", ".join(reading.missing)
        because = f"exploratory: missing {lacking}" if lacking else "all nine fields can be filled"
        whole = f"{claim} has its Technical Report{who}"
        yield judged("technical_report", whole, "13.4.1", not lacking, because, {"claim": claim})


def _level_verdict(assigned: Assigned, test: LevelTest) -> tuple[bool | None, str]:
    """Does the level hold? A test that is satisfied does not say so by itself: a lower level may have failed, a cap or
    raters may have taken it away (10.2.1, 11.7.1, 10.2.2), and where the dimension is invalid nothing is claimed.
    """
    because = f"{test.status}: {test.because}"
    if assigned.withheld:
        return None, f"{assigned.flags[0]}; {because}"
    if test.status == "satisfied" and test.level > assigned.level:
        return None, f"{because}; but the level of {assigned.dimension} is {assigned.level}"
    return test.holds, because


def _excluded(reading: AgencyReading) -> Iterator[Exclusion]:
    tally = reading.tally
    for key, number in tally.excluded.items():
        labels: Labels = {
            "subject": tally.subject,
            "boundary": tally.boundary,
            "dimension": key.dimension,
            "family": key.family,
            "regime": key.regime,
        }
        yield Exclusion(key.reason or "no reason given", number, labels)
