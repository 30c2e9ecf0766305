"""What a share could be where some outcomes are unknown: neither dropped in silence nor counted as failures.

Manski's worst-case bounds (1989): every unknown a failure, every unknown a success. The envelope adds the
sampling error: from the lower end of the interval of the first to the upper end of the interval of the
second.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal, SupportsIndex

import msgspec

from assay.errors import InputError
from assay.stats._core import Exactable, Interval, count, fraction
from assay.stats.intervals import agresti_coull, clopper_pearson, wilson

__all__ = ["ShareBounds", "share_bounds"]

IntervalMethod = Literal["wilson", "agresti-coull", "clopper-pearson"]
_METHODS: dict[str, Callable[[int, int, float], Interval]] = {
    "wilson": wilson,
    "agresti-coull": agresti_coull,
    "clopper-pearson": clopper_pearson,
}


class ShareBounds(msgspec.Struct, frozen=True, kw_only=True):
    """A share with unknown outcomes.

    ``value``, ``low``, ``high`` are of the known outcomes (right only if the unknown ones are like them);
    ``bound_low`` and ``bound_high`` are the shares if all unknowns had failed or succeeded; ``envelope_low``
    and ``envelope_high`` hold whatever the unknowns were, at the given confidence. Without any outcome,
    values are None.
    """

    value: float | None
    low: float
    high: float
    bound_low: float | None
    bound_high: float | None
    envelope_low: float
    envelope_high: float
    confidence: float
    successes: int
    failures: int
    unknown: int
    method: str

    @property
    def n(self) -> int:
        """Known outcomes."""
        return self.successes + self.failures

    def settled(self, threshold: Exactable) -> bool | None:
        """Does the share reach the threshold? None where that hangs on the unknowns. Compared exactly."""
        total = self.n + self.unknown
        if total == 0:
            return None
        line = fraction(threshold)
        if Fraction(self.successes, total) >= line:
            return True
        return None if Fraction(self.successes + self.unknown, total) >= line else False


def share_bounds(
    successes: SupportsIndex,
    failures: SupportsIndex,
    unknown: SupportsIndex,
    confidence: float = 0.95,
    *,
    method: IntervalMethod = "wilson",
) -> ShareBounds:
    """The share of successes, and its bounds over everything the unknown outcomes could have been."""
    if method not in _METHODS:
        raise InputError(f"method must be one of {', '.join(_METHODS)}, not {method!r}")
    interval = _METHODS[method]
    good, bad, open_ = count("successes", successes), count("failures", failures), count("unknown", unknown)
    total = good + bad + open_
    known = interval(good, good + bad, confidence)
    worst, best = interval(good, total, confidence), interval(good + open_, total, confidence)
    return ShareBounds(
        value=known.value,
        low=known.low,
        high=known.high,
        bound_low=worst.value,
        bound_high=best.value,
        envelope_low=worst.low,
        envelope_high=best.high,
        confidence=confidence,
        successes=good,
        failures=bad,
        unknown=open_,
        method=method,
    )
