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
    Includes,
    InstrumentFiles,
    Json,
    Key,
    KeyEnv,
    MaxTokens,
    Parameters,
    Price,
    Quick,
    Seed,
    Set,
    Subjects,
    Targets,
    Unconfined,
    gather,
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
    parameters: Parameters = None,
    includes: Includes = None,
    price: Price = None,
    files: InstrumentFiles = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The run's name. Default: time and study, numbered if taken.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where runs are kept.")] = Path("runs"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Begin a large run without a question.")] = False,
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
        parameters=parameters,
        includes=includes,
        price=price,
        own=own_options(context),
        files=files,
    )
    from assay.api.declaration import lock_file, warnings_of
    from assay.api.session import begun, create_run

    from .confirm import confirm
    from .session import run_session

    if yes or not confirm(lock):  # which shows them with the plan
        for text in warnings_of(lock):
            complain(f"warning: {text}")
    folder, lock = create_run(lock, out, name, key=key, source=lock_file(targets or []))
    with begun(folder):
        code = run_session(folder, lock, as_json=as_json, unconfined=unconfined, key=key)
    raise typer.Exit(code)
