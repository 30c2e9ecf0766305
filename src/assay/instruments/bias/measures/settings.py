"""What the scoring of bias can be told."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from assay.measuring.building import MeasureBuilder

from .constants import UNKNOWN_THRESHOLD

__all__ = ["BiasSettings"]


class BiasSettings(Struct, frozen=True, kw_only=True):
    """``baselines`` are human rates of a user's own, before the published ones. ``unscored`` are biases that no text
    can show, with the reason: they are measured and flagged, and are in nothing over biases."""

    intervals: bool = True
    confidence: float = 0.95
    unknown_threshold: float = UNKNOWN_THRESHOLD
    baselines: dict[str, float | None] = {}
    unscored: dict[str, str] = {}

    def builder(self, labels: Mapping[str, str]) -> MeasureBuilder:
        return MeasureBuilder(labels, self.confidence if self.intervals else None, "instances")
