"""One trial as the ledger holds it: all attempts, what it is of, which outcome counts, what it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.vocabulary import Usage

from .attempts import by_attempt
from .events import Event, decode_event
from .records import Ask, End, asks_of
from .waves import Withdrawal

__all__ = ["Place", "StoredTrial", "TrialLog", "Used", "readable"]


_REFERENCE = b'{"sha256":"'


class _EndEvent(Struct):
    data: End
    attempt: int = 0


class _Reply(Struct):
    usage: Usage = Usage()


class _Received(Struct):
    """As much of a ``received`` event as tells what a call took."""

    tries: tuple[Any, ...] = ()
    reply: _Reply | None = None
    cost: float | None = None


class _ReceivedEvent(Struct):
    data: _Received


_decode_end = msgspec.json.Decoder(_EndEvent).decode
_decode_received = msgspec.json.Decoder(_ReceivedEvent).decode
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


class Used(NamedTuple):
    """What calls took: requests that were sent, tokens as the endpoint counts, money."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def plus(self, other: Used) -> Used:
        return Used(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)


class TrialLog(NamedTuple):
    """All that the ledger holds of a trial. ``end`` is of the attempt that counts; None where it is not finished.

    ``of`` says what the trial is of: that is recorded with an outcome, also with that of an attempt that was lost.
    ``withdrawn``: it is of a wave that was withdrawn, and not of the one that was drawn up in its place.
    """

    id: str
    of: End | None
    counting: int | None
    attempts: dict[int, list[Event]]
    withdrawn: bool = False

    @property
    def end(self) -> End | None:
        return None if self.counting is None else self.of

    @property
    def latest(self) -> int:
        """The attempt to look at: the one that counts, or else the last one."""
        return max(self.attempts) if self.counting is None else self.counting

    def asks(self, attempt: int) -> list[Ask]:
        return asks_of(self.id, self.attempts.get(attempt, ()))


@contextmanager
def readable(trial: str) -> Iterator[None]:
    """Events that are well chained but not of the shape the bench writes (someone else's bundle) are named, not met."""
    try:
        yield
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise IntegrityError(f"trial {trial[:12]}: cannot be read ({what})") from None


class Place(NamedTuple):
    path: Path
    offset: int
    length: int


class StoredTrial:
    """A trial of which only the outcome was decoded. ``number`` counts from 1 in the order of the ledger."""

    __slots__ = ("_ends", "_events", "_find_text", "_places", "id", "number", "of", "retried", "withdrawn")

    def __init__(self, text: Callable[[str, Place | None], str], trial: str) -> None:
        self._find_text, self.id, self.number = text, trial, 0
        self._events: list[tuple[bytes, bytes]] = []  # kind and content
        self._places: dict[str, Place | None] = {}  # of texts that its requests refer to, where known
        self._ends: dict[int, End] = {}
        self.of: End | None = None  # with the outcome that counts, or else with the last one that does not
        self.retried = 0  # how often it was lost and asked again
        self.withdrawn = False

    @property
    def counting(self) -> int | None:
        """The lowest complete attempt that was not asked again after a loss."""
        return min(self._ends, default=None)

    @property
    def end(self) -> End | None:
        return self.of if self._ends else None

    @property
    def references(self) -> set[str]:
        """Digests that its requests name: of texts of the ledger, and of its own replies."""
        return set(self._places)

    def read(self) -> TrialLog:
        """Decode all of it, with the texts that requests refer to put back in their places."""
        attempts = by_attempt([decode_event(event) for _, event in self._events], self._text)
        return TrialLog(self.id, self.of, self.counting, attempts, self.withdrawn)

    def used(self) -> Used:
        """What all its attempts took."""
        total = Used()
        for kind, event in self._events:
            if kind in (b"sent", b"resent"):
                total = total.plus(Used(1))
            elif kind == b"received":
                try:
                    data = _decode_received(event).data
                except _UNREADABLE as error:
                    raise IntegrityError(f"trial {self.id[:12]}: cannot be read ({error})") from None
                usage = data.reply.usage if data.reply else Usage()
                tokens = (usage.input or 0) + (usage.output or 0)
                again = len(data.tries) - (data.reply is None)  # beside the first, which was announced
                total = total.plus(Used(again, tokens, data.cost or 0.0))
        return total

    def _text(self, key: str) -> str:
        return self._find_text(key, self._places.get(key))

    def take(self, kind: bytes, event: bytes, place_of: Callable[[str], Place | None]) -> None:
        self._events.append((kind, event))
        self.withdrawn = False
        if kind == b"end":
            try:
                end = _decode_end(event)
            except _UNREADABLE as error:
                raise IntegrityError(
                    f"trial {self.id[:12]}: an outcome that cannot be read ({error})"
                ) from None
            self._ends[end.attempt] = end.data
            self.of = self._ends[min(self._ends)]
        elif kind == b"retried":
            if not self._ends:
                raise IntegrityError(f"trial {self.id[:12]} is asked again and was not lost")
            self._ends.clear()
            self.retried += 1
        elif kind == b"sent" and _REFERENCE in event:
            for part in event.split(_REFERENCE)[1:]:
                key = part[:64].decode("ascii", "replace")
                self._places[key] = place_of(key)

    def is_of(self, withdrawal: Withdrawal) -> bool:
        of = self.of
        ended = of is not None and withdrawal.covers(of.instrument, of.stratum, of.wave)
        return ended or self.id in withdrawal.unfinished

    def withdraw(self, withdrawal: Withdrawal | None) -> None:
        """If its wave is withdrawn, no attempt so far counts."""
        if withdrawal is not None and self.is_of(withdrawal):
            self._ends.clear()
            self.withdrawn = True
