"""``assay report``: the page for people, or the reading for machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import InstrumentFiles, Json
from .output import complain, print_json

__all__ = ["report"]


def report(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    files: InstrumentFiles = None,
    as_json: Json = False,
) -> None:
    """Write a run's report (HTML, one self-contained file), or print its readings with --json.

    A run that is not finished is reported from its closed waves and flagged Provisional.
    """
    from assay.api.export import sealed_lock
    from assay.bench import RunFolder
    from assay.bench.prepare import instruments_of, take_files
    from assay.evidence.manifest import manifest_paths
    from assay.report.publish import score_run, write_report

    folder = RunFolder.find(run)
    lock, _ = sealed_lock(folder)
    take_files(lock, files or ())
    if not manifest_paths(folder.ledger) and any(folder.reading_path(n).exists() for n in lock.study.options):
        complain(
            "note: there are readings, but no manifest: the run was not closed to its end, or it was removed"
        )
    instruments = instruments_of(lock)
    if as_json:
        readings = [one.reading for one in score_run(folder, lock, instruments)]
        print_json(readings if len(readings) > 1 else readings[0])
        return
    path, _ = write_report(folder, lock, instruments)
    typer.echo(f"Report   {path}")
