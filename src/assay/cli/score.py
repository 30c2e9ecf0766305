"""``assay score``: plain data in, a reading out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import InputError

from .options import Json, Unconfined
from .output import safe, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from assay.vocabulary import Result

__all__ = ["score"]

WHERE = ("contract", "model", "temperature", "top_p", "wording", "level", "rung")  # labels of a measure


def score(
    instrument: Annotated[str, typer.Argument(help="The instrument: repeatability.")],
    file: Annotated[Path, typer.Argument(help="JSON Lines, plain or .gz.")],
    contracts: Annotated[
        Path | None,
        typer.Option("--contracts", help="JSON or YAML of contracts keyed by id. Default: the shipped ones."),
    ] = None,
    tau: Annotated[float, typer.Option("--tau", min=0, max=1, help="Threshold of P_tau.")] = 0.1,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the intervals.")] = 0.95,
    canon_scope: Annotated[str, typer.Option("--canon-scope", help="cell, subject or contract.")] = "cell",
    extract: Annotated[
        bool, typer.Option("--extract", help="Take the program out of a whole reply first.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Programs run at once. Default: cores.")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair/--no-repair", help="Repair what passes and differs from its canon.")
    ] = True,
    everything: Annotated[
        bool, typer.Option("--all", help="Every measure, not only those that are read first.")
    ] = False,
    unconfined: Unconfined = False,
    as_json: Json = False,
) -> None:
    """Score outputs that you already have. The reading is flagged: it was not declared first.

    Rows for repeatability: {"contract": ID, "model": NAME, "temperature": T, "outputs": [TEXT, ...]}
    """
    from assay.registry import find

    find("assay.instruments", instrument, what="instrument")
    if instrument != "repeatability":
        raise InputError(f"{instrument} has no scoring of plain rows; repeatability has")
    from fractions import Fraction

    from assay.instruments.repeatability.rows import score_rows
    from assay.instruments.repeatability.scoring import Settings
    from assay.vocabulary import Reading

    if canon_scope not in ("cell", "subject", "contract"):
        raise InputError(f"--canon-scope {canon_scope}: choose cell, subject or contract")
    if not 0 < confidence < 1:
        raise InputError(f"--confidence {confidence:g}: more than 0, less than 1")
    chosen = Settings(tau=Fraction(str(tau)), confidence=confidence, scope=canon_scope, repair=repair)
    result = score_rows(
        file,
        contracts,
        settings=chosen,
        workers=workers or len(os.sched_getaffinity(0)),
        extract=extract,
        allow_unconfined_code=unconfined,
    )
    if as_json:
        from assay.canonical import encode

        typer.echo(encode(Reading(result=result)).decode())
        return
    _print(result, everything=everything)


def _print(result: Result, *, everything: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if everything:
        console.print(_all_measures(result))
    else:
        _headline(result, console)
    for flag in result.flags:
        console.print(Text(safe(str(flag)), style="yellow"))
    if not everything:
        console.print(f"All {len(result.measures)} measures: --all, or --json for machines.")


def _headline(result: Result, console: Console) -> None:
    from assay.instruments.presentation import Presentation
    from assay.instruments.repeatability.headline import headline_of
    from assay.report.tables import headline_text, plain_text

    shown = Presentation(headline=headline_of(result))
    if console.is_terminal:
        console.print(headline_text(shown), "")
    else:
        typer.echo(plain_text(shown))
    for verdict in result.verdicts:
        if verdict.holds:
            say(f"holds: {verdict.claim} ({verdict.because})")
    if result.verdicts:
        say(f"{sum(v.holds is True for v in result.verdicts)} of {len(result.verdicts)} comparisons hold.")


def _all_measures(result: Result) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    where = [name for name in WHERE if any(name in m.labels for m in result.measures)]
    table = Table(*where, "measure", "value", "interval", "n", box=box.SIMPLE, pad_edge=False)
    for m in result.measures:
        labels = [safe(str(m.labels.get(name, ""))).replace("\n", " ") for name in where]
        value = "–" if m.value is None else f"{m.value:.3f}"
        ends = ["–" if end is None else f"{end:.3f}" for end in (m.low, m.high)]
        span = "" if m.low is None else f"[{', '.join(ends)}]"
        table.add_row(*[Text(label) for label in labels], m.name, value, Text(span), str(m.n))
    return table
