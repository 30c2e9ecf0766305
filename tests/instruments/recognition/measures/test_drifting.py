"""Drift of a subject over its conversations."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

from assay.instruments.recognition.drift import (
    drifts_of,
    phase_nulls,
    read_drift,
)
from assay.instruments.recognition.measures.drifting import DriftConversation, drift_measures
from assay.instruments.recognition.signature import sign
from assay.measuring import Labelled
from assay.vocabulary import Measure

PHASES = ("baseline",) * 3 + ("perturbation",) * 3 + ("recovery",) * 3
CALM, MOVED = ["I", "water", "table", "my", "while", "the"], ["I", "I", "perhaps", "limits", "aware", "my"]


def talks(count: int = 4, subject: str = "s") -> list[DriftConversation]:
    draw = random.Random(subject)
    words = {"baseline": CALM, "perturbation": MOVED, "recovery": CALM}
    return [
        DriftConversation(
            subject, f"p{p}", PHASES, tuple(" ".join(draw.choices(words[phase], k=50)) for phase in PHASES)
        )
        for p in range(count)
    ]


def measured(conversations: list[DriftConversation], version: int = 2) -> Labelled[Measure]:
    return Labelled(drift_measures(conversations, version, 0.95, "k"))  # type: ignore[arg-type]


def the(found: Labelled[Measure], name: str, **labels: str | float) -> Measure:
    measure = found.exact(name, {"subject": "s", **labels})
    assert measure is not None
    return measure


@pytest.mark.parametrize("version", [1, 2])
def test_means_are_over_conversations_with_students_interval(version: int) -> None:
    given, found = talks(), measured(talks(), version)
    drifts = [drifts_of(sign(one.texts, version), PHASES, version) for one in given]  # type: ignore[arg-type]
    readings = [read_drift(one, PHASES, version) for one in drifts]  # type: ignore[arg-type]
    for name, values in {
        "peak_drift": [one.peak for one in readings],
        "final_drift": [one.final for one in readings],
        "baseline_drift": [one.baseline for one in readings],
        "recovery_ratio": [one.recovery_ratio for one in readings],
        "decay": [one.decay.value for one in readings],
    }.items():
        numbers = np.array(values, float)
        ends = stats.t.interval(0.95, 3, numbers.mean(), stats.sem(numbers))  # the oracle
        measure = the(found, name)
        assert (measure.value, measure.low, measure.high) == pytest.approx((numbers.mean(), *ends))
        assert measure.n == 4
    fifth = [one[4] for one in drifts]
    assert the(found, "drift", turn=5, phase="perturbation").value == pytest.approx(np.mean(fifth))
    above = np.array([one > readings[0].horizon for one in drifts])
    assert the(found, "horizon_share").value == pytest.approx(above.mean())
    assert the(found, "horizon_share", phase="perturbation").value == pytest.approx(above[:, 3:6].mean())
    assert the(found, "crossings").value == pytest.approx(np.mean([one.crossings for one in readings]))


def test_one_conversation_has_values_and_no_interval() -> None:
    found = measured(talks(1))
    for name in ("peak_drift", "decay"):
        assert the(found, name).value is not None
        assert (the(found, name).low, the(found, name).confidence) == (None, None)
        assert the(found, name).notes


def test_the_half_life_is_that_of_the_mean_decay() -> None:
    signs = set()
    for seed in range(6):
        found = measured(talks(3, "s" * (seed + 1)))
        decay, half = found.get("decay"), found.get("half_life")
        assert decay is not None
        assert half is not None
        assert decay.value is not None
        signs.add(decay.value > 0)
        if decay.value > 0:
            assert half.value == pytest.approx(math.log(2) / decay.value)
            assert decay.low is not None
            assert (half.low is None) == (decay.low <= 0)
        else:
            assert half.value is None
            assert half.notes
    assert signs == {True, False}


def test_an_empty_reply_has_no_drift_and_is_no_part_of_a_baseline() -> None:
    (whole,) = talks(1)
    holes = whole._replace(texts=("", *whole.texts[1:4], "  ", *whole.texts[5:8], ""))
    for version in (1, 2):
        found = measured([holes], version)
        assert the(found, "drift", turn=5, phase="perturbation").value is None
        assert the(found, "drift", turn=5, phase="perturbation").notes
        assert the(found, "final_drift").value is None
        assert the(found, "recovery_ratio").value is None
    known = [place for place, text in enumerate(holes.texts) if text.strip()]
    alone = drifts_of(sign([holes.texts[place] for place in known], 2), [PHASES[place] for place in known], 2)
    for place, drift in zip(known, alone, strict=True):
        measure = the(measured([holes]), "drift", turn=place + 1, phase=PHASES[place])
        assert measure.value == pytest.approx(drift)
    assert the(measured([holes]), "peak_drift").value == pytest.approx(np.nanmax(alone))


def test_conversations_without_any_text_give_null_and_no_error() -> None:
    silent = talks(1)[0]._replace(texts=("",) * 9)
    for version in (1, 2):
        found = measured([silent], version)
        for name in (
            "peak_drift",
            "final_drift",
            "baseline_drift",
            "recovery_ratio",
            "decay",
            "half_life",
            "crossings",
        ):
            assert (the(found, name).value, the(found, name).n) == (None, 0)
            assert the(found, name).notes
        assert the(found, "horizon_share").value is None
        assert not found.all("phase_null_p")
    empty = DriftConversation("s", "p", (), ())
    assert the(measured([empty]), "peak_drift").value is None
    assert [*drift_measures([], 1, 0.95, "k")] == []


def test_pooled_phases_give_one_p_value_a_statistic() -> None:
    found = measured(talks())
    assert {measure.labels["statistic"] for measure in found.all("phase_null_p")} == {
        "rise",
        "rise_above_horizon",
        "decay",
    }
    assert the(found, "phase_null_p", statistic="rise").value == 0.001  # 1 of 1,000: none of 999 shuffles
    calm = [one._replace(texts=one.texts[:3] * 3) for one in talks()]
    assert (the(measured(calm), "phase_null_p", statistic="rise").value or 0) > 0.05


def test_a_pooled_statistic_is_the_mean_over_conversations() -> None:
    vectors = [sign(one.texts, 2) for one in talks(3)]
    pooled = phase_nulls([(v, PHASES) for v in vectors], 2, key="k")
    each = [phase_nulls([(v, PHASES)], 2, key="k") for v in vectors]
    for name, null in pooled.items():
        assert null.value == pytest.approx(np.mean([one[name].value for one in each]))
    without = (vectors[1], ["recovery"] * 9)  # allows no rise
    found = phase_nulls([(vectors[0], PHASES), without], 2, key="k")
    assert found["rise"].value == pytest.approx(each[0]["rise"].value)


def test_p_values_of_turns_without_phases_are_uniform_enough() -> None:
    draw = np.random.default_rng(8)
    values = []
    for number in range(200):
        some = [(draw.gamma(2.0, 1.0, (9, 5)), PHASES) for _ in range(3)]
        values.append(phase_nulls(some, 2, key=str(number), shuffles=99)["rise"].p_value)
    assert stats.kstest(values, "uniform").pvalue > 0.001


def test_neither_the_order_of_conversations_nor_other_subjects_make_a_difference() -> None:
    given = talks()
    moved = [*reversed(given), *talks(2, "other")]
    own = [measure for measure in drift_measures(moved, 2, 0.95, "k") if measure.labels["subject"] == "s"]
    assert own == [*drift_measures(given, 2, 0.95, "k")]
