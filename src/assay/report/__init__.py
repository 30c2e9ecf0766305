"""Readings for people: one self-contained page, tables for the terminal, records as CSV."""

from __future__ import annotations

__all__: list[str] = []
