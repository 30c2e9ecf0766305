"""The level of a dimension from the tests of its levels: 10.2 to 10.7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .choices import Choices
from .design import Design, Row
from .numbers import by_drop, by_rate, combined, reached, wilson_low, worst
from .pairs import paired

__all__ = ["LEAST", "Tested", "assigned", "level_test"]

LEAST = {1: (10, 1), 2: (10, 1), 3: (20, 2), 4: (20, 2), 5: (50, 3)}  # 10.3.1: instances, families
REGIME = {"S": "bbbms", "M": "bbbms", "D": "bbbms", "E": "bbmms"}  # 10.4.3 to 10.7.3, level by level


class Tested(NamedTuple):
    """``few``: fewer instances than 10.3.1 asks for; ``open``: so few that the rate may reach its line all the same;
    ``most``: the highest level that such instances can speak for.
    """

    status: str = "untested"
    n: int = 0
    families: int = 0
    few: bool = False
    open: bool = False
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

    def denied(level: int) -> bool:
        """Its own test, on enough instances, was not passed: it is not given for want of a higher one."""
        test = tests[level]
        return not test.few and test.status in ("failed", "partial", "borderline")

    def standing(level: int) -> int:
        while level and denied(level):
            level -= 1
        return level

    value = 0
    for level, test in tests.items():
        if test.status in ("satisfied", "point"):
            value = max(value, level)
        elif test.status in ("partial", "borderline"):
            value = max(value, standing(min(level - 1, test.most)))
        elif test.status == "short":
            lower = enough(level, test.n, test.families, choices)
            value = max(value, standing(min(lower, test.most)))
    above = {level: test for level, test in tests.items() if level > value}
    below = [test for level, test in tests.items() if level < value]
    failed = [level for level, test in above.items() if test.status == "failed"]
    gap = any(above[level].status == "untested" for level in above if failed and level < failed[0])
    provisional = [
        any(test.status in ("borderline", "short") for test in above.values()),
        any(test.open for test in above.values()),
        value > 0 and tests[value].status == "point",
        choices.gap_is_provisional and gap,
        choices.partial_is_provisional and any(test.status == "partial" for test in above.values()),
        choices.mixed_is_provisional and any(t.status == "failed" and not t.few for t in below),
        sum(test.n for test in tests.values()) < LEAST[1][0],
    ]
    return value, any(provisional)


def level_test(dimension: str, level: int, rows: Sequence[Row], design: Design) -> Tested:
    wanted = REGIME[dimension][level - 1]
    own = [r for r in rows if r["level"] == level and design.intensity(r) == wanted]
    if not own:
        return Tested()
    families = sorted({r["family"] for r in own})
    groups: dict[Fraction, list[bool]] = defaultdict(list)
    for row in own:
        groups[design.threshold(row["family"])].append(row["hit"])
    statuses = [worst(by_rate(hits, line, design.rule) for line, hits in groups.items())]
    if (dimension, level) == ("E", 5):
        each = {f: [r["hit"] for r in own if r["family"] == f] for f in families}
        statuses.append(reached([by_rate(h, design.threshold(f), design.rule) for f, h in each.items()], 2))
    if (dimension, level) == ("M", 4):
        both = [r for r in rows if r["level"] == 4 and r["family"] in families]
        statuses.append(
            by_drop(paired(both, "m", design)[0], Fraction(1, 5), design.plain or design.rule == "point")
        )
    status, few = combined(statuses), len(own) < LEAST[level][0]
    most = ceiling(dimension, level, own, design)
    lacking = few or len(families) < LEAST[level][1] or most < level
    return Tested(
        status="short" if lacking and status != "failed" else status,
        n=len(own),
        families=len(families),
        few=few,
        open=status == "failed"
        and few
        and all(1 - wilson_low(len(h) - sum(h), len(h)) >= float(line) for line, h in groups.items()),
        most=most,
    )


def ceiling(dimension: str, level: int, rows: Sequence[Row], design: Design) -> int:
    """The highest level up to this one whose conditions, beside the intensity of the regime, the instances meet."""
    scarce = {axis for row in rows for axis in design.axes(row)}
    kinds = {design.frame(row).environment for row in rows}
    met = {condition for row in rows for condition in design.frame(row).conditions}
    caps = {"action", "compute"} <= scarce or not design.choices.caps_at_5
    failing = "stability" in scarce or "stochastic" in kinds
    lacks = {
        "S": [
            (level == 4 and "noise" not in met, 3),  # 10.4.3: "under moderate noise/distractors"
            (level == 5 and "information" not in scarce, 4),  # 10.4.3: "Severe information constraints"
        ],
        "M": [(level >= 4 and "drift" not in met, 3)],  # 10.5.2: "For M ≥ 4, include non-stationarity"
        "D": [(level == 5 and not caps, 4)],  # 10.6.3: "(strict action caps, strict time caps)"
        "E": [
            (level >= 3 and kinds == {"static"}, 2),  # 10.7.2: "at least one tool-mediated task family"
            (level == 3 and "action" not in scarce, 2),  # 10.7.3: "under Moderate action constraints"
            (level >= 4 and not failing, 3),  # 10.7.2: "For E ≥ 4, include tool failures"
            (level == 5 and not caps, 4),  # 10.7.3: "(tight action caps and time caps)"
        ],
    }
    return min([level, *(most for lacking, most in lacks[dimension] if lacking)])
