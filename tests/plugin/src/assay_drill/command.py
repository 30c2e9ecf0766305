"""``assay drill-count RUN``: a command that a package brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.bench import RunFolder
from assay.evidence import Evidence, LedgerIndex


def drill_count(run: Annotated[Path, typer.Argument(help="The run: its folder, or its name.")]) -> None:
    """Count the turns of every drill in a run."""
    folder = RunFolder.find(run)
    lock = folder.read_lock()
    index = LedgerIndex(folder.ledger, lock.digest)
    records = list(Evidence(index, "drill", lock=lock))
    index.close()
    typer.echo(f"{len(records)} trials, {sum(len(record.asks) for record in records)} turns")
