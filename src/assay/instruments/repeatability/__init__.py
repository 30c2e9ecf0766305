"""Repeatability: does the same request give the same program, and can it be brought to one canon?"""

from __future__ import annotations

from .protocol import Options, Repeatability

__all__ = ["Options", "Repeatability"]
