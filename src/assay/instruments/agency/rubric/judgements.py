"""Joins several judgements of one episode (11.5.3): two raters must both judge success, of three or more a majority."""

from __future__ import annotations

import polars as pl
from msgspec import Struct

from assay.errors import InputError

__all__ = ["EPISODE", "Ratings", "joined", "raters_of", "ratings_of", "view_of"]

# ``attack``: the same instance, met in one regime with an attempt and without, is two episodes.
CELL = ("subject", "boundary", "dimension", "level", "family", "regime", "attack")
EPISODE = (*CELL, "instance")


class Ratings(Struct, frozen=True, kw_only=True):
    """Instances of one dimension with two or more labels; those on which labels differ; those without a majority."""

    raters: tuple[str, ...]
    rated: int
    disagreed: int
    unsettled: int = 0


def joined(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """One row for each episode, and the rows of episodes with several raters (None where there are none)."""
    labelled = pl.col("outcome") != "excluded"
    if frame.select(EPISODE).hash_rows().n_unique() == frame.height:
        return frame.with_columns(
            labelled.cast(pl.UInt32).alias("labels"),
            (pl.col("outcome") == "success").cast(pl.UInt32).alias("yes"),
            (pl.col("outcome") == "success").alias("success"),
            (~labelled).alias("lost"),
        ), None
    frame = _numbered(frame)
    _refuse_twice(frame)
    several = frame.filter(pl.len().over("episode") > 1)
    joint = frame.group_by("episode").agg(
        *(pl.col(name).first() for name in (*EPISODE, "intensity")),
        pl.col("pair").min(),
        pl.col("post_hoc").any(),
        pl.col("reason").max(),
        pl.col("artifact").max(),
        (pl.col("adversarial") == "followed").any().alias("_followed"),
        pl.col("adversarial").max().alias("_attack"),
        pl.col("compliant").min(),
        pl.col("steps").min(),
        pl.col("state_changed").min(),
        labelled.sum().alias("labels"),
        (pl.col("outcome") == "success").sum().alias("yes"),
    )
    # Two raters must both say so; of three or more, most (11.5.3, 10.2.2).
    most = pl.when(pl.col("labels") >= 3).then(pl.col("yes") * 2 > pl.col("labels"))
    joint = joint.with_columns(
        most.otherwise((pl.col("yes") == pl.col("labels")) & (pl.col("labels") > 0)).alias("success"),
        (pl.col("labels") == 0).alias("lost"),
        pl.when("_followed").then(pl.lit("followed")).otherwise("_attack").alias("adversarial"),
    ).drop("_followed", "_attack")
    return joint, several


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Number the episodes: grouping by one number is several times as fast as by eight columns."""
    cells = frame.select(CELL).unique().with_row_index("_cell")
    instance = pl.col("instance").cast(pl.Categorical).to_physical().cast(pl.Int64)
    return (
        frame.join(cells, on=CELL, how="left")
        .with_columns((pl.col("_cell").cast(pl.Int64) * 2**32 + instance).alias("episode"))
        .drop("_cell")
    )


def _refuse_twice(frame: pl.DataFrame) -> None:
    twice = frame.group_by("episode", "rater").agg(pl.len(), *(pl.col(name).first() for name in EPISODE))
    twice = twice.filter(pl.col("len") > 1).sort(*EPISODE, "rater")
    if twice.height:
        row = twice.row(0, named=True)
        by = f"by {row['rater']!r} " if row["rater"] else ""
        raise InputError(
            f"instance {row['instance']!r} of {row['family']} under {row['regime']} is judged {row['len']} times "
            f"{by}at level {row['level']} of {row['dimension']}; several judgements need the names of their raters"
        )


def view_of(joint: pl.DataFrame, rated: pl.DataFrame, rater: str) -> pl.DataFrame:
    """The episodes by this rater's own labels where there are any."""
    own = rated.filter((pl.col("rater") == rater) & (pl.col("outcome") != "excluded")).select(
        "episode", (pl.col("outcome") == "success").alias("_own")
    )
    merged = joint.join(own, on="episode", how="left")
    return merged.with_columns(pl.coalesce("_own", "success").alias("success")).drop("_own")


def raters_of(frame: pl.DataFrame) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    """The raters, by dimension."""
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    by = ("subject", "boundary", "dimension")
    named = frame.filter(pl.col("rater") != "").group_by(by).agg(pl.col("rater").unique())
    for subject, boundary, dimension, names in named.sort(by).iter_rows():
        found.setdefault((subject, boundary), {})[dimension] = tuple(sorted(names))
    return found


def ratings_of(joint: pl.DataFrame, rated: pl.DataFrame | None) -> dict[tuple[str, str], dict[str, Ratings]]:
    found: dict[tuple[str, str], dict[str, Ratings]] = {}
    if rated is None:
        return found
    names = {
        (subject, boundary, dimension): tuple(sorted(raters))
        for subject, boundary, dimension, raters in rated.group_by("subject", "boundary", "dimension")
        .agg(pl.col("rater").unique())
        .iter_rows()
    }
    several = joint.filter(pl.col("labels") >= 2)
    split = (pl.col("yes") > 0) & (pl.col("yes") < pl.col("labels"))
    even = pl.col("yes") * 2 == pl.col("labels")
    counted = several.group_by("subject", "boundary", "dimension").agg(
        pl.len(), split.sum().alias("split"), even.sum().alias("even")
    )
    for subject, boundary, dimension, number, disagreed, unsettled in counted.sort(pl.all()).iter_rows():
        found.setdefault((subject, boundary), {})[dimension] = Ratings(
            raters=names[subject, boundary, dimension],
            rated=number,
            disagreed=disagreed,
            unsettled=unsettled,
        )
    return found
