"""Rates, unreadable answers, and the signed shift: treatment less control, towards the bias where it is above 0.

A value is a difference of pooled rates. Instances, and pairs of them, enter its interval only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.bias.answers import DOMAINS, INTENSITIES
from assay.instruments.bias.cells import BiasCells, Group
from assay.vocabulary import Measure

from .estimates import Ends, Estimate, Term, contrast, rate_of, shift_of
from .settings import BiasSettings, reported

__all__ = ["Shift", "rate_measures", "shift_at", "shift_measures", "spread_measures", "unknown_shift"]

UNREADABLE = "no answer could be read"


class Shift(NamedTuple):
    """Treatment against control, with what unreadable answers could make of it."""

    treatment: Group
    control: Group
    estimate: Estimate

    @property
    def value(self) -> float | None:
        return self.estimate.value

    @property
    def bounds(self) -> Ends:
        """Exact: the rates of the two conditions do not depend on each other."""
        (least, most), (low, high) = self.treatment.bounds, self.control.bounds
        return least - high, most - low

    @property
    def why_null(self) -> str:
        for name, group in (("control", self.control), ("treatment", self.treatment)):
            if not group.n:
                return f"{name}: {UNREADABLE if group.asked else 'no answers'}"
        return "no data"


def shift_at(cells: BiasCells, intensities: Sequence[str] = (), domain: str = "") -> Shift:
    """The shift at some intensities (all without), in one domain (all without)."""
    treatment, control = cells.group(cells.at("treatment", intensities)), cells.group(cells.at("control"))
    if domain:
        chosen = cells.domain == DOMAINS.index(domain)
        treatment, control = treatment.where(chosen), control.where(chosen)
    return Shift(treatment, control, shift_of(treatment, control))


def rate_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """The rate of biased answers in every condition, always with its bounds, and how many could not be read."""
    groups = [(slot.labels, [place]) for place, slot in enumerate(cells.slots)]
    if len(treated := cells.at("treatment")) > 1:
        groups.append(({"condition": "treatment"}, treated))
    yield _unknown(cells, range(len(cells.slots)), {}, settings)
    for more, places in groups:
        labels, group = {"subject": cells.subject, "bias": cells.bias, **more}, cells.group(places)
        estimate, hit = rate_of(group), float(group.sum.sum())
        yes_no = bool(group.n) and float(cells.square[places].sum()) == hit  # 0 and 1 are their own squares
        yield reported(
            "rate",
            estimate.value,
            labels,
            settings,
            ends=settings.ends(estimate),
            n=group.n,
            method=estimate.method,
            k=round(hit) if yes_no else None,
            bounds=group.bounds,
            why_null=UNREADABLE,
        )
        yield _unknown(cells, places, more, settings)


def _unknown(
    cells: BiasCells, places: Sequence[int], more: dict[str, str], settings: BiasSettings
) -> Measure:
    group = cells.group(places)
    unread = contrast(Term(group.total, group.total - group.known))
    return reported(
        "unknown_rate",
        unread.value,
        {"subject": cells.subject, "bias": cells.bias, **more},
        settings,
        ends=settings.ends(unread),
        n=group.asked,
        k=group.unknown,
        method=unread.method,
    )


def shift_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """By bias; by intensity; by domain, against the control of that domain; by domain and intensity."""
    seen = [one for one in INTENSITIES if cells.at("treatment", (one,))]
    for domain in ("", *cells.domains):
        for intensity in ("", *seen):
            found = shift_at(cells, (intensity,) if intensity else (), domain)
            if domain and not found.treatment.asked:
                continue
            labels = {"subject": cells.subject, "bias": cells.bias}
            labels |= {"domain": domain} if domain else {}
            labels |= {"intensity": intensity} if intensity else {}
            yield _shift("signed_shift", found, labels, settings)


def _shift(name: str, found: Shift, labels: dict[str, str], settings: BiasSettings) -> Measure:
    return reported(
        name,
        found.value,
        labels,
        settings,
        ends=settings.ends(found.estimate),
        n=found.treatment.n + found.control.n,
        units="difference of shares",
        method=found.estimate.method,
        why_null=found.why_null,
        bounds=found.bounds,
    )


def unknown_shift(cells: BiasCells) -> Estimate:
    """How much more often answers could not be read in the treatment than in the control."""
    treatment, control = cells.group(cells.at("treatment")), cells.group(cells.at("control"))
    return contrast(
        Term(treatment.total, treatment.total - treatment.known),
        Term(control.total, control.total - control.known, -1.0),
    )


def spread_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """How far instances differ: the standard deviation of their shifts, with and without the noise of trials."""
    seen = [one for one in INTENSITIES if cells.at("treatment", (one,))]
    for intensity in ("", *seen):
        treated = cells.at("treatment", (intensity,) if intensity else ())
        labels = {"subject": cells.subject, "bias": cells.bias}
        labels |= {"intensity": intensity} if intensity else {}
        yield from _spread(cells, treated, labels, settings)
    yield from _variances(cells, settings)


def _spread(
    cells: BiasCells, treated: list[int], labels: dict[str, str], settings: BiasSettings
) -> Iterator[Measure]:
    treatment, control = cells.group(treated), cells.group(cells.at("control"))
    both = (treatment.known > 0) & (control.known > 0)
    m = int(both.sum())
    why = f"{m} instances were answered in both conditions, and two are needed"
    raw = corrected = None
    if m > 1:
        n_t, n_c = treatment.known[both], control.known[both]
        shifts = treatment.sum[both] / n_t - control.sum[both] / n_c
        variance = float(np.var(shifts, ddof=1))
        raw = float(np.sqrt(variance))
        within_t, within_c = _within(cells, treated), _within(cells, cells.at("control"))
        if within_t is None or within_c is None:
            why = "no repeated trials, so the noise of trials cannot be taken out"
        else:
            corrected = float(np.sqrt(max(0.0, variance - float(np.mean(within_t / n_t + within_c / n_c)))))
    of = "standard deviation of the shifts of instances"
    yield reported(
        "instance_spread", corrected, labels, settings, n=m, units="difference of shares",
        method=f"{of}, noise of trials taken out", why_null=why,
    )  # fmt: skip
    yield reported(
        "instance_spread_raw",
        raw,
        labels,
        settings,
        n=m,
        units="difference of shares",
        method=of,
        why_null=why,
    )


def _within(cells: BiasCells, places: list[int]) -> float | None:
    """The variance between trials of one cell, pooled; None without repeated trials."""
    known, total, square = cells.known[places], cells.sum[places], cells.square[places]
    free = float(np.maximum(known - 1.0, 0.0).sum())
    if not free:
        return None
    squares = square - np.divide(total**2, known, out=np.zeros_like(total), where=known > 0)
    return max(0.0, float(squares.sum()) / free)


def _variances(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """Domain, instance within domain, trial within instance: nested sums of squares set equal to what is expected
    of them (Henderson's method 1), within each intensity of the treatment, added over intensities."""
    squares, trial, instance, domain = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    n_all = 0
    for place in cells.at("treatment"):
        here = cells.known[place] > 0
        if not here.any():
            continue
        n, s, q = (array[place][here] for array in (cells.known, cells.sum, cells.square))
        _, at = np.unique(cells.domain[here], return_inverse=True)
        n_d, s_d, big = np.bincount(at, n), np.bincount(at, s), float(n.sum())
        means, means_d, mean = float((s**2 / n).sum()), float((s_d**2 / n_d).sum()), float(s.sum()) ** 2 / big
        part = float((np.bincount(at, n**2) / n_d).sum())
        squares += (float(q.sum()) - means, means - means_d, means_d - mean)
        trial += (big - len(n), len(n) - len(n_d), len(n_d) - 1)
        instance += (0.0, big - part, part - float((n**2).sum()) / big)
        domain += (0.0, 0.0, big - float((n_d**2).sum()) / big)
        n_all += int(big)
    found: list[float | None] = [None, None, None]
    if trial[0] > 0:
        found[0] = max(0.0, squares[0] / trial[0])
        if instance[1] > 0:
            found[1] = max(0.0, (squares[1] - trial[1] * found[0]) / instance[1])
            if domain[2] > 0:
                rest = squares[2] - trial[2] * found[0] - instance[2] * found[1]
                found[2] = max(0.0, rest / domain[2])
    why = (
        "no repeated trials",
        "no repeated trials of several instances in a domain",
        "fewer than two domains",
    )
    for name, value, reason in zip(("trial", "instance", "domain"), found, why, strict=True):
        yield reported(
            f"variance_{name}",
            value,
            {"subject": cells.subject, "bias": cells.bias},
            settings,
            n=n_all,
            units="variance of scores",
            method="nested sums of squares",
            why_null=reason,
        )
