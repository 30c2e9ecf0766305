"""The builder of measures: values hold, reasons stand where there is none, thresholds are exact."""

from __future__ import annotations

import numpy as np

from assay.measuring.building import Claimed, MeasureBuilder, exact, mean_ends, split
from assay.stats import ClusterTerm, cluster_contrast

TWO = np.array([2.0, 2.0])


def test_an_estimate_brings_its_interval_its_n_and_its_method() -> None:
    found = MeasureBuilder({"subject": "s"}, 0.9, "items")(
        "rate", cluster_contrast(ClusterTerm(TWO, TWO / 2))
    )
    assert (found.value, found.n, found.confidence, found.labels) == (0.5, 4, 0.9, {"subject": "s"})
    assert found.low is not None
    assert found.low < 0.5
    assert found.method == "gaffke over 2 items"


def test_without_a_confidence_there_are_no_intervals() -> None:
    found = MeasureBuilder({}, None)("rate", cluster_contrast(ClusterTerm(TWO, TWO)), k=4)
    assert (found.value, found.low, found.high, found.confidence, found.k) == (1.0, None, None, None, 4)


def test_intervals_and_bounds_are_widened_to_the_value() -> None:
    found = MeasureBuilder({})("score", 0.5, ends=(0.6, 0.7), bounds=(0.1, 0.2), n=3)
    assert (found.low, found.high, found.bound_low, found.bound_high) == (0.5, 0.7, 0.1, 0.5)


def test_no_value_has_its_reason_and_no_interval_nor_count() -> None:
    say = MeasureBuilder({"subject": "s"})
    found = say(
        "score",
        None,
        {"bias": "b", "domain": ""},
        ends=(0.0, 1.0),
        bounds=(0.0, 1.0),
        k=3,
        why="none",
        spec=0.5,
    )
    assert (found.value, found.low, found.k, found.spec_value, found.notes) == (
        None,
        None,
        None,
        0.5,
        ("none",),
    )
    assert (found.bound_low, found.bound_high, found.labels) == (0.0, 1.0, {"subject": "s", "bias": "b"})
    flags = [say.flag("is", holds, 1, "rule").value for holds in (True, False, None)]
    assert flags == [1.0, 0.0, None]


def test_numbers_are_compared_as_on_paper() -> None:
    assert exact(0.75 - 0.65) == 0.1
    assert (split(0.95, 1), exact(split(0.95, 5))) == (0.95, 0.99)
    assert mean_ends([(0.0, 1.0), (1.0, 1.0)]) == (0.5, 1.0)
    assert mean_ends([]) is None


def test_a_difference_from_0_holds_by_holm_unless_unreadable_answers_could_undo_it() -> None:
    many = np.ones(40)
    large, none = cluster_contrast(ClusterTerm(many, many)), cluster_contrast(ClusterTerm(many * 0, many * 0))
    tests = [
        Claimed("sure", large, (0.5, 1.0), {"bias": "b"}),
        Claimed("undone", large, (0.0, 1.0)),
        Claimed("empty", none),
    ]
    found = list(MeasureBuilder({"subject": "s"}).verdicts("differs", tests, "biases", why="no answers"))
    assert [verdict.holds for verdict in found] == [True, None, None]
    assert found[0].labels == {"subject": "s", "bias": "b"}
    assert "by Holm over 2 biases" in found[0].rule
    assert found[2].because == "no answers"
