"""``assay audit``: check a finished run, or a bundle of one, without its model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import InstrumentFiles, Json, SignedBy, Unconfined
from .output import line, print_json, say

if TYPE_CHECKING:
    from assay.bench.determination import AuditReport

__all__ = ["audit"]

MOST_SHOWN = 50  # reasons


def audit(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/; or a bundle.")],
    signed_by: SignedBy = None,
    files: InstrumentFiles = None,
    unconfined: Unconfined = False,
    as_json: Json = False,
) -> None:
    """Replay a finished run against its ledger and score it again. Needs neither model nor network.

    Ends with a finding: Compliant, Contested (Evidence Insufficient) or Invalid (Non-Compliance), with every reason
    (docs/audit.md). Exit code 0 when everything holds, 1 when anything does not (Invalid).
    """
    import msgspec

    from assay.api.audit import audit as check

    found = check(run, signed_by=signed_by, instrument=files or (), allow_unconfined_code=unconfined)
    if as_json:
        told = {"holds": found.holds, "determination": found.determination, "reasons": found.reasons}
        print_json({**msgspec.to_builtins(found), **told})
        raise typer.Exit(0 if found.holds else 1)
    for text in (*_checked(found), *_found(found)):
        say(text)
    raise typer.Exit(0 if found.holds else 1)


def _checked(found: AuditReport) -> Iterator[str]:
    if not found.lock:  # nothing of it could be looked at
        return
    yield f"lock      {found.lock}"
    for keyid in dict.fromkeys(one.keyid for one in found.signatures):
        signed = ", ".join(one.what for one in found.signatures if one.keyid == keyid)
        yield f"signed    {signed} by {keyid[:16]}"
    times = {"locked": found.locked, "begun": found.begun, "ended": found.ended, "sealed": found.sealed}
    if any(times.values()):
        told = ", ".join(f"{what} {at}" for what, at in times.items() if at)
        yield f"times     {told}, by the machine's own clock"
    again = f"{found.recomputed:,} programs run again"
    if found.steps:
        again = f"{found.steps:,} steps done again and compared, {again}"
    yield f"replayed  {found.trials:,} trials, {found.asks:,} recorded replies, {again}"
    yield f"scored    {found.measures:,} measures from the evidence"
    if found.abandoned:
        yield f"note      {found.abandoned} attempts could not be continued and were made again"
    for note in found.notes:
        yield f"note      {note}"


def _found(found: AuditReport) -> Iterator[str]:
    """What holds or does not; and last the determination, with every reason."""
    label = "FAULT" if found.faults else "doubt"
    for reason in found.reasons[:MOST_SHOWN]:
        yield f"{label}     {line(reason)}"
    if len(found.reasons) > MOST_SHOWN:
        yield f"{label}     … and {len(found.reasons) - MOST_SHOWN} more"
    yield (
        "holds     all that is sealed is as it was declared, recorded and published"
        if found.holds
        else "FAILS"
    )
    yield f"finding   {found.determination}"
