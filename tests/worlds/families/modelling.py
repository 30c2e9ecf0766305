"""What the tests of the modelling families share: instances, episodes of given actions, rates of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.streams import Stream
from assay.worlds import Act, Brief, Episode, Played, Policy, Task, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Family
from assay.worlds.noise import DIGITS, LETTERS

__all__ = ["NEXT", "acted", "begun", "instances", "rate", "taken_for_another", "why"]

NEXT = Act("next", {})


def instances(family: Family, level: int, count: int = 40, *, held_out: bool = False) -> Iterator[Task]:
    for number in range(count):
        yield draw_task(family, level, Stream("modelling", family.name, level, number), held_out=held_out)


def acted(family: Family, task: Task, *acts: Act, regime: str = "Baseline") -> Played:
    """An episode in which exactly these things are done."""
    return play(family, task, shipped_regimes()[regime], Stream("faults"), lambda brief: Fixed(*acts))


def why(family: Family, task: Task, *acts: Act) -> tuple[str, ...]:
    """What is wrong after these actions; nothing where they succeed."""
    judgement = acted(family, task, *acts).judgement
    assert judgement.success == (not judgement.because)
    return judgement.because


def begun(family: Family, task: Task, regime: str = "Baseline") -> tuple[Episode, dict[str, Any]]:
    episode = Episode(family, task, shipped_regimes()[regime], Stream("faults"))
    return episode, episode.begin().observation


def rate(
    family: Family,
    level: int,
    regime: str,
    policy: Callable[[Brief], Policy],
    *,
    held_out: bool = False,
    count: int = 60,
) -> float:
    """The share of instances that a policy solves."""
    won = 0
    for number, task in enumerate(instances(family, level, count, held_out=held_out)):
        faults = Stream("faults", family.name, level, number)
        won += play(family, task, shipped_regimes()[regime], faults, policy).judgement.success
    return won / count


def taken_for_another(names: list[str]) -> list[str]:
    """Names that, with one character misread, look more like another of them."""
    wrong = []
    for name in names:
        for at, char in enumerate(name):
            seen = DIGITS.get(char) or LETTERS.get(char.lower(), char)
            if nearest(name[:at] + seen + name[at + 1 :], names) != name:
                wrong.append(name)
    return wrong
