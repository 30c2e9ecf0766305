"""How much of a label a plain reader finds in texts: machine baselines, with whole groups left out."""

from __future__ import annotations

from .classifiers import nearest_centroid, ridge
from .folds import leave_one_group_out, ridge_left_out
from .ngrams import hashed_ngrams
from .scoring import NGRAMS, Baseline, Identification, features_of, identify

__all__ = [
    "NGRAMS",
    "Baseline",
    "Identification",
    "features_of",
    "hashed_ngrams",
    "identify",
    "leave_one_group_out",
    "nearest_centroid",
    "ridge",
    "ridge_left_out",
]
