"""Hypothesis without a deadline: how long an example takes says nothing about statistics."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("stats", deadline=None)
settings.load_profile("stats")
