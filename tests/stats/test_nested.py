"""Nested variances against a balanced analysis of variance by hand, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats import CellSums, nested_variances


def cells(values: np.ndarray) -> CellSums:
    """Values by group, cell and repetition."""
    groups, each, _ = values.shape
    flat = values.reshape(groups * each, -1)
    n = np.full(groups * each, float(flat.shape[1]))
    return CellSums(n, flat.sum(axis=1), (flat**2).sum(axis=1), np.repeat(np.arange(groups), each))


def test_balanced_components_are_those_of_the_textbook() -> None:
    values = np.random.default_rng(2).random((3, 4, 5))
    means, groups = values.mean(axis=2), values.mean(axis=(1, 2))
    within = values.var(axis=2, ddof=1).mean()
    between = means.var(axis=1, ddof=1).mean()  # expects cell + within / 5
    over = groups.var(ddof=1)  # expects group + cell / 4 + within / 20
    found = nested_variances([cells(values)])
    cell = max(0.0, between - within / 5)
    assert found.within == pytest.approx(within)
    assert found.cell == pytest.approx(cell)
    assert found.group == pytest.approx(max(0.0, over - cell / 4 - within / 20))


def test_layouts_have_means_of_their_own() -> None:
    values = np.random.default_rng(3).random((3, 4, 5))
    apart = nested_variances([cells(values), cells(values + 10.0)])
    assert apart == pytest.approx(nested_variances([cells(values)]))


def test_components_are_recovered() -> None:
    draw = np.random.default_rng(4)
    values = draw.normal(0, 1, (300, 1, 1)) + draw.normal(0, 2, (300, 6, 1)) + draw.normal(0, 3, (300, 6, 3))
    assert [*nested_variances([cells(values)])] == pytest.approx([9, 4, 1], rel=0.25)


def test_what_cannot_be_told_apart_is_none() -> None:
    values = np.random.default_rng(5).random((3, 4, 5))
    assert nested_variances([]) == (None, None, None)
    assert nested_variances([cells(values[:, :, :1])]) == (None, None, None)
    assert nested_variances([cells(values[:1])]).group is None
