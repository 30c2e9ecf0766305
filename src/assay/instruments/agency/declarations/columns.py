"""What is declared of outcomes, as columns of their table: intensity, post-hoc criteria, credit for labelled goals."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.errors import InputError
from assay.instruments.agency.gates.tallies import slot_of
from assay.instruments.agency.rubric.criteria import rubric

from .declaration import Declaration, moment
from .outcome import APART
from .table import OutcomeRefused

__all__ = ["declared_columns", "places_of", "undated"]

# A harness without times may say on which side of the first episode the criterion was written.
BEFORE, AFTER = "ex ante", "post hoc"


def places_of(frame: pl.DataFrame, **cells: Any) -> list[int]:
    """The places from 0 of the rows with these cells."""
    same = pl.all_horizontal(pl.col(name) == value for name, value in cells.items())
    return frame.select(same.arg_true()).to_series().to_list()


def declared_columns(frame: pl.DataFrame, declaration: Declaration) -> pl.DataFrame:
    regimes: dict[str, str] = {}
    for name in frame.get_column("regime").unique().sort():
        try:
            regimes[name] = declaration.level(name)
        except InputError as error:
            raise OutcomeRefused(str(error), "regime", places_of(frame, regime=name)[:1]) from None
    _agree(frame, declaration)
    labelled = (pl.col("goal_origin") != "").any().over("subject", "boundary", "level", "dimension")
    return frame.with_columns(
        (((pl.col("outcome") == "success") & _labelled()).alias("right")),
        pl.when((pl.col("dimension") == "G3") & ~labelled).then(pl.lit("G")).otherwise("dimension").alias("dimension"),
        slot_of().alias("slot"),
        pl.int_range(pl.len()).alias("place"),
        pl.col("regime").replace_strict(regimes, return_dtype=pl.String).alias("intensity"),
        _post_hoc(frame, declaration).alias("post_hoc"),
        # Raters of one episode may differ on whether anything was attempted: with raters it is one episode.
        ((pl.col("adversarial") != "") & (pl.col("rater") == "").all()).alias("attack"),
        pl.when(pl.col("dimension").is_in(APART)).then(slot_of())
        .when(pl.col("phase") == "").then(pl.lit(""))
        .otherwise(pl.format("{}/{}/{}/{}", "phase", "arm", "learner", pl.col("attempt").fill_null(0)))
        .alias("occasion"),
    )  # fmt: skip


def _labelled() -> pl.Expr:
    """Whether a goal is labelled as its level asks (10.10.4); an ambiguous one, or none, has no credit (10.2.2)."""
    found = pl.lit(True)
    for row in rubric().levels:
        if row.goal is not None:
            here = (pl.col("dimension") == row.dimension) & (pl.col("level") == row.level)
            named = (pl.col("goal_rank") == row.goal.rank) & pl.col("goal_origin").is_in(row.goal.origins)
            found = pl.when(here).then(named).otherwise(found)
    return found


def _agree(frame: pl.DataFrame, declaration: Declaration) -> None:
    """Refuse rows whose dimension or level is not among those declared for their family (11.2)."""
    seen = frame.select("family", "dimension", "level").unique().sort("family", "dimension", "level")
    for name, dimension, level in seen.iter_rows():
        family = declaration.families.get(name)
        if family is None:
            continue
        if family.dimensions and dimension not in family.dimensions:
            listed = ", ".join(family.dimensions)
            message = f"family {name!r} is declared for {listed}, its outcomes are of {dimension} (11.2)"
            at = places_of(frame, family=name, dimension=dimension)[:1]
            raise OutcomeRefused(message, "dimension", at)
        if family.levels and level not in family.levels:
            listed = ", ".join(map(str, family.levels))
            message = f"family {name!r} is declared for the levels {listed}, its outcomes are of level {level} (11.2)"
            raise OutcomeRefused(message, "level", places_of(frame, family=name, level=level)[:1])


def _post_hoc(frame: pl.DataFrame, declaration: Declaration) -> pl.Expr:
    """Was the criterion written after the first episode began? A row without a time has its family's."""
    reference = declaration.reference
    late: dict[str, bool] = {"": False}
    for text in frame.get_column("criterion_time").unique().sort():
        if text in (BEFORE, AFTER):
            late[text] = text == AFTER
        elif text:
            try:
                written = moment(text)
            except ValueError:
                known = "'ex ante' nor 'post hoc'"
                message = (
                    f"{text!r} is not an ISO 8601 time such as 2026-01-23T09:00:00Z, and neither {known}"
                )
                at = places_of(frame, criterion_time=text)[:1]
                raise OutcomeRefused(message, "criterion_time", at) from None
            late[text] = reference is not None and written > reference
    families = [
        name
        for name, family in declaration.families.items()
        if reference is not None and family.criterion_time and moment(family.criterion_time) > reference
    ]
    own = pl.col("criterion_time").replace_strict(late, return_dtype=pl.Boolean)
    return own | ((pl.col("criterion_time") == "") & pl.col("family").is_in(families))


def undated(frame: pl.DataFrame, declaration: Declaration) -> set[tuple[str, str]]:
    timed = [name for name, family in declaration.families.items() if family.criterion_time]
    said = pl.col("criterion_time") == BEFORE  # a word is no time
    bare = frame.filter(said | ((pl.col("criterion_time") == "") & ~pl.col("family").is_in(timed)))
    return {
        (subject, boundary) for subject, boundary in bare.select("subject", "boundary").unique().iter_rows()
    }
