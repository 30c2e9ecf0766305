"""``assay check``: do the verdicts of a run hold? For gates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import print_json, say
from .tuples import tuples_of

__all__ = ["check"]


def check(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    strict: Annotated[
        bool,
        typer.Option("--strict", help="What is not established fails, too; so does a run without verdicts."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Say which of a run's declared requirements and comparisons hold.

    Exit code 0 when none fails, 1 when one does or a reading, or a measure of it, is invalid. Sealed evidence is
    checked by audit.
    """
    import msgspec

    from assay.bench import RunFolder

    folder = RunFolder.find(run)
    lock = folder.read_lock()
    results = [folder.read_reading(name).result for name in lock.study.options]
    verdicts = [verdict for result in results for verdict in result.verdicts]
    flags = [flag for result in results for flag in result.flags]
    flags += [flag for result in results for measure in result.measures for flag in measure.flags]
    invalid = list(dict.fromkeys(str(flag) for flag in flags if flag.kind == "Invalid"))
    fails = any(verdict.holds is False for verdict in verdicts) or bool(invalid)
    if strict:
        fails = fails or not verdicts or any(verdict.holds is None for verdict in verdicts)
    tuples = [text for result in results for text in tuples_of(result)]
    if as_json:
        found = {"holds": not fails, "verdicts": msgspec.to_builtins(verdicts), "invalid": invalid}
        print_json(found | ({"tuples": tuples} if tuples else {}))
        raise typer.Exit(1 if fails else 0)
    for verdict in verdicts:
        word = "not established" if verdict.holds is None else "holds" if verdict.holds else "fails"
        say(f"{word:15}  {verdict.claim}: {verdict.because}")
    for flag in invalid:
        say(f"{'invalid':15}  {flag}")
    for text in tuples:
        say(text)
    if not verdicts:
        say("The study declares no requirement, and nothing was compared.")
    raise typer.Exit(1 if fails else 0)
