"""Asking lost trials again: which ones, and when that is refused; and what a result says of it.

Choosing what to ask again after results are known could bias them. So it is all lost trials, or all that were lost to
the named faults: never a selection by outcome, and never a trial that has one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import msgspec

from assay.errors import OWN_FAULTS, InputError, UnknownName
from assay.evidence.events import Event
from assay.evidence.faults import LostTrial
from assay.evidence.ledger import Ledger
from assay.evidence.records import Evidence
from assay.evidence.waves import Withdrawal
from assay.study.lock import Lock
from assay.study.model import Budget
from assay.vocabulary import Flag, Result

from .folder import RunFolder
from .history import History
from .meter import Meter

__all__ = [
    "first_waves",
    "lost_trials",
    "record_retries",
    "refused",
    "retry_note",
    "why_not_again",
    "with_retries",
]


def lost_trials(history: History, faults: Collection[str] | None) -> dict[str, LostTrial]:
    """The lost trials that are to be asked again. Refused where later trials were drawn up without them and asked.

    Where a stratum lost trials in several waves it is those of the first: the later waves are drawn up anew.
    """
    if faults is None:
        return {}
    chosen = history.retrying
    if faults and chosen is not None and set(faults) != set(chosen):
        what = f"what was lost to {', '.join(chosen)}" if chosen else "all that was lost"
        raise InputError(
            f"a retry of {what} is under way and goes on with that choice: resume it without --fault; what is lost "
            "then can be asked again by its fault"
        )
    known = {one.reason for one in history.faults.lost.values()}
    for name in faults:
        if known and name not in known:
            raise UnknownName("fault of a lost trial", name, known)
    found = history.lost_to(faults)
    first = first_waves(found.values())
    for (instrument, stratum), wave in first.items():
        if (later := history.asking_wave(instrument, stratum, wave)) is not None:
            raise refused(instrument, stratum, wave, later)
    return {trial: one for trial, one in found.items() if one.wave == first[one.instrument, one.stratum]}


def first_waves(lost: Iterable[LostTrial]) -> dict[tuple[str, str], int]:
    """The first wave of every stratum in which these trials were lost."""
    first: dict[tuple[str, str], int] = {}
    for one in lost:
        key = one.instrument, one.stratum
        first[key] = min(one.wave, first.get(key, one.wave))
    return first


def refused(instrument: str, stratum: str, wave: int, later: int) -> InputError:
    return InputError(
        f"{instrument} {stratum!r}: trials were lost in wave {wave}, and wave {later} was drawn up from what came of "
        "it without them, and asked the subjects; asked again now, the lost ones would fit to nothing that was done "
        "since. Run the study anew"
    )


def record_retries(
    ledger: Ledger, history: History, lost: Mapping[str, LostTrial], withdrawn: Iterable[Withdrawal]
) -> int:
    """Record what is withdrawn and which trials are asked again; says how many those are.

    Waves are withdrawn first: as long as no trial is marked, the evidence is that from which they were drawn up.
    """
    for withdrawal in withdrawn:
        ledger.append(Event("withdrawn", time.time(), data=withdrawal))
        history.withdraw(withdrawal)
    marked = [(trial, one) for trial, one in lost.items() if trial in history.faults.lost]  # not withdrawn
    for trial, one in marked:
        after = {"after": one.reason}
        ledger.append(Event("retried", time.time(), trial, one.attempt, one.ordinal + 1, after))
        history.reopen(trial)
    return len(marked)


def why_not_again(folder: RunFolder, lock: Lock) -> str:
    """Why the lost trials of a run cannot be asked again; empty where they can."""
    try:
        lost_trials(History.read(folder.ledger, lock.digest, Meter(Budget()), repair=False), ())
    except InputError as refused:
        return str(refused)
    return ""


def with_retries(result: Result, evidence: Evidence) -> Result:
    """The result with how many of its trials were asked again. Where that was chosen by fault, or the subject's own
    code had failed and was mended, it is Limited Comparability."""
    note, limit = retry_note(evidence)
    if not note:
        return result
    flags = (Flag("Limited Comparability", limit),) if limit else ()
    return msgspec.structs.replace(result, notes=(*result.notes, note), flags=(*result.flags, *flags))


def retry_note(evidence: Evidence) -> tuple[str, str]:
    """How many trials were asked again, and, where that limits comparability, why; empty where none was."""
    retries = evidence.retries
    if not retries:
        return "", ""
    number = len(retries)
    kinds = Counter(retry.after for losses, _ in retries for retry in losses)
    told = ", ".join(f"{fault} {count}" for fault, count in sorted(kinds.items()))
    still = sum(lost for _, lost in retries)
    text = f"{number} {'trial was' if number == 1 else 'trials were'} asked again after a loss ({told})"
    note = f"{text}; {still} of them lost again" if still else text
    if chosen := evidence.chosen_faults:
        return note, f"{text}, and only what was lost to {', '.join(chosen)}"
    if not OWN_FAULTS.isdisjoint(kinds):
        return note, f"{text}, when the subject's own code had been changed"
    return note, ""
