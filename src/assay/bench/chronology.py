"""The order and the times of a ledger: what may not be, and what does not add up.

The order of the lines is part of the chain. Times are the machine's own and prove nothing (docs/ledger.md); but a
record that contradicts itself is told, and a study that was locked after it began was not declared first.
"""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError
from assay.evidence.chain import genesis, read_lines
from assay.evidence.events import decode_event
from assay.evidence.ledger import segment_paths
from assay.study.lock import Lock

from .determination import AuditReport

__all__ = ["check_chronology"]

SKEW = 60.0  # seconds by which the clocks of two machines may differ
STEP = 1.0  # seconds that a clock may be put right by without a word
_LAST = datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC).timestamp()


class _Seconds(Struct):
    seconds: float = 0.0


class _Timed(Struct):
    """As much of an event as tells when it was; its data is not looked at."""

    kind: str
    at: float = 0.0
    trial: str = ""
    attempt: int = 0
    ordinal: int = 0


class _Received(Struct):
    data: _Seconds


_decode = msgspec.json.Decoder(_Timed).decode
_decode_received = msgspec.json.Decoder(_Received).decode


def check_chronology(ledger: Path, lock: Lock, sealed: str, report: AuditReport, now: float) -> None:
    """One pass over all segments: sessions that follow from each other, requests before replies, and times."""
    pass_ = _Pass(lock, report)
    for path in segment_paths(ledger):
        pass_.segment(path)
    if pass_.last is not None and pass_.last.kind != "finished":
        report.faults.append("the ledger does not end with the run's end")
    pass_.tell_times(sealed, now)


class _Pass:
    def __init__(self, lock: Lock, report: AuditReport) -> None:
        self._lock, self._report = lock, report
        self._heads: dict[str, str] = {}
        self._sent: dict[tuple[str, int, int], float] = {}  # asks that wait for their reply
        self.last: _Timed | None = None
        self._first: float | None = None
        self._latest = 0.0
        self._back = 0.0
        self._too_long = 0

    def segment(self, path: Path) -> None:
        head = genesis(self._lock.digest, path.name)
        for line in read_lines(path, head):
            head = line.hash
            where = f"{path.name} line {line.number}"
            if line.number == 1:
                self._session(where, line.event)
            try:
                event = _decode(line.event)
                if not 0 <= event.at < _LAST:
                    raise ValueError(f"a time that is none ({event.at:g})")
                self._take(event, line.event, where)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise IntegrityError(f"{where}: {error}") from None
        self._heads[path.name] = head.decode()

    def _session(self, where: str, event: bytes) -> None:
        """A segment begins with a session of this lock that names the heads of exactly the segments before it."""
        first = decode_event(event)
        data = first.data if isinstance(first.data, dict) else {}
        if first.kind != "run" or data.get("lock") != self._lock.digest or data.get("after") != self._heads:
            self._report.faults.append(f"{where}: does not follow from the lock and the segments before it")

    def _take(self, event: _Timed, data: bytes, where: str) -> None:
        if self.last is not None and event.at < self.last.at - STEP:
            self._back += self.last.at - event.at
        self.last = event
        self._first = event.at if self._first is None else self._first
        self._latest = max(self._latest, event.at)
        key = (event.trial, event.attempt, event.ordinal)
        if event.kind in ("sent", "resent"):
            self._sent[key] = event.at
        elif event.kind == "received":
            sent = self._sent.pop(key, None)
            if sent is None:
                self._report.faults.append(f"{where}: a reply without a request before it")
            elif _decode_received(data).data.seconds > event.at - sent + STEP:
                self._too_long += 1

    def tell_times(self, sealed: str, now: float) -> None:
        report, lock = self._report, self._lock
        report.locked, report.sealed = lock.created, sealed
        if self._first is None or self.last is None:
            return
        report.begun, report.ended = _iso(self._first), _iso(self.last.at)
        locked = _seconds(lock.created)
        if locked is None:
            report.faults.append("lock.json: does not say when it was made")
        elif self._first < locked:
            told = f"the run began {locked - self._first:,.0f} s before its study was locked"
            (report.doubts if locked - self._first <= SKEW else report.faults).append(told)
        closed = _seconds(sealed)
        if closed is not None and self._latest > closed + SKEW:
            report.doubts.append(
                f"events are {self._latest - closed:,.0f} s later than the manifest that seals them"
            )
        if self._latest > now + SKEW:
            report.doubts.append(f"events are {self._latest - now:,.0f} s ahead of this machine's clock")
        if self._back:
            report.doubts.append(
                f"the machine's clock was set back by {self._back:,.0f} s while it ran; its times do not add up"
            )
        if self._too_long:
            report.doubts.append(
                f"{self._too_long} replies took longer than there is between their request and their arrival"
            )


def _seconds(iso: str) -> float | None:
    try:
        found = datetime.datetime.fromisoformat(iso)
        return found.timestamp() if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _iso(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="seconds")
