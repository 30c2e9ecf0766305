"""`assay.audit`: check a finished run without its model."""

from __future__ import annotations

import os
from pathlib import Path

from assay.bench import RunFolder
from assay.bench.audit import AuditReport
from assay.bench.audit import audit as check
from assay.bench.live import SandboxService
from assay.bench.prepare import instruments_of, subjects_of, take_files

from .arguments import Paths, paths_of
from .worker_thread import run_apart

__all__ = ["audit"]


def audit(
    run: str | os.PathLike[str],
    *,
    signed_by: str | None = None,
    instrument: Paths = (),
    allow_unconfined_code: bool = False,
) -> AuditReport:
    """Replay a run against its ledger and score it again; needs neither model nor network.

    ``holds`` of what is returned says whether everything is as it was declared, recorded and published; ``faults`` says
    what is not. Faults are not raised.
    """
    folder = RunFolder.find(Path(run))
    lock = folder.read_lock(signed_by)
    take_files(lock, paths_of(instrument))
    instruments, subjects = instruments_of(lock), subjects_of(lock)
    sandbox = SandboxService(allow_unconfined_code=allow_unconfined_code)
    return run_apart(
        lambda: check(folder, lock, instruments, subjects, trusted_keyid=signed_by, sandbox=sandbox)
    )
