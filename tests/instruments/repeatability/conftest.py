"""Hypothesis without a deadline: how long an example takes says nothing about what is measured."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatability", deadline=None)
settings.load_profile("repeatability")
