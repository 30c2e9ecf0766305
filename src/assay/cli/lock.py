"""``assay lock``: pre-register a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Key
from .output import complain, print_json

__all__ = ["lock"]


def lock(
    study: Annotated[Path, typer.Argument(help="The study (.yaml).")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Default: beside the study, STUDY.lock.json.")
    ] = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Lock a study: check it, gather everything it draws in, sign the digest. Asks nothing.

    The lock is one file; run it anywhere with: assay run STUDY.lock.json
    """
    from assay.api.declaration import warnings_of
    from assay.bench.prepare import prepare, read_study
    from assay.study import read_lock, write_lock

    declared, source = read_study(study)
    path = out or study.with_suffix(".lock.json")
    made = read_lock(write_lock(prepare(declared, study.parent, source), path, key))
    for text in warnings_of(made):
        complain(f"warning: {text}")
    if as_json:
        value = {"lock": str(path), "digest": made.digest, "created": made.created, "keyid": made.keyid}
        print_json(value)
        return
    typer.echo(f"Locked   {path}\nDigest   {made.digest}\nSigned   {made.created} by key {made.keyid[:16]}")
    typer.echo(
        "Publish the digest now, and anyone can check later that the study was declared before it was run."
    )
