"""Machine baselines: how much of a label a plain reader finds in the texts, with whole groups left out."""

from __future__ import annotations

from .classifiers import nearest_centroid, ridge
from .folds import leave_one_group_out, ridge_left_out
from .identification import BASELINES, Identification, features_of, identify
from .ngrams import hashed_ngrams

__all__ = [
    "BASELINES",
    "Identification",
    "features_of",
    "hashed_ngrams",
    "identify",
    "leave_one_group_out",
    "nearest_centroid",
    "ridge",
    "ridge_left_out",
]
