"""Readings of many cells from their measures."""

from __future__ import annotations

import numpy as np

from assay.measuring.building import MeasureBuilder
from assay.measuring.calibration import Key, readings_of


def test_readings_are_found_by_key_and_absent_ones_are_nan() -> None:
    one, two = (MeasureBuilder({"subject": name}) for name in ("one", "two"))
    cells = [
        [one("rate", 0.5, {"level": "low"}, ends=(0.4, 0.6)), one("rate", None, ends=(0.0, 1.0))],
        [two("rate", 0.25, n=4)],
    ]
    low, whole = Key("rate", (("level", "low"),)), Key("rate")
    found = readings_of(cells, [low, whole])
    assert list(found) == [low, whole]
    np.testing.assert_array_equal(found[low].value, [0.5, np.nan])
    np.testing.assert_array_equal(found[low].high, [0.6, np.nan])
    np.testing.assert_array_equal(found[whole].value, [np.nan, 0.25])
    np.testing.assert_array_equal(found[whole].low, [np.nan, np.nan])
