"""Intervals hold the truth of simulated subjects, at no effect, at full effect and between; wrong orders are rare."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay.instruments.bias.answers import DOMAINS, SCHEMA
from assay.instruments.bias.baselines import human_rates
from assay.instruments.bias.measures.magnitude import attainable
from assay.instruments.bias.present import established_orders
from assay.instruments.bias.scoring import score_answers

BIAS, OTHER = "anchoring_effect", "loss_aversion"
HUMAN = human_rates()[BIAS].rate or 0.0
REQUIRED = 0.935
TRIALS = 3
# control, weak, strong, debias at strong; and what a beta distribution of instances is spread by (0: none)
POINTS = {
    "no effect": ((0.3, 0.3, 0.3, 0.3), 0.0),
    "no effect, nothing biased": ((0.0, 0.0, 0.0, 0.0), 0.0),
    "full effect": ((0.0, 1.0, 1.0, 0.0), 0.0),
    "moderate": ((0.2, 0.4, 0.7, 0.5), 0.0),
    "moderate, instances differ": ((0.2, 0.4, 0.7, 0.5), 1.0),
    "away from the bias": ((0.7, 0.5, 0.2, 0.2), 2.0),
    "nearly none": ((0.02, 0.05, 0.1, 0.05), 0.5),
}


def draw(
    random: np.random.Generator, instances: int, rates: tuple[float, ...], spread: float, bias: str = BIAS
) -> pl.DataFrame:
    """Every instance in every condition; domains in turn; confidence .8, right where the answer is not biased."""
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA}
    names = (
        ("control", "", ""),
        ("treatment", "weak", ""),
        ("treatment", "strong", ""),
        ("debias", "strong", "warn"),
    )
    for at in range(instances):
        for (condition, intensity, method), rate in zip(names, rates, strict=True):
            p = random.beta(rate * spread, (1 - rate) * spread) if spread and 0 < rate < 1 else rate
            for trial, score in enumerate(random.random(TRIALS) < p):
                row = {"subject": "s", "bias": bias, "domain": DOMAINS[at % 2], "condition": condition}
                row |= {
                    "intensity": intensity,
                    "method": method,
                    "kind": "",
                    "instance": str(at),
                    "trial": str(trial),
                }
                for name in columns:
                    columns[name].append(row.get(name))
                columns["score"][-1], columns["confidence"][-1] = float(score), 0.8
                columns["correct"][-1] = not score
    return pl.DataFrame([pl.Series(name, columns[name], dtype=kind) for name, kind in SCHEMA.items()])


def truth(rates: tuple[float, ...]) -> dict[str, float]:
    control, weak, strong, debias = rates
    pooled = (weak + strong) / 2
    magnitude = (0.1 * min(2 * abs(weak - control), 1) + 0.4 * 0.67 * abs(strong - control)) / 0.5
    accuracy = 1 - sum(rates) / 4
    return {
        "signed_shift": pooled - control,
        "BMS": magnitude,
        "BCI": 1.0,
        "BMP": max(0.0, (strong - debias) / strong) if strong else 0.0,
        "HAS": 1 - abs(pooled - HUMAN) / max(HUMAN, 1 - HUMAN),
        "CAS": 1 - abs(0.8 - accuracy),
        "metacognitive_gap": max(0.0, 0.8 - accuracy),
    }


@pytest.mark.proof
@pytest.mark.parametrize("instances", [4, 10, 20])
@pytest.mark.parametrize("point", POINTS)
def test_every_interval_covers(point: str, instances: int) -> None:
    (rates, spread), random = POINTS[point], np.random.default_rng(23)
    expected, runs = truth(rates), 400
    hits = dict.fromkeys(expected, 0)
    for _ in range(runs):
        found = score_answers(draw(random, instances, rates, spread)).measures
        for m in found:
            if m.labels == {"subject": "s", "bias": BIAS} and m.name in expected:
                assert m.low is not None
                assert m.high is not None
                hits[m.name] += m.low - 1e-9 <= expected[m.name] <= m.high + 1e-9
    assert {name: hit / runs for name, hit in hits.items() if hit / runs < REQUIRED} == {}


@pytest.mark.proof
def test_a_wrong_order_of_two_biases_is_rarely_declared() -> None:
    """Five biases with one and the same shift: any order is wrong."""
    random, runs, wrong = np.random.default_rng(29), 300, 0
    biases = (BIAS, OTHER, "focalism", "recency_bias", "salience_bias")
    for _ in range(runs):
        frame = pl.concat([draw(random, 20, (0.2, 0.4, 0.6, 0.6), 1.0, bias) for bias in biases])
        wrong += bool(established_orders(score_answers(frame).measures, "s"))
    assert wrong / runs <= 0.05


def test_the_fully_biased_subject_reads_the_attainable_maximum() -> None:
    found = score_answers(draw(np.random.default_rng(1), 10, (0.0, 1.0, 1.0, 0.0), 0.0)).measures
    values = {m.name: m for m in found if m.labels == {"subject": "s", "bias": BIAS}}
    assert (
        values["BMS"].value == values["BMS_attainable"].value == pytest.approx(attainable(["weak", "strong"]))
    )
    assert values["signed_shift"].value == 1.0
    assert values["signed_shift"].low is not None
    assert values["signed_shift"].low > 0.3
