"""Bias: which human-like biases a subject shows, how strongly, in which direction, and whether debiasing helps."""

from __future__ import annotations

__all__: list[str] = []
