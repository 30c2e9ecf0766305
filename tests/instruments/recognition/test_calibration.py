"""Calibration of recognition: known probabilities are read as what they are, and no cheat as recognition."""

from __future__ import annotations

import pytest

from assay.instruments.recognition.calibration import RecognitionGrid, RecognitionMember
from assay.instruments.recognition.row_options import RecognitionRowOptions
from assay.instruments.recognition.scoring import score_lineups
from assay.measuring.calibration import Calibration, calibrate
from assay.measuring.lineups import SCHEMA

# What exposes a cheat: the claim that must not be established.
CHEATS = {
    "first place": "above_chance_corrected",
    "first place, unbalanced": "above_chance_corrected",
    "longest": "above_chance_corrected",
    "leaking": "above_chance_corrected",
    "preferring": "P-SR-1_self_advantage",
    "obvious": "P-SR-1_self_advantage",
}


def calibrated(runs: int, quick: bool) -> Calibration:
    return calibrate(
        "recognition", "2", RecognitionGrid(), runs, 1 if quick else 2, quick, lambda done, total: None
    )


def declared(found: Calibration, member: str, claim: str, way: str = "established") -> float:
    """The largest share of runs, over sizes, in which the claim is declared."""
    shares = [
        point.reading
        for point in found.points
        if (point.distribution, point.measure, point.labels.get("verdict")) == (member, way, claim)
    ]
    assert shares
    return max(share or 0.0 for share in shares)


@pytest.fixture(scope="module")
def quick() -> Calibration:
    return calibrated(4, quick=True)


def test_every_point_of_the_quick_grid_has_a_reading_beside_its_truth(quick: Calibration) -> None:
    assert {*CHEATS, "p 0.25", "p 1"} <= quick.distributions.keys()
    assert all(point.truth is not None and point.reading is not None for point in quick.points)
    assert {"accuracy", "accuracy_corrected", "self_advantage", "order_consistent", "brier"} <= {
        point.measure for point in quick.points
    }
    exact = [point for point in quick.points if point.distribution == "p 1" and point.measure == "accuracy"]
    assert [(point.truth, point.reading) for point in exact] == [(1.0, 1.0)]


@pytest.mark.parametrize("member", RecognitionGrid().members(quick=False), ids=lambda member: member.name)
def test_what_is_drawn_is_a_table_of_answers_of_the_declared_design(member: RecognitionMember) -> None:
    table = RecognitionGrid().draw(member, 10, 2)
    assert dict(table.schema) == dict(SCHEMA)
    assert table.height == 2 * 10 * member.orders * (member.judges + 1)
    assert table.get_column("own").max() == table.get_column("options").max() == member.texts
    own = table.filter(subject="0").get_column("own").value_counts().get_column("count")
    if not member.places and (10 * member.orders) % member.texts == 0:
        assert own.n_unique() == 1
    assert RecognitionGrid().draw(member, 10, 2).equals(table)


def test_a_run_reads_what_its_rows_would_score() -> None:
    grid = RecognitionGrid()
    member = next(one for one in grid.members(quick=False) if one.name == "unreadable")
    drawn = grid.draw(member, 10, 2)
    options, compared = RecognitionRowOptions(scale=(0.0, 1.0)), 0
    for place, run in enumerate(("0", "1")):
        scored = score_lineups(drawn.filter(target=run), options)
        measures = {(m.name, tuple(sorted(m.labels.items()))): m for m in scored.measures}
        verdicts = {v.name: v.holds for v in scored.verdicts if v.name != "position_preference"}
        for key, reading in grid.read(member, 10, drawn).items():
            value = reading.value[place]
            if key.measure in ("established", "refuted"):
                assert value == (verdicts[key.labels[0][1]] is (key.measure == "established"))
                continue
            same = measures[key.measure, tuple(sorted([*key.labels, ("subject", run)]))]
            assert reading.low is not None
            assert reading.high is not None
            assert (value, reading.low[place], reading.high[place]) == (same.value, same.low, same.high)
            compared += 1
    assert compared > 20


@pytest.fixture(scope="module")
def whole() -> Calibration:
    return calibrated(1000, quick=False)


@pytest.mark.proof
def test_intervals_hold_on_the_whole_grid(whole: Calibration) -> None:
    assert [(point.where, point.coverage) for point in whole.failing] == []


@pytest.mark.proof
@pytest.mark.parametrize(("cheat", "claim"), CHEATS.items())
def test_a_cheat_is_not_read_as_recognition(whole: Calibration, cheat: str, claim: str) -> None:
    assert declared(whole, cheat, claim) <= 0.07


@pytest.mark.proof
def test_the_threshold_is_established_where_it_is_passed_and_not_below_it(whole: Calibration) -> None:
    assert declared(whole, "p 1", "P-SR-1") == 1.0
    for below in ("p 0.25", "p 0.4", "p 0.5", "p 0.6", "p 0.74, prompts differ"):
        assert declared(whole, below, "P-SR-1") <= 0.07
