"""``assay audit``: check a finished run without its model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import InstrumentFiles, Json, Unconfined
from .output import print_json, safe

__all__ = ["audit"]


def audit(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    signed_by: Annotated[
        list[str] | None,
        typer.Option(
            "--signed-by",
            help="The key id that must have signed (at least 16 signs of it); again for a second.",
        ),
    ] = None,
    files: InstrumentFiles = None,
    unconfined: Unconfined = False,
    as_json: Json = False,
) -> None:
    """Replay a finished run against its ledger and score it again. Needs neither model nor network.

    Exit code 0 when everything holds, 1 when anything does not.
    """
    import msgspec

    from assay.api.audit import audit as check

    found = check(run, signed_by=signed_by, instrument=files or (), allow_unconfined_code=unconfined)
    if as_json:
        print_json({**msgspec.to_builtins(found), "holds": found.holds})
        raise typer.Exit(0 if found.holds else 1)
    typer.echo(f"lock      {found.lock}  signed by {found.keyid[:16]}")
    again = f"{found.recomputed:,} programs run again"
    if found.steps:
        again = f"{found.steps:,} steps done again and compared, {again}"
    typer.echo(f"replayed  {found.trials:,} trials, {found.asks:,} recorded replies, {again}")
    typer.echo(f"scored    {found.measures:,} measures from the evidence")
    if found.environment_dependent:
        typer.echo(
            f"note      {found.environment_dependent} results depend on the machine (time, memory); the record stands"
        )
    if found.not_deterministic:
        typer.echo(
            f"note      {found.not_deterministic} programs differ from themselves when run twice; the record stands"
        )
    if found.abandoned:
        typer.echo(f"note      {found.abandoned} attempts could not be continued and were made again")
    for note in found.notes:
        typer.echo(f"note      {safe(note)}")
    for fault in found.faults[:50]:
        typer.echo(f"FAULT     {safe(fault)}")
    if len(found.faults) > 50:
        typer.echo(f"FAULT     … and {len(found.faults) - 50} more")
    typer.echo(
        "holds     all that is sealed is as it was declared, recorded and published"
        if found.holds
        else "FAILS"
    )
    if found.holds and not found.vouched:
        typer.echo(
            f"          nobody vouches for the key {found.keyid[:16]}: compare it with a published one, --signed-by"
        )
    raise typer.Exit(0 if found.holds else 1)
