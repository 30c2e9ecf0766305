"""The rubric as values: ``data/rubric.yaml``, read once. Numbers are compared as exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct

from assay.instruments.agency.declarations.outcome import RATED, Intensity, RubricDimension
from assay.instruments.agency.governance.criteria import GovernanceCriteria
from assay.stats import fraction
from assay.study.source import convert, parse_source

__all__ = [
    "GateCriterion",
    "GoalLabels",
    "LevelCriterion",
    "Minimum",
    "RequiredCondition",
    "Rubric",
    "TierCriterion",
    "rubric",
]

Axis = Literal["information", "action", "compute", "stability"]


class Minimum(Struct, frozen=True, forbid_unknown_fields=True):
    """How many instances, in how many families, a level needs (10.3.1)."""

    level: int
    instances: int
    families: int


class GoalLabels(Struct, frozen=True, forbid_unknown_fields=True):
    """The labels of a goal for which a level gives credit (4.1 to 4.3)."""

    rank: Literal["top-level", "instrumental"]
    origins: tuple[Literal["specified", "inferred", "originated"], ...]


class LevelCriterion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One level of one dimension."""

    dimension: RubricDimension
    level: int
    section: str
    text: str
    rule: Literal["rate", "drop", "retained", "robust", "gain"]
    regime: Intensity
    example: str = ""
    conditions: tuple[str, ...] = ()  # each instance that counts has them
    includes: tuple[
        str, ...
    ] = ()  # some instances have them, at this level or a lower one that asks for the same
    ends: bool = False  # 10.9.3: no level stands above this one when it fails
    each_family: int = 0  # number of families that must meet the threshold one by one
    drop: float | None = None  # most that success may fall from baseline
    collapse: float | None = None
    delta: float | None = None
    families: int = 1  # R: in how many families
    also: tuple[Intensity, ...] = ()  # 10.3.5: regimes that must have been run besides
    base_threshold: bool = False  # 11.6.2: the target regime meets the threshold, too
    injections: float | None = None  # B.7.3: share resisted
    attempts: int = 0
    compliance: float | None = None  # B.7.4
    stable: float | None = None  # severe success at most so far below moderate
    gain: float | None = None  # L: success after less success before
    within: bool = False  # L: attempts within an episode, instead of tests before and after practice
    rows: int = 0  # L: the level of the outcomes that are judged; 0: its own
    regression: float | None = None  # L: most that may be lost on earlier families
    infeasible: bool = False  # G1: the threshold on infeasible goals alone, too
    goal: GoalLabels | None = None  # G3: how the goal of a success is labelled
    proliferation: float | None = None  # G3: share of instances with more own goals than allowed

    @property
    def judged(self) -> int:
        return self.rows or self.level

    @property
    def claim(self) -> str:
        return f"{self.dimension} ≥ {self.level}: {self.text}"


class RequiredCondition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a level needs besides a success rate, and where it shows."""

    text: str
    least: int = 0  # instances that have it where a level includes it; 0: as many as 10.3.1 asks of the level
    axis: Axis | None = None
    parameters: dict[Axis, tuple[str, ...]] = {}
    environments: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class GateCriterion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One gate of a tier."""

    name: str
    rule: Literal[
        "vector", "schemas", "rate", "feedback", "gain", "gain_instances", "valid", "depth", "over_arm",
        "family_instances", "all_instances", "calibration", "level_rate", "over_strategies",
        "agents", "over_non_social", "attribution", "masking", "strategic", "severe",
        "modification_space", "sequence", "structural", "impact", "reproduced", "severe_impact", "untouched",
    ]  # fmt: skip
    section: str
    levels: dict[RubricDimension, int] = {}  # vector
    shown: bool = (
        False  # vector, of rows: by outcomes of these levels themselves, not implied by a higher one
    )
    instances: int = 0  # of a family; for gains before practice and after it
    steps: int = 0
    families: int = 1
    gain: float = 0.0
    arm: str = ""  # that is compared with the subject as it is (12.3.2)
    delay: int = 0  # steps until reward
    correlation: float = 0.0
    tolerance: float = 0.0  # reproduced: points between the results of two applications
    dimensions: tuple[RubricDimension, ...] = ()  # valid


class TierCriterion(Struct, frozen=True, forbid_unknown_fields=True):
    """A tier: all its gates, and those of the tiers below (12.2)."""

    tier: int
    section: str
    text: str
    asks: tuple[str, ...]  # it is tested where there are outcomes of one of them
    gates: tuple[GateCriterion, ...]
    regimes: tuple[Intensity, ...] = ("baseline",)  # under which its own outcomes count
    environment: str = ""  # the class of the families that evidence it; empty: any


class Rubric(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: str
    framework: str
    threshold: float
    borderline: float
    confidence: float
    minimum: tuple[Minimum, ...]
    conditions: dict[str, RequiredCondition]
    levels: tuple[LevelCriterion, ...]
    verified: dict[str, int]  # dimension → the level from which on a success needs an artifact
    verification_cap: int
    tools_cap: int
    material_schema_share: float
    sequential_error: float
    calibrated_agreement: float
    memory_cap: int
    ceiling: float
    governance: GovernanceCriteria
    tiers: tuple[TierCriterion, ...]

    def of(self, dimension: str) -> tuple[LevelCriterion, ...]:
        """The levels of a dimension, lowest first."""
        return tuple(sorted((row for row in self.levels if row.dimension == dimension), key=_level))

    def least(self, level: int) -> Minimum:
        return next(row for row in self.minimum if row.level == level)

    def supported(self, below: int, instances: int, families: int) -> int:
        """The highest level under ``below`` for which there are enough instances; 0 where there is none.

        Every family that ``below`` lacks costs a level, as the one that worked example 2 lacks does.
        """
        most = below - max(1, self.least(below).families - families)
        return max((m.level for m in self.minimum if m.level <= most and m.instances <= instances), default=0)

    @property
    def near(self) -> Fraction:
        return fraction(self.borderline)


def _level(row: LevelCriterion) -> int:
    return row.level


@cache
def rubric() -> Rubric:
    """The shipped table."""
    text = (files("assay.instruments.agency") / "data" / "rubric.yaml").read_text("utf-8")
    source = parse_source(text, "rubric.yaml")
    found = convert(source.value, Rubric, source)
    _check(found.levels, found.conditions)
    return found


def _check(rows: Iterable[LevelCriterion], conditions: Iterable[str]) -> None:
    seen = sorted((row.dimension, row.level) for row in rows)
    assert not {name for row in rows for name in (*row.conditions, *row.includes)} - set(conditions)
    assert seen == sorted((d, k) for d in (*RATED, "L", "R") for k in range(1, 6)), seen
