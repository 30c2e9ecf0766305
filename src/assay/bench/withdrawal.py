"""Waves that are withdrawn when lost trials before them are asked again.

They were drawn up from evidence without the lost trials. Where they asked nothing, they are drawn up and computed anew
from the evidence with them; that can be done as often as anybody likes and comes to the same, so nobody gains by it. A
wave that asked is never withdrawn: its replies are evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from assay.errors import IntegrityError
from assay.evidence.faults import LostTrial
from assay.evidence.records import Evidence, LedgerIndex
from assay.evidence.waves import Wave, Withdrawal
from assay.study.lock import Lock

from .history import History
from .instrument import Instrument, wave_of
from .retry import first_waves, refused

__all__ = ["withdrawals"]


def withdrawals(
    history: History, lost: Iterable[LostTrial], ledger: Path, lock: Lock, instruments: Iterable[Instrument]
) -> list[Withdrawal]:
    """What is to be withdrawn before these trials are asked again."""
    by_name = {instrument.name: instrument for instrument in instruments}
    found = []
    for (name, stratum), wave in sorted(first_waves(lost).items()):
        last = history.waves[name, stratum][-1]
        if last.number == wave:
            continue
        unfinished = _begun(history, last, ledger, lock, by_name[name])
        if history.has_asked(unfinished):
            raise refused(name, stratum, wave, last.number)
        because = f"trials of wave {wave} are asked again"
        found.append(Withdrawal(name, stratum, wave + 1, because, unfinished))
    return found


def _begun(history: History, last: Wave, ledger: Path, lock: Lock, instrument: Instrument) -> tuple[str, ...]:
    """Trials of the last wave that were begun and have no outcome. Only drawing it up again tells which those are."""
    if last.closed or not history.begun:
        return ()
    sha, found = hashlib.sha256(), []
    with closing(LedgerIndex(ledger, lock.digest)) as index:
        evidence = Evidence(index, instrument.name, last.stratum, lock=lock, upto=last.number)
        for trial in wave_of(instrument, lock, evidence):
            trial_id = trial.id
            sha.update(bytes.fromhex(trial_id))
            if trial_id in history.begun:
                found.append(trial_id)
    if sha.hexdigest() != last.digest:
        raise IntegrityError(
            f"wave {last.number} of {last.stratum!r} would hold other trials than the ledger says; "
            "was Assay or an instrument changed since the run was begun?"
        )
    return tuple(sorted(found))
