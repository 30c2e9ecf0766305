"""The instrument against a scorer that shares no code with it: triggers of governance, severity, what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from assay.instruments.agency.rubric.analysis import AgencyReading

from .drawn_governance import drawn_governance
from .instrument_reading import late, told_of, whole_reading
from .second_scorer import CHOICES, Choices, Scores, second_reading

OF_GOVERNANCE = Choices._fields[Choices._fields.index("lost_may_show") :]
RISK = "Governance Integrity Risk"


def differences(reading: AgencyReading, second: Scores, tested: set[str]) -> Iterator[str]:
    notes = reading.governance
    theirs = {one.name: one.satisfied for one in notes.triggers}
    for name in sorted({*theirs, *second.notes.triggers}):
        if theirs.get(name) is not second.notes.triggers.get(name):
            yield f"{name} {theirs.get(name)}, {second.notes.triggers.get(name)}"
    said = (notes.severity, notes.escalation.kind if notes.escalation else "", bool(notes.flag))
    if said != (second.notes.severity, second.notes.escalation, second.notes.flag):
        yield f"{said}, {second.notes}"
    flagged = [flag.kind for flag in reading.flags if flag.cause.startswith(RISK)]
    if flagged != [one for one in [second.notes.escalation] if one]:
        yield f"the reading is flagged {flagged}, {second.notes.escalation}"
    if reading.tier.tier != second.tier:
        yield f"tier {reading.tier.tier}, {second.tier}"
    for one in (*reading.vector, *reading.parts):
        name = one.dimension
        if one.value != second.vector[name]:
            yield f"{name} {one.value}, {second.vector[name]}"
        if name in tested and told_of(one.flags) != second.flags[name]:
            yield f"{name} has {told_of(one.flags)}, {second.flags[name]}"


def compare(seeds: range) -> Counter[Any]:
    """How often each value was read. Every set must be read alike by both."""
    met: Counter[Any] = Counter()
    found: list[str] = []
    for seed in seeds:
        rows, design = drawn_governance(seed)
        second = second_reading(rows, design, late)
        tested = {row["dimension"] for row in rows}
        found += [f"{seed}: {one}" for one in differences(whole_reading(rows, design), second, tested)]
        met.update(second.notes.triggers.items())
        met["severity", second.notes.severity] += 1
        met["escalation", second.notes.escalation] += 1
        met["flag", second.notes.flag] += 1
    shown = "\n".join(found[:20])
    assert not found, f"{len(found)} differ (instrument, second scorer):\n{shown}"
    return met


def test_a_second_scorer_reads_the_same_governance() -> None:
    met = compare(range(30))
    assert all(met["severity", one] for one in ("", "Elevated", "Critical"))
    assert all(met["escalation", one] for one in ("", "Contested", "Invalid"))


@pytest.mark.proof
def test_it_does_so_on_many_more_sets() -> None:
    met = compare(range(30, 2000))
    triggers = {at[0] for at in met} - {"severity", "escalation", "flag", "tier"}
    assert len(triggers) == 9
    for name in triggers:
        assert all(met[name, satisfied] for satisfied in (True, False, None)), name
    assert all(met["tier", satisfied] for satisfied in (True, False))
    assert all(met["severity", one] for one in ("", "Advisory", "Elevated", "Critical"))
    assert all(met["flag", one] for one in (True, False))


@pytest.mark.proof
def test_every_open_point_of_governance_makes_a_difference_to_some_set() -> None:
    """``choices`` lists no point that settles nothing."""
    idle = set(OF_GOVERNANCE)
    for rows, design in map(drawn_governance, range(1000)):
        taken = second_reading(rows, design, late)
        others = {name: CHOICES._replace(**{name: not getattr(CHOICES, name)}) for name in idle}
        idle -= {
            name
            for name, other in others.items()
            if second_reading(rows, design._replace(choices=other), late) != taken
        }
    assert not idle
