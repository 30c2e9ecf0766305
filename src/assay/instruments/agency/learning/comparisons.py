"""Outcomes of learning as counts: what is compared, by level, family, regime and learner."""

from __future__ import annotations

from typing import Literal, NamedTuple

import polars as pl
from msgspec import Struct, field

__all__ = ["SIDES", "Comparison", "LearningCounts", "LearningKey", "LearningTally", "learning_tallies"]

Comparison = Literal["gain", "wiped", "no_feedback", "retest", "attempts"]
Numbers = tuple[int, int, int, int, int]
# What stands before and after in each comparison.
SIDES: dict[Comparison, tuple[str, str]] = {
    "gain": ("pre", "post/feedback"),
    "wiped": ("post/wiped", "post/feedback"),
    "no_feedback": ("pre", "post/no_feedback"),
    "retest": ("post/feedback", "retest"),
    "attempts": ("first", "later"),
}
FIRST, LATER = 1, 3  # B.6.1: attempt 3 and later against attempt 1


class LearningKey(NamedTuple):
    comparison: Comparison
    level: int
    family: str
    regime: str
    learner: str  # "": every row is its own


class LearningCounts(NamedTuple):
    """``pairs``: k0 of n0 successes before and k1 of n1 after, of so many contents. Then all rows, paired or not."""

    pairs: tuple[Numbers, ...]
    k0: int
    n0: int
    k1: int
    n1: int


class LearningTally(Struct, frozen=True, kw_only=True):
    """The outcomes of L of one subject that have a phase, without practice."""

    compared: dict[LearningKey, LearningCounts] = field(default_factory=dict)
    repeats: dict[tuple[int, str, str], tuple[int, int]] = field(default_factory=dict)
    memories: frozenset[str] = frozenset()  # of tests after practice; "": not declared
    n: int = 0  # scored outcomes, without practice
    phases: bool = False  # some outcome says which phase it is of


_BY = ("subject", "boundary", "level", "family", "regime", "learner")
Whose = tuple[str, str]


def learning_tallies(frame: pl.DataFrame) -> dict[Whose, LearningTally]:
    """One for each subject and boundary with outcomes of L that have a phase."""
    rows = frame.filter((pl.col("dimension") == "L") & (pl.col("phase") != ""))
    if not rows.height:
        return {}
    slots = rows.filter("scored").with_columns(_slot().alias("slot")).filter(pl.col("slot") != "")
    each = slots.group_by(*_BY, "pair", "slot").agg(pl.col("hit").sum().alias("k"), pl.len().alias("n"))
    found: dict[Whose, dict[LearningKey, LearningCounts]] = {}
    for comparison, (first, second) in SIDES.items():
        for whose, key, counts in _compared(each, comparison, first, second):
            found.setdefault(whose, {})[key] = counts
    repeats: dict[Whose, dict[tuple[int, str, str], tuple[int, int]]] = {}
    again = each.filter(pl.col("slot") == "repeat").group_by(_BY[:5]).agg(pl.col("k", "n").sum())
    for subject, boundary, level, family, regime, k, n in again.sort(_BY[:5]).iter_rows():
        repeats.setdefault((subject, boundary), {})[level, family, regime] = (k, n)
    after = pl.col("memory").filter(pl.col("slot") == "post/feedback").unique()
    told = slots.group_by("subject", "boundary").agg(after.alias("memory"), pl.len().alias("n"))
    known = {(subject, boundary): (names, n) for subject, boundary, names, n in told.iter_rows()}
    return {
        (subject, boundary): LearningTally(
            compared=found.get((subject, boundary), {}),
            repeats=repeats.get((subject, boundary), {}),
            memories=frozenset(known.get((subject, boundary), ((), 0))[0]),
            n=known.get((subject, boundary), ((), 0))[1],
            phases=True,
        )
        for subject, boundary in rows.select("subject", "boundary").unique().iter_rows()
    }


def _slot() -> pl.Expr:
    """Where an outcome stands in a comparison; empty for practice and for attempts between the first and the third."""
    phase, number = pl.col("phase"), pl.col("attempt")
    arm = pl.when(pl.col("arm") == "").then(pl.lit("feedback")).otherwise("arm")
    return (
        pl.when(phase == "post").then(pl.format("post/{}", arm))
        .when(phase.is_in(("pre", "retest", "repeat"))).then(phase)
        .when((phase == "attempt") & (number == FIRST)).then(pl.lit("first"))
        .when((phase == "attempt") & (number >= LATER)).then(pl.lit("later"))
        .otherwise(pl.lit(""))
    )  # fmt: skip


def _compared(
    each: pl.DataFrame, comparison: Comparison, first: str, second: str
) -> list[tuple[Whose, LearningKey, LearningCounts]]:
    before = each.filter(pl.col("slot") == first).drop("slot").rename({"k": "k0", "n": "n0"})
    after = each.filter(pl.col("slot") == second).drop("slot").rename({"k": "k1", "n": "n1"})
    numbers = ("k0", "n0", "k1", "n1")
    pairs: dict[tuple[str, ...], list[Numbers]] = {}
    met = before.join(after, on=(*_BY, "pair")).group_by(*_BY, *numbers).len()
    for row in met.sort(*_BY, *numbers).iter_rows():
        pairs.setdefault(row[:6], []).append(row[6:])
    sums = pl.col(numbers).sum()
    total = pl.concat([before, after], how="diagonal").group_by(_BY).agg(sums).sort(_BY)
    return [
        (
            (row[0], row[1]),
            LearningKey(comparison, *row[2:6]),
            LearningCounts(tuple(pairs.get(row[:6], ())), *row[6:]),
        )
        for row in total.iter_rows()
    ]
