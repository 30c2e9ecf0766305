"""Student's interval of a mean, over clusters."""

from __future__ import annotations

import pytest
from scipy import stats

from assay.stats import student_mean


def test_clusters_of_one_value_have_the_interval_of_independent_values() -> None:
    values = [1.2, 0.4, 3.1, 2.2]
    low, high = stats.t.interval(0.95, 3, loc=sum(values) / 4, scale=stats.sem(values))  # the oracle
    found = student_mean([[value] for value in values])
    assert (found.value, found.low, found.high) == pytest.approx((sum(values) / 4, low, high))
    assert (found.n, found.clusters, found.confidence) == (4, 4, 0.95)


def test_values_repeated_within_clusters_say_no_more() -> None:
    once, thrice = student_mean([[1.0], [2.0], [4.0]]), student_mean([[1.0] * 3, [2.0] * 3, [4.0] * 3])
    assert (thrice.value, thrice.low, thrice.high) == pytest.approx((once.value, once.low, once.high))
    assert (thrice.n, thrice.clusters) == (9, 3)


def test_neither_the_order_nor_empty_clusters_make_a_difference() -> None:
    assert student_mean([[], [3.0, 0.1], [0.7]]) == student_mean([[0.7], [0.1, 3.0]])


@pytest.mark.parametrize("clusters", [[], [[]], [[1.0, 2.0]], [[1.0], [1.0]]])
def test_without_a_spread_that_was_seen_there_is_no_interval(clusters: list[list[float]]) -> None:
    found = student_mean(clusters)
    assert (found.low, found.high) == (None, None)
    assert (found.value is None) == (found.n == 0)
