"""Canaries: what a scenario told the subject and it must not give away, and whether a reply does."""

from __future__ import annotations

from .reading import VERSION, find_canaries

__all__ = ["VERSION", "find_canaries"]
