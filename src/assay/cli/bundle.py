"""``assay bundle``: a closed run as one signed file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Key, SignedBy
from .output import print_json, say

__all__ = ["bundle"]


def bundle(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The file. Default: RUN-bundle.zip, here.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    key: Key = None,
    signed_by: SignedBy = None,
    as_json: Json = False,
) -> None:
    """Pack a closed run into one signed file that assay audit checks on any machine, without model and network.

    It holds lock, ledger, manifests, readings, records, attachments and report, described as an RO-Crate, and nothing
    else of this machine. The same run and key give the same bytes.
    """
    import msgspec

    from assay.api.bundle import bundle as pack

    done = pack(run, out=out, key=key, signed_by=signed_by, force=force)
    if as_json:
        print_json(msgspec.to_builtins(done))
        return
    say(f"Bundle   {done.file}")
    say(
        f"         {done.files} files, {done.bytes:,} bytes, packed {done.packed:,}; signed by {done.keyid[:16]}"
    )
    for note in done.notes:
        say(f"note     {note}")
    say(f"Audit    assay audit {done.file}")
