"""All point values against plain loops, on random rows; what does not depend on the order of rows or on names."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.bias.answers import DOMAINS, INTENSITIES
from assay.instruments.bias.baselines import human_rates

from .answering import BIAS, find, scored, value
from .oracle import points

HUMAN = human_rates()[BIAS].rate or 0.0


def rows_of(seed: int) -> list[dict[str, Any]]:
    """Some conditions, domains and trials are absent; some answers are unreadable; scores are yes/no or graded."""
    draw = random.Random(seed)
    graded, unknown = draw.random() < 0.5, draw.choice([0.0, 0.1, 0.6])
    domains = draw.sample(DOMAINS, draw.randint(1, 5))
    kept = draw.sample(INTENSITIES, draw.randint(1, 4))
    conditions = [("control", "", "")] * (draw.random() < 0.9) + [("treatment", i, "") for i in kept]
    conditions += [("debias", i, m) for m in ("a", "b") for i in INTENSITIES if draw.random() < 0.3]
    rows = []
    for domain in domains:
        for instance in range(draw.randint(1, 3)):
            for condition, intensity, method in conditions:
                for trial in range(draw.randint(0, 4)):
                    score = round(draw.random(), 2) if graded else float(draw.random() < 0.4)
                    row = {
                        "subject": "s",
                        "bias": BIAS,
                        "domain": domain,
                        "condition": condition,
                        "method": method,
                    }
                    row |= {
                        "intensity": intensity,
                        "instance": str(instance),
                        "trial": str(trial),
                        "kind": "",
                    }
                    row["score"] = None if draw.random() < unknown else score  # type: ignore[assignment]
                    row["confidence"] = round(draw.random(), 2) if draw.random() < 0.7 else None  # type: ignore[assignment]
                    row["correct"] = draw.random() < 0.5 if draw.random() < 0.8 else None  # type: ignore[assignment]
                    rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_every_point_value_is_that_of_plain_loops(seed: int) -> None:
    rows = rows_of(seed)
    if not rows:
        return
    result = scored(rows, intervals=False)
    label = {"rate": "intensity", "signed_shift": "intensity", "HAS": "intensity", "BMP": "method"}
    for (name, *more), expected in points(rows, HUMAN).items():
        labels = {label[name]: more[0]} if more else {}
        if name == "rate":
            if more == ["control"] and not any(r["condition"] == "control" for r in rows):
                continue
            labels = {"condition": "control"} if more == ["control"] else {"condition": "treatment", **labels}
        got = value(result, name, **labels)
        assert got == (None if expected is None else pytest.approx(expected, abs=1e-11)), (name, more)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(seed: int, shuffle: int) -> None:
    rows = rows_of(seed)
    if rows:
        shuffled = random.Random(shuffle).sample(rows, len(rows))
        assert scored(rows) == scored(shuffled)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000))
def test_intervals_and_bounds_hold_their_values_and_stay_in_range(seed: int) -> None:
    rows = rows_of(seed)
    for m in scored(rows).measures if rows else ():
        if m.value is None:
            assert m.low is None
            assert m.high is None
            assert m.notes
            continue
        for low, high in ((m.low, m.high), (m.bound_low, m.bound_high)):
            assert low is None or high is None or low <= m.value <= high, m
        least = (
            -1.0
            if m.units in ("difference of shares", "-1 under, 0 aligned, 1 over", "score a step")
            else 0.0
        )
        if m.name not in ("rank", "BMS_uncapped", "BMS_sensitivity", "HAS", "shift_against_people"):
            assert least <= (m.value if m.low is None else m.low), m
            assert (m.value if m.high is None else m.high) <= 1.0, m


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000))
def test_a_mirrored_subject_has_the_mirrored_shift(seed: int) -> None:
    """Every score turned round: shifts and their intervals change sign, sizes stay."""
    rows = rows_of(seed)
    if not rows:
        return
    turned = [{**r, "score": None if r["score"] is None else round(1 - r["score"], 2)} for r in rows]
    one, other = scored(rows), scored(turned)
    for name, sign in (("signed_shift", -1.0), ("BMS", 1.0), ("BCI", 1.0), ("RCI_agreement", 1.0)):
        first, second = find(one, name), find(other, name)
        if first.value is not None and second.value is not None:
            assert second.value == pytest.approx(sign * first.value, abs=1e-9)
            ends = sorted(sign * end for end in (first.low, first.high) if end is not None)
            assert [end for end in (second.low, second.high) if end is not None] == pytest.approx(
                ends, abs=1e-6
            )
