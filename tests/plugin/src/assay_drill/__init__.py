"""A third-party instrument, installed as a package and found by entry point.

It is no measurement of anything: it exercises what a bench must carry. ``Drill`` has conversations of one to six
turns, three waves of which the later ones are built from the earlier ones' evidence, a small world with a seeded
fault, a clock, and draws; it has requirements, a headline, a calibration, a command and a detector of its own.
``Ping`` asks one question a trial.
"""

from __future__ import annotations

from .drill import Drill
from .ping import Ping
from .reference import REFERENCES

__all__ = ["REFERENCES", "Drill", "Ping"]
