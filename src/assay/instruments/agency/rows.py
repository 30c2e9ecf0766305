"""Scoring outcomes that somebody already has: JSON Lines, CSV or Parquet in, a result out.

A row is one episode judged (``outcome.py``). What cannot be read is told with file, row, column, and what would be
right. Plain rows were not declared before they were made, so every result of them is of limited comparability.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import polars as pl

from assay.errors import InputError
from assay.measuring.rows import read_lines, rows_of
from assay.study.complaints import explain
from assay.vocabulary import Flag, Result

from .declaration import Declaration, System, read_declaration
from .declared_words import folded
from .frames import Where, complete, frame_of
from .outcome import COLUMNS, Outcome
from .row_forms import named_columns, plain, plain_row
from .scoring import score_outcomes

__all__ = ["read_outcomes", "score_rows", "undeclared"]

NOT_DECLARED = Flag("Limited Comparability", "not declared first")


def score_rows(
    path: Path, declaration: Path | Declaration | None = None, *, version: str | None = None
) -> Result:
    """Score the outcomes of a file under a declaration; without one the result is exploratory."""
    if version is None:
        from .protocol import Agency

        version = Agency.version
    notes: tuple[str, ...] = ()
    if declaration is None:
        declared = undeclared()
        notes = ("2.5: there is no declaration, so nothing comparable can be claimed",)
    else:
        declared = declaration if isinstance(declaration, Declaration) else read_declaration(declaration)
    frame = read_outcomes(path)
    return score_outcomes(
        frame,
        declared,
        source="rows",
        version=version,
        flags=(NOT_DECLARED,),
        notes=notes,
        where=_where(path),
    )


def undeclared() -> Declaration:
    """What holds where nothing was declared."""
    return Declaration(system=System(name="unnamed system"), purpose="exploratory")


def read_outcomes(path: Path) -> pl.DataFrame:
    """The rows of a .jsonl, .jsonl.gz, .csv, .csv.gz or .parquet file, checked."""
    name = path.name.lower().removesuffix(".gz")
    for ending, read in _READERS.items():
        if name.endswith(ending):
            frame = plain(read(path), _where(path))
            complete(frame, undeclared(), _where(path))
            return frame
    raise InputError(f"must end in {', '.join(_READERS)} (the first three may be gzipped)", file=str(path))


def _where(path: Path) -> Where:
    def complaint(row: int, column: str, message: str) -> InputError:
        return InputError(f"row {row + 1}, {column}: {message}", file=str(path))

    return complaint


# JSON Lines.


def _json_lines(path: Path) -> pl.DataFrame:
    decoder = msgspec.json.Decoder(Outcome)

    def read(line: bytes) -> Outcome:
        try:
            return decoder.decode(line)
        except msgspec.DecodeError:
            return _again(line)

    return frame_of(row for _, row in rows_of(path, read))


def _again(line: bytes) -> Outcome:
    """A row that was not taken at once: written in another form, or wrong."""
    value = json.loads(line)  # takes NaN, as Python writes it
    if isinstance(value, dict):
        value = plain_row(value)
    try:
        return msgspec.convert(value, Outcome)
    except msgspec.ValidationError as error:
        at, message = explain(error, value, Outcome)
        field = ".".join(map(str, at))
        raise ValueError(f"{field + ': ' if field else ''}{message}") from None


# CSV.


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
    frame = frame.rename(named_columns(frame.columns, path))
    return frame.filter(pl.any_horizontal(pl.all().fill_null("").str.strip_chars() != ""))  # no blank lines


SEPARATORS = (",", ";", "\t")


def _columns_by(separator: str, line: str) -> int:
    """How many known columns a first line has if it is parted so."""
    return sum(folded(name.strip(' "')) in COLUMNS for name in line.split(separator))


# Parquet.


def _parquet(path: Path) -> pl.DataFrame:
    frame = _loaded(path, lambda: pl.read_parquet(path))
    return frame.rename(named_columns(frame.columns, path))


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
