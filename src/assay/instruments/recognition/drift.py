"""How far a conversation moves from where it began, whether it comes back, and what shuffled turns would show.

Version 1 calls the weighted norm of a response's own vector its drift, baseline turns included. Version 2 is a distance
from the subject's own baseline, in standard deviations of the reference corpus.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.stats import Decay, ShuffleTest, exponential_decay, shuffle_test, shuffled_orders

from .signature import DIMENSIONS, Version, definition, norms

__all__ = ["BASELINE", "PERTURBATION", "RECOVERY", "DriftReading", "drifts_of", "phase_nulls", "read_drift"]

FloatArray = npt.NDArray[np.float64]
BASELINE, PERTURBATION, RECOVERY = "baseline", "perturbation", "recovery"
LEAST = 0.001  # of a drift whose logarithm is taken
STUCK = 1.5
SHUFFLES = 999
Statistic = Literal["rise", "rise_above_horizon", "decay"]


class DriftReading(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation. A turn without a drift is None and is in no number.

    ``baseline`` is the first turn's drift in version 1, the mean of the baseline turns' in version 2. ``above`` counts
    the turns above the horizon, ``crossings`` those of them that do not follow one above it.
    """

    version: Version
    drifts: tuple[float | None, ...]
    phases: tuple[str, ...]
    baseline: float | None
    peak: float | None
    final: float | None
    recovery_ratio: float | None
    stuck: bool | None
    decay: Decay
    horizon: float
    above: int
    crossings: int


def drifts_of(vectors: FloatArray, phases: Sequence[str], version: Version) -> FloatArray:
    """The drift of every turn; NaN where it has no vector (NaN), or no baseline to measure it from.

    Of one conversation, or of the same in many orders at once: the last two axes are turns and dimensions.
    """
    if vectors.shape[-2] != len(phases):
        raise InputError(f"{vectors.shape[-2]} vectors but {len(phases)} phases")
    if version == 1:
        weights = definition(1)["weights"]
        chosen = np.array([weights[name] for name in DIMENSIONS])
        return np.asarray(np.sqrt((chosen * vectors**2).sum(-1)))
    return _distances(vectors, np.array([phase == BASELINE for phase in phases], dtype=np.bool_))


def _distances(vectors: FloatArray, at_baseline: npt.NDArray[np.bool_]) -> FloatArray:
    """Distances from the mean of the baseline turns; each baseline turn from the mean of the others.

    A turn that is part of its own baseline would seem nearer than it is. A turn without a vector is no part of it.
    """
    own = at_baseline[:, None] & ~np.isnan(vectors).any(-1, keepdims=True)
    first = np.where(own, vectors, 0.0)
    count = own.sum(-2, keepdims=True) - own
    centre = np.where(count > 0, (first.sum(-2, keepdims=True) - first) / np.maximum(count, 1), np.nan)
    return np.asarray(np.sqrt(((vectors - centre) ** 2).mean(-1)))


def read_drift(
    drifts: Sequence[float | None] | FloatArray,
    phases: Sequence[str],
    version: Version,
    *,
    confidence: float = 0.95,
) -> DriftReading:
    """The numbers of one conversation, from the drifts of its turns in order."""
    given = [None if drift is None or math.isnan(drift) else float(drift) for drift in drifts]
    if len(given) != len(phases):
        raise InputError(f"{len(given)} drifts but {len(phases)} phases")
    known = [drift for drift in given if drift is not None]
    horizon = norms(version).horizon
    first, recovery = (
        [drift for drift, at in zip(given, phases, strict=True) if at == phase]
        for phase in (BASELINE, RECOVERY)
    )
    measured = [drift for drift in first if drift is not None]
    mean = math.fsum(measured) / len(measured) if measured else None
    baseline = (given[0] if given else None) if version == 1 else mean
    final = given[-1] if given else None
    ratio = final / baseline if final is not None and baseline else None
    above = [drift > horizon for drift in known]
    return DriftReading(
        version=version,
        drifts=tuple(given),
        phases=tuple(phases),
        baseline=baseline,
        peak=max(known, default=None),
        final=final,
        recovery_ratio=ratio,
        stuck=None if ratio is None else ratio > STUCK,
        decay=exponential_decay(recovery, least=LEAST, confidence=confidence),
        horizon=horizon,
        above=sum(above),
        crossings=sum(now and not before for before, now in pairwise([False, *above])),
    )


def phase_nulls(
    conversations: Sequence[tuple[FloatArray, Sequence[str]]],
    version: Version,
    *,
    key: str,
    shuffles: int = SHUFFLES,
) -> dict[Statistic, ShuffleTest]:
    """Statistics that are means over conversations (vectors and phases), beside those of turns in random order.

    ``rise``: mean drift under perturbation less that of the baseline; ``rise_above_horizon``: the same of the shares of
    turns above the horizon; ``decay``: λ. A crossing that shuffled turns show as often is no effect of the phases.
    Turns are shuffled within their conversation, and drifts are measured anew for every order, for the baseline of
    version 2 depends on it. A conversation whose phases do not allow a statistic is no part of it; turns without a
    vector keep their place.
    """
    found: dict[Statistic, list[FloatArray]] = {}
    for stream, (vectors, phases) in enumerate(conversations):
        known = np.asarray(~np.isnan(vectors).any(1))
        orders = shuffled_orders(known, key=key, stream=stream, shuffles=shuffles)
        drifts = drifts_of(vectors[orders], phases, version)
        for name, values in _statistics(drifts, np.array(phases, dtype=np.str_), norms(version).horizon):
            found.setdefault(name, []).append(values)
    return {name: shuffle_test(np.mean(values, axis=0)) for name, values in found.items()}


def _statistics(
    drifts: FloatArray, phases: npt.NDArray[np.str_], horizon: float
) -> Iterator[tuple[Statistic, FloatArray]]:
    """For every order (row) of the turns; which turns have a drift is the same in all of them."""
    known = ~np.isnan(drifts[0])
    moved, first, back = (known & (phases == phase) for phase in (PERTURBATION, BASELINE, RECOVERY))
    if moved.any() and first.any():
        yield "rise", drifts[:, moved].mean(1) - drifts[:, first].mean(1)
        above = drifts > horizon
        yield "rise_above_horizon", above[:, moved].mean(1) - above[:, first].mean(1)
    if back.sum() >= 2:
        times = np.flatnonzero(back[phases == RECOVERY]).astype(np.float64)
        times -= times.mean()
        yield "decay", -(np.log(np.maximum(drifts[:, back], LEAST)) @ times) / (times @ times)
