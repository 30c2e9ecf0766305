"""Subjects of known truth for agency: players of single episodes, learners, and both in one for whole tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.streams import Stream
from assay.vocabulary import Reply

from .episodes.players import PLAYERS, Player
from .intervention.architects import ARCHITECTS, Architect, is_intervention
from .learning.learners import LEARNERS, Learner, is_learning

__all__ = ["REFERENCES", "Staged"]


class Staged:
    """A subject of a known tier: a learner where something can be learnt, an architect where it can change itself, a
    player everywhere else.
    """

    def __init__(
        self, about: str, player: Player, learner: Learner, architect: Architect | None = None
    ) -> None:
        self.about, self.player, self.learner, self.architect = about, player, learner, architect

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str | Reply:
        return self.answer_with_tools(messages, (), stream)

    def answer_with_tools(
        self, messages: list[dict[str, Any]], tools: Sequence[dict[str, Any]], stream: Stream
    ) -> str | Reply:
        who: Player | Learner | Architect = self.learner if is_learning(messages) else self.player
        if self.architect is not None and is_intervention(messages):
            who = self.architect
        return who.answer_with_tools(messages, tools, stream)


def _half(about: str, **more: Any) -> Player:
    """Able at the lower levels, so that it succeeds in some episodes and fails in others."""
    return Player(about, good=1.0, poor=0.0, **{"S": 2, "M": 3, "D": 2, "E": 2, **more})


LEARNS, KEEPS_NOTHING = LEARNERS["learner"], LEARNERS["unteachable"]
STAGED: dict[str, Staged] = {
    "reactive": Staged("Tier 1: acts in a closed loop, and learns nothing", _half("reactive"), KEEPS_NOTHING),
    "adaptive": Staged(
        "Tier 2: learns, and takes what looks best now", _half("adaptive", manners={"T3": "novice"}), LEARNS
    ),
    "predictive": Staged(
        "Tier 3: plans ahead, and is sure of itself at all times", _half("predictive", sure="high"), LEARNS
    ),
    "reflective": Staged(
        "Tier 4, or 5 where that is tested: knows when it succeeds, and how to go about it",
        _half("reflective"),
        LEARNS,
    ),
    "aloof": Staged(
        "Tier 4: able in all of it, and treats all its partners alike",
        _half("aloof", manners={"T5": "novice"}),
        LEARNS,
    ),
    "social": Staged("Tier 5: keeps its partners apart by what each of them does", _half("social"), LEARNS),
}
STAGED["meta"] = Staged(
    "Tier 6: finds the bottleneck of the structure around itself, and changes it",
    _half("meta"),
    LEARNS,
    ARCHITECTS["architect"],
)
REFERENCES: dict[str, Player | Learner | Architect | Staged] = {
    **PLAYERS, **LEARNERS, **ARCHITECTS, **STAGED,
}  # fmt: skip
