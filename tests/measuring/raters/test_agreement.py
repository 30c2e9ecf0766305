from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring.raters import (
    Rating,
    RatingLabel,
    agreement_bounds,
    agreement_measures,
    contested_flag,
    disagreement,
    joint_label,
    labels_by_question,
)
from assay.stats import percent_agreement
from assay.vocabulary import Measure

Row = dict[str, RatingLabel]


def two(*pairs: tuple[RatingLabel, RatingLabel]) -> list[Row]:
    return [{"ann": a, "bob": b} for a, b in pairs]


def found(rows: list[Row], **more: object) -> dict[str, Measure]:
    return {m.name: m for m in agreement_measures(rows, {"question": "q"}, key="k", **more)}  # type: ignore[arg-type]


def test_two_raters_of_yes_or_no() -> None:
    """20 both yes, 5 and 10 apart, 15 both no: agreement .7, kappa .4 (Cohen's formula by hand)."""
    rows = two(*[(True, True)] * 20, *[(True, False)] * 5, *[(False, True)] * 10, *[(False, False)] * 15)
    measures = found(rows)
    assert list(measures) == ["agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"]
    assert measures["agreement"].value == 0.7
    assert measures["cohen_kappa"].value == pytest.approx(0.4)
    assert measures["cohen_kappa"].method == "cohen-kappa, bootstrap over items"
    assert measures["agreement"].labels == {"question": "q", "raters": "ann, bob"}


def test_several_categories_and_three_raters() -> None:
    """Fleiss by hand: P = (1 + 1 + 1/3)/3, Pe = (1/3)^2 + (4/9)^2 + (2/9)^2, kappa = (7/9 - 29/81)/(1 - 29/81)."""
    rows: list[Row] = [
        {"a": "warm", "b": "warm", "c": "warm"},
        {"a": "cold", "b": "cold", "c": "cold"},
        {"a": "neutral", "b": "neutral", "c": "cold"},
    ]
    measures = found(rows, categories=("warm", "neutral", "cold"), first=("c",))
    assert "cohen_kappa" not in measures
    assert measures["fleiss_kappa"].value == pytest.approx((7 / 9 - 29 / 81) / (1 - 29 / 81))
    assert measures["agreement"].labels["raters"] == "c, a, b"


def test_unread_answers_are_bounds_of_the_agreement() -> None:
    """Two agree, one differs, two were not read: 2/5 if both had differed, 4/5 if both had agreed."""
    rows: list[Row] = [*two((True, True), (False, False), (True, False)), {"ann": True}, {"ann": False}]
    measure = found(rows, unread=[0, 0, 0, 1, 1])["agreement"]
    assert measure.value == pytest.approx(2 / 3)
    assert (measure.bound_low, measure.bound_high) == (0.4, 0.8)
    assert found(rows[:3], unread=[0, 0, 0])["agreement"].bound_low is None


@given(
    st.lists(
        st.tuples(st.lists(st.booleans(), min_size=1, max_size=3), st.integers(0, 2)), min_size=1, max_size=4
    )
)
def test_every_completion_lies_within_the_bounds_and_both_ends_are_reached(
    things: list[tuple[list[bool], int]],
) -> None:
    rows: list[Row] = [{str(i): label for i, label in enumerate(known)} for known, _ in things]
    low, high = agreement_bounds(rows, [number for _, number in things], (True, False))
    completed = []
    for drawn in product(*(product((True, False), repeat=number) for _, number in things)):
        given = [[*known, *more] for (known, _), more in zip(things, drawn, strict=True)]
        value = percent_agreement([labels + [None] * (5 - len(labels)) for labels in given]).value
        completed.append(value)
    values = [value for value in completed if value is not None]
    if low is None or high is None:
        assert not values
    else:
        assert [min(values), max(values)] == pytest.approx([low, high])


def test_things_that_some_did_not_rate() -> None:
    rows: list[Row] = [{"ann": True, "bob": True}, {"ann": False, "bob": False}, {"ann": True}]
    measures = found(rows)
    assert (measures["cohen_kappa"].value, measures["cohen_kappa"].n) == (1.0, 2)
    assert "fleiss_kappa" not in measures


def test_without_ratings_there_is_no_figure() -> None:
    alone: list[Row] = [{"ann": True}, {"ann": False}]
    for rows in ([], alone):
        assert {m.value for m in found(rows).values()} == {None}
        assert {m.notes for m in found(rows).values()} == {("nothing has two ratings",)}


def test_bounds_of_many_labels_and_raters_are_counted_not_tried() -> None:
    labels = [str(number) for number in range(20)]
    assert agreement_bounds([{"ann": "0"}], [19], labels) == (0.0, 1.0)


def test_disagreement_is_exact() -> None:
    rows: list[Row] = [{"a": True, "b": True, "c": False}, {"a": True, "b": True}, {"a": False}]
    assert disagreement(rows) == Fraction(1, 3)  # (2/3 + 0) / 2: one rating alone cannot disagree
    assert disagreement([{"a": True}]) is None


def test_contested_is_above_the_declared_share_and_not_at_it() -> None:
    rows = two((True, False), *[(True, True)] * 4)
    assert contested_flag(rows, Fraction(1, 5), "raters disagree on q") is None
    flag = contested_flag(rows, Fraction(19, 100), "raters disagree on q", things="texts")
    assert flag is not None
    assert (flag.kind, flag.cause) == ("Contested", "raters disagree on q in 20.0% of 5 texts")


@pytest.mark.parametrize(
    ("labels", "joint"),
    [
        ((True,), True),
        ((True, True), True),
        ((True, False), None),
        ((True, True, False), True),
        (("warm", "cold", "neutral"), None),
        (("warm", "warm", "cold", "neutral"), None),
        (("warm", "warm", "warm", "neutral"), "warm"),
        ((), None),
    ],
)
def test_two_must_agree_and_of_more_the_majority_counts(
    labels: tuple[RatingLabel, ...], joint: RatingLabel | None
) -> None:
    assert joint_label({str(i): label for i, label in enumerate(labels)}) == joint


def test_one_rater_rates_one_thing_once() -> None:
    one = Rating("a", 1, "q", True, "ann")
    assert labels_by_question([one, Rating("a", 1, "q", False, "bob")]) == {
        "q": {("a", 1): {"ann": True, "bob": False}}
    }
    with pytest.raises(InputError, match="ann has rated q at place 1 of 'a' more than once"):
        labels_by_question([one, one])
