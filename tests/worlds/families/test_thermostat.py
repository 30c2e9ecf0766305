from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds import Episode, Task, play, shipped_regimes
from assay.worlds.families.thermostat import (
    CELSIUS,
    FAHRENHEIT,
    READ,
    TABLE,
    Thermostat,
    _apart,
    _degrees,
    _half,
)
from assay.worlds.templates import read_first

FAMILY = Thermostat()
REGIMES = shipped_regimes()


def drawn(level: int, number: int, situation: str = "greenhouse") -> Task:
    return FAMILY.draw(level, situation, Stream("thermostat", number))


def judged(task: Task, *made: dict[str, list[Any]]) -> tuple[str, ...]:
    return FAMILY.judge(task, {"settings": list(made)}, ()).because


@settings(max_examples=60)
@given(half=st.integers(0, 120), unit=st.sampled_from([CELSIUS, FAHRENHEIT]))
def test_a_temperature_survives_either_unit_exactly(half: int, unit: str) -> None:
    assert _half(_degrees(half, unit), unit) == half
    assert _half(_apart(half, unit), unit, apart=True) == half


def test_no_place_can_be_so_cold_that_a_reading_has_a_sign() -> None:
    assert all(place["low"] >= 21 for place in TABLE["situations"].values())


def test_level_1_asks_for_the_setting_itself() -> None:
    task = next(t for n in range(50) if ["heat", 2] in (t := drawn(1, n)).criterion.expected.values())
    (zone,) = task.criterion.expected
    assert judged(task, {zone: ["heat", 2]}) == ()
    assert judged(task, {}) == (f"{zone}: not set",)
    assert judged(task, {zone: ["cool", 2]}) == (f"{zone}: cool instead of heat",)
    assert judged(task, {zone: ["heat", 3]}) == (f"{zone}: step 3 instead of 2",)


def test_level_4_asks_for_the_same_setting_twice_and_in_the_right_direction() -> None:
    """B.4.4 asks for the same decision, 10.6.1 for one that advances the goal; how strongly is not asked."""
    task = next(t for n in range(50) if ["heat", 2] in (t := drawn(4, n)).criterion.expected.values())
    right = task.criterion.expected
    zone = next(zone for zone in right if right[zone] == ["heat", 2])
    assert judged(task, right, right) == ()
    stronger = {**right, zone: ["heat", 3]}
    assert judged(task, stronger, stronger) == ()
    assert judged(task, right, stronger) == (f"{zone}: the same case was decided in two ways",)
    cooler = {**right, zone: ["cool", 2]}
    assert judged(task, cooler, cooler) == (
        f"case 1, {zone}: cool instead of heat",
        f"case 2, {zone}: cool instead of heat",
    )
    assert judged(task, right, {}) == tuple(f"case 2, {zone}: not set" for zone in right)


def test_all_seven_settings_occur_about_equally_often() -> None:
    answers = [tuple(*drawn(1, n).criterion.expected.values()) for n in range(700)]
    assert len(set(answers)) == 7
    assert max(answers.count(answer) for answer in set(answers)) < 150


def test_readings_on_the_limits_are_drawn_and_count_as_within() -> None:
    """The words say so ("no more than", "up to"), and the expected answer agrees."""
    on_limit = 0
    for number in range(300):
        task = drawn(1, number)
        said = read_first(READ, task.goal)
        degrees, unit = task.setup["parts"][0]["sensors"][0]["reads"].split(" ")
        off = _half(degrees, unit) - _half(said["target"], said["unit"])
        if abs(off) == _half(said["tol"], said["unit"], apart=True):
            on_limit += 1
            assert list(task.criterion.expected.values()) == [["off", 0]]
    assert on_limit


def test_the_second_case_is_the_first_in_other_words_units_and_order() -> None:
    for number in range(30):
        first, second = drawn(4, number).setup["parts"]
        assert first["goal"] != second["goal"]
        assert (CELSIUS in first["goal"]) != (CELSIUS in second["goal"])
        degrees = [
            {(row["zone"], row["sensor"], _half(*row["reads"].split(" "))) for row in part["sensors"]}
            for part in (first, second)
        ]
        assert degrees[0] == degrees[1]


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, REGIMES["Baseline"], Stream("faults"))
    episode.begin()
    return episode


def test_a_wrong_setting_cannot_be_mended() -> None:
    task = next(t for n in range(50) if ["cool", 1] not in (t := drawn(4, n)).criterion.expected.values())
    zone = next(iter(task.criterion.expected))
    episode = begun(task)
    said = episode.act("set_unit", {"zone": zone, "mode": "off", "step": 2}).error
    assert said.startswith("off goes with step 0")
    assert not episode.act("set_unit", {"zone": zone, "mode": "cool", "step": 1}).error
    assert "it holds" in episode.act("set_unit", {"zone": zone, "mode": "heat", "step": 1}).error
    assert not episode.judge(episode.snapshot()).success


def test_a_zone_without_a_sensor_cannot_be_set() -> None:
    task = drawn(1, 1)
    other = next(z for z in TABLE["situations"]["greenhouse"]["zones"] if z not in task.criterion.expected)
    assert "no sensor" in begun(task).act("set_unit", {"zone": other, "mode": "heat", "step": 1}).error


def test_the_second_case_begins_a_new_conversation_that_shows_nothing_of_the_first() -> None:
    task = drawn(4, 1)
    episode = begun(task)
    for zone, (mode, step) in task.criterion.expected.items():
        seen = episode.act("set_unit", {"zone": zone, "mode": mode, "step": step})
    assert seen.fresh == task.setup["parts"][1]["goal"]
    assert set(seen.observation) == {"sensors", "set"}
    assert seen.observation["set"] == []
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
