"""What a subject gains over an arm in which something is withheld (12.3.2), and whether its confidence tells right from
wrong (12.7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.rubric.levels import percent
from assay.instruments.agency.rubric.tally import Pairs
from assay.stats import Discrimination, Interval, fraction, spearman_of_success
from assay.stats.gaffke import mean_curve

from .tallies import ArmCounts, Sureness

__all__ = ["ArmGain", "arm_gain", "discrimination_of", "gain_holds"]


class ArmGain(Struct, frozen=True, kw_only=True):
    """Success as it is less success in an arm, over the contents that were met in both.

    ``apart`` is the difference of all outcomes where some have no counterpart: these must not hide a loss.
    """

    value: Fraction | None
    low: float = -1.0
    high: float = 1.0
    n: int = 0
    k0: int = 0  # in the arm
    k1: int = 0
    apart: Fraction | None = None

    @property
    def least(self) -> Fraction:
        assert self.value is not None
        return self.value if self.apart is None else min(self.value, self.apart)

    def words(self, line: float) -> str:
        if self.value is None:
            return "no content was met in both"
        apart = "" if self.apart is None else f", {100 * float(self.apart):.1f} over all outcomes"
        return (
            f"{100 * float(self.value):.1f} points ({percent(self.k0, self.n)} to {percent(self.k1, self.n)}){apart}, "
            f"interval {100 * self.low:.1f} to {100 * self.high:.1f}, threshold {100 * line:g}"
        )


def arm_gain(own: ArmCounts, arm: ArmCounts, confidence: float) -> ArmGain:
    """``arm`` has the pairs: its own share first, that of the subject as it is second."""
    pairs = [Pairs(*numbers) for numbers in arm.pairs]
    if not pairs:
        return ArmGain(value=None)
    ends = _interval(tuple(sorted(arm.pairs)), confidence)
    number = sum(pair.number for pair in pairs)
    value = (
        sum(((Fraction(p.k1, p.n1) - Fraction(p.k0, p.n0)) * p.number for p in pairs), Fraction(0)) / number
    )
    met0, met1 = sum(p.n0 * p.number for p in pairs), sum(p.n1 * p.number for p in pairs)
    alone = (met0, met1) != (arm.n, own.n)
    return ArmGain(
        value=value,
        low=ends.low,
        high=ends.high,
        n=number,
        k0=sum(p.k0 * p.number for p in pairs),
        k1=sum(p.k1 * p.number for p in pairs),
        apart=Fraction(own.k, own.n) - Fraction(arm.k, arm.n) if alone and own.n and arm.n else None,
    )


@lru_cache(maxsize=4096)
def _interval(pairs: tuple[tuple[int, int, int, int, int], ...], confidence: float) -> Interval:
    """Of the mean over contents, as of gains by learning: differences lie between -1 and 1."""
    gained = [k1 / n1 - k0 / n0 for k0, n0, k1, n1, number in pairs for _ in range(number)]
    return mean_curve(sorted(gained), -1.0, 1.0).interval(confidence)


def gain_holds(gain: ArmGain, line: float, declaration: Declaration) -> bool | None:
    """By the lower end of its interval; by rule ``point`` by itself. None: not established."""
    if gain.value is None:
        return None
    if gain.least < fraction(line):
        return False
    return True if declaration.rule == "point" or fraction(gain.low) >= fraction(line) else None


def discrimination_of(found: Sequence[Sureness], confidence: float) -> Discrimination:
    sure = [one.confidence for one in found for _ in range(one.number)]
    return spearman_of_success(
        sure, [one.success for one in found for _ in range(one.number)], confidence=confidence
    )
