"""Outcomes that evidence gates of a tier as counts: by family, regime and arm, and paired with the subject as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct, field

from assay.instruments.agency.declarations.outcome import TIERS

__all__ = ["ArmCounts", "ArmKey", "GateTally", "Sureness", "gate_tallies", "slot_of"]

OWN = ""  # the subject as it is; of tier 6, after the intervention
NO_PHASE = "no phase"  # of tier 6: neither before an intervention nor after one
COMPARED = (
    ("permuted", "non_social"),
    ("masked", "non_social"),
)  # two arms, besides each with the subject as it is
Numbers = tuple[int, int, int, int, int]


class ArmKey(NamedTuple):
    """``slot`` is the arm, a strategy's with its name behind a colon; of tier 6 it is the phase."""

    tier: str
    family: str
    regime: str
    slot: str


class ArmCounts(NamedTuple):
    """``pairs``: contents met in this arm and by the subject as it is: k0 of n0 here, k1 of n1 there, so many times."""

    k: int
    n: int
    pairs: tuple[Numbers, ...] = ()


class Sureness(NamedTuple):
    """``number`` outcomes with the same confidence and the same end. A confidence of None was not given."""

    confidence: float | None
    success: bool
    number: int


class GateTally(Struct, frozen=True, kw_only=True):
    """Of one subject. ``shown``: tier, family and regime → strategy that actions show → outcomes. ``paces``: → steps
    that a success took → successes, where it is known.

    ``between``: an arm, and another one whose share comes second in these pairs.
    """

    arms: dict[ArmKey, ArmCounts] = field(default_factory=dict)
    between: dict[tuple[ArmKey, str], tuple[Numbers, ...]] = field(default_factory=dict)
    shown: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)
    paces: dict[tuple[str, str, str], dict[int, int]] = field(default_factory=dict)
    sureness: dict[tuple[str, str, str], tuple[Sureness, ...]] = field(default_factory=dict)


def slot_of() -> pl.Expr:
    """Where an outcome stands in a comparison of arms."""
    arm, phase = pl.col("arm"), pl.col("phase")
    fixed = pl.format("fixed_strategy:{}", "strategy")
    nowhere = (phase == "") & (pl.col("dimension") == "T6")
    after = pl.when(phase == "post").then(pl.lit(OWN)).when(nowhere).then(pl.lit(NO_PHASE)).otherwise(phase)
    return pl.when(arm == "fixed_strategy").then(fixed).when(arm == "").then(after).otherwise(arm)


_BY = ("subject", "boundary", "dimension", "family", "regime")
Whose = tuple[str, str]


def gate_tallies(frame: pl.DataFrame) -> dict[Whose, GateTally]:
    """One for each subject and boundary with outcomes of a tier."""
    rows = frame.filter(pl.col("dimension").is_in(TIERS) & pl.col("scored"))
    if not rows.height:
        return {}
    found: dict[Whose, GateTally] = {}
    for subject, boundary in (
        rows.select("subject", "boundary").unique().sort("subject", "boundary").iter_rows()
    ):
        mine = rows.filter((pl.col("subject") == subject) & (pl.col("boundary") == boundary))
        found[subject, boundary] = GateTally(
            arms=_arms(mine),
            between=_between(mine),
            shown=_counted(mine.filter(pl.col("strategy") != ""), "strategy"),
            paces=_counted(mine.filter("hit", pl.col("steps").is_not_null()), "steps"),
            sureness=_sureness(mine),
        )
    return found


_PLACE = ("dimension", "family", "regime")


def _arms(rows: pl.DataFrame) -> dict[ArmKey, ArmCounts]:
    each = _contents(rows)
    pairs = _pairs(each.filter(pl.col("slot") != OWN), each, OWN)
    total = each.group_by(*_PLACE, "slot").agg(pl.col("k0", "n0").sum()).sort(*_PLACE, "slot")
    return {
        (key := ArmKey(*row[:4])): ArmCounts(row[4], row[5], tuple(pairs.get(key, ())))
        for row in total.iter_rows()
    }


def _between(rows: pl.DataFrame) -> dict[tuple[ArmKey, str], tuple[Numbers, ...]]:
    each = _contents(rows)
    return {
        (key, other): tuple(pairs)
        for other, arm in COMPARED
        for key, pairs in _pairs(each.filter(pl.col("slot") == arm), each, other).items()
    }


def _contents(rows: pl.DataFrame) -> pl.DataFrame:
    """Successes and outcomes of each content in each slot."""
    return rows.group_by(*_PLACE, "slot", "pair").agg(pl.col("hit").sum().alias("k0"), pl.len().alias("n0"))


def _pairs(arms: pl.DataFrame, each: pl.DataFrame, other: str) -> dict[ArmKey, list[Numbers]]:
    """Contents that were met in an arm and in another slot, counted by their numbers."""
    second = each.filter(pl.col("slot") == other).drop("slot").rename({"k0": "k1", "n0": "n1"})
    numbers = ("k0", "n0", "k1", "n1")
    met = arms.join(second, on=(*_PLACE, "pair")).group_by(*_PLACE, "slot", *numbers).len()
    pairs: dict[ArmKey, list[Numbers]] = {}
    for row in met.sort(*_PLACE, "slot", *numbers).iter_rows():
        pairs.setdefault(ArmKey(*row[:4]), []).append(row[4:])
    return pairs


def _counted(rows: pl.DataFrame, column: str) -> dict[tuple[str, str, str], dict[Any, int]]:
    """Values of a column of the subject as it is, with their numbers."""
    found: dict[tuple[str, str, str], dict[Any, int]] = {}
    own = rows.filter(pl.col("slot") == OWN)
    for tier, family, regime, value, n in (
        own.group_by(*_BY[2:], column).len().sort(*_BY[2:], column).iter_rows()
    ):
        found.setdefault((tier, family, regime), {})[value] = n
    return found


def _sureness(rows: pl.DataFrame) -> dict[tuple[str, str, str], tuple[Sureness, ...]]:
    """Of families in which some outcome has a confidence: there it was asked for."""
    own = rows.filter(pl.col("slot") == OWN).filter(
        pl.col("confidence").is_not_null().any().over("family", "dimension")
    )
    found: dict[tuple[str, str, str], list[Sureness]] = {}
    counted = (
        own.group_by(*_BY[2:], "confidence", "hit").len().sort(*_BY[2:], "confidence", "hit", nulls_last=True)
    )
    for tier, family, regime, confidence, hit, n in counted.iter_rows():
        found.setdefault((tier, family, regime), []).append(Sureness(confidence, hit, n))
    return {key: tuple(some) for key, some in found.items()}
