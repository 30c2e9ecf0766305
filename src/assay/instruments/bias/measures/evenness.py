"""BCI, the bias consistency index (spec, 2): how evenly a bias shows across domains.

    BCI = 1 - min(pstdev(domain rates) / .5, 1);  systematic: more than .7 of the domains above .5

The population standard deviation, for .5 is its maximum (C1). Treatment only; with the control under another name (M1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder, exact
from assay.stats import ClusterAnswers
from assay.vocabulary import Measure

from .constants import MOST_SPREAD, SYSTEMATIC
from .shifts import UNREADABLE

__all__ = ["evenness", "evenness_measures"]

_STEPS = 60


def evenness(rates: Sequence[float]) -> float:
    return 1.0 - min(float(np.std(rates)) / MOST_SPREAD, 1.0)


def _ends(spans: Sequence[Ends]) -> Ends:
    """The index while every rate stays between its ends. The deviation is convex: its maximum is in a corner, and its
    minimum is where all rates are as near to one value as they can be."""
    least = min(evenness(corner) for corner in itertools.product(*spans))
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        mean = sum(min(max(middle, span[0]), span[1]) for span in spans) / len(spans)
        low, high = (middle, high) if mean > middle else (low, middle)
    return least, evenness([min(max(high, span[0]), span[1]) for span in spans])


def _by_domain(cells: BiasCells, places: Sequence[int]) -> dict[str, ClusterAnswers]:
    """The domains in which something was asked."""
    found = {domain: cells.group(places, domain) for domain in cells.domains}
    return {domain: group for domain, group in found.items() if group.asked}


def evenness_measures(cells: BiasCells, say: MeasureBuilder) -> Iterator[Measure]:
    treated = cells.at("treatment")
    groups = _by_domain(cells, treated)
    yield from _index("BCI", groups, say)
    yield from _index("BCI_with_control", _by_domain(cells, [*cells.at("control"), *treated]), say)
    for domain, group in groups.items():
        yield say("domain_rate", group.estimate, {"domain": domain}, bounds=group.bounds, why=UNREADABLE)
    rates = [rate for group in groups.values() if (rate := group.rate) is not None]
    above = exact(sum(exact(rate) > 0.5 for rate in rates) / max(len(rates), 1))
    method = f"more than {SYSTEMATIC:g} of the domains have a rate above .5"
    holds, k = above > SYSTEMATIC if rates else None, len(rates)
    yield say.flag("is_systematic", holds, k, method, spec=None if rates else False)
    mean, spec = (sum(rates) / k, None) if rates else (None, 0.0)
    yield say("BCI_mean", mean, n=k, method="mean of the rates of domains", spec=spec)


def _index(name: str, groups: dict[str, ClusterAnswers], say: MeasureBuilder) -> Iterator[Measure]:
    estimates = [found for group in groups.values() if (found := group.estimate).value is not None]
    rates = [one.value for one in estimates if one.value is not None]
    k = len(rates)
    spans = [span for one in estimates if (span := say.ends(one, k)) is not None]
    notes = ["one domain is always even"] if k == 1 else []
    notes += [f"{domain}: nothing could be read" for domain, group in groups.items() if not group.n]
    yield say(
        name,
        evenness(rates) if rates else None,
        ends=_ends(spans) if spans else None,
        n=k,
        units="score",
        method="1 - population standard deviation / .5, from the intervals of domains",
        bounds=_ends([group.bounds for group in groups.values()]) if groups else None,
        spec=None if rates else 0.0,
        notes=notes,
    )
    if name == "BCI" and say.confidence:
        noise = math.sqrt(sum(one.error**2 for one in estimates) * (k - 1)) / k if k else 0.0
        value, method = 1.0 - min(noise / MOST_SPREAD, 1.0), "the index of equal rates, errors as seen"
        yield say("BCI_no_effect", value if k else None, n=k, units="score", method=method)
