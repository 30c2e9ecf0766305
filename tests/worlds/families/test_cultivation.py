"""Cultivation: what a use adds later is what counts, and it must have been kept from the trials."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Episode, Seen, Task, play, shipped_regimes
from assay.worlds.families.planning.cultivation import DAYS, REPORTS, TABLE, Cultivation, best_use, total
from assay.worlds.fuzzy import nearest
from assay.worlds.noise import misread
from assay.worlds.tiers import Forgetful

FAMILY = Cultivation()
BASELINE = shipped_regimes()["Baseline"]
SITUATIONS = sorted(TABLE["situations"])
# Worked out by hand: at once, and on every later day.
EFFECTS = {"kelp": (-5, 6), "dung": (2, 3), "ash": (12, 1), "peat": (1, 2)}


def drawn(number: int, situation: str = "pumpkin") -> Task:
    return FAMILY.draw(3, situation, Stream("cultivation", number))


def begun(task: Task) -> Episode:
    episode = Episode(FAMILY, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def after(episode: Episode, name: str, means: str) -> Seen:
    return episode.act(name, {"name": means})


def test_effects_are_added_up_to_the_last_day_by_hand() -> None:
    # kelp on day 1: -5 + 4 * 6, on day 2: -5 + 3 * 6; dung on day 3: 2 + 2 * 3; ash on days 4 and 5: 12 + 1 and 12.
    assert total(EFFECTS, ["kelp", "kelp", "dung", "ash", "ash"]) == 19 + 13 + 8 + 13 + 12
    assert best_use(EFFECTS, dict.fromkeys(EFFECTS, 2), DAYS) == ["kelp", "kelp", "dung", "ash", "ash"]


def test_the_best_use_of_the_days_that_remain_goes_on_with_the_plan() -> None:
    left = {"kelp": 0, "dung": 1, "ash": 2, "peat": 2}
    assert best_use(EFFECTS, left, 2) == ["ash", "ash"]
    assert best_use(EFFECTS, left | {"ash": 0}, 2) == ["dung", "peat"]


def test_a_setup_with_known_effects_is_judged_by_what_is_measured_at_the_end() -> None:
    names = sorted(TABLE["situations"]["pumpkin"]["names"])
    task = drawn(0)
    effects = dict(zip(names, map(list, EFFECTS.values()), strict=True))
    task = msgspec.structs.replace(
        task,
        setup={**task.setup, "effects": effects, "start": 40},
        criterion=msgspec.structs.replace(task.criterion, expected=40 + 65),
    )
    good = [names[0], names[0], names[1], names[2], names[2]]
    assert verdict(task, good).success
    # The other way round: 12 + 4, 12 + 3, 2 + 2 * 3, -5 + 6 and -5.
    assert verdict(task, good[::-1]).because == ("75 were measured, not at least 105",)
    assert verdict(task, good[:4]).because == ("4 of 5 days were used, so nothing was measured",)


def verdict(task: Task, uses: list[str]) -> Any:
    episode = begun(task)
    for name in uses:
        after(episode, "use", name)
    return episode.judge(episode.snapshot())


def test_every_simple_order_falls_short_and_the_best_plan_does_not() -> None:
    for number in range(20):
        task = drawn(number)
        effects, start = task.setup["effects"], task.setup["start"]
        best = best_use(effects, dict.fromkeys(effects, 2), DAYS)
        assert start + total(effects, best) >= task.criterion.expected
        at_once = sorted(effects, key=lambda name: -effects[name][0])
        assert start + total(effects, [at_once[0], at_once[0], at_once[1], at_once[1], at_once[2]]) < (
            task.criterion.expected
        )
        assert min(now for now, _ in effects.values()) < 0


def test_a_report_is_shown_until_the_next_trial_and_not_after_the_first_use() -> None:
    task = drawn(1)
    first, second = sorted(task.setup["effects"])[:2]
    episode = begun(task)
    assert after(episode, "try_out", first).observation["report"] == [task.setup["reports"][first]]
    assert after(episode, "try_out", second).observation["report"] == [task.setup["reports"][second]]
    used = after(episode, "use", first).observation
    assert (used["report"], used["day"], used["tried"]) == ([], 2, [first, second])


def test_a_trial_is_made_once_before_the_first_use_and_a_means_is_used_up_after_two() -> None:
    name, other = sorted(drawn(1).setup["effects"])[:2]
    episode = begun(drawn(1))
    after(episode, "try_out", name)
    assert after(episode, "try_out", name).error == f"{name} has been tried"
    after(episode, "use", name)
    assert after(episode, "try_out", other).error == "trials are over"
    after(episode, "use", name)
    assert after(episode, "use", name).error == f"there is no more {name}"
    assert episode.snapshot() == {"tried": [name], "used": [name, name], "measured": None}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_wording_of_a_report_is_read_back(situation: str) -> None:
    for kind, wordings in TABLE["reports"].items():
        for wording in wordings:
            said = wording.format(name=TABLE["situations"][situation]["names"][0], n=12, m=3)
            found, slots = REPORTS.read(said)
            assert (found, slots["n"], slots["m"]) == (kind, "12", "3")


def test_what_is_shown_after_the_trials_is_the_same_whatever_they_showed() -> None:
    """Without memory the days cannot be told apart by what the means do: only by their number and what is left."""
    task = drawn(2)
    shown = []
    for effects in list(permutations(task.setup["effects"].values()))[:3]:
        setup = {
            **task.setup,
            "effects": dict(zip(task.setup["effects"], effects, strict=True)),
        }
        episode = begun(msgspec.structs.replace(task, setup=setup))
        names = sorted(setup["effects"])
        shown.append([after(episode, "use", name).observation for name in names])
    assert shown[0] == shown[1] == shown[2]


def test_the_solver_without_memory_or_foresight_fails() -> None:
    for number in range(10):
        task = drawn(number)
        solved = play(FAMILY, task, BASELINE, Stream("f"), FAMILY.oracle)
        assert (solved.judgement.success, solved.actions) == (True, task.needed)
        for policy in (FAMILY.novice, partial(Forgetful, make=FAMILY.oracle)):
            assert not play(FAMILY, task, BASELINE, Stream("f"), policy).judgement.success


def test_the_reward_is_declared_with_its_step() -> None:
    task = drawn(0)
    assert (task.needed, task.delay) == (9, 4)
    assert "at the end of day 5" in task.criterion.text
    assert list(FAMILY.arms) == ["model_free"]
    assert FAMILY.in_arm(task, "model_free") == task


def test_nothing_is_used_by_a_subject_that_only_tries() -> None:
    episode = begun(drawn(3))
    for name in sorted(drawn(3).setup["effects"]):
        episode.act("try_out", {"name": name})
    episode.act("finish", {"achieved": True})
    assert not episode.judge(episode.snapshot()).success


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_a_misread_name_is_still_most_like_itself(situation: str) -> None:
    story = TABLE["situations"][situation]
    names = story["names"]
    for name in names:
        for number in range(20):
            assert nearest(misread(name, "words", 1.0, Stream("misread", number)), names) == name
