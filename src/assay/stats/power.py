"""Power, required n and smallest detectable effect, for the tests of `assay.stats.exact`.

Each is computed from the test that will be used, not from a normal approximation of it; where the enumeration
would be too large (two independent groups of more than `EXACT_TO`), the approximation is used and ``method``
says so.

The power of an exact test is a sawtooth in n. `required_n` functions give an n at which the target is reached
and below which it does not fall again over the next stretch (a tenth of n, at least 20 where that is cheap).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from assay.errors import InputError
from assay.stats._core import (
    Alternative,
    check_alternative,
    check_probability,
    count,
)
from assay.stats._rejection import EXACT_TO, reject_one, reject_paired, reject_two, two_method

__all__ = [
    "EXACT_TO",
    "Detectable",
    "Power",
    "RequiredN",
    "detectable_one",
    "detectable_paired",
    "detectable_two",
    "power_one",
    "power_paired",
    "power_two",
    "required_n_one",
    "required_n_paired",
    "required_n_two",
]


class Power(msgspec.Struct, frozen=True, kw_only=True):
    """The chance that the test rejects at ``alpha``; ``truth`` holds the shares, or the discordant shares."""

    power: float
    n: int
    truth: tuple[float, float]
    alpha: float
    alternative: Alternative
    method: str


class RequiredN(msgspec.Struct, frozen=True, kw_only=True):
    """The n for which the power reaches ``target``; None where ``max_n`` is too few. Per group, or pairs."""

    n: int | None
    target: float
    truth: tuple[float, float]
    alpha: float
    alternative: Alternative
    method: str
    max_n: int


class Detectable(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest effect found with power ``target`` at this n; None where no effect is large enough.

    ``effect`` is signed. ``at`` is the share (or for pairs, the share of pairs where only the first succeeds)
    that goes with it, ``base`` the share (or for pairs, the share of discordant pairs) it is measured from.
    """

    effect: float | None
    at: float | None
    base: float
    n: int
    target: float
    alpha: float
    alternative: Alternative
    method: str


def power_one(
    chance: float, truth: float, n: int, *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Power:
    """Power of the exact binomial test of ``chance`` (two-sided: doubled tail, as Clopper-Pearson)."""
    _check(alpha, alternative, chance, truth)
    trials = count("n", n)
    return Power(
        power=reject_one(trials, chance, truth, alpha, alternative),
        n=trials,
        truth=(chance, truth),
        alpha=alpha,
        alternative=alternative,
        method="binomial-exact",
    )


def required_n_one(
    chance: float,
    truth: float,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    max_n: int = 1_000_000,
) -> RequiredN:
    """How many trials the exact binomial test needs to tell ``truth`` from ``chance``."""
    _check(alpha, alternative, chance, truth)
    _check_effect(truth - chance, alternative)
    n = _smallest_n(lambda m: reject_one(m, chance, truth, alpha, alternative), target, max_n)
    return RequiredN(
        n=n,
        target=target,
        truth=(chance, truth),
        alpha=alpha,
        alternative=alternative,
        method="binomial-exact",
        max_n=max_n,
    )


def detectable_one(
    chance: float,
    n: int,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    upward: bool = True,
) -> Detectable:
    """The share nearest to ``chance`` that n trials tell from it; ``upward`` picks the direction if
    two-sided.
    """
    _check(alpha, alternative, chance, chance)
    trials, end = count("n", n), _end(alternative, upward)
    at = _nearest(lambda p: reject_one(trials, chance, p, alpha, alternative), chance, end, target)
    return _detected(at, chance, trials, target, alpha, alternative, "binomial-exact")


def power_paired(
    first_only: float,
    second_only: float,
    n: int,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Power:
    """Power of McNemar's exact test with n pairs, of which these shares are discordant, one way and the
    other.

    Averaged over the binomial number of discordant pairs (unconditional power).
    """
    _check_discordant(first_only, second_only, alpha, alternative)
    pairs = count("n", n)
    return Power(
        power=reject_paired(pairs, first_only, second_only, alpha, alternative),
        n=pairs,
        truth=(first_only, second_only),
        alpha=alpha,
        alternative=alternative,
        method="mcnemar-exact",
    )


def required_n_paired(
    first_only: float,
    second_only: float,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    max_n: int = 100_000,
) -> RequiredN:
    """How many pairs McNemar's exact test needs."""
    _check_discordant(first_only, second_only, alpha, alternative)
    _check_effect(first_only - second_only, alternative)
    n = _smallest_n(lambda m: reject_paired(m, first_only, second_only, alpha, alternative), target, max_n)
    return RequiredN(
        n=n,
        target=target,
        truth=(first_only, second_only),
        alpha=alpha,
        alternative=alternative,
        method="mcnemar-exact",
        max_n=max_n,
    )


def detectable_paired(
    discordant: float,
    n: int,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    upward: bool = True,
) -> Detectable:
    """The smallest difference of two paired shares that n pairs show, given the share of discordant pairs."""
    _check_discordant(discordant, 0.0, alpha, alternative)
    pairs, end = count("n", n), _end(alternative, upward)

    def reject(split: float) -> float:
        return reject_paired(pairs, discordant * split, discordant * (1.0 - split), alpha, alternative)

    split = _nearest(reject, 0.5, end, target)
    return Detectable(
        effect=None if split is None else discordant * (2.0 * split - 1.0),
        at=None if split is None else discordant * split,
        base=discordant,
        n=pairs,
        target=target,
        alpha=alpha,
        alternative=alternative,
        method="mcnemar-exact",
    )


def power_two(
    first: float,
    second: float,
    n: int,
    *,
    second_n: int | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Power:
    """Power of Fisher's exact test with n independent trials in each group (or ``second_n`` in the second).

    Up to `EXACT_TO` a group by enumerating all tables; beyond by the normal approximation with the continuity
    correction of Casagrande, Pike and Smith (1978), which was made for Fisher's test.
    """
    _check(alpha, alternative, first, second)
    one = count("n", n)
    two = one if second_n is None else count("second_n", second_n)
    return Power(
        power=reject_two(one, two, first, second, alpha, alternative),
        n=one,
        truth=(first, second),
        alpha=alpha,
        alternative=alternative,
        method=two_method(one, two),
    )


def required_n_two(
    first: float,
    second: float,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    max_n: int = 1_000_000,
) -> RequiredN:
    """How many trials a group Fisher's exact test of two independent groups of equal size needs."""
    _check(alpha, alternative, first, second)
    _check_effect(first - second, alternative)
    n = _smallest_n(lambda m: reject_two(m, m, first, second, alpha, alternative), target, max_n, window=5)
    return RequiredN(
        n=n,
        target=target,
        truth=(first, second),
        alpha=alpha,
        alternative=alternative,
        method=two_method(n or max_n, n or max_n),
        max_n=max_n,
    )


def detectable_two(
    base: float,
    n: int,
    *,
    second_n: int | None = None,
    target: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    upward: bool = True,
) -> Detectable:
    """The first group's share nearest to the second's (``base``) that n trials a group tell from it."""
    _check(alpha, alternative, base, base)
    one = count("n", n)
    two = one if second_n is None else count("second_n", second_n)
    end = _end(alternative, upward)
    at = _nearest(lambda p: reject_two(one, two, p, base, alpha, alternative), base, end, target)
    return _detected(at, base, one, target, alpha, alternative, two_method(one, two))


def _smallest_n(power: Callable[[int], float], target: float, max_n: int, window: int = 20) -> int | None:
    check_probability("target", target, ends=False)
    low, high = 0, 1
    while power(high) < target:
        low, high = high, high * 2
        if low >= max_n:
            return None
        high = min(high, max_n)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    stretch = max(window, high // 10) if window >= 20 else window
    ahead = range(high, min(high + min(stretch, 200), max_n) + 1)
    failing = [n for n in ahead if power(n) < target]
    if not failing:
        return high
    return failing[-1] + 1 if failing[-1] < max_n else None


def _nearest(power: Callable[[float], float], base: float, end: float, target: float) -> float | None:
    """The point nearest to ``base``, on the way to ``end``, at which the power reaches the target."""
    check_probability("target", target, ends=False)
    if base == end or power(end) < target:
        return None
    near, far = base, end
    for _ in range(50):
        middle = (near + far) / 2.0
        near, far = (near, middle) if power(middle) >= target else (middle, far)
    return far


def _detected(
    at: float | None,
    base: float,
    n: int,
    target: float,
    alpha: float,
    alternative: Alternative,
    method: str,
) -> Detectable:
    return Detectable(
        effect=None if at is None else at - base,
        at=at,
        base=base,
        n=n,
        target=target,
        alpha=alpha,
        alternative=alternative,
        method=method,
    )


def _end(alternative: Alternative, upward: bool) -> float:
    if alternative == "two-sided":
        return 1.0 if upward else 0.0
    return 1.0 if alternative == "greater" else 0.0


def _check(alpha: float, alternative: str, *shares: float) -> None:
    check_probability("alpha", alpha, ends=False)
    check_alternative(alternative)
    for value in shares:
        check_probability("a share", value)


def _check_discordant(first: float, second: float, alpha: float, alternative: str) -> None:
    _check(alpha, alternative, first, second)
    if first + second > 1.0 + 1e-12:
        raise InputError(f"discordant shares add up to more than 1: {first!r} + {second!r}")


def _check_effect(effect: float, alternative: str) -> None:
    if effect == 0.0:
        raise InputError("there is no effect to detect: both shares are the same")
    if (alternative == "greater" and effect < 0.0) or (alternative == "less" and effect > 0.0):
        raise InputError(f"the effect {effect:+g} lies on the other side of alternative {alternative!r}")
