"""The report room: pages, tables and files for people."""

from __future__ import annotations

__all__: list[str] = []
