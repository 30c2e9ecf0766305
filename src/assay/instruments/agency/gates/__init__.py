"""Gates of tiers 3 to 6: what evidences them, how it is conducted, and how it is judged (12.6 to 12.9)."""

from __future__ import annotations

__all__: list[str] = []
