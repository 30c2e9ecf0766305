"""Hypothesis without a deadline: how long an example takes says nothing about what is measured.

And with fewer examples than usual: there are many properties here, and whole programs are drawn for them.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatability", deadline=None, max_examples=25)
settings.load_profile("repeatability")
