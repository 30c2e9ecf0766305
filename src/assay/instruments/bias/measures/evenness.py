"""BCI, the bias consistency index (spec, 2): how evenly a bias shows across domains.

    BCI = 1 - min(pstdev(domain rates) / .5, 1);  systematic: more than .7 of the domains above .5

The population standard deviation, for .5 is its maximum (C1). Treatment only; with the control under another name (M1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from assay.instruments.bias.answers import DOMAINS
from assay.instruments.bias.cells import BiasCells, Group
from assay.vocabulary import Measure

from .constants import MOST_SPREAD, SYSTEMATIC
from .estimates import Ends, rate_of
from .settings import BiasSettings, exact, flag_measure, reported

__all__ = ["evenness", "evenness_measures"]

_STEPS = 60


def evenness(rates: Sequence[float]) -> float:
    return 1.0 - min(float(np.std(rates)) / MOST_SPREAD, 1.0)


def _ends(spans: Sequence[Ends]) -> Ends:
    """The index while every rate stays between its ends. The deviation is convex: its maximum is in a corner, and its
    minimum is where all rates are as near to one value as they can be."""
    most = max(float(np.std(corner)) for corner in itertools.product(*spans))
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        mean = sum(min(max(middle, span[0]), span[1]) for span in spans) / len(spans)
        low, high = (middle, high) if mean > middle else (low, middle)
    least = float(np.std([min(max(high, span[0]), span[1]) for span in spans]))
    return 1.0 - min(most / MOST_SPREAD, 1.0), 1.0 - min(least / MOST_SPREAD, 1.0)


def evenness_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    labels = {"subject": cells.subject, "bias": cells.bias}
    treated = cells.at("treatment")
    yield from _index("BCI", cells, treated, labels, settings)
    yield from _index("BCI_with_control", cells, [*cells.at("control"), *treated], labels, settings)
    groups = _by_domain(cells, treated)
    for domain, group in groups.items():
        estimate = rate_of(group)
        yield reported(
            "domain_rate",
            estimate.value,
            {**labels, "domain": domain},
            settings,
            ends=settings.ends(estimate),
            n=group.n,
            method=estimate.method,
            why_null="no answer could be read",
            bounds=group.bounds,
        )
    rates = [group.rate for group in groups.values() if group.rate is not None]
    above = sum(exact(rate) > 0.5 for rate in rates)
    yield flag_measure(
        "is_systematic",
        exact(above / len(rates)) > SYSTEMATIC if rates else None,
        labels,
        n=len(rates),
        method=f"more than {SYSTEMATIC:g} of the domains have a rate above .5",
    )
    yield reported(
        "BCI_mean",
        sum(rates) / len(rates) if rates else None,
        labels,
        settings,
        n=len(rates),
        method="mean of the rates of domains",
        spec_value=None if rates else 0.0,
    )


def _by_domain(cells: BiasCells, places: list[int]) -> dict[str, Group]:
    """The domains in which something was asked."""
    whole = cells.group(places)
    found = {domain: whole.where(cells.domain == DOMAINS.index(domain)) for domain in cells.domains}
    return {domain: group for domain, group in found.items() if group.asked}


def _index(
    name: str, cells: BiasCells, places: list[int], labels: dict[str, str], settings: BiasSettings
) -> Iterator[Measure]:
    groups = _by_domain(cells, places)
    estimates = [found for group in groups.values() if (found := rate_of(group)).value is not None]
    rates = [one.value for one in estimates if one.value is not None]
    value = evenness(rates) if rates else None
    ends = None
    if settings.intervals and rates:
        ends = _ends([span for one in estimates if (span := settings.ends(one, len(estimates)))])
    single = ("one domain is always even",) if len(rates) == 1 else ()
    unread = [f"{domain}: nothing could be read" for domain, group in groups.items() if not group.n]
    yield reported(
        name,
        value,
        labels,
        settings,
        ends=ends,
        n=len(rates),
        units="score",
        method="1 - population standard deviation / .5, from the intervals of domains",
        bounds=_ends([group.bounds for group in groups.values()]) if groups else None,
        spec_value=None if rates else 0.0,
        notes=(*single, *unread),
    )
    if name == "BCI" and settings.intervals:
        k = len(estimates)
        noise = math.sqrt(sum(one.error**2 for one in estimates) / k * (k - 1) / k) if k else 0.0
        yield reported(
            "BCI_no_effect",
            1.0 - min(noise / MOST_SPREAD, 1.0) if rates else None,
            labels,
            settings,
            n=k,
            units="score",
            method="the index of equal rates with the errors seen",
        )
