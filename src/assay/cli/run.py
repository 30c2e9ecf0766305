"""``assay run``: from a study, a lock or an instrument's name to a reading."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .instrument_command import own_options
from .options import (
    BaseUrl,
    Boundary,
    Budget,
    Connections,
    InstrumentFiles,
    Json,
    Key,
    KeyEnv,
    MaxTokens,
    Quick,
    Seed,
    Set,
    Subjects,
    Targets,
    Unconfined,
    gather,
    warnings_of,
)
from .output import complain

__all__ = ["run"]


def run(
    context: typer.Context,
    targets: Targets = None,
    subjects: Subjects = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    quick: Quick = False,
    budget: Budget = None,
    options: Set = None,
    seed: Seed = None,
    connections: Connections = None,
    max_tokens: MaxTokens = None,
    boundary: Boundary = None,
    files: InstrumentFiles = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The run's name. Default: time and study, numbered if taken.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where runs are kept.")] = Path("runs"),
    key: Key = None,
    unconfined: Unconfined = False,
    as_json: Json = False,
) -> None:
    """Run a study: lock it, ask the subjects, record everything, report.

    A run that is stopped (Ctrl-C, a budget, a full disk, a crash) goes on with: assay resume RUN
    """
    lock = gather(
        targets,
        subjects,
        base_url=base_url,
        key_env=key_env,
        quick=quick,
        budget=budget,
        options=options,
        seed=seed,
        connections=connections,
        max_tokens=max_tokens,
        boundary=boundary,
        own=own_options(context),
        files=files,
    )
    for text in warnings_of(lock):
        complain(f"warning: {text}")
    import shutil

    from assay.bench import RunFolder
    from assay.evidence.ledger import segment_paths
    from assay.study import read_lock, write_lock

    from .session import default_name, run_session

    folder = RunFolder.create(out, name or default_name(lock), numbered=not name)
    try:
        if lock.keyid:
            folder.lock_path.write_bytes(Path((targets or [""])[0]).read_bytes())
        else:
            write_lock(lock, folder.lock_path, key)
        lock = read_lock(folder.lock_path)
    except BaseException:  # a folder without a lock is no run: it could be neither resumed nor made again
        folder.lock_path.unlink(missing_ok=True)
        folder.path.rmdir()
        raise
    with folder:  # held while it may be taken away again: nobody else can have begun in it
        try:
            code = run_session(folder, lock, as_json=as_json, unconfined=unconfined, key=key)
        except BaseException:
            # Where nothing was begun, the name can be used when it is put right.
            if not segment_paths(folder.ledger):
                shutil.rmtree(folder.path, ignore_errors=True)
            raise
    raise typer.Exit(code)
