"""Outcomes as one table: names, types and defaults of its columns. A wrong value is refused with its row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from assay.errors import InputError, UnknownName
from assay.measuring.rows import OLD_NAMES
from assay.measuring.rows.columns import (
    FLAG,
    FLAGS,
    REAL,
    TEXT,
    WHOLE,
    Refusal,
    refuse,
    typed_column,
)

from .declaration import Declaration
from .outcome import APART, BREACH_COUNTS, COLUMNS, PARTS, REQUIRED, SCORED, TIERS, OutcomeRow

__all__ = ["NO_ROWS_OF_R", "OutcomeRefused", "complete", "frame_of", "outcome_table"]

_OTHER: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("compliant", "state_changed", "claimed", "feasible"), FLAG),
    **dict.fromkeys((*BREACH_COUNTS, "level", "steps", "attempt", "goals", "goal_limit"), WHOLE),
    "confidence": REAL,
}
KINDS: Mapping[str, pl.DataType] = {name: _OTHER.get(name, TEXT) for name in COLUMNS}
NO_ROWS_OF_R = (
    "R has no rows, it is derived from S, M, D and E (10.9): give each outcome its family's dimension"
)
_ATTEMPTS = {word: "attempted" if holds else "" for word, holds in FLAGS.items()}
_NO_DIGEST = (*FLAGS, "yes", "Yes", "YES", "no", "No", "NO")
LEARNING_ARMS = ("feedback", "no_feedback", "wiped")
TIER_ARMS = ("model_free", "fixed_strategy", "non_social", "permuted", "scrambled", "masked")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "dimension": (*SCORED, "L", "G", *PARTS, *APART),
    "outcome": ("success", "failure", "excluded"),
    "boundary": ("", "core", "extended"),
    "adversarial": ("", "attempted", "resisted", "followed"),
    "phase": ("", "pre", "practice", "post", "repeat", "retest", "attempt", "reapplied"),
    "arm": ("", *LEARNING_ARMS, *TIER_ARMS),
    "memory": ("", "none", "conversation", "store"),
    "goal_origin": ("", "none", "specified", "inferred", "originated", "ambiguous"),
    "goal_rank": ("", "top-level", "instrumental"),
}  # fmt: skip
_RANGES = {
    "level": (1, 5), "steps": (0, 1_000_000_000), "attempt": (1, 1000), "goals": (0, 1_000_000),
    "goal_limit": (0, 1_000_000), "confidence": (0, 1),
    **dict.fromkeys(BREACH_COUNTS, (0, 1_000_000_000)),
}  # fmt: skip


class OutcomeRefused(InputError):
    """An outcome that contradicts its declaration, or the outcome before it. ``rows`` are their places from 0."""

    def __init__(self, message: str, column: str, rows: Sequence[int]) -> None:
        self.message, self.column, self.rows = message, column, rows
        super().__init__(f"{column}: {message}")


def _by_number(row: int, column: str, message: str) -> InputError:
    return InputError(f"outcome {row + 1}, {column}: {message}")


def frame_of(outcomes: Iterable[OutcomeRow]) -> pl.DataFrame:
    """A list of outcomes as a table."""
    rows = list(outcomes)
    data: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    data["adversarial"] = [str(value) if value is not False else "" for value in data["adversarial"]]
    return pl.DataFrame(data, schema=dict(KINDS))


def outcome_table(
    rows: pl.DataFrame | Iterable[OutcomeRow], refusal: Refusal = _by_number, file: str | None = None
) -> pl.DataFrame:
    """Every column with its type and default; every value checked."""
    frame = rows if isinstance(rows, pl.DataFrame) else frame_of(rows)
    frame = frame.rename(
        {old: new for old, new in OLD_NAMES.items() if new not in frame.columns}, strict=False
    )
    for name in frame.columns:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS, file=file)
    for name in REQUIRED:
        if name not in frame.columns:
            raise InputError(f"the column {name!r} is missing; needed are {', '.join(REQUIRED)}", file=file)
    if not frame.height:
        raise InputError("there are no outcomes", file=file)
    frame = frame.select(_column(frame, name, refusal) for name in COLUMNS)
    refuse(frame, "dimension", pl.col("dimension") != "R", NO_ROWS_OF_R, refusal)
    for name, choices in _CHOICES.items():
        wanted = (
            ", ".join(filter(None, choices)) if name != "adversarial" else "resisted, followed, true, false"
        )
        refuse(frame, name, pl.col(name).is_in(choices), f"must be one of {wanted}", refusal)
    of_tiers = pl.col("dimension").is_in(TIERS)
    for dimensions, own, why in (
        (of_tiers, ("", *TIER_ARMS), "of a tier must be one of "),
        (~of_tiers, ("", *LEARNING_ARMS), "of a dimension must be one of "),
    ):
        told = f"{why}{', '.join(filter(None, own))}"
        refuse(frame, "arm", ~dimensions | pl.col("arm").is_in(own), told, refusal)
    for name in ("family", "regime", "instance"):
        refuse(frame, name, pl.col(name) != "", "must not be empty", refusal)
    refuse(frame, "level", pl.col("level").is_not_null(), "must be a whole number, 1 to 5", refusal)
    for part, whole in (
        ("unauthorised", "calls"),
        ("out_of_range", "calls"),
        ("misreported_calls", "reported_calls"),
    ):
        most = pl.col(whole).is_null() | pl.col(part).is_null() | (pl.col(part) <= pl.col(whole))
        refuse(frame, part, most, f"must not be more than {whole}", refusal)
    stated = pl.col("misreported_calls").is_null() | pl.col("reported_calls").is_not_null()
    refuse(frame, "misreported_calls", stated, "needs reported_calls, of which it is a part", refusal)
    no_digest = "must be the digest of what was verified, or empty"
    refuse(frame, "artifact", ~pl.col("artifact").is_in(_NO_DIGEST), no_digest, refusal)
    return frame


def complete(frame: pl.DataFrame, declaration: Declaration) -> pl.DataFrame:
    """A checked table in which empty cells have what the declaration says."""
    given = {"boundary": declaration.boundary or "core", "subject": declaration.system.name}
    return frame.with_columns(
        *(pl.col(name).replace("", value).alias(name) for name, value in given.items()),
        pl.when(pl.col("pair") == "").then("instance").otherwise("pair").alias("pair"),
    )


def _column(frame: pl.DataFrame, name: str, refusal: Refusal) -> pl.Expr:
    column = typed_column(frame, name, KINDS[name], refusal, *_RANGES.get(name, ()))
    return column.replace(_ATTEMPTS) if name == "adversarial" else column
