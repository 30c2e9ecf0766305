"""Properties: the common run tries few examples, the same ones each time; ``make proof`` looks for new ones.

A run that others wait for must not fail for what it happened to draw, and a search for counterexamples that
draws the same ones each time finds nothing new: each has its own profile.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("common", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("searching", deadline=None, max_examples=200, derandomize=False)
settings.load_profile("common")
