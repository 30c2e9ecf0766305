"""Pipeline: which calls fail, what failing leaves behind, and how it is put right."""

from __future__ import annotations

from itertools import groupby, product

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Task, draw_task, shipped_regimes
from assay.worlds.families.pipeline import (
    MOST,
    RULES,
    TABLE,
    Pipeline,
    PipelineOperator,
    _asked,
    _calls,
    _joined,
    _told,
)

FAMILY = Pipeline()
BASELINE = shipped_regimes()["Baseline"]
STAGES = [Act("extract", {"source": "first"}), Act("extract", {"source": "lookup"})]


def task(level: int, number: int = 0, faults: dict[int, str] | None = None) -> Task:
    """An instance; with ``faults``, those and no others."""
    found = draw_task(FAMILY, level, Stream("pipeline", level, number))
    if faults is not None:
        found.setup["faults"][:] = [faults.get(call, "") for call in range(60)]
    return found


def plan(of: Task) -> list[Act]:
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        return PipelineOperator(episode.brief)._plan
    finally:
        episode.close()


def judged(of: Task, acts: list[Act]) -> tuple[tuple[str, ...], list[str]]:
    """Why it is wrong, and the errors there were."""
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        episode.begin()
        errors = [episode.act(act.name, act.arguments).error for act in acts]
        return episode.judge(episode.snapshot()).because, errors
    finally:
        episode.close()


@pytest.mark.parametrize("level", [4, 5])
def test_one_call_in_five_fails_and_never_three_in_a_row(level: int) -> None:
    for number in range(30):
        faults = task(level, number).setup["faults"]
        assert sum(map(bool, faults)) * 5 == len(faults)
        assert max(len(list(run)) for bad, run in groupby(faults, bool) if bad) <= 2


@pytest.mark.parametrize("level", [4, 5])
def test_the_seven_calls_of_a_plan_meet_two_faults(level: int) -> None:
    for number in range(30):
        assert sum(map(bool, task(level, number).setup["faults"][:7])) == 2


def test_all_stages_in_order_are_success() -> None:
    of = task(4, faults={})
    assert judged(of, plan(of)) == ((), [""] * 7)


@pytest.mark.parametrize("level", [4, 5])
def test_the_budget_tells_nothing_about_the_faults(level: int) -> None:
    tasks = [task(level, number) for number in range(30)]
    assert {of.most for of in tasks} == {MOST[level]}
    assert all(of.needed < of.most for of in tasks)


EMPTY_TABLE = Act("empty", {"what": "table"})
BROKE_OFF = "load: the tool broke off and gave no answer"


@pytest.mark.parametrize(
    ("fault", "recovery"),
    [("down", ["load"]), ("part", ["empty", "load"]), ("mute", [])],
)
def test_one_error_stands_for_three_states_and_each_needs_its_own_recovery(
    fault: str, recovery: list[str]
) -> None:
    """E4 asks for recovery beyond repeating the call (10.7.2): what was done has to be looked at."""
    acts = plan(task(4, faults={}))
    ways = {"": [], "load": [acts[-1]], "empty load": [EMPTY_TABLE, acts[-1]]}
    for way, more in ways.items():
        because, errors = judged(task(4, faults={6: fault}), [*acts, *more])
        assert errors[6] == BROKE_OFF
        right = way == " ".join(recovery) or way == "empty load"
        assert (because == ()) is right, (fault, way)
    assert _calls(["", "", "", "", "", "", fault, "", "", ""]) == 7 + len(recovery)


def test_a_stage_that_is_run_again_adds_to_what_is_there() -> None:
    of = task(4, faults={0: "part"})
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        episode.begin()
        half, both, none, whole = (
            episode.act(act.name, act.arguments).observation["reports"]
            for act in (STAGES[0], STAGES[0], Act("empty", {"what": "extract first"}), STAGES[0])
        )
        assert half[0]["written"] < half[0]["read"] == whole[0]["written"] < both[0]["written"]
        assert none == []
    finally:
        episode.close()


def test_lookup_rows_that_are_there_twice_double_what_is_joined() -> None:
    rows = [["1", "north", "5"], ["2", "south", "6"]]
    once, twice = [["north", "Ines"]], [["north", "Ines"], ["north", "Ines"]]
    assert _joined(rows, once, "drop") == [["1", "north", "5", "Ines"]]
    assert _joined(rows, twice, "drop") == [["1", "north", "5", "Ines"]] * 2
    assert _joined(rows, once, "keep")[1] == ["2", "south", "6", ""]


def test_at_level_five_a_stage_that_stops_half_way_says_nothing() -> None:
    of = task(5, faults={4: "part"})
    because, errors = judged(of, plan(of))
    assert errors == [""] * 7
    assert any("missing" in told for told in because)


def test_the_reports_show_what_was_not_said() -> None:
    of = task(5, faults={0: "part"})
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        episode.begin()
        report = episode.act("extract", {"source": "first"}).observation["reports"][0]
        assert report["written"] < report["read"] - report["dropped"]
    finally:
        episode.close()


def test_stages_need_those_before_them() -> None:
    of = task(4, faults={})
    _, errors = judged(of, [Act("load", {}), Act("join", {"unmatched": "keep"}), *STAGES])
    assert errors == ["join has not been run yet", "extract lookup has not been run yet", "", ""]


@pytest.mark.parametrize("number", range(6))
def test_the_wrong_rule_or_the_wrong_join_is_failure(number: int) -> None:
    of = task(4, number, faults={})
    acts = plan(of)
    other = {"drop": "keep", "keep": "drop"}[acts[5].arguments["unmatched"]]
    assert judged(of, [*acts[:5], Act("join", {"unmatched": other}), acts[6]])[0]
    for rule in RULES:
        because, _ = judged(of, [*acts[:4], Act("clean", {"rule": rule}), *acts[5:]])
        assert bool(because) == (rule != acts[4].arguments["rule"])


def test_every_part_of_a_goal_can_be_said_in_six_ways_that_are_told_apart() -> None:
    story = TABLE["situations"]["parcels"]
    for ways in product(("drop", "keep"), repeat=3):
        wanted = dict(zip(TABLE["rules"], ways, strict=True))
        assert all(len(set(TABLE["rules"][aspect][way])) >= 6 for aspect, way in wanted.items())
        for number in range(30):
            said = _told(story, wanted, Stream("told", number))
            found = _asked(TABLE["goals"][0].format(rules=said, **story))
            assert found[4].arguments["rule"] == RULES[ways[0], ways[1]]
            assert found[5].arguments["unmatched"] == ways[2]
