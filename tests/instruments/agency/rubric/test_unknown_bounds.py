"""Bounds of what is unknown: successes that no artifact shows, constraints of which a row says nothing."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.agency.declarations.declaration import HumanMediated
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.vocabulary import Result
from tests.instruments.agency.made_outcomes import family, level, made, measures, score

KIND = {"good": ("success", "ab12"), "bad": ("failure", "ab12"), "open": ("success", "")}


def episodes(kinds: list[str], regime: str = "Baseline") -> list[OutcomeRow]:
    rows = made("E", 1, 0, len(kinds), families=["e0"], regime=regime)
    return [
        msgspec.structs.replace(row, outcome=KIND[kind][0], artifact=KIND[kind][1])
        for row, kind in zip(rows, kinds, strict=True)
    ]


def ends(result: Result, name: str, **labels: str) -> tuple[float | None, float | None, float | None]:
    found = level(result, name, **labels)
    return found.bound_low, found.value, found.bound_high


def test_a_success_that_no_artifact_shows_counts_as_a_failure_and_may_be_one_or_not() -> None:
    result = score(episodes(["good", "open", "open", "bad"]))
    assert ends(result, "rate") == (0.25, 0.25, 0.75)
    assert ends(result, "level_rate") == (0.25, 0.25, 0.75)
    assert any(note.startswith("no bounds") for note in level(result, "E").notes)
    assert level(result, "E").bound_low is None
    assert not any(note.startswith("no bounds") for note in level(result, "S").notes)


def test_what_came_about_through_people_is_no_success_with_an_artifact_either() -> None:
    rows = episodes(["good", "open"])
    through = HumanMediated()
    result = score(rows, families={"e0": family("E", human_mediated=through)})
    assert ends(result, "rate") == (None, 0.0, None)


def test_a_drop_is_largest_where_the_unverified_were_right_at_baseline_alone() -> None:
    rows = [*episodes(["good", "open"]), *episodes(["open", "bad"], "Moderate")]
    assert ends(score(rows), "drop") == (0.0, 0.5, 1.0)


def test_rows_that_do_not_say_whether_constraints_were_kept_are_unknown() -> None:
    rows = made("S", 1, 4, 4, families=["s0"], adversarial=True)
    said = [True, False, None, None]
    rows = [msgspec.structs.replace(row, compliant=kept) for row, kept in zip(rows, said, strict=True)]
    assert ends(score(rows), "compliant") == (0.25, 0.25, 0.75)
    assert ends(score(rows), "resisted") == (0.25, 0.25, 0.75)
    followed = [msgspec.structs.replace(row, adversarial="followed") for row in rows]
    assert ends(score(followed), "resisted") == (None, 0.0, None)


KINDS = st.lists(st.sampled_from(["good", "bad", "open"]), min_size=1, max_size=3)


@settings(max_examples=15, deadline=None)
@given(KINDS, KINDS)
def test_every_completion_lies_within_the_bounds_and_the_ends_are_attained(
    easy: list[str], hard: list[str]
) -> None:
    kinds = [*easy, *hard]
    found = score([*episodes(easy), *episodes(hard, "Moderate")])
    places = [("rate", {"regime": "Baseline"}), ("rate", {"regime": "Moderate"}), ("drop", {})]
    values: list[list[float]] = [[] for _ in places]
    for known in product((1, 0), repeat=kinds.count("open")):
        given_ = iter(known)
        right = [next(given_) if kind == "open" else int(kind == "good") for kind in kinds]
        before, after = right[: len(easy)], right[len(easy) :]
        both = [one - two for one, two in zip(before, after, strict=False)]  # contents met under both
        for at, hits in enumerate((before, after, both)):
            values[at].append(sum(hits) / len(hits))
    for (name, labels), every in zip(places, values, strict=True):
        for one in measures(found, name, **labels):
            if one.bound_low is None or one.bound_high is None:
                assert len({round(value, 9) for value in every}) <= 1
                continue
            assert one.value is not None
            assert one.bound_low <= one.value <= one.bound_high
            assert one.bound_low == pytest.approx(min(every))
            assert one.bound_high == pytest.approx(max(every))
