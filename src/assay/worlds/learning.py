"""Families in which something can be learnt (sections 4.6, 10.8 and B.6 of the agency specification).

A learner has a **secret**: what can be found out, the same in all its episodes and never shown. Practice ends with
feedback on what would have been right, held-out variants have other stories and entities, and shifted ones another
interface too. What a player can take from an episode is an **example**, read from what it saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from assay.errors import UnknownName
from assay.registry import find, names
from assay.streams import Stream

from .base import FamilyBase
from .model import Brief, Policy, Seen, Task, WorldSource

__all__ = [
    "LEVEL_OF",
    "LearningBase",
    "LearningFamily",
    "Variant",
    "learning_families",
    "learning_family",
]

GROUP = "assay.learning"
Variant = Literal["practice", "held_out", "shifted"]
# The rubric level that a variant's outcomes evidence first.
LEVEL_OF: dict[Variant, int] = {"practice": 2, "held_out": 2, "shifted": 4}


@runtime_checkable
class LearningFamily(WorldSource, Protocol):
    """A kind of task that gets easier for who learns. ``testing.check_learning_family`` checks the contract."""

    situations: ClassVar[tuple[str, ...]]  # stories of practice
    held_out: ClassVar[tuple[str, ...]]  # stories of all tests
    practice: ClassVar[int]  # episodes after which a good learner knows the secret

    def secret(self, stream: Stream) -> dict[str, Any]:
        """What a learner can find out. It must not be guessed: knowing nothing, hardly an episode succeeds."""
        ...

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        """An instance. ``task.level`` is `LEVEL_OF` the variant."""
        ...

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        """What would have been right in this episode, in words. It does not tell the secret."""
        ...

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        """How near an attempt came, and nothing more: for trying the same again within an episode."""
        ...

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        """What can be kept of an episode, as plain data. ``feedback``: all that was said, progress included."""
        ...

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        """Plays as well as the examples allow; without any, by guessing from the stream."""
        ...


class LearningBase(FamilyBase):
    """The defaults of the contract: worlds, verdicts and descriptions as of other families."""

    practice: ClassVar[int] = 8

    def story(self, variant: Variant, stream: Stream) -> str:
        """The situation of an instance: tests have stories that practice never has."""
        return stream.choice(self.situations if variant == "practice" else self.held_out)


def learning_families() -> dict[str, LearningFamily]:
    """Every installed one by name."""
    return dict(_found())


def learning_family(name: str) -> LearningFamily:
    if name not in _found():
        raise UnknownName("learning family", name, _found())
    return _found()[name]


@cache
def _found() -> dict[str, LearningFamily]:
    return {name: find(GROUP, name, what="learning family")() for name in names(GROUP)}
