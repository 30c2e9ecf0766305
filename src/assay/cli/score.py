"""``assay score``: plain data in, a reading out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError

from .instrument_command import own_options
from .options import Json
from .output import line, safe, say
from .own_options import options_of

if TYPE_CHECKING:
    from rich.table import Table

    from assay.bench import Instrument
    from assay.vocabulary import Result

__all__ = ["score"]

PIPED = 200  # columns where there is no terminal to ask: a table cut short would lose numbers


def score(
    context: typer.Context,
    instrument: Annotated[str, typer.Argument(help="The instrument; its options are listed after its name.")],
    file: Annotated[Path, typer.Argument(help="The rows: JSON Lines or CSV, plain or .gz, or Parquet.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Every measure, not only those that are read first.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Score outputs that you already have. The reading is flagged: it was not declared first.

    What a row looks like, and which options there are: assay score INSTRUMENT --help
    """
    from assay.bench import named_instrument
    from assay.measuring.rows import open_rows

    found = named_instrument(instrument)
    if found.row_option_type is None:
        raise InputError(f"{instrument} has no scoring of plain rows")
    scored = found.score_rows(open_rows(file), options_of(found.row_option_type, own_options(context)))
    result = scored.result
    if as_json:
        from assay.canonical import encode
        from assay.vocabulary import Reading

        typer.echo(encode(Reading(result=result)).decode())
        return
    _print(found, result, everything=everything)


def _print(instrument: Instrument, result: Result, *, everything: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from assay.report.presentation import Presentation
    from assay.report.terminal import headline_text, plain_text

    console = Console(width=None if sys.stdout.isatty() else PIPED)
    if everything:
        console.print(_all_measures(result))
        said = instrument.accompanying(result)
    else:
        shown = Presentation(headline=instrument.headline(result))
        if console.is_terminal:
            console.print(headline_text(shown), "")
        else:
            typer.echo(plain_text(shown))
        said = instrument.summary(result)
    for text in said:
        say(line(text))
    for flag in result.flags:
        console.print(Text(safe(str(flag)), style="yellow"))
    if not everything:
        console.print(f"All {len(result.measures)} measures: --all, or --json for machines.")


def _all_measures(result: Result) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    where = list(dict.fromkeys(label for m in result.measures for label in m.labels))
    table = Table(*where, "measure", "value", "interval", "n", box=box.SIMPLE, pad_edge=False)
    for m in result.measures:
        labels = [line(safe(str(m.labels.get(name, "")))) for name in where]
        value = "–" if m.value is None else f"{m.value:.3f}"
        ends = ["–" if end is None else f"{end:.3f}" for end in (m.low, m.high)]
        span = "" if m.low is None else f"[{', '.join(ends)}]"
        table.add_row(*[Text(label) for label in labels], m.name, value, Text(span), str(m.n))
    return table
