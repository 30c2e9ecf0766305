"""Machine baselines: whole groups are left out, everything is fitted without them, intervals are over groups."""

from __future__ import annotations

import zlib
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from assay.errors import InputError
from assay.instruments.recognition.baselines import (
    Identification,
    hashed_ngrams,
    identify,
    leave_one_group_out,
    nearest_centroid,
    ridge,
)
from assay.instruments.recognition.baselines.classifiers import Classes, Features, Predict
from assay.instruments.recognition.baselines.grouped import balanced_accuracy, balanced_difference

from .corpus import jade, needs_jade


@cache
def corpus() -> Identification:
    rows = jade()
    return identify(
        [row["response"] for row in rows], [row["provider"] for row in rows], [row["model"] for row in rows]
    )


@pytest.mark.slow
@needs_jade
def test_n_grams_find_the_provider_of_a_model_that_they_never_saw() -> None:
    found = corpus()
    assert (found.rows, found.groups, found.chance, found.left_out) == (1151, 19, 0.25, {})
    value = {name: found.accuracy(name) for name in ("chance", "signature_1", "signature_2", "ngrams")}
    assert (value["ngrams"].value or 0) >= 0.60
    for measure in list(value.values())[1:]:
        assert 0.25 < (measure.low or 0) < (measure.value or 0) < (measure.high or 0) < 1


def made(groups: int = 3) -> tuple[list[str], list[str], list[str]]:
    """Two labels with words of their own, and words that only a group has."""
    texts, labels, names = [], [], []
    for label, word in (("a", "marvellous"), ("b", "terrible")):
        for group in range(groups):
            for number in range(4):
                texts.append(f"it was {word} in place {label}{group} number {number}")
                labels.append(label)
                names.append(f"{label}{group}")
    return texts, labels, names


def test_what_labels_share_across_groups_is_found_and_rows_may_come_in_any_order() -> None:
    texts, labels, groups = made()
    found = identify(texts, labels, groups)
    assert found.accuracy("ngrams").value == 1.0
    assert (found.accuracy("ngrams").low or 0) < 1.0
    back = identify(texts[::-1], labels[::-1], groups[::-1])
    assert back.measures == found.measures


def test_a_label_that_is_in_one_group_only_is_left_out_and_named() -> None:
    texts, labels, groups = made()
    found = identify([*texts, "x", "y"], [*labels, "c", "c"], [*groups, "c0", "c0"])
    assert found.left_out == {"c": 2}
    assert found.measures == identify(texts, labels, groups).measures
    with pytest.raises(InputError, match="in one group only"):
        identify(texts, groups, groups)


def test_a_fold_is_fitted_without_its_group() -> None:
    seen: list[set[int]] = []

    def fit(features: Features, classes: Classes) -> Predict:
        seen.append({int(row) for row in features[:, 0]})
        return lambda rows: np.zeros(len(rows), dtype=np.int64)

    groups = np.array([0, 0, 1, 2, 1])
    leave_one_group_out(fit, np.arange(5.0)[:, None], np.zeros(5, dtype=np.int64), groups)
    assert seen == [{2, 3, 4}, {0, 1, 3}, {0, 1, 2, 4}]


@given(st.integers(0, 10**6))
def test_ridge_is_the_same_over_rows_as_over_columns_and_the_same_as_least_squares(seed: int) -> None:
    draw = np.random.default_rng(seed)
    classes = np.arange(12) % 3
    narrow = draw.normal(size=(12, 4))
    wide = np.hstack(
        [narrow, np.zeros((12, 20))]
    )  # columns of zeros change nothing but the side that is solved
    others = draw.normal(size=(30, 4))
    one = ridge(narrow, classes)(others)
    two = ridge(wide, classes)(np.hstack([others, np.zeros((30, 20))]))
    centred = narrow - narrow.mean(0)
    aims = np.eye(3)[classes] - 1 / 3
    stacked = np.linalg.lstsq(
        np.vstack([centred, np.eye(4)]), np.vstack([aims, np.zeros((4, 3))]), rcond=None
    )[0]
    assert one.tolist() == two.tolist() == ((others - narrow.mean(0)) @ stacked).argmax(1).tolist()


@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-50, 50))
def test_the_nearest_centroid_does_not_depend_on_units(seed: int, scale: float, moved: float) -> None:
    draw = np.random.default_rng(seed)
    rows, classes, others = draw.normal(size=(20, 5)), np.arange(20) % 4, draw.normal(size=(9, 5))
    units = np.array([scale, 1.0, 1.0, 1.0, 1.0])
    plain = nearest_centroid(rows, classes)(others)
    assert nearest_centroid(rows * units + moved, classes)(others * units + moved).tolist() == plain.tolist()


@given(st.lists(st.text(max_size=40), max_size=2))
def test_n_grams_are_finite_and_do_not_depend_on_case_spaces_or_neighbours(texts: list[str]) -> None:
    found = hashed_ngrams(texts)
    assert np.isfinite(found).all()
    assert (hashed_ngrams([f"  {text}\n" for text in texts]) == found).all()
    for row, text in enumerate(texts):
        assert (hashed_ngrams([text])[0] == found[row]).all()


def test_n_grams_are_those_that_whole_numbers_give() -> None:
    """The hash in Python's own integers, n-gram by n-gram: nothing depends on a machine's words or its seed."""
    text = "which of these is mine?"
    words = ["which", "of", "these", "is", "mine", "?"]
    expected = np.zeros(4096)
    for codes, lengths, salt in (
        ([ord(letter) for letter in f" {text} "], (2, 3, 4), 1000),
        ([zlib.crc32(word.encode()) for word in words], (1, 2), 2000),
    ):
        for n in lengths:
            counts = [0] * 8192
            for start in range(len(codes) - n + 1):
                value = salt + n
                for code in codes[start : start + n]:
                    value = (value ^ code) * 0x9E3779B97F4A7C15 % 2**64
                    value ^= value >> 29
                counts[(value >> 20) % 8192] += 1
            signed = np.log1p(counts[:4096]) - np.log1p(counts[4096:])
            expected += signed / np.linalg.norm(signed)
    assert hashed_ngrams(["Which of  these is mine?"])[0] == pytest.approx(expected, abs=1e-6)


def test_the_interval_is_over_groups() -> None:
    count = np.array([[50.0, 50, 50, 0, 0, 0], [0, 0, 0, 50, 50, 50]])
    even = count * 0.5
    uneven = np.array([[0.0, 25, 50, 0, 0, 0], [0, 0, 0, 0, 25, 50]])
    value, low, high = balanced_accuracy(count, uneven, 0.95)
    assert value == balanced_accuracy(count, even, 0.95)[0] == 0.5
    assert low < 0.2 < 0.8 < high
    # four times the rows in the same groups say no more
    assert balanced_accuracy(4 * count, 4 * uneven, 0.95) == pytest.approx((value, low, high))


def test_perfect_answers_of_few_groups_are_not_certain() -> None:
    count = np.full((2, 4), 10.0)
    value, low, high = balanced_accuracy(count, count, 0.95)
    assert (value, high) == (1.0, 1.0)
    assert low < 0.7


def test_a_baseline_less_itself_is_nothing_and_less_another_has_a_sign() -> None:
    draw = np.random.default_rng(3)
    count = np.full((3, 8), 20.0)
    right, less = draw.integers(10, 20, (3, 8)).astype(float), draw.integers(0, 10, (3, 8)).astype(float)
    assert balanced_difference(count, right, right, 0.95)[0] == 0.0
    value, low, high = balanced_difference(count, right, less, 0.95)
    assert 0 < low < value < high <= 1
    assert balanced_difference(count, less, right, 0.95) == pytest.approx((-value, -high, -low))


GROUPS = [(4, 4, 7, 4), (3, 3), (2, 2, 2, 2), (5,) * 8]
Shape = tuple[float, float]


def drawn(
    draw: np.random.Generator, groups: tuple[int, ...], *shapes: Shape
) -> list[npt.NDArray[np.float64]]:
    """Counts, then right answers of each baseline: accuracies of groups from beta distributions, alike in order.

    One group of each label is twice as large as the others.
    """
    where = np.repeat(np.arange(len(groups)), groups)
    places = (where, np.arange(len(where)))
    size = np.where(np.concatenate([[True], where[1:] != where[:-1]]), 112, 56)
    shared = draw.normal(size=len(where))
    found = [np.zeros((len(groups), len(where))) for _ in range(1 + len(shapes))]
    found[0][places] = size
    for right, shape in zip(found[1:], shapes, strict=True):
        order = special.ndtr(0.7 * shared + np.sqrt(0.51) * draw.normal(size=len(where)))
        right[places] = draw.binomial(size, special.betaincinv(*shape, order))
    return found


@pytest.mark.proof
@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("shape", [(2.0, 2.0), (4.0, 1.0), (0.35, 0.15), (9.5, 0.5), (20.0, 20.0)])
def test_the_interval_covers(groups: tuple[int, ...], shape: Shape) -> None:
    draw, truth, hits = np.random.default_rng(11), shape[0] / sum(shape), 0
    for _ in range(2000):
        count, right = drawn(draw, groups, shape)
        _, low, high = balanced_accuracy(count, right, 0.95)
        hits += low <= truth <= high
    assert hits >= 0.935 * 2000


@pytest.mark.proof
@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize(
    ("more", "less"), [((2.0, 2.0), (2.0, 2.0)), ((4.0, 1.0), (1.0, 1.0)), ((0.35, 0.15), (0.35, 0.35))]
)
def test_the_interval_of_a_difference_covers(groups: tuple[int, ...], more: Shape, less: Shape) -> None:
    draw, truth, hits = np.random.default_rng(12), more[0] / sum(more) - less[0] / sum(less), 0
    for _ in range(2000):
        count, right, worse = drawn(draw, groups, more, less)
        _, low, high = balanced_difference(count, right, worse, 0.95)
        hits += low <= truth <= high
    assert hits >= 0.935 * 2000
