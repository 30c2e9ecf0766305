"""``assay detect``: what a detector reads in texts that you already have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import InputError

from .instrument_command import own_options
from .options import Json
from .output import print_json, say
from .own_options import options_of

if TYPE_CHECKING:
    from assay.measuring.detectors import Detector

__all__ = ["detect"]

NEGATIVE = ("false", "no", "0", "")


def detect(
    context: typer.Context,
    detector: Annotated[str, typer.Argument(help="The detector; see: assay list detectors.")],
    rows: Annotated[Path | None, typer.Argument(help="JSON Lines or CSV, plain or .gz, or Parquet.")] = None,
    field: Annotated[str, typer.Option("--field", help="The field that holds the reply.")] = "reply",
    check: Annotated[
        bool, typer.Option("--check", help="Read the shipped labelled replies: precision and recall.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option("--label", help="A field with your own labels: agreement, precision, recall."),
    ] = None,
    label_no: Annotated[
        str | None, typer.Option("--label-no", help="The label that means no; else: false, no or 0.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read texts by rule. With --json one line per row, in order, with the spans that show each finding."""
    from assay.errors import blaming
    from assay.registry import find

    make = find("assay.detectors", detector, what="detector")
    with blaming(f"the detector {detector}", "its constructor"):
        kind = getattr(make, "option_type", None)
        found: Detector = make(options_of(kind, own_options(context))) if kind is not None else make()
    if check:
        if rows is not None:
            raise InputError("--check reads the shipped replies; leave out the file")
        checked = found.check()
        if as_json:
            print_json(checked.document)
        else:
            for text in checked.lines:
                say(text)
    elif rows is None:
        raise InputError("name a file of rows, or ask for --check")
    elif label is not None:
        _compare(found, rows, field, label, label_no, as_json)
    else:
        _detect(found, rows, field, as_json)


def _detect(detector: Detector, rows: Path, field: str, as_json: bool) -> None:
    from assay.measuring.detectors import read_texts
    from assay.measuring.rows import open_rows

    counts = dict.fromkeys(detector.counted, 0)
    total = 0
    given = open_rows(rows)
    for_row = getattr(detector, "for_row", None)
    for number, text, row in read_texts(given, field):
        try:
            mine = detector if for_row is None else for_row(row)
        except InputError as error:
            raise given.error(number, "", str(error)) from None
        if as_json:
            print_json(mine.read(text))
            continue
        total += 1
        for name, holds in mine.count(text).items():
            counts[name] += holds
    if as_json:
        return
    say(f"{detector.version}: {total:,} replies in {rows}")
    for name, count in counts.items():
        say(f"  {name:<16}{count:>9,}{count / total:>8.1%}")


def _compare(
    detector: Detector, rows: Path, field: str, label: str, label_no: str | None, as_json: bool
) -> None:
    """The detector's first finding against the labels of the file."""
    from assay.measuring.detectors import compare_with_labels, read_texts
    from assay.measuring.rows import open_rows

    given = open_rows(rows)
    name = detector.counted[0]
    pairs: list[tuple[bool, bool]] = []
    for number, text, row in read_texts(given, field):
        if label not in row:
            raise given.error(number, "", f"the row has no field {label!r}; name the labels with --label")
        said = str(row[label]).lower()
        negative = said == label_no.lower() if label_no is not None else said in NEGATIVE
        pairs.append((detector.count(text)[name], not negative))
    compared = compare_with_labels(pairs)
    if as_json:
        print_json({"detector": detector.version, "finding": name, **compared})
        return
    say(f"{detector.version}: {name} against {label} in {len(pairs):,} rows of {rows}")
    for measure, found in compared.items():
        share = "no data" if found["value"] is None else f"{found['value']:.3f}"
        ends = "" if found["low"] is None else f"  [{found['low']:.3f}, {found['high']:.3f}]"
        say(f"  {measure:<12}{share:>8}  {found['k']:,} of {found['n']:,}{ends}")
