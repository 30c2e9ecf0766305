"""Estimates over instances: a value, what every instance adds to it, and the range that one more could add.

A value is a sum of pooled rates with signs, such as treatment less control. A pooled rate R = sum s_i / sum n_i is a
ratio, so it is made linear: with m instances, instance i adds u_i (s_i/n_i - R), u_i = m n_i / sum n. The mean of the
m contributions is the value; where every instance has as many answers, they are the instances' own differences.
The interval is that of a mean of independent values in a known range (`assay.stats.gaffke`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.cells import Floats, Group
from assay.stats import MeanCurve

__all__ = ["NOTHING", "Ends", "Estimate", "Term", "average", "contrast", "rate_of", "shift_of"]

Ends = tuple[float, float]


class Term(NamedTuple):
    """One pooled rate: answers and sums by instance, its sign, and the range of an answer."""

    n: Floats
    sum: Floats
    sign: float = 1.0
    least: float = 0.0
    most: float = 1.0


class Estimate:
    """A value with the contributions of its instances; ``value`` is None where there is no data."""

    def __init__(
        self, value: float | None, added: Floats, least: float, most: float, limits: Ends, n: int
    ) -> None:
        self.value, self.added, self.n, self.limits = value, added, n, limits
        self.least, self.most = least, most
        self._curve: MeanCurve | None = None

    @property
    def instances(self) -> int:
        return int(self.added.size)

    @property
    def method(self) -> str:
        return f"gaffke over {self.instances} instances"

    @property
    def curve(self) -> MeanCurve:
        if self._curve is None:
            self._curve = MeanCurve(self.added, self.least, self.most)
        return self._curve

    def ends(self, confidence: float) -> Ends:
        """The interval, within the range of the value."""
        if self.value is None:
            return self.limits
        if not self.least < self.most:
            return self.value, self.value
        found = self.curve.interval(confidence)
        return max(found.low, self.limits[0]), min(found.high, self.limits[1])

    def p_value(self, at: float = 0.0) -> float | None:
        return None if self.value is None or not self.least < self.most else self.curve.p_value(at)

    @property
    def error(self) -> float:
        """The standard error by instances; 0 where there is one."""
        if self.instances < 2:
            return 0.0
        return float(np.std(self.added, ddof=1) / np.sqrt(self.instances))


NOTHING = Estimate(None, np.zeros(0), 0.0, 0.0, (-1.0, 1.0), 0)


def contrast(*terms: Term) -> Estimate:
    """The sum of the terms' rates, each with its sign. The arrays are of the same instances in the same order."""
    limits = (sum(_ends(term)[0] for term in terms), sum(_ends(term)[1] for term in terms))
    here = np.any([term.n > 0 for term in terms], axis=0)
    m, totals = int(here.sum()), [float(term.n.sum()) for term in terms]
    if not all(totals):
        return Estimate(None, np.zeros(0), 0.0, 0.0, limits, 0)
    added, least, most, value = np.zeros(m), np.zeros(m), np.zeros(m), 0.0
    for term, total in zip(terms, totals, strict=True):
        rate = min(max(float(term.sum.sum()) / total, term.least), term.most)
        weight = m * term.n[here] / total
        added += term.sign * (m * term.sum[here] / total - weight * rate)
        low, high = sorted((term.sign * (term.least - rate), term.sign * (term.most - rate)))
        least, most, value = least + weight * low, most + weight * high, value + term.sign * rate
    least_of, most_of = value + float(least.min()), value + float(most.max())
    return Estimate(
        value, np.clip(added + value, least_of, most_of), least_of, most_of, limits, int(sum(totals))
    )


def _ends(term: Term) -> Ends:
    low, high = sorted((term.sign * term.least, term.sign * term.most))
    return low, high


def rate_of(group: Group) -> Estimate:
    return contrast(Term(group.known, group.sum))


def shift_of(treatment: Group, control: Group) -> Estimate:
    """The rate of the treatment less that of the control: towards the bias where it is above 0."""
    return contrast(Term(treatment.known, treatment.sum), Term(control.known, control.sum, -1.0))


def average(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of several values of different instances, each value counting the same."""
    found = [one for one in estimates if one.value is not None]
    if not found:
        return NOTHING
    value = sum(one.value or 0.0 for one in found) / len(found)
    m = sum(one.instances for one in found)
    added, least, most = [], [], []
    for one in found:
        weight, centre = m / (len(found) * one.instances), one.value or 0.0
        added.append(value + weight * (one.added - centre))
        least.append(value + weight * (one.least - centre))
        most.append(value + weight * (one.most - centre))
    limits = (min(one.limits[0] for one in found), max(one.limits[1] for one in found))
    return Estimate(value, np.concatenate(added), min(least), max(most), limits, sum(one.n for one in found))
