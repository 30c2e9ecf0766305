"""Tests whose p-values hold at any sample size: binomial, Fisher, McNemar.

None relies on a normal approximation. The permutation test is in `assay.stats.permutation`, corrections for
many tests are in `assay.stats.adjust`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, SupportsIndex

import msgspec
import numpy as np
from scipy import special

from assay.errors import InputError
from assay.stats._core import (
    Alternative,
    Exactable,
    Interval,
    Side,
    at_least,
    at_most,
    check_alternative,
    count,
    fraction,
)
from assay.stats.intervals import clopper_pearson, wilson

__all__ = [
    "BinomialTest",
    "FisherTest",
    "McNemarTest",
    "binomial_test",
    "fisher_exact",
    "hypergeometric_weights",
    "mcnemar",
]

# Two outcomes equally likely on paper can differ in the last digits of a float; R's binom.test allows the
# same.
_TIE = 1e-7


class BinomialTest(msgspec.Struct, frozen=True, kw_only=True):
    """k of n against a chance level; ``interval`` is Clopper-Pearson's, on the side of the alternative."""

    p_value: float
    k: int
    n: int
    chance: float
    alternative: Alternative
    method: str
    interval: Interval


class FisherTest(msgspec.Struct, frozen=True, kw_only=True):
    """The table [[a, b], [c, d]]; ``odds_ratio`` is the sample's, None where it is 0/0. Shares by Wilson."""

    p_value: float
    odds_ratio: float | None
    table: tuple[tuple[int, int], tuple[int, int]]
    alternative: Alternative
    method: str
    first: Interval
    second: Interval


class McNemarTest(msgspec.Struct, frozen=True, kw_only=True):
    """Discordant pairs: ``b`` only the first succeeded, ``c`` only the second. ``interval``: of b/(b+c)."""

    p_value: float
    b: int
    c: int
    alternative: Alternative
    method: str
    interval: Interval


def binomial_test(
    k: SupportsIndex,
    n: SupportsIndex,
    chance: Exactable,
    *,
    alternative: Alternative = "two-sided",
    two_sided: Literal["minlike", "doubled"] = "minlike",
    confidence: float = 0.95,
) -> BinomialTest:
    """P of a count at least as extreme as k if the true share were ``chance``.

    Two-sided ``minlike`` adds all counts no more likely than k (R, scipy); ``doubled`` doubles the smaller
    tail and agrees with Clopper-Pearson: p <= alpha exactly where the interval leaves ``chance`` out. n = 0
    gives p = 1.
    """
    check_alternative(alternative)
    successes, trials, level = count("k", k), count("n", n), fraction(chance)
    if not 0 <= level <= 1:
        raise InputError(f"chance must lie in [0, 1], not {chance!r}")
    side: Side = {"two-sided": "two", "greater": "lower", "less": "upper"}[alternative]  # type: ignore[assignment]
    interval = clopper_pearson(successes, trials, confidence, side=side)
    p0 = float(level)
    below, above = float(at_most(successes, trials, p0)), float(at_least(successes, trials, p0))
    if alternative == "greater":
        p_value = above
    elif alternative == "less":
        p_value = below
    elif two_sided == "doubled":
        p_value = 2.0 * min(below, above)
    elif two_sided == "minlike":
        p_value = _no_more_likely(successes, trials, p0)
    else:
        raise InputError(f"two_sided must be 'minlike' or 'doubled', not {two_sided!r}")
    return BinomialTest(
        p_value=min(p_value, 1.0),
        k=successes,
        n=trials,
        chance=p0,
        alternative=alternative,
        method="binomial" if alternative != "two-sided" else f"binomial-{two_sided}",
        interval=interval,
    )


def _no_more_likely(k: int, n: int, p: float) -> float:
    counts = np.arange(n + 1, dtype=np.float64)
    ways = special.gammaln(counts + 1) + special.gammaln(n - counts + 1)
    log_pmf = special.xlogy(counts, p) + special.xlog1py(n - counts, -p) - ways
    # The pmf has one peak, so the more likely counts are one stretch and the rest two tails.
    likelier = np.flatnonzero(log_pmf > log_pmf[k] + _TIE)
    if likelier.size == 0:
        return 1.0
    return float(at_most(likelier[0] - 1, n, p)) + float(at_least(likelier[-1] + 1, n, p))


def fisher_exact(
    a: SupportsIndex,
    b: SupportsIndex,
    c: SupportsIndex,
    d: SupportsIndex,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> FisherTest:
    """Fisher's exact test of two independent groups: a of a+b against c of c+d. Not for paired data:
    `mcnemar`.

    Tables are weighed in whole numbers, so ties in the two-sided test are exact. "greater" means that the
    first group has the higher share.
    """
    check_alternative(alternative)
    w, x, y, z = count("a", a), count("b", b), count("c", c), count("d", d)
    lowest, weights = hypergeometric_weights(w + x, y + z, w + y)
    here = w - lowest
    if alternative == "greater":
        extreme = sum(weights[here:])
    elif alternative == "less":
        extreme = sum(weights[: here + 1])
    else:
        extreme = sum(weight for weight in weights if weight <= weights[here])
    return FisherTest(
        p_value=extreme / sum(weights),
        odds_ratio=(float(Fraction(w * z, x * y)) if x * y else math.inf) if w * z or x * y else None,
        table=((w, x), (y, z)),
        alternative=alternative,
        method="fisher",
        first=wilson(w, w + x, confidence),
        second=wilson(y, y + z, confidence),
    )


def hypergeometric_weights(first: int, second: int, drawn: int) -> tuple[int, list[int]]:
    """(lowest count, ways for each count from there) of drawing ``drawn`` from two groups of these sizes."""
    lowest, highest = max(0, drawn - second), min(first, drawn)
    weight = math.comb(first, lowest) * math.comb(second, drawn - lowest)
    weights = [weight]
    for i in range(lowest, highest):
        weight = weight * (first - i) * (drawn - i) // ((i + 1) * (second - drawn + i + 1))
        weights.append(weight)
    return lowest, weights


def mcnemar(
    b: SupportsIndex,
    c: SupportsIndex,
    *,
    alternative: Alternative = "two-sided",
    mid_p: bool = False,
    confidence: float = 0.95,
) -> McNemarTest:
    """McNemar's test of paired yes/no outcomes from the discordant counts, by the binomial distribution.

    ``mid_p`` counts the observed outcome half (Fagerland, Lydersen and Laake 2013): more powerful, and above
    its level only slightly and rarely, but no longer guaranteed. "greater" means that the first succeeds more
    often.
    """
    check_alternative(alternative)
    first, second = count("b", b), count("c", c)
    n = first + second
    point = math.comb(n, first) / 2**n if n else 1.0
    half = point / 2.0 if mid_p else 0.0
    above = float(at_least(first, n, 0.5)) - half
    below = float(at_most(first, n, 0.5)) - half
    p_value = {"greater": above, "less": below}.get(alternative, 2.0 * min(above, below))
    return McNemarTest(
        p_value=min(p_value, 1.0),
        b=first,
        c=second,
        alternative=alternative,
        method="mcnemar-mid-p" if mid_p else "mcnemar-exact",
        interval=clopper_pearson(first, n, confidence),
    )
