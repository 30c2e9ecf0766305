"""The trials of a run to look at: a page of them, or one in full. A run need not be finished; nothing is changed."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from assay.bench import RunFolder
from assay.bench.instrument import strata_of, wave_of
from assay.bench.prepare import instruments_of
from assay.errors import AssayError, InputError, IntegrityError, UnknownName
from assay.evidence.chain import LONGEST
from assay.evidence.records import Evidence, LedgerIndex
from assay.evidence.trial_reader import TrialReader
from assay.evidence.trials import StoredTrial, TrialLog
from assay.study import Lock
from assay.vocabulary import Trial

__all__ = ["Page", "Shown", "TrialFilter", "find_trial", "planned_trials", "read_page", "records_of"]

LONGEST_NUMBER = 7  # digits of a row's number; more are the beginning of an id


class TrialFilter(NamedTuple):
    """Which trials are wanted. Names may have ``*`` and ``?`` in them."""

    outcomes: frozenset[str] = frozenset()
    subject: str | None = None
    item: str | None = None

    def takes(self, trial: StoredTrial) -> bool:
        of, end = trial.of, trial.end
        if of is None:
            return self == TrialFilter()  # nothing is known of it yet
        return (
            (not self.outcomes or (end is not None and end.outcome in self.outcomes))
            and (self.subject is None or fnmatchcase(of.trial.subject, self.subject))
            and (self.item is None or fnmatchcase(of.trial.instance.item, self.item))
        )


class Shown(NamedTuple):
    """A trial with its number in the order of the ledger; None where it was found by its id."""

    number: int | None
    log: TrialLog


class Page(NamedTuple):
    """``broken`` says what the ledger could not be read beyond; what came before it is here."""

    trials: list[Shown]
    more: bool
    broken: str = ""


def read_page(reader: TrialReader, wanted: TrialFilter, page: int, limit: int) -> Page:
    """The trials of one page. The ledger is read as far as the page goes.

    A name that no trial has is refused, with those that there are.
    """
    met: dict[str, set[str]] = {"subject": set(), "item": set()}
    chosen = (trial for trial in _noting(reader, met) if wanted.takes(trial))
    found: list[Shown] = []
    try:
        for trial in islice(chosen, (page - 1) * limit, page * limit):
            found.append(Shown(trial.number, trial.read()))
        more = next(chosen, None) is not None
    except IntegrityError as error:
        return Page(found, False, str(error))
    if not found:
        for what, name in (("subject", wanted.subject), ("item", wanted.item)):
            if name is not None and met[what] and not any(fnmatchcase(one, name) for one in met[what]):
                raise UnknownName(f"{what} of this run", name, met[what])
    return Page(found, more)


def _noting(reader: TrialReader, met: dict[str, set[str]]) -> Iterator[StoredTrial]:
    """The trials, and the names that they have."""
    for trial in reader:
        if trial.of is not None:
            met["subject"].add(trial.of.trial.subject)
            met["item"].add(trial.of.trial.instance.item)
        yield trial


def planned_trials(folder: RunFolder, lock: Lock, wanted: Collection[str]) -> dict[str, Trial]:
    """What trials without an outcome are of: they are drawn up anew, for the ledger says it with an outcome only.

    Where that cannot be done, because an instrument is not at hand or the ledger is not sound, they stay without.
    """
    found: dict[str, Trial] = {}
    if not wanted:
        return found
    with suppress(AssayError), closing(LedgerIndex(folder.ledger, lock.digest)) as index:
        for instrument in instruments_of(lock):
            for stratum in strata_of(instrument, lock):
                evidence = Evidence(index, instrument.name, stratum, lock=lock)
                evidence = Evidence(index, instrument.name, stratum, lock=lock, upto=evidence.waves)
                for trial in wave_of(instrument, lock, evidence):
                    if trial.id in wanted:
                        found[trial.id] = trial
                    if len(found) == len(wanted):
                        return found
    return found


def find_trial(reader: TrialReader, name: str) -> Shown:
    """A trial by its id, the beginning of it, or its number."""
    if name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER:
        number = int(name)
        count = 0
        for trial in reader:
            count = trial.number
            if count == number:
                return Shown(number, trial.read())
        raise InputError(f"there is no trial {number}; the run has {count:,}")
    if not name or set(name) - set("0123456789abcdef"):
        raise InputError(f"{name!r}: a trial is named by its number or by the beginning of its id")
    return Shown(None, reader.find(name))


def records_of(folder: RunFolder, log: TrialLog) -> Iterator[dict[str, str]]:
    """What the records file of a closed run says of a trial, where its rows name their trials."""
    if log.end is None or not folder.closed:
        return
    path = folder.records_path(log.end.instrument)
    try:
        file = path.open(encoding="utf-8", newline="")
    except OSError:
        return
    before = csv.field_size_limit(LONGEST)
    try:
        with file:
            for row in csv.DictReader(file):
                if row.get("trial") == log.id:
                    yield {name: value for name, value in row.items() if name and isinstance(value, str)}
    except (csv.Error, UnicodeDecodeError) as error:
        raise IntegrityError(f"{path.name}: cannot be read ({error})") from None
    finally:
        csv.field_size_limit(before)
