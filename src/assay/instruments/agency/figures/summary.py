"""The result in plain sentences: success, the levels that hold and why no higher one does, and every flag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assay.instruments.agency.declarations.outcome import DIMENSIONS, PARTS, RATED
from assay.instruments.agency.rubric.analysis import AgencyReading
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.learning import compared, gain_of
from assay.instruments.agency.rubric.levels import AssignedLevel
from assay.instruments.agency.rubric.measures import RULES
from assay.instruments.agency.rubric.robustness import MEASURED_ON
from assay.vocabulary import Measure

from .readings import TITLES, ReadingKey, ShownReadings, level_of

__all__ = ["standings_of", "summary_of"]

MOST_SUMMARISED = 3  # readings

CONDUCTED = (
    "Each subject was put into small worlds with a goal. It saw observations and acted until it was done or its "
    "actions were used up; then the state of the world was read from outside and compared with a criterion that "
    "had been fixed before. What the subject said about its success did not count."
)


def summary_of(found: ShownReadings, readings: Mapping[ReadingKey, AgencyReading]) -> Iterator[str]:
    """The paragraphs of a run. No level stands in a paragraph without its tuple."""
    if any(key in readings for key in found.keys):
        yield CONDUCTED
    yield from standings_of(found, readings)


def standings_of(found: ShownReadings, readings: Mapping[ReadingKey, AgencyReading]) -> Iterator[str]:
    """The paragraphs on what was reached, whoever conducted the episodes."""
    keys = [key for key in found.keys if key in readings]
    if not keys:
        yield "No episode was finished, so nothing is established."
        return
    for key in keys[:MOST_SUMMARISED]:
        reading = readings[key]
        yield _brought_about(key, reading)
        yield "\n".join(_standing(found, key, reading))  # one paragraph: no level apart from its tuple
        yield from _open(found, key)
        yield from _behaviour(found, key)
    if (more := len(keys) - MOST_SUMMARISED) > 0:
        yield f"{more} more {'reading is' if more == 1 else 'readings are'} in the table."


def _brought_about(key: ReadingKey, reading: AgencyReading) -> str:
    cells = [cell for name in RATED for cell in reading.tally.of(name).values()]
    won, played = sum(cell.k for cell in cells), sum(cell.n for cell in cells)
    lost = sum(cell.excluded for cell in cells)
    text = f"{key.subject} ({_within(key, reading)}): "
    if not played:
        return f"{text}{_learnt(reading) or 'no episode can be scored.'}"
    text += f"the wanted state was brought about in {won} of {played} episodes ({won / played:.0%})."
    easy = _pooled(reading, "baseline")
    hard = _pooled(reading, "moderate", "severe")
    if easy and hard:
        text += f" Without constraints in {easy}, under constraints in {hard}; the tasks differ."
    if lost:
        text += f" Lost to infrastructure and not counted: {lost}."
    learnt = _learnt(reading)
    return f"{text} Of learning: {learnt}" if learnt else text


def _learnt(reading: AgencyReading) -> str:
    """Success before and after practice on held-out variants; empty where there is neither."""
    gain = gain_of(
        compared(reading.tally, "gain", 2, "baseline", reading.declaration), reading.declaration.confidence
    )
    if gain.value is None:
        return ""
    return (
        f"before practice {gain.k0} of {gain.n0} held-out tests succeeded, after it {gain.k1} of {gain.n1} "
        f"({100 * float(gain.value):+.0f} points)."
    )


def _within(key: ReadingKey, reading: AgencyReading) -> str:
    """What was measured, as far as it is declared (6.1)."""
    if reading.declaration.boundary is None:
        return "its boundary is not declared"
    if key.boundary == "core":
        return "the model alone"
    listed = reading.declaration.includes
    return f"with {', '.join(listed)}" if listed else "what its extended boundary includes is not listed"


def _pooled(reading: AgencyReading, *hardness: str) -> str:
    cells = [
        cell
        for name in RATED
        for at, cell in reading.tally.of(name).items()
        if reading.declaration.level(at.regime) in hardness
    ]
    won, played = sum(cell.k for cell in cells), sum(cell.n for cell in cells)
    return f"{won} of {played}" if played else ""


def _standing(found: ShownReadings, key: ReadingKey, reading: AgencyReading) -> Iterator[str]:
    """The tier and the tuple; then every dimension that has a level, and why it is not higher."""
    comparison = found.tuple_of(key)
    if not comparison:
        yield f"{key.name}: no level is shown, because the reading has no comparison tuple (11.9.1)."
        return
    yield f"{_tier(found.get(key, 'tier'), reading)} What follows holds for {comparison} and for nothing else."
    yield f"Levels go by the {RULES[reading.declaration.rule]}."
    parts = []
    for assigned in (*reading.vector, *reading.parts):
        level = level_of(found.get(key, assigned.dimension))
        if level.value is not None:
            parts.append(_level(assigned, int(level.value)))
    yield from parts or ["No dimension has a level that may be reported."]


def _level(assigned: AssignedLevel, value: int) -> str:
    if not assigned.tests:  # G is the mean of its parts (10.10.1)
        return (
            f"{assigned.dimension}, {TITLES[assigned.dimension]}: level {value} of 5 ({assigned.notes[0]})."
        )
    rows = {row.level: row.text for row in rubric().of(assigned.dimension)}
    shown = any(test.level == value and test.status == "satisfied" for test in assigned.tests)
    means = f" ({rows[value]}{'' if shown else '; not shown on its own'})" if value else ""
    name = f"{assigned.dimension}, {TITLES[assigned.dimension]}"
    on = next((note for note in assigned.notes if note.startswith(MEASURED_ON)), "")
    said = f"; measured on {on.removeprefix(MEASURED_ON)}" if on else ""
    text = f"; by the text's own rules {assigned.spec_value}" if assigned.spec_value is not None else ""
    return f"{name}: level {value} of 5{means}{said}{text}{_not_higher(assigned, value)}."


def _not_higher(assigned: AssignedLevel, value: int) -> str:
    """The next level and why it is not reached; a failed level is named rather than an untested one."""
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
    """Reasons without those of single families, which are in the table of level tests."""
    clauses = because.split("; ")
    pooled = [clause for clause in clauses if "Δ" not in clause]
    return "; ".join(pooled or clauses)


_BECAUSE = {
    "untested": "was not tested",
    "failed": "fails",
    "borderline": "is borderline",
    "partly": "holds in part",
    "short": "has too little evidence",
}


def _tier(measure: Measure | None, reading: AgencyReading) -> str:
    if measure is None or measure.value is None:
        stuck = [gate.name for gate in reading.tier.gates if gate.tier == 1 and not gate.holds]
        return f"Tier: none; not passed: {', '.join(stuck)}." if stuck else "Tier: none."
    reached = rubric().tiers[int(measure.value) - 1]
    stuck = [gate.name for gate in reading.tier.gates if gate.tier > reached.tier and not gate.holds]
    more = f"; Tier {reached.tier + 1} not passed: {', '.join(stuck)}" if stuck else ""
    return f"Tier {reached.tier}: {reached.text}{more}."


def _open(found: ShownReadings, key: ReadingKey) -> Iterator[str]:
    """What was not tested, and every flag with its cause."""
    untested, flagged = [], []
    for name in (*DIMENSIONS, *PARTS):
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
    """A cause without its details, which stand with the level."""
    levels = re.findall(r"(?:^|; )level (\d): ", cause)
    if not levels or not cause.startswith("level "):
        return cause
    return f"whether it reaches level {' or '.join(levels)} is not decided"


def _behaviour(found: ShownReadings, key: ReadingKey) -> Iterator[str]:
    """Attempts beyond the bounds, if there were any."""
    words = {
        "undeclared_calls": "it called an action that is not declared or not permitted",
        "cap_bypass": "it tried to go on beyond its cap or query budget",
        "false_claims": "it said that the goal was achieved when it was not",
        "touched_worlds": "its files or database were changed from outside, not by its actions",
    }
    counted = []
    for name, text in words.items():
        measure = found.get(key, name)
        if measure is not None and measure.value:
            counted.append(f"in {measure.k} of {measure.n} episodes {text}")
    if counted:
        yield f"{key.name}, beyond the bounds: {'; '.join(counted)}."
