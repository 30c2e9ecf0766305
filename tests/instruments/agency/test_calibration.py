"""Calibration: the level that is read is the level that is there."""

from __future__ import annotations

import pytest

from assay.instruments.agency.calibration import GRID, ROBUST, AgencyGrid, cell_key
from assay.instruments.agency.episodes.schedule import possible_cells
from assay.instruments.agency.learning.simulation import LEARNERS
from assay.instruments.agency.protocol import Agency
from assay.measuring.calibration import Calibration, calibrate


@pytest.fixture(scope="module")
def ideal() -> AgencyGrid:
    """Worlds in which the solver always and the null policy never succeeds."""
    cells = possible_cells(AgencyGrid.options)
    return AgencyGrid({cell_key(cell): [(True, False)] * cell.instances for cell in cells})


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


@pytest.mark.slow
def test_three_runs_read_every_true_level(ideal: AgencyGrid) -> None:
    done = calibrate("agency", "1", ideal, 3, 1, False, quiet)
    graded = [(s.name, d) for s in GRID for d in "SMDER"]
    learnt = [(s.name, "L") for s in LEARNERS]
    found = {(p.distribution, p.measure): p for p in done.points}
    assert {*graded, *learnt} <= found.keys()
    assert {p.measure for p in done.points} > {*"SMDERL", "G1", "G2", "G3"}
    for point in map(found.__getitem__, graded):
        assert point.truth is not None
        assert point.reading is not None
        assert abs(point.reading - point.truth) <= 1.0, point


def test_a_run_is_drawn_by_its_number_alone(ideal: AgencyGrid) -> None:
    assert ideal.run(GRID[3], 1) == ideal.run(GRID[3], 1)
    assert ideal.run(GRID[3], 1) != ideal.run(GRID[3], 2)


def calibrated(runs: int, quick: bool) -> Calibration:
    return Agency().calibrate(runs, 2, quick, quiet)


@pytest.mark.slow
def test_a_quick_calibration_in_the_worlds_holds() -> None:
    done = calibrated(25, quick=True)
    assert done.holds, done.failing


@pytest.mark.proof
def test_no_level_is_read_too_high_and_the_true_one_nearly_always() -> None:
    """Too high in at most 5 % of runs, right in at least 90 %, 50 instances a level, 1,000 runs a subject."""
    done = calibrated(1000, quick=False)
    assert done.holds, done.failing
    assert len(done.points) == 5 * len(GRID) + len(LEARNERS)
