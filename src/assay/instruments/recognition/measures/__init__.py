"""The measures of answered lineups, one question a module."""

from __future__ import annotations

__all__: list[str] = []
