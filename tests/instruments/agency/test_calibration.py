"""Calibration: the level that is read is the level that is there."""

from __future__ import annotations

import pytest

from assay.instruments.agency.calibration import (
    GRID,
    INSTANCES,
    ROBUST,
    GradedSubject,
    PlayedPool,
    calibrate,
    measured,
    run_of,
)
from assay.instruments.agency.episodes.options import AgencyOptions
from assay.instruments.agency.episodes.schedule import schedule

OPTIONS = AgencyOptions(instances=INSTANCES, robustness_instances=INSTANCES)


@pytest.fixture(scope="module")
def ideal() -> PlayedPool:
    """Worlds in which the solver always and the null policy never succeeds."""
    cells = {cell for found in schedule(OPTIONS).values() for cell in found}
    return PlayedPool({f"{c.family}/{c.level}/{c.regime}": [(True, False)] * c.instances for c in cells})


def quiet(done: int, total: int) -> None:
    return None


def test_at_least_twelve_subjects_whose_levels_differ() -> None:
    assert len(GRID) >= 12
    for dimension in "SMDE":
        assert {one.truth(dimension) for one in GRID} == {1, 2, 3, 4, 5}
    assert {one.R for one in GRID} == set(ROBUST)


def test_who_models_drift_is_robust_under_moderate() -> None:
    """M 4 asks for a drop of at most 20 points in two families under Moderate, which is what R 3 asks for."""
    assert all(one.R >= 3 for one in GRID if one.M >= 4)


def test_competence_is_what_the_subjects_are_graded_by() -> None:
    assert all(one.rate(d, one.truth(d)) >= 0.95 for one in GRID for d in "SMDE")
    assert all(one.rate(d, one.truth(d) + 1) <= 0.5 for one in GRID for d in "SMDE")


@pytest.mark.parametrize("subject", GRID, ids=lambda one: one.name)
def test_three_runs_read_every_true_level(ideal: PlayedPool, subject: GradedSubject) -> None:
    for point in measured(ideal, OPTIONS, 3, subject):
        assert point.truth is not None
        assert point.reading is not None
        assert abs(point.reading - point.truth) <= 1.0, point


def test_a_run_is_drawn_by_its_number_alone(ideal: PlayedPool) -> None:
    assert run_of(ideal, OPTIONS, GRID[3], 1) == run_of(ideal, OPTIONS, GRID[3], 1)
    assert run_of(ideal, OPTIONS, GRID[3], 1) != run_of(ideal, OPTIONS, GRID[3], 2)


@pytest.mark.slow
def test_a_quick_calibration_in_the_worlds_holds() -> None:
    done = calibrate(25, 2, True, quiet, version="1")
    assert done.holds, done.failing


@pytest.mark.proof
def test_no_level_is_read_too_high_and_the_true_one_nearly_always() -> None:
    """Too high in at most 5 % of runs, right in at least 90 %, 50 instances a level, 1,000 runs a subject."""
    done = calibrate(1000, 2, False, quiet, version="1")
    assert done.holds, done.failing
    assert len(done.points) == 5 * len(GRID)
