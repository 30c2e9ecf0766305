"""Governance: what triggers Governance Notes, how severe it is, and what the notes say (section 14)."""

from __future__ import annotations

__all__: list[str] = []
