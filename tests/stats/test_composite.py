from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from assay.errors import InputError
from assay.stats import Part, clopper_pearson, weighted_difference, weighted_mean, weighted_value
from assay.stats.composite import _log_bound

WEIGHTS = (Fraction(40, 100), Fraction(20, 100), Fraction(20, 100), Fraction(20, 100))


def parts(values: Sequence[float | Fraction], sizes: Sequence[int]) -> list[Part]:
    return [Part(w, v, n) for w, v, n in zip(WEIGHTS, values, sizes, strict=True)]


def test_the_value_is_exact() -> None:
    assert weighted_value([Part(0.85, 1, 9), Part(0.15, 0.9, 10)]) == Fraction(985, 1000)
    assert weighted_mean([Part(0.85, 1, 9), Part(0.15, 0.9, 10)]).value == 0.985


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([Part(0.5, 1, 3), Part(0.4, 1, 3)], "weights must sum to 1; these sum to 0.9"),
        ([Part(1, 1, 3), Part(0, 1, 3)], "a weight must be above 0"),
        ([Part(1, 1.5, 3)], r"must lie in \[0, 1\]"),
        ([Part(1, 1, 0)], "without trials"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: list[Part], message: str) -> None:
    with pytest.raises(InputError, match=message):
        weighted_mean(wrong)


@pytest.mark.parametrize("n", [1, 5, 30, 200])
def test_one_share_without_a_failure_has_the_ends_of_clopper_and_pearson(n: int) -> None:
    found, exact = weighted_mean([Part(1, 1, n)]), clopper_pearson(n, n)
    assert found.low <= exact.low
    assert found.low == pytest.approx(exact.low, abs=1e-8)
    assert found.high == 1


def test_all_successes_cost_what_the_dearest_single_failure_explains() -> None:
    # The p that make all successes likeliest at a given theta lie at one part alone where w/n is largest; with
    # p**60 = .025 there, theta = 1 - .4 (1 - p), for 40 % of the weight on 60 trials and the rest on many.
    found = weighted_mean(parts([1, 1, 1, 1], [60, 6000, 6000, 6000]))
    assert found.low == pytest.approx(1 - 0.4 * (1 - 0.025 ** (1 / 60)), abs=1e-6)


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), min_size=4, max_size=4).map(
        lambda pairs: [(min(k, n), n) for k, n in pairs]
    ),
    st.permutations(range(4)),
)
def test_the_interval_holds_its_value_mirrors_and_is_the_same_in_any_order(
    counts: list[tuple[int, int]], order: list[int]
) -> None:
    values = [Fraction(k, n) for k, n in counts]
    sizes = [n for _, n in counts]
    found = weighted_mean(parts(values, sizes))
    mirror = weighted_mean(parts([1 - v for v in values], sizes))
    assert found.value is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low == pytest.approx(1 - mirror.high, abs=1e-12)
    turned = [parts(values, sizes)[i] for i in order]
    assert weighted_mean(turned) == found


def test_a_wider_confidence_is_a_wider_interval_and_more_trials_a_narrower_one() -> None:
    widths = [
        (i := weighted_mean(parts([0.9] * 4, [n] * 4), c)).high - i.low
        for n, c in [(10, 0.95), (20, 0.95), (40, 0.95), (40, 0.99)]
    ]
    assert widths[0] > widths[1] > widths[2]
    assert widths[3] > widths[2]


def test_the_bound_is_the_one_that_a_general_optimiser_finds() -> None:
    """Chernoff with the worst p, by scipy's SLSQP at the lower end: it is alpha/2 there."""
    w, n = np.array([0.4, 0.2, 0.2, 0.2]), np.array([12.0, 5.0, 20.0, 9.0])
    seen = float(w @ np.array([11 / 12, 4 / 5, 18 / 20, 9 / 9]))
    low = weighted_mean([Part(w_, seen, int(n_)) for w_, n_ in zip((0.4, 0.2, 0.2, 0.2), n, strict=True)]).low

    def worst(t: float) -> float:
        def objective(p: np.ndarray) -> float:
            return -float((n * np.log1p(p * np.expm1(t * w / n))).sum())

        best = optimize.minimize(
            objective,
            np.full(4, low),
            bounds=[(0, 1)] * 4,
            constraints=optimize.LinearConstraint(w, low, low),
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return -float(best.fun) - t * seen

    found = optimize.minimize_scalar(worst, bounds=(1.0, 200.0), method="bounded", options={"xatol": 1e-6})
    assert math.exp(found.fun) == pytest.approx(0.025, rel=1e-4)


def test_two_parts_on_two_trials_each_are_covered_by_exact_summation() -> None:
    weights, sizes = (Fraction(3, 5), Fraction(2, 5)), (3, 4)
    ends = {}
    for k in itertools.product(range(4), range(5)):
        ends[k] = weighted_mean(
            [Part(w, Fraction(a, n), n) for w, a, n in zip(weights, k, sizes, strict=True)]
        )
    for p in itertools.product([0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0], repeat=2):
        theta = 0.6 * p[0] + 0.4 * p[1]
        below = above = 0.0
        for k, interval in ends.items():
            mass = math.prod(
                math.comb(n, a) * q**a * (1 - q) ** (n - a) for a, n, q in zip(k, sizes, p, strict=True)
            )
            below += mass * (interval.low > theta + 1e-12)
            above += mass * (interval.high < theta - 1e-12)
        assert max(below, above) <= 0.025


def test_a_difference_joins_the_ends_and_turns_with_its_sides() -> None:
    one, two = parts([0.9] * 4, [30] * 4), parts([1] * 4, [30] * 4)
    there, back = weighted_difference(one, two, 0.9), weighted_difference(two, one, 0.9)
    assert there.value == pytest.approx(0.1)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    each = 1 - 2 * (1 - math.sqrt(0.95))
    assert there.low == pytest.approx(weighted_mean(two, each).low - weighted_mean(one, each).high)


# Coverage. The ends hang on S alone, so an end misses where S is beyond a line, which bisection finds once.


def critical(theta: float, sizes: Sequence[int]) -> float:
    """The largest S at which theta is not rejected from below."""
    w, n = np.array([0.4, 0.2, 0.2, 0.2]), np.array(sizes, np.float64)
    low, high = theta, 1.0
    for _ in range(25):
        middle = (low + high) / 2
        if _log_bound(middle, theta, w, n) > math.log(0.025):
            low = middle
        else:
            high = middle
    return low


def test_the_line_of_the_simulation_is_where_the_lower_end_passes_theta() -> None:
    line = critical(0.8, (12, 10, 8, 15))
    ends = [weighted_mean(parts([line + step] * 4, (12, 10, 8, 15))).low for step in (-1e-4, 1e-4)]
    assert ends[0] < 0.8 < ends[1]


def misses(
    p: Sequence[float], sizes: Sequence[int], together: bool, draws: int, seed: int
) -> tuple[float, float]:
    """How often the lower and the upper end miss; p are of O, L, F, R, P, with O and L on the same exchanges."""
    rng = np.random.default_rng(seed)
    first = rng.random((draws, sizes[0]))
    second = first if together else rng.random((draws, sizes[0]))
    s = 0.25 * (first < p[0]).mean(axis=1) + 0.15 * (second < p[1]).mean(axis=1)
    for q, n in zip(p[2:], sizes[1:], strict=True):
        s = s + 0.2 * rng.binomial(n, q, draws) / n
    theta = 0.25 * p[0] + 0.15 * p[1] + 0.2 * sum(p[2:])
    above = critical(theta, sizes)
    below = 1 - critical(1 - theta, sizes)
    return float((s > above + 1e-6).mean()), float((s < below - 1e-6).mean())


GRID = [
    ((1.0, 1.0, 1.0, 1.0, 1.0), (5, 5, 5, 5)),
    ((0.0, 0.0, 0.0, 0.0, 0.0), (5, 5, 5, 5)),
    ((1.0, 1.0, 0.0, 1.0, 0.0), (30, 10, 60, 20)),
    ((0.995, 0.995, 0.99, 0.98, 0.98), (20, 7, 8, 10)),
    ((0.991, 1.0, 0.992, 0.98, 0.971), (6, 6, 8, 10)),
    ((0.95, 1.0, 1.0, 0.935, 0.99), (5, 8, 5, 44)),
    ((0.9, 0.9, 0.9, 0.9, 0.9), (30, 30, 30, 30)),
    ((0.5, 0.5, 0.5, 0.5, 0.5), (60, 60, 60, 60)),
    ((0.05, 0.02, 0.2, 0.5, 1.0), (15, 5, 60, 8)),
]


@pytest.mark.parametrize("together", [True, False], ids=["one coin", "apart"])
@pytest.mark.parametrize(("p", "sizes"), GRID)
def test_each_end_misses_at_most_as_often_as_it_says(
    p: tuple[float, ...], sizes: tuple[int, ...], together: bool
) -> None:
    draws = 20_000
    worst = max(misses(p, sizes, together, draws, 1))
    assert worst <= 0.025 + 4 * math.sqrt(0.025 * 0.975 / draws)


def test_squares_of_distances_would_miss_too_often() -> None:
    """MOVER at a point of the grid: why it is not used."""
    p, sizes, draws = GRID[3][0], GRID[3][1], 20_000
    rng = np.random.default_rng(1)
    coin = rng.random((draws, sizes[0]))
    k = [(coin < p[0]).sum(axis=1), (coin < p[1]).sum(axis=1)]
    k += [rng.binomial(n, q, draws) for q, n in zip(p[2:], sizes[1:], strict=True)]
    n = (sizes[0], *sizes)
    w = (0.25, 0.15, 0.2, 0.2, 0.2)
    gap, value = [], np.zeros(draws)
    for weight, hits, size in zip(w, k, n, strict=True):
        high = np.array([clopper_pearson(i, size).high for i in range(size + 1)])[hits]
        gap.append(weight * (high - hits / size))
        value += weight * hits / size
    upper = value + np.sqrt((gap[0] + gap[1]) ** 2 + sum(g**2 for g in gap[2:]))
    theta = sum(a * b for a, b in zip(w, p, strict=True))
    assert (upper < theta - 1e-9).mean() > 0.06


@pytest.mark.proof
@pytest.mark.parametrize("together", [True, False], ids=["one coin", "apart"])
def test_each_end_holds_wherever_it_was_looked_for(together: bool) -> None:
    rng = np.random.default_rng(7)
    draws = 40_000
    for _ in range(150):
        p = rng.choice([0, 0.01, 0.02, 0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1], 5).tolist()
        sizes = rng.choice([5, 6, 8, 10, 15, 20, 30, 45, 60], 4).tolist()
        assert max(misses(p, sizes, together, draws, 3)) <= 0.025 + 5 * math.sqrt(0.025 * 0.975 / draws)
