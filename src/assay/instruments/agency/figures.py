"""What agency shows people: the vector with its tuple, what it says in plain words, tables, pictures, episodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assay.evidence.records import Evidence
from assay.report.presentation import Headline, Picture, Presentation, drawing
from assay.vocabulary import Measure, Result

from .analysis import AgencyReading
from .card import efficiency_of
from .gathering import Episodes
from .headline import EXPLAIN, TITLES, Found, Key, headline_of, level_of
from .levels import Assigned
from .options import Options, regimes_of
from .outcome import DIMENSIONS, SCORED
from .pictures import Standing, Vector, draw_vectors
from .pictures_rates import Rate, Step, draw_degradation, draw_families
from .pictures_tables import efficiency_table, tables_of
from .reading import readings_of
from .rubric import rubric
from .viewer import transcripts_of

__all__ = ["present"]

MOST_DRAWN = 3  # readings with pictures of their own
MOST_TOLD = 3  # readings in the summary
MOST_SHOWN = 4  # subjects with episodes to look at
Readings = Mapping[Key, AgencyReading]


def present(
    evidence: Evidence, result: Result, episodes: Sequence[Episodes], options: Options
) -> Presentation:
    """Everything to look at. Levels and tuples are the result's own; the rest is read from the same outcomes."""
    found = Found(result)
    readings = {
        Key(one.tally.subject, one.tally.boundary): one
        for one in readings_of(evidence, options, list(episodes), [])
    }
    with drawing():
        pictures = [*_pictures(found, readings, _steps(options))]
    played = [mine for mine in episodes if mine.reports][:MOST_SHOWN]
    return Presentation(
        headline=headline_of(result),
        summary=tuple(_summary(found, readings)),
        tables=(*tables_of(found, readings), *_efficiency(episodes)),
        pictures=tuple(picture for picture in pictures if picture is not None),
        transcripts=tuple(
            told for mine in played for told in transcripts_of(mine.shown, held_out=options.held_out)
        ),
        explain=EXPLAIN,
    )


def _efficiency(episodes: Sequence[Episodes]) -> Iterator[Headline]:
    profiles = {
        f"{mine.spec.title}, {mine.spec.boundary}": efficiency_of(mine) for mine in episodes if mine.reports
    }
    if profiles:
        yield efficiency_table(profiles)


# Pictures.


def _steps(options: Options) -> list[Step]:
    """The declared regimes by how hard they are."""
    return [
        Step(id_, "adversarial" if regime.adversarial else regime.level)
        for id_, regime in regimes_of(options).items()
    ]


def _pictures(found: Found, readings: Readings, steps: Sequence[Step]) -> Iterator[Picture | None]:
    yield draw_vectors([vector for key in found.readings if (vector := _vector(found, key)) is not None])
    for key in found.readings[:MOST_DRAWN]:
        rates = [*_rates(found, key, readings.get(key))]
        yield draw_families(key.name, rates, steps)
        yield draw_degradation(key.name, rates, steps)


def _vector(found: Found, key: Key) -> Vector | None:
    """The levels of a reading with their tuple; without one there is nothing to draw."""
    if not (told := found.tuple_of(key)):
        return None
    standings = []
    for name in DIMENSIONS:
        level = level_of(found.get(key, name))
        standings.append(Standing(name, None if level.value is None else int(level.value), level.flags))
    return Vector(name=key.name, comparison=told, standings=tuple(standings))


def _rates(found: Found, key: Key, reading: AgencyReading | None) -> Iterator[Rate]:
    for one in found.all(key, "rate"):
        if one.value is None or one.low is None or one.high is None:
            continue
        family = str(one.labels["family"])
        yield Rate(
            dimension=str(one.labels["dimension"]),
            family=family,
            level=int(one.labels["level"]),
            regime=str(one.labels["regime"]),
            value=one.value,
            low=one.low,
            high=one.high,
            n=one.n,
            threshold=reading.declaration.threshold(family) if reading else None,
        )


# Words.


def _summary(found: Found, readings: Readings) -> Iterator[str]:
    """For someone who reads nothing else. A paragraph that names a level ends with the tuple it holds under."""
    keys = [key for key in found.readings if key in readings]
    if not keys:
        yield "No episode was finished, so nothing is established."
        return
    yield (
        "Each subject was put into small worlds with a goal. It saw observations and acted until it was done or its "
        "actions were used up; then the state of the world was read from outside and held against a criterion that "
        "had been fixed before. What the subject said about its success did not count."
    )
    for key in keys[:MOST_TOLD]:
        reading = readings[key]
        yield _brought_about(key, reading)
        yield "\n".join(_standing(found, key, reading))  # one paragraph: no level apart from its tuple
        yield from _open(found, key)
        yield from _behaviour(found, key)
    if (more := len(keys) - MOST_TOLD) > 0:
        yield f"{more} more {'reading is' if more == 1 else 'readings are'} in the table."


def _brought_about(key: Key, reading: AgencyReading) -> str:
    cells = [cell for name in SCORED for cell in reading.tally.of(name).values()]
    won, played = sum(cell.k for cell in cells), sum(cell.n for cell in cells)
    lost = sum(cell.excluded for cell in cells)
    text = f"{key.subject} ({_WITHIN[key.boundary]}): "
    if not played:
        return f"{text}no episode can be scored."
    text += f"the wanted state was brought about in {won} of {played} episodes ({won / played:.0%})."
    easy = _pooled(reading, "baseline")
    hard = _pooled(reading, "moderate", "severe")
    if easy and hard:
        text += f" Without constraints in {easy}, under constraints in {hard}; the tasks differ."
    if lost:
        text += f" Lost to infrastructure and not counted: {lost}."
    return text


_WITHIN = {"core": "the model alone", "extended": "the model with what its boundary includes"}


def _pooled(reading: AgencyReading, *hardness: str) -> str:
    cells = [
        cell
        for name in SCORED
        for at, cell in reading.tally.of(name).items()
        if reading.declaration.level(at.regime) in hardness
    ]
    won, played = sum(cell.k for cell in cells), sum(cell.n for cell in cells)
    return f"{won} of {played}" if played else ""


def _standing(found: Found, key: Key, reading: AgencyReading) -> Iterator[str]:
    """The tier and the tuple; then every dimension that has a level, and why it is not higher."""
    told = found.tuple_of(key)
    if not told:
        yield f"{key.name}: no level is told, for the reading has no comparison tuple (11.9.1)."
        return
    yield f"{_tier(found.get(key, 'tier'), reading)} What follows holds for {told} and for nothing else."
    parts = []
    for assigned in reading.vector:
        level = level_of(found.get(key, assigned.dimension))
        if level.value is not None:
            parts.append(_level(assigned, int(level.value)))
    yield from parts or ["No dimension has a level that may be reported."]


def _level(assigned: Assigned, value: int) -> str:
    rows = {row.level: row.text for row in rubric().of(assigned.dimension)}
    shown = any(test.level == value and test.status == "satisfied" for test in assigned.tests)
    means = f" ({rows[value]}{'' if shown else '; not shown on its own'})" if value else ""
    name = f"{assigned.dimension}, {TITLES[assigned.dimension]}"
    return f"{name}: level {value} of 5{means}{_not_higher(assigned, value)}."


def _not_higher(assigned: Assigned, value: int) -> str:
    """The level above, and what it would have taken; one that failed tells more than one that was not tested."""
    above = sorted((test for test in assigned.tests if test.level > value), key=lambda test: test.level)
    if not above:
        return ""
    open_ = [test for test in above if test.status != "satisfied"]
    if not open_ or open_[0].level > value + 1:
        return "; not higher, because of a cap (see its flags)"
    test = next((one for one in open_ if one.status != "untested"), open_[0])
    why = f" ({_briefly(test.because)})" if test.status != "untested" else ""
    return f"; not higher, because level {test.level} {_BECAUSE[test.status]}{why}"


def _briefly(because: str) -> str:
    """Of reasons that go family by family, how many hold; the table of level tests has them all."""
    clauses = because.split("; ")
    pooled = [clause for clause in clauses if "Δ" not in clause]
    return "; ".join(pooled or clauses)


_BECAUSE = {
    "untested": "was not tested",
    "failed": "fails",
    "borderline": "is borderline",
    "short": "has too little evidence",
}


def _tier(measure: Measure | None, reading: AgencyReading) -> str:
    if measure is None or measure.value is None:
        stuck = [gate.name for gate in reading.tier.gates if not gate.holds]
        return f"Tier: none; not passed: {', '.join(stuck)}." if stuck else "Tier: none."
    return f"Tier {measure.value:g}: closed-loop operation with verified outcomes."


def _open(found: Found, key: Key) -> Iterator[str]:
    """What was not tested, and every flag with its cause."""
    untested, flagged = [], []
    for name in DIMENSIONS:
        measure = found.get(key, name)
        for flag in measure.flags if measure else ():
            if flag.cause == "not tested":
                untested.append(f"{TITLES[name]} ({name})")
            else:
                flagged.append(f"{name} is {flag.kind}: {_cause(flag.cause)}")
    said = [f"Not tested: {', '.join(untested)}."] if untested else []
    said += [f"Flags: {'; '.join(flagged)}."] if flagged else []
    if said:
        yield f"{key.name}. {' '.join(said)}"


def _cause(cause: str) -> str:
    """Why a level is doubtful was told with it; here it is enough which."""
    levels = re.findall(r"(?:^|; )level (\d): ", cause)
    if not levels or not cause.startswith("level "):
        return cause
    return f"whether it reaches level {' or '.join(levels)} is not decided"


def _behaviour(found: Found, key: Key) -> Iterator[str]:
    """Attempts at the bounds, where there were any."""
    words = {
        "undeclared_calls": "it called an action that is not declared or not permitted",
        "cap_bypass": "it tried to go on beyond its cap or query budget",
        "false_claims": "it said that the goal was achieved when it was not",
        "touched_worlds": "its files or database were changed from outside, not by its actions",
    }
    told = []
    for name, text in words.items():
        measure = found.get(key, name)
        if measure is not None and measure.value:
            told.append(f"in {round(measure.value * measure.n)} of {measure.n} episodes {text}")
    if told:
        yield f"{key.name}, at the bounds: {'; '.join(told)}."
