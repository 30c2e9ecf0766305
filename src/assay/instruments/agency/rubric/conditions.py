"""Which conditions were present where outcomes came from: noise, drift, scarcity, tools and their failures.

They are data (``data/rubric.yaml``). A level is not credited on instances that lack a condition which it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from assay.instruments.agency.declarations.declaration import Declaration, DeclaredRegime
from assay.instruments.agency.declarations.intensities import strengths
from assay.instruments.agency.declarations.outcome import Intensity
from assay.stats import fraction

from .criteria import LevelCriterion, RequiredCondition, Rubric
from .tally import CellCounts, RubricCell

__all__ = [
    "condition_words",
    "credited_level",
    "is_present",
    "lacking_conditions",
    "not_included",
    "proliferation",
]


def is_present(
    name: str, cell: RubricCell, level: Intensity, declaration: Declaration, rubric: Rubric
) -> bool:
    """Was this condition present where these outcomes came from, as strongly as ``level`` asks?"""
    condition, family = rubric.conditions[name], declaration.family(cell.family)
    if name in family.conditions_at(cell.level):
        return True
    kind = family.environment.casefold()
    if condition.unless and not kind.startswith(condition.unless):
        return True
    if condition.environments and kind.startswith(condition.environments):
        return True
    regime = declaration.regimes.get(cell.regime)
    if regime is None or name in family.untouched_at(cell.level):
        return False
    return name in regime.conditions or _set(condition, regime, level)


def _set(condition: RequiredCondition, regime: DeclaredRegime, level: Intensity) -> bool:
    """Do the regime's parameters show it?"""
    for axis, names in condition.parameters.items():
        given = {name: value for name, value in getattr(regime, axis).items() if value}
        if names == ("*",) and getattr(regime, axis):
            reached = strengths(axis, getattr(regime, axis))
            return reached is None or level != "severe" or "severe" in reached
        if any(name in given for name in names):
            return True
    return False


def lacking_conditions(
    row: LevelCriterion, cell: RubricCell, declaration: Declaration, rubric: Rubric
) -> list[str]:
    """The conditions that every instance of a level needs, as far as they are missing in a cell."""
    return [name for name in row.conditions if not is_present(name, cell, row.regime, declaration, rubric)]


def not_included(
    row: LevelCriterion, cells: Mapping[RubricCell, CellCounts], declaration: Declaration, rubric: Rubric
) -> list[str]:
    """The conditions that some instances of a level need and too few have.

    Instances of lower levels that ask for the same count as well: what 10.5.2 and 10.7.2 want included from a level on
    need not be in every level above it.
    """
    found = []
    for name in row.includes:
        asking = [one for one in rubric.of(row.dimension) if name in (*one.conditions, *one.includes)]
        wanted = {(one.level, one.regime) for one in asking if one.level <= row.level}
        met = sum(
            cell.n
            for key, cell in cells.items()
            if (key.level, declaration.level(key.regime)) in wanted
            and is_present(name, key, row.regime, declaration, rubric)
        )
        least = rubric.conditions[name].least or rubric.least(min(one.level for one in asking)).instances
        if met < least:
            found.append(name)
    return found


def credited_level(row: LevelCriterion, level: int, missing: Iterable[str], rubric: Rubric) -> int:
    """From ``level`` down, the highest that does not ask for what ``row`` was to include and does not.

    10.5.2 and 10.7.2 ask for it from a level on ("For M ≥ 4"), and so of the level below, too. What only that
    one asks for is no reason to withhold it: 10.2.1, 10.3.1 and 11.4.2 give the next lower level.
    """
    asks = {one.level: {*one.conditions, *one.includes} for one in rubric.of(row.dimension)}
    lacking = set(missing)
    while level and asks[level] & lacking:
        level -= 1
    return level


def condition_words(row: LevelCriterion, names: Iterable[str], rubric: Rubric) -> str:
    """What is missing, and where it could be declared."""
    listed = list(dict.fromkeys(names))
    texts = " and ".join(rubric.conditions[name].text for name in listed)
    return (
        f"without {texts} ({row.section}): no parameter of the regime shows it, and neither regime nor family declares "
        f"`conditions: [{', '.join(listed)}]`"
    )


def proliferation(total: CellCounts, most: float) -> tuple[bool | None, str]:
    """Whether goals of its own stay within what the families allow (10.10.4); None where it is not known."""
    if total.uncounted:
        return (
            None,
            f"how many own goals there were, or may be (`goals`, `goal_limit`): unknown of {total.uncounted}",
        )
    said = f"more own goals than allowed in {total.crowded} of {total.n}, most {100 * most:g} %"
    return Fraction(total.crowded, total.n) <= fraction(most), said
