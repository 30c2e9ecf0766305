"""``assay compare``: runs beside the first one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import InstrumentFiles, Json
from .output import check_place, complain, print_json, say
from .tables import show_headline

__all__ = ["compare"]


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Runs, or readings of rows (assay score … --out FILE). All are compared with the first."
        ),
    ],
    subjects: Annotated[
        list[str] | None,
        typer.Option(
            "--subject", help="Only these subjects, in this order. Within one run the first is the base."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", help="Also test whether every difference is no larger than this, such as 0.1."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print all other measures that both readings have.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write a page (HTML, one self-contained file).")
    ] = None,
    files: InstrumentFiles = None,
    as_json: Json = False,
) -> None:
    """Compare runs: differences with intervals, paired by instance, and one label of comparability each.

    What is Non-Comparable has its divergences named and no differences; where that is all, the exit code is 4.
    """
    from assay.api.compare import compare as compare_runs

    check_place(report, "--report")
    found = compare_runs(*runs, subject=subjects, margin=margin, instrument=files or ())
    if report is not None:
        from assay.evidence.files import write_whole

        write_whole(report, found.page().encode())
    if as_json:
        print_json(found)
    else:
        for number, (_, shown) in enumerate(found.presentations(everything=everything)):
            say("\n".join([*([""] if number else []), *shown.summary, ""]))
            for table in (shown.headline, *shown.tables):
                if table.rows:
                    show_headline(table)
        for note in found.notes:
            say(note)
        if not everything and any(one.further for one in found.comparisons):
            say("Further measures: --all, or --json for machines.")
    if report is not None:
        (complain if as_json else say)(f"Report   {report}")
    if not found.usable:
        raise typer.Exit(4)
