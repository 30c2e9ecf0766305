"""What the tests of the sensing families share: an instance, an episode of given actions, the oracle everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from assay.streams import Stream
from assay.worlds import Act, Episode, Played, Task, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed
from assay.worlds.model import Family

__all__ = ["acted", "begun", "instances", "lost", "tried"]

BASELINE = "Baseline"


def instances(family: Family, level: int, count: int = 40, *, held_out: bool = False) -> Iterator[Task]:
    for number in range(count):
        yield draw_task(family, level, Stream("tests", family.name, level, number), held_out=held_out)


def acted(family: Family, task: Task, *acts: Act, regime: str = BASELINE) -> Played:
    """An episode in which exactly these things are done."""
    return play(family, task, shipped_regimes()[regime], Stream("faults"), lambda brief: Fixed(*acts))


def tried(family: Family, task: Task, *acts: Act) -> tuple[bool, tuple[str, ...]]:
    judgement = acted(family, task, *acts).judgement
    return judgement.success, judgement.because


def begun(family: Family, task: Task, regime: str = BASELINE) -> Episode:
    episode = Episode(family, task, shipped_regimes()[regime], Stream("faults"))
    episode.begin()
    return episode


def lost(family: Family, level: int, regime: str, count: int, *, held_out: bool) -> list[int]:
    """The numbers of the instances that the oracle does not solve."""
    found = []
    for number, task in enumerate(instances(family, level, count, held_out=held_out)):
        played = play(family, task, shipped_regimes()[regime], Stream("faults", number), family.oracle)
        if not played.judgement.success or any(played.counts.values()) or played.followed:
            found.append(number)
    return found
