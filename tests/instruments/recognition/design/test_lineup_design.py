"""Any fleet of 2 to 20 subjects: who stands in a lineup, in which orders, and who judges it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.recognition.design.fleet import Origin, SubjectFleet
from assay.instruments.recognition.design.lineups import (
    Lineup,
    gold_lineups,
    rotations,
    self_lineups,
    signature_texts,
)
from assay.instruments.recognition.design.texts import COLLECT, DRIFT, FORGE, CollectedText
from assay.measuring.layouts import layout_of

PROBES = [f"p{n}" for n in range(6)]


def text_of(
    subject: str, probe: str, sample: int = 0, stage: str = COLLECT, turn: int = 0, phase: str = ""
) -> CollectedText:
    words = "word " * (3 + (len(subject) * 7 + sample * 5 + PROBES.index(probe)) % 11)
    return CollectedText(
        subject, probe, sample, stage, phase, turn, words, f"{stage}/{subject}/{probe}/{sample}", subject
    )


@st.composite
def fleets(draw: st.DrawFn, live_only: bool = False) -> SubjectFleet:
    n = draw(st.integers(2, 20))
    names = [f"s{i:02}" for i in range(n)]
    makers = [draw(st.sampled_from(["", "m1", "m2", "m3"])) or name for name in names]
    families = [draw(st.sampled_from(["", "f1", "f2"])) for _ in names]
    live = names if live_only else [name for name in names if draw(st.booleans())] or names[:1]
    samples = draw(st.integers(1, 3))
    texts = [
        text_of(name, probe, sample)
        for name in names
        for probe in PROBES
        if draw(st.integers(0, 9))  # one in ten is missing
        for sample in range(samples)
    ]
    origins = {name: Origin(*of) for name, *of in zip(names, makers, families, strict=True)}
    return SubjectFleet(origins, live, texts)


def lineups_of(
    fleet: SubjectFleet, condition: str, texts: int, judges: int = 3, count: int = 8
) -> list[Lineup]:
    return [
        lineup
        for subject in fleet.live
        for lineup in self_lineups(fleet, subject, condition, PROBES, count, texts, judges, 1)
    ]


@given(fleets(), st.integers(2, 20), st.integers(0, 4), st.sampled_from(["", "ordinary"]))
@settings(max_examples=60, deadline=None)
def test_own_text_first_foils_of_others_judges_without_a_text(
    fleet: SubjectFleet, texts: int, judges: int, condition: str
) -> None:
    for lineup in lineups_of(fleet, condition, texts, judges):
        own, foils = lineup.texts[0], lineup.texts[1:]
        assert own.subject == lineup.target
        assert foils
        assert len(foils) < texts
        assert len(set(lineup.texts)) == len(lineup.texts)
        assert {one.probe for one in lineup.texts} == {lineup.probe}
        assert lineup.target not in {one.subject for one in foils}
        assert not {one.subject for one in lineup.texts} & set(lineup.judges)
        assert len(lineup.judges) <= judges
        assert set(lineup.judges) <= set(fleet.live)


@given(fleets(live_only=True))
@settings(max_examples=40, deadline=None)
def test_a_fleet_of_three_or_more_has_a_neutral_judge_wherever_two_others_wrote(fleet: SubjectFleet) -> None:
    for lineup in lineups_of(fleet, "", 4):
        others = fleet.others(lineup.target, lineup.probe)
        assert bool(lineup.judges) == (len(fleet.origins) > 2)
        assert (
            len(others) <= 2
            or len(lineup.texts) >= 3
            or all(len(fleet.collected(o, lineup.probe)) == 1 for o in others)
        )


@given(fleets(), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_foils_of_the_same_maker_only_where_others_are_used_up(fleet: SubjectFleet, texts: int) -> None:
    for lineup in lineups_of(fleet, "", texts):
        home = fleet.origins[lineup.target].maker
        same = [one for one in lineup.texts[1:] if fleet.origins[one.subject].maker == home]
        if same:
            apart = [
                one
                for name in fleet.others(lineup.target, lineup.probe)
                if name not in lineup.judges and fleet.origins[name].maker != home
                for one in fleet.collected(name, lineup.probe)
            ]
            assert set(apart) <= set(lineup.texts)


@given(fleets(), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_foils_of_tokens_are_kin_or_oneself(fleet: SubjectFleet, texts: int) -> None:
    for lineup in lineups_of(fleet, "tokens", texts):
        home = fleet.origins[lineup.target]
        for one in lineup.texts[1:]:
            assert one.subject == lineup.target or fleet.origins[one.subject].family == home.family != ""
        assert lineup.judges == ()


@given(fleets(), st.integers(2, 20), st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_positions_are_balanced(fleet: SubjectFleet, texts: int, orders: int) -> None:
    for subject in fleet.live:
        places: dict[int, Counter[int]] = {}
        for lineup in self_lineups(fleet, subject, "", PROBES, 8, texts, 0, 1):
            k = len(lineup.texts)
            turns = rotations(lineup, orders)
            assert len(set(turns)) == len(turns) == min(orders, k)
            for turn in turns:
                layout = layout_of([str(n) for n in range(k)], turn)
                assert sorted(layout.options) == sorted(map(str, range(k)))
                assert layout.letters == tuple("ABCDEFGHIJKLMNOPQRST"[:k])
                places.setdefault(k, Counter())[layout.options.index("0")] += 1
            if orders >= k:  # a Latin square: every text once at each place
                columns = zip(
                    *(layout_of([str(n) for n in range(k)], turn).options for turn in turns), strict=True
                )
                assert all(len(set(column)) == k for column in columns)
        for k, counts in places.items():
            if orders >= k:
                assert len({counts[place] for place in range(k)}) == 1


@pytest.mark.parametrize(("k", "orders"), [(4, 1), (4, 2), (4, 3), (3, 2), (5, 2)])
def test_with_fewer_orders_places_go_on_from_lineup_to_lineup(k: int, orders: int) -> None:
    texts = tuple(text_of(f"s{n}", "p0") for n in range(k))
    each = [rotations(Lineup("self", "", number, "s0", "p0", texts), orders) for number in range(k)]
    assert Counter(turn for turns in each for turn in turns) == dict.fromkeys(range(k), orders)


@given(fleets(), st.integers(2, 6))
@settings(max_examples=20, deadline=None)
def test_the_order_of_texts_does_not_matter(fleet: SubjectFleet, texts: int) -> None:
    every = sorted(one for some in fleet._texts.values() for one in some)
    back = SubjectFleet(fleet.origins, fleet.live, reversed(every))
    assert lineups_of(back, "", texts) == lineups_of(fleet, "", texts)


def conversation(subject: str, drifts: list[float]) -> list[CollectedText]:
    phases = ["baseline", *["perturbation"] * (len(drifts) - 2), "recovery"]
    return [text_of(subject, "p0", 0, DRIFT, turn, phase) for turn, phase in enumerate(phases)]


def test_gold_standard_is_first_last_farthest_and_another() -> None:
    drifts = [0.0, 0.5, 2.0, 1.0, 0.2]
    texts = [*conversation("s0", drifts), *conversation("s1", drifts)]
    fleet = SubjectFleet({"s0": Origin("a", ""), "s1": Origin("b", "")}, ["s0", "s1"], texts)
    (lineup,) = gold_lineups(fleet, "s0", ["p0", "p1"], lambda turns: drifts, 1)
    assert [(one.subject, one.turn) for one in lineup.texts] == [("s0", 0), ("s0", 4), ("s0", 2), ("s1", 0)]


def test_gold_standard_of_one_subject_has_three_texts() -> None:
    drifts = [0.0, 0.5, 2.0]
    fleet = SubjectFleet({"s0": Origin("a", "")}, ["s0"], conversation("s0", drifts))
    (lineup,) = gold_lineups(fleet, "s0", ["p0"], lambda turns: drifts, 1)
    assert len(lineup.texts) == 3


def test_forgeries_are_texts_of_others_in_its_manner() -> None:
    forged = [text_of("s0", "p0", n, FORGE)._replace(author="s1") for n in range(3)]
    fleet = SubjectFleet(
        {"s0": Origin("a", ""), "s1": Origin("b", "")}, ["s0", "s1"], [text_of("s0", "p0"), *forged]
    )
    (lineup,) = self_lineups(fleet, "s0", "forgeries", PROBES, 5, 4, 3, 1)
    assert {one.author for one in lineup.texts[1:]} == {"s1"}


@given(fleets(), st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_signatures_are_of_all_makers_alike(fleet: SubjectFleet, count: int) -> None:
    found = signature_texts(fleet, PROBES, count, "inverse", 1)
    assert len(set(found)) == len(found) <= count
    of = Counter(fleet.origins[one.subject].maker for one in found)
    there = Counter(
        fleet.origins[name].maker
        for name in fleet.origins
        for probe in PROBES
        for _ in fleet.collected(name, probe)
    )
    for maker, taken in of.items():
        assert all(taken <= of[other] + 1 or of[other] == there[other] for other in there if maker != other)
