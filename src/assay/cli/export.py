"""``assay export``: a run as rows in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.errors import InputError, UnknownName

from .options import InstrumentFiles, Json
from .output import complain, print_json, say

__all__ = ["export"]


def export(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    format: Annotated[
        str | None,
        typer.Option("--format", help="jsonl, csv or parquet. Default: by the ending of --out, or jsonl."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", help="The file; - is the output. Default: RUN-WHAT.FORMAT, here.")
    ] = None,
    what: Annotated[
        str,
        typer.Option(
            "--what",
            help="trials: one row a trial; calls: one row a call; records: the instrument's own; "
            "rows: what assay score takes.",
        ),
    ] = "trials",
    only: Annotated[
        str | None, typer.Option("--only", help="Of one instrument of the run, by its name.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    files: InstrumentFiles = None,
    as_json: Json = False,
) -> None:
    """Write a run's trials or calls with their replies, its records, or rows for assay score.

    docs/export.md has the columns. A closed run has to be what was signed; one that is not finished is written as
    far as it is.
    """
    from assay.api.export import FORMATS, WHAT, export_run, format_of, sealed_lock
    from assay.bench import RunFolder
    from assay.bench.prepare import take_files
    from assay.report.publish import BEING_RETRIED

    if what not in WHAT:
        raise UnknownName("export", what, WHAT)
    if format is not None and format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    folder = RunFolder.find(run)
    lock, closed = sealed_lock(folder)
    take_files(lock, files or ())
    named = None if out in (None, "-") else Path(str(out))
    chosen = format_of(named, format) if named else format or "jsonl"
    place = named or Path(f"{folder.path.resolve().name}-{what}.{chosen}")
    if out == "-":
        if sys.stdout.isatty():
            raise InputError("--out -: for a pipe; what models say may steer a terminal. See: assay view")
        done = export_run(folder, lock, sys.stdout.buffer, what=what, format=chosen, only=only)
    else:
        if place.exists() and not force:
            raise InputError(
                f"{place} exists already; name another file with --out, or replace it with --force"
            )
        done = export_run(folder, lock, place, what=what, format=chosen, only=only)
    if done.torn:
        complain(f"note: {', '.join(done.torn)} ends in a line that is not whole: a crash, or a run going on")
    if folder.reopened:
        complain(f"note: {BEING_RETRIED}; records and rows are of closed waves")
    elif not closed:
        complain("note: the run is not closed; what is not finished has no outcome")
    if as_json and out != "-":
        print_json({"run": str(folder.path), "file": str(place), "rows": done.rows, "closed": closed})
    elif out != "-":
        say(f"{done.rows:,} rows  {place}")
