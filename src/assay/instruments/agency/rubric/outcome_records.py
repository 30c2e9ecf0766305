"""The records of plain outcomes: for every row how it was counted, and why a success was not credited."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import COLUMNS, SCORED
from assay.instruments.agency.declarations.table import complete

from .tally import EPISODE, judged_episodes

__all__ = ["outcome_records"]

ROW = "row"
GIVEN = ("subject", "boundary", *(name for name in COLUMNS if name not in ("subject", "boundary")))


def outcome_records(
    frame: pl.DataFrame, declaration: Declaration, numbers: Iterable[int]
) -> Iterator[dict[str, Any]]:
    """One record a row of a checked table, in its order. ``row`` is its number, as in messages: line, or place from 1.

    ``labels`` counts the raters of the episode, ``joint`` is what they come to together (11.5.3); ``counted`` is how
    the episode counts, and ``evidences`` at which level.
    """
    row = pl.Series(ROW, [*itertools.islice(numbers, frame.height)])
    completed = complete(frame, declaration).with_columns(row)
    rows, episodes = judged_episodes(completed, declaration)
    left_out = [name for name in frame.get_column("family").unique() if not declaration.family(name).included]
    counted = (
        pl.when("lost").then(pl.lit("excluded")).when("post_hoc").then(pl.lit("post hoc"))
        .when("hit").then(pl.lit("success")).otherwise(pl.lit("failure"))
    )  # fmt: skip
    joint = episodes.select(
        *EPISODE,
        "labels",
        _word(pl.col("lost"), pl.col("success")).alias("joint"),
        ((pl.col("yes") > 0) & (pl.col("yes") < pl.col("labels"))).alias("disagreed"),
        counted.alias("counted"),
        pl.col("bare").alias("unverified"),
        _why(declaration).alias("why"),
        pl.when(pl.col("scored") & pl.col("dimension").is_in(SCORED) & ~pl.col("family").is_in(left_out))
        .then(pl.concat_str("dimension", "level"))
        .otherwise(pl.lit(""))
        .alias("evidences"),
    )
    found = rows.join(joint, on=EPISODE, how="left", maintain_order="left")
    judged = ("labels", "joint", "disagreed", "counted", "evidences", "unverified", "why")
    yield from found.select(ROW, *GIVEN, *judged).iter_rows(named=True)


def _word(lost: pl.Expr, success: pl.Expr) -> pl.Expr:
    known = pl.when(success).then(pl.lit("success")).otherwise(pl.lit("failure"))
    return pl.when(lost).then(pl.lit("excluded")).otherwise(known)


def _why(declaration: Declaration) -> pl.Expr:
    """Why an episode is no success; empty where it is one."""
    left_out = [name for name, family in declaration.families.items() if not family.included]
    said = pl.col("reason")
    some = pl.col("yes") > 0
    return (
        pl.when("lost").then(pl.format("11.7.3: lost to infrastructure: {}", said))
        .when("post_hoc").then(pl.lit("11.3.2: its criterion is post hoc"))
        .when(pl.col("bare") & ~pl.col("hit")).then(pl.lit("11.7.1: no artifact shows the effect"))
        .when(pl.col("success") & ~pl.col("hit"))
        .then(pl.lit("5.2: through people, without proof that it is the system's"))
        .when(~pl.col("success") & some).then(pl.lit("11.5.3: its raters do not agree on a success"))
        .when(~pl.col("success")).then(said)
        .when(pl.col("family").is_in(left_out)).then(pl.lit("11.8: the family is left out of the levels"))
        .otherwise(pl.lit(""))
    )  # fmt: skip
