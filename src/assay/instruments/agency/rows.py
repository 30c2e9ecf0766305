"""Scoring outcomes that a user already has: JSON Lines, CSV or Parquet in, a result out.

A row is one judged episode (``outcome.py``). A mistake is refused with file, row, column, and what would be right.
Plain rows were not declared before they were made, so every result of them is of limited comparability.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

import msgspec
import polars as pl

from assay.canonical import clean_text
from assay.errors import InputError, nearest
from assay.measuring.outcomes import NOT_DECLARED
from assay.measuring.rows import OLD_NAMES, read_lines, rows_of
from assay.vocabulary import Result

from .declarations.declaration import Declaration, System, read_declaration
from .declarations.outcome import COLUMNS, REQUIRED
from .declarations.table import NOTHING, Refusal, outcome_table
from .rubric.analysis import AgencyReading, analyse
from .scoring import result_of

__all__ = ["ScoredOutcomes", "read_outcomes", "score_rows", "scored_outcomes", "undeclared"]


def score_rows(path: Path, declaration: Path | Declaration | None = None, *, version: str) -> Result:
    """The result alone."""
    return scored_outcomes(path, declaration, version=version).result


class ScoredOutcomes(NamedTuple):
    """A result with what it was scored from: the checked table, and a reading for each subject and boundary."""

    result: Result
    readings: tuple[AgencyReading, ...]
    frame: pl.DataFrame
    declaration: Declaration


def scored_outcomes(
    path: Path, declaration: Path | Declaration | None = None, *, version: str
) -> ScoredOutcomes:
    """Score the outcomes of a file under a declaration; without one the result is exploratory."""
    notes: tuple[str, ...] = ()
    if declaration is None:
        declared = undeclared()
        notes = ("2.5: there is no declaration, so nothing comparable can be claimed",)
    else:
        declared = declaration if isinstance(declaration, Declaration) else read_declaration(declaration)
    frame, flags = read_outcomes(path), (NOT_DECLARED,)
    readings = analyse(frame, declared, flags=flags)
    result = result_of(readings, source="rows", version=version, flags=flags, notes=notes)
    return ScoredOutcomes(result, readings, frame, declared)


def undeclared() -> Declaration:
    """The declaration of rows that come without one."""
    return Declaration(system=System(name="unnamed system"), purpose="exploratory")


def read_outcomes(path: Path) -> pl.DataFrame:
    """The checked rows of a .jsonl, .jsonl.gz, .csv, .csv.gz or .parquet file."""
    name = path.name.lower().removesuffix(".gz")
    for ending, read in _READERS.items():
        if name.endswith(ending):
            return read(path)
    raise InputError(f"must end in {', '.join(_READERS)} (the first three may be gzipped)", file=str(path))


def _by_row(path: Path) -> Refusal:
    return lambda row, column, message: InputError(f"row {row + 1}, {column}: {message}", file=str(path))


# JSON Lines.

_Scalar = str | bool | int | float | None
_Line = msgspec.defstruct(
    "_Line", [(name, _Scalar, None) for name in (*COLUMNS, *OLD_NAMES)], forbid_unknown_fields=True
)


def _json_lines(path: Path) -> pl.DataFrame:
    decoder = msgspec.json.Decoder(_Line)

    def read(line: bytes) -> Any:
        try:
            return decoder.decode(line)
        except msgspec.DecodeError:
            return _read_slowly(line)

    numbered = list(rows_of(path, read))
    columns: list[pl.Series] = []
    for name in _Line.__struct_fields__:
        values = [getattr(row, name) for _, row in numbered]
        if name in REQUIRED or any(value is not None for value in values):
            columns.append(_series(name, values))

    def refusal(row: int, column: str, message: str) -> InputError:
        lacking = getattr(numbered[row][1], column) is None
        wrong = "is missing" if lacking and column in REQUIRED else message
        return InputError(f"{column}: {wrong}", file=str(path), line=numbered[row][0])

    return outcome_table(pl.DataFrame(columns), refusal, str(path))


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type, or of text where its values have several types or are too large."""
    try:
        if len({*map(type, values)} - {NoneType}) < 2:
            return pl.Series(name, values)
    except (OverflowError, TypeError):
        pass
    whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in values)
    return pl.Series(name, [None if v is None else str(v) for v in whole], dtype=pl.String)


def _read_slowly(line: bytes) -> Any:
    """A line that the fast decoder refused: NaN, which Python writes, is taken; anything else is explained."""
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("must be a JSON object")
    for name, one in value.items():
        if name not in _Line.__struct_fields__:
            raise ValueError(f"unknown column {name!r}{nearest(name, COLUMNS)}")
        if isinstance(one, list | dict):
            raise ValueError(f"{name}: must be a single value")
        if isinstance(one, str) and clean_text(one)[1]:
            raise ValueError(f"{name}: text that is not valid Unicode")
    return _Line(**value)


# CSV.

SEPARATORS = (",", ";", "\t")


def _csv(path: Path) -> pl.DataFrame:
    head = next((line for _, line in read_lines(path)), b"")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is UTF-16 text; save it as CSV in UTF-8", file=str(path))
    first = head.decode("utf-8", "replace")
    marked = first.lower().startswith("sep=") and len(first) == 5  # as spreadsheets write it
    separator = first[4] if marked else max(SEPARATORS, key=lambda sign: _columns_by(sign, first))
    frame = _loaded(
        path,
        lambda: pl.read_csv(path, infer_schema=False, separator=separator, skip_lines=1 if marked else 0),
    )
    frame = frame.rename(str.strip).with_columns(pl.all().str.strip_chars().fill_null(""))
    frame = frame.filter(pl.any_horizontal(pl.all() != ""))  # no blank lines
    ids = [name for name in ("instance", "pair") if name in frame.columns and _pointed(frame[name])]
    return outcome_table(frame.with_columns(pl.col(ids).str.strip_suffix(".0")), _by_row(path), str(path))


def _columns_by(separator: str, line: str) -> int:
    """How many known columns a first line has if it is split so."""
    return sum(name.strip(' "') in COLUMNS for name in line.split(separator))


def _pointed(ids: pl.Series) -> bool:
    """Are all ids of a column such as 7.0? pandas writes whole numbers so where some are missing."""
    given = ids.filter(~ids.is_in(NOTHING))
    return bool(len(given) and given.str.contains(r"^\d+\.0$").all())


# Parquet.


def _parquet(path: Path) -> pl.DataFrame:
    return outcome_table(_loaded(path, lambda: pl.read_parquet(path)), _by_row(path), str(path))


def _loaded(path: Path, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        frame = read()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except pl.exceptions.NoDataError:
        raise InputError("there are no rows", file=str(path)) from None
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"cannot be read: {first}", file=str(path)) from None
    if not frame.height:
        raise InputError("there are no rows", file=str(path))
    return frame


_READERS: Mapping[str, Callable[[Path], pl.DataFrame]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _csv,
    ".parquet": _parquet,
}
