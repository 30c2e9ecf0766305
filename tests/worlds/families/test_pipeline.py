"""Pipeline: which calls fail, what failing leaves behind, and how it is put right."""

from __future__ import annotations

from itertools import groupby

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Task, draw_task, shipped_regimes
from assay.worlds.families.pipeline import RULES, Pipeline, PipelineOperator

FAMILY = Pipeline()
BASELINE = shipped_regimes()["Baseline"]
STAGES = [Act("extract", {"source": "main"}), Act("extract", {"source": "lookup"})]


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


def test_all_stages_in_order_are_success() -> None:
    of = task(4, faults={})
    assert judged(of, plan(of)) == ((), [""] * 5)


def test_a_half_load_repeated_is_failure_unless_the_table_is_emptied() -> None:
    of = task(4, faults={4: "part"})
    acts = plan(of)
    because, errors = judged(of, [*acts, acts[-1]])
    assert "half-way" in errors[4]
    assert "rows instead of" in because[0]
    assert judged(of, [*acts, Act("clear_table", {}), acts[-1]])[0] == ()


def test_at_level_five_a_stage_that_stops_half_way_says_nothing() -> None:
    of = task(5, faults={2: "part"})
    because, errors = judged(of, plan(of))
    assert errors == [""] * 5
    assert any("missing" in told for told in because)


def test_the_reports_show_what_was_not_said() -> None:
    of = task(5, faults={0: "part"})
    episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
    try:
        episode.begin()
        report = episode.act("extract", {"source": "main"}).observation["reports"][0]
        assert report["written"] < report["read"] - report["dropped"]
        again = episode.act("extract", {"source": "main"}).observation["reports"][0]
        assert again["written"] == again["read"] == len(of.setup["main"])
    finally:
        episode.close()


def test_a_tool_that_does_not_start_does_nothing() -> None:
    of = task(4, faults={4: "down"})
    because, errors = judged(of, plan(of))
    assert "nothing was done" in errors[4]
    assert because == ("the table is empty",)


def test_stages_need_those_before_them() -> None:
    of = task(4, faults={})
    _, errors = judged(of, [Act("load", {}), Act("join", {"unmatched": "keep"}), *STAGES[1:]])
    assert errors == ["join has not been run yet", "extract lookup has not been run yet", ""]


@pytest.mark.parametrize("number", range(6))
def test_the_wrong_rule_or_the_wrong_join_is_failure(number: int) -> None:
    of = task(4, number, faults={})
    acts = plan(of)
    other = {"drop": "keep", "keep": "drop"}[acts[3].arguments["unmatched"]]
    assert judged(of, [*acts[:3], Act("join", {"unmatched": other}), acts[4]])[0]
    for rule in RULES:
        because, _ = judged(of, [*acts[:2], Act("clean", {"rule": rule}), *acts[3:]])
        assert bool(because) == (rule != acts[2].arguments["rule"])
