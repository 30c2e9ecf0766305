from __future__ import annotations

from fractions import Fraction

import pytest

from assay.errors import InputError
from assay.measuring.raters import GoldItem, Question, Rating, check_gold, score_on_gold, uncalibrated
from assay.stats import clopper_pearson

SEEN = Question("seen", "Is it there?")
GOLD = [GoldItem(f"g{i}", "seen", i < 5) for i in range(10)]


def rated(right: int, wrong: int = 0, rater: str = "eva") -> list[Rating]:
    """Of gold items, and of one other."""
    gold = [
        Rating(g.item, 0, "seen", g.label if i < right else not g.label, rater) for i, g in enumerate(GOLD)
    ]
    return [*gold[: right + wrong], Rating("x", 0, "seen", True, rater)]


def test_agreement_with_gold_is_a_share_with_its_interval() -> None:
    (found,) = score_on_gold(rated(9, 1), GOLD, 0.8).measures
    expected = clopper_pearson(9, 10)
    assert (found.name, found.labels, found.k, found.n) == ("gold_agreement", {"rater": "eva"}, 9, 10)
    assert [found.low, found.high] == pytest.approx([expected.low, expected.high])


def test_a_rater_below_the_declared_share_does_not_count_and_that_is_flagged() -> None:
    found = score_on_gold([*rated(9, 1), *rated(7, 3, "otto")], GOLD, 0.8)
    assert found.ratings == [Rating("x", 0, "seen", True, "eva")]
    (flag,) = found.flags
    assert flag.kind == "Limited Comparability"
    assert "otto (agreement 70 %, 80 % needed)" in flag.cause
    assert "eva" not in flag.cause


def test_the_declared_share_itself_is_enough() -> None:
    assert score_on_gold(rated(8, 2), GOLD, 0.8).flags == []
    assert score_on_gold(rated(7, 3), GOLD, Fraction(7, 10)).flags == []


def test_an_answer_that_cannot_be_read_counts_against_the_rater_and_a_lost_one_does_not() -> None:
    ratings = rated(7)  # nothing is said of three gold items
    unread = score_on_gold(ratings, GOLD, 0.8)
    assert (unread.ratings, unread.measures[0].n, unread.measures[0].bound_low) == ([], 7, 0.7)
    lost = [Rating(g.item, 0, "seen", True, "eva").thing for g in GOLD[7:]]
    assert score_on_gold(ratings, GOLD, 0.8, lost=lost).flags == []


def test_a_rater_of_whom_nothing_could_be_read_is_named() -> None:
    unread = [rating.thing for rating in rated(10)]
    found = score_on_gold([], GOLD, 0.8, unread=unread)
    assert (found.measures[0].value, found.measures[0].bound_high) == (None, 1.0)
    assert "eva (agreement 0 %" in found.flags[0].cause


def test_gold_items_of_other_questions_are_not_due() -> None:
    found = score_on_gold([Rating("x", 0, "tone", "warm", "eva")], GOLD, 0.8)
    assert (found.measures[0].n, found.ratings) == (0, [])
    assert "eva (not calibrated)" in found.flags[0].cause


def test_without_gold_items_every_rating_counts() -> None:
    assert score_on_gold(rated(3), [], 0.8) == (rated(3), [], [])


def test_calibration_is_judged_exactly() -> None:
    agreement = {"a": 0.8, "b": 0.79, "c": None}
    assert uncalibrated(["a", "b", "c", "d"], agreement, 0.8) == {
        "b": "b (agreement 79 %, 80 % needed)",
        "c": "c (agreement not given, 80 % needed)",
        "d": "d (not calibrated)",
    }


@pytest.mark.parametrize(
    ("gold", "wrong"),
    [
        (GoldItem("g", "sen", True), "unknown question 'sen'; did you mean 'seen'"),
        (GoldItem("g", "seen", "yes"), "label 'yes' is none of"),
        (GOLD[0], "'g0' is there twice"),
    ],
)
def test_gold_items_are_checked_before_a_run(gold: GoldItem, wrong: str) -> None:
    check_gold(GOLD, {"seen": SEEN})
    with pytest.raises(InputError, match=wrong):
        check_gold([*GOLD, gold], {"seen": SEEN})
