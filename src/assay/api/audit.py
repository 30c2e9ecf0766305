"""`assay.audit`: check a finished run without its model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from assay.bench import RunFolder
from assay.bench.audit import AuditReport
from assay.bench.live import SandboxService
from assay.bench.prepare import instruments_of, subjects_of, take_files
from assay.report.audit import audit as check

from .arguments import Paths, paths_of, signers_of
from .worker_thread import run_apart

__all__ = ["audit"]


def audit(
    run: str | os.PathLike[str],
    *,
    signed_by: str | Sequence[str] | None = None,
    instrument: Paths = (),
    allow_unconfined_code: bool = False,
) -> AuditReport:
    """Replay a run against its ledger and score it again; needs neither model nor network.

    ``holds`` of what is returned says whether everything is as it was declared, recorded and published; ``faults`` says
    what is not. Faults are not raised. ``signed_by`` names the key, or keys, that may have signed.
    """
    folder = RunFolder.find(Path(run))
    signers = signers_of(signed_by)
    lock = folder.read_lock(signers)
    take_files(lock, paths_of(instrument))
    instruments, subjects = instruments_of(lock), subjects_of(lock)
    sandbox = SandboxService(allow_unconfined_code=allow_unconfined_code)
    return run_apart(lambda: check(folder, lock, instruments, subjects, signers=signers, sandbox=sandbox))
