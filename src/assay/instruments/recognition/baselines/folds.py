"""Predictions for rows whose whole group the classifier has never seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .classifiers import Classes, Features, Fit

__all__ = ["leave_one_group_out"]


def leave_one_group_out(
    fit: Fit, features: Features, classes: Classes, groups: npt.NDArray[np.int64]
) -> Classes:
    """The class predicted for every row by a classifier fitted on the rows of all other groups."""
    predicted = np.empty(len(classes), dtype=np.int64)
    for group in np.unique(groups):
        out = groups == group
        predicted[out] = fit(features[~out], classes[~out])(features[out])
    return predicted
