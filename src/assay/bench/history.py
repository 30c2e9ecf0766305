"""What an earlier session of a run left behind: read once, when a run is resumed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.evidence.chain import Line, find_tail, genesis, read_lines
from assay.evidence.events import Event, decode_event, decode_head
from assay.evidence.ledger import recover, segment_paths
from assay.evidence.records import Wave, restore_texts
from assay.vocabulary import Usage

from .meter import Meter

__all__ = ["History"]


class _Reply(Struct):
    usage: Usage = Usage()


class _Received(Struct):
    """As much of a ``received`` event as the meter needs."""

    tries: tuple[dict[str, Any], ...]
    seconds: float = 0.0
    reply: _Reply | None = None
    cost: float = 0.0


class _EndWave(Struct):
    instrument: str
    stratum: str
    wave: int


_decode_received = msgspec.json.Decoder(_Received).decode
_decode_end = msgspec.json.Decoder(_EndWave).decode
_decode_wave = msgspec.json.Decoder(Wave).decode


class History:
    """Finished trials, half-finished ones, waves, and what was used up."""

    def __init__(self) -> None:
        self.finished: set[bytes] = set()
        self.begun: dict[str, list[tuple[Path, int, int]]] = {}
        self.waves: dict[tuple[str, str], list[Wave]] = {}
        self.heads: dict[str, str] = {}
        self.torn: dict[str, int] = {}
        self.ended = False
        self.sessions: list[dict[str, Any]] = []  # the data of every ``run`` event
        self.times: list[float] = []  # when sessions began and ended
        self._texts: dict[str, tuple[Path, int, int]] = {}

    @classmethod
    def read(cls, folder: Path, lock: str, meter: Meter, *, repair: bool = True) -> History:
        """Read all segments. ``repair`` cuts torn tails off; without it they are only reported."""
        history = cls()
        for path in segment_paths(folder):
            head = genesis(lock, path.name)
            tail = recover(path, lock) if repair else find_tail(path, head)
            if tail.torn:
                history.torn[path.name] = tail.torn
            first = last = 0.0
            for line in read_lines(path, head, end=tail.end):
                head = line.hash
                history._take(path, line, meter)
            history.heads[path.name] = head.decode()
            if head != genesis(lock, path.name):
                first, last = _span(path, line)
            meter.spent_before += max(0.0, last - first)
        return history

    def _take(self, path: Path, line: Line, meter: Meter) -> None:
        head = decode_head(line.event)
        kind = head.kind
        if head.trial:
            if kind == "end":
                self.finished.add(bytes.fromhex(head.trial))
                self.begun.pop(head.trial, None)
                return
            self.begun.setdefault(head.trial, []).append((path, line.offset, len(line.event)))
            if kind == "received":
                received = _decode_received(head.data)
                for one in received.tries:
                    meter.faults[one["fault"]] += 1
                meter.calls += len(received.tries)
                if received.reply is not None:
                    meter.calls += 1
                    meter.take_reply(received.reply.usage, None, received.seconds)
                    meter.cost += received.cost
            elif kind == "resent":
                meter.resent += 1
        elif kind == "text":
            self._texts[msgspec.json.decode(head.data)["sha256"]] = (path, line.offset, len(line.event))
        elif kind in ("wave", "closed"):
            self._take_wave(path, line, kind, _decode_wave(head.data))
        elif kind in ("run", "stopped", "finished"):
            event = decode_event(line.event)
            self.times.append(event.at)
            self.ended |= kind == "finished"
            if kind == "run":
                self.sessions.append(event.data)

    def _take_wave(self, path: Path, line: Line, kind: str, wave: Wave) -> None:
        waves = self.waves.setdefault((wave.instrument, wave.stratum), [])
        if kind == "wave" and wave.number == len(waves):
            waves.append(wave)
        elif kind == "closed" and wave.number < len(waves):
            waves[wave.number].closed = True
        else:
            raise IntegrityError(
                f"{path.name} line {line.number}: a wave that does not follow from those before"
            )

    def tape(self, trial: str) -> list[Event]:
        """The events of the last attempt at an unfinished trial, texts put back in their places."""
        events = [_load(place) for place in self.begun.get(trial, ())]
        if not events:
            return []
        last = max(event.attempt for event in events)
        events = sorted((e for e in events if e.attempt == last), key=lambda e: e.ordinal)
        restore_texts(events, lambda key: str(_load(self._texts[key]).data["text"]))
        return events


def _load(place: tuple[Path, int, int]) -> Event:
    path, offset, length = place
    with path.open("rb") as file:
        return decode_event(os.pread(file.fileno(), length, offset + 9))


def _span(path: Path, last: Line) -> tuple[float, float]:
    """The times of a segment's first and last event."""
    with path.open("rb") as file:
        first = decode_event(file.readline()[9:-76])
    return first.at, decode_event(last.event).at
