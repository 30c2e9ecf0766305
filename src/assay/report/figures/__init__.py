"""Figures from measures: forest plot, panels, dose–response, trajectories, matrix."""

from __future__ import annotations

__all__: list[str] = []
