"""Evidence as instruments see it: finished trials of closed waves, in the order of their ids.

Nothing here depends on the order in which things arrived, so a resumed run sees what an uninterrupted one
sees. A ledger is indexed in one pass and its records are read from disk one at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.canonical import digest
from assay.errors import IntegrityError
from assay.vocabulary import Flag, Outcome, Reply, Trial

from .attempts import by_attempt, in_order, restore_texts
from .chain import OVERHEAD, LedgerLine, Line, find_tail, genesis, numbered_lines, read_lines
from .events import Event, Head, decode_event, decode_head
from .ledger import segment_paths
from .waves import Wave, Waves, Withdrawal, reopen_wave, take_wave, take_withdrawal

__all__ = [
    "Ask",
    "End",
    "Evidence",
    "LedgerIndex",
    "Record",
    "Retry",
    "asks_of",
    "scan",
]


# What a record can fail with that is well chained but not of the shape the bench writes: someone else's bundle.
_UNREADABLE = (msgspec.MsgspecError, KeyError, TypeError, AttributeError)


class Place(NamedTuple):
    segment: int
    offset: int
    length: int
    attempt: int
    ordinal: int


class Retry(NamedTuple):
    """A trial that was asked again: which attempt was lost, and to what."""

    attempt: int
    after: str


class _Ended(NamedTuple):
    attempt: int
    instrument: str
    stratum: str
    wave: int
    lost: str | None  # to which fault


_NEVER = Wave("", "", 0, 0, "")  # stands for the first wave of a stratum that was not begun


class _RetryData(Struct):
    faults: list[str] = []


class _Session(Struct):
    """As much of a ``run`` event as an index needs."""

    retry: _RetryData | None = None


class End(Struct):
    """The data of an ``end`` event."""

    outcome: Outcome
    trial: Trial
    instrument: str
    stratum: str
    wave: int
    reason: str = ""
    report: Any = None


class Ask(Struct, frozen=True):
    """One exchange with the subject, as recorded."""

    ordinal: int
    wire: dict[str, Any]
    reply: Reply | None
    seconds: float
    fault: str | None = None
    detail: str | None = None  # what is known of the fault
    tries: tuple[dict[str, Any], ...] = ()  # those that failed, each with its fault
    cost: float | None = None  # None: no price is declared


class Record(Struct, frozen=True):
    """A finished trial: the lowest complete attempt, with everything that went through its probe."""

    id: str
    trial: Trial
    attempt: int
    outcome: Outcome
    reason: str
    report: Any
    events: tuple[Event, ...]

    @property
    def asks(self) -> list[Ask]:
        return asks_of(self.id, self.events)

    @property
    def replies(self) -> list[Reply]:
        return [ask.reply for ask in self.asks if ask.reply is not None]

    @property
    def reference(self) -> str:
        """How a later trial names this one among its inputs: by id, and by a digest of all that happened in it."""
        happened = [(event.kind, event.ordinal, event.data) for event in self.events]
        return f"{self.id}:{digest(happened)}"

    @property
    def said(self) -> str:
        """The same by what was said alone: trials that are built from texts are the same whatever time these took."""
        return f"{self.id}:{digest([reply.text for reply in self.replies])}"

    def computed(self, name: str) -> list[Any]:
        """The results of one recomputable verb, in order."""
        return [e.data["result"] for e in self.events if e.kind == "computed" and e.data["name"] == name]


def asks_of(trial: str, events: Iterable[Event]) -> list[Ask]:
    """The exchanges among the events of one attempt at a trial, finished or not."""
    kept = [event for event in events if event.kind in ("sent", "received")]
    sent = {event.ordinal: event.data for event in kept if event.kind == "sent"}
    try:
        return [_ask(event, sent[event.ordinal]) for event in kept if event.kind == "received"]
    except _UNREADABLE as error:
        raise IntegrityError(f"trial {trial[:12]}: an ask that cannot be read ({error})") from None


def _ask(event: Event, sent: dict[str, Any]) -> Ask:
    reply = event.data.get("reply")
    return Ask(
        ordinal=event.ordinal,
        wire=sent["wire"],
        reply=None if reply is None else msgspec.convert(reply, Reply),
        seconds=event.data.get("seconds", 0.0),
        fault=event.data.get("fault"),
        detail=event.data.get("detail"),
        tries=tuple(event.data.get("tries", ())),
        cost=event.data.get("cost"),
    )


def scan(folder: Path, lock: str) -> Iterator[tuple[Path, Line, Head]]:
    """Every event of every segment, the chain checked on the way."""
    for path in segment_paths(folder):
        for line in read_lines(path, genesis(lock, path.name)):
            yield path, line, decode_head(line.event)


class LedgerIndex:
    """Where everything is. ``refresh`` takes in what was written since the last time.

    ``before`` names a segment: the index is of what the ledger held when that one was begun.
    """

    def __init__(self, folder: Path, lock: str, *, before: str = "") -> None:
        self._folder, self._lock, self._before = folder, lock, before
        self._paths: list[Path] = []
        self._read: list[tuple[int, bytes, int]] = []  # bytes, head and lines already taken in
        self._files: dict[int, int] = {}
        self.waves: Waves = {}
        self.withdrawn: list[tuple[str, Withdrawal]] = []  # with the segment that says so
        self._places: dict[str, list[Place]] = {}
        self._ends: dict[str, _Ended] = {}
        self.retries: dict[str, list[Retry]] = {}  # trials that were lost and asked again
        self._passed: dict[str, int] = {}  # trial of a withdrawn wave → its last attempt that does not count
        self.reopened = False  # whether a session was to ask lost trials again
        self.chosen_faults: set[str] = set()  # to which that was limited, where it was
        self._texts: dict[str, Place] = {}

    def refresh(self) -> None:
        for path in segment_paths(self._folder)[len(self._paths) :]:
            if not self._before or path.name < self._before:
                self._paths.append(path)
                self._read.append((0, genesis(self._lock, path.name), 0))
        for number, path in enumerate(self._paths):
            offset, head, lines = self._read[number]
            if path.stat().st_size <= offset:
                continue
            for line in self._lines(path, offset, head, lines):
                try:
                    self._take(number, line)
                except (IntegrityError, *_UNREADABLE) as error:
                    raise IntegrityError(f"{path.name} line {line.number}: {error}") from None
                offset, head, lines = line.offset + len(line.event) + OVERHEAD, line.hash, line.number
            self._read[number] = (offset, head, lines)

    def _lines(self, path: Path, offset: int, head: bytes, lines: int) -> Iterator[Line]:
        """New lines. A tail that a crash tore is left alone: it is not evidence, and resuming cuts it off."""
        try:
            yield from _continue(path, offset, head, lines)
        except IntegrityError:
            if not find_tail(path, genesis(self._lock, path.name)).torn:
                raise

    def _take(self, segment: int, line: Line) -> None:
        head = decode_head(line.event)
        place = Place(segment, line.offset, len(line.event), head.attempt, head.ordinal)
        if head.trial:
            if self._passed and head.attempt < self.first_attempt(head.trial):
                raise IntegrityError(f"trial {head.trial[:12]}: an attempt that was withdrawn goes on")
            self._places.setdefault(head.trial, []).append(place)
            if head.kind == "end":
                end = msgspec.json.decode(head.data, type=End)
                known = self._ends.get(head.trial)
                if known is None or head.attempt < known.attempt:
                    lost = end.reason if end.outcome == "excluded" else None
                    self._ends[head.trial] = _Ended(head.attempt, end.instrument, end.stratum, end.wave, lost)
            elif head.kind == "retried":
                self._take_retry(head)
        elif head.kind == "text":
            self._texts[msgspec.json.decode(head.data)["sha256"]] = place
        elif head.kind in ("wave", "closed"):
            take_wave(self.waves, head.kind, msgspec.json.decode(head.data, type=Wave))
        elif head.kind == "withdrawn":
            self._take_withdrawal(segment, msgspec.json.decode(head.data, type=Withdrawal))
        elif head.kind == "run":
            retry = msgspec.json.decode(head.data, type=_Session).retry
            self.reopened |= retry is not None
            self.chosen_faults |= set(retry.faults if retry else ())
        elif head.kind not in ("stopped", "finished"):
            raise IntegrityError(f"an event of an unknown kind {head.kind!r}")

    def _take_retry(self, head: Head) -> None:
        """Only a trial that was lost is asked again; what it comes to then counts in place of that."""
        ended = self._ends.pop(head.trial, None)
        if ended is None or ended.lost is None or ended.attempt != head.attempt:
            raise IntegrityError(f"trial {head.trial[:12]} is asked again and was not lost")
        self.retries.setdefault(head.trial, []).append(Retry(ended.attempt, ended.lost))
        reopen_wave(self.waves, ended.instrument, ended.stratum, ended.wave)

    def _take_withdrawal(self, segment: int, withdrawal: Withdrawal) -> None:
        """All that happened in the trials of these waves does not count any more."""
        take_withdrawal(self.waves, withdrawal)
        self.withdrawn.append((self._paths[segment].name, withdrawal))
        ended = [t for t, e in self._ends.items() if withdrawal.covers(e.instrument, e.stratum, e.wave)]
        for trial in ended:
            del self._ends[trial]
        for trial in (*ended, *withdrawal.unfinished):
            if trial in self._ends:
                raise IntegrityError(f"trial {trial[:12]} is withdrawn as unfinished and has an outcome")
            self._passed[trial] = max(place.attempt for place in self._places[trial])
            self.retries.pop(trial, None)

    def is_begun(self, trial: str) -> bool:
        """Whether something happened in the trial since it was last lost or withdrawn, if it ever was."""
        lost = max((retry.attempt for retry in self.retries.get(trial, ())), default=-1)
        return any(
            place.attempt > max(lost, self._passed.get(trial, -1)) for place in self._places.get(trial, ())
        )

    def first_attempt(self, trial: str) -> int:
        """The first attempt that can count: those of withdrawn waves cannot."""
        return self._passed.get(trial, -1) + 1

    def closed_waves(self, instrument: str, stratum: str | None) -> int:
        return sum(
            wave.closed
            for (i, s), waves in self.waves.items()
            if i == instrument and (stratum is None or s == stratum)
            for wave in waves
        )

    def ended(self, instrument: str, stratum: str | None, upto: int | None = None) -> list[str]:
        """Trials with an outcome in a closed wave, in the order of their ids."""
        closed = {
            (i, s, wave.number)
            for (i, s), waves in self.waves.items()
            for wave in waves
            if wave.closed and (upto is None or wave.number < upto)
        }
        return sorted(
            trial
            for trial, (_, i, s, number, _) in self._ends.items()
            if i == instrument and (stratum is None or s == stratum) and (i, s, number) in closed
        )

    def counted(self, trial: str) -> int | None:
        """The attempt that counts: the lowest complete one that was not asked again after a loss."""
        return self._ends[trial].attempt if trial in self._ends else None

    def record(self, trial: str) -> Record:
        attempt = self._ends[trial].attempt
        events = [self._load(place) for place in self._places[trial] if place.attempt == attempt]
        events.sort(key=in_order)
        restore_texts(events, self.text)
        if [event.kind for event in events].index("end") != len(events) - 1:
            raise IntegrityError(f"trial {trial[:12]}: goes on after its end")
        try:
            end = msgspec.convert(events[-1].data, End)
        except _UNREADABLE as error:
            raise IntegrityError(f"trial {trial[:12]}: an outcome that cannot be read ({error})") from None
        return Record(trial, end.trial, attempt, end.outcome, end.reason, end.report, tuple(events))

    def outcome_lines(self, trials: Iterable[str]) -> dict[str, LedgerLine]:
        """The lines that hold the outcomes of finished trials. Lines are counted now: the index need not keep them."""
        wanted: dict[int, dict[int, str]] = {}
        for trial in trials:
            attempt = self._ends[trial].attempt
            own = [place for place in self._places[trial] if place.attempt == attempt]
            end = max(own, key=lambda place: place.ordinal)
            wanted.setdefault(end.segment, {})[end.offset] = trial
        return {
            offsets[line.offset]: LedgerLine(self._paths[segment].name, line.number)
            for segment, offsets in wanted.items()
            for line in numbered_lines(self._paths[segment])
            if line.offset in offsets
        }

    def earlier(self, reference: str) -> Record:
        """A finished trial by its ``reference`` or ``said``; it must still be what it was when it was referred to."""
        trial = reference.partition(":")[0]
        if trial not in self._ends:
            self.refresh()
        if trial not in self._ends:
            raise IntegrityError(
                f"the ledger holds no finished trial {trial[:12]}, which a later one refers to"
            )
        record = self.record(trial)
        if reference not in (record.said, record.reference):
            raise IntegrityError(f"trial {trial[:12]} is not what a later one was built from")
        return record

    def attempts(self, trial: str) -> dict[int, list[Event]]:
        """Everything recorded of a trial, by attempt: what a replay answers from."""
        return by_attempt(map(self._load, self._places.get(trial, ())), self.text)

    def retries_of(self, instrument: str) -> list[tuple[list[Retry], bool]]:
        """The losses of an instrument's trials that were asked again, and whether each is lost still."""
        trials = sorted(self.retries.keys() & self._ends.keys())
        ended = [(self.retries[trial], self._ends[trial]) for trial in trials]
        return [(losses, end.lost is not None) for losses, end in ended if end.instrument == instrument]

    def trials(self) -> list[str]:
        return sorted(self._places)

    def text(self, sha256: str) -> str:
        if sha256 not in self._texts:
            raise IntegrityError(f"the ledger refers to a text {sha256[:12]} that it does not hold")
        text: str = self._load(self._texts[sha256]).data["text"]
        return text

    def _load(self, place: Place) -> Event:
        if place.segment not in self._files:
            self._files[place.segment] = os.open(self._paths[place.segment], os.O_RDONLY | os.O_CLOEXEC)
        return decode_event(os.pread(self._files[place.segment], place.length, place.offset + 9))

    def close(self) -> None:
        for fd in self._files.values():
            os.close(fd)
        self._files.clear()


def _continue(path: Path, offset: int, head: bytes, lines: int) -> Iterator[Line]:
    """``read_lines`` from the middle of a segment."""
    for line in read_lines(path, head, start=offset):
        yield Line(line.number + lines, line.offset, line.event, line.hash)


class Evidence:
    """What ``trials`` and ``score`` are given: closed waves of one instrument, one stratum or all.

    ``upto`` leaves out that wave and later ones: what ``trials`` sees when it opens a wave.
    ``lock`` is the study's lock, for the options a score depends on. Without an index it is the evidence of a run
    that has not begun.
    """

    def __init__(
        self,
        index: LedgerIndex | None,
        instrument: str,
        stratum: str | None = None,
        *,
        lock: Any = None,
        upto: int | None = None,
        flags: Iterable[Flag] = (),
    ) -> None:
        self._index, self.instrument, self.stratum = index, instrument, stratum
        self.lock, self._upto = lock, upto
        self.flags = tuple(flags)  # what became of the run after it was closed; no part of a sealed reading
        self.memo: dict[str, Any] = {}  # what an instrument worked out of it, so that it need not do so twice

    @property
    def waves(self) -> int:
        """How many waves of this stratum (or of all) are closed."""
        if self._upto is not None:  # the bench knows; no need to look into the ledger
            return self._upto
        if self._index is None:
            return 0
        self._index.refresh()
        return self._index.closed_waves(self.instrument, self.stratum)

    def unfinished(self, strata: Iterable[str]) -> list[str]:
        """Those of the strata that have no wave yet, or one whose outcomes are not all final."""
        if self._index is None:
            return list(strata)
        self._index.refresh()
        waves = self._index.waves
        return [
            s for s in strata if not all(wave.closed for wave in waves.get((self.instrument, s), [_NEVER]))
        ]

    def _ids(self) -> list[str]:
        if self._index is None:
            return []
        self._index.refresh()
        return self._index.ended(self.instrument, self.stratum, self._upto)

    def __len__(self) -> int:
        return len(self._ids())

    def __iter__(self) -> Iterator[Record]:
        for trial in self._ids():
            assert self._index is not None
            yield self._index.record(trial)

    def outcome_lines(self, trials: Iterable[str]) -> dict[str, LedgerLine]:
        """Where the ledger holds the outcomes of these trials."""
        return {} if self._index is None else self._index.outcome_lines(trials)

    @property
    def retries(self) -> list[tuple[list[Retry], bool]]:
        """For every trial that was asked again after a loss its losses, and whether it is lost still."""
        if self._index is None:
            return []
        self._index.refresh()
        return self._index.retries_of(self.instrument)

    @property
    def chosen_faults(self) -> list[str]:
        """The faults to which asking again was limited; none where it was not."""
        return [] if self._index is None else sorted(self._index.chosen_faults)

    def text(self, sha256: str) -> str:
        """A text that an event referred to by its digest."""
        if self._index is None:
            raise IntegrityError("there is no ledger yet")
        return self._index.text(sha256)
