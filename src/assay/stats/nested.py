"""Variance in nested levels: between groups, between cells of a group, within a cell.

Henderson's method 1: the sums of squares of each level are set equal to what is expected of them, which for unequal
sizes is linear in the three components. A component that comes out below 0 is 0. Sums of several layouts are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assay.stats._core import FloatArray, IntArray

__all__ = ["CellSums", "NestedVariances", "nested_variances"]


class CellSums(NamedTuple):
    """Cells of one layout: how many values, their sum, the sum of their squares, and the group each cell is in."""

    n: FloatArray
    sum: FloatArray
    square: FloatArray
    group: IntArray


class NestedVariances(NamedTuple):
    """None where there is nothing to tell a component from those below it."""

    within: float | None
    cell: float | None
    group: float | None


def nested_variances(layouts: Iterable[CellSums]) -> NestedVariances:
    """The components, common to all layouts; each layout has its own mean."""
    squares, within, cell, group = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for layout in layouts:
        here = layout.n > 0
        n, s, q = layout.n[here], layout.sum[here], layout.square[here]
        if not n.size:
            continue
        _, at = np.unique(layout.group[here], return_inverse=True)
        n_g, s_g, big = np.bincount(at, n), np.bincount(at, s), float(n.sum())
        cells, groups, mean = float((s**2 / n).sum()), float((s_g**2 / n_g).sum()), float(s.sum()) ** 2 / big
        part = float((np.bincount(at, n**2) / n_g).sum())
        squares += (float(q.sum()) - cells, cells - groups, groups - mean)
        within += (big - n.size, n.size - n_g.size, n_g.size - 1)
        cell += (0.0, big - part, part - float((n**2).sum()) / big)
        group += (0.0, 0.0, big - float((n_g**2).sum()) / big)
    found: list[float | None] = [None, None, None]
    if within[0] > 0:
        found[0] = max(0.0, squares[0] / within[0])
        if cell[1] > 0:
            found[1] = max(0.0, (squares[1] - within[1] * found[0]) / cell[1])
            if group[2] > 0:
                found[2] = max(0.0, (squares[2] - within[2] * found[0] - cell[2] * found[1]) / group[2])
    return NestedVariances(*found)
