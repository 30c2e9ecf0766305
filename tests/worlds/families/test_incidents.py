"""Incidents: what a report must say, what logs tell, and what asking costs."""

from __future__ import annotations

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.incidents import Incidents
from assay.worlds.templates import table

from .sensing import acted, begun, instances, lost, tried

FAMILY = Incidents()
DOMAINS = table("incidents")["domains"]


def report(task: Task, **other: str) -> Act:
    return Act("report", {**task.criterion.expected[0], **other})


def other(task: Task, key: str) -> str:
    """Something else that could be reported."""
    options = task.actions[0].parameters["properties"][key]["enum"]
    return str(next(option for option in options if option != task.criterion.expected[0][key]))


@pytest.mark.parametrize("level", [2, 3, 5])
def test_part_and_cause_must_both_be_right(level: int) -> None:
    task = next(instances(FAMILY, level))
    assert tried(FAMILY, task, report(task)) == (True, ())
    assert tried(FAMILY, task, report(task, part=other(task, "part"))) == (False, ("the part is wrong",))
    assert tried(FAMILY, task, report(task, cause=other(task, "cause"))) == (False, ("the cause is wrong",))
    assert tried(FAMILY, task) == (False, ("nothing was reported",))


def test_a_report_is_final() -> None:
    task = next(instances(FAMILY, 2))
    wrong = report(task, cause=other(task, "cause"))
    played = acted(FAMILY, task, wrong, report(task))
    assert "already" in played.seen[2].error
    assert not played.judgement.success


def test_level_2_shows_every_log_level_5_only_the_first() -> None:
    for level, shown in ((2, 9), (5, 1)):
        task = next(instances(FAMILY, level))
        seen = begun(FAMILY, task).act("look", {}).observation
        assert len(seen["logs"]) == shown
        assert len(seen["parts"]) == {2: 9, 5: 12}[level]


def chain(task: Task) -> list[str]:
    """The parts from the first one to the fault, by what each waits for."""
    tracer = FAMILY.solver(begun(FAMILY, task).brief)
    found = [task.actions[0].parameters["properties"]["part"]["enum"][0]]
    while (trouble := tracer.trouble(task.setup["logs"][found[-1]], task.setup["began"]))[0] == "lead":
        found.append(trouble[1])
    assert (found[-1], trouble[1]) == tuple(task.criterion.expected[0].values())
    return found


def test_level_3_does_not_say_what_is_missing() -> None:
    """10.4.3: what is missing has to be detected. Any log of the chain may be missing, one or two of them are."""
    missing = []
    for task in instances(FAMILY, 3, 60):
        lacks = [place for place, part in enumerate(chain(task)) if part not in task.setup["shown"]]
        assert 1 <= len(lacks) <= 2
        assert len(task.setup["shown"]) == 3 + 3 - len(lacks)
        assert (task.queries, task.queries_needed, task.needed) == (3, 2, 3)
        assert not {"logs", "queries", "ask", "missing"} & set(task.goal.lower().replace(",", "").split())
        missing += lacks
    assert all(missing.count(place) > 10 for place in range(3))


def test_a_log_that_was_read_stays_in_sight_and_is_charged() -> None:
    task = next(instances(FAMILY, 3))
    episode = begun(FAMILY, task)
    part = next(p for p in task.setup["logs"] if p not in task.setup["shown"])
    seen = episode.act("read_log", {"part": part})
    assert seen.observation["logs"][part] == task.setup["logs"][part]
    assert seen.queries_left == 2
    assert part in episode.act("look", {}).observation["logs"]


def test_a_part_without_a_log_is_an_error() -> None:
    task = next(instances(FAMILY, 3))
    silent = next(
        p for p in task.actions[0].parameters["properties"]["part"]["enum"] if p not in task.setup["logs"]
    )
    assert "keeps no log" in begun(FAMILY, task).act("read_log", {"part": silent}).error


def test_the_budget_is_five_and_three_under_severe_limits() -> None:
    task = next(instances(FAMILY, 5))
    assert begun(FAMILY, task).queries == 5
    assert begun(FAMILY, task, "Severe-Standard").queries == 3 == task.queries_needed


def test_broken_parts_beside_the_chain_look_like_the_one_at_its_end() -> None:
    """As many lines, and as early: neither the clock nor the length of a log tells them apart."""
    right: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for task in instances(FAMILY, 2, 60):
        for part, lines in task.setup["logs"].items():
            for line in lines:
                if any(line[6:] in said for d in DOMAINS.values() for said in d["causes"].values()):
                    group = right if part == task.criterion.expected[0]["part"] else others
                    group.append((len(lines), minutes(task.setup["began"]) - minutes(line[:5])))
    assert (len(right), len(others)) == (60, 180)
    for at in (0, 1):
        means = [sum(one[at] for one in group) / len(group) for group in (right, others)]
        assert abs(means[0] - means[1]) < (0.2, 3)[at]


def minutes(clock: str) -> int:
    return 60 * int(clock[:2]) + int(clock[3:])


@pytest.mark.parametrize("domain", list(DOMAINS))
def test_no_line_names_its_cause(domain: str) -> None:
    for cause, lines in DOMAINS[domain]["causes"].items():
        for line in lines:
            assert not {word for word in cause.split() if len(word) > 3} & set(line.lower().split()), line


def test_reading_logs_as_they_are_listed_is_not_enough() -> None:
    solved = [
        acted(FAMILY, task, *[Act("read_log", {"part": p}) for p in list(task.setup["logs"])[:5]])
        for task in instances(FAMILY, 5, 40)
    ]
    found = [
        task.criterion.expected[0]["part"] in played.seen[-1].observation["logs"]
        for task, played in zip(instances(FAMILY, 5, 40), solved, strict=True)
    ]
    assert sum(found) < 28


@pytest.mark.parametrize("level", [2, 3, 5])
@pytest.mark.parametrize("regime", list(shipped_regimes()))
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert not lost(FAMILY, level, regime, 30, held_out=True)
