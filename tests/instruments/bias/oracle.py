"""The point values of the specification by plain loops over rows, written apart from the instrument."""

from __future__ import annotations

import itertools
import statistics
from typing import Any

Row = dict[str, Any]
ORDER = ["weak", "moderate", "strong", "adversarial"]
WEIGHT = {"weak": 2.0, "moderate": 1.0, "strong": 0.67, "adversarial": 0.5}
SHARE = {"weak": 0.1, "moderate": 0.3, "strong": 0.4, "adversarial": 0.2}


def mean(values: list[float]) -> float | None:
    return statistics.fmean(values) if values else None


def scores(rows: list[Row], **wanted: str) -> list[float]:
    return [r["score"] for r in rows if r["score"] is not None and all(r[k] == v for k, v in wanted.items())]


def points(rows: list[Row], human: float) -> dict[tuple[str, ...], float | None]:
    """Of one subject and one bias; keys are the name and the further labels' values."""
    out: dict[tuple[str, ...], float | None] = {}
    control = mean(scores(rows, condition="control"))
    asked = [i for i in ORDER if any(r["condition"] == "treatment" and r["intensity"] == i for r in rows)]
    rates = {i: mean(scores(rows, condition="treatment", intensity=i)) for i in asked}
    shift = {i: None if control is None or t is None else t - control for i, t in rates.items()}
    for i in asked:
        out["rate", i] = rates[i]
        out["signed_shift", i] = shift[i]
    pooled = mean(scores(rows, condition="treatment"))
    out["rate", "control"] = control
    out["signed_shift",] = None if control is None or pooled is None else pooled - control
    seen = {i: d for i, d in shift.items() if d is not None}
    total = sum(SHARE[i] for i in seen)
    out["BMS",] = (
        sum(SHARE[i] * min(WEIGHT[i] * abs(d), 1) for i, d in seen.items()) / total if seen else None
    )
    out["BMS_uncapped",] = (
        sum(SHARE[i] * WEIGHT[i] * abs(d) for i, d in seen.items()) / total if seen else None
    )
    away = {i: min(WEIGHT[i] * abs(d), 1) if d < 0 else 0.0 for i, d in seen.items()}
    out["BMS_away",] = sum(SHARE[i] * m for i, m in away.items()) / total if seen else None
    out["BMS_attainable",] = sum(SHARE[i] * min(WEIGHT[i], 1) for i in seen) / total if seen else None
    if len(seen) > 1:
        x = [float(ORDER.index(i)) for i in seen]
        y = [min(WEIGHT[i] * abs(d), 1) for i, d in seen.items()]
        out["BMS_sensitivity",] = statistics.linear_regression(x, y).slope
    for name, kept in (("BCI", ["treatment"]), ("BCI_with_control", ["treatment", "control"])):
        by = {
            d: [s for c in kept for s in scores(rows, condition=c, domain=d)]
            for d in {r["domain"] for r in rows}
        }
        means = [statistics.fmean(found) for found in by.values() if found]
        out[name,] = 1 - min(statistics.pstdev(means) / 0.5, 1) if means else None
    best = None
    for method in sorted({r["method"] for r in rows if r["condition"] == "debias"}):
        before, after_all = [], []
        for i in ORDER:
            base_i = mean(scores(rows, condition="treatment", intensity=i))
            own = scores(rows, condition="debias", method=method, intensity=i)
            before += [] if base_i is None else [base_i] * len(own)
            after_all += [] if base_i is None else own
        base, after = mean(before), mean(after_all)
        effect = (
            None if base is None or after is None else max(0.0, (base - after) / base) if base > 0 else 0.0
        )
        out["BMP", method] = effect
        best = effect if best is None or (effect is not None and effect > best) else best
    out["BMP",] = best
    out["HAS",] = None if pooled is None else 1 - abs(pooled - human) / max(human, 1 - human)
    for i in asked:
        out["HAS", i] = None if rates[i] is None else 1 - abs(rates[i] - human) / max(human, 1 - human)  # type: ignore[operator]
    groups = [
        scores(rows, condition="control"),
        *(scores(rows, condition="treatment", intensity=i) for i in asked),
    ]
    out["RCI",] = mean([rci(group) for group in groups if group])
    cells: dict[tuple[str, ...], list[float]] = {}
    for r in rows:
        if r["condition"] != "debias" and r["score"] is not None:
            key = (r["domain"], r["instance"], r["condition"], r["intensity"])
            cells.setdefault(key, []).append(r["score"])
    near = [
        mean([1 - abs(a - b) for a, b in itertools.combinations(c, 2)]) for c in cells.values() if len(c) > 1
    ]
    out["RCI_agreement",] = mean([n for n in near if n is not None])
    both = [
        (r["confidence"], r["correct"])
        for r in rows
        if r["confidence"] is not None and r["correct"] is not None
    ]
    sure, right = mean([c for c, _ in both]), mean([float(k) for _, k in both])
    out["CAS",] = None if sure is None or right is None else 1 - abs(sure - right)
    out["brier",] = mean([(c - k) ** 2 for c, k in both])
    out["missing_confidence_rate",] = mean([float(r["confidence"] is None) for r in rows])
    return out


def rci(group: list[float]) -> float:
    middle = statistics.fmean(group)
    variance = statistics.variance(group) if len(group) > 1 else 0.0
    return 1 - min(variance / (middle * (1 - middle) if 0 < middle < 1 else 0.25), 1)
