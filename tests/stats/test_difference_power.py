"""The promised power is that of the test that compares: against exact power, and against the test itself."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import InputError
from assay.stats import (
    ClusterTerm,
    cluster_average,
    cluster_contrast,
    difference_power,
    mean_curve,
    power_paired,
    required_n_paired,
    required_units,
)
from assay.stats.difference_power import DRAWN_TO, _tails


def yes(share: float) -> list[float]:
    return [1.0] * round(100 * share) + [0.0] * round(100 - 100 * share)


def test_many_tails_at_once_are_those_of_the_test() -> None:
    rng = np.random.default_rng(5)
    rows = rng.choice([-1.0, 0.0, 0.25, 1.0], p=[0.1, 0.4, 0.2, 0.3], size=(40, 30))
    found = _tails(rows, np.full(40, -1.0))
    for row, tail in zip(rows, found, strict=True):
        curve = mean_curve(row, -1.0, 1.0)
        if curve.value is not None and curve.value > 0.1:
            assert 2 * tail == pytest.approx(curve.p_value(0.0), rel=0.02)


@pytest.mark.parametrize(("p", "d", "n"), [(0.5, 0.2, 100), (0.5, 0.4, 30), (0.2, 0.15, 150)])
def test_paired_shares_have_the_exact_power_of_mcnemar(p: float, d: float, n: int) -> None:
    found = difference_power([yes(p)], d, n, paired=True)
    exact = power_paired((p + d) * (1 - p), p * (1 - p - d), n).power
    assert found.power == pytest.approx(exact, abs=0.03)


def test_a_share_above_a_half_is_moved_down_and_needs_the_same() -> None:
    up, down = (required_units([yes(p)], 0.2, paired=False).n for p in (0.3, 0.7))
    assert up is not None
    assert down == pytest.approx(up, abs=4)


def test_the_required_n_reaches_the_target_and_is_near_the_exact_one() -> None:
    found = required_units([yes(0.5)], 0.2, paired=True)
    exact = required_n_paired(0.7 * 0.5, 0.5 * 0.3).n
    assert found.power == pytest.approx(0.8, abs=0.02)
    assert found.n is not None
    assert exact is not None
    assert abs(found.n - exact) <= 8


def test_a_smaller_difference_a_stricter_alpha_and_more_power_take_more() -> None:
    base = required_units([yes(0.5)], 0.2, paired=False).n
    assert base is not None
    for other in (
        required_units([yes(0.5)], 0.15, paired=False),
        required_units([yes(0.5)], 0.2, paired=False, alpha=0.01),
        required_units([yes(0.5)], 0.2, paired=False, target=0.9),
    ):
        assert other.n is not None
        assert other.n > base


def test_pairs_gain_what_groups_differ_by() -> None:
    """Two families, one always solved and one never: pairs within them hardly vary."""
    groups = [yes(0.95), yes(0.05)]
    pairs, apart = (required_units(groups, 0.2, paired=paired).n for paired in (True, False))
    assert pairs is not None
    assert apart is not None
    assert pairs < apart * 0.75
    by_parts = required_units(groups, 0.2, paired=False, parts=True).n
    assert by_parts is not None
    assert by_parts < apart * 0.75


def test_large_n_goes_by_the_normal_approximation_and_says_so() -> None:
    found = required_units([yes(0.5)], 0.02, paired=False)
    assert found.n is not None
    assert found.n > DRAWN_TO
    assert found.method == "normal"
    assert found.n == pytest.approx((1.96 + 0.8416) ** 2 * (0.25 + 0.52 * 0.48) / 0.02**2, rel=0.01)


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(InputError, match="no values"):
        required_units([], 0.1, paired=True)
    with pytest.raises(InputError, match="more than there is room for"):
        required_units([yes(0.5)], 0.5, paired=True)
    with pytest.raises(InputError, match="between the least"):
        required_units([[2.0]], 0.1, paired=True)


def test_the_same_question_has_the_same_answer() -> None:
    one, two = (required_units([yes(0.3)], 0.15, paired=True) for _ in range(2))
    assert one == two
    assert required_units([yes(0.5)], 0.1, paired=True, max_n=20).n is None


def found_by_the_test(
    groups: list[list[float]],
    d: float,
    n: int,
    *,
    paired: bool,
    parts: bool,
    least: float = 0.0,
    runs: int = 1500,
) -> float:
    """How often the comparing test itself finds the difference, drawn by another generator."""
    rng = np.random.default_rng(11)
    values = [np.array(group) for group in groups]
    mean = float(np.mean([v.mean() for v in values])) if parts else float(np.concatenate(values).mean())
    raised = d / (1.0 - mean)
    total = sum(map(len, values))
    hits = 0
    for _ in range(runs):
        estimates, first, second = [], [], []
        for group in values:
            m = max(1, round(n * len(group) / total))
            one, two = rng.choice(group, m), np.where(rng.random(m) < raised, 1.0, rng.choice(group, m))
            first.append(one)
            second.append(two)
            estimates.append(_contrast(one, two, paired, least))
        estimate = (
            cluster_average(estimates)
            if parts
            else _contrast(np.concatenate(first), np.concatenate(second), paired, least)
        )
        p = estimate.p_value()
        hits += p is not None and p <= 0.05
    return hits / runs


def _contrast(one: np.ndarray, two: np.ndarray, paired: bool, least: float):  # type: ignore[no-untyped-def]
    here = np.ones(len(one))
    if paired:
        return cluster_contrast(ClusterTerm(here, two, 1.0, least), ClusterTerm(here, one, -1.0, least))
    none = np.zeros(len(one))
    return cluster_contrast(
        ClusterTerm(np.append(none, here), np.append(none, two), 1.0, least),
        ClusterTerm(np.append(here, none), np.append(one, none), -1.0, least),
    )


CASES: dict[str, tuple[list[list[float]], float, bool]] = {
    "a half": ([yes(0.5)], 0.2, False),
    "a rare success": ([yes(0.1)], 0.15, False),
    "a mean": ([[float(x) for x in np.linspace(0.1, 0.6, 41)]], 0.1, False),
    "families": ([yes(0.1), yes(0.4), yes(0.8)], 0.2, False),
    "parts": ([yes(0.1), yes(0.4), yes(0.8)], 0.2, True),
}


@pytest.mark.parametrize("paired", [True, False])
def test_the_test_finds_the_difference_as_often_as_promised(paired: bool) -> None:
    groups, d, parts = CASES["parts"]
    planned = required_units(groups, d, paired=paired, parts=parts)
    assert planned.n is not None
    assert planned.power is not None
    found = found_by_the_test(groups, d, planned.n, paired=paired, parts=parts, runs=400)
    assert found == pytest.approx(planned.power, abs=0.06)  # 400 runs are known to within .04


@pytest.mark.proof
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("target", [0.8, 0.9])
def test_power_is_within_three_points_of_the_plan(name: str, paired: bool, target: float) -> None:
    groups, d, parts = CASES[name]
    planned = required_units(groups, d, paired=paired, parts=parts, target=target)
    assert planned.n is not None
    found = found_by_the_test(groups, d, planned.n, paired=paired, parts=parts, runs=6000)
    assert abs(found - target) <= 0.03
