"""``assay detect``: what a detector reads in texts that you already have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError, UnknownName

from .options import Json
from .output import print_json, say

if TYPE_CHECKING:
    from assay.instruments.consistency import Triple

__all__ = ["detect"]

SHOWN = ("refusal", "limit", "proximity", "adjacent")


def detect(
    detector: Annotated[str, typer.Argument(help="The detector: triple.")],
    rows: Annotated[Path | None, typer.Argument(help="JSON Lines, plain or .gz.")] = None,
    field: Annotated[str, typer.Option("--field", help="The field that holds the reply.")] = "reply",
    check: Annotated[
        bool, typer.Option("--check", help="Read the shipped labelled replies: precision and recall.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read refusals by rule: does a reply decline, name the limit, stay near, offer something adjacent?

    With --json one line per row, in order, with the spans that show each.
    """
    if detector != "triple":
        raise UnknownName("detector", detector, ["triple"])
    if check:
        if rows is not None:
            raise InputError("--check reads the shipped replies; leave out the file")
        _check(as_json)
    elif rows is None:
        raise InputError("name a file of rows, or ask for --check")
    else:
        _detect(rows, field, as_json)


def _detect(rows: Path, field: str, as_json: bool) -> None:
    from assay.instruments.consistency.detectors import VERSION, detect_triple
    from assay.instruments.consistency.detectors.rows import read_replies

    counts = dict.fromkeys((*SHOWN, "vague", "over_apology"), 0)
    total = complete = 0
    for reply in read_replies(rows, field):
        triple = detect_triple(reply)
        if as_json:
            print_json(_row(triple))
            continue
        total += 1
        complete += triple.refusal and triple.limit and triple.proximity and triple.adjacent
        for name in counts:
            counts[name] += getattr(triple, name)
    if as_json:
        return
    say(f"{VERSION}: {total:,} replies in {rows}")
    for name, count in {**counts, "complete triple": complete}.items():
        say(f"  {name:<16}{count:>9,}{count / total:>8.1%}")


def _row(triple: Triple) -> dict[str, Any]:
    spans = {name: [list(span) for span in triple.spans[name]] for name in SHOWN}
    return {**{name: getattr(triple, name) for name in SHOWN}, "spans": spans}


def _check(as_json: bool) -> None:
    from assay.instruments.consistency.detectors import VERSION
    from assay.instruments.consistency.detectors.labelled import FOLDS, agreements, labelled_replies

    replies = labelled_replies()
    parts = {fold: [reply for reply in replies if reply.fold == fold] for fold in FOLDS}
    found = {fold: agreements(part) for fold, part in parts.items()}
    if as_json:
        measured = {
            fold: {
                a.component: {**a._asdict(), "precision": a.precision, "recall": a.recall}
                for a in found[fold]
            }
            for fold in FOLDS
        }
        print_json({"detector": VERSION, "replies": {f: len(p) for f, p in parts.items()}, "folds": measured})
        return
    say(f"{VERSION}: {len(replies)} labelled replies")
    for fold in FOLDS:
        say(f"\n{fold} ({len(parts[fold])} replies)")
        say(f"  {'':<14}{'precision':>10}{'recall':>8}{'both':>7}{'rules only':>12}{'labels only':>13}")
        for a in found[fold]:
            say(
                f"  {a.component:<14}{_number(a.precision):>10}{_number(a.recall):>8}"
                f"{a.both:>7}{a.rules_only:>12}{a.labels_only:>13}"
            )


def _number(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"
