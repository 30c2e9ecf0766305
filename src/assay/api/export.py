"""A run as rows in a file: trials, calls, records, or what `assay score` takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

from assay.bench import Instrument, RunFolder
from assay.bench.prepare import instruments_of
from assay.errors import InputError, UnknownName, blaming
from assay.evidence.records import Evidence, LedgerIndex
from assay.evidence.trial_reader import TrialReader
from assay.report.records import write_into, write_records
from assay.report.trial_rows import CALL_COLUMNS, TRIAL_COLUMNS, call_rows, trial_row
from assay.study import Lock

__all__ = ["FORMATS", "WHAT", "Exported", "Format", "What", "export_run", "format_of", "sealed_lock"]

Format = Literal["jsonl", "csv", "parquet"]
What = Literal["trials", "calls", "records", "rows"]
FORMATS: tuple[Format, ...] = get_args(Format)
WHAT: tuple[What, ...] = get_args(What)


class Exported(NamedTuple):
    """``torn`` are segments with a line that is not whole, whose trials are perhaps not all here."""

    rows: int
    torn: tuple[str, ...] = ()


def format_of(path: Path, given: Format | None = None) -> Format:
    """The format that a file's name says, or the ``given`` one where it says none."""
    for known in FORMATS:
        if path.name.lower().endswith(f".{known}"):
            if given not in (None, known):
                raise InputError(f"{path}: the name says {known}, and the format is {given}; leave one out")
            return known
    if given is not None:
        return given
    raise InputError(f"{path}: name the format, or end the name in {', '.join(f'.{one}' for one in FORMATS)}")


def export_run(
    folder: RunFolder,
    lock: Lock,
    out: Path | BinaryIO,
    *,
    what: What = "trials",
    format: Format,
    only: str | None = None,
) -> Exported:
    """Write a run's rows. ``only`` names the instrument whose they are: needed for records and rows of several.

    Trials and calls are streamed, whatever the size of the run. Records and rows are what the instrument works out of
    all its evidence.
    """
    _check_place(folder, out)
    if only is not None and only not in lock.study.options:
        raise UnknownName("instrument of this run", only, lock.study.options)
    if what in ("trials", "calls"):
        reader = TrialReader(folder.ledger, lock.digest)
        columns = TRIAL_COLUMNS if what == "trials" else CALL_COLUMNS
        count = _write(out, format, _stream(reader, what, only), columns)
        return Exported(count, tuple(sorted(reader.torn)))
    instrument = _instrument(lock, only)
    with closing(LedgerIndex(folder.ledger, lock.digest)) as index:
        evidence = Evidence(index, instrument.name, lock=lock)
        make = instrument.rows if what == "records" else getattr(instrument, "plain_rows", instrument.rows)
        with blaming(f"the instrument {instrument.name}", "rows"):
            return Exported(_write(out, format, make(evidence), None))


def sealed_lock(folder: RunFolder) -> tuple[Lock, bool]:
    """The lock of a run, and whether it is closed; a closed one has to be what was signed."""
    closed = folder.closed
    if not closed:
        folder.check_damage()
    return (folder.read_sealed().lock if closed else folder.read_lock()), closed


def _stream(reader: TrialReader, what: What, only: str | None) -> Iterator[dict[str, Any]]:
    for trial in reader:
        if only is not None and (trial.of is None or trial.of.instrument != only):
            continue
        log = trial.read()
        if what == "trials":
            yield trial_row(log)
        else:
            yield from call_rows(log)


def _instrument(lock: Lock, only: str | None) -> Instrument:
    instruments = instruments_of(lock)
    if only is None and len(instruments) > 1:
        raise InputError(f"say whose: {' or '.join(one.name for one in instruments)}")
    return next(one for one in instruments if only in (None, one.name))


def _write(
    out: Path | BinaryIO,
    format: Format,
    rows: Iterator[dict[str, Any]],
    columns: Mapping[str, type] | None,
) -> int:
    names = None if columns is None else tuple(columns)
    if not isinstance(out, Path):
        if format == "parquet":
            raise InputError("Parquet is no text: name a file")
        return write_into(out, "the output", rows, names, nested=True, lines=format == "jsonl")
    if format != "parquet":
        return write_records(out, rows, names, nested=True, lines=format == "jsonl")
    from assay.report.frames import write_parquet

    return write_parquet(out, rows, columns)


def _check_place(folder: RunFolder, out: Path | BinaryIO) -> None:
    """A run's own files are never replaced, and nothing is added to them."""
    if isinstance(out, Path):
        if not out.parent.is_dir():
            raise InputError(f"{out}: there is no folder {out.parent}")
        if out.is_dir():
            raise InputError(f"{out} is a folder; name a file")
        if out.resolve().is_relative_to(folder.path.resolve()):
            raise InputError(f"{out} is in the run's own folder; name another place")
