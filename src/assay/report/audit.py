"""The audit of a run: everything that is sealed, derived from the evidence once more."""

from __future__ import annotations

import csv
import itertools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay import __version__
from assay.bench import Instrument, RunFolder
from assay.bench.audit import close_to, replay
from assay.bench.determination import AuditReport, Signature
from assay.bench.folder import second_signer
from assay.bench.live import SandboxService
from assay.errors import AssayError, ExtensionFailed, InputError, IntegrityError, blaming
from assay.evidence.bundle import BUNDLE_NAME, BundleSeal, check_bundle
from assay.evidence.files import read_whole
from assay.evidence.manifest import unsealed
from assay.evidence.records import Evidence
from assay.study import Lock
from assay.subjects.base import Subject

from .crate import CRATE_NAME, describe_crate
from .document import is_document
from .publish import envelopes_of
from .records import write_records
from .wording import contested_in, invalid_in

__all__ = ["audit"]

LARGEST_CRATE = 64 << 20  # bytes of the description
MARGIN = 1 << 16  # bytes


async def audit(
    folder: RunFolder,
    lock: Lock,
    instruments: Iterable[Instrument],
    subjects: Iterable[Subject],
    *,
    signers: Sequence[str] = (),
    sandbox: SandboxService | None = None,
    bundle: BundleSeal | None = None,
) -> AuditReport:
    """Replay and score a finished run again, and hold its other files against the evidence.

    Of a run that was unpacked, ``bundle`` is what was signed with it.
    """

    def published(instrument: Instrument, evidence: Evidence, report: AuditReport) -> None:
        for check in (_check_envelope, _check_flags, _check_records, _check_attachments):
            try:
                check(folder, lock, instrument, evidence, report)
            except ExtensionFailed:
                raise
            except (AssayError, OSError) as error:
                report.faults.append(f"{instrument.name}: its published files cannot be checked ({error})")

    report = await replay(
        folder, lock, instruments, subjects,
        signers=signers, sandbox=sandbox, published=published, packed=bundle is not None,
    )  # fmt: skip
    if bundle is not None:
        report.signatures.append(Signature(BUNDLE_NAME, bundle.keyid))
        if not signers and bundle.keyid != lock.keyid:
            report.faults.append(second_signer(bundle.keyid, "the bundle", lock))
        report.faults += check_bundle(folder.path, folder.ledger, lock.digest, bundle)
        _check_beside(folder, report)
        _check_crate(folder, lock, bundle, report)
    return report


def _check_beside(folder: RunFolder, report: AuditReport) -> None:
    """A bundle holds the run, its page and its description, and nothing that could pass for a part of the run."""
    page = folder.report_path.name
    extra = set(unsealed(folder.ledger, folder.path)) - {BUNDLE_NAME, CRATE_NAME}
    pages = {name for name in extra if name == page or is_document(name)}
    report.notes += [
        f"{name} is signed with the bundle, but not derived again; assay report draws it anew"
        for name in sorted(pages)
    ]
    report.faults += [f"{name}: is no part of the run" for name in sorted(extra - pages)]


def _check_crate(folder: RunFolder, lock: Lock, bundle: BundleSeal, report: AuditReport) -> None:
    """The description of a bundle is written again from what is in it."""
    try:
        readings = {name: folder.read_reading(name) for name in lock.study.options}
        given = read_whole(folder.path / CRATE_NAME, LARGEST_CRATE)
    except (InputError, IntegrityError, OSError):
        return  # a file that is missing or cannot be read is a fault already
    if given == describe_crate(lock, readings, bundle.manifest.sizes, bundle.digests):
        return
    if bundle.manifest.assay == __version__:
        report.faults.append(f"{CRATE_NAME}: is not what the files of the bundle give")
    else:
        report.notes.append(f"{CRATE_NAME}: was written by Assay {bundle.manifest.assay}, and not checked")


def _check_flags(
    folder: RunFolder, lock: Lock, instrument: Instrument, evidence: Evidence, report: AuditReport
) -> None:
    """What a reading says itself that nothing can be built on: exclusions beyond the declared share, and the like."""
    try:
        result = folder.read_reading(instrument.name).result
    except (InputError, IntegrityError):
        return
    name = folder.reading_path(instrument.name).name
    report.doubts += [f"{name}: {flag}" for flag in (*invalid_in(result), *contested_in(result))]


def _check_envelope(
    folder: RunFolder, lock: Lock, instrument: Instrument, evidence: Evidence, report: AuditReport
) -> None:
    """Where, when and at what expense, as the ledger says it."""
    try:
        given = folder.read_reading(instrument.name).envelope
    except (InputError, IntegrityError):
        return  # which the score has said already
    found = envelopes_of(folder, lock)[instrument.name]
    name = folder.reading_path(instrument.name).name
    if "faults" in found and "faults" not in given:
        del found["faults"]
        report.notes.append(f"{name}: lists no faults; readings of an earlier version did not")
    differing = [k for k in sorted(found.keys() | given.keys()) if not close_to(found.get(k), given.get(k))]
    if differing:
        report.faults.append(f"{name}: the envelope has other {', '.join(differing)} than the ledger")


def _check_records(
    folder: RunFolder, lock: Lock, instrument: Instrument, evidence: Evidence, report: AuditReport
) -> None:
    """The rows are written again and compared field by field."""
    path = folder.records_path(instrument.name)
    if not path.is_file():
        report.faults.append(f"{path.name}: the file is missing")
        return
    with tempfile.TemporaryDirectory() as scratch, _long_fields():
        again = Path(scratch, path.name)
        with blaming(f"the instrument {instrument.name}", "rows"):
            write_records(again, instrument.rows(evidence))
        if path.stat().st_size > 2 * again.stat().st_size + MARGIN:  # a line without an end is not even begun
            report.faults.append(f"{path.name}: is not what the evidence gives, but longer")
            return
        for number, (found, given) in enumerate(itertools.zip_longest(_rows(again), _rows(path)), 1):
            if found == given:
                continue
            if found is None or given is None:
                report.faults.append(
                    f"{path.name}: {'a row too many' if found is None else 'rows are missing'}"
                )
                return
            if len(found) != len(given) or not all(map(_same_field, found, given)):
                report.faults.append(f"{path.name} row {number}: is not what the evidence gives")
                return


@contextmanager
def _long_fields() -> Iterator[None]:
    """A field may hold a whole reply; how much a field may hold is one setting for the whole process."""
    before = csv.field_size_limit(1 << 30)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        try:
            yield from csv.reader(file)
        except csv.Error as error:
            raise IntegrityError(f"{path.name}: cannot be read ({error})") from None


def _same_field(found: str, given: str) -> bool:
    if found == given:
        return True
    try:
        return close_to(float(found), float(given))
    except ValueError:
        return False


def _check_attachments(
    folder: RunFolder, lock: Lock, instrument: Instrument, evidence: Evidence, report: AuditReport
) -> None:
    with blaming(f"the instrument {instrument.name}", "attachments"):
        attached = instrument.attachments(evidence)
    for name, content in attached.items():
        path = folder.path / name
        if not path.is_file():
            report.faults.append(f"{name}: the file is missing")
        elif read_whole(path) != content:
            report.faults.append(f"{name}: is not what the evidence gives")
