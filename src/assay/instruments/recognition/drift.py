"""How far a conversation moves from where it began, whether it comes back, and what shuffled turns would show.

Version 1 calls the weighted norm of a response's own vector its drift, baseline turns included. Version 2 is a distance
from the subject's own baseline, in standard deviations of the reference corpus.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError
from assay.stats import philox

from .signature import DIMENSIONS, Version, definition, norms

__all__ = [
    "BASELINE",
    "PERTURBATION",
    "RECOVERY",
    "Decay",
    "DriftReading",
    "PhaseNull",
    "decay_of",
    "drifts_of",
    "horizon_of",
    "phase_nulls",
    "read_drift",
]

FloatArray = npt.NDArray[np.float64]
BASELINE, PERTURBATION, RECOVERY = "baseline", "perturbation", "recovery"
LEAST = 0.001  # of a drift whose logarithm is taken
STUCK = 1.5
SHUFFLES = 999
Statistic = Literal["rise", "rise_above_horizon", "decay"]


class Decay(msgspec.Struct, frozen=True, kw_only=True):
    """``value`` is λ: minus the least-squares slope of log drift over the recovery turns 0, 1, 2 …

    The interval is Student's with n - 2 degrees of freedom, none with two turns. ``half_life`` is ln 2 / λ where λ is
    positive; an end is None where λ may be 0, for then there is no half-life to bound.
    """

    value: float | None
    low: float | None
    high: float | None
    half_life: float | None
    half_life_low: float | None
    half_life_high: float | None
    n: int
    confidence: float


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


class PhaseNull(msgspec.Struct, frozen=True, kw_only=True):
    """A statistic beside what it is when the same turns come in random order. ``p_value``: as large or larger."""

    name: Statistic
    value: float
    null_mean: float
    null_low: float
    null_high: float
    p_value: float
    shuffles: int


def horizon_of(version: Version) -> float:
    """The event horizon: 1.23 as published; in version 2 what one baseline turn in twenty of the corpus exceeds."""
    return norms(version).horizon


def drifts_of(
    vectors: FloatArray, phases: Sequence[str], version: Version, *, weights: Sequence[float] | None = None
) -> FloatArray:
    """The drift of every turn; NaN where there is no baseline to measure it from. ``weights`` are of version 1."""
    if len(vectors) != len(phases):
        raise InputError(f"{len(vectors)} vectors but {len(phases)} phases")
    given = np.asarray(vectors, dtype=np.float64).reshape(-1, len(DIMENSIONS))
    if version == 1:
        declared = definition(1)["weights"]
        chosen = np.array([declared[name] for name in DIMENSIONS] if weights is None else weights)
        return np.asarray(np.sqrt((chosen * given**2).sum(1)))
    at_baseline = np.array([phase == BASELINE for phase in phases], dtype=np.bool_)
    return _distances(given, at_baseline)


def _distances(vectors: FloatArray, at_baseline: npt.NDArray[np.bool_]) -> FloatArray:
    """Distances from the mean of the baseline turns; each baseline turn from the mean of the others.

    A turn that is part of its own baseline would seem nearer than it is.
    """
    own = at_baseline.astype(np.float64)[:, None]
    count = own.sum() - own
    with np.errstate(invalid="ignore"):
        centre = np.where(count > 0, ((own * vectors).sum(0) - own * vectors) / np.maximum(count, 1), np.nan)
    return np.asarray(np.sqrt(((vectors - centre) ** 2).mean(1)))


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
    horizon = horizon_of(version)
    first = [drift for drift, phase in zip(given, phases, strict=True) if phase == BASELINE]
    baseline = (given[0] if given else None) if version == 1 else _mean(first)
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
        decay=decay_of(
            [d for d, phase in zip(given, phases, strict=True) if phase == RECOVERY and d is not None],
            confidence=confidence,
        ),
        horizon=horizon,
        above=sum(above),
        crossings=sum(now and not before for before, now in pairwise([False, *above])),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def decay_of(recovery: Sequence[float], *, confidence: float = 0.95) -> Decay:
    """λ of the drifts of the recovery turns, with its interval and half-life."""
    n = len(recovery)
    value = low = high = None
    if n >= 2:
        times, logs = np.arange(n) - (n - 1) / 2, np.log(np.maximum(recovery, LEAST))
        square = float((times**2).sum())
        value = -float(times @ logs) / square
        if n >= 3:
            residual = logs - logs.mean() + value * times
            error = math.sqrt(float(residual @ residual) / (n - 2) / square)
            reach = float(special.stdtrit(n - 2, (1 + confidence) / 2)) * error
            low, high = value - reach, value + reach
    return Decay(
        value=value,
        low=low,
        high=high,
        half_life=_half_life(value),
        half_life_low=_half_life(high),
        half_life_high=_half_life(low),
        n=n,
        confidence=confidence,
    )


def _half_life(decay: float | None) -> float | None:
    return math.log(2) / decay if decay is not None and decay > 0 else None


def phase_nulls(
    vectors: FloatArray, phases: Sequence[str], version: Version, *, key: str, shuffles: int = SHUFFLES
) -> tuple[PhaseNull, ...]:
    """Each statistic that the phases allow, beside its values when the turns are put in random order.

    ``rise``: mean drift under perturbation less that of the baseline; ``rise_above_horizon``: the same of the shares of
    turns above the horizon; ``decay``: λ. A crossing that shuffled turns show as often is no effect of the phases.
    Drifts are measured anew for every order, for the baseline of version 2 depends on it.
    """
    given = np.asarray(vectors, dtype=np.float64).reshape(-1, len(DIMENSIONS))
    words = np.asarray(philox(key).random_raw(shuffles * len(given)))
    orders = words.reshape(shuffles, len(given)).argsort(axis=1, kind="stable")
    labels = np.array(phases, dtype=np.str_)
    found = []
    for name, statistic in _statistics(labels, horizon_of(version)).items():
        value = statistic(drifts_of(given, phases, version))
        if value is None:
            continue
        shuffled = [statistic(drifts_of(given[order], phases, version)) for order in orders]
        null = np.array([one for one in shuffled if one is not None])
        ends = np.quantile(null, [0.025, 0.975])
        found.append(
            PhaseNull(
                name=name,
                value=value,
                null_mean=float(null.mean()),
                null_low=float(ends[0]),
                null_high=float(ends[1]),
                p_value=(1 + int((null >= value - 1e-12).sum())) / (1 + len(null)),
                shuffles=len(null),
            )
        )
    return tuple(found)


def _statistics(
    phases: npt.NDArray[np.str_], horizon: float
) -> dict[Statistic, Callable[[FloatArray], float | None]]:
    return {
        "rise": partial(_rise, phases),
        "rise_above_horizon": lambda drifts: _rise(
            phases, np.where(np.isnan(drifts), np.nan, (drifts > horizon).astype(np.float64))
        ),
        "decay": lambda drifts: decay_of(drifts[(phases == RECOVERY) & ~np.isnan(drifts)].tolist()).value,
    }


def _rise(phases: npt.NDArray[np.str_], values: FloatArray) -> float | None:
    """The mean under perturbation less that at the baseline; None where one of them has no turn."""
    known = ~np.isnan(values)
    moved, first = values[(phases == PERTURBATION) & known], values[(phases == BASELINE) & known]
    return float(moved.mean() - first.mean()) if len(moved) and len(first) else None
