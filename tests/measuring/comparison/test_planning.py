"""The n for a declared difference: from a first run's outcomes, or from nothing."""

from __future__ import annotations

import numpy as np
import pytest

from assay.measuring.comparison import Observation, PairedSamples
from assay.measuring.comparison.difference import ALPHA, corrected
from assay.measuring.comparison.planning import plan_differences, plan_without_run


def observed(values: list[float], family: str = "item", **more: object) -> list[Observation]:
    return [
        Observation("m", "x", value, f"{family}/{n}", family)._replace(**more)  # type: ignore[arg-type]
        for n, value in enumerate(values)
    ]


def test_nothing_known_is_a_half_and_pairs_a_range() -> None:
    found = plan_without_run(0.2)
    assert found.paired is not None
    assert found.unpaired is not None
    assert found.paired_least is not None
    assert found.paired_least < found.unpaired <= found.paired
    assert "as alike as can be" in str(found)


def test_the_spread_of_the_first_run_is_used() -> None:
    half, rare = (
        next(iter(plan_differences("ping", observed([1.0] * k + [0.0] * (40 - k)), 0.1))) for k in (20, 2)
    )
    assert half.unpaired is not None
    assert rare.unpaired is not None
    assert rare.unpaired < half.unpaired
    assert (rare.first, rare.units) == (0.05, 40)


def test_pairs_gain_what_families_differ_by() -> None:
    easy, hard = observed([1.0] * 19 + [0.0], "easy"), observed([0.0] * 19 + [1.0], "hard")
    (found,) = plan_differences("ping", [*easy, *hard], 0.2)
    assert found.paired is not None
    assert found.unpaired is not None
    assert found.paired < found.unpaired


def test_several_measures_are_planned_as_they_will_be_corrected() -> None:
    two = [*observed([1.0, 0.0] * 10), *observed([1.0, 0.0] * 10, measure="other")]
    alone, *_ = plan_differences("ping", two, 0.3, comparisons=1)
    both = [*plan_differences("ping", two, 0.3)]
    assert [one.alpha for one in both] == [ALPHA / 2] * 2
    assert both[0].unpaired is not None
    assert alone.unpaired is not None
    assert both[0].unpaired > alone.unpaired


def test_a_difference_without_room_and_a_run_without_values_are_said() -> None:
    (full,) = plan_differences("ping", observed([1.0, 0.0] * 10), 0.6)
    assert (full.paired, full.note) == (None, "no room for such a difference")
    nothing = [one._replace(value=None) for one in observed([1.0])]
    (empty,) = plan_differences("ping", nothing, 0.1)
    assert (empty.units, empty.note) == (0, "no value in the first run")


def test_treatment_less_control_is_planned_by_its_units() -> None:
    control = observed([0.0, 0.0, 1.0, 0.0] * 5, sign=-1.0)
    (found,) = plan_differences("bias", [*control, *observed([1.0, 0.0, 1.0, 0.0] * 5)], 0.3)
    assert (found.first, found.units) == (0.25, 20)
    assert found.paired is not None


@pytest.mark.parametrize("paired", [True, False])
def test_a_comparison_finds_what_was_planned_as_often_as_promised(paired: bool) -> None:
    """From a first run to the plan to a comparison of runs of that size."""
    first = observed([1.0] * 12 + [0.0] * 28)
    (plan,) = plan_differences("ping", first, 0.2)
    n = plan.paired if paired else plan.unpaired
    assert n is not None
    rng = np.random.default_rng(4)
    hits, runs = 0, 300
    for _ in range(runs):
        sides = [observed([float(x) for x in rng.random(n) < p]) for p in (0.3, 0.5)]
        (one,) = corrected([PairedSamples(*sides, paired=paired).difference("m", {})])
        hits += one.different is True
    assert hits / runs == pytest.approx(0.8, abs=0.07)  # 300 runs are known to within .05


@pytest.mark.proof
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("p", "d"), [(0.3, 0.2), (0.1, 0.15), (0.5, 0.1)])
def test_the_power_of_a_comparison_is_within_three_points_of_the_plan(
    paired: bool, p: float, d: float
) -> None:
    first = observed([1.0] * round(40 * p) + [0.0] * round(40 - 40 * p))
    (plan,) = plan_differences("ping", first, d)
    n = plan.paired if paired else plan.unpaired
    assert n is not None
    rng = np.random.default_rng(6)
    hits, runs = 0, 4000
    for _ in range(runs):
        sides = [observed([float(x) for x in rng.random(n) < q]) for q in (p, p + d)]
        (one,) = corrected([PairedSamples(*sides, paired=paired).difference("m", {})])
        hits += one.different is True
    assert abs(hits / runs - 0.8) <= 0.03
