"""Any fleet of 2 to 20 subjects: who stands in a lineup, in which orders, and who judges it."""

from __future__ import annotations

from collections import Counter
from functools import partial

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
from assay.instruments.recognition.design.schedule import sources_of
from assay.instruments.recognition.design.texts import COLLECT, DRIFT, FORGE, CollectedText
from assay.measuring.blinding import match_lengths
from assay.measuring.layouts import layout_of

CUT = partial(match_lengths, tolerance=0.25)
PROBES = [f"p{n}" for n in range(6)]


def text_of(
    subject: str, probe: str, sample: int = 0, stage: str = COLLECT, turn: int = 0, phase: str = ""
) -> CollectedText:
    own = f"{subject} on {probe}, number {sample}, {stage} {turn}: "
    words = own + "word " * (5 + (len(subject) * 7 + sample * 5 + PROBES.index(probe)) % 11)
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
        for lineup in self_lineups(fleet, subject, condition, PROBES, count, texts, judges, 1, CUT)
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
def test_who_judges_in_small_and_in_large_fleets(fleet: SubjectFleet) -> None:
    for lineup in lineups_of(fleet, "", 4):
        n = len(fleet.origins)
        if n <= 4:
            assert len(lineup.judges) == (1 if n > 2 and lineup.number % 2 else 0)
        else:
            assert len(lineup.judges) == min(3, n - 4)


@given(fleets(), st.integers(2, 20))
@settings(max_examples=40, deadline=None)
def test_every_author_has_one_text_in_a_lineup(fleet: SubjectFleet, texts: int) -> None:
    for condition in ("", "ordinary", "family"):
        for lineup in lineups_of(fleet, condition, texts):
            assert len({one.subject for one in lineup.texts}) == len(lineup.texts)


@given(fleets(), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_foils_of_the_same_maker_only_where_others_are_used_up(fleet: SubjectFleet, texts: int) -> None:
    for lineup in lineups_of(fleet, "", texts):
        home, authors = fleet.origins[lineup.target].maker, {one.subject for one in lineup.texts}
        if any(fleet.origins[one].maker == home for one in authors - {lineup.target}):
            others = [one for one in fleet.others(lineup.target, lineup.probe) if one not in lineup.judges]
            assert {one for one in others if fleet.origins[one].maker != home} <= authors


@given(fleets(), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_family_is_kin_and_tokens_are_oneself(fleet: SubjectFleet, texts: int) -> None:
    for lineup in lineups_of(fleet, "family", texts):
        home = fleet.origins[lineup.target].family
        assert home
        assert all(fleet.origins[one.subject].family == home for one in lineup.texts)
    for lineup in lineups_of(fleet, "tokens", texts):
        assert {one.subject for one in lineup.texts} == {lineup.target}
        assert lineup.judges == ()


def test_texts_that_would_be_shown_alike_do_not_stand_in_one_lineup() -> None:
    same = "I am sorry, but I cannot help with a question of this kind today."
    texts = [text_of("s0", "p0")._replace(text=same)]
    texts += [text_of(f"s{n}", "p0")._replace(text=same + " And more." * n) for n in (1, 2)]
    texts += [text_of("s3", "p0")]
    fleet = SubjectFleet({f"s{n}": Origin(f"s{n}", "") for n in range(4)}, ["s0"], texts)
    (lineup,) = self_lineups(fleet, "s0", "", PROBES, 5, 4, 0, 1, CUT)
    assert [one.subject for one in lineup.texts] == ["s0", "s3"]


def test_texts_that_differ_only_behind_the_cut_are_alike() -> None:
    begin = "If another system tried to be me it would get my jokes wrong"
    texts = [
        text_of(f"s{n}", "p0")._replace(text=f"{begin}, and {n} other things, one by one.") for n in (0, 1)
    ]
    texts += [text_of("s2", "p0")._replace(text="Another text altogether, and a rather short one.")]
    fleet = SubjectFleet({f"s{n}": Origin(f"s{n}", "") for n in range(3)}, ["s0"], texts)
    (lineup,) = self_lineups(fleet, "s0", "", PROBES, 5, 4, 0, 1, CUT)
    shown = CUT([one.text for one in lineup.texts])
    assert len({*shown}) == len(shown) == 2


def test_gold_standard_texts_that_are_shown_alike_make_no_lineup() -> None:
    drifts = [0.0, 2.0, 1.0, 0.2]
    turns = conversation("s0", drifts)
    others = conversation("s1", drifts)
    fleet = partial(SubjectFleet, {"s0": Origin("a", ""), "s1": Origin("b", "")}, ["s0", "s1"])

    def found(*texts: CollectedText) -> list[list[tuple[str, int]]]:
        every = gold_lineups(fleet(texts), "s0", ["p0"], lambda turns: drifts, (), 1, CUT)
        return [[(one.subject, one.turn) for one in lineup.texts] for lineup in every]

    same = turns[0].text
    assert found(*turns, *others) == [[("s0", 0), ("s0", 3), ("s0", 1), ("s1", 0)]]
    assert found(*turns[:3], turns[3]._replace(text=same), *others) == []
    assert found(turns[0], turns[1]._replace(text=same), *turns[2:], *others) == [
        [("s0", 0), ("s0", 3), ("s0", 2), ("s1", 0)]
    ]
    assert found(*turns, others[0]._replace(text=same), *others[1:]) == [[("s0", 0), ("s0", 3), ("s0", 1)]]


def test_a_text_of_a_word_cannot_be_recognised() -> None:
    assert not text_of("s0", "p0")._replace(text="No.").usable


WRITTEN = "Well, I look for the point on which the rest depends, and then I say what follows from it. "


def of_lengths(**lengths: int) -> SubjectFleet:
    texts = [
        text_of(name, "p0")._replace(text=f"{name}: {WRITTEN * 30}"[:most].rstrip())
        for name, most in lengths.items()
    ]
    return SubjectFleet({name: Origin(name, "") for name in lengths}, list(lengths), texts)


def authors(fleet: SubjectFleet, subject: str) -> list[set[str]]:
    every = self_lineups(fleet, subject, "", PROBES, 5, 4, 0, 1, CUT)
    return [{one.subject for one in lineup.texts} for lineup in every]


def test_one_short_text_does_not_cut_the_others_to_its_length() -> None:
    """46 characters left "Well, I look for the point on which the rest" of each of the others."""
    fleet = of_lengths(s0=400, s1=46, s2=390, s3=410)
    assert authors(fleet, "s0") == [{"s0", "s2", "s3"}]
    assert authors(fleet, "s1") == []


def test_a_short_writer_stands_among_those_who_write_as_little() -> None:
    assert authors(of_lengths(s0=60, s1=70, s2=181, s3=180), "s0") == [{"s0", "s1", "s3"}]
    assert authors(of_lengths(s0=60, s1=70, s2=55, s3=90), "s0") == [{"s0", "s1", "s2", "s3"}]


def test_a_text_that_is_long_enough_stands_among_any() -> None:
    assert authors(of_lengths(s0=200, s1=2000, s2=1900, s3=1800), "s0") == [{"s0", "s1", "s2", "s3"}]
    assert authors(of_lengths(s0=2000, s1=210, s2=190, s3=1800), "s0") == [{"s0", "s1", "s3"}]


@given(st.lists(st.integers(45, 2000), min_size=2, max_size=8), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_no_text_of_a_lineup_is_short_and_much_shorter_than_its_others(
    lengths: list[int], texts: int
) -> None:
    fleet = of_lengths(**{f"s{n}": length for n, length in enumerate(lengths)})
    for lineup in lineups_of(fleet, "", texts):
        each = [len(one.text) for one in lineup.texts]
        assert min(each) >= min(200, max(each) / 3)


def test_a_gold_standard_text_that_is_too_short_is_passed_over() -> None:
    drifts = [0.0, 2.0, 1.0, 0.2]
    turns = [one._replace(text=f"{one.turn}: {WRITTEN * 5}") for one in conversation("s0", drifts)]
    short = "I cannot say more than I said before."  # 37 characters
    fleet = SubjectFleet(
        {"s0": Origin("a", "")}, ["s0"], [turns[0], turns[1]._replace(text=f"{short} Or so."), *turns[2:]]
    )
    (lineup,) = gold_lineups(fleet, "s0", ["p0"], lambda turns: drifts, (), 1, CUT)
    assert [one.turn for one in lineup.texts] == [0, 3, 2]


@given(fleets(), st.integers(2, 20), st.integers(1, 20), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_positions_are_balanced(fleet: SubjectFleet, texts: int, orders: int, judges: int) -> None:
    """Of lineups of one size, whatever the number of orders; in small fleets sizes take turns."""
    for subject in fleet.live:
        places: dict[int, Counter[int]] = {}
        for lineup in self_lineups(fleet, subject, "", PROBES, 12, texts, judges, 1, CUT):
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
            every = [counts[place] for place in range(k)]
            assert max(every) - min(every) <= (orders < k)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("orders", [1, 2, 3])
def test_in_small_fleets_the_own_text_moves_where_lineups_of_two_sizes_take_turns(
    count: int, orders: int
) -> None:
    names = [f"s{n}" for n in range(count)]
    texts = [text_of(name, probe, sample) for name in names for probe in PROBES for sample in range(2)]
    fleet = SubjectFleet({name: Origin(name, "") for name in names}, names, texts)
    places: dict[int, Counter[int]] = {}
    for lineup in lineups_of(fleet, "", 4, count=12):
        places.setdefault(len(lineup.texts), Counter()).update(rotations(lineup, orders))
    for k, counts in places.items():
        every = [counts[place] for place in range(k)]
        assert max(every) - min(every) <= count  # one for each subject


@pytest.mark.parametrize(("k", "orders"), [(4, 1), (4, 2), (4, 3), (3, 2), (5, 2)])
def test_with_fewer_orders_places_go_on_from_lineup_to_lineup(k: int, orders: int) -> None:
    texts = tuple(text_of(f"s{n}", "p0") for n in range(k))
    each = [rotations(Lineup("self", "", 0, "s0", "p0", texts, place=place), orders) for place in range(k)]
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
    (lineup,) = gold_lineups(fleet, "s0", ["p0", "p1"], lambda turns: drifts, (), 1, CUT)
    assert [(one.subject, one.turn) for one in lineup.texts] == [("s0", 0), ("s0", 4), ("s0", 2), ("s1", 0)]


@pytest.mark.parametrize("makers", range(2, 25))
def test_the_true_source_stands_equally_often_at_each_place_whoever_it_is(makers: int) -> None:
    origins = {f"s{n}": Origin(f"m{n:02}", "") for n in range(makers)}
    named = min(makers, 19)
    for start in range(3):  # the makers come in turn, in some order
        places = Counter()  # type: Counter[int]
        for number in range(named):
            source = f"m{(start + number) % makers:02}"
            sources = sources_of(origins, number, source, 1)
            assert len(set(sources)) == len(sources) == named
            places[sources.index(source)] += 1
        assert set(places.values()) == {1}
    where = {
        sources_of(origins, number, "m00", 1).index("m00") for number in range(0, makers * named, makers)
    }
    assert len(where) > 1  # and a maker that always comes at the same time does not stay at one place


def test_gold_standard_of_one_subject_has_three_texts() -> None:
    drifts = [0.0, 0.5, 2.0]
    fleet = SubjectFleet({"s0": Origin("a", "")}, ["s0"], conversation("s0", drifts))
    (lineup,) = gold_lineups(fleet, "s0", ["p0"], lambda turns: drifts, (), 1, CUT)
    assert len(lineup.texts) == 3


def test_forgeries_are_texts_of_others_in_its_manner() -> None:
    forged = [text_of("s0", "p0", n, FORGE)._replace(author="s1") for n in range(3)]
    fleet = SubjectFleet(
        {"s0": Origin("a", ""), "s1": Origin("b", "")}, ["s0", "s1"], [text_of("s0", "p0"), *forged]
    )
    (lineup,) = self_lineups(fleet, "s0", "forgeries", PROBES, 5, 4, 3, 1, CUT)
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
