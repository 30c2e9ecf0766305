"""Two measurements set side by side: what is observed, how far the conditions agree, how far the values differ."""

from __future__ import annotations

from .alignment import Frame, FrameContents, FrameDivergence, Label, align
from .difference import MeasureDifference, PairedSamples, published_difference
from .observation import Observation, outcome_observations

__all__ = [
    "Frame",
    "FrameContents",
    "FrameDivergence",
    "Label",
    "MeasureDifference",
    "Observation",
    "PairedSamples",
    "align",
    "outcome_observations",
    "published_difference",
]
