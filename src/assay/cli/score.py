"""``assay score``: plain data in, a reading out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError

from .options import Json, Unconfined
from .output import safe, say
from .tuples import line, say_tuples

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from assay.instruments.presentation import Headline
    from assay.vocabulary import Result

__all__ = ["score"]

PIPED = 200  # columns where there is no terminal to ask: a table cut short would lose numbers

# Labels of a measure, in the order of the columns.
WHERE = (
    *("contract", "model", "temperature", "top_p", "wording", "level", "rung"),
    *("subject", "against", "variant", "planted", "detector"),
    *("boundary", "dimension", "family", "regime", "from", "to"),
)
# Options that one instrument alone has.
OWN = {
    "repeatability": ("contracts", "tau", "canon_scope", "extract", "workers", "repair", "unconfined"),
    "consistency": ("ratings", "delta", "rule"),
    "agency": ("declaration",),
}


def score(
    context: typer.Context,
    instrument: Annotated[str, typer.Argument(help="The instrument: repeatability, consistency or agency.")],
    file: Annotated[Path, typer.Argument(help="JSON Lines, plain or .gz; for agency also CSV or Parquet.")],
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
        int | None, typer.Option("--workers", min=1, max=256, help="Programs run at once. Default: cores.")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair/--no-repair", help="Repair what passes and differs from its canon.")
    ] = True,
    ratings: Annotated[
        Path | None, typer.Option("--ratings", help="CSV: scenario,place,detector,label,rater.")
    ] = None,
    delta: Annotated[float, typer.Option("--delta", help="Seconds within which a repair counts.")] = 60.0,
    rule: Annotated[str, typer.Option("--rule", help="M5 is judged by: interval or point.")] = "interval",
    declaration: Annotated[
        Path | None,
        typer.Option("--declaration", help="YAML or JSON: system, boundary, regimes, families, criteria."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every measure, not only those that are read first.")
    ] = False,
    unconfined: Unconfined = False,
    as_json: Json = False,
) -> None:
    """Score outputs that you already have. The reading is flagged: it was not declared first.

    Rows for repeatability: {"contract": ID, "model": NAME, "temperature": T, "outputs": [TEXT, ...]}

    Rows for consistency: {"id": ID, "subject": NAME, "kind": KIND, "thread": {...}, "turns": [...]}

    Rows for agency: {"dimension": "S", "level": 1, "family": ID, "regime": ID, "instance": ID, "outcome": "success"}
    """
    _check_instrument(instrument, context)
    if not 0 < confidence < 1:
        raise InputError(f"--confidence {confidence:g}: more than 0, less than 1")
    if instrument == "agency":
        if _given(context, "confidence"):
            raise InputError("--confidence: agency takes it from the declaration (11.5.2)")
        from assay.instruments.agency.rows import score_rows

        result = score_rows(file, declaration)
    elif instrument == "consistency":
        result = _consistency(file, ratings, delta=delta, rule=rule, confidence=confidence)
    else:
        result = _repeatability(
            file,
            contracts,
            {"tau": tau, "confidence": confidence, "scope": canon_scope, "repair": repair},
            workers=workers or len(os.sched_getaffinity(0)),
            extract=extract,
            allow_unconfined_code=unconfined,
        )
    if as_json:
        from assay.canonical import encode
        from assay.vocabulary import Reading

        typer.echo(encode(Reading(result=result)).decode())
        return
    _print(result, everything=everything)


def _check_instrument(instrument: str, context: typer.Context) -> None:
    """It is there, scores rows, and was given no options of another's."""
    if instrument not in OWN:
        from assay.registry import find

        find("assay.instruments", instrument, what="instrument")
        raise InputError(f"{instrument} has no scoring of plain rows; repeatability has")
    for other, names in OWN.items():
        for name in names if other != instrument else ():
            if _given(context, name):
                option = "allow-unconfined-code" if name == "unconfined" else name.replace("_", "-")
                raise InputError(f"--{option} is an option of {other}, not of {instrument}")


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _repeatability(
    file: Path, contracts: Path | None, declared: dict[str, Any], *, workers: int, **how: bool
) -> Result:
    from fractions import Fraction

    from assay.instruments.repeatability.rows import score_rows
    from assay.instruments.repeatability.scoring import Settings

    if declared["scope"] not in ("cell", "subject", "contract"):
        raise InputError(f"--canon-scope {declared['scope']}: choose cell, subject or contract")
    settings = Settings(**{**declared, "tau": Fraction(str(declared["tau"]))})
    return score_rows(file, contracts, settings=settings, workers=workers, **how)


def _consistency(file: Path, ratings: Path | None, *, delta: float, rule: str, confidence: float) -> Result:
    from assay.instruments.consistency.judging import Judging
    from assay.instruments.consistency.scenarios.rows import score_rows
    from assay.instruments.consistency.scoring import Settings

    if rule not in ("interval", "point"):
        raise InputError(f"--rule {rule}: choose interval or point")
    if not 0 < delta < float("inf"):
        raise InputError(f"--delta {delta:g}: a number of seconds above 0")
    settings = Settings(
        rule="point" if rule == "point" else "interval",
        confidence=confidence,
        judging=Judging(delta_seconds=delta),
    )
    return score_rows(file, settings, ratings=ratings)


def _print(result: Result, *, everything: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else PIPED)
    if everything:
        console.print(_all_measures(result))
        say_tuples(result)
    else:
        _headline(result, console)
    for flag in result.flags:
        console.print(Text(safe(str(flag)), style="yellow"))
    if not everything:
        console.print(f"All {len(result.measures)} measures: --all, or --json for machines.")


def _headline(result: Result, console: Console) -> None:
    from assay.instruments.presentation import Presentation
    from assay.report.tables import headline_text, plain_text

    shown = Presentation(headline=_table_of(result))
    if console.is_terminal:
        console.print(headline_text(shown), "")
    else:
        typer.echo(plain_text(shown))
    if result.instrument in ("consistency", "agency"):
        _say_all(result)
        return
    for verdict in result.verdicts:
        if verdict.holds:
            say(f"holds: {verdict.claim} ({verdict.because})")
    if result.verdicts:
        say(f"{sum(v.holds is True for v in result.verdicts)} of {len(result.verdicts)} comparisons hold.")


def _table_of(result: Result) -> Headline:
    if result.instrument == "consistency":
        from assay.instruments.consistency.figures.headline import headline_of as of_subjects

        return of_subjects(result)
    if result.instrument == "agency":
        from assay.instruments.agency.headline import headline_of as of_vectors

        return of_vectors(result)
    from assay.instruments.repeatability.headline import headline_of

    return headline_of(result)


def _say_all(result: Result) -> None:
    """Few verdicts and a diagnosis: all of them are worth reading."""
    for verdict in result.verdicts:
        held = "not established" if verdict.holds is None else "holds" if verdict.holds else "fails"
        say(line(f"{held}: {verdict.claim} ({verdict.because})"))
    for note in result.notes:
        say(line(note))


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
