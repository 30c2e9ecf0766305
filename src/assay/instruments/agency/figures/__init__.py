"""What people look at: headline, figures, tables, transcripts, the Agency Card."""

from __future__ import annotations

__all__: list[str] = []
