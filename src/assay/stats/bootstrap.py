"""Bootstrap intervals for any statistic over rows, or over clusters of rows.

Efron and Tibshirani (1993), chapters 13 (percentile) and 14 (BCa); for clusters, whole clusters are drawn and
all their rows come along (Davison and Hinkley 1997, section 3.8), because rows of one cluster are not
independent.

Resample r of a key is a pure function of (key, r): no state, no order, no dependence on workers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from scipy import special

from assay.errors import InputError
from assay.stats._core import FloatArray, IntArray, Missing, alpha_of, check_missing, count
from assay.stats._draws import draw_indices

__all__ = ["BootstrapInterval", "BootstrapMethod", "Statistic", "bootstrap", "cluster_bootstrap"]

BootstrapMethod = Literal["percentile", "bca"]
Statistic = Callable[[npt.NDArray[Any]], float]


class BootstrapInterval(msgspec.Struct, frozen=True, kw_only=True):
    """A statistic with its bootstrap interval.

    ``low`` and ``high`` are None with fewer than two clusters (or rows): nothing can be said about the error
    then. ``undefined`` counts the resamples on which the statistic was not a number and which were left out.
    """

    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    confidence: float
    n: int
    clusters: int
    resamples: int
    undefined: int
    method: str
    key: str


def bootstrap(
    rows: npt.ArrayLike,
    statistic: Statistic,
    *,
    key: str | bytes,
    resamples: int = 2000,
    confidence: float = 0.95,
    method: BootstrapMethod = "percentile",
    missing: Missing = "raise",
    undefined: Missing = "raise",
) -> BootstrapInterval:
    """Draw rows with replacement. ``statistic`` gets an array of rows (first axis) and returns a number.

    Rows that are not numbers can be drawn by index: pass ``np.arange(len(rows))`` and look them up.
    ``missing`` says what to do with rows that hold NaN, ``undefined`` with resamples on which the statistic
    is NaN.
    """
    data = np.asarray(rows)
    labels = list(range(data.shape[0])) if data.ndim else []
    return cluster_bootstrap(
        data,
        labels,
        statistic,
        key=key,
        resamples=resamples,
        confidence=confidence,
        method=method,
        missing=missing,
        undefined=undefined,
    )


def cluster_bootstrap(
    rows: npt.ArrayLike,
    clusters: Sequence[Hashable],
    statistic: Statistic,
    *,
    key: str | bytes,
    resamples: int = 2000,
    confidence: float = 0.95,
    method: BootstrapMethod = "percentile",
    missing: Missing = "raise",
    undefined: Missing = "raise",
) -> BootstrapInterval:
    """Draw whole clusters with replacement; ``clusters`` labels each row. See `bootstrap` for the rest."""
    alpha = alpha_of(confidence)
    check_missing(undefined)
    if method not in ("percentile", "bca"):
        raise InputError(f"method must be 'percentile' or 'bca', not {method!r}")
    if count("resamples", resamples) < 1:
        raise InputError("at least one resample is needed")
    data, labels = _clean(np.asarray(rows), clusters, missing)
    members = _members(labels)
    value = float(statistic(data)) if len(data) else None
    low = high = error = None
    dropped = 0
    if value is not None and len(members) >= 2:
        draws = _resampled(data, members, statistic, key, resamples)
        draws, dropped = _defined(draws, undefined)
        ends = np.array([alpha / 2.0, 1.0 - alpha / 2.0])
        if method == "bca":
            ends = _bca_ends(ends, value, draws, _jackknife(data, members, statistic))
        low, high = (float(end) for end in np.quantile(draws, ends))
        error = float(draws.std(ddof=1)) if draws.size > 1 else None
    return BootstrapInterval(
        value=value,
        low=low,
        high=high,
        standard_error=error,
        confidence=confidence,
        n=len(data),
        clusters=len(members),
        resamples=resamples,
        undefined=dropped,
        method=f"bootstrap-{method}",
        key=key if isinstance(key, str) else key.hex(),
    )


def _clean(
    data: npt.NDArray[Any], clusters: Sequence[Hashable], missing: Missing
) -> tuple[npt.NDArray[Any], list[Hashable]]:
    check_missing(missing)
    if data.ndim == 0:
        raise InputError("rows must be an array with rows along its first axis")
    labels = list(clusters)
    if len(labels) != len(data):
        raise InputError(f"{len(data)} rows but {len(labels)} cluster labels")
    if np.issubdtype(data.dtype, np.floating) and data.size:
        gone = np.isnan(data).any(axis=tuple(range(1, data.ndim)))
        if gone.any():
            if missing == "raise":
                raise InputError(f"row {int(np.argmax(gone))} holds a missing value; pass missing='drop'")
            data, labels = data[~gone], [label for label, g in zip(labels, gone, strict=True) if not g]
    return data, labels


def _members(labels: Sequence[Hashable]) -> list[IntArray]:
    """Row numbers by cluster, clusters in the order in which they first appear."""
    groups: dict[Hashable, list[int]] = {}
    for row, label in enumerate(labels):
        groups.setdefault(label, []).append(row)
    return [np.array(group, dtype=np.int64) for group in groups.values()]


def _resampled(
    data: npt.NDArray[Any],
    members: list[IntArray],
    statistic: Statistic,
    key: str | bytes,
    resamples: int,
) -> FloatArray:
    single = all(len(group) == 1 for group in members)
    rows = np.concatenate(members)
    out = np.empty(resamples)
    for r in range(resamples):
        drawn = draw_indices(key, r, len(members), len(members))
        picked = rows[drawn] if single else np.concatenate([members[i] for i in drawn])
        out[r] = float(statistic(data[picked]))
    return out


def _defined(draws: FloatArray, undefined: Missing) -> tuple[FloatArray, int]:
    bad = np.isnan(draws)
    dropped = int(bad.sum())
    if dropped and undefined == "raise":
        raise InputError(f"the statistic is undefined on {dropped} resamples; pass undefined='drop'")
    if dropped == draws.size:
        raise InputError("the statistic is undefined on every resample")
    return draws[~bad], dropped


def _jackknife(data: npt.NDArray[Any], members: list[IntArray], statistic: Statistic) -> FloatArray:
    out = np.empty(len(members))
    keep = np.ones(len(data), dtype=np.bool_)
    for i, group in enumerate(members):
        keep[group] = False
        out[i] = float(statistic(data[keep]))
        keep[group] = True
    return out


def _bca_ends(ends: FloatArray, value: float, draws: FloatArray, left_out: FloatArray) -> FloatArray:
    """Bias-corrected and accelerated quantile levels (Efron 1987), ties counted half."""
    if bool((draws == value).all()):
        return ends
    below = (np.count_nonzero(draws < value) + np.count_nonzero(draws <= value)) / (2.0 * draws.size)
    if below in (0.0, 1.0):
        raise InputError("BCa is undefined: no resample lies on one side of the value; use 'percentile'")
    if np.isnan(left_out).any():
        raise InputError("BCa is undefined: the statistic is undefined with a cluster left out")
    shift = float(special.ndtri(below))
    pull = left_out.mean() - left_out
    spread = float((pull**2).sum())
    acceleration = float((pull**3).sum()) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
    z = shift + special.ndtri(ends)
    divisor = 1.0 - acceleration * z
    if (divisor <= 0.0).any():
        raise InputError("BCa is undefined: the acceleration is too large; use 'percentile'")
    return np.asarray(special.ndtr(shift + z / divisor), np.float64)
