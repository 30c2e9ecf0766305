"""Preferences and reliability: what they read on choices whose shares are known."""

from __future__ import annotations

import numpy as np

from assay.measuring.building import MeasureBuilder
from assay.measuring.choice_figures import preference_picture, reliability_picture
from assay.measuring.choices import preference_measures, reliability_measures

SAY = MeasureBuilder({"subject": "s"})
CLUSTER = np.arange(8) // 2


def test_whoever_always_takes_the_first_place_prefers_it_by_all_but_chance() -> None:
    letter = np.tile([1.0, 2.0], 4)
    found = list(preference_measures(SAY, CLUSTER, np.ones(8), letter, np.full(8, 2.0)))
    values = {(m.name, *m.labels.values()): m.value for m in found}
    assert values["position_preference", "s"] == 0.5
    assert values["letter_preference", "s"] == 0.0
    assert values["position_share", "s", 2.0, "1"] == 1.0
    assert values["letter_share", "s", 2.0, "B"] == 0.5
    assert preference_picture(found, None) is not None


def test_the_reliability_curve_has_the_accuracy_of_every_tenth_of_confidence() -> None:
    confidence = np.array([0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 0.95, 0.95])
    correct = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    found = list(reliability_measures(SAY, CLUSTER, confidence, correct))
    curve = {m.labels["bin"]: m.value for m in found if m.name == "reliability"}
    assert curve == {"0.1 to 0.2": 0.25, "0.9 to 1.0": 0.75}
    picture = reliability_picture(found, right="right answers")
    assert picture is not None
    assert "right answers" in picture.caption
