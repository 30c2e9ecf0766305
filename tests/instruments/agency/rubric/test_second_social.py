"""The instrument against a scorer that shares no code with it: gates of tiers 5 and 6, the tier with its flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .drawn_social import drawn_social
from .drawn_structure import drawn_structure
from .instrument_reading import late, told_of, whole_reading
from .second_scorer import CHOICES, Choices, Design, Row, Scores, second_reading, undisclosed

FIRST = Choices._fields.index("wiped_is_gating")
OF_TIERS_5_AND_6 = Choices._fields[FIRST : Choices._fields.index("lost_may_show")]
Draw = Callable[[int], tuple[list[Row], Design]]


def differences(rows: list[Row], design: Design, second: Scores) -> Iterator[str]:
    """Of the gains of Tier 2 the text fixes no interval: there the instrument's own tier may be lower."""
    reading = whole_reading(rows, design)
    tier, notes = reading.tier, reading.governance
    text = tier.tier if tier.spec_tier is None else tier.spec_tier
    lower = tier.tier == 1 and (second.tier or 0) > 1
    if text != second.text["tier"] or (tier.tier != second.tier and not lower):
        yield f"tier {tier.tier}, {text} by the text; {second.tier}, {second.text['tier']}"
    if (tier.tier or 0) >= 2 and told_of(tier.flags) != second.flags["tier"]:
        yield f"tier {tier.tier} has {told_of(tier.flags)}, {second.flags['tier']}"
    if undisclosed(rows, design):
        return
    theirs = {(gate.tier, gate.name): gate.holds for gate in tier.gates if gate.tier >= 3}
    ours = {(of, name): holds for of, gates in second.gates.items() for name, holds in gates.items()}
    for at in sorted({*theirs, *ours}):
        if theirs.get(at, "none") is not ours.get(at, "none"):
            yield f"{at} {theirs.get(at, 'none')}, {ours.get(at, 'none')}"
    found = (notes.severity, str(notes.escalation or ""), bool(notes.flag))
    if not lower and found != (second.notes.severity, second.notes.escalation, second.notes.flag):
        yield f"{found}, {second.notes}"


def compare(draw: Draw, seeds: range) -> Counter[Any]:
    """How often each value was read. Every set must be read alike by both."""
    met: Counter[Any] = Counter()
    found: list[str] = []
    for seed in seeds:
        rows, design = draw(seed)
        second = second_reading(rows, design, late)
        found += [f"{seed}: {one}" for one in differences(rows, design, second)]
        met["tier", second.tier] += 1
        met["text differs"] += second.tier != second.text["tier"]
        met["provisional tier"] += bool(second.flags["tier"])
        met["Governance Flag"] += second.notes.flag
        met.update((of, name, holds) for of, gates in second.gates.items() for name, holds in gates.items())
    shown = "\n".join(found[:20])
    assert not found, f"{len(found)} differ (instrument, second scorer):\n{shown}"
    return met


def test_a_second_scorer_reads_the_same_gates_of_tier_5() -> None:
    met = compare(drawn_social, range(30))
    assert all(met["tier", value] for value in (4, 5))
    assert met["provisional tier"]


def test_a_second_scorer_reads_the_same_gates_of_tier_6() -> None:
    met = compare(drawn_structure, range(30))
    assert all(met["tier", value] for value in (5, 6))
    assert met["Governance Flag"]


@pytest.mark.proof
@pytest.mark.parametrize(("draw", "tier"), [(drawn_social, 5), (drawn_structure, 6)])
def test_it_does_so_on_many_more_sets(draw: Draw, tier: int) -> None:
    met = compare(draw, range(30, 2000))
    assert met["text differs"]
    gates = {at[1] for at in met if isinstance(at, tuple) and len(at) == 3 and at[0] == tier}
    assert len(gates) == {5: 8, 6: 9}[tier]
    two = {"environment": (True, None), "instances": (True, None), "modification space": (True, False)}
    for name in gates - {"validity"}:
        asked = two.get(name, (True, False, None))
        assert all(met[tier, name, holds] for holds in asked), name
    assert all(met[tier, "validity", holds] for holds in (True, False))


@pytest.mark.proof
def test_every_open_point_of_tiers_5_and_6_makes_a_difference_to_some_set() -> None:
    """``choices`` lists no point that settles nothing."""
    idle = set(OF_TIERS_5_AND_6)
    for seed in range(600):
        for rows, design in (drawn_social(seed), drawn_structure(seed)):
            taken = second_reading(rows, design, late) if idle else None
            others = {name: CHOICES._replace(**{name: not getattr(CHOICES, name)}) for name in idle}
            idle -= {
                name
                for name, other in others.items()
                if second_reading(rows, design._replace(choices=other), late) != taken
            }
    assert not idle
