"""The bias instrument: which human-like biases a subject shows, by matched pairs."""

from __future__ import annotations

from .protocol import Bias

__all__ = ["Bias"]
