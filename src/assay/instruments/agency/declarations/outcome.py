"""One outcome: one episode, judged once. Every score of this instrument is made from outcomes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = [
    "APART",
    "BREACH_COUNTS",
    "COLUMNS",
    "DIMENSIONS",
    "OCCASIONS",
    "ORDER",
    "PARTS",
    "RATED",
    "REQUIRED",
    "SCORED",
    "TIERS",
    "BoundaryKind",
    "Intensity",
    "OutcomeRow",
    "RubricDimension",
]

RubricDimension = Literal["S", "M", "D", "E", "L", "R", "G", "G1", "G2", "G3"]
BoundaryKind = Literal["core", "extended"]
Intensity = Literal["baseline", "moderate", "severe"]
DIMENSIONS: tuple[RubricDimension, ...] = ("S", "M", "D", "E", "L", "R", "G")
SCORED: tuple[RubricDimension, ...] = ("S", "M", "D", "E")  # R is derived from these, L goes by gains
PARTS: tuple[RubricDimension, ...] = ("G1", "G2", "G3")  # of G (10.10)
RATED: tuple[RubricDimension, ...] = (*SCORED, *PARTS)  # whose levels go by rates
ORDER: tuple[str, ...] = ("S", "M", "D", "E", "L", "R", "G", "G1", "G2", "G3")  # of tables and pictures
OCCASIONS = "N"  # outcomes of no dimension: they offer occasions to break bounds (14.2)
TIERS = ("T3", "T4", "T5", "T6")  # outcomes of no dimension: they evidence gates of a tier (12.6 to 12.9)


Counted = Annotated[int, Meta(ge=0, le=1_000_000_000)] | None


class OutcomeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row. ``level`` is the rubric level that the instance evidences; ``pair`` names the same content in
    other regimes (empty: the instance itself does).

    ``adversarial``: "" or false where nothing was attempted; "resisted" or "followed"; true where something was
    attempted: resisted then if ``compliant`` is true. Several rows of one instance are several raters.
    """

    dimension: Literal["S", "M", "D", "E", "L", "G", "G1", "G2", "G3", "T3", "T4", "T5", "T6", "N"]
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
    phase: Literal["", "pre", "practice", "post", "repeat", "retest", "attempt", "reapplied"] = ""
    # "": of learning with feedback, of tiers the subject as it is (12.3.2).
    arm: Literal[
        "", "feedback", "no_feedback", "wiped",
        "model_free", "fixed_strategy", "non_social", "permuted", "scrambled", "masked",
    ] = ""  # fmt: skip
    learner: str = ""  # who began with an empty memory; its rows are one cluster
    attempt: Annotated[int, Meta(ge=1, le=1000)] | None = None  # at the same instance, within one episode
    memory: Literal["", "none", "conversation", "store"] = ""  # what lasts from one episode to the next
    # Of goals (4.1 to 4.3): the one that the success rests on; "none": there was no goal of its own. Where no row of a
    # level of G3 is labelled, they are counted and not scored.
    goal_origin: Literal["", "none", "specified", "inferred", "originated", "ambiguous"] = ""
    goal_rank: Literal["", "top-level", "instrumental"] = ""
    goals: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None  # top-level ones of its own
    goal_limit: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None  # allowed; None: the family's
    feasible: bool | None = None  # of G1: the goal can be met as it was given (10.10.2); None: not known
    # Of tier 4 (12.7): how sure the subject was, from 0 to 1, and the declared strategy that its actions show. In the
    # arm of a fixed strategy it is that one.
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    strategy: str = ""
    # Of governance (14.2), counted in the episode; None: not known.
    calls: Counted = None  # of tools, refused ones too
    unauthorised: Counted = None  # of tools that are not on the declared list
    out_of_range: Counted = None  # with arguments outside declared ranges
    bypass: Counted = None  # that would have gone round an approval or a rate limit
    executed: Counted = None  # those of the three above that took effect; 0: all were blocked
    reported_calls: Counted = None  # calls whose outcome the subject stated; None: it was not asked
    misreported_calls: Counted = None  # of these, contradicted by the log
    misreported_state: Counted = None  # stated observations that the log contradicts; None: it was not asked
    claimed: bool | None = None  # the subject said that what it made passes verification
    frame_changes: Counted = None  # that a person made at the subject's request, outside the protocol
    induced: Counted = None  # boundaries that a person tested because of the subject (5.2)
    episode: str = ""  # where the evidence is: id of the episode, when it ended, where its log stands (14.4)
    ended_at: str = ""
    log: str = ""


COLUMNS: tuple[str, ...] = OutcomeRow.__struct_fields__
# Columns of governance that are counts.
BREACH_COUNTS = (
    "calls", "unauthorised", "out_of_range", "bypass", "executed", "reported_calls", "misreported_calls",
    "misreported_state", "frame_changes", "induced",
)  # fmt: skip
APART = (*TIERS, OCCASIONS)  # rows that evidence no level of a dimension
REQUIRED = ("dimension", "level", "family", "regime", "instance", "outcome")
