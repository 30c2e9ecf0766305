"""Ratings by people, out of a file with one rating a row. A mistake is named with its row and column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import InputError, UnknownName

from .question import YES_NO, Question, RatingLabel
from .rating import RatedNames, RatedThing, Rating

__all__ = ["read_ratings"]

SPELLINGS: Mapping[str, RatingLabel] = {"true": True, "1": True, "false": False, "0": False}
LONGEST_PLACE = 9  # digits
Row = Mapping[str, str]


def read_ratings(
    path: Path,
    *,
    names: RatedNames = RatedNames(),  # noqa: B008 (frozen)
    questions: Mapping[str, Question] | None = None,
    reserved: Sequence[str] = (),
) -> list[Rating]:
    """The ratings of a file, in its order.

    ``questions`` are those that may be rated; without them any name is taken, and labels are yes or no. ``reserved``
    are names of raters that nobody may take, such as that of the rules.
    """
    columns = [name for name in (names.item, names.place, names.question, "label", "rater") if name]
    ratings: list[Rating] = []
    seen: dict[RatedThing, int] = {}
    for line, row in _rows(path, columns):
        try:
            rating = _rating(row, names, questions, reserved)
            if (first := seen.setdefault(rating.thing, line)) != line:
                raise InputError(
                    f"rater {rating.rater!r}: this rater has rated that already, in line {first}"
                )
        except InputError as error:
            raise InputError(str(error), file=str(path), line=line) from None
        ratings.append(rating)
    if not ratings:
        raise InputError("there are no ratings", file=str(path))
    return ratings


def _rating(
    row: Row, names: RatedNames, questions: Mapping[str, Question] | None, reserved: Sequence[str]
) -> Rating:
    for column, value in row.items():
        if not value:
            raise InputError(f"{column} is empty")
    question = row[names.question]
    if questions is not None and question not in questions:
        raise UnknownName(names.question, question, questions)
    if row["rater"] in reserved:
        raise InputError(f"rater {row['rater']!r} is what the {row['rater']} are called; name another")
    place = row[names.place] if names.place else "0"
    if not (place.isascii() and place.isdigit() and len(place) <= LONGEST_PLACE):
        raise InputError(f"{names.place} {place!r}: write the number of the turn or part, from 0")
    labels = YES_NO if questions is None else questions[question].labels
    return Rating(row[names.item], int(place), question, _label(row["label"], labels), row["rater"])


def _label(given: str, labels: Mapping[str, RatingLabel]) -> RatingLabel:
    spelled = {word: label for word, label in SPELLINGS.items() if label in labels.values()}
    known = {**spelled, **{word.casefold(): label for word, label in labels.items()}}
    if given.casefold() not in known:
        *before, last = labels
        raise InputError(f"label {given!r}: write {', '.join(before)} or {last}")
    return known[given.casefold()]


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """The named columns of every row of a CSV file with a header, stripped, with the number of its line."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        header = list(lines.fieldnames or ())
        if absent := [name for name in columns if name not in header]:
            raise InputError(
                f"the header lacks {', '.join(absent)}; write {','.join(columns)}", file=str(path)
            )
        if twice := [name for name in columns if header.count(name) > 1]:
            raise InputError(f"the header has {', '.join(twice)} more than once", file=str(path))
        for row in lines:
            yield lines.line_num, {name: (row.get(name) or "").strip() for name in columns}
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=str(path), line=lines.line_num) from None
