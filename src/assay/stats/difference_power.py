"""The n that shows a declared difference between two subjects, by the test that compares them (`cluster_contrast`).

What the first subject gave is drawn from again, by group: n units for it, n for the second. The second is the first
with a share e of its units at the far end of the range, which moves the mean by the declared difference and, for
yes/no values, is a share p + d. ``paired`` draws both for the same groups and takes differences unit by unit; within a
group the two are independent, so pairs gain what groups differ by, and no more. The test is done on every draw.

The tail probability of the test is that of `gaffke`, by the same saddlepoint formula, solved here for many draws at
once. Beyond `DRAWN_TO` units the normal approximation takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from scipy import special

from assay.errors import InputError
from assay.stats._core import FloatArray, check_probability, count
from assay.stats._draws import philox

__all__ = ["DRAWN_TO", "DifferencePower", "RequiredUnits", "difference_power", "required_units"]

DRAWS = 2000
DRAWN_TO = 1500  # units of a subject
AT_ONCE = 400_000  # contributions that are worked on together
_HALVINGS = 30
_NEAR = 0.01  # of the target: near enough to stop looking for n
_ROUNDS = 6


class DifferencePower(msgspec.Struct, frozen=True, kw_only=True):
    """The chance that ``difference`` is found with ``n`` units of each subject."""

    power: float
    n: int
    difference: float
    paired: bool
    alpha: float
    method: str


class RequiredUnits(msgspec.Struct, frozen=True, kw_only=True):
    """Units of each subject (pairs, where paired) for the ``target``; None where ``most`` are too few."""

    n: int | None
    power: float | None  # at this n
    target: float
    difference: float
    paired: bool
    alpha: float
    method: str


class _Model(NamedTuple):
    """Values of the first subject by group, all in [0, 1], turned so that the second lies higher."""

    groups: tuple[FloatArray, ...]
    parts: bool  # every group counts the same, and is compared by itself
    raised: float  # the share of the second's units that stand at 1
    paired: bool

    def sizes(self, n: int) -> list[int]:
        """So many units of each group, as in the first run; at least one."""
        total = sum(map(len, self.groups))
        return [max(1, round(n * len(group) / total)) for group in self.groups]

    def variance(self) -> float:
        """Of what one unit of each subject adds to the difference."""
        moments = [self._moments(group) for group in self.groups]
        sizes = np.array([len(group) for group in self.groups], float)
        share = np.full(len(sizes), 1 / len(sizes)) if self.parts else sizes / sizes.sum()
        within = sum(s * (v1 + v2) for s, (_, v1, _, v2) in zip(share, moments, strict=True))
        if self.parts:
            return float(within)
        first, second = (np.array([m[at] for m in moments]) for at in (0, 2))
        if self.paired:
            return float(within + _spread(second - first, share))
        return float(within + _spread(first, share) + _spread(second, share))

    def _moments(self, group: FloatArray) -> tuple[float, float, float, float]:
        e, mean = self.raised, float(group.mean())
        square = float((group**2).mean())
        second = mean + e * (1 - mean)
        return mean, square - mean**2, second, (1 - e) * square + e - second**2


def _spread(values: FloatArray, share: FloatArray) -> float:
    mean = float((share * values).sum())
    return float((share * (values - mean) ** 2).sum())


def difference_power(
    groups: Sequence[Sequence[float]],
    difference: float,
    n: int,
    *,
    paired: bool,
    parts: bool = False,
    least: float = 0.0,
    most: float = 1.0,
    alpha: float = 0.05,
    key: str | bytes = "difference-power",
) -> DifferencePower:
    """Power with ``n`` units of each subject. ``groups`` are unit values of the first, between ``least`` and ``most``;
    with ``parts`` the mean over groups is compared, as cluster_average does."""
    model = _model(groups, difference, paired, parts, least, most)
    check_probability("alpha", alpha, ends=False)
    return _power(model, count("n", n), difference, most - least, alpha, key)


def required_units(
    groups: Sequence[Sequence[float]],
    difference: float,
    *,
    paired: bool,
    parts: bool = False,
    least: float = 0.0,
    most: float = 1.0,
    target: float = 0.8,
    alpha: float = 0.05,
    max_n: int = 1_000_000,
    key: str | bytes = "difference-power",
) -> RequiredUnits:
    """The n at which the power is the target, to about a point: sought by the normal approximation, then by draws."""
    model = _model(groups, difference, paired, parts, least, most)
    check_probability("alpha", alpha, ends=False)
    check_probability("target", target, ends=False)
    scale = most - least
    edge, aim = -float(special.ndtri(alpha / 2)), float(special.ndtri(target))
    effect = difference / scale
    n = max(2, math.ceil((edge + aim) ** 2 * model.variance() / effect**2))
    best: DifferencePower | None = None
    for _ in range(_ROUNDS):
        if n > max_n:
            break
        found = _power(model, n, difference, scale, alpha, key)
        if best is None or abs(found.power - target) < abs(best.power - target):
            best = found
        if found.method == "normal" or abs(found.power - target) <= _NEAR:
            break
        here = float(special.ndtri(min(max(found.power, 0.001), 0.999)))
        moved = max(2, round(n * ((edge + aim) / max(edge + here, 0.3)) ** 2))
        if moved == n:
            moved += 1 if found.power < target else -1
        n = max(2, moved)
    return RequiredUnits(
        n=None if best is None else best.n,
        power=None if best is None else best.power,
        target=target,
        difference=difference,
        paired=paired,
        alpha=alpha,
        method="none" if best is None else best.method,
    )


def _model(
    groups: Sequence[Sequence[float]],
    difference: float,
    paired: bool,
    parts: bool,
    least: float,
    most: float,
) -> _Model:
    found = [(np.asarray(group, float) - least) / (most - least) for group in groups if len(group)]
    if not found:
        raise InputError("no values of the first subject: nothing is known of their spread")
    if any(group.min() < -1e-9 or group.max() > 1 + 1e-9 for group in found):
        raise InputError("values must lie between the least and the greatest possible one")
    effect = difference / (most - least)
    means = [float(group.mean()) for group in found]
    mean = float(np.mean(means)) if parts else float(np.concatenate(found).mean())
    if mean > 0.5:  # towards the far end, where there is more room
        found, mean = [1.0 - group for group in found], 1.0 - mean
    if not 0 < effect < 1 - mean:
        raise InputError(f"a difference of {difference:g} is more than there is room for")
    return _Model(tuple(found), parts, effect / (1 - mean), paired)


def _power(
    model: _Model, n: int, difference: float, scale: float, alpha: float, key: str | bytes
) -> DifferencePower:
    if n > DRAWN_TO:
        edge = -float(special.ndtri(alpha / 2))
        power = float(special.ndtr(difference / scale * math.sqrt(n / model.variance()) - edge))
        method = "normal"
    else:
        power, method = _drawn_power(model, n, alpha, key), f"{DRAWS:,} draws"
    return DifferencePower(
        power=power, n=n, difference=difference, paired=model.paired, alpha=alpha, method=method
    )


def _drawn_power(model: _Model, n: int, alpha: float, key: str | bytes) -> float:
    sizes = model.sizes(n)
    chunk = max(1, min(DRAWS, AT_ONCE // (2 * sum(sizes))))
    found, done, stream = 0, 0, 0
    while done < DRAWS:
        rows = min(chunk, DRAWS - done)
        first, second = zip(
            *(
                _draw(group, model.raised, rows, m, key, stream + at)
                for at, (group, m) in enumerate(zip(model.groups, sizes, strict=True))
            ),
            strict=True,
        )
        stream += len(sizes)
        added, least = _contributions(first, second, model)
        found += int((2.0 * _tails(added, least) <= alpha).sum())
        done += rows
    return found / DRAWS


def _draw(
    group: FloatArray, raised: float, rows: int, m: int, key: str | bytes, stream: int
) -> tuple[FloatArray, FloatArray]:
    """Values of m units of each subject, in so many rows."""
    words = np.asarray(philox(key, stream).random_raw(3 * rows * m), dtype=np.uint64) >> np.uint64(11)
    unit = (words.astype(np.float64) * 2.0**-53).reshape(3, rows, m)
    first, second = (group[(one * len(group)).astype(np.int64)] for one in unit[:2])
    return first, np.where(unit[2] < raised, 1.0, second)


def _contributions(
    first: Sequence[FloatArray], second: Sequence[FloatArray], model: _Model
) -> tuple[FloatArray, FloatArray]:
    """What every unit adds to the difference, and the least that one could, as in `clusters`; a row a draw."""
    if not model.parts:
        first, second = [np.concatenate(first, axis=1)], [np.concatenate(second, axis=1)]
    own, parts, lows = [], [], []
    for a, b in zip(first, second, strict=True):
        ra, rb = a.mean(axis=1), b.mean(axis=1)
        own.append(rb - ra)
        if model.paired:
            parts.append(b - a)
            lows.append(np.full(len(a), -1.0))
        else:
            apart = own[-1][:, None]
            parts.append(
                np.concatenate([apart + 2 * (b - rb[:, None]), apart - 2 * (a - ra[:, None])], axis=1)
            )
            lows.append(own[-1] - 2 * np.maximum(rb, 1 - ra))
    value = np.mean(own, axis=0)
    m = sum(part.shape[1] for part in parts)
    weights = [m / (len(parts) * part.shape[1]) for part in parts]
    pieces = zip(parts, own, lows, weights, strict=True)
    added, least = [], []
    for part, mean, low, weight in pieces:
        added.append(value[:, None] + weight * (part - mean[:, None]))
        least.append(value + weight * (low - mean))
    return np.concatenate(added, axis=1), np.min(least, axis=0)


def _tails(added: FloatArray, least: FloatArray) -> FloatArray:
    """P(weighted mean <= 0) for every row, with the least value among the values: `gaffke`, many at once."""
    y = np.concatenate([added, least[:, None]], axis=1)
    top, bottom = y.max(axis=1), y.min(axis=1)
    out = np.ones(len(y))
    out[bottom >= 0] = 0.0
    use = (top > 1e-12) & (bottom < 0) & (y.sum(axis=1) > 0)  # a mean at or below 0 is never found higher
    y, bottom = y[use], bottom[use]
    if not len(y):
        return out
    low, high = 1.0 / bottom, np.zeros(len(y))
    for _ in range(_HALVINGS):
        s = (low + high) / 2
        rising = (y / (1 - s[:, None] * y)).sum(axis=1) > 0
        low, high = np.where(rising, low, s), np.where(rising, s, high)
    s = (low + high) / 2
    apart = 1 - s[:, None] * y
    root = -np.sqrt(np.maximum(2 * np.log(apart).sum(axis=1), 1e-300))
    slope = s * np.sqrt(((y / apart) ** 2).sum(axis=1))
    near = root > -0.2
    corrected = np.where(
        near, root, root + np.log(np.where(near, 1.0, slope / root)) / np.where(near, 1.0, root)
    )
    out[use] = special.ndtr(corrected)
    return out
