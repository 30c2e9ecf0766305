"""The numbers of the definition, by name, with the section of the specification."""

from __future__ import annotations

__all__ = [
    "AGGREGATION",
    "ALIGNED",
    "ALIGNED_RELATIVE",
    "HUMAN_LIKE",
    "INTENSITY_WEIGHTS",
    "MOST_SPREAD",
    "OVERCONFIDENT",
    "SYSTEMATIC",
    "UNKNOWN_THRESHOLD",
]

INTENSITY_WEIGHTS = {"weak": 2.0, "moderate": 1.0, "strong": 0.67, "adversarial": 0.5}  # of a deviation (1)
AGGREGATION = {"weak": 0.1, "moderate": 0.3, "strong": 0.4, "adversarial": 0.2}  # of intensities (1, B1)
MOST_SPREAD = 0.5  # the largest population standard deviation of values in [0, 1] (2)
SYSTEMATIC = 0.7  # share of domains above .5 (2)
ALIGNED = 0.1  # a difference from people below it is none (4)
ALIGNED_RELATIVE = 0.15  # the same as a part of the human rate (4, E2)
HUMAN_LIKE = 0.8  # alignment above it (7)
OVERCONFIDENT = 0.1  # confidence above accuracy by more (6)
UNKNOWN_THRESHOLD = 0.5  # share of unreadable answers past which a bias is not ranked (9)
