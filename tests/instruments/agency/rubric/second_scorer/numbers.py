"""Rates and drops against their lines, and how several criteria come to one status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import sqrt

from scipy.stats import beta, norm

__all__ = ["GOOD", "by_drop", "by_rate", "combined", "reached", "wilson_low", "worst"]

Z = float(norm.ppf(0.975))
# "point": the rate reaches the line, its interval does not, and the rule declared is that of the point.
GOOD = ("satisfied", "point", "borderline")
ORDER = (*GOOD, "short", "untested", "partial", "failed")


def wilson_low(k: int, n: int) -> float:
    """11.5.2."""
    p = k / n
    return (p + Z * Z / 2 / n - Z * sqrt(p * (1 - p) / n + Z * Z / 4 / n / n)) / (1 + Z * Z / n)


def by_rate(hits: Sequence[bool], line: Fraction, rule: str) -> str:
    """11.4.2."""
    rate = Fraction(sum(hits), len(hits))
    if rate >= line:
        if wilson_low(sum(hits), len(hits)) >= float(line):
            return "satisfied"
        return "point" if rule == "point" else "borderline"
    return "borderline" if rate >= line - Fraction(1, 20) else "failed"


def by_drop(pairs: Sequence[tuple[bool, bool]], most: Fraction, plain: bool) -> str:
    """The difference of 10.9.2, plain or by its interval: one-sided
    Clopper–Pearson ends of the lost and the gained share, .9 and .1 of 2.5 %.
    """
    if not pairs:
        return "short"
    n, lost = len(pairs), sum(b and not t for b, t in pairs)
    gained = sum(t and not b for b, t in pairs)
    if Fraction(lost - gained, n) > most:
        return "failed"
    high = 1.0 if lost == n else float(beta.ppf(1 - 0.0225, lost + 1, n - lost))
    low = 0.0 if not gained else float(beta.ppf(0.0025, gained, n - gained + 1))
    return "satisfied" if plain or high - low <= float(most) else "borderline"


def worst(statuses: Iterable[str]) -> str:
    return max(statuses, key=ORDER.index)


def combined(statuses: Iterable[str]) -> str:
    """10.2.1: some criteria hold and some fail: partially satisfied."""
    found = list(statuses)
    if "failed" in found and any(one in GOOD for one in found):
        return "partial"
    return worst(found)


def reached(statuses: Sequence[str], number: int) -> str:
    """The status that so many families reach."""
    ordered = sorted(statuses, key=ORDER.index)
    return ordered[number - 1] if len(ordered) >= number else worst([ordered[-1], "short"])
