"""The command line: one command a file, thin. Heavy imports wait until a command runs."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
