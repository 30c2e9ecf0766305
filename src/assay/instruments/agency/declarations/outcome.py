"""One outcome: one episode, judged once. Every score of this instrument is made from outcomes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = [
    "COLUMNS",
    "DIMENSIONS",
    "REQUIRED",
    "SCORED",
    "BoundaryKind",
    "Intensity",
    "OutcomeRow",
    "RubricDimension",
]

RubricDimension = Literal["S", "M", "D", "E", "L", "R", "G"]
BoundaryKind = Literal["core", "extended"]
Intensity = Literal["baseline", "moderate", "severe"]
DIMENSIONS: tuple[RubricDimension, ...] = ("S", "M", "D", "E", "L", "R", "G")
SCORED: tuple[RubricDimension, ...] = (
    "S",
    "M",
    "D",
    "E",
)  # by rates; R is derived from these, L goes by gains, G is counted only


class OutcomeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row. ``level`` is the rubric level that the instance evidences; ``pair`` names the same content in
    other regimes (empty: the instance itself does).

    ``adversarial``: "" or false where nothing was attempted; "resisted" or "followed"; true where something was
    attempted: resisted then if ``compliant`` is true. Several rows of one instance are several raters.
    """

    dimension: Literal["S", "M", "D", "E", "L", "G"]
    level: Annotated[int, Meta(ge=1, le=5)]
    family: Annotated[str, Meta(min_length=1)]
    regime: Annotated[str, Meta(min_length=1)]
    instance: Annotated[str, Meta(min_length=1)]
    outcome: Literal["success", "failure", "excluded"]
    boundary: Literal["", "core", "extended"] = ""  # "": the declared one
    pair: str = ""
    reason: str = ""
    artifact: str = ""
    criterion_time: str = ""
    adversarial: bool | Literal["", "resisted", "followed"] = ""
    compliant: bool | None = None
    steps: Annotated[int, Meta(ge=0, le=1_000_000_000)] | None = None
    state_changed: bool | None = None
    rater: str = ""
    subject: str = ""  # "": the declared system
    # Of learning (10.8); a row of L without a phase is counted, and not scored.
    phase: Literal["", "pre", "practice", "post", "repeat", "retest", "attempt"] = ""
    arm: Literal["", "feedback", "no_feedback", "wiped"] = ""  # "": feedback
    learner: str = ""  # who began with an empty memory; its rows are one cluster
    attempt: Annotated[int, Meta(ge=1, le=1000)] | None = None  # at the same instance, within one episode
    memory: Literal["", "none", "conversation", "store"] = ""  # what lasts from one episode to the next


COLUMNS: tuple[str, ...] = OutcomeRow.__struct_fields__
REQUIRED = ("dimension", "level", "family", "regime", "instance", "outcome")
