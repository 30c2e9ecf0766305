"""``assay resume``: go on where a run ended."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.errors import InputError

from .options import Budget, InstrumentFiles, Json, Key, Unconfined, flag

__all__ = ["resume"]


def resume(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    budget: Budget = None,
    files: InstrumentFiles = None,
    key: Key = None,
    unconfined: Unconfined = False,
    retry_lost: Annotated[
        bool, typer.Option("--retry-lost", help="Ask the trials that were lost once more; recorded as such.")
    ] = False,
    faults: Annotated[
        list[str] | None,
        typer.Option("--fault", help="With --retry-lost: only what was lost to this fault; again for more."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Go on with a run that was stopped. Nothing that the ledger holds is asked again.

    A budget given here replaces the declared one; it counts what earlier sessions used. With --retry-lost all trials
    that were excluded are asked again when their cause was put right, in a closed run, too.
    """
    if faults and not retry_lost:
        raise InputError("--fault goes with --retry-lost")
    from assay.api.declaration import budget_of
    from assay.bench import RunFolder
    from assay.bench.prepare import take_files

    from .session import run_session

    folder = RunFolder.find(run)
    lock = folder.read_lock()
    take_files(lock, files or ())
    chosen = budget_of(budget, lock.study, flag) if budget else None
    with folder:
        retry = frozenset(faults or ()) if retry_lost else None
        code = run_session(
            folder, lock, as_json=as_json, unconfined=unconfined, key=key, budget=chosen, retry=retry
        )
        raise typer.Exit(code)
