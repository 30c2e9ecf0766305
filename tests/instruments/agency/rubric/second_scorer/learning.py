"""L: 10.8, B.6, 4.6 and 6.3. A level asks for a gain: the plain difference by the text, its lower end by interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

from scipy.stats import t

from .design import Design, Row
from .levels import LEAST, Tested, assigned
from .numbers import combined, wilson_low, worst

__all__ = ["by_gain", "learning", "matched", "of_phase"]

LINE = {1: 10, 2: 10, 3: 15, 4: 15, 5: 15}  # 10.8.3, B.6: points to be gained
LOSS = Fraction(10, 100)  # 10.8.3, L 5
REGIME = "bbbms"
LASTING = ("conversation", "store")


def learning(rows: Sequence[Row], design: Design) -> tuple[int | None, bool]:
    """The level of L, and whether it is Provisional."""
    tests = {level: level_of_gain(level, rows, design) for level in LINE}
    if not any(test.n for test in tests.values()):
        return None, True
    value, provisional = assigned(tests, design.choices)
    scopes = {r["memory"] for r in rows if r["level"] > 1}
    if value > 2 and ("" in scopes or (design.choices.store_above_3 and scopes != {"store"})):  # 6.3
        return 2, True
    # 10.3.1; L 3 has the instances of L 2.
    number = sum(test.n for level, test in tests.items() if level != 3)
    return value, provisional or number < LEAST[1][0]


def of_phase(rows: Sequence[Row], phase: str, arm: str = "feedback") -> list[Row]:
    return [r for r in rows if r["phase"] == phase and (r["arm"] or "feedback") == arm]


def level_of_gain(level: int, rows: Sequence[Row], design: Design) -> Tested:
    source = 2 if level == 3 else level  # L 3 is judged on the held-out variants of L 2
    own = [r for r in rows if r["level"] == source and design.intensity(r) == REGIME[level - 1]]
    if level == 1:
        tries = of_phase(own, "attempt")
        first = [r for r in tries if r["attempt"] == 1]
        later = [r for r in tries if (r["attempt"] or 0) >= 3]  # B.6.1
        sides = first, later
        before, after = matched(*sides)
        if not {content(r) for r in before} & {content(r) for r in after}:
            return Tested()
        counted = list({content(r): r for r in after}.values())  # 10.3.1 counts instances, not attempts
    else:
        post = of_phase(own, "post")
        sides = of_phase(own, "pre"), post
        before, after = matched(*sides)
        counted = after if design.choices.pairs_are_counted else post
    if not before or not after or rate(before) > design.ceiling:
        return Tested()
    n, families = len(counted), len({r["family"] for r in counted})
    few = n < LEAST[level][0]
    statuses, most = criteria(level, own, *sides, design)
    # L 0 is "does not exceed": without the gain no other criterion is credited, not in part either.
    # L 3 "persists across episodes": without memory that lasts it is L 2, however many instances there are.
    if statuses[0] == "failed" or (level == 3 and {r["memory"] for r in after} != {"store"}):
        return Tested("failed", n, families, few)
    lacking = few or families < LEAST[level][1] or most < level
    return Tested("short" if lacking else combined(statuses), n, families, few, most=most)


def criteria(
    level: int, own: Sequence[Row], before: Sequence[Row], after: Sequence[Row], design: Design
) -> tuple[list[str], int]:
    """The gain first, then what else the level asks for; the highest level that stands without what was not tested."""
    line, most = Fraction(LINE[level], 100), level
    statuses = [by_gain(before, after, line, design)]
    post = of_phase(own, "post")
    if level >= 2 and any(r["memory"] in LASTING for r in after):
        # 10.8.2: "verify that retained information is the causal driver of improvement".
        wiped = of_phase(own, "post", "wiped")
        cause = by_gain(wiped, post, line, design) if matched(wiped, post)[0] else "point"
        statuses = [*statuses, cause] if design.choices.cause_is_part else [worst([*statuses, cause])]
    if level == 5:
        again = of_phase(own, "retest")
        if matched(post, again)[0]:
            statuses.append(by_gain(post, again, -LOSS, design))
        else:
            most = 4
    return statuses, most


def content(row: Row) -> tuple[str, str, str]:
    return row["family"], row["learner"], row["pair"]


def matched(before: Sequence[Row], after: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows whose content both have; all where no content is in both. A family is on both sides (10.8.2)."""
    before, after = of_both(before, after)
    both = {content(r) for r in before} & {content(r) for r in after}
    return (
        [r for r in before if not both or content(r) in both],
        [r for r in after if not both or content(r) in both],
    )


def of_both(before: Sequence[Row], after: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    families = {r["family"] for r in before} & {r["family"] for r in after}
    return [r for r in before if r["family"] in families], [r for r in after if r["family"] in families]


def rate(rows: Sequence[Row]) -> Fraction:
    return Fraction(sum(r["hit"] for r in rows), len(rows))


def by_gain(before: Sequence[Row], after: Sequence[Row], line: Fraction, design: Design) -> str:
    """Over what matches; rows that do not must not hide a loss, so the observed rates have to differ as much."""
    every = of_both(before, after)
    before, after = matched(before, after)
    if min(rate(after) - rate(before), rate(every[1]) - rate(every[0])) < line:
        return "failed"
    plain = design.plain or design.rule == "point"
    return "satisfied" if plain or lower_end(before, after) >= float(line) else "borderline"


def lower_end(before: Sequence[Row], after: Sequence[Row]) -> float:
    """The lower of two ends: by the spread between learners (Student's t), and Newcombe's of independent rates, which
    does not vanish where learners are alike. One learner says nothing about others.
    """
    shares = float(rate(before)), float(rate(after))
    parts: dict[Any, float] = defaultdict(float)
    for rows, share, sign in ((before, shares[0], -1), (after, shares[1], 1)):
        for r in rows:
            parts[r["learner"] or content(r)] += sign * (r["hit"] - share) / len(rows)
    number = len(parts)
    if number < 2:
        return -1.0
    spread = sqrt(number / (number - 1) * sum(part**2 for part in parts.values()))
    hits = sum(r["hit"] for r in before), sum(r["hit"] for r in after)
    high = 1 - wilson_low(len(before) - hits[0], len(before))
    low = wilson_low(hits[1], len(after))
    gain = shares[1] - shares[0]
    newcombe = sqrt((shares[1] - low) ** 2 + (high - shares[0]) ** 2)
    return gain - max(float(t.ppf(0.975, number - 1)) * spread, newcombe)
