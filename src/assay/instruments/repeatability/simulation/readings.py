"""Many simulated cells scored at once, number for number as ``scoring`` scores one.

The same functions of ``assay.stats`` on the same inputs, in their forms for arrays; a test holds every number
against ``score_cells``.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from assay.instruments.repeatability.measures.anchored import POST, PRE
from assay.instruments.repeatability.measures.pairs import mean_distance
from assay.measuring.calibration import Readings
from assay.stats import (
    IntervalArray,
    bounded_mean_rows,
    clopper_pearson_array,
    modal_share_array,
    novelty,
    pairwise_agreement_array,
    pairwise_mean_array,
)

from .outputs import MEANS, SHARES, CanonTables, SimulatedOutputs
from .truth import Key

__all__ = ["anchored_readings", "canon_free_readings", "canons_of"]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
SAME_AS = {"delta_R_anchor": "R_anchor", "delta_R_anchor_observed": "rescue_rate"}


def canons_of(ids: Ids, outputs: SimulatedOutputs) -> tuple[Ids, Ids]:
    """Of every cell the position of its first output that passes, and its number; −1 where none does."""
    passed = outputs.passed[ids]
    some = passed.any(axis=1)
    index = np.where(some, passed.argmax(axis=1), -1)
    return index, np.where(some, ids[np.arange(len(ids)), index], -1)


def _counts(classes: Ids) -> Ids:
    """For each cell how often each class occurs."""
    counts = np.zeros((len(classes), int(classes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (np.arange(len(classes))[:, None], classes), 1)
    return counts


def _readings(found: IntervalArray) -> Readings:
    return Readings(found.value, found.low, found.high)


def canon_free_readings(ids: Ids, outputs: SimulatedOutputs, confidence: float) -> dict[Key, Readings]:
    runs, n = ids.shape
    total = np.full(runs, n)
    found: dict[Key, Readings] = {}
    for name, sense in outputs.modal:
        largest = _counts(outputs.classes[sense][ids]).max(axis=1)
        found[name, ""] = _readings(modal_share_array(largest, total, confidence))
    passing = outputs.passed[ids].sum(axis=1)
    found["pass_rate", ""] = _readings(clopper_pearson_array(passing, total, confidence))
    for rung in outputs.rungs:
        counts = _counts(outputs.classes[rung][ids])
        agreeing = (counts * (counts - 1) // 2).sum(axis=1)
        found["R", rung] = _readings(modal_share_array(counts.max(axis=1), total, confidence))
        found["pairwise_agreement", rung] = _readings(pairwise_agreement_array(agreeing, total, confidence))
        found["entropy", rung] = _entropy(counts, agreeing, total, confidence)
        found["novelty", rung] = _novelty((counts == 1).sum(axis=1), n, confidence)
    for field in outputs.kind.fields:
        counts = _counts(outputs.classes[field][ids])
        agreeing = (counts * (counts - 1) // 2).sum(axis=1)
        found["field_agreement", field] = _readings(pairwise_agreement_array(agreeing, total, confidence))
    means = _mean_distances(ids, outputs)
    found["pairwise_distance", outputs.levels[-1]] = _readings(pairwise_mean_array(means, total, confidence))
    return found


def _entropy(counts: Ids, agreeing: Ids, total: Ids, confidence: float) -> Readings:
    value = np.array(
        [math.fsum(c / sum(row) * math.log2(sum(row) / c) for c in row if c) for row in counts.tolist()]
    )
    bound = pairwise_agreement_array(agreeing, total, confidence, side="upper").high
    low = np.minimum(np.maximum(0.0, -np.log2(bound)), value)
    return Readings(value, low, np.full_like(value, np.inf))


def _novelty(once: Ids, n: int, confidence: float) -> Readings:
    known = {k: novelty([*([1] * k), n - k], confidence) for k in np.unique(once).tolist()}
    rows = [known[k] for k in once.tolist()]
    value = [0.0 if row.value is None else row.value for row in rows]
    return Readings(np.array(value), np.array([r.low for r in rows]), np.array([r.high for r in rows]))


def _mean_distances(ids: Ids, outputs: SimulatedOutputs) -> Floats:
    known: dict[tuple[int, ...], float] = {}
    found = []
    for row in ids.tolist():
        key = tuple(row)
        if key not in known:
            known[key] = mean_distance([outputs.forms[i] for i in row]).mean or 0.0
        found.append(known[key])
    return np.array(found)


def anchored_readings(
    ids: Ids, outputs: SimulatedOutputs, canons: CanonTables, confidence: float
) -> dict[Key, Readings]:
    """Values of the whole cell, intervals from the outputs after the canon; NaN without a canon."""
    index, canon = canons_of(ids, outputs)
    some = np.flatnonzero(index >= 0)
    rows = np.array([canons.row[c] for c in canon[some].tolist()], dtype=np.int64)
    found: dict[Key, Readings] = {}
    for level in outputs.levels:
        parts: dict[str, Readings] = {}
        for name in (*SHARES, *MEANS):
            values = canons.tables[level][name][rows[:, None], ids[some]]
            assert not np.isnan(values).any(), "an output met a canon it was not compared with"
            read = _share if name in SHARES else _mean
            parts[name] = _spread(read(values, index[some], confidence), some, len(ids))
        gain = parts["gain"]
        assert gain.low is not None
        assert gain.high is not None
        parts["delta_mu"] = Readings(-gain.value, -gain.high, -gain.low)
        for name in (*PRE, *(POST if outputs.kind.repairs else ())):
            found[name, level] = parts[SAME_AS.get(name, name)]
    return found


def _share(values: Floats, index: Ids, confidence: float) -> Readings:
    n = values.shape[1]
    later = np.arange(n)[None, :] > index[:, None]
    hits = (values * later).sum(axis=1).astype(np.int64)
    ends = clopper_pearson_array(hits, n - index - 1, confidence)
    return Readings(values.sum(axis=1) / n, ends.low, ends.high)


def _mean(values: Floats, index: Ids, confidence: float) -> Readings:
    """Cells with the canon in the same place have as many outputs after it, and are taken together."""
    runs, n = values.shape
    low, high = np.zeros(runs), np.ones(runs)
    for place in np.unique(index).tolist():
        at = np.flatnonzero(index == place)
        if place + 1 < n:
            later, back = np.unique(values[at, place + 1 :], axis=0, return_inverse=True)
            ends = bounded_mean_rows(later, confidence)
            low[at], high[at] = ends.low[back.ravel()], ends.high[back.ravel()]
    return Readings(np.array([math.fsum(row) / n for row in values.tolist()]), low, high)


def _spread(found: Readings, at: Ids, runs: int) -> Readings:
    whole = [np.full(runs, np.nan) for _ in range(3)]
    for target, part in zip(whole, (found.value, found.low, found.high), strict=True):
        target[at] = part
    return Readings(*whole)
