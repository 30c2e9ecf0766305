from __future__ import annotations

from typing import Any

from assay.streams import Stream
from assay.worlds import Episode, Task, shipped_regimes
from assay.worlds.families.metering import LEAST, MOST, STEP, UNITS, Metering
from assay.worlds.learning import Variant

FAMILY = Metering()
SECRET = {"units": {"K": [2, 3], "M": [1, -1], "R": [4, 0], "T": [3, -3]}, "order": ["T", "K", "R", "M"]}


def drawn(variant: Variant, number: int = 0) -> Task:
    return FAMILY.draw(variant, SECRET, Stream("metering", number))


def opened(task: Task) -> Episode:
    episode = Episode(FAMILY, task, shipped_regimes()["Baseline"], Stream("faults"))
    episode.begin()
    return episode


def test_the_right_entries_bring_out_what_is_wanted_in_the_units_order() -> None:
    task = drawn("practice")
    episode = opened(task)
    seen: Any = None
    for line, entry in task.criterion.expected:
        seen = episode.act("serve", {"line": line, "entry": entry})
    assert episode.judge(episode.snapshot()).success
    wanted = {one["line"]: one["wanted"] for one in seen.observation["lines"]}
    assert {one["line"]: one["came_out"] for one in seen.observation["served"]} == wanted
    assert [one["line"] for one in seen.observation["served"]] == [x for x in SECRET["order"] if x in wanted]


def test_one_right_entry_tells_a_lines_unit_apart_from_all_others() -> None:
    for wanted in range(STEP * LEAST, STEP * MOST + 1, STEP):
        assert len({wanted // scale - zero for scale, zero in UNITS}) == len(UNITS)


def test_the_judge_tells_a_wrong_entry_from_a_wrong_order() -> None:
    task = drawn("held_out")
    right = task.criterion.expected
    assert FAMILY.judge(task, {"served": right}, ()).because == ()
    assert FAMILY.judge(task, {"served": right[::-1]}, ()).because == (
        "the lines did not run in their order",
    )
    first, entry = right[0]
    wrong = [[first, entry + 1], *right[1:]]
    assert FAMILY.judge(task, {"served": wrong}, ()).because == (f"{first} did not get its quantity",)


def test_a_line_runs_once_and_a_program_runs_whole_or_not_at_all() -> None:
    task = drawn("practice")
    line, entry = task.criterion.expected[0]
    episode = opened(task)
    episode.act("serve", {"line": line, "entry": 1})
    assert "already" in episode.act("serve", {"line": line, "entry": entry}).error
    task = drawn("shifted")
    steps = [{"line": line, "entry": entry} for line, entry in task.criterion.expected]
    episode = opened(task)
    for bad in ([], steps[:2], [*steps, steps[0]], [steps[0]] * 3):
        assert "one step for each line" in episode.act("submit", {"steps": bad}).error
    assert episode.snapshot() == {"served": []}
    episode.act("submit", {"steps": steps})
    assert episode.judge(episode.snapshot()).success
