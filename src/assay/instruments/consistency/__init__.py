"""Consistency: is it the same someone after a return, a refusal, a repair, a promise?"""

from __future__ import annotations

from .detectors import Span, Triple, detect_triple

__all__ = ["Span", "Triple", "detect_triple"]
