"""The measures of bias, one metric a module."""

from __future__ import annotations

__all__: list[str] = []
