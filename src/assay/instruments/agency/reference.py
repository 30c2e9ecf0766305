"""Subjects of known truth for agency: players of single episodes, and learners."""

from __future__ import annotations

from .episodes.players import PLAYERS, Player
from .learning.learners import LEARNERS, Learner

__all__ = ["REFERENCES"]

REFERENCES: dict[str, Player | Learner] = {**PLAYERS, **LEARNERS}
