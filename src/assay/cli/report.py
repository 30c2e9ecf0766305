"""``assay report``: the page for people, a document to be passed on, or the reading for machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.errors import InputError

from .options import InstrumentFiles, Json
from .output import check_place, complain, print_json, say

__all__ = ["report"]


def report(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    document: Annotated[
        str | None,
        typer.Option(
            "--document", help="Write a document of the instrument instead of the page, by its name."
        ),
    ] = None,
    format: Annotated[
        Literal["html", "pdf"], typer.Option("--format", help="Of the document. PDF needs the extra pdf.")
    ] = "html",
    out: Annotated[
        Path | None, typer.Option("--out", help="The document's file. Default: RUN/documents/NAME.FORMAT.")
    ] = None,
    files: InstrumentFiles = None,
    as_json: Json = False,
) -> None:
    """Write a run's report (HTML, one self-contained file), a document of it, or print its readings with --json.

    A run that is not finished is reported from its closed waves and flagged Provisional.
    """
    from assay.api.export import sealed_lock
    from assay.bench import RunFolder
    from assay.bench.prepare import instruments_of, take_files
    from assay.evidence.manifest import manifest_paths
    from assay.report.publish import score_run, write_report, write_run_document

    if document is None and (format != "html" or out is not None):
        raise InputError("--format and --out go with a document: --document NAME; the page is report.html")
    check_place(out, "--out")
    folder = RunFolder.find(run)
    lock, _ = sealed_lock(folder)
    take_files(lock, files or ())
    if not manifest_paths(folder.ledger) and any(folder.reading_path(n).exists() for n in lock.study.options):
        complain(
            "note: there are readings, but no manifest: the run was not closed to its end, or it was removed"
        )
    instruments = instruments_of(lock)
    found = score_run(folder, lock, instruments)
    if as_json:
        readings = [one.reading for one in found]
        print_json(readings if len(readings) > 1 else readings[0])
        return
    if document is not None:
        place = write_run_document(folder, instruments, found, document, format, out)
        say(f"Document {place}")
        return
    path, _ = write_report(folder, lock, instruments, found)
    typer.echo(f"Report   {path}")
