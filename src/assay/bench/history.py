"""What an earlier session of a run left behind: read once, when a run is resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.evidence.attempts import restore_texts
from assay.evidence.chain import OVERHEAD, Line, find_tail, genesis, read_lines
from assay.evidence.events import TAIL, TAIL_SIZE, Event, decode_event
from assay.evidence.faults import FailedTries, FaultCounts, FaultSummary, LostTrial
from assay.evidence.ledger import recover, segment_paths
from assay.evidence.waves import Wave, Waves, Withdrawal, reopen_wave, take_wave, take_withdrawal
from assay.study.lock import Lock
from assay.study.model import Budget
from assay.vocabulary import Usage

from .meter import Meter

__all__ = ["History", "StopData", "met_faults"]


class _Reply(Struct):
    usage: Usage = Usage()


class _Received(FailedTries):
    """As much of a ``received`` event as the meter and the count of faults need."""

    seconds: float = 0.0
    reply: _Reply | None = None
    cost: float | None = None


class _ReceivedEvent(Struct):
    data: _Received


class _TrialOf(Struct):
    subject: str


class _End(Struct):
    """As much of an ``end`` event as tells which trials a withdrawal is about."""

    instrument: str
    stratum: str
    wave: int
    trial: _TrialOf


class _EndEvent(Struct):
    data: _End
    attempt: int = 0


class _Ended(NamedTuple):
    """Trials of a later wave with an outcome have these in common."""

    instrument: str
    stratum: str
    wave: int
    subject: str
    attempt: int


_decode_received = msgspec.json.Decoder(_ReceivedEvent).decode
_decode_end = msgspec.json.Decoder(_EndEvent).decode
_FIRST_WAVE = re.compile(rb'"wave":0\}\Z')  # how the data of an ``end`` event ends


class StopData(Struct, omit_defaults=True):
    """The data of a ``stopped`` event. ``mend`` is the change of the study without which it would be stopped again.

    ``calls`` were sent until then, in all sessions: of a call that was given up between two tries nothing else tells.
    """

    reason: str = ""
    mend: str = ""
    calls: int = 0


class History:
    """Finished trials, half-finished ones, waves, and what was used up."""

    def __init__(self) -> None:
        self.finished: set[bytes] = set()
        self.begun: dict[str, list[tuple[Path, int, int]]] = {}
        self.passed: dict[str, int] = {}  # trial to be begun anew → its last attempt, which does not count
        self.waves: Waves = {}
        self.heads: dict[str, str] = {}
        self.torn: dict[str, int] = {}
        self.ended = False
        self.retrying: list[str] | None = None  # the faults whose lost trials are being asked again; []: all
        self.stopped = StopData()  # how the last session ended, where it was stopped
        self.sessions: list[dict[str, Any]] = []  # the data of every ``run`` event
        self.times: list[float] = []  # when sessions began and ended
        self.faults = FaultCounts()
        self.due: dict[
            str, LostTrial
        ] = {}  # lost trials that a session was to ask again, and has not begun to
        self._later: dict[_Ended, list[bytes]] = {}  # trials of all waves but the first of a stratum
        self._asked: set[str] = set()  # trials without an outcome that asked the subject or read the clock
        self._asking: set[tuple[str, str, int]] = set()  # later waves that have such trials
        self._texts: dict[str, tuple[Path, int, int]] = {}

    @classmethod
    def read(cls, folder: Path, lock: str, meter: Meter, *, repair: bool = True) -> History:
        """Read all segments. ``repair`` cuts torn tails off; without it they are only reported."""
        history = cls()
        for path in segment_paths(folder):
            head = genesis(lock, path.name)
            line: Line | None = None
            for line in history._sound(path, lock, repair):
                try:
                    history._take(path, line, meter)
                except IntegrityError as error:
                    raise IntegrityError(f"{path.name} line {line.number}: {error}") from None
                except (KeyError, TypeError, AttributeError, ValueError, msgspec.ValidationError) as error:
                    raise IntegrityError(
                        f"{path.name} line {line.number}: not an event of ours ({error})"
                    ) from None
            if line is not None:
                head = line.hash
                meter.spent_before += _span(path, line)
            history.heads[path.name] = head.decode()
        return history

    def _sound(self, path: Path, lock: str, repair: bool) -> Iterator[Line]:
        """The lines of a segment up to a torn tail. A chain that is broken otherwise is raised, by line."""
        first = genesis(lock, path.name)
        try:
            yield from read_lines(path, first)
        except IntegrityError:
            tail = recover(path, lock) if repair else find_tail(path, first)
            if not tail.torn:
                raise
            self.torn[path.name] = tail.torn

    def _take(self, path: Path, line: Line, meter: Meter) -> None:
        found = TAIL.search(line.event, max(0, len(line.event) - TAIL_SIZE))
        if found is None:
            self._take_other(path, line, meter)
            return
        kind, trial = found[1], found[2].decode()
        if kind == b"end":
            self._take_end(trial, line.event, found.start())
            return
        if kind == b"retried":
            if trial not in self.due:
                raise IntegrityError(f"trial {trial[:12]} is asked again, and no session was to do that")
            self.reopen(trial)
            return
        self.begun.setdefault(trial, []).append((path, line.offset, len(line.event)))
        if kind in (b"sent", b"clock"):
            self._asked.add(trial)
        if kind == b"sent":
            meter.calls += 1
        elif kind == b"resent":
            meter.calls += 1
            meter.resent += 1
        elif kind == b"received":
            received = _decode_received(line.event).data
            for one in received.tries:
                meter.faults[one["fault"]] += 1
            if received.tries:
                self.faults.received(trial, received, received.reply is not None)
            meter.calls += len(received.tries) - (received.reply is None)
            if received.reply is not None:
                meter.take_reply(received.reply.usage, None, received.seconds)
                meter.cost += received.cost or 0.0

    def _take_end(self, trial: str, event: bytes, data_end: int) -> None:
        """An outcome. Only what can be withdrawn is decoded: the first wave of a stratum never is."""
        raw = bytes.fromhex(trial)
        self.finished.add(raw)
        self.begun.pop(trial, None)
        self.passed.pop(trial, None)
        self.faults.ended(trial, event)
        asked = trial in self._asked
        self._asked.discard(trial)
        if _FIRST_WAVE.search(event, max(0, data_end - 16), data_end) is None:
            end = _decode_end(event)
            of = end.data
            key = _Ended(of.instrument, of.stratum, of.wave, of.trial.subject, end.attempt)
            self._later.setdefault(key, []).append(raw)
            if asked:
                self._asking.add(key[:3])

    def reopen(self, trial: str) -> None:
        """A lost trial is asked again, so its wave is open again."""
        lost = self.faults.retried(trial)
        reopen_wave(self.waves, lost.instrument, lost.stratum, lost.wave)
        self.due.pop(trial, None)
        self.finished.discard(bytes.fromhex(trial))
        self.passed[trial] = lost.attempt

    def withdraw(self, withdrawal: Withdrawal) -> None:
        """Waves that only computed do not count any more; their trials are begun anew where they are drawn up again."""
        take_withdrawal(self.waves, withdrawal)
        covered = [key for key in self._later if withdrawal.covers(*key[:3])]
        for key in sorted(covered, key=lambda key: -key.attempt):
            for raw in self._later.pop(key):
                if raw in self.finished:  # else this attempt was lost, and the trial asked again
                    self.finished.discard(raw)
                    self.passed[raw.hex()] = key.attempt
                    self.faults.withdrawn(raw.hex(), key.instrument, key.subject)
        for trial in withdrawal.unfinished:
            if trial not in self.begun:
                raise IntegrityError(f"trial {trial[:12]} is withdrawn as unfinished and is not")
            self.passed[trial] = max(_load(place).attempt for place in self.begun.pop(trial))
        self.due = {
            trial: one
            for trial, one in self.due.items()
            if not withdrawal.covers(one.instrument, one.stratum, one.wave)
        }

    def asking_wave(self, instrument: str, stratum: str, after: int) -> int | None:
        """The first wave behind this one that asked or read the clock, so that it cannot be computed anew."""
        return min(
            (n for i, s, n in self._asking if (i, s) == (instrument, stratum) and n > after), default=None
        )

    def has_asked(self, unfinished: Iterable[str]) -> bool:
        """Whether one of these trials, which have no outcome, asked or read the clock."""
        return not self._asked.isdisjoint(unfinished)

    def _check_withdrawal(self, withdrawal: Withdrawal) -> None:
        """Waves are withdrawn only where trials of the wave before are to be asked again, and if they only computed."""
        instrument, stratum, before = withdrawal.instrument, withdrawal.stratum, withdrawal.number - 1
        what = f"wave {withdrawal.number} of {stratum!r} is withdrawn"
        if not any(
            (one.instrument, one.stratum, one.wave) == (instrument, stratum, before)
            for one in self.due.values()
        ):
            raise IntegrityError(f"{what}, and no trial of the wave before it is asked again")
        asked = self.asking_wave(instrument, stratum, before) is not None
        if asked or self.has_asked(withdrawal.unfinished):
            raise IntegrityError(f"{what}, and not all that was done there can be computed anew")

    def lost_to(self, faults: Collection[str]) -> dict[str, LostTrial]:
        """The trials that are lost to these faults, in the order of their ids; no fault named: to any."""
        lost = self.faults.lost
        return {trial: lost[trial] for trial in sorted(lost) if not faults or lost[trial].reason in faults}

    def _take_other(self, path: Path, line: Line, meter: Meter) -> None:
        """Events that belong to no trial: few, and read whole."""
        event = decode_event(line.event)
        kind = event.kind
        if kind == "text":
            self._texts[event.data["sha256"]] = (path, line.offset, len(line.event))
        elif kind in ("wave", "closed"):
            take_wave(self.waves, kind, msgspec.convert(event.data, Wave))
        elif kind == "withdrawn":
            withdrawal = msgspec.convert(event.data, Withdrawal)
            self._check_withdrawal(withdrawal)
            self.withdraw(withdrawal)
        elif kind in ("run", "stopped", "finished"):
            self.times.append(event.at)
            self.ended = kind == "finished"  # a run that lost trials may be begun again
            self.stopped = msgspec.convert(event.data, StopData) if kind == "stopped" else StopData()
            meter.calls = max(meter.calls, self.stopped.calls)
            if kind == "finished":
                self.retrying = None
            elif kind == "run":
                self.sessions.append(event.data)
                if "retry" in event.data:
                    self.retrying = event.data["retry"]["faults"]
                    self.due |= self.lost_to(event.data["retry"]["faults"])
        else:
            raise IntegrityError(f"an event of an unknown kind {kind!r}")

    def listed_faults(self, lock: Lock) -> list[FaultSummary]:
        """The faults of all trials; where a run has one subject, those of unfinished trials are its own, too."""
        specs = lock.study.specs
        return self.faults.listed(only=specs[0].title if len(specs) == 1 else "")

    def tape(self, trial: str) -> list[Event]:
        """The events of the last attempt at an unfinished trial, texts put back in their places."""
        events = [_load(place) for place in self.begun.get(trial, ())]
        if not events:
            return []
        last = max(event.attempt for event in events)
        events = sorted((e for e in events if e.attempt == last), key=lambda e: e.ordinal)
        restore_texts(events, lambda key: str(_load(self._texts[key]).data["text"]))
        return events


def met_faults(folder: Path, lock: Lock) -> list[FaultSummary]:
    """What went wrong in a run so far, finished or not."""
    history = History.read(folder, lock.digest, Meter(Budget()), repair=False)
    return history.listed_faults(lock)


def _load(place: tuple[Path, int, int]) -> Event:
    path, offset, length = place
    with path.open("rb") as file:
        return decode_event(os.pread(file.fileno(), length, offset + 9))


def _span(path: Path, last: Line) -> float:
    """Seconds from a segment's first event to its last."""
    with path.open("rb") as file:
        size = len(file.readline())
    first = _load((path, 0, size - OVERHEAD))
    return max(0.0, decode_event(last.event).at - first.at)
