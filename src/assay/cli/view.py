"""``assay view``: the trials of a run, a page at a time, or one in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError, IntegrityError

from .grid import cut, print_grid
from .options import Json
from .output import complain, line, print_json, say

if TYPE_CHECKING:
    from assay.api.trials import Page, Shown

__all__ = ["view"]

LIMIT = 20
SHORT_ID = 12  # signs of a trial's id in a table


def view(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    trial: Annotated[
        str | None, typer.Argument(help="One trial in full: its number, or the beginning of its id.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Trials that ended as failure.")] = False,
    excluded: Annotated[
        bool, typer.Option("--excluded", help="Trials that were lost to infrastructure.")
    ] = False,
    unknown: Annotated[
        bool, typer.Option("--unknown", help="Trials whose outcome could not be read.")
    ] = False,
    subject: Annotated[
        str | None, typer.Option("--subject", "-s", help="Trials of this subject; * stands for any signs.")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", help="Trials of this item; * stands for any signs.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Trials on a page.")] = LIMIT,
    page: Annotated[int, typer.Option("--page", min=1, help="Which page.")] = 1,
    as_json: Json = False,
) -> None:
    """Show the trials of a run, or one of them in full: messages, replies, events, checks, outcome.

    Works while a run goes on and on one that a crash left. The ledger's chain is checked as far as it is read; that a
    run is what was signed is what assay audit shows.
    """
    from assay.api.trials import TrialFilter, find_trial, planned_trials, read_page
    from assay.bench import RunFolder
    from assay.evidence.trial_reader import TrialReader
    from assay.report.trial_rows import trial_row

    named = {"failure": failed, "excluded": excluded, "unknown": unknown}
    if trial is not None and (any(named.values()) or subject or item or page > 1):
        raise InputError(f"trial {trial} is named: filters and pages are for the list, without it")
    folder = RunFolder.find(run)
    if problem := folder.damage():
        complain(f"assay: {folder.path} is damaged: {problem}; what can be read is shown")
    lock = folder.read_lock()
    for flag in folder.challenges(lock).flags:
        complain(f"note: this run is {line(str(flag))}")
    reader = TrialReader(folder.ledger, lock.digest)
    if trial is not None:
        _one(folder, find_trial(reader, trial), as_json)
    else:
        outcomes = frozenset(name for name, given in named.items() if given)
        found = read_page(reader, TrialFilter(outcomes, subject, item), page, limit)
        bare = {shown.log.id for shown in found.trials if shown.log.of is None}
        planned = planned_trials(folder, lock, bare)
        rows = [(shown, trial_row(shown.log, planned.get(shown.log.id))) for shown in found.trials]
        _page(folder.path, found, rows, page, limit, sorted(reader.torn), as_json)
    if problem:
        raise typer.Exit(1)
    if reader.torn and not as_json:
        complain(
            f"note: {', '.join(sorted(reader.torn))} ends in a line that is not whole: a crash, or a run going on"
        )


def _one(folder: Any, shown: Shown, as_json: bool) -> None:
    from assay.api.trials import records_of
    from assay.report.trial_text import trial_data, trial_text

    records = [*records_of(folder, shown.log)]
    if as_json:
        print_json({"number": shown.number, **trial_data(shown.log, records)})
        return
    for part in trial_text(shown.log, records):
        say(f"{part}\n")


def _page(
    path: Path,
    found: Page,
    rows: list[tuple[Shown, dict[str, Any]]],
    page: int,
    limit: int,
    torn: list[str],
    as_json: bool,
) -> None:
    from assay.report.trial_rows import checks_of

    if as_json:
        trials = [{"number": shown.number, **row} for shown, row in rows]
        print_json(
            {
                "run": str(path),
                "page": page,
                "limit": limit,
                "more": found.more,
                "torn": torn,
                "trials": trials,
            }
        )
    elif rows:
        grid = [["", "trial", "subject", "item", "outcome", "checks", "seconds", "reply"]]
        for shown, row in rows:
            checks = checks_of(shown.log.end.report) if shown.log.end else {}
            grid.append(
                [
                    str(shown.number),
                    row["trial"][:SHORT_ID],
                    cut(row["subject"] or "", 28),
                    cut(_item(row), 28),
                    cut(_outcome(row), 28),
                    cut(", ".join(map(_check, checks.items())), 40),
                    "" if row["seconds"] is None else f"{row['seconds']:.2f}",
                    _first_line(row["reply"] or row["detail"] or row["fault"] or ""),
                ]
            )
        print_grid(grid)
    elif not found.broken:
        say("There are no such trials." if page == 1 else "There are no more such trials.")
    if found.broken:
        raise IntegrityError(found.broken)
    if found.more and not as_json:
        say(f"More: --page {page + 1}. One in full: assay view {path} {found.trials[0].number}")


def _first_line(text: str) -> str:
    """The first line that says something: not a blank one, nor the fence of a program."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith(("```", "~~~"))), text)


def _item(row: dict[str, Any]) -> str:
    if row["item"] is None:
        return ""
    return f"{row['item']} {row['repetition']}"


def _outcome(row: dict[str, Any]) -> str:
    if row["outcome"] is None:
        return "not finished"
    return f"{row['outcome']}: {row['reason']}" if row["reason"] else str(row["outcome"])


def _check(check: tuple[str, Any]) -> str:
    name, value = check
    return f"{name} {'yes' if value is True else 'no' if value is False else value}"
