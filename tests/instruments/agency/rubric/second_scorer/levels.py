"""The level of a dimension from the tests of its levels: 10.2 to 10.7, 10.10."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .choices import Choices
from .design import Design, Row
from .goals import proliferation
from .numbers import by_drop, by_rate, combined, reached, wilson_low, worst
from .pairs import paired

__all__ = ["LEAST", "Tested", "assigned", "level_test"]

LEAST = {1: (10, 1), 2: (10, 1), 3: (20, 2), 4: (20, 2), 5: (50, 3)}  # 10.3.1: instances, families
REGIME = {"S": "bbbms", "M": "bbbms", "D": "bbbms", "E": "bbmms"}  # 10.4.3 to 10.7.3, level by level
REGIME |= {"G1": "bbmms", "G2": "bbmms", "G3": "bbbms"}  # 10.10.2 to 10.10.4
IN_TWO_FAMILIES = (("E", 5), ("G2", 5), ("G3", 4), ("G3", 5))  # each has to meet its threshold


class Tested(NamedTuple):
    """``few``: fewer instances than 10.3.1 asks for; ``open``: so few that the rate may reach its line all the same;
    ``under``: the rate is below its line; ``most``: the highest level that such instances can speak for.
    """

    status: str = "untested"
    n: int = 0
    families: int = 0
    few: bool = False
    open: bool = False
    under: bool = False
    most: int = 5


def enough(level: int, n: int, families: int, choices: Choices) -> int:
    """10.3.1: the highest lower level that the instances are enough for."""
    lacking = LEAST[level][1] - families
    most = level - max(1, lacking if choices.family_costs_one else 1)
    return max(
        (
            k
            for k, (least, breadth) in LEAST.items()
            if k <= most and least <= n and (choices.family_costs_one or breadth <= families)
        ),
        default=0,
    )


def assigned(tests: Mapping[int, Tested], choices: Choices) -> tuple[int, bool]:
    """10.2.1: the highest level that is satisfied, or that stands below one satisfied in part; whether Provisional."""

    def left(level: int) -> int:
        """What is left of a level that is given for want of a higher one."""
        test = tests.get(level, Tested())
        if not test.n or test.few or test.status in ("satisfied", "point"):
            return level
        if choices.tested_level_speaks:
            return borne(level)
        return left(level - 1) if test.status in ("failed", "partial", "borderline") else level

    def borne(level: int) -> int:
        test = tests[level]
        if test.status in ("satisfied", "point"):
            return level
        if test.status in ("partial", "borderline"):
            return left(min(level - 1, test.most))
        if test.status == "short":
            return left(min(enough(level, test.n, test.families, choices), test.most))
        return 0

    value = max(borne(level) for level in tests)
    above = {level: test for level, test in tests.items() if level > value}
    below = [test for level, test in tests.items() if level < value and not test.few]
    failed = [level for level, test in above.items() if test.status == "failed"]
    gap = any(above[level].status == "untested" for level in above if failed and level < failed[0])
    provisional = [
        any(test.status in ("borderline", "short") for test in above.values()),
        any(test.open for test in above.values()),
        value > 0 and tests[value].status == "point",
        choices.gap_is_provisional and gap,
        choices.partial_is_provisional and any(test.status == "partial" for test in above.values()),
        choices.mixed_is_provisional and any(t.under or t.status in ("failed", "partial") for t in below),
        sum(test.n for test in tests.values()) < LEAST[1][0],
    ]
    return value, any(provisional)


# What the instances of a level are under, beside the intensity of their regime (10.4.3, 10.6.3, 10.7.3) …
UNDER = {
    ("S", 3): ["partial_observability"],
    ("D", 4): ["stability_checks"],
    ("S", 4): ["noise"],
    ("S", 5): ["information"],
    ("M", 4): ["drift"],
    ("D", 5): ["action", "compute"],
    ("E", 3): ["action"],
    ("E", 4): ["failures"],
    ("E", 5): ["action", "compute"],
}
# … and what is to be included from a level on: "For S ≥ 3", "For M ≥ 4", "For D ≥ 4", "For E ≥ 3", "For E ≥ 4"
# (10.4.2, 10.5.2, 10.6.2, 10.7.2).
FROM = {
    "S": {"partial_observability": 3},
    "M": {"drift": 4},
    "D": {"stability_checks": 4},
    "E": {"tools": 3, "failures": 4},
}


def present(name: str, row: Row, design: Design) -> bool:
    frame = design.frame(row)
    if name == "tools":
        return frame.environment != "static"
    if name == "failures":
        return frame.environment == "stochastic" or "stability" in design.axes(row)
    return name in frame.conditions or name in design.axes(row)


def under(dimension: str, level: int, design: Design) -> list[str]:
    names = UNDER.get((dimension, level), [])
    return names if level < 5 or dimension == "S" or design.choices.caps_at_5 else []


def counted(dimension: str, level: int, own: list[Row], design: Design) -> tuple[list[Row], bool]:
    """The instances that are under what the level asks for; all, and False, where too few are."""
    names = under(dimension, level, design)
    if not design.choices.every_instance:
        return own, all(any(present(name, row, design) for row in own) for name in names)
    fit = [row for row in own if all(present(name, row, design) for name in names)]
    return fit or own, bool(fit)


def included(dimension: str, level: int, own: list[Row], rows: Sequence[Row], design: Design) -> list[int]:
    """The levels from which on something was to be included that is not."""
    missing = []
    for name, first in FROM.get(dimension, {}).items():
        found, least = own, 1
        if design.choices.included_often:
            found = [
                r for r in rows if design.intensity(r) == asked(dimension, r) and first <= r["level"] <= level
            ]
            least = 1 if name == "tools" else LEAST[first][0]  # "at least one tool-mediated task family"
        if level >= first and sum(present(name, row, design) for row in found) < least:
            missing.append(first)
    return missing


def asked(dimension: str, row: Row) -> str:
    return REGIME[dimension][row["level"] - 1]


def level_test(dimension: str, level: int, rows: Sequence[Row], design: Design) -> Tested:
    met = [r for r in rows if r["level"] == level and design.intensity(r) == asked(dimension, r)]
    if not met:
        return Tested()
    own, fit = counted(dimension, level, met, design)
    missing = included(dimension, level, met, rows, design)
    families = sorted({r["family"] for r in own})
    groups: dict[Fraction, list[bool]] = defaultdict(list)
    for row in own:
        groups[design.threshold(row["family"])].append(row["hit"])
    rate = worst(by_rate(hits, line, design.rule) for line, hits in groups.items())
    others = []
    if (dimension, level) in IN_TWO_FAMILIES:
        each = {f: [r["hit"] for r in own if r["family"] == f] for f in families}
        others.append(reached([by_rate(h, design.threshold(f), design.rule) for f, h in each.items()], 2))
    if (dimension, level) == ("M", 4):
        both = [r for r in rows if r["level"] == 4 and r["family"] in families]
        others.append(by_drop(paired(both, "m", design)[0], Fraction(1, 5), design.rule == "point"))
    if (dimension, level) == ("G3", 5):
        others.append(proliferation(own, design))
    status, few = combined([rate, *others]), len(own) < LEAST[level][0]
    if rate == "failed" and design.choices.rate_is_needed:
        status = "failed"
    lacking = few or len(families) < LEAST[level][1] or not fit or bool(missing)
    return Tested(
        status="short" if lacking and status != "failed" else status,
        n=len(own),
        families=len(families),
        few=few,
        open=status == "failed"
        and few
        and all(1 - wilson_low(len(h) - sum(h), len(h)) >= float(line) for line, h in groups.items()),
        under=any(Fraction(sum(h), len(h)) < line for line, h in groups.items()),
        most=min([level, *(first - 1 for first in missing)]),
    )
