"""Self-modification: sessions in which a subject changes the structure around itself (sections 6.3 and 12.9)."""

from __future__ import annotations

__all__: list[str] = []
