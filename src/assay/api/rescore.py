"""A recorded run scored with other thresholds and requirements than it declared: a reading after the fact.

The evidence is the run's own and nothing of the run is changed. What was changed is in the reading, declared and
used: a threshold chosen when the numbers are known is no declared one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import msgspec
from msgspec import Struct

from assay.bench import Instrument, RunFolder
from assay.bench.instrument import score
from assay.bench.prepare import instruments_of
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence, LedgerIndex
from assay.measuring import analysis_options
from assay.report.publish import envelopes_of
from assay.study import Lock, convert
from assay.vocabulary import Flag, Reading

from .option_values import Given

__all__ = ["Changed", "rescore"]

Read = Callable[[Any, str, Any, str], Any]  # option type, field, what was given, how it was spelled


class Changed(Struct, frozen=True):
    """An option that is not as it was declared."""

    option: str
    declared: Any
    used: Any

    def __str__(self) -> str:
        return f"{self.option} {_shown(self.used)}, declared {_shown(self.declared)}"


def rescore(folder: RunFolder, lock: Lock, given: Sequence[Given], read: Read) -> list[Reading]:
    """The readings of a run, one an instrument, with these options in place of the declared ones."""
    instruments = instruments_of(lock)
    options, changed = _changed(lock, instruments, given, read)
    study = msgspec.structs.replace(lock.study, instruments=options)
    other = msgspec.structs.replace(lock, study=study)  # the digest stays that of the evidence
    closed = folder.closed
    envelopes = {} if closed else envelopes_of(folder, lock)
    readings = []
    flags = folder.challenges(lock).flags
    with closing(LedgerIndex(folder.ledger, lock.digest)) as index:
        for instrument in instruments:
            found = score(instrument, Evidence(index, instrument.name, lock=other, flags=flags))
            about = folder.read_reading(instrument.name).envelope if closed else envelopes[instrument.name]
            readings.append(_flagged(Reading(result=found, envelope=about), changed[instrument.name]))
    return readings


def _changed(
    lock: Lock, instruments: Sequence[Instrument], given: Sequence[Given], read: Read
) -> tuple[dict[str, Any], dict[str, list[Changed]]]:
    """The options of every instrument, and which of them are not the declared ones."""
    values: dict[str, dict[str, Any]] = {one.name: {} for one in instruments}
    for one in given:
        instrument = _owner(instruments, one)
        _refuse_what_was_asked(instrument, one)
        values[instrument.name][one.field] = read(instrument.option_type, one.field, one.value, one.option)
    options: dict[str, Any] = {}
    changed: dict[str, list[Changed]] = {}
    for instrument in instruments:
        name, kind = instrument.name, instrument.option_type
        declared = lock.options(name, kind)
        chosen = convert({**lock.study.options[name], **values[name]}, kind, at=(name,))
        if values[name] and (check := getattr(instrument, "check_analysis", None)) is not None:
            check(chosen)
        options[name] = msgspec.to_builtins(chosen) if values[name] else lock.study.options[name]
        pairs = [(field, getattr(declared, field), getattr(chosen, field)) for field in sorted(values[name])]
        changed[name] = [
            Changed(field, *map(msgspec.to_builtins, (before, after)))
            for field, before, after in pairs
            if before != after
        ]
    return options, changed


def _owner(instruments: Sequence[Instrument], given: Given) -> Instrument:
    names = [one.name for one in instruments]
    if given.instrument:
        if given.instrument not in names:
            raise UnknownName("instrument of this run", given.instrument, names)
        return next(one for one in instruments if one.name == given.instrument)
    owners = [one for one in instruments if given.field in one.option_type.__struct_fields__]
    if len(owners) > 1:
        whose = " or ".join(f"{one.name}.{given.field}" for one in owners)
        raise InputError(f"{given.option}: several instruments have it; write {whose}")
    if not owners:
        known = [field for one in instruments for field in one.option_type.__struct_fields__]
        raise UnknownName(f"option of {' or '.join(names)}", given.field, known)
    return owners[0]


def _refuse_what_was_asked(instrument: Instrument, given: Given) -> None:
    known = instrument.option_type.__struct_fields__
    if given.field not in known:
        raise UnknownName(f"option of {instrument.name}", given.field, known)
    free = analysis_options(instrument.option_type)
    if given.field not in free:
        raise InputError(
            f"{given.option}: {given.field} decides what was asked or computed, and that is recorded. A run can be "
            f"scored with another {', '.join(sorted(free))}; for the rest run a study of its own"
        )


def _flagged(reading: Reading, changed: Sequence[Changed]) -> Reading:
    if not changed:
        return reading
    flag = Flag("Limited Comparability", f"after the fact: {'; '.join(map(str, changed))}")
    result = msgspec.structs.replace(reading.result, flags=(flag, *reading.result.flags))
    envelope = {**reading.envelope, "after_the_fact": msgspec.to_builtins(changed)}
    return msgspec.structs.replace(reading, result=result, envelope=envelope)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
