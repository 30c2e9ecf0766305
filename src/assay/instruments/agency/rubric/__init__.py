"""What turns outcomes into levels: counts, level tests, robustness, validity, tiers, tuples (docs/agency.md)."""

from __future__ import annotations

__all__: list[str] = []
