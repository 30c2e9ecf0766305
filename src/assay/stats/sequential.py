"""Is a share above a threshold? Looking after every outcome, and stopping as soon as it is settled.

For "increase sample size until" (agency spec, section 11.5.1). Looking at an ordinary interval after every
outcome and stopping when it clears the threshold is wrong far more often than the interval says; this is not.

With threshold p0, a declared alternative p1 > p0, and k successes among n outcomes:

    E(n) = (p1/p0)**k * ((1 - p1)/(1 - p0))**(n - k)        evidence that the share is above p0
    M(n) = 1/E(n)                                           evidence that the share is below p1

**Why it holds.** Let the next outcome be a success with probability p, whatever came before. E is then
multiplied on average by p*p1/p0 + (1 - p)*(1 - p1)/(1 - p0). That is linear and rising in p, and 1 at p = p0;
so it is at most 1 for every p <= p0, and E is a non-negative supermartingale that starts at 1. By Ville's
inequality (1939), P(E ever reaches 1/alpha) <= alpha: for every p <= p0, also one that varies from outcome to
outcome, and however often and for whatever reason one looks or stops. M is the mirror image: for every
p >= p1, P(M ever reaches 1/beta) <= beta. The ratio and both lines are Wald's (1945).

**What is said.** ``satisfied``: p <= p0 is refuted at alpha. ``not satisfied``: p >= p1 is refuted at beta; the
share may still lie between p0 and p1. ``undecided``: ``most`` outcomes settled neither. ``continue``: fewer than
``most`` so far, and not settled. Satisfied implies k/n > p0, as E > 1 only where k/n is nearer to p1 than to p0.

A mixture over several alternatives is also valid. Measured exactly (``benchmarks/sequential.py``), it saves
outcomes where the share is far above p1 and costs more, with less power, where it is between p0 and p1; with a
least n of 20 and p1 = .85 there is nothing left to save. So there is one alternative.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec
import numpy as np
from scipy import special

from assay.errors import InputError
from assay.stats._core import at_least, check_probability, count, fraction

__all__ = [
    "FixedShareSize",
    "SequentialProperties",
    "SequentialShare",
    "crossing",
    "fixed_share_size",
    "refuted",
    "sequential_properties",
    "sequential_share",
]

Decision = Literal["satisfied", "not satisfied", "undecided", "continue"]
FixedMethod = Literal["binomial", "wilson"]

# A tail that equals alpha on paper must count as reaching it.
_TIE = 1.0 + 1e-12


class SequentialShare(msgspec.Struct, frozen=True, kw_only=True):
    """Where a sequential test stands after the ``n`` outcomes it used.

    ``log_e`` is the logarithm of the evidence that the share is above the threshold, ``log_e_mirror`` of the
    evidence that it is below the alternative. ``e_value`` is exp(log_e), at most the largest float.
    """

    decision: Decision
    n: int
    successes: int
    e_value: float
    log_e: float
    log_e_mirror: float
    threshold: float
    alternative: float
    alpha: float
    beta: float
    least: int
    most: int
    method: str = "likelihood-ratio"

    def then(self, outcomes: Iterable[bool | int]) -> SequentialShare:
        """The test after further outcomes. Once it has stopped, nothing that comes later changes it."""
        design = (self.threshold, self.alternative, self.alpha, self.beta, self.least, self.most)
        up, down = _lines(*design)
        n, k, decision = self.n, self.successes, self.decision
        if decision != "continue":
            return self
        for outcome in outcomes:
            n, k = n + 1, k + _success(outcome, n + 1)
            decision = _decide(n, k, up, down)
            if decision != "continue":
                break
        return _standing(design, n, k, decision)

    @property
    def soonest(self) -> int:
        """The fewest further outcomes that could settle it, 0 once it has stopped.

        As many can be asked for at once, side by side, and none of them is wasted.
        """
        if self.decision != "continue":
            return 0
        up, down = _lines(self.threshold, self.alternative, self.alpha, self.beta, self.least, self.most)
        for n in range(self.n + 1, self.most):
            if self.successes + n - self.n >= up[n] or self.successes <= down[n]:
                return n - self.n
        return self.most - self.n


class SequentialProperties(msgspec.Struct, frozen=True, kw_only=True):
    """How the test behaves where the true share is ``share``: how often it says what, and after how many."""

    share: float
    satisfied: float
    not_satisfied: float
    undecided: float
    expected_n: float
    threshold: float
    alternative: float
    alpha: float
    beta: float
    least: int
    most: int
    method: str = "exact"

    @property
    def error(self) -> float | None:
        """How often it says what is false; None between threshold and alternative, where nothing said is."""
        if fraction(self.share) <= fraction(self.threshold):
            return self.satisfied
        return self.not_satisfied if fraction(self.share) >= fraction(self.alternative) else None

    @property
    def power(self) -> float | None:
        """How often it says ``satisfied`` and is right; None where the share is not above the threshold."""
        return self.satisfied if fraction(self.share) > fraction(self.threshold) else None


class FixedShareSize(msgspec.Struct, frozen=True, kw_only=True):
    """A test with n fixed beforehand: satisfied from ``critical`` successes on.

    ``error`` and ``reached`` are its exact error at the threshold and power at the alternative. All four are
    None where ``max_n`` is too few.
    """

    n: int | None
    critical: int | None
    error: float | None
    reached: float | None
    threshold: float
    alternative: float
    alpha: float
    power: float
    method: FixedMethod
    max_n: int


def sequential_share(
    outcomes: Iterable[bool | int],
    *,
    threshold: float,
    alternative: float = 0.85,
    alpha: float = 0.05,
    beta: float = 0.05,
    least: int,
    most: int,
) -> SequentialShare:
    """Test a share against ``threshold``, outcome by outcome (true or 1, false or 0), in the order given.

    Stops at the first n from ``least`` on at which the evidence reaches 1/alpha (or the mirror evidence
    1/beta), or at ``most``; what follows is not read. Give no outcomes to begin, and go on with ``then``.
    The order must not depend on the outcomes: order of trial id is right, order of arrival may not be. The
    lower end of a two-sided 95 % interval corresponds to alpha = .025.
    """
    design = _design(threshold, alternative, alpha, beta, least, most)
    return _standing(design, 0, 0, "continue").then(outcomes)


def refuted(
    n: int, successes: int, threshold: float, alternative: float = 0.85, *, alpha: float = 0.05
) -> bool:
    """Does E(n), from these counts, reach 1/alpha? For a decision that somebody reports; compared exactly."""
    p0, p1, level, _, _, total = _design(threshold, alternative, alpha, alpha, 1, max(n, 1))
    k = count("successes", successes)
    if k > count("n", n):
        raise InputError(f"{k} successes are more than the {n} outcomes there are")
    return n > 0 and k >= _lines(p0, p1, level, level, total, total)[0][n]


def sequential_properties(
    share: float,
    *,
    threshold: float,
    alternative: float = 0.85,
    alpha: float = 0.05,
    beta: float = 0.05,
    least: int,
    most: int,
) -> SequentialProperties:
    """Exact chances of each decision, and the expected n, where every outcome succeeds with chance ``share``.

    The chance of ``satisfied`` rises with the share (of two paths the higher meets the upper line no later and
    the lower line no sooner), so the largest error over all shares up to the threshold is the one at it.
    """
    design = _design(threshold, alternative, alpha, beta, least, most)
    truth = check_probability("share", share)
    satisfied, failed, open_, expected = crossing(*_lines(*design), truth)
    return SequentialProperties(
        share=truth,
        satisfied=satisfied,
        not_satisfied=failed,
        undecided=open_,
        expected_n=expected,
        threshold=design[0],
        alternative=design[1],
        alpha=design[2],
        beta=design[3],
        least=design[4],
        most=design[5],
    )


def crossing(up: Sequence[int], down: Sequence[int], share: float) -> tuple[float, float, float, float]:
    """(P(upper line first), P(lower line first), P(neither), expected n) of a walk of coin flips.

    The walk stops at n = 1, 2, ... with ``up[n]`` successes or more, ``down[n]`` or fewer, or at the last n. A
    dynamic program over (n, successes), for any such rule.
    """
    alive, lowest = np.ones(1), 0  # chances of lowest, lowest + 1, ... successes, not stopped
    above, below, steps = [0.0], [0.0], [0.0]
    for n in range(1, len(up)):
        step = np.zeros(alive.size + 1)
        step[:-1] = alive * (1.0 - share)
        step[1:] += alive * share
        first = min(max(down[n] + 1 - lowest, 0), step.size)
        last = max(min(up[n] - lowest, step.size), first)
        above.append(math.fsum(step[last:]))
        below.append(math.fsum(step[:first]))
        steps.append(n * (above[-1] + below[-1]))
        alive, lowest = step[first:last], lowest + first
        if alive.size == 0:
            break
    open_ = math.fsum(alive)
    return math.fsum(above), math.fsum(below), open_, math.fsum([*steps, (len(up) - 1) * open_])


def fixed_share_size(
    threshold: float,
    alternative: float = 0.85,
    alpha: float = 0.05,
    power: float = 0.95,
    method: FixedMethod = "binomial",
    *,
    max_n: int = 20_000,
) -> FixedShareSize:
    """The smallest n at which a one-sided test of ``threshold`` reaches ``power`` at ``alternative``.

    ``binomial`` is the exact test, whose error is at most alpha. ``wilson`` asks that the lower Wilson bound at
    confidence 1 - alpha lies above the threshold; its error can be above alpha, and is given. The power is a
    sawtooth in n: larger n may fall below again (`required_n_one` gives an n after which it does not).
    """
    p0, p1 = _shares(threshold, alternative)
    level, target = (
        check_probability("alpha", alpha, ends=False),
        check_probability("power", power, ends=False),
    )
    if method not in ("binomial", "wilson"):
        raise InputError(f"method must be 'binomial' or 'wilson', not {method!r}")
    z = -float(special.ndtri(level))
    found: tuple[int | None, int | None, float | None, float | None] = (None, None, None, None)
    critical = 1  # of no outcomes: more than there are
    for n in range(1, count("max_n", max_n) + 1):
        if method == "wilson":
            critical = math.floor(n * p0 + z * math.sqrt(n * p0 * (1.0 - p0))) + 1
        # With one outcome more the critical count is the same or one more.
        elif float(at_least(critical, n, p0)) > level * _TIE:
            critical += 1
        reached = float(at_least(critical, n, p1))
        if reached >= target:
            found = (n, critical, float(at_least(critical, n, p0)), reached)
            break
    return FixedShareSize(
        n=found[0],
        critical=found[1],
        error=found[2],
        reached=found[3],
        threshold=p0,
        alternative=p1,
        alpha=level,
        power=target,
        method=method,
        max_n=max_n,
    )


_Design = tuple[float, float, float, float, int, int]


def _shares(threshold: float, alternative: float) -> tuple[float, float]:
    p0 = check_probability("threshold", threshold, ends=False)
    p1 = check_probability("alternative", alternative, ends=False)
    if fraction(p1) <= fraction(p0):
        raise InputError(f"the alternative must be above the threshold {p0!r}, not {p1!r}")
    return p0, p1


def _design(
    threshold: float, alternative: float, alpha: float, beta: float, least: int, most: int
) -> _Design:
    p0, p1 = _shares(threshold, alternative)
    a, b = check_probability("alpha", alpha, ends=False), check_probability("beta", beta, ends=False)
    fewest, limit = count("least", least), count("most", most)
    if not 1 <= fewest <= limit:
        raise InputError(f"least must lie between 1 and most = {limit}, not {fewest}")
    return p0, p1, a, b, fewest, limit


def _logs(threshold: float, alternative: float) -> tuple[float, float]:
    """What a success adds to log E, and what a failure takes away; both above 0."""
    p0, p1 = fraction(threshold), fraction(alternative)
    return math.log1p(float((p1 - p0) / p0)), math.log1p(float((p1 - p0) / (1 - p1)))


@lru_cache(maxsize=64)
def _lines(
    threshold: float, alternative: float, alpha: float, beta: float, least: int, most: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For n = 0..most: the fewest successes that satisfy (n + 1: none do), the most that do not (-1: none).

    Decided as fractions where floats are too near to call.
    """
    gain, loss = _logs(threshold, alternative)
    p0, p1 = fraction(threshold), fraction(alternative)

    def meet(n: int, level: Fraction, log_level: float, upward: bool) -> int:
        """The count at which E meets the level, rounded into the region it opens."""
        x = (n * loss + log_level) / (gain + loss)
        k = round(x)
        if not 0 <= k <= n or abs(x - k) > 1e-12 * (n + 1 + abs(x)):
            return math.ceil(x) if upward else math.floor(x)
        evidence = (p1 / p0) ** k * ((1 - p1) / (1 - p0)) ** (n - k)
        if upward:
            return k if evidence >= level else k + 1
        return k if evidence <= level else k - 1

    up, down = [n + 1 for n in range(most + 1)], [-1] * (most + 1)
    over, under = 1 / fraction(alpha), fraction(beta)
    for n in range(least, most + 1):
        up[n] = min(meet(n, over, -math.log(alpha), True), n + 1)
        down[n] = max(meet(n, under, math.log(beta), False), -1)
    return tuple(up), tuple(down)


def _decide(n: int, k: int, up: Sequence[int], down: Sequence[int]) -> Decision:
    if k >= up[n]:
        return "satisfied"
    if k <= down[n]:
        return "not satisfied"
    return "undecided" if n == len(up) - 1 else "continue"


def _success(outcome: object, number: int) -> int:
    if not isinstance(outcome, bool | int | np.bool_ | np.integer) or outcome not in (0, 1):
        raise InputError(
            f"outcome {number} must be true or false (1 or 0), not {outcome!r}; an unknown outcome counted as "
            "a failure keeps the guarantee of 'satisfied', as a success that of 'not satisfied'"
        )
    return int(outcome == 1)


def _standing(design: _Design, n: int, k: int, decision: Decision) -> SequentialShare:
    gain, loss = _logs(design[0], design[1])
    log_e = k * gain - (n - k) * loss
    return SequentialShare(
        decision=decision,
        n=n,
        successes=k,
        e_value=math.exp(log_e) if log_e < math.log(sys.float_info.max) else sys.float_info.max,
        log_e=log_e,
        log_e_mirror=0.0 - log_e,
        threshold=design[0],
        alternative=design[1],
        alpha=design[2],
        beta=design[3],
        least=design[4],
        most=design[5],
    )
