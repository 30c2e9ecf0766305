from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.thermostat import CELSIUS, FAHRENHEIT, GOALS, Thermostat, _apart, _degrees, _half

FAMILY = Thermostat()
REGIMES = shipped_regimes()


def drawn(level: int, number: int, situation: str = "greenhouse") -> Task:
    return FAMILY.draw(level, situation, Stream("thermostat", number))


def judged(task: Task, *made: list[Any]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"settings": list(made)}, ()).because


@settings(max_examples=60)
@given(half=st.integers(0, 120), unit=st.sampled_from([CELSIUS, FAHRENHEIT]))
def test_a_temperature_survives_either_unit_exactly(half: int, unit: str) -> None:
    assert _half(_degrees(half, unit), unit) == half
    assert _half(_apart(half, unit), unit, apart=True) == half


def test_the_judge_names_what_is_wrong() -> None:
    task = next(t for n in range(50) if (t := drawn(4, n)).criterion.expected[0] == ["heat", 2])
    assert judged(task, ["heat", 2], ["heat", 2]) == ()
    assert judged(task, ["heat", 2]) == ("case 2 was not decided",)
    assert judged(task, ["cool", 2], ["cool", 2]) == (
        "case 1: cool instead of heat",
        "case 2: cool instead of heat",
    )
    assert judged(task, ["heat", 2], ["heat", 3]) == (
        "case 2: step 3 instead of 2",
        "the same case was decided in two ways",
    )


def test_all_seven_answers_occur_about_equally_often() -> None:
    answers = [tuple(drawn(1, n).criterion.expected[0]) for n in range(700)]
    assert len(set(answers)) == 7
    assert max(answers.count(answer) for answer in set(answers)) < 150


def test_readings_on_the_limits_are_drawn_and_count_as_within() -> None:
    """The words say so ("no more than", "up to"), and the expected answer agrees."""
    on_limit = 0
    for number in range(300):
        task = drawn(1, number)
        words = task.goal
        if GOALS[0].split("{what}")[0].split("{who} ")[1] not in words:
            continue
        unit = CELSIUS if CELSIUS in words else FAHRENHEIT
        target = _half(words.split(" at ")[1].split(" ")[0], unit)
        tol = _half(words.split("no more than ")[1].split(" ")[0], unit, apart=True)
        reading = _half(task.setup["parts"][0]["sensors"][0]["reads"].split(" ")[0], unit)
        if abs(reading - target) == tol:
            on_limit += 1
            assert task.criterion.expected == [["off", 0]]
    assert on_limit


def test_the_second_case_is_the_first_in_other_words() -> None:
    for number in range(30):
        task = drawn(4, number)
        first, second = task.setup["parts"]
        assert first["goal"] != second["goal"]
        assert task.criterion.expected[0] == task.criterion.expected[1]


def test_a_wrong_setting_cannot_be_mended() -> None:
    task = next(t for n in range(50) if (t := drawn(1, n)).criterion.expected[0] != ["cool", 1])
    episode = Episode(FAMILY, task, REGIMES["Baseline"], Stream("faults"))
    episode.begin()
    assert episode.act("set_unit", {"mode": "off", "step": 2}).error.startswith("off goes with step 0")
    assert episode.act("set_unit", {"mode": "cool", "step": 1}).done
    assert not episode.judge(episode.snapshot()).success


def test_the_second_case_begins_a_new_conversation() -> None:
    task = drawn(4, 1)
    episode = Episode(FAMILY, task, REGIMES["Baseline"], Stream("faults"))
    episode.begin()
    mode, step = task.criterion.expected[0]
    seen = episode.act("set_unit", {"mode": mode, "step": step})
    assert seen.fresh == task.setup["parts"][1]["goal"]
    assert seen.observation["case"] == "2 of 2"
    assert not seen.done


@pytest.mark.parametrize("regime", sorted(REGIMES))
def test_going_by_the_first_sensor_fails_where_others_are_beside_it(regime: str) -> None:
    def solved(level: int) -> int:
        return sum(
            play(FAMILY, drawn(level, n), REGIMES[regime], Stream("f", n), FAMILY.novice).judgement.success
            for n in range(60)
        )

    assert solved(1) == 60
    assert solved(4) < 24
