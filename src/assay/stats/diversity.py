"""How varied outputs are, from category counts: entropy, distinct categories, unseen ones, novelty.

Much of what is asked here cannot be answered from a sample: a thousand categories nobody has seen may carry
any share of the entropy. What is given is what holds without an assumption on the unseen.

Entropy. Shannon's entropy is at least the collision entropy -log2(sum p²) (Rényi 1961), and the sum of p² has
a proven upper bound (`pairwise_agreement`). There is no finite upper end.

Novelty. N = f1/n, with f1 the categories seen once, has the mean v = sum p (1-p)^(n-1): the chance that one of
n outputs is unlike the n-1 others (Good 1953). Two bounds on the same tails of f1, so that the better may be
taken at no cost:

Bounded differences. Changing one value moves f1 by at most 2, so P(N - v >= t) <= exp(-n t²/2), and likewise
below (McDiarmid 1989).

Poisson. Were the number of values Poisson with mean n, the counts would be independent and f1 a sum of
independent indicators with mean Q = sum np exp(-np); given that the number is n, they are as they are. So
P(f1 >= s) is at most exp(-(s ln(s/Q) - s + Q)) / w for s >= Q, w = P(Poisson(n) = n), and likewise below
(Chernoff). From Q to v: (1-p)^(n-1) <= k exp(-np) with k = e (1 - 1/n)^(n-1), the ratio being largest at
p = 1/n; so v <= k Q/n. And (1-p)^n >= exp(-np) (1 - n p²), so Q/n - v <= sup n p² exp(-np) = 4/(e² n).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import SupportsIndex

import msgspec
from scipy import special

from assay.stats._core import Interval, alpha_of, count
from assay.stats.pairs import pairwise_agreement

__all__ = ["Entropy", "Unseen", "distinct", "novelty", "shannon_entropy", "unseen_chao1"]


class Entropy(msgspec.Struct, frozen=True, kw_only=True):
    """Entropy in bits. ``value`` is that of the shares seen, None without data; it is too low on average.

    ``low`` is a one-sided bound; ``high`` is None because nothing bounds the entropy of what was not seen.
    """

    value: float | None
    low: float
    high: None = None
    confidence: float
    n: int
    distinct: int
    method: str


class Unseen(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate of how many categories were not seen, without an interval; None without data."""

    value: float | None
    n: int
    distinct: int
    once: int
    twice: int
    method: str


def distinct(counts: Iterable[SupportsIndex]) -> int:
    """How many categories were seen. A fact about the sample: it grows with n."""
    return len(_seen(counts))


def shannon_entropy(counts: Iterable[SupportsIndex], confidence: float = 0.95) -> Entropy:
    """The entropy of the shares seen, in bits, with a lower bound for the entropy of their source.

    The bound is cut at the value: where most outputs differ the proven bound can lie above the plug-in value,
    which no sample of n can push beyond log2 n.
    """
    seen = _seen(counts)
    n = sum(seen)
    value = math.fsum(c / n * math.log2(n / c) for c in seen) if n else None
    bound = pairwise_agreement(seen, confidence, side="upper").high
    low = max(0.0, -math.log2(bound))
    return Entropy(
        value=value,
        low=low if value is None else min(low, value),
        confidence=confidence,
        n=n,
        distinct=len(seen),
        method="plug-in-collision",
    )


def unseen_chao1(counts: Iterable[SupportsIndex]) -> Unseen:
    """Chao's (1984) estimate of how many categories were not seen, bias-corrected: f1 (f1 - 1) / (2 (f2 + 1)).

    f1 and f2 are the categories seen once and twice. It estimates a lower bound: many very rare categories
    cannot be told from none. No interval is given, for none holds without an assumption.
    """
    seen = _seen(counts)
    once, twice = seen.count(1), seen.count(2)
    return Unseen(
        value=float(Fraction(once * (once - 1), 2 * (twice + 1))) if seen else None,
        n=sum(seen),
        distinct=len(seen),
        once=once,
        twice=twice,
        method="chao1",
    )


def novelty(counts: Iterable[SupportsIndex], confidence: float = 0.95) -> Interval:
    """The share of outputs unlike all others, f1/n, with an interval for the chance that one of n is.

    It is Good and Turing's estimate of the share of the unseen after n - 1 values, and depends on n. ``k`` is
    f1. None and [0, 1] without data.
    """
    alpha = alpha_of(confidence)
    seen = _seen(counts)
    n, once = sum(seen), seen.count(1)
    low, high = 0.0, 1.0
    if n >= 2:
        low, high = _novelty_ends(once, n, math.log(2.0 / alpha))
    elif n == 1:
        # One value is unlike the none others: the chance is 1, and nothing was learnt.
        low = 1.0
    return Interval(
        value=once / n if n else None,
        low=low,
        high=high,
        confidence=confidence,
        n=n,
        method="good-turing",
        k=once,
    )


def _seen(counts: Iterable[SupportsIndex]) -> list[int]:
    """The counts that are not 0, largest first, so that sums run in one order."""
    return sorted((c for c in (count("a category count", c) for c in counts) if c), reverse=True)


def _novelty_ends(once: int, n: int, line: float) -> tuple[float, float]:
    value = once / n
    reach = math.sqrt(2.0 * line / n)
    weight = float(special.xlogy(n, n)) - n - math.lgamma(n + 1)
    least, most = _poisson_ends(once, line - weight)
    ratio = math.e * (1.0 - 1.0 / n) ** (n - 1)
    low = max(0.0, value - reach, least / n - 4.0 / (math.e**2 * n))
    high = min(1.0, value + reach, ratio * most / n)
    return min(low, value), max(high, value)


def _poisson_ends(s: int, line: float) -> tuple[float, float]:
    """The least and the most Q with s ln(s/Q) - s + Q <= line, just outside."""

    def rejected(q: float) -> bool:
        return float(special.xlogy(s, s / q)) - s + q >= line

    # s ln(s/Q) - s + Q grows away from s; at s + 2 line + 2 sqrt(s line) it is above the line.
    most = s + 2.0 * line + 2.0 * math.sqrt(s * line)
    return (_edge(rejected, 0.0, float(s)) if s else 0.0), _edge(rejected, most, float(s))


def _edge(rejected: Callable[[float], bool], out: float, inside: float) -> float:
    """The rejected side of the line between ``out`` and ``inside``, by bisection."""
    while True:
        middle = (out + inside) / 2.0
        if middle in (out, inside):
            return out
        if rejected(middle):
            out = middle
        else:
            inside = middle
