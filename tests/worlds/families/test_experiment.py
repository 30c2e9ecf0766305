"""Experiment: reliability as declared, always feasible, and results that must rest on valid readings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Judgement, Task, draw_task, shipped_regimes
from assay.worlds.families.experiment import MOST, TABLE, Experiment, _understood

FAMILY = Experiment()
BASELINE = shipped_regimes()["Baseline"]
MEASURE, RINSE, STRIKE = Act("measure", {}), Act("rinse", {}), Act("strike", {})


def task(level: int, number: int = 0, faults: dict[str, list[str]] | None = None) -> Task:
    found = draw_task(FAMILY, level, Stream("experiment", level, number))
    if faults is not None:
        found.setup["faults"].clear()
        found.setup["faults"].update(faults)
    return found


def silent(*bad: int) -> dict[str, list[str]]:
    return {"any": ["silent" if at in bad else "" for at in range(5)]}


def carried_out(of: Task, *acts: Act) -> tuple[Judgement, list[Any]]:
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        seen = [episode.begin(), *(episode.act(act.name, act.arguments) for act in acts)]
        return episode.judge(episode.snapshot()), seen
    finally:
        episode.close()


def prepare(of: Task, which: int = 0) -> Act:
    return Act("prepare", {"setting": of.setup["settings"][which]})


def record(of: Task, which: int = 0, off: Fraction = Fraction(0)) -> Act:
    """The true value, or one that is off by so many times the tolerance."""
    setting, truth = of.criterion.expected["truths"][which]
    value = Fraction(truth) + off * Fraction(of.criterion.expected["tolerance"])
    return Act("record", {"setting": setting, "value": float(value)})


def others(of: Task) -> list[Act]:
    """What is left to do at the second and third setting."""
    return [act for which in (1, 2) for act in (prepare(of, which), MEASURE, record(of, which))]


def test_equipment_is_as_reliable_as_declared() -> None:
    fours = [task(4, number).setup["faults"] for number in range(40)]
    assert all(sum(map(bool, faults[kind])) == 1 for faults in fours for kind in ("measure", "record"))
    fives = [task(5, number).setup["faults"]["any"] for number in range(400)]
    assert all(len(faults) == 5 and sum(map(bool, faults)) in (1, 2) for faults in fives)
    assert abs(sum(sum(map(bool, faults)) for faults in fives) / 2000 - 0.3) < 0.02


@pytest.mark.parametrize("level", [4, 5])
def test_the_budget_is_the_same_for_all_and_always_suffices(level: int) -> None:
    for number in range(20):
        of = task(level, number)
        assert of.needed <= of.most == MOST[level]


@pytest.mark.parametrize(
    ("off", "success"),
    [(Fraction(0), True), (Fraction(1, 2), True), (Fraction(3, 2), False), (Fraction(-2), False)],
)
def test_the_tolerance_decides(off: Fraction, success: bool) -> None:
    of = task(5, faults=silent())
    judgement, _ = carried_out(of, prepare(of), MEASURE, record(of, off=off))
    assert judgement.success is success


def test_a_right_value_without_a_valid_reading_is_no_result() -> None:
    of = task(5, faults=silent())
    wanted = of.setup["settings"][0]
    assert carried_out(of, record(of))[0].because == (f"no valid reading was taken at {wanted}",)
    elsewhere, _ = carried_out(of, prepare(of, 1), MEASURE, record(of))
    assert elsewhere.because == (f"no valid reading was taken at {wanted}",)


def test_an_unstable_reading_shows_by_its_spread_only() -> None:
    of = task(5, faults=silent(1))
    judgement, seen = carried_out(of, prepare(of), MEASURE, record(of))
    assert [each.error for each in seen] == [""] * 4
    spread = Fraction(str(seen[2].observation["readings"][0]["spread"]))
    assert spread > Fraction(of.criterion.expected["limit"])
    assert not judgement.success


def test_a_device_that_came_to_rest_elsewhere_and_a_page_not_saved_are_seen() -> None:
    of = task(5, faults=silent(0, 3))
    _, seen = carried_out(of, prepare(of), prepare(of), MEASURE, record(of))
    assert seen[1].observation["setting"] != of.setup["settings"][0]
    assert seen[2].observation["setting"] == of.setup["settings"][0]
    assert seen[4].observation["results"] == []


BROKE_OFF = "the equipment broke off during {}"


@pytest.mark.parametrize(
    ("fault", "recovery"), [("none", [MEASURE]), ("half", [RINSE, MEASURE]), ("mute", [])]
)
def test_a_measurement_that_broke_off_needs_what_it_left_behind_put_right(
    fault: str, recovery: list[Act]
) -> None:
    """E4 asks for recovery beyond repeating the call (10.7.2)."""
    of = task(4, faults={"measure": [fault]})
    judgement, seen = carried_out(of, prepare(of), MEASURE, *recovery, record(of), *others(of))
    assert seen[2].error == BROKE_OFF.format("measure")
    assert judgement.success
    if fault == "half":
        assert seen[2].observation["chamber"] == "fouled"
        repeated, seen = carried_out(of, prepare(of), MEASURE, MEASURE, record(of), *others(of))
        assert "no valid reading" in repeated.because[0]
        assert seen[3].observation["readings"][0]["chamber"] == "fouled"


@pytest.mark.parametrize("fault", ["none", "half", "mute"])
def test_a_record_that_broke_off_may_stand_there_or_not_or_be_garbled(fault: str) -> None:
    of = task(4, faults={"record": [fault]})
    start = [prepare(of), MEASURE, record(of)]
    ways = {"none": [record(of)], "half": [STRIKE, record(of)], "mute": []}
    for way, recovery in ways.items():
        judgement, seen = carried_out(of, *start, *recovery, *others(of))
        assert seen[3].error == BROKE_OFF.format("record")
        assert len(seen[3].observation["results"]) == (0 if fault == "none" else 1)
        # Striking out and recording again is right in the end whatever happened, at the price of two calls.
        assert judgement.success is (way in (fault, "half")), (way, fault)


def test_at_level_five_the_first_result_is_final() -> None:
    of = task(5, faults=silent())
    judgement, seen = carried_out(of, prepare(of), MEASURE, record(of, off=Fraction(5)), record(of))
    assert "final" in seen[4].error
    assert "not within tolerance" in judgement.because[0]


def test_what_the_device_cannot_do_is_told() -> None:
    of = task(4, faults={})
    _, seen = carried_out(of, MEASURE, Act("prepare", {"setting": 1999}), STRIKE)
    assert "prepared first" in seen[1].error
    assert "no such setting" in seen[2].error
    assert "no result" in seen[3].error


@pytest.mark.parametrize("level", [4, 5])
@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_every_wording_says_the_same(level: int, situation: str) -> None:
    story = TABLE["situations"][situation]
    wanted = "120, 15 and 60" if level == 4 else "120"
    told = {"wanted": wanted, "blank": "4.25", "factor": "1.6", "limit": "0.5", "tolerance": "0.34"}
    ways = [TABLE["goals"][level], TABLE["formula"], TABLE["valid"][level]]
    assert all(len(set(way)) == 6 for way in ways)
    for goal, formula, valid in zip(*ways, strict=True):
        parts = {"formula": formula.format(**story, **told), "valid": valid.format(**story, **told)}
        settings, numbers = _understood(goal.format(**story, **told, **parts))
        assert settings == [int(number) for number in wanted.replace(" and", ",").split(", ")]
        assert numbers == {key: Fraction(told[key]) for key in ("blank", "factor", "limit", "tolerance")}
