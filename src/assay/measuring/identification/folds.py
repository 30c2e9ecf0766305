"""Predictions for rows whose whole group the classifier has never seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .classifiers import Classes, Features, Fit, kernel_ridge, ridge

__all__ = ["leave_one_group_out", "ridge_left_out"]


def leave_one_group_out(
    fit: Fit, features: Features, classes: Classes, groups: npt.NDArray[np.int64]
) -> Classes:
    """The class predicted for every row by a classifier fitted on the rows of all other groups."""
    predicted = np.empty(len(classes), dtype=np.int64)
    for group in np.unique(groups):
        out = groups == group
        predicted[out] = fit(features[~out], classes[~out])(features[out])
    return predicted


def ridge_left_out(features: Features, classes: Classes, groups: npt.NDArray[np.int64]) -> Classes:
    """The same by `ridge`. Rows that are fewer than columns are multiplied once, and not in every fold."""
    if len(features) > features.shape[1]:
        return leave_one_group_out(ridge, features, classes, groups)
    products, predicted = features @ features.T, np.empty(len(classes), dtype=np.int64)
    for group in np.unique(groups):
        out = groups == group
        predicted[out] = kernel_ridge(products[~out][:, ~out], classes[~out])(products[out][:, ~out])
    return predicted
