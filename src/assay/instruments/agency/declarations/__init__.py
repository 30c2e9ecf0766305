"""What others bring: outcome rows, and the declaration they are scored by (docs/agency.md)."""

from __future__ import annotations

__all__: list[str] = []
