"""The instruments, each with the same rooms."""

from __future__ import annotations

__all__: list[str] = []
