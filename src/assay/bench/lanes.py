"""Where trials wait and who takes them: waves under way, lanes of subjects, workers."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import NamedTuple

from assay.errors import OWN_FAULTS, SubjectFault, SubjectRefused
from assay.evidence.waves import Wave
from assay.subjects.base import Subject
from assay.vocabulary import Trial

from .caller import Caller
from .instrument import Instrument
from .progress import Tally

__all__ = ["Lane", "OpenWave", "Task", "Worker"]


class OpenWave:
    """A wave under way: how many outcomes are still missing."""

    def __init__(self, instrument: Instrument, wave: Wave, missing: int) -> None:
        self.instrument, self.wave, self.missing = instrument, wave, missing
        self.done = asyncio.Event()
        if not missing:
            self.done.set()

    def one_less(self) -> None:
        self.missing -= 1
        if self.missing == 0:
            self.done.set()


class Task(NamedTuple):
    trial: Trial
    id: str
    wave: OpenWave
    tally: Tally


class Worker:
    """What a worker is at, so that the watchman can tell when a trial takes too long."""

    def __init__(self) -> None:
        self.since = math.inf
        self.too_long = False
        self.task: asyncio.Task[None] | None = None


class Lane:
    """A subject with its caller and the belt its workers take trials from.

    A belt and two signals instead of a queue: with thousands of trials a second, a worker that finds one lying
    there should not have to wait for anything.
    """

    def __init__(self, subject: Subject, caller: Caller) -> None:
        self.subject, self.caller = subject, caller
        self.lost_in_a_row = 0
        self._belt: deque[Task] = deque()
        self._most = max(256, 4 * subject.connections)
        self._filled, self._room = asyncio.Event(), asyncio.Event()

    def given_up(self, fault: SubjectFault) -> tuple[str, SubjectRefused]:
        """Why a run stops after so many losses in a row, in a sentence and as an error."""
        who, number = self.subject.spec.title, self.lost_in_a_row
        if fault.name in OWN_FAULTS:
            told = f"{who}: its own code failed in {number} trials in a row, the last with {fault}"
            refused, first = f"{who} fails by its own code: {fault}", "Mend the subject"
        else:
            told = f"{who}: {number} trials in a row were lost to infrastructure, the last to {fault}"
            refused, first = f"{who} does not answer: {fault}", "Put the endpoint right"
        rest = "resume with --retry-lost to ask these again, too, or without it for the rest"
        return f"{told}; they are excluded. {first} and {rest}", SubjectRefused(refused)

    async def put(self, task: Task) -> None:
        if len(self._belt) >= self._most:
            self._room.clear()
            await self._room.wait()
        self._belt.append(task)
        self._filled.set()

    async def take(self) -> Task:
        while not self._belt:
            self._filled.clear()
            await self._filled.wait()
        if len(self._belt) <= self._most // 2:
            self._room.set()
        return self._belt.popleft()
