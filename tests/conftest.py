"""Properties: the common run tries few examples, the same ones each time; ``make proof`` looks for new ones.

A run that others wait for must not fail for what it happened to draw, and a search for counterexamples that
draws the same ones each time finds nothing new: each has its own profile.

A shell that starts the tests in the background has them ignore interrupts; tests that interrupt would wait for ever.
"""

from __future__ import annotations

import signal

from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("common", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("searching", deadline=None, max_examples=200, derandomize=False)
settings.load_profile("common")
