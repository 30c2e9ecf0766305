"""Experiment: reliability as declared, always feasible, and a result that must rest on a valid reading."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Judgement, Task, draw_task, shipped_regimes
from assay.worlds.families.experiment import Experiment

FAMILY = Experiment()
BASELINE = shipped_regimes()["Baseline"]


def task(level: int, number: int = 0, faults: list[bool] | None = None) -> Task:
    found = draw_task(FAMILY, level, Stream("experiment", level, number))
    if faults is not None:
        found.setup["faults"][:] = faults
    return found


def carried_out(of: Task, *acts: Act) -> tuple[Judgement, list[Any]]:
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        seen = [episode.begin(), *(episode.act(act.name, act.arguments) for act in acts)]
        return episode.judge(episode.snapshot()), seen
    finally:
        episode.close()


def prepare(of: Task, which: int = 0) -> Act:
    return Act("prepare", {"setting": of.setup["settings"][which]})


def record(of: Task, off: Fraction = Fraction(0)) -> Act:
    """The true value, or one that is off by so many times the tolerance."""
    value = Fraction(of.criterion.expected["truth"]) + off * Fraction(of.criterion.expected["tolerance"])
    return Act("record", {"value": float(value)})


MEASURE = Act("measure", {})


def test_equipment_is_as_reliable_as_declared() -> None:
    fours = [task(4, number).setup["faults"] for number in range(20)]
    assert all(sum(faults) * 5 == len(faults) for faults in fours)
    fives = [task(5, number).setup["faults"] for number in range(400)]
    assert all(len(faults) == 5 and sum(faults) in (1, 2) for faults in fives)
    assert abs(sum(map(sum, fives)) / 2000 - 0.3) < 0.02


@pytest.mark.parametrize("number", range(20))
def test_five_actions_always_suffice_at_level_five(number: int) -> None:
    of = task(5, number)
    assert of.needed <= of.most == 5


@pytest.mark.parametrize(
    ("off", "success"),
    [(Fraction(0), True), (Fraction(1, 2), True), (Fraction(3, 2), False), (Fraction(-2), False)],
)
def test_the_tolerance_decides(off: Fraction, success: bool) -> None:
    of = task(4, faults=[])
    judgement, _ = carried_out(of, prepare(of), MEASURE, record(of, off))
    assert judgement.success is success


def test_a_right_value_without_a_valid_reading_is_no_result() -> None:
    of = task(4, faults=[])
    assert carried_out(of, record(of))[0].because == ("no valid reading was taken",)
    elsewhere, _ = carried_out(of, prepare(of, 1), MEASURE, record(of))
    assert elsewhere.because == ("no valid reading was taken",)


def test_an_unstable_reading_shows_by_its_spread_only() -> None:
    of = task(5, faults=[False, True])
    judgement, seen = carried_out(of, prepare(of), MEASURE, record(of))
    assert [each.error for each in seen] == [""] * 4
    assert Fraction(str(seen[2].observation["readings"][0]["spread"])) > Fraction(
        of.criterion.expected["limit"]
    )
    assert judgement.because == ("no valid reading was taken",)


def test_a_device_that_came_to_rest_elsewhere_and_a_page_not_saved_are_seen() -> None:
    of = task(5, faults=[True, False, False, True])
    _, seen = carried_out(of, prepare(of), prepare(of), MEASURE, record(of))
    assert seen[1].observation["setting"] != of.setup["settings"][0]
    assert seen[2].observation["setting"] == of.setup["settings"][0]
    assert seen[4].observation["result"] is None


def test_at_level_four_a_failure_is_told_and_nothing_is_done() -> None:
    of = task(4, faults=[True])
    _, seen = carried_out(of, prepare(of))
    assert "failed" in seen[1].error
    assert seen[1].observation["setting"] is None


def test_the_first_result_is_final() -> None:
    of = task(4, faults=[])
    judgement, seen = carried_out(of, prepare(of), MEASURE, record(of, Fraction(5)), record(of))
    assert "final" in seen[4].error
    assert judgement.because == ("the result is not within tolerance of the true value",)


def test_what_the_device_cannot_do_is_told() -> None:
    of = task(4, faults=[])
    _, seen = carried_out(of, MEASURE, Act("prepare", {"setting": 1999}))
    assert "prepared first" in seen[1].error
    assert "no such setting" in seen[2].error
