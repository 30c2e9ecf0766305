"""``assay score``: plain data in, a reading out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.errors import InputError

from .options import Json, Unconfined

__all__ = ["score"]


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
    chosen = Settings(tau=Fraction(str(tau)), confidence=confidence, scope=canon_scope)
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
    _table(result)


def _table(result: Any) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from assay.report.tables import safe_terminal

    columns = ["contract", "model", "temperature", "level", "measure", "value", "interval", "n"]
    table = Table(*columns, box=box.SIMPLE, pad_edge=False)
    for m in result.measures:
        labels = [safe_terminal(str(m.labels.get(name, ""))) for name in columns[:4]]
        value = "–" if m.value is None else f"{m.value:.3f}"
        span = "" if m.low is None else f"[{m.low:.3f}, {m.high:.3f}]"
        table.add_row(*[Text(label) for label in labels], m.name, value, Text(span), str(m.n))
    console = Console()
    console.print(table)
    for flag in result.flags:
        console.print(Text(str(flag), style="yellow"))
