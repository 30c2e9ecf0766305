"""What is run: options, schedule and sampling of instances, and how one episode is conducted (docs/agency.md)."""

from __future__ import annotations

__all__: list[str] = []
