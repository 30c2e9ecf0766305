"""Figures from measures: forest plot, panels, dose–response, trajectories, matrix, radar.

Each gives a `Picture` with its caption and its numbers in words, or None where there is nothing to draw.
"""

from __future__ import annotations

from .forest import forest_plot
from .lines import dose_response, panels, trajectories
from .marks import Key, Reference
from .matrix import matrix
from .radar import radar

__all__ = ["Key", "Reference", "dose_response", "forest_plot", "matrix", "panels", "radar", "trajectories"]
