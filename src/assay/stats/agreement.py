"""Do raters agree, beyond what chance would give? Cohen's and Fleiss's kappa, Krippendorff's alpha.

All three are 1 - (disagreement seen) / (disagreement expected by chance): 1 where raters never differ, 0 where
they agree as often as chance, below 0 where less often. They differ in what chance is: each rater's own use of
the categories (Cohen 1960, weighted 1968), one use shared by all (Fleiss 1971), the same with the correction
for small samples and any number of ratings an item (Krippendorff 2011).

Where nothing varies, every rating being of one category, the ratio is 0/0 and the value None: the data cannot
show whether raters tell things apart. (Some programs print 1, 0 or nan there.)

Intervals are percentile bootstrap intervals over items (`bootstrap`), keyed; resamples without variation are
left out and counted in ``undefined``. They are approximate, too narrow with few items, and a point where
raters never differ; `percent_agreement` has a proven one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex

import msgspec
import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.stats._core import FloatArray, Interval, Missing, alpha_of, check_missing, count
from assay.stats._draws import philox
from assay.stats.bootstrap import Statistic, bootstrap
from assay.stats.bounded import bounded_mean
from assay.stats.intervals import clopper_pearson

__all__ = [
    "Agreement",
    "CategoryAgreement",
    "Label",
    "Level",
    "Weights",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "percent_agreement",
]

Label = bool | int | float | str
Level = Literal["nominal", "ordinal", "interval"]
Weights = Literal["linear", "quadratic"]
_Rows = Sequence[Sequence[Label | None]]


class CategoryAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """One category against all others: its share of the ratings, the coefficient of "it or not", and
    ``specific``, the chance that another rating of the item is of it too, given that one is. None where
    undefined."""

    label: Label
    share: float
    specific: float | None
    value: float | None


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """A coefficient with its bootstrap interval over items.

    ``n`` is the number of items that count, ``ratings`` that of their ratings. ``value`` is None where it is
    undefined; ``low`` and ``high`` are None then, and with fewer than two items.
    """

    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    confidence: float
    n: int
    ratings: int
    categories: tuple[CategoryAgreement, ...]
    resamples: int
    undefined: int
    method: str
    key: str


def percent_agreement(ratings: _Rows, confidence: float = 0.95) -> Interval:
    """The mean over items of the share of its pairs of ratings that agree; items with one rating do not count.

    Two ratings an item make it a share (Clopper-Pearson), more make it the mean of values in [0, 1] (betting,
    mixture); both hold for independent items, whatever the raters do. Chance agreement is not taken out.
    """
    rows = [row for row in (_present(row) for row in ratings) if len(row) >= 2]
    shares = [_agreeing(row) for row in rows]
    if all(len(row) == 2 for row in rows):
        return clopper_pearson(round(sum(shares)), len(rows), confidence)
    return bounded_mean(shares, confidence, betting="mixture")


def cohen_kappa(
    a: Sequence[Label | None],
    b: Sequence[Label | None],
    weights: Weights | None = None,
    *,
    key: str | bytes,
    categories: Sequence[Label] | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    missing: Missing = "raise",
) -> Agreement:
    """Cohen's kappa of two raters over the same items.

    With weights a disagreement counts by the distance of the two categories in the order of ``categories``
    (linear), or by its square (quadratic); numbers are in their own order, other labels need ``categories``.
    """
    if weights not in (None, "linear", "quadratic"):
        raise InputError(f"weights must be None, 'linear' or 'quadratic', not {weights!r}")
    first, second = _complete(a, b, missing)
    labels = _labels([*first, *second], categories, ordered=weights is not None)
    place = {label: i for i, label in enumerate(labels)}
    codes = np.array([[place[x], place[y]] for x, y in zip(first, second, strict=True)], np.int64)
    codes = codes.reshape(-1, 2)
    size = len(labels)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    cost = {None: np.minimum(steps, 1.0), "linear": steps, "quadratic": steps**2}[weights]
    counts = np.eye(size)[codes].sum(axis=1)
    each = _categories(labels, counts, lambda i: _cohen(codes == i, 1.0 - np.eye(2)))
    method = "cohen-kappa" if weights is None else f"cohen-kappa-{weights}"
    return _result(codes, lambda rows: _cohen(rows, cost), each, counts, method, key, confidence, resamples)


def fleiss_kappa(
    table: Sequence[Sequence[SupportsIndex]] | npt.NDArray[np.integer[Any]],
    *,
    key: str | bytes,
    categories: Sequence[Label] | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Agreement:
    """Fleiss's kappa of a table with one row an item and one column a category: how many raters chose it.

    Every item needs the same number of raters, at least two; otherwise use `krippendorff_alpha`. ``categories``
    name the columns (0, 1, ... without).
    """
    counts = _table(table)
    labels = list(range(counts.shape[1])) if categories is None else _distinct(categories)
    if len(labels) != counts.shape[1]:
        raise InputError(f"{counts.shape[1]} columns but {len(labels)} categories")
    each = _categories(labels, counts, lambda i: _fleiss(_or_not(counts, i)))
    return _result(counts, _fleiss, each, counts, "fleiss-kappa", key, confidence, resamples)


def krippendorff_alpha(
    ratings: _Rows,
    level: Level = "nominal",
    *,
    key: str | bytes,
    categories: Sequence[Label] | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Agreement:
    """Krippendorff's alpha of ratings with one row an item; None or NaN where a rater did not rate it.

    Items with fewer than two ratings cannot show agreement and do not count. ``ordinal`` needs numbers or
    ``categories`` in their order, ``interval`` numbers.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise InputError(f"level must be 'nominal', 'ordinal' or 'interval', not {level!r}")
    rows = [row for row in (_present(row) for row in ratings) if len(row) >= 2]
    labels = _labels([x for row in rows for x in row], categories, ordered=level != "nominal")
    points = np.arange(len(labels), dtype=np.float64)
    if level == "interval":
        if any(isinstance(label, str) for label in labels):
            raise InputError("level 'interval' needs ratings that are numbers")
        points = np.array([float(label) for label in labels])
    place = {label: i for i, label in enumerate(labels)}
    codes = [[place[x] for x in row] for row in rows]
    counts = np.array([np.bincount(row, minlength=len(labels)) for row in codes], np.float64)
    counts = counts.reshape(len(rows), len(labels))
    each = _categories(labels, counts, lambda i: _alpha(_or_not(counts, i), "nominal", np.arange(2.0)))
    method = f"krippendorff-alpha-{level}"
    return _result(
        counts, lambda c: _alpha(c, level, points), each, counts, method, key, confidence, resamples
    )


def _cohen(codes: npt.NDArray[Any], cost: FloatArray) -> float:
    size = len(cost)
    cells = codes[:, 0].astype(np.int64) * size + codes[:, 1]
    seen = np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.float64)
    chance = np.multiply.outer(seen.sum(axis=1), seen.sum(axis=0))
    return _ratio(float((cost * seen).sum()) * len(codes), float((cost * chance).sum()))


def _fleiss(counts: npt.NDArray[Any]) -> float:
    raters = counts[:1].sum()
    seen = (counts * (raters - counts)).sum() * len(counts) * raters
    used = counts.sum(axis=0)
    chance = (used * (used.sum() - used)).sum() * (raters - 1.0)
    return _ratio(float(seen), float(chance))


def _alpha(counts: npt.NDArray[Any], level: Level, points: FloatArray) -> float:
    """1 - (n - 1) sum o d² / sum n_c n_k d², over the coincidences o of values c and k within items."""
    weighed = counts / (counts.sum(axis=1, keepdims=True) - 1.0)
    # Pairs of a rating with itself, the diagonal, have distance 0 and need not be taken out.
    together = np.einsum("uc,uk->ck", weighed, counts)
    used = counts.sum(axis=0)
    distance = _distance(used, level, points)
    chance = float((np.multiply.outer(used, used) * distance).sum())
    return _ratio(float((together * distance).sum()) * float(used.sum() - 1.0), chance)


def _distance(used: FloatArray, level: Level, points: FloatArray) -> FloatArray:
    if level == "nominal":
        return np.asarray(1.0 - np.eye(len(used)))
    # Ordinal: the ratings between the two, both counted half; a scale on which categories lie at mid-ranks.
    scale = np.cumsum(used) - used / 2.0 if level == "ordinal" else points
    return np.asarray(np.subtract.outer(scale, scale) ** 2, np.float64)


def _ratio(seen: float, chance: float) -> float:
    return 1.0 - seen / chance if chance > 0.0 else np.nan


def _or_not(counts: FloatArray, i: int) -> FloatArray:
    return np.stack([counts[:, i], counts.sum(axis=1) - counts[:, i]], axis=1)


def _categories(
    labels: Sequence[Label], counts: FloatArray, one: Callable[[int], float]
) -> tuple[CategoryAgreement, ...]:
    """One line a category; ``counts`` has a row an item, ``one`` gives the coefficient of a category."""
    used = counts.sum(axis=0)
    others = counts.sum(axis=1) - 1.0
    out = []
    for i, label in enumerate(labels):
        hits = counts[:, i]
        value = one(i) if len(counts) else np.nan
        out.append(
            CategoryAgreement(
                label=label,
                share=float(used[i] / used.sum()) if len(counts) else 0.0,
                specific=float((hits * (hits - 1.0) / others).sum() / used[i]) if used[i] else None,
                value=None if np.isnan(value) else float(value),
            )
        )
    return tuple(out)


def _result(
    rows: npt.NDArray[Any],
    statistic: Statistic,
    each: tuple[CategoryAgreement, ...],
    counts: FloatArray,
    method: str,
    key: str | bytes,
    confidence: float,
    resamples: int,
) -> Agreement:
    alpha_of(confidence)
    philox(key)
    value = statistic(rows) if len(rows) else np.nan
    drawn = None
    if not np.isnan(value):
        drawn = bootstrap(
            rows, statistic, key=key, resamples=resamples, confidence=confidence, undefined="drop"
        )
    return Agreement(
        value=None if drawn is None else float(value),
        low=None if drawn is None else drawn.low,
        high=None if drawn is None else drawn.high,
        standard_error=None if drawn is None else drawn.standard_error,
        confidence=confidence,
        n=len(rows),
        ratings=int(counts.sum()),
        categories=each,
        resamples=resamples,
        undefined=0 if drawn is None else drawn.undefined,
        method=method,
        key=key if isinstance(key, str) else key.hex(),
    )


def _present(row: Iterable[Label | None]) -> list[Label]:
    """The ratings that are there, as plain Python values."""
    plain = [x.item() if isinstance(x, np.generic) else x for x in row]
    out = []
    for x in plain:
        if x is None or x != x:
            continue
        if not isinstance(x, str | int | float) or x in (float("inf"), float("-inf")):
            raise InputError(f"a rating must be a text or a finite number, not {x!r}")
        out.append(x)
    return out


def _complete(
    a: Sequence[Label | None], b: Sequence[Label | None], missing: Missing
) -> tuple[list[Label], list[Label]]:
    check_missing(missing)
    if len(a) != len(b):
        raise InputError(f"two ratings an item are needed: {len(a)} against {len(b)}")
    pairs = [_present(pair) for pair in zip(a, b, strict=True)]
    short = [i for i, pair in enumerate(pairs) if len(pair) < 2]
    if short and missing == "raise":
        raise InputError(f"item {short[0]} lacks a rating; pass missing='drop' to leave such items out")
    kept = [pair for pair in pairs if len(pair) == 2]
    return [x for x, _ in kept], [y for _, y in kept]


def _labels(seen: Sequence[Label], categories: Sequence[Label] | None, *, ordered: bool) -> list[Label]:
    """The categories in their order."""
    if categories is not None:
        labels = _distinct(categories)
        strange = [x for x in seen if x not in labels]
        if strange:
            raise InputError(f"the rating {strange[0]!r} is not one of the categories {labels!r}")
        return labels
    labels = list(dict.fromkeys(seen))
    if ordered and any(isinstance(x, str) for x in labels):
        raise InputError("the order of the categories is needed: pass categories=[...], lowest first")
    # Numbers first, then texts: two kinds that do not compare.
    return sorted(labels, key=lambda x: (1, 0.0, x) if isinstance(x, str) else (0, x, ""))


def _distinct(categories: Sequence[Label]) -> list[Label]:
    labels = _present(categories)
    if len(set(labels)) != len(categories):
        raise InputError(f"categories must be distinct and not missing: {list(categories)!r}")
    return labels


def _table(table: Sequence[Sequence[SupportsIndex]] | npt.NDArray[np.integer[Any]]) -> FloatArray:
    rows = [[count("a cell", cell) for cell in row] for row in table]
    if len({len(row) for row in rows}) > 1:
        raise InputError("every row of the table needs the same number of columns")
    counts = np.array(rows, np.float64).reshape(len(rows), len(rows[0]) if rows else 0)
    raters = counts.sum(axis=1)
    wrong = (raters < 2) | (raters != raters[:1])
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"every item needs the same number of raters, at least 2: item {at} has {int(raters[at])}, "
            f"item 0 has {int(raters[0])}; with unequal numbers use krippendorff_alpha"
        )
    return counts


def _agreeing(row: Sequence[Label]) -> float:
    times = Counter(row)
    return sum(c * (c - 1) for c in times.values()) / (len(row) * (len(row) - 1))
