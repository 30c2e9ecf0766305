"""The recorded actions of an episode, replayed in a fresh world: do they alone lead to its state?

A subject whose own code runs on this machine, under the same user, could change the files or the database of a world
directly. It is not credited with what its recorded actions do not bring about (6.2).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from assay.canonical import encode
from assay.streams import Stream
from assay.study import Study
from assay.subjects.recipes import RECIPES
from assay.worlds import Episode, FamilyFault, plain

__all__ = ["TOUCHED", "RecordedActions", "acts_here"]

TOUCHED = "the world was touched from outside"
ELSEWHERE = (*RECIPES, "local", "reference")  # subjects without code of their own on this machine


def acts_here(study: Study) -> frozenset[str]:
    """The subjects whose own code runs on this machine, by title."""
    return frozenset(spec.title for spec in study.specs if spec.kind not in ELSEWHERE)


class _Step(NamedTuple):
    name: str
    do: Callable[[Episode], Any]
    came: bytes  # what was recorded of it; empty where the world failed


class RecordedActions:
    """The actions of an episode. ``faults`` is its stream, before anything was drawn from it."""

    def __init__(self, faults: Stream) -> None:
        self._faults = copy(faults)
        self._steps: list[_Step] = []

    def add(self, name: str, do: Callable[[Episode], Any], found: Any) -> None:
        self._steps.append(_Step(name, do, encode(found) if found is not None else b""))

    def differs(self, episode: Episode, state: dict[str, Any] | None) -> str:
        """Where a fresh world differs from the episode; empty where it does not.

        ``state`` is None where the world failed: a fresh one fails as well, or the world was broken from outside.
        Programs are not run again: a step holds their results, and another program makes another step.
        """
        fresh = Episode(episode.family, episode.task, episode.regime, copy(self._faults))
        family = episode.family.name
        try:
            for number, step in enumerate(self._steps):
                if encode(plain(family, step.name, partial(step.do, fresh))) != step.came:
                    return f"step {number} ({step.name}) goes another way in a fresh world"
            left = plain(family, "snapshot", fresh.snapshot, dict)
            if state is None:
                return "it failed where a fresh world does not"
            if encode(left) != encode(state):
                return "the same actions leave another state in a fresh world"
            return ""
        except FamilyFault:  # of the last step: it fails whoever acts
            if state is not None:
                raise
            return ""
        finally:
            fresh.close()
