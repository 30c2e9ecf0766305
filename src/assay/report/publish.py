"""From evidence to files: readings, records, attachments, manifest, report. In that order.

What was measured is safe before anything is drawn: a fault in a picture costs a picture.
"""

from __future__ import annotations

import datetime
import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.bench import Instrument, Meter, RunFolder
from assay.bench.environment import environment
from assay.bench.history import History
from assay.bench.instrument import score, strata_of
from assay.canonical import encode
from assay.errors import InputError, IntegrityError, blaming
from assay.evidence.faults import read_faults
from assay.evidence.files import write_whole
from assay.evidence.ledger import segment_paths
from assay.evidence.manifest import check_name, keep_earlier, write_manifest
from assay.evidence.records import Evidence, LedgerIndex
from assay.signing import load_key
from assay.study import Budget, Lock
from assay.vocabulary import Flag, Reading, Result

from .challenge import challenge_table
from .document import Document, DocumentFormat, document_named, is_document, render_document
from .faults import beside_rows
from .html import ReportPage, RowsFile, render_report
from .presentation import Presentation
from .records import write_records

__all__ = [
    "BEING_RETRIED",
    "Scored",
    "envelopes_of",
    "publish",
    "redraw",
    "score_run",
    "write_document",
    "write_report",
    "write_rows_report",
    "write_run_document",
]


BEING_RETRIED = "lost trials are being asked again: until that is done the waves that have them are open"


class Scored(NamedTuple):
    """A reading with the evidence it was scored from, and what the instrument worked out of that."""

    reading: Reading
    evidence: Evidence


def score_run(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], *, sealing: bool = False
) -> list[Scored]:
    """Score every instrument of a run from its ledger as it stands.

    What became of the run since it was closed is flagged, but where the readings are to be sealed.
    """
    flags = () if sealing else folder.challenges(lock).flags
    index = LedgerIndex(folder.ledger, lock.digest)
    envelopes = envelopes_of(folder, lock)
    readings = []
    for instrument in instruments:
        evidence = Evidence(index, instrument.name, lock=lock, flags=flags)
        result = score(instrument, evidence)
        if folder.reopened and evidence.unfinished(strata_of(instrument, lock)):
            flags = (
                *result.flags,
                Flag("Provisional", f"{BEING_RETRIED}, and what is in them is not counted"),
            )
            result = msgspec.structs.replace(result, flags=flags)
        readings.append(Scored(Reading(result=result, envelope=envelopes[instrument.name]), evidence))
    return readings


def publish(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], key: Path | None = None
) -> list[Scored]:
    """Close a finished run: write readings, records and attachments, and seal them with the ledger."""
    attached: dict[str, Path] = {"lock.json": folder.lock_path, **keep_earlier(folder.ledger, folder.path)}
    found = score_run(folder, lock, instruments, sealing=True)
    for (reading, evidence), instrument in zip(found, instruments, strict=True):
        path = folder.reading_path(instrument.name)
        write_whole(path, encode(reading) + b"\n")
        attached[path.name] = path
        records = folder.records_path(instrument.name)
        with blaming(f"the instrument {instrument.name}", "rows"):
            write_records(records, instrument.rows(evidence))
        attached[records.name] = records
        with blaming(f"the instrument {instrument.name}", "attachments"):
            for name, content in instrument.attachments(evidence).items():
                attached[name] = _attach(folder, name, content)
    write_manifest(folder.ledger, lock.digest, attached, load_key(key))
    return found


def write_report(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], found: list[Scored] | None = None
) -> tuple[Path, list[Any]]:
    """The page for people; returns its path and the presentations on it. ``found`` is what was scored already."""
    found = score_run(folder, lock, instruments) if found is None else found
    presented = [
        (reading, _presented(instrument, evidence, reading))
        for (reading, evidence), instrument in zip(found, instruments, strict=True)
    ]
    page = ReportPage(
        title=lock.study.name,
        run=folder.path.name,
        readings=presented,
        lock=_lock_summary(lock),
        challenges=challenge_table(folder.challenges(lock)),
        environment=found[0][0].envelope.get("environment", {}),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    write_whole(folder.report_path, render_report(page).encode("utf-8", "replace"))
    return folder.report_path, [presentation for _, presentation in presented]


def write_run_document(
    folder: RunFolder,
    instruments: list[Instrument],
    found: list[Scored],
    name: str,
    format: DocumentFormat,
    out: Path | None = None,
) -> Path:
    """A document of a run, below its folder unless ``out`` says where."""
    documents: list[Document] = []
    for (reading, evidence), instrument in zip(found, instruments, strict=True):
        with blaming(f"the instrument {instrument.name}", "documents"):
            documents += instrument.documents(evidence, reading.result)
    path = out or folder.document_path(f"{name}.{format}")
    document = document_named(documents, name)
    if out is None:
        path.parent.mkdir(exist_ok=True)
    write_document(path, document, format)
    return path


def redraw(folder: RunFolder, lock: Lock, instruments: list[Instrument]) -> None:
    """Draw page and documents again, those that are there: what they show of the run has changed."""
    there = [
        path for path in sorted(folder.document_path("").glob("*")) if is_document(f"documents/{path.name}")
    ]
    if not folder.report_path.exists() and not there:
        return
    found = score_run(folder, lock, instruments)
    if folder.report_path.exists():
        write_report(folder, lock, instruments, found)
    for path in there:
        format: DocumentFormat = "pdf" if path.suffix == ".pdf" else "html"
        write_run_document(folder, instruments, found, path.stem, format)


def write_document(path: Path, document: Document, format: DocumentFormat) -> None:
    content = render_document(document, format)
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _presented(instrument: Instrument, evidence: Evidence, reading: Reading) -> Any:
    """What the instrument shows, with what its subjects' own code failed at beside every row."""
    shown = instrument.present(evidence, reading.result)
    headline = beside_rows(shown.headline, read_faults(reading.envelope))
    return msgspec.structs.replace(shown, headline=headline)


def write_rows_report(
    path: Path,
    file: Path,
    result: Result,
    presentation: Presentation,
    command: str,
    *,
    allow_unconfined_code: bool = False,
) -> None:
    """The page of a result that was scored from the rows of a file."""
    with file.open("rb") as rows:
        sha256 = hashlib.file_digest(rows, "sha256").hexdigest()
    page = ReportPage(
        title=f"{result.instrument.capitalize()}: {file.name}",
        rows=RowsFile(file.name, sha256, command),
        readings=[(Reading(result=result), presentation)],
        environment=environment(allow_unconfined_code=allow_unconfined_code),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    try:
        write_whole(path, render_report(page).encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _attach(folder: RunFolder, name: str, content: bytes) -> Path:
    """Content-addressed or not, an attachment is written once and never rewritten."""
    path = folder.path / check_name(name)
    ours = (folder.lock_path, folder.report_path, folder.ledger)
    if not set(ours).isdisjoint((path, *path.parents)) or path.name.startswith((".", "reading-", "records-")):
        raise InputError(f"{name!r}: an attachment must not take the place of what is in every run's folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if path.read_bytes() != content:
            raise IntegrityError(f"{path} is there already with another content")
    else:
        write_whole(path, content)
    return path


def _lock_summary(lock: Lock) -> dict[str, Any]:
    return {
        "digest": lock.digest,
        "created": lock.created,
        "keyid": lock.keyid,
        "versions": lock.versions,
        "files": msgspec.to_builtins(lock.files),
        "study": msgspec.to_builtins(lock.study),
    }


def envelopes_of(folder: RunFolder, lock: Lock) -> dict[str, dict[str, Any]]:
    """Where, when and at what expense, and for each instrument what went wrong. Never mixed into a score."""
    meter = Meter(Budget())
    history = History.read(folder.ledger, lock.digest, meter, repair=False)
    latest, times = history.sessions[-1] if history.sessions else {}, history.times
    back = [earlier - later for earlier, later in pairwise(times) if later < earlier]
    common = {
        "lock": lock.digest,
        "keyid": lock.keyid,
        **(
            {"clock_set_back": round(sum(back), 3)} if back else {}
        ),  # seconds: begun and ended are no duration
        "ledger": history.heads,
        "segments": len(segment_paths(folder.ledger)),
        "environment": latest.get("environment", {}),
        "subjects": latest.get("subjects", {}),
        "begun": _iso(times[0]) if times else None,
        "ended": _iso(times[-1]) if times else None,
        "efficiency": {
            "calls": meter.calls,
            "replies": meter.replies,
            "retries": sum(meter.faults.values()),
            "faults": dict(sorted(meter.faults.items())),
            "resent": meter.resent,
            "input_tokens": meter.input_tokens,
            "output_tokens": meter.output_tokens,
            "subject_seconds": round(meter.subject_seconds, 3),
            "wall_seconds": round(meter.spent_before, 3),
            "cost": round(meter.cost, 9),
        },
    }
    faults = {name: history.faults.listed(name) for name in lock.study.options}
    return {
        name: common | ({"faults": msgspec.to_builtins(listed)} if listed else {})
        for name, listed in faults.items()
    }


def _iso(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
