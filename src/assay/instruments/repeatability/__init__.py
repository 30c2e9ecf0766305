"""Repeatability: does the same request give the same output, and how far is it from one canon?"""

from __future__ import annotations

from .options import RepeatabilityOptions
from .protocol import Repeatability

__all__ = ["Repeatability", "RepeatabilityOptions"]
