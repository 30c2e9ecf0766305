"""How much success is lost between two conditions on the same units: yes or no, before and after.

Of n units, some are lost (yes before, no after) and some gained. The loss is p10 - p01; the counts of lost and gained
units are two parts of one multinomial. With one-sided Clopper-Pearson bounds, u of the lost share wrong with a and l
of the gained share wrong with b, p10 - p01 <= u - l is wrong with a + b at most, however the two depend on each other
(Bonferroni). So each end keeps its alpha/2 for every n, p10 and p01. As the gained share is often near 0, where its
lower bound cannot be far off, the bound that matters gets nine tenths; this split is fixed, never chosen from data.
"""

from __future__ import annotations

from typing import SupportsIndex

from assay.errors import InputError
from assay.stats._core import Interval, alpha_of, count
from assay.stats.intervals import clopper_pearson

__all__ = ["PairedShares", "paired_shares"]

_MAIN = 0.9  # the part of an end's error that goes to the share which bounds it from outside


class PairedShares(Interval, frozen=True, kw_only=True):
    """(lost - gained)/n with its interval in [-1, 1]. None without units."""

    lost: int
    gained: int


def paired_shares(
    lost: SupportsIndex, gained: SupportsIndex, n: SupportsIndex, confidence: float = 0.95
) -> PairedShares:
    """The share of units that lose, less the share that gain, of ``n`` independent units."""
    down, up, total = count("lost", lost), count("gained", gained), count("n", n)
    if down + up > total:
        raise InputError(f"{down} lost and {up} gained are more than the {total} units there are")
    tail = alpha_of(confidence) / 2.0
    high = _end(down, up, total, tail)
    low = -_end(up, down, total, tail)
    value = (down - up) / total if total else None
    return PairedShares(
        value=value,
        low=low if value is None else min(low, value),
        high=high if value is None else max(high, value),
        confidence=confidence,
        n=total,
        method="pairs-joined",
        lost=down,
        gained=up,
    )


def _end(outer: int, inner: int, n: int, tail: float) -> float:
    """The upper end of the outer share less the inner one."""
    most = clopper_pearson(outer, n, 1.0 - _MAIN * tail, side="upper").high
    least = clopper_pearson(inner, n, 1.0 - (1.0 - _MAIN) * tail, side="lower").low
    return most - least
