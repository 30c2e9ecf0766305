"""The instrument against a scorer that shares no code with it: G with its parts, gates of tiers 3 and 4, the tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from assay.vocabulary import Measure, Result
from tests.instruments.agency.made_outcomes import level, measures

from .drawn_tiers import drawn_tiers
from .instrument_reading import GOALS, by_text, gates_of, instrument_reading, late, told_of
from .second_scorer import CHOICES, Choices, Scores, second_reading, undisclosed

FIRST, PAST = (Choices._fields.index(name) for name in ("unknown_goals_first", "wiped_is_gating"))
ABOVE_TIER_2 = Choices._fields[FIRST:PAST]


def tier_differences(tier: Measure, second: Scores) -> Iterator[str]:
    """Of the gains of Tier 2 the text fixes no interval: there the instrument's own tier may be lower."""
    if by_text(tier) != second.text["tier"]:
        yield f"tier {by_text(tier)} by the text, {second.text['tier']}"
    if tier.value != second.tier and not (tier.value == 1 and (second.tier or 0) > 1):
        yield f"tier {tier.value} by interval, {second.tier}"
    if tier.value == second.tier and (tier.value or 0) >= 2 and told_of(tier.flags) != second.flags["tier"]:
        yield f"tier {tier.value} has {told_of(tier.flags)}, {second.flags['tier']}"


def goal_differences(result: Result, second: Scores) -> Iterator[str]:
    """Where no part of G was tested the instrument shows G alone."""
    for name in GOALS:
        shown = measures(result, name)
        one: tuple[float | None, set[str]] = (None, {"Provisional"})
        if shown or name == "G":
            (found,) = shown
            one = (found.value, told_of(found.flags))
            text = found.value if found.value is None or found.spec_value is None else found.spec_value
            if text != second.text[name]:
                yield f"{name} {text} by the text, {second.text[name]}"
        if one != (second.vector[name], second.flags[name]):
            yield f"{name} {one}, {second.vector[name]}, {second.flags[name]}"


def compare(seeds: range) -> Counter[Any]:
    """How often each value was read. Every set must be read alike by both."""
    met: Counter[Any] = Counter()
    differences: list[str] = []
    for seed in seeds:
        rows, design = drawn_tiers(seed)
        second, result = second_reading(rows, design, late), instrument_reading(rows, design)
        tier = level(result, "tier")
        differences += [f"{seed}: {one}" for one in tier_differences(tier, second)]
        met["tier", tier.value] += 1
        met["text differs"] += tier.value != by_text(tier)
        met["provisional tier"] += bool(told_of(tier.flags))
        if undisclosed(rows, design):
            met["undisclosed"] += 1
            continue
        if any(row["dimension"] in GOALS for row in rows):
            differences += [f"{seed}: {one}" for one in goal_differences(result, second)]
            met.update((name, second.vector[name]) for name in GOALS)
        ours = {(of, name): holds for of, gates in second.gates.items() for name, holds in gates.items()}
        if ours != (theirs := gates_of(result)):
            other = {at: (theirs.get(at), ours.get(at)) for at in ours | theirs}
            differences.append(
                f"{seed}: gates { ({at: two for at, two in other.items() if two[0] is not two[1]}) }"
            )
        met.update((*at, holds) for at, holds in ours.items())
    shown = "\n".join(differences[:20])
    assert not differences, f"{len(differences)} differ (instrument, second scorer):\n{shown}"
    return met


def test_a_second_scorer_reads_the_same_goals_gates_and_tier() -> None:
    met = compare(range(30))
    assert {met["tier", value] > 0 for value in (None, 1, 2, 3, 4)} == {True}
    assert all(met[one] for one in ("undisclosed", "text differs", "provisional tier"))


@pytest.mark.proof
def test_it_does_so_on_many_more_sets() -> None:
    met = compare(range(30, 2000))
    for name in GOALS:
        assert {value for value in (None, *range(6)) if met[name, value]} == {None, *range(6)}
    gates = {at[:2] for at in met if isinstance(at, tuple) and len(at) == 3}
    for gate in gates - {(3, "instances"), (4, "instances"), (3, "validity"), (4, "validity")}:
        assert all(met[*gate, holds] for holds in (True, False, None)), gate
    assert len(gates) == 11


@pytest.mark.proof
def test_every_open_point_above_tier_2_makes_a_difference_to_some_set() -> None:
    """``choices`` lists no point that settles nothing."""
    idle = set(ABOVE_TIER_2)
    for rows, design in map(drawn_tiers, range(1000)):
        taken = second_reading(rows, design, late)
        others = {name: CHOICES._replace(**{name: not getattr(CHOICES, name)}) for name in idle}
        idle -= {
            name
            for name, other in others.items()
            if second_reading(rows, design._replace(choices=other), late) != taken
        }
    assert not idle
