"""Shortcuts to `batching`: one way always, or the one that one feature speaks for.

All figures of the notes are read as the oracle reads them, but for the length and what the material does: those are
taken as they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Brief, Policy
from assay.worlds.families.metacontrol.batching import WAYS, MachineJob, Maker

__all__ = ["SHORTCUTS"]

Rule = Callable[[Brief, MachineJob], str]


class Ruled(Maker):
    """Chooses by a rule of its own, and looks for the dial and the tool by the figures as they are printed."""

    def __init__(self, brief: Brief, rule: Rule) -> None:
        super().__init__(brief)
        self._rule = rule

    def choose(self, observation: dict[str, Any]) -> str:
        return self._rule(self.brief, self.job(observation))

    def dial(self, observation: dict[str, Any]) -> int:
        change = next(
            (f for note in observation["notes"] if len(f := _figures(note)) == 1 and "minut" not in note), [0]
        )
        shrinks = any("shr" in note or "los" in note or "shorter" in note for note in observation["notes"])
        return _length(observation) + (change[0] if shrinks else -change[0])

    def tool(self, observation: dict[str, Any]) -> str:
        spans = {one["tool"]: _figures(one["label"]) for one in observation["tools"]}
        length = _length(observation)
        return next((tool for tool, span in spans.items() if span and span[0] <= length <= span[-1]), "T1")


def _figures(said: str) -> list[int]:
    return [int(figure) for figure in re.findall(r"\b\d+\b", said)]


def _length(observation: dict[str, Any]) -> int:
    """The largest figure of the note that says length or lengths, or else of all."""
    some = [
        max(_figures(note), default=0)
        for note in observation["notes"]
        if "length of" in note or "length is" in note
    ]
    return max(some, default=0) or max(
        figure for note in observation["notes"] for figure in [0, *_figures(note)]
    )


def _always(way: str) -> Rule:
    return lambda brief, job: way


def _named(brief: Brief, place: int) -> str:
    words = dict(zip(WAYS, ("run_all", "run_portion", "make_by_hand"), strict=True))
    return sorted(WAYS, key=lambda way: brief.goal.find(words[way]))[place]


def _time(brief: Brief) -> int:
    return _figures(brief.goal)[-1]


RULES: dict[str, Rule] = {
    **{f"always {way}": _always(way) for way in WAYS},
    "the first way named": lambda brief, job: _named(brief, 0),
    "the last way named": lambda brief, job: _named(brief, -1),
    "in turn, by the length of the goal": lambda brief, job: WAYS[len(brief.goal) % 3],
    "a small order by hand, a large one whole": lambda brief, job: (
        "hand" if job.pieces < 18 else "whole" if job.pieces > 30 else "portions"
    ),
    "a long check: whole, else portions": lambda brief, job: "whole" if job.check > 40 else "portions",
    "a long setting: whole, a short one: portions": lambda brief, job: (
        "whole" if job.setting > 50 else "portions" if job.setting < 20 else "hand"
    ),
    "a long repair: portions, a short one: whole": lambda brief, job: (
        "portions" if job.repair > 25 else "whole" if job.repair < 12 else "hand"
    ),
    "quick by hand: hand, else portions": lambda brief, job: "hand" if job.hand < 14 else "portions",
    "by hand twice the machine's time: hand, else whole": lambda brief, job: (
        "hand" if job.hand < 2 * job.piece else "whole"
    ),
    "a repair longer than a piece by hand: hand, else whole": lambda brief, job: (
        "hand" if job.repair > job.hand else "whole"
    ),
    "much time: hand, little: whole": lambda brief, job: (
        "hand" if _time(brief) > 600 else "whole" if _time(brief) < 350 else "portions"
    ),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    4: {name: partial(Ruled, rule=rule) for name, rule in RULES.items()}
}
