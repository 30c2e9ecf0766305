"""What went wrong in a run, by subject and kind, the first of each in the words that came with it.

Counted from the events of the ledger alone, in the order in which they were written, so that an audit counts the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.errors import IntegrityError

__all__ = ["FailedTries", "FaultCounts", "FaultSummary", "FirstFault", "LostTrial", "read_faults"]

LINES, LONGEST_TRACE = 12, 1500  # lines and characters of a traceback
LONGEST = 300  # characters of what is said: texts of an altered ledger may have any length
# Keys are sorted and quotes in strings escaped, so no text can look like a key. The last subject is the trial's.
_INSTRUMENT, _SUBJECT = b'"instrument":"', b'"subject":"'
_STRING = re.compile(rb'(?:[^"\\]|\\.)*"')
_EXCLUDED = b'"outcome":"excluded"'


class FailedTries(Struct):
    """As much of the data of a ``received`` event as counting faults takes."""

    tries: tuple[dict[str, Any], ...]
    fault: str | None = None
    detail: str = ""
    trace: str = ""


class FirstFault(Struct, frozen=True, omit_defaults=True):
    """The trial that met it first, what was said, and where code of a subject raised it the end of the traceback."""

    trial: str
    said: str = ""
    trace: str = ""


class FaultSummary(Struct, frozen=True, kw_only=True):
    """One kind of fault that a subject's trials met.

    ``count`` is of tries, ``cured`` those whose ask was answered in the end. ``trials`` met it, ``lost`` are those that
    are excluded for it, ``of`` are all that have an outcome.
    """

    subject: str
    fault: str
    count: int
    cured: int
    trials: int
    lost: int
    of: int
    first: FirstFault


class LostTrial(NamedTuple):
    """A trial that ended as excluded, and for which fault."""

    instrument: str
    subject: str
    stratum: str
    wave: int
    attempt: int
    ordinal: int
    reason: str


class _Met(Struct):
    """What the trials of one instrument and subject met of one kind of fault."""

    place: int  # in the order of the ledger
    first: FirstFault
    count: int = 0
    cured: int = 0
    trials: int = 0
    lost: int = 0


class _TrialOf(Struct):
    subject: str


class _End(Struct):
    instrument: str
    stratum: str
    wave: int
    outcome: str
    trial: _TrialOf
    reason: str = ""
    report: Any = None


class _EndEvent(Struct):
    data: _End
    attempt: int = 0
    ordinal: int = 0


_decode_end = msgspec.json.Decoder(_EndEvent).decode


class FaultCounts:
    """Takes the events of trials in the order of the ledger."""

    def __init__(self) -> None:
        self.lost: dict[str, LostTrial] = {}  # trials whose outcome is excluded
        self._pending: dict[str, dict[str, _Met]] = {}  # trial without an outcome → fault → what it met
        self._met: dict[tuple[str, str], dict[str, _Met]] = {}  # (instrument, subject) → fault
        self._ended: Counter[tuple[bytes, bytes]] = Counter()
        self._places = 0

    def received(self, trial: str, received: FailedTries, answered: bool) -> None:
        """The end of an ask, some of whose tries failed."""
        mine = self._pending.setdefault(trial, {})
        for one in received.tries:
            last = one is received.tries[-1] and not answered
            said = received.detail if last and received.detail else one.get("detail", "")
            met = self._one(mine, trial, one["fault"], said, received.trace if last else "")
            met.count += 1
            met.cured += answered
            met.trials = 1

    def _one(self, mine: dict[str, _Met], trial: str, fault: str, said: Any, trace: str = "") -> _Met:
        if fault not in mine:
            self._places += 1
            mine[fault] = _Met(self._places, FirstFault(trial, _text(said), _last_lines(trace)))
        elif not mine[fault].first.said and said:
            mine[fault].first = FirstFault(trial, _text(said), _last_lines(trace))
        return mine[fault]

    def ended(self, trial: str, event: bytes) -> None:
        """An outcome. Only that of a trial that met a fault is decoded: a run has many."""
        instrument = _string(event, event.find(_INSTRUMENT), len(_INSTRUMENT))
        self._ended[instrument, _string(event, event.rfind(_SUBJECT), len(_SUBJECT))] += 1
        mine = self._pending.pop(trial, {})
        if not mine and _EXCLUDED not in event:
            return
        found = _decode_end(event)
        end = found.data
        if end.outcome == "excluded":
            self.lost[trial] = LostTrial(
                end.instrument,
                end.trial.subject,
                end.stratum,
                end.wave,
                found.attempt,
                found.ordinal,
                end.reason,
            )
            if end.reason not in mine:  # a time limit, a sandbox that died: no try failed
                said = end.report.get("detail", "") if isinstance(end.report, dict) else ""
                met = self._one(mine, trial, end.reason, said)
                met.count, met.trials = 1, 1
            mine[end.reason].lost += 1
        _add(self._met.setdefault((end.instrument, end.trial.subject), {}), mine)

    def retried(self, trial: str) -> LostTrial:
        """A lost trial is asked again: what failed stays counted, the trial is not lost any more."""
        if trial not in self.lost:
            raise IntegrityError(f"trial {trial[:12]} is asked again and was not lost")
        lost = self.lost[trial]
        self.withdrawn(trial, lost.instrument, lost.subject)
        return lost

    def withdrawn(self, trial: str, instrument: str, subject: str) -> None:
        """A trial's outcome does not count any more, and if it was lost, that does not either."""
        self._ended[encode(instrument), encode(subject)] -= 1
        lost = self.lost.pop(trial, None)
        if lost is not None:
            met = self._met[instrument, subject][lost.reason]
            met.lost -= 1
            met.trials -= 1

    def listed(self, instrument: str | None = None, *, only: str = "") -> list[FaultSummary]:
        """The faults of an instrument's finished trials; without a name those of all trials, unfinished ones included.

        ``only`` is the subject of a run that has one: an unfinished trial does not tell whose it is.
        """
        found: dict[str, dict[str, _Met]] = {}
        for (name, subject), mine in self._met.items():
            if instrument in (None, name):
                _add(found.setdefault(subject, {}), mine)
        for mine in self._pending.values() if instrument is None else ():
            _add(found.setdefault(only, {}), mine)
        of = self._trials(instrument)
        met = ((one, subject, fault) for subject, mine in found.items() for fault, one in mine.items())
        return [
            FaultSummary(
                subject=subject,
                fault=fault,
                count=one.count,
                cured=one.cured,
                trials=one.trials,
                lost=one.lost,
                of=of[subject],
                first=one.first,
            )
            for one, subject, fault in sorted(met, key=lambda item: item[0].place)
        ]

    def _trials(self, instrument: str | None) -> Counter[str]:
        counted: Counter[str] = Counter()
        for (name, subject), number in self._ended.items():
            if instrument in (None, msgspec.json.decode(name)):
                counted[msgspec.json.decode(subject)] += number
        return counted


def _add(to: dict[str, _Met], more: Mapping[str, _Met]) -> None:
    for fault, one in more.items():
        known = to.get(fault)
        if known is None:
            to[fault] = msgspec.structs.replace(one)
            continue
        earlier, later = sorted((known, one), key=lambda met: met.place)
        known.first = earlier.first if earlier.first.said or not later.first.said else later.first
        known.place = earlier.place
        known.count += one.count
        known.cured += one.cured
        known.trials += one.trials
        known.lost += one.lost


def _string(event: bytes, key: int, length: int) -> bytes:
    """The JSON string behind a key, with its quotes."""
    start = key + length
    end = event.find(b'"', start)
    if key < 0 or end < 0:
        raise IntegrityError("an outcome without its trial")
    if event[end - 1] == 0x5C:  # an escaped quote, perhaps
        whole = _STRING.match(event, start)
        end = whole.end() - 1 if whole else end
    return event[start - 1 : end + 1]


def _last_lines(trace: str) -> str:
    lines = [line for line in trace.rstrip().splitlines() if not line.startswith("Traceback (")]
    return "\n".join(lines[-LINES:])[-LONGEST_TRACE:]


def _text(said: Any) -> str:
    return said[:LONGEST] if isinstance(said, str) else ""


def read_faults(envelope: Mapping[str, Any]) -> list[FaultSummary]:
    """The faults that a reading lists; one that was made before readings did lists none."""
    try:
        return msgspec.convert(envelope.get("faults", []), list[FaultSummary])
    except msgspec.ValidationError as error:
        raise IntegrityError(f"a reading's faults cannot be read ({error})") from None
