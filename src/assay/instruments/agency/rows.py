"""Scoring outcomes that somebody already has: JSON Lines, CSV or Parquet in, a result out.

A row is one episode judged (``outcome.py``). What cannot be read is told with file, row, column, and what would be
right. Plain rows were not declared before they were made, so every result of them is of limited comparability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
import polars as pl

from assay.errors import InputError, UnknownName
from assay.instruments.reading_rows import rows_of
from assay.study.complaints import explain
from assay.vocabulary import Flag, Result

from .declaration import Declaration, System, read_declaration
from .frames import Where, complete, frame_of
from .outcome import COLUMNS, REQUIRED, Outcome
from .scoring import score_outcomes

__all__ = ["read_outcomes", "score_rows", "undeclared"]

_WORDS: Mapping[str, bool] = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_ATTEMPTS = {**{word: str(value).lower() for word, value in _WORDS.items()}, "": ""}
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
            frame = read(path)
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
        except msgspec.ValidationError:
            return _again(line)

    return frame_of(row for _, row in rows_of(path, read))


def _again(line: bytes) -> Outcome:
    """A row that was not taken at once: null may stand for an empty text; anything else is told."""
    value = msgspec.json.decode(line)
    if isinstance(value, dict):
        value = {name: one for name, one in value.items() if one is not None or name in REQUIRED}
    try:
        return msgspec.convert(value, Outcome)
    except msgspec.ValidationError as error:
        at, message = explain(error, value, Outcome)
        field = ".".join(map(str, at))
        raise ValueError(f"{field + ': ' if field else ''}{message}") from None


# CSV.


def _csv(path: Path) -> pl.DataFrame:
    frame = _loaded(path, lambda: pl.read_csv(path, infer_schema=False))
    _columns(frame.columns, path)
    frame = frame.with_columns(pl.all().fill_null("").str.strip_chars())
    where = _where(path)
    for name in frame.columns:
        frame = _PARSERS.get(name, _as_text)(frame, name, where)
    return frame


def _as_text(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    return frame


def _as_flag(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    low = pl.col(name).str.to_lowercase()
    known = low.is_in([*_WORDS, "", "null"])
    _told(frame, name, known, "must be true, false or empty (1, 0, yes and no will do)", where)
    return frame.with_columns(low.replace_strict(_WORDS, default=None, return_dtype=pl.Boolean).alias(name))


def _as_whole(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    known = pl.col(name).str.contains(r"^\d+$") | (pl.col(name) == "")
    _told(frame, name, known, "must be a whole number", where)
    return frame.with_columns(pl.col(name).str.to_integer(strict=False).alias(name))


def _as_attempt(frame: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    low = pl.col(name).str.to_lowercase()
    known = low.is_in([*_ATTEMPTS, "resisted", "followed"])
    _told(frame, name, known, "must be resisted, followed, true, false or empty", where)
    return frame.with_columns(low.replace(_ATTEMPTS).alias(name))


_Parser = Callable[[pl.DataFrame, str, Where], pl.DataFrame]
_PARSERS: Mapping[str, _Parser] = {
    "level": _as_whole,
    "steps": _as_whole,
    "compliant": _as_flag,
    "state_changed": _as_flag,
    "adversarial": _as_attempt,
}


def _told(frame: pl.DataFrame, name: str, right: pl.Expr, message: str, where: Where) -> None:
    wrong = frame.select((~right).arg_true().first()).item()
    if wrong is not None:
        raise where(int(wrong), name, f"{message}, not {frame.get_column(name)[int(wrong)]!r}")


# Parquet.


def _parquet(path: Path) -> pl.DataFrame:
    frame = _loaded(path, lambda: pl.read_parquet(path))
    _columns(frame.columns, path)
    return frame


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


def _columns(names: Iterable[str], path: Path) -> None:
    given = list(names)
    for name in given:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS, file=str(path))
    for name in REQUIRED:
        if name not in given:
            needed = ", ".join(REQUIRED)
            raise InputError(f"the column {name!r} is missing; needed are {needed}", file=str(path))


_READERS: Mapping[str, Callable[[Path], pl.DataFrame]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _csv,
    ".parquet": _parquet,
}
