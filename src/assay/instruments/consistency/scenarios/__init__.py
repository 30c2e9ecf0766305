"""Scenarios: what is said to a subject, how one is conducted, and the transcript that comes out of it.

A scenario is about a thread, whose state τ the subject has to keep. ``content`` has what can be said, ``scene`` draws
one scenario from it, ``conduct`` talks it through with a subject, ``transcripts`` puts a finished one together from
the ledger, and ``rows`` reads transcripts out of a file.
"""

from __future__ import annotations

from .scenario import KINDS, Expected, Kind, Scenario, Turn
from .thread import CADENCES, Thread, thread_schema

__all__ = ["CADENCES", "KINDS", "Expected", "Kind", "Scenario", "Thread", "Turn", "thread_schema"]
