"""Intervals for a mean of independent values whose range is known, as narrow as their spread allows.

Gaffke (2005); Learned-Miller and Thomas (2019). Give the n values and the least possible value random weights, all
ways to divide 1 among n + 1 equally likely (Dirichlet). The lower end is the alpha/2 quantile of that weighted mean;
the upper end is the mirror image, with the greatest possible value. For yes/no values these are the ends of Clopper
and Pearson. For other values the coverage is conjectured, not proved; no case below the nominal level is known, and
the simulations of tests/stats found none. Values that are all the same still have an interval: that of five
zeros reaches to .52. For many values it is as wide as the normal one, where a betting interval is 1.4 times that.

With exponential weights E_i the event is sum E_i (x_i - m) <= 0. Its probability is found by saddlepoint (Lugannani
and Rice 1980, in Barndorff-Nielsen's form): for every eta below all x, m = sum x/(x - eta) / sum 1/(x - eta) is the
mean whose saddlepoint is 1/(eta - m), so nothing has to be solved. Against draws the tail probability is right to
3 % of itself for five values or more; for three it is up to a seventh too small, so the interval is too wide, not too
narrow. Two different values are a beta distribution, done exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError
from assay.stats._core import FloatArray, Interval, Missing, alpha_of, clean_values

__all__ = ["MeanCurve", "mean_curve"]

_COARSE, _FINE = 96, 25
_NEAREST = 1e-7  # of the range: how near the least value eta is looked for
_CENTRE = -0.2  # standard deviations: above it the formula divides by nearly 0, and no end lies there
_SAME = 1e-12  # of the range: values nearer than this differ by rounding only
_MOST = 8192  # different values; more are rounded outwards, to steps of this part of the range


class MeanCurve:
    """Both tails of one mean: intervals of any confidence, and the p-value of any mean."""

    def __init__(self, values: FloatArray, least: float, most: float) -> None:
        self.value = float(np.sort(values).sum() / values.size) if values.size else None
        self.n, self.least, self.most = int(values.size), least, most
        if self.n and not (values.min() >= least - 1e-9 and values.max() <= most + 1e-9):
            raise InputError("values must lie between the least and the greatest possible one")
        self._below = _Tail(values, least, most)
        self._above = _Tail(-values, -most, -least)

    def interval(self, confidence: float = 0.95) -> Interval:
        tail = alpha_of(confidence) / 2.0
        value, low, high = self.value, self._below.quantile(tail), -self._above.quantile(tail)
        return Interval(
            value=value,
            low=low if value is None else min(low, value),
            high=high if value is None else max(high, value),
            confidence=confidence,
            n=self.n,
            method="gaffke",
        )

    def p_value(self, mean: float) -> float:
        """Twice the smaller tail: the least alpha at which the interval leaves ``mean`` out."""
        return min(1.0, 2.0 * min(self._below.chance(mean), self._above.chance(-mean)))


def mean_curve(
    values: Sequence[float | None] | npt.NDArray[Any],
    least: float = 0.0,
    most: float = 1.0,
    *,
    missing: Missing = "raise",
) -> MeanCurve:
    """The tails of the mean of values between ``least`` and ``most``."""
    if not least < most:
        raise InputError(f"the range must not be empty: {least} to {most}")
    return MeanCurve(clean_values(values, missing), least, most)


class _Tail:
    """P(weighted mean <= m) with the least value among the values."""

    def __init__(self, values: FloatArray, least: float, most: float) -> None:
        self.least, self.span = least, most - least
        self.x, self.count = np.unique(np.append(np.maximum(values, least), least), return_counts=True)
        first = np.append(True, np.diff(self.x) > _SAME * self.span)
        if not first.all():
            self.count = np.bincount(np.cumsum(first) - 1, weights=self.count)
            self.x = self.x[first]
        if self.x.size > _MOST:
            steps = np.floor((self.x - least) / self.span * _MOST) / _MOST
            level, place = np.unique(steps, return_inverse=True)
            self.x, self.count = least + self.span * level, np.bincount(place, weights=self.count)
        self._curve: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def quantile(self, tail: float) -> float:
        if self.x.size == 1:
            return self.least
        if self.x.size == 2:
            share = special.betaincinv(float(self.count[1]), float(self.count[0]), tail)
            return float(self.least + (self.x[1] - self.least) * share)
        distance, _, z = self._coarse()
        wanted = float(special.ndtri(tail))
        mean, fine = self._at(self._around(distance, z, wanted))
        return float(np.interp(wanted, fine, mean))

    def chance(self, mean: float) -> float:
        if mean <= self.least:
            return 0.0
        if self.x.size == 1:
            return 1.0
        if self.x.size == 2:
            share = min(max((mean - self.least) / (self.x[1] - self.least), 0.0), 1.0)
            return float(special.betainc(float(self.count[1]), float(self.count[0]), share))
        distance, means, _ = self._coarse()
        if mean >= means[-1]:
            return 1.0
        found, z = self._at(self._around(distance, means, mean))
        return float(special.ndtr(np.interp(mean, found, z)))

    def _coarse(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        if self._curve is None:
            distance = np.geomspace(_NEAREST, 10.0 * np.sqrt(self.count.sum()) + 10.0, _COARSE)
            mean, z = self._at(distance)
            use = z < _CENTRE
            use[0] = True
            self._curve = distance[use], mean[use], z[use]
        return self._curve

    def _around(self, distance: FloatArray, known: FloatArray, wanted: float) -> FloatArray:
        right = int(np.clip(np.searchsorted(known, wanted), 1, max(len(known) - 1, 1)))
        return np.geomspace(distance[right - 1], distance[min(right, len(distance) - 1)], _FINE)

    def _at(self, distance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each distance of eta from the least value: the mean, and its tail as a standard normal quantile."""
        eta = self.least - self.span * distance
        apart = self.x - eta[:, None]
        weight = self.count / apart
        mean = (weight * (self.x - self.least)).sum(axis=1) / weight.sum(axis=1)
        room = mean + self.span * distance  # m - eta
        log = (self.count * np.log(apart)).sum(axis=1) - self.count.sum() * np.log(room)
        root = -np.sqrt(2.0 * np.maximum(log, 1e-300))
        off = (self.x - self.least) - mean[:, None]
        slope = -np.sqrt((self.count * (off / apart) ** 2).sum(axis=1))
        return np.asarray(mean + self.least), np.asarray(root + np.log(slope / root) / root)
