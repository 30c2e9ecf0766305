"""Repeatability: does the same request give the same program, and can it be brought to one canon?"""

from __future__ import annotations

from .options import RepeatabilityOptions
from .protocol import Repeatability

__all__ = ["Repeatability", "RepeatabilityOptions"]
