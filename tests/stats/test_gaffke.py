"""The mean of values in a known range, and differences of pooled rates over clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.stats import ClusterTerm, MeanCurve, clopper_pearson, cluster_average, cluster_contrast, mean_curve

UNIT = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))


@given(
    st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.9, 0.95, 0.999]),
)
def test_for_yes_no_values_it_is_clopper_and_pearson(counts: tuple[int, int], confidence: float) -> None:
    k, n = counts
    found, expected = (
        mean_curve([1.0] * k + [0.0] * (n - k)).interval(confidence),
        clopper_pearson(k, n, confidence),
    )
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), abs=1e-9
    )


@pytest.mark.parametrize(
    "values", [[0.5] * 5, [0.5] * 9 + [1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [0.1, 0.35, 0.8], [0.3]]
)
@pytest.mark.parametrize("tail", [0.025, 0.0025])
def test_the_ends_are_quantiles_of_means_with_dirichlet_weights(values: list[float], tail: float) -> None:
    """Against 400,000 draws. With three values the saddlepoint is a seventh below, which widens the interval."""
    draws = np.random.default_rng(11).dirichlet(np.ones(len(values) + 1), 400_000)
    found = mean_curve(values).interval(1 - 2 * tail)
    below = (draws @ np.array([*values, 0.0]) <= found.low).mean()
    above = (draws @ np.array([*values, 1.0]) >= found.high).mean()
    assert below == pytest.approx(tail, rel=0.2)
    assert above == pytest.approx(tail, rel=0.2)


@given(st.lists(UNIT, min_size=1, max_size=60), st.floats(-3, 3), st.floats(0.1, 5))
def test_it_mirrors_scales_and_does_not_depend_on_order(
    values: list[float], shift: float, scale: float
) -> None:
    one = mean_curve(values).interval()
    assert mean_curve(values[::-1]).interval() == one
    assert one.value is not None
    assert one.low <= one.value <= one.high
    turned = mean_curve([1 - x for x in values]).interval()
    assert (turned.low, turned.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-6)
    moved = mean_curve([shift + scale * x for x in values], shift, shift + scale).interval()
    assert (moved.low, moved.high) == pytest.approx(
        (shift + scale * one.low, shift + scale * one.high), abs=1e-5
    )


@given(st.lists(UNIT, min_size=2, max_size=40), st.sampled_from([0.2, 0.05, 0.001]))
def test_the_p_value_at_an_end_is_alpha(values: list[float], alpha: float) -> None:
    curve = mean_curve(values)
    found = curve.interval(1 - alpha)
    for end in (found.low, found.high):
        if 0 < end < 1 and abs(end - (found.value or 0)) > 1e-6:
            assert curve.p_value(end) == pytest.approx(alpha, rel=0.02)


def test_many_values_are_as_wide_as_the_normal_interval_and_rounding_only_widens() -> None:
    values = np.random.default_rng(3).random(50_000)
    found, error = mean_curve(values).interval(), float(values.std() / np.sqrt(values.size))
    assert 2 * 1.96 * error <= found.high - found.low < 2 * 1.96 * error + 3 / 8192


def test_no_values_and_values_out_of_range() -> None:
    empty = mean_curve([]).interval()
    assert (empty.value, empty.low, empty.high) == (None, 0.0, 1.0)
    with pytest.raises(InputError, match="least"):
        mean_curve([1.5])
    with pytest.raises(InputError, match="empty"):
        mean_curve([0.5], 1.0, 1.0)


def arrays(*numbers: list[float]) -> list[np.ndarray]:
    return [np.array(one, float) for one in numbers]


def test_a_contrast_of_balanced_pairs_is_the_mean_of_their_differences() -> None:
    n, treated, control = arrays([2, 2, 2], [2, 1, 2], [0, 1, 1])
    found = cluster_contrast(ClusterTerm(n, treated), ClusterTerm(n, control, -1.0))
    assert found.value == pytest.approx(0.5)
    assert found.parts.added.tolist() == pytest.approx([1.0, 0.0, 0.5])
    assert (found.n, found.clusters) == (12, 3)
    assert [found.parts.least, found.parts.most] == pytest.approx([-1, 1])
    expected = MeanCurve(found.parts.added, -1.0, 1.0).interval()
    assert found.ends(0.95) == pytest.approx((expected.low, expected.high))


def test_the_value_is_pooled_and_clusters_without_answers_do_not_count() -> None:
    n, treated, m, control = arrays([3, 1, 0, 0], [3, 0, 0, 0], [0, 2, 2, 0], [0, 1, 0, 0])
    found = cluster_contrast(ClusterTerm(n, treated), ClusterTerm(m, control, -1.0))
    assert found.value == pytest.approx(3 / 4 - 1 / 4)
    assert found.parts.added.mean() == pytest.approx(0.5)
    assert found.clusters == 3
    low, high = found.ends(0.95)
    assert -1 <= low < 0.5 < high <= 1


def test_a_contrast_without_answers_has_no_value() -> None:
    n, none = arrays([1, 1], [0, 0])
    found = cluster_contrast(ClusterTerm(n, n), ClusterTerm(none, none, -1.0))
    assert (found.value, found.ends(0.95), found.p_value()) == (None, (-1.0, 1.0), None)
    assert cluster_average([found]).value is None


def test_an_average_counts_every_value_the_same() -> None:
    small, large = arrays([1, 1], [1] * 8)
    ones, halves = (
        cluster_contrast(ClusterTerm(small, small)),
        cluster_contrast(ClusterTerm(large, large / 2)),
    )
    found = cluster_average([ones, halves])
    assert found.value == pytest.approx(0.75)
    assert found.parts.added.mean() == pytest.approx(0.75)


def coverage(
    draw: np.random.Generator,
    runs: int,
    m: int,
    trials: int,
    rates: tuple[float, float],
    spread: float,
    pairs: str,
) -> float:
    """How often the interval holds the true difference; ``spread`` is of beta-distributed rates, 0 for none."""
    hits = 0
    for _ in range(runs):
        groups = []
        for rate in rates:
            p = (
                draw.beta(rate * spread, (1 - rate) * spread, m)
                if spread and 0 < rate < 1
                else np.full(m, rate)
            )
            n = draw.integers(1, trials + 1, m) if pairs == "ragged" else np.full(m, trials)
            groups.append((n.astype(float), draw.binomial(n, p).astype(float)))
        if pairs == "apart":
            none = np.zeros(m)
            groups = [(np.append(groups[0][0], none), np.append(groups[0][1], none)),
                      (np.append(none, groups[1][0]), np.append(none, groups[1][1]))]  # fmt: skip
        low, high = cluster_contrast(ClusterTerm(*groups[1]), ClusterTerm(*groups[0], -1.0)).ends(0.95)
        hits += low - 1e-9 <= rates[1] - rates[0] <= high + 1e-9
    return hits / runs


RATES = [
    (0.0, 0.0),
    (0.0, 1.0),
    (0.02, 0.02),
    (0.0, 0.1),
    (0.1, 0.9),
    (0.5, 0.5),
    (0.3, 0.6),
    (0.05, 0.95),
    (0.9, 0.97),
]


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.0, 0.15), (0.3, 0.6), (0.0, 1.0)])
def test_few_clusters_are_covered(rates: tuple[float, float]) -> None:
    assert coverage(np.random.default_rng(5), 150, 8, 3, rates, 0.5, "paired") >= 0.935


@pytest.mark.proof
@pytest.mark.parametrize("pairs", ["paired", "apart", "ragged"])
@pytest.mark.parametrize(("m", "trials"), [(3, 3), (5, 3), (10, 1), (20, 3), (60, 1)])
def test_coverage_over_the_grid(m: int, trials: int, pairs: str) -> None:
    draw = np.random.default_rng(17)
    for rates in RATES:
        for spread in (0.0, 0.1, 2.0):
            assert coverage(draw, 1000, m, trials, rates, spread, pairs) >= 0.935, (rates, spread)
