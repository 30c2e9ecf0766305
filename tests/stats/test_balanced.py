"""The mean of recalls: its interval is over groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from assay.errors import InputError
from assay.stats import balanced_accuracy, balanced_difference


def test_the_interval_is_over_groups() -> None:
    count = np.array([[50.0, 50, 50, 0, 0, 0], [0, 0, 0, 50, 50, 50]])
    even = count * 0.5
    uneven = np.array([[0.0, 25, 50, 0, 0, 0], [0, 0, 0, 0, 25, 50]])
    found, more = balanced_accuracy(count, uneven), balanced_accuracy(4 * count, 4 * uneven)
    assert found.value == balanced_accuracy(count, even).value == 0.5
    assert found.low < 0.2 < 0.8 < found.high
    assert (found.n, found.method) == (300, "jackknife over 6 groups")
    # four times the rows in the same groups say no more
    assert (more.value, more.low, more.high) == pytest.approx((found.value, found.low, found.high))


def test_perfect_answers_of_few_groups_are_not_certain() -> None:
    count = np.full((2, 4), 10.0)
    found = balanced_accuracy(count, count)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low < 0.7


def test_answers_less_themselves_is_nothing_and_less_another_has_a_sign() -> None:
    draw = np.random.default_rng(3)
    count = np.full((3, 8), 20.0)
    right, less = draw.integers(10, 20, (3, 8)).astype(float), draw.integers(0, 10, (3, 8)).astype(float)
    assert balanced_difference(count, right, right).value == 0.0
    found, back = balanced_difference(count, right, less), balanced_difference(count, less, right)
    assert found.value is not None
    assert 0 < found.low < found.value < found.high <= 1
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low))


def test_a_label_in_one_group_and_tables_of_different_shape_are_refused() -> None:
    with pytest.raises(InputError, match="in one group only"):
        balanced_accuracy(np.array([[5.0, 5.0], [5.0, 0.0]]), np.zeros((2, 2)))
    with pytest.raises(InputError, match="same labels and groups"):
        balanced_accuracy(np.full((2, 3), 5.0), np.zeros((2, 2)))


GROUPS = [(4, 4, 7, 4), (3, 3), (2, 2, 2, 2), (5,) * 8]
Shape = tuple[float, float]


def drawn(
    draw: np.random.Generator, groups: tuple[int, ...], *shapes: Shape
) -> list[npt.NDArray[np.float64]]:
    """Counts, then right answers of each reader: accuracies of groups from beta distributions, alike in order.

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
        found = balanced_accuracy(count, right)
        hits += found.low <= truth <= found.high
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
        found = balanced_difference(count, right, worse)
        hits += found.low <= truth <= found.high
    assert hits >= 0.935 * 2000
