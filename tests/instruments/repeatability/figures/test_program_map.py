"""Points placed by their distances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.figures.program_map import place
from assay.instruments.repeatability.measures.pairs import distance_matrix


def between(
    points: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[math.dist(a, b) for b in points] for a in points])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=12))
def test_points_of_a_plane_are_found_again(points: list[tuple[int, int]]) -> None:
    distances = between(np.array(points, dtype=float))
    placed = place(distances)
    assert np.allclose(between(placed.points), distances, atol=1e-4)
    assert placed.off < 1e-4


def test_three_at_equal_distances_lie_flat_and_four_do_not() -> None:
    def equal(n: int) -> float:
        return place(1.0 - np.eye(n)).off

    assert equal(3) == pytest.approx(0, abs=1e-5)
    # Four corners of a tetrahedron keep two of three equal eigenvalues of 1/2, each on a plane.
    assert 0.1 < equal(4) < 0.5


def test_the_order_of_the_points_changes_the_map_by_a_mirror_at_most() -> None:
    points = np.array([(0.0, 0.0), (3.0, 0.0), (1.0, 2.0), (-4.0, 1.0)])
    one, two = place(between(points)), place(between(points[::-1]))
    assert np.allclose(np.abs(one.points), np.abs(two.points[::-1]), atol=1e-5)


def test_one_point_and_points_in_one_place_do_no_harm() -> None:
    assert place(np.zeros((1, 1))).points.tolist() == [[0.0, 0.0]]
    assert place(np.zeros((3, 3))).off == 0.0


def test_the_far_side_of_each_direction_is_positive() -> None:
    points = place(distance_matrix(["a", "a b c d e f g h", "a x", "q r s t u"])).points
    for column in points.T:
        assert column[np.argmax(np.abs(column))] >= 0
