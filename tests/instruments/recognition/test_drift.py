"""Drift: the arithmetic of a published run, a distance from one's own baseline, and what shuffled turns show."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.instruments.recognition.drift import drifts_of, phase_nulls, read_drift
from assay.instruments.recognition.signature import norms

from .corpus import RUN012, needs_run012

PHASES = ["baseline"] * 3 + ["perturbation"] * 3 + ["recovery"] * 3
vectors = st.lists(st.lists(st.floats(0, 50), min_size=5, max_size=5), min_size=9, max_size=9).map(np.array)


def run() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RUN012.read_text("utf-8"))
    return found


@needs_run012
def test_every_drift_of_the_published_run_follows_from_its_vector() -> None:
    turns = run()["turns"]
    found = drifts_of(np.array([turn["d5"] for turn in turns]), [turn["phase"] for turn in turns], 1)
    assert len(found) == 188
    assert np.abs(found - [turn["drift"] for turn in turns]).max() <= 1e-4


@needs_run012
def test_peak_final_ratio_decay_and_half_life_are_those_recomputed_from_the_published_run() -> None:
    published = run()
    for ship in published["ships"]:
        turns = [t for t in published["turns"] if (t["run"], t["ship"]) == (ship["run"], ship["ship"])]
        found = read_drift([turn["drift"] for turn in turns], [turn["phase"] for turn in turns], 1)
        known = ship["recomputed"]
        assert found.baseline == known["baseline_drift"]
        assert found.peak == pytest.approx(known["peak_drift"], abs=1e-9)
        assert found.final == pytest.approx(known["final_drift"], abs=1e-9)
        assert found.recovery_ratio == pytest.approx(known["recovery_ratio"], abs=1e-9)
        assert found.decay.value == (
            None if known["lambda"] is None else pytest.approx(known["lambda"], abs=1e-9)
        )
        assert found.decay.half_life == known["half_life"]


@needs_run012
def test_every_complete_system_of_the_published_run_is_beyond_the_horizon_before_anything_perturbs_it() -> (
    None
):
    published = run()
    for ship in [ship for ship in published["ships"] if ship["status"] == "COMPLETE"]:
        turns = [t for t in published["turns"] if (t["run"], t["ship"]) == (ship["run"], ship["ship"])]
        assert turns[0]["drift"] > norms(1).horizon
        conversation = np.array([turn["d5"] for turn in turns]), [turn["phase"] for turn in turns]
        nulls = phase_nulls([conversation], 1, key="run012")
        assert nulls["rise_above_horizon"].p_value > 0.05


def test_what_cannot_be_known_is_none_and_never_zero() -> None:
    empty = read_drift([], [], 1)
    assert (empty.peak, empty.final, empty.recovery_ratio, empty.stuck) == (None, None, None, None)
    alone = drifts_of(np.ones((2, 5)), ["baseline", "perturbation"], 2)
    assert math.isnan(alone[0])
    assert alone[1] == 0.0
    assert np.isnan(drifts_of(np.ones((2, 5)), ["perturbation", "recovery"], 2)).all()
    assert read_drift(alone, ["baseline", "perturbation"], 2).baseline is None


@given(vectors, st.lists(st.floats(-20, 20), min_size=5, max_size=5))
def test_version_2_depends_on_differences_from_the_baseline_alone(
    found: np.ndarray[Any, Any], moved: list[float]
) -> None:
    assert drifts_of(found + np.array(moved), PHASES, 2) == pytest.approx(
        drifts_of(found, PHASES, 2), abs=1e-9
    )


@given(vectors)
def test_a_crossing_is_a_turn_above_after_one_below(found: np.ndarray[Any, Any]) -> None:
    drifts = drifts_of(found, PHASES, 1)
    reading = read_drift(drifts, PHASES, 1)
    assert reading.crossings <= reading.above <= len(PHASES)
    assert (reading.above > 0) == (drifts.max() > reading.horizon) == (reading.crossings > 0)


def test_a_real_perturbation_stands_out_of_shuffled_turns_and_none_does_not() -> None:
    draw = np.random.default_rng(5)
    phases = [phase for phase in ("baseline", "perturbation", "recovery") for _ in range(6)]
    calm = draw.normal(0, 0.2, (18, 5))
    moved = calm + np.repeat([0.0, 3.0, 0.0], 6)[:, None]
    found = phase_nulls([(moved, phases)], 2, key="k")
    assert found["rise"].p_value < 0.01
    assert found["rise_above_horizon"].p_value < 0.01
    assert found["rise"].null_high < found["rise"].value
    assert phase_nulls([(calm, phases)], 2, key="k")["rise"].p_value > 0.05
    assert phase_nulls([(moved, phases)], 2, key="k") == found


def test_phases_and_turns_have_to_be_as_many() -> None:
    with pytest.raises(InputError, match="2 vectors but 1 phases"):
        drifts_of(np.ones((2, 5)), ["baseline"], 1)
    with pytest.raises(InputError, match="1 drifts but 2 phases"):
        read_drift([1.0], ["baseline", "recovery"], 1)
