"""`assay.audit`: check a finished run, or a bundle of one, without its model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from assay.bench import RunFolder
from assay.bench.determination import AuditReport
from assay.bench.live import SandboxService
from assay.bench.prepare import instruments_of, subjects_of, take_files
from assay.errors import InputError, IntegrityError
from assay.evidence.archive import is_archive, unpack_archive
from assay.evidence.bundle import read_bundle
from assay.report.audit import audit as check

from .arguments import Paths, paths_of, signers_of
from .worker_thread import run_apart

__all__ = ["audit"]

Signers = str | Sequence[str] | None


def audit(
    run: str | os.PathLike[str],
    *,
    signed_by: Signers = None,
    instrument: Paths = (),
    allow_unconfined_code: bool = False,
) -> AuditReport:
    """Replay a run against its ledger and score it again; needs neither model nor network.

    ``run`` is a run's folder or name, or a bundle. ``holds`` of what is returned says whether everything is as it was
    declared, recorded and published; ``faults`` says what is not, and ``determination`` what follows (docs/audit.md).
    Faults are not raised. ``signed_by`` names the key, or keys, that may have signed, or files of trusted keys.
    """
    path = Path(run)
    sandbox = SandboxService(allow_unconfined_code=allow_unconfined_code)
    try:
        if not path.is_file():
            return _audit(RunFolder.find(path), signed_by, paths_of(instrument), sandbox, packed=False)
        if not is_archive(path):
            raise InputError(
                f"{path} is neither a run's folder nor a bundle (a zip file made by assay bundle)"
            )
        with tempfile.TemporaryDirectory(prefix="assay-audit-", ignore_cleanup_errors=True) as private:
            unpack_archive(path, Path(private))
            if not Path(private, "lock.json").is_file():
                raise IntegrityError(f"{path.name}: has no lock.json, so it is no bundle of a run")
            return _audit(RunFolder(Path(private)), signed_by, paths_of(instrument), sandbox, packed=True)
    except IntegrityError as error:  # nothing of it can be looked at
        return AuditReport(faults=[str(error)], notes=[])


def _audit(
    folder: RunFolder, signed_by: Signers, files: list[Path], sandbox: SandboxService, *, packed: bool
) -> AuditReport:
    signers = signers_of(signed_by, folder)
    lock = folder.read_lock(signers)
    bundle = read_bundle(folder.path, signers) if packed else None
    take_files(lock, files)
    instruments, subjects = instruments_of(lock), subjects_of(lock)
    return run_apart(
        lambda: check(folder, lock, instruments, subjects, signers=signers, sandbox=sandbox, bundle=bundle)
    )
