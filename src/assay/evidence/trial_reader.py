"""Trials as the ledger holds them, one after another: what people look at and what is exported.

`LedgerIndex` knows where everything is, for scoring and replay; its size grows with the run. Here a ledger is gone
through once and no more is held than the trials under way, so the first trials of a large run come at once and all of
them take no more memory than a few. Nothing is written.
"""

from __future__ import annotations

import heapq
import os
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from assay.errors import InputError, IntegrityError

from .chain import LONGEST, OVERHEAD, Line, fault_of, find_tail, genesis, read_lines
from .events import APART, TAIL, TAIL_SIZE, Event, decode_event
from .ledger import segment_paths
from .trials import Place, StoredTrial, TrialLog
from .waves import Wave, Waves, Withdrawal, take_wave, take_withdrawal

__all__ = ["TrialReader"]

REMEMBERED_TEXTS = 8192  # twice as many as the writer remembers before it writes a text again
BLOCK = 4 << 20  # bytes that are searched at once
MOST_NAMED = 5  # trials that a message names

_TEXT_EVENT = b'"data":{"sha256":"'
_WAVE_EVENT = b'"kind":"wave"},"hash":"'
_RETRIED_EVENT = b',"kind":"retried",'
_WITHDRAWN_EVENT = b'"kind":"withdrawn"},"hash":"'


class _Hit(NamedTuple):
    segment: int
    offset: int
    event: bytes


class TrialReader:
    """The trials of a ledger. ``torn`` are the segments that end in what a crash left, or a writer is writing."""

    def __init__(self, folder: Path, lock: str) -> None:
        sizes = {path: _whole_lines(path) for path in segment_paths(folder)}
        self._whole = {path: end for path, (end, _) in sizes.items()}  # bytes of whole lines, now
        self.torn = {path.name for path, (end, size) in sizes.items() if end < size}
        self._lock = lock
        self._texts: OrderedDict[str, Place] = OrderedDict()
        self._recent: OrderedDict[str, str] = OrderedDict()  # texts that were read lately
        self._again = any(map(_asks_again, self._whole))
        self._retries: Counter[str] = Counter()
        self._withdrawals: list[Withdrawal] = []  # that are still to come, in the order of the ledger

    def __iter__(self) -> Iterator[StoredTrial]:
        """Trials in the order in which they ended; those that have not come last, in the order of their beginning.

        Those of withdrawn waves do not come, nor do the attempts that a trial had in one: nothing of them is held.
        Where the ledger is altered, those with an outcome before that place come first, and then the error.
        """
        self._texts.clear()
        self._retries, self._withdrawals = self._find_retries()
        open_: dict[str, StoredTrial] = {}
        number, broken = 0, None
        try:
            for ended in self._ended(open_):
                number += 1
                ended.number = number
                yield ended
        except IntegrityError as error:
            broken = error
        for trial in open_.values():
            if broken is None or trial.end is not None:
                number += 1
                trial.number = number
                yield trial
        if broken is not None:
            raise broken

    def _ended(self, open_: dict[str, StoredTrial]) -> Iterator[StoredTrial]:
        for path, end in self._whole.items():
            for line in self._sound(path, end):
                try:
                    ended = self._take(path, line, open_)
                except IntegrityError as error:
                    raise IntegrityError(f"{path.name} line {line.number}: {error}") from None
                if ended is not None:
                    yield ended

    def _sound(self, path: Path, end: int) -> Iterator[Line]:
        first = genesis(self._lock, path.name)
        try:
            yield from read_lines(path, first, end=end)
        except IntegrityError:
            if not find_tail(path, first).torn:
                raise
            self.torn.add(path.name)

    def _take(self, path: Path, line: Line, open_: dict[str, StoredTrial]) -> StoredTrial | None:
        """Take an event in; the trial that it ends, if it does."""
        event = line.event
        found = _tail(event)
        if found is None:
            self._take_other(path, line, open_)
            return None
        kind, trial = found[1], found[2].decode()
        stored = open_.get(trial)
        if stored is None:
            stored = open_[trial] = StoredTrial(self.text, trial)
        stored.take(kind, event, self._place)
        if kind != b"end" or stored.retried != self._retries.get(trial, 0):
            return None
        del open_[trial]
        if any(map(stored.is_of, self._withdrawals)):
            self._forget(stored)
            return None
        return stored

    def _find_retries(self) -> tuple[Counter[str], list[Withdrawal]]:
        """How often each trial was lost and asked again later, and what was withdrawn for that: what comes before is
        not the last word. A line that was altered ends the search: whoever goes through the ledger meets it there."""
        retries: Counter[str] = Counter()
        withdrawals: list[Withdrawal] = []
        if self._again:
            with suppress(IntegrityError):
                for hit in self._lines_with(_RETRIED_EVENT):
                    if (tail := _tail(hit.event)) and tail[1] == b"retried":
                        retries[tail[2].decode()] += 1
            with suppress(IntegrityError):
                for hit in self._lines_with(_WITHDRAWN_EVENT):
                    if (withdrawal := _withdrawal(hit.event)) is not None:
                        withdrawals.append(withdrawal)
        return retries, withdrawals

    def _forget(self, stored: StoredTrial) -> None:
        """A trial of a withdrawn wave: if it is drawn up again it is as if it were new."""
        if stored.retried:
            self._retries[stored.id] -= stored.retried

    def _take_other(self, path: Path, line: Line, open_: dict[str, StoredTrial]) -> None:
        """Events of no trial. Texts are remembered as the writer does: those that were used lately."""
        event = decode_event(line.event)
        if event.kind not in APART:
            raise IntegrityError(f"an event of an unknown kind {event.kind!r}")
        if event.kind == "text":
            self._texts[_key(event)] = Place(path, line.offset, len(line.event))
            if len(self._texts) > REMEMBERED_TEXTS:
                self._texts.popitem(last=False)
        elif event.kind == "withdrawn" and self._withdrawals:
            withdrawal = self._withdrawals.pop(0)
            for stored in [one for one in open_.values() if one.is_of(withdrawal)]:
                self._forget(open_.pop(stored.id))

    def _place(self, key: str) -> Place | None:
        if key in self._texts:
            self._texts.move_to_end(key)
        return self._texts.get(key)

    def text(self, key: str, place: Place | None = None) -> str:
        """A text by its digest: where it is known to be, or else wherever the ledger has it."""
        if key in self._recent:
            self._recent.move_to_end(key)
            return self._recent[key]
        text = self._load(place) if place is not None else self._search_texts({key}).get(key)
        if text is None:
            raise IntegrityError(f"the ledger refers to a text {key[:12]} that it does not hold")
        if len(text) < 1 << 16:
            self._recent[key] = text
            if len(self._recent) > 256:
                self._recent.popitem(last=False)
        return text

    @staticmethod
    def _load(place: Place) -> str:
        with place.path.open("rb") as file:
            event = decode_event(os.pread(file.fileno(), place.length, place.offset + 9))
        return _text(event)

    # By id, without going through everything.

    def find(self, prefix: str) -> TrialLog:
        """The one trial whose id begins so: searched for in the bytes, and each line checked against the one before."""
        stored: dict[str, StoredTrial] = {}
        for event in self._in_order(f'"trial":"{prefix}'.encode()):
            tail = _tail(event)
            if tail is None:
                for one in stored.values():
                    one.withdraw(_withdrawal(event))
            elif tail[2].startswith(prefix.encode()):
                trial = tail[2].decode()
                stored.setdefault(trial, StoredTrial(self.text, trial)).take(tail[1], event, lambda _: None)
            if len(stored) > MOST_NAMED:
                break
        if not stored:
            raise InputError(f"no trial of this run has an id that begins with {prefix!r}")
        if len(stored) > 1:
            named = ", ".join(sorted(trial[: len(prefix) + 8] for trial in stored)[:MOST_NAMED])
            more = " and more" if len(stored) > MOST_NAMED else ""
            raise InputError(f"several trials have an id that begins with {prefix!r}: {named}{more}")
        (found,) = stored.values()
        if found.references:  # one search for all of them
            self._recent.update(self._search_texts(found.references))
        return found.read()

    def planned(self) -> int:
        """How many trials the waves have that were opened and not withdrawn."""
        waves: Waves = {}
        for event in self._in_order(_WAVE_EVENT):
            if (withdrawal := _withdrawal(event)) is not None:
                take_withdrawal(waves, withdrawal)
            elif (opened := decode_event(event)).kind == "wave":
                try:
                    take_wave(waves, "wave", msgspec.convert(opened.data, Wave))
                except msgspec.ValidationError as error:
                    raise IntegrityError(f"a wave that cannot be read ({error})") from None
        return sum(wave.trials for found in waves.values() for wave in found)

    def _in_order(self, needle: bytes) -> Iterator[bytes]:
        """The events of lines that hold a text, and the withdrawals, in the order of the ledger."""
        needles = (needle, _WITHDRAWN_EVENT) if self._again else (needle,)
        found = heapq.merge(*map(self._lines_with, needles), key=lambda hit: hit[:2])
        return (hit.event for hit in found)

    def _search_texts(self, wanted: set[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        keys = {key.encode() for key in wanted}
        for hit in self._lines_with(_TEXT_EVENT, lambda after: after in keys):
            decoded = decode_event(hit.event)
            if decoded.kind == "text":
                found[_key(decoded)] = _text(decoded)
                if len(found) == len(wanted):
                    break
        return found

    def _lines_with(
        self, needle: bytes, follows: Callable[[bytes], bool] = lambda after: True
    ) -> Iterator[_Hit]:
        """The lines that hold a text, and behind it 64 bytes of a certain kind."""
        for number, (path, end) in enumerate(self._whole.items()):
            previous, offset = genesis(self._lock, path.name), 0
            with path.open("rb", buffering=1 << 20) as file:
                while offset < end:
                    block = file.read(min(BLOCK, end - offset))
                    if not block:  # a torn tail was cut off meanwhile
                        break
                    if offset + len(block) < end:
                        block += file.readline(LONGEST)
                    hit = block.find(needle)
                    while hit >= 0:
                        start, stop = block.rfind(b"\n", 0, hit) + 1, block.find(b"\n", hit) + 1
                        behind = hit + len(needle)
                        if follows(block[behind : behind + 64]):
                            line = block[start:stop]
                            fault = fault_of(line, block[start - 67 : start - 3] if start else previous)
                            if fault is not None:
                                self._refuse(path, f"at byte {offset + start}: {fault}")
                                break
                            yield _Hit(number, offset + start, line[9 : -(OVERHEAD - 9)])
                        hit = block.find(needle, stop)
                    previous, offset = block[-67:-3], offset + len(block)

    def _refuse(self, path: Path, fault: str) -> None:
        """A line that does not follow was altered, unless it is what a crash left at the very end."""
        if not find_tail(path, genesis(self._lock, path.name)).torn:
            raise IntegrityError(f"{path.name} {fault}")
        self.torn.add(path.name)


def _key(event: Event) -> str:
    try:
        return str(event.data["sha256"])
    except (KeyError, TypeError):
        raise IntegrityError("a text without its digest") from None


def _text(event: Event) -> str:
    try:
        return str(event.data["text"])
    except (KeyError, TypeError):
        raise IntegrityError("a text that cannot be read") from None


def _withdrawal(event: bytes) -> Withdrawal | None:
    """What an event of no trial withdraws, if it does."""
    decoded = decode_event(event)
    try:
        return msgspec.convert(decoded.data, Withdrawal) if decoded.kind == "withdrawn" else None
    except msgspec.ValidationError as error:
        raise IntegrityError(f"a withdrawal that cannot be read ({error})") from None


def _tail(event: bytes) -> re.Match[bytes] | None:
    return TAIL.search(event, max(0, len(event) - TAIL_SIZE))


def _asks_again(path: Path) -> bool:
    """Whether the session of a segment was to ask lost trials again; its first line says so."""
    with path.open("rb") as file:
        return b'"retry":' in file.readline(LONGEST)


def _whole_lines(path: Path) -> tuple[int, int]:
    """Where the last whole line ends, and how many bytes there are: of a run that goes on, more than that."""
    with path.open("rb") as file:
        at = size = file.seek(0, os.SEEK_END)
        while at:
            start = max(0, at - (1 << 16))
            file.seek(start)
            found = file.read(at - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1, size
            at = start
    return 0, size
