"""Learning: sessions of practice and tests, with a declared memory (sections 4.6, 6.3, 10.8 and B.6)."""

from __future__ import annotations

__all__: list[str] = []
