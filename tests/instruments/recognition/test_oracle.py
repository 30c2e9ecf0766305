"""All point values against plain loops, on random rows; what does not depend on the order of rows or on names."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .answering import find, scored
from .oracle import bounds, points

TEXTS = ["It feels right", "my voice, how I would put it", "the best answer is correct", "Hm.", ""]


def rows_of(seed: int) -> list[dict[str, Any]]:
    """Some judges, phases and orders are absent; some answers are unreadable, some without confidence."""
    draw = random.Random(seed)
    unknown, named, probability = draw.choice([0.0, 0.1, 0.6]), draw.random() < 0.5, draw.random() < 0.5
    phases = draw.sample(["self", "gold", "inverse", "forward"], draw.randint(1, 3))
    sizes = draw.sample([2, 3, 4, 7], draw.randint(1, 2))
    rows = []
    for lineup in range(draw.randint(1, 9)):
        k, phase, target = draw.choice(sizes), draw.choice(phases), draw.choice("ab")
        for judge in draw.sample("abc", draw.randint(1, 3)):
            for own in draw.sample(range(1, k + 1), draw.randint(1, k)):
                right, some = draw.random() < 0.6, draw.randint(1, k)
                choice = None if draw.random() < unknown else own if right else some
                row: dict[str, Any] = {"subject": judge, "target": target, "phase": phase, "options": k}
                row |= {"own": own, "choice": choice, "lineup": f"l{lineup}", "cluster": f"p{lineup // 2}"}
                confidence = round(draw.random(), 2) if probability else float(draw.randint(1, 5))
                row["confidence"] = confidence if draw.random() < 0.8 else None
                row["explanation"] = draw.choice(TEXTS)
                if named and choice is not None:
                    row["chosen"] = target if choice == own else draw.choice("xyz")
                rows.append(row)
    return [*rows, {**rows[0], "subject": "a", "target": "a", "trial": "again", "chosen": ""}]


def scale_of(rows: list[dict[str, Any]]) -> tuple[float, float]:
    stated = [r["confidence"] for r in rows if r["confidence"] is not None]
    return (0.0, 1.0) if all(one <= 1.0 for one in stated) else (1.0, 5.0)


@pytest.mark.parametrize("seed", range(60))
def test_every_point_value_is_that_of_plain_loops(seed: int) -> None:
    rows = rows_of(seed)
    scale = scale_of(rows)
    result = scored(rows, scale=scale, intervals=False)
    for subject in {r["subject"] for r in rows if r["subject"] == r["target"]}:
        for (name, labels), expected in points(rows, subject, scale[1]).items():
            got = find(result, name, subject, **dict(labels)).value
            if name == "position_preference" and got is None:
                assert expected == pytest.approx(0.0)  # the own text always stands there
                continue
            assert got == (None if expected is None else pytest.approx(expected, abs=1e-11)), (name, labels)
        for name, (low, high) in bounds(rows, subject).items():
            found = find(result, name, subject)
            if found.bound_low is not None and found.value is not None:
                assert (found.bound_low, found.bound_high) == pytest.approx((low, high), abs=1e-11), name


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(seed: int, shuffle: int) -> None:
    rows = rows_of(seed)
    scale = scale_of(rows)
    shuffled = random.Random(shuffle).sample(rows, len(rows))
    assert scored(rows, scale=scale) == scored(shuffled, scale=scale)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000))
def test_positions_under_other_numbers_change_nothing_but_their_labels(seed: int) -> None:
    """Every lineup read from its last position to its first."""
    rows = rows_of(seed)
    scale = scale_of(rows)
    turned = [
        {**r, "own": r["options"] + 1 - r["own"], "choice": r["choice"] and r["options"] + 1 - r["choice"]}
        for r in rows
    ]
    one, other = scored(rows, scale=scale), scored(turned, scale=scale)
    sizes = {r["options"] for r in rows}
    for first in one.measures:
        labels, subject = dict(first.labels), str(first.labels["subject"])
        if "position" in labels:
            if len(sizes) > 1:
                continue
            labels["position"] = str(sizes.copy().pop() + 1 - int(str(labels["position"])))
        if first.name == "accuracy_corrected" and len(sizes) > 1:
            continue  # position 1 of 2 and of 7 are one position; turned round they are not
        more = {name: str(label) for name, label in labels.items() if name != "subject"}
        second = find(other, first.name, subject, **more)
        assert second.value == (None if first.value is None else pytest.approx(first.value, abs=1e-9))
        for end in ("low", "high", "bound_low", "bound_high"):
            here, there = getattr(first, end), getattr(second, end)
            assert there == (None if here is None else pytest.approx(here, abs=1e-6)), (first, second)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_intervals_and_bounds_hold_their_values_and_none_is_empty(seed: int) -> None:
    rows = rows_of(seed)
    for m in scored(rows, scale=scale_of(rows)).measures:
        if m.value is None:
            assert m.low is None
            assert m.notes
            continue
        for low, high in ((m.low, m.high), (m.bound_low, m.bound_high)):
            assert low is None or high is None or low <= m.value <= high, m
        if m.low is not None and m.high is not None:
            assert m.low < m.high, m
        else:
            assert m.name in ("chance", "chance_p", "own_share"), m
