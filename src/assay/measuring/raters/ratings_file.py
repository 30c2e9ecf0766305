"""Ratings by people, out of a file with one rating a row. A mistake is named with its row and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from assay.errors import InputError, UnknownName
from assay.measuring.rows import RowData, open_rows

from .question import YES_NO, Question, RatingLabel
from .rating import RatedNames, RatedThing, Rating

__all__ = ["read_ratings"]

SPELLINGS: Mapping[str, RatingLabel] = {"true": True, "1": True, "false": False, "0": False}
LONGEST_PLACE = 9  # digits
Row = Mapping[str, str]


def read_ratings(
    path: RowData,
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
    rows = open_rows(path)
    ratings: list[Rating] = []
    seen: dict[RatedThing, int] = {}
    for number, row in rows:
        try:
            rating = _rating(_texts(row, columns), names, questions, reserved)
            if (first := seen.setdefault(rating.thing, number)) != number:
                raise InputError(
                    f"rater {rating.rater!r}: this rater has rated that already, in {rows.place} {first}"
                )
        except InputError as error:
            raise rows.error(number, "", str(error)) from None
        ratings.append(rating)
    return ratings


def _texts(row: Mapping[str, Any], columns: Sequence[str]) -> Row:
    """The named columns as texts; one that is absent is empty."""
    for name in row:
        close = get_close_matches(name, [one for one in columns if one not in row], 1, 0.8)
        if name not in columns and close:
            raise InputError(f"unknown column {name!r}; did you mean {close[0]!r}?")
    return {name: _text(name, row.get(name)) for name in columns}


def _text(column: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise InputError(f"{column}: must be text or a number, not {type(value).__name__}")
    return str(value).strip()


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
    # Tables with an empty cell in the column write whole numbers as 3.0.
    place = row[names.place].removesuffix(".0") if names.place else "0"
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
