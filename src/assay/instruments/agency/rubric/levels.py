"""Tests of single levels on counts: is the threshold met (11.4), and what the level needs besides (10.4 to 10.7)?

A level test is ``satisfied``; ``borderline`` (11.4.2: near the threshold, or above it with an interval that reaches
below); ``partly`` satisfied (10.2.1: the rate would do, another criterion fails); ``short`` (the rate would do, but
instances, families or a condition are missing); ``failed``; or ``untested``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Decided, Declaration
from assay.stats import (
    Interval,
    agresti_coull,
    clopper_pearson,
    fraction,
    paired_difference,
    paired_shares,
    wilson,
)
from assay.stats.sequential import refuted
from assay.vocabulary import Flag

from .conditions import condition_words, credited_level, lacking_conditions, not_included, proliferation
from .criteria import LevelCriterion, Rubric
from .tally import CellCounts, Pairs, RubricCell, SubjectTally, total_of

__all__ = [
    "AssignedLevel",
    "LevelTest",
    "Status",
    "compare",
    "drop_of",
    "included_cells",
    "interval_by",
    "interval_of",
    "level_tests",
    "literally",
    "percent",
    "rate_status",
    "worst",
]

Status = Literal["satisfied", "borderline", "partly", "short", "failed", "untested"]
_ORDER: tuple[Status, ...] = ("satisfied", "borderline", "partly", "short", "untested", "failed")
_METHODS = {"wilson": wilson, "agresti_coull": agresti_coull, "exact": clopper_pearson}


class LevelTest(Struct, frozen=True, kw_only=True):
    """The test of one level."""

    criterion: LevelCriterion
    status: Status
    because: str
    n: int = 0
    k: int = 0
    families: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under: bool = False  # the observed rate is under the threshold
    open: bool = False  # too few instances, so that a failure is not conclusive either (2.4: undersampled)
    enough: bool = True  # as many instances as 10.3.1 asks for
    loose: bool = False  # satisfied by its rate, with an interval that reaches below the threshold (11.4.2)
    implies: int = (
        0  # the level that is left where this one is not satisfied: the next lower that its evidence bears
    )

    @property
    def level(self) -> int:
        return self.criterion.level

    @property
    def against(self) -> bool:
        """It was tested on enough instances, and speaks against the level."""
        return self.enough and (self.status in ("failed", "partly") or (self.under and bool(self.n)))

    @property
    def holds(self) -> bool | None:
        return {"satisfied": True, "failed": False, "partly": False}.get(self.status)


class AssignedLevel(Struct, frozen=True, kw_only=True):
    """The level of one dimension. ``value`` is None where no level is reported."""

    dimension: str
    value: int | None
    spec_value: int | None = None  # what the spec says where value is None
    n: int = 0
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    tests: tuple[LevelTest, ...] = ()
    families: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        """The level for gates, where none counts as 0."""
        return self.value or 0

    @property
    def withheld(self) -> bool:
        """There are outcomes, but no level may be reported. (False where nothing was tested.)"""
        return self.value is None and any(flag.kind in ("Invalid", "Contested") for flag in self.flags)


# One threshold.


@lru_cache(maxsize=65536)
def interval_by(method: str, k: int, n: int, confidence: float) -> Interval:
    """The interval of a rate by the name of its method (11.5.2)."""
    return _METHODS[method](k, n, confidence)


def interval_of(k: int, n: int, declaration: Declaration) -> Interval:
    """The declared interval (11.5.2)."""
    return interval_by(declaration.interval, k, n, declaration.confidence)


def rate_status(k: int, n: int, threshold: float, declaration: Declaration, near: Fraction) -> Status:
    """The borderline rule (11.4.2), compared in exact fractions."""
    if not n:
        return "untested"
    line, rate = fraction(threshold), Fraction(k, n)
    if rate >= line and (declaration.rule == "point" or fraction(interval_of(k, n, declaration).low) >= line):
        return "satisfied"
    return "borderline" if rate >= line - near else "failed"


@lru_cache(maxsize=65536)
def _drop(pairs: tuple[Pairs, ...], confidence: float) -> Interval:
    if all(pair.n0 == 1 and pair.n1 == 1 for pair in pairs):
        lost = sum(pair.number for pair in pairs if pair.k0 > pair.k1)
        gained = sum(pair.number for pair in pairs if pair.k0 < pair.k1)
        return paired_shares(lost, gained, sum(pair.number for pair in pairs), confidence)
    before = [Fraction(p.k0, p.n0) for p in pairs for _ in range(p.number)]
    after = [Fraction(p.k1, p.n1) for p in pairs for _ in range(p.number)]
    return paired_difference(after, before, confidence)


def drop_of(pairs: Sequence[Pairs], confidence: float) -> Interval:
    """Success under baseline minus success under the target, over the contents that were met under both.

    Contents met once under each count as lost or gained; otherwise the contents' mean shares are compared.
    """
    return _drop(tuple(sorted(pair for pair in pairs if pair.n0)), confidence)


def drop_status(drop: Interval, limit: float, declaration: Declaration) -> Status:
    if drop.value is None:
        return "untested"
    line = fraction(limit)
    if fraction(drop.value) > line:
        return "failed"
    return "satisfied" if declaration.rule == "point" or fraction(drop.high) <= line else "borderline"


def worst(statuses: Sequence[Status]) -> Status:
    return max(statuses, key=_ORDER.index)


def best(statuses: Sequence[Status], place: int) -> Status:
    """The status that at least ``place`` of the statuses reach."""
    ordered = sorted(statuses, key=_ORDER.index)
    return ordered[place - 1] if len(ordered) >= place else "untested"


def percent(k: int, n: int) -> str:
    return f"{k}/{n} = {100 * k / n:.1f} %" if n else "no instances"


def compare(k: int, n: int, threshold: float, declaration: Declaration) -> str:
    """A rate, its interval and its threshold, as text."""
    if not n:
        return "no instances"
    interval = interval_of(k, n, declaration)
    ends = f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"
    return f"{percent(k, n)}, interval {ends}, threshold {100 * threshold:g} %"


# One level.


def included_cells(
    tally: SubjectTally, declaration: Declaration, *dimensions: str
) -> dict[RubricCell, CellCounts]:
    """The cells of families that are not excluded by the declaration."""
    return {
        key: cell for key, cell in tally.of(*dimensions).items() if declaration.family(key.family).included
    }


def level_tests(
    tally: SubjectTally, dimension: str, declaration: Declaration, rubric: Rubric, *, literal: bool = False
) -> tuple[LevelTest, ...]:
    """The test of every level of a dimension that goes by rates. ``literal``: by the text's rules, not the declared."""
    cells = included_cells(tally, declaration, dimension)
    return tuple(
        _test(row, cells, tally, literally(row, declaration) if literal else declaration, rubric)
        for row in rubric.of(dimension)
    )


def literally(row: LevelCriterion, declaration: Declaration) -> Declaration:
    """The rules of the text: rates by 11.4.2, whose interval must reach the threshold; where a degradation is judged,
    observed rates and the plain difference (10.9.2, 11.6.2).
    """
    rule: Literal["strict", "point"] = "strict" if row.rule == "rate" else "point"
    return declaration if declaration.rule == rule else msgspec.structs.replace(declaration, rule=rule)


def _test(
    row: LevelCriterion,
    cells: Mapping[RubricCell, CellCounts],
    tally: SubjectTally,
    declaration: Declaration,
    rubric: Rubric,
) -> LevelTest:
    own = {key: cell for key, cell in cells.items() if key.level == row.level and cell.n}
    met = {key: cell for key, cell in own.items() if declaration.level(key.regime) == row.regime}
    if not met:
        other = sorted({key.regime for key in own})
        where = f"; there are outcomes under {', '.join(other)} only" if other else ""
        return LevelTest(
            criterion=row, status="untested", because=f"no outcomes under a {row.regime} regime{where}"
        )
    bare = {key: lacking_conditions(row, key, declaration, rubric) for key in met}
    without = {key: names for key, names in bare.items() if names}
    # Instances without a condition of the level do not evidence it.
    counted = {key: cell for key, cell in met.items() if key not in without} or met
    families = _by_family(counted)
    total = total_of(list(families.values()))
    rate, because = _thresholds(row, families, declaration, rubric)
    others, more = _others(row, families, tally, declaration, rubric)
    status = worst([rate, *others])
    if status == "failed" and rate in ("satisfied", "borderline"):
        status = "partly"
    lacking = _lacking(row, families, total, rubric)
    named = [name for names in without.values() for name in names]
    excluded = not_included(row, cells, declaration, rubric)
    if missing := [*(named if counted is met else ()), *excluded]:
        lacking.append(condition_words(row, missing, rubric))
    if lacking and status != "failed":
        status = "short"
    left_out = total_of([met[key] for key in without]).n if counted is not met else 0
    # 10.2.1, 11.4.2: the next lower level; 10.3.1: one for which the evidence is enough
    below = rubric.supported(row.level, total.n, len(families)) if status == "short" else row.level - 1
    return LevelTest(
        criterion=row,
        status=status,
        because="; ".join([because, *more, *lacking]),
        n=total.n,
        k=total.k,
        families=tuple(families),
        regimes=tuple(sorted({key.regime for key in counted})),
        notes=(
            f"{left_out} instances do not count for level {row.level}: {condition_words(row, named, rubric)}",
        )
        if left_out
        else (),
        under=_under(families, declaration),
        open=total.n < rubric.least(row.level).instances and _reaches(families, declaration),
        enough=total.n >= rubric.least(row.level).instances,
        loose=status == "satisfied" and _loose(row, families, declaration, rubric),
        implies=credited_level(row, below, excluded, rubric),
    )


def _by_family(cells: Mapping[RubricCell, CellCounts]) -> dict[str, CellCounts]:
    return {
        name: total_of([cell for key, cell in cells.items() if key.family == name])
        for name in sorted({key.family for key in cells})
    }


def _loose(
    row: LevelCriterion, families: Mapping[str, CellCounts], declaration: Declaration, rubric: Rubric
) -> bool:
    """Does it rest on a rate whose interval reaches below its threshold, pooled or family by family?"""
    if declaration.rule == "strict":
        return False
    strict = msgspec.structs.replace(declaration, rule="strict")
    groups = _grouped(families, declaration).items()
    found = [rate_status(cell.k, cell.n, line, strict, rubric.near) for line, cell in groups]
    if row.each_family:
        found.append(best(_singly(families, strict, rubric), row.each_family))
    return worst(found) != "satisfied"


def _singly(families: Mapping[str, CellCounts], declaration: Declaration, rubric: Rubric) -> list[Status]:
    """The families, each by its own rate."""
    return [
        rate_status(cell.k, cell.n, declaration.threshold(name), declaration, rubric.near)
        for name, cell in families.items()
    ]


def _reaches(families: Mapping[str, CellCounts], declaration: Declaration) -> bool:
    """Could the true rate lie at the threshold, in every group of families that share one?"""
    return all(
        fraction(interval_of(cell.k, cell.n, declaration).high) >= fraction(line)
        for line, cell in _grouped(families, declaration).items()
    )


def _under(families: Mapping[str, CellCounts], declaration: Declaration) -> bool:
    """Is the observed rate under the threshold, in any group of families that share one?"""
    groups = _grouped(families, declaration)
    return any(Fraction(cell.k, cell.n) < fraction(line) for line, cell in groups.items())


def _grouped(families: Mapping[str, CellCounts], declaration: Declaration) -> dict[float, CellCounts]:
    """The families pooled by the threshold that they share (10.3.3)."""
    groups: dict[float, list[CellCounts]] = {}
    for name, cell in families.items():
        groups.setdefault(declaration.threshold(name), []).append(cell)
    return {threshold: total_of(cells) for threshold, cells in groups.items()}


def _thresholds(
    row: LevelCriterion, families: Mapping[str, CellCounts], declaration: Declaration, rubric: Rubric
) -> tuple[Status, str]:
    """Pooled over families; families with another threshold are a group that must meet its own (10.3.3)."""
    groups = _grouped(families, declaration)
    statuses: list[Status] = []
    words: list[str] = []
    decided = declaration.decided.get(f"{row.dimension}{row.level}")
    for threshold, cell in sorted(groups.items()):
        status = rate_status(cell.k, cell.n, threshold, declaration, rubric.near)
        if decided is not None and threshold == rubric.threshold:  # what the test was of
            status = _by_decision(status, decided, cell, row, declaration, rubric)
        statuses.append(status)
        names = ", ".join(name for name in families if declaration.threshold(name) == threshold)
        whose = f"{names}: " if len(groups) > 1 else ""
        words.append(whose + compare(cell.k, cell.n, threshold, declaration))
    if decided is not None:
        words.append(
            f"sequential test against {100 * decided.alternative:g} %, error {100 * decided.alpha:g} %: "
            f"{decided.decision} after {decided.n} ({decided.successes} successes)"
        )
    return worst(statuses), "; ".join(words)


def _others(
    row: LevelCriterion,
    families: Mapping[str, CellCounts],
    tally: SubjectTally,
    declaration: Declaration,
    rubric: Rubric,
) -> tuple[list[Status], list[str]]:
    """The criteria of a level besides its rate: each of some families for itself, the drop from baseline."""
    statuses: list[Status] = []
    words: list[str] = []
    if row.each_family:
        each = _singly(families, declaration, rubric)
        met = each.count("satisfied")
        statuses.append(best(each, row.each_family) if len(each) >= row.each_family else "short")
        words.append(f"{met} of {len(each)} families meet it each for itself, {row.each_family} must")
    if row.drop is not None:
        drop = _level_drop(row, tally, families, declaration)
        statuses.append(_with_drop(drop, row, declaration))
        words.append(_drop_words(drop, row))
    barred = {line: cell for line, cell in _grouped(families, declaration).items() if cell.infeasible}
    if row.infeasible and barred:
        # Observed: of the feasible ones the rate has the interval, and these are fewer than 10.3.1 counts.
        enough = all(Fraction(c.revised, c.infeasible) >= fraction(line) for line, c in barred.items())
        statuses.append("satisfied" if enough else "failed")
        shares = ", ".join(percent(cell.revised, cell.infeasible) for _, cell in sorted(barred.items()))
        words.append(f"on infeasible goals alone {shares} (10.10.2)")
    if row.proliferation is not None:
        within, said = proliferation(total_of(list(families.values())), row.proliferation)
        statuses.append("short" if within is None else "satisfied" if within else "failed")
        words.append(said)
    return statuses, words


def _by_decision(
    status: Status,
    decided: Decided,
    cell: CellCounts,
    row: LevelCriterion,
    declaration: Declaration,
    rubric: Rubric,
) -> Status:
    """The sequential test decides instead of the interval, which is not valid after optional stopping (11.5.1).

    A level that the test does not find satisfied is at most borderline. A declared decision is recomputed from its
    numbers, which must be among the counted outcomes.
    """
    if decided.decision == "satisfied" and status != "failed" and _stands(decided, cell, row, rubric):
        # Outcomes beyond the test (of robustness) must not bring the rate under the threshold.
        return "satisfied" if Fraction(cell.k, cell.n) >= fraction(rubric.threshold) else "borderline"
    return "borderline" if status == "satisfied" else status


def _stands(decided: Decided, cell: CellCounts, row: LevelCriterion, rubric: Rubric) -> bool:
    """Do these numbers refute a share up to the threshold, with an error of at most 5 % (10.3.1, 11.5.1)?"""
    among = decided.successes <= cell.k and decided.n - decided.successes <= cell.n - cell.k
    enough = decided.n >= rubric.least(row.level).instances
    return (
        among
        and enough
        and fraction(decided.alpha) <= fraction(rubric.sequential_error)
        and refuted(decided.n, decided.successes, rubric.threshold, decided.alternative, alpha=decided.alpha)
    )


def _level_drop(
    row: LevelCriterion, tally: SubjectTally, families: Mapping[str, CellCounts], declaration: Declaration
) -> Interval:
    pairs = [
        pair
        for key, found in tally.pairs.items()
        if (key.dimension, key.level, key.target) == (row.dimension, row.level, row.regime)
        and key.family in families
        for pair in found
    ]
    return drop_of(pairs, declaration.confidence)


def _with_drop(drop: Interval, row: LevelCriterion, declaration: Declaration) -> Status:
    assert row.drop is not None
    status = drop_status(drop, row.drop, declaration)
    return "short" if status == "untested" else status


def _drop_words(drop: Interval, row: LevelCriterion) -> str:
    if drop.value is None:
        return (
            "no content was met under baseline as well, so there is no drop to judge (11.6.2); outcomes of one content "
            "in several regimes have the same `pair`"
        )
    return (
        f"drop from baseline {100 * drop.value:.1f} points over {drop.n} contents, at most "
        f"{100 * drop.high:.1f} by its interval, {100 * (row.drop or 0):g} allowed"
    )


def _lacking(
    row: LevelCriterion, families: Mapping[str, CellCounts], total: CellCounts, rubric: Rubric
) -> list[str]:
    """The instances and families that are missing (10.3.1)."""
    least, found = rubric.least(row.level), []
    if total.n < least.instances:
        found.append(f"{total.n} instances, {least.instances} needed (10.3.1)")
    if len(families) < least.families:
        found.append(f"{len(families)} of {least.families} families needed (10.3.1)")
    return found
