"""Drifting service: the tight setting counts, a lost job is lost, and a change shows in outcomes alone."""

from __future__ import annotations

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.drifting_service import MISSES, TIMEOUTS, Belief, DriftingService, ServiceRules
from tests.worlds.shortcuts.drifting_service import Sender

from .modelling import acted, instances, rate, why

FAMILY = DriftingService()


def sends(settings: list[list[int]]) -> list[Act]:
    return [Act("send", {"parts": parts, "timeout": timeout}) for parts, timeout in settings]


def right(task: Task, course: str = "stationary") -> list[list[int]]:
    return [list(setting) for setting in task.criterion.expected[course]]


def test_settings_and_outcomes_by_hand() -> None:
    rules = ServiceRules(start=4, each=2, most=6)
    assert rules.settings(6) == (1, 20)  # 4 + 2 * 6 = 16
    assert rules.settings(13) == (3, 15)  # parts of 5, 4 and 4: 14
    assert rules.outcome(13, 2, 120) == (False, 16), "it breaks off when a part is full"
    assert rules.outcome(13, 3, 10) == (False, 10)
    assert rules.outcome(13, 3, 15) == (True, 14)


@pytest.mark.parametrize("level", [3, 4])
def test_the_tight_settings_succeed_and_are_the_tightest(level: int) -> None:
    for task in instances(FAMILY, level, 20):
        for course, rows in task.setup["rules"].items():
            for rule, items, (parts, timeout) in zip(
                rows, task.setup["items"], right(task, course), strict=True
            ):
                rules = ServiceRules(*rule)
                assert rules.outcome(items, parts, timeout)[0]
                assert parts == 1 or not rules.outcome(items, parts - 1, TIMEOUTS[-1])[0]
                shorter = TIMEOUTS.index(timeout) - 1
                assert shorter < 0 or not rules.outcome(items, parts, TIMEOUTS[shorter])[0]
        assert why(FAMILY, task, *sends(right(task))) == ()


def test_generous_settings_are_told_apart() -> None:
    task = next(instances(FAMILY, 3))
    more, longer = right(task), right(task)
    more[0][0] += 1
    longer[1][1] = TIMEOUTS[-1]
    assert why(FAMILY, task, *sends(more))
    assert "had a timeout of 120 s" in why(FAMILY, task, *sends(longer))[0]


def test_a_failed_call_loses_its_job() -> None:
    task = next(instances(FAMILY, 3))
    settings = right(task)
    settings[0][1] = TIMEOUTS[0]
    assert why(FAMILY, task, *sends(settings)) == ("job 1 was not delivered",)


def test_at_level_4_three_jobs_may_be_lost_or_wasteful_but_not_four() -> None:
    task = next(instances(FAMILY, 4))
    settings = right(task)
    for number in range(MISSES[4]):
        settings[number][1] = TIMEOUTS[-1] if number else TIMEOUTS[0]
    assert why(FAMILY, task, *sends(settings)) == ()
    settings[MISSES[4]][1] = TIMEOUTS[-1]
    assert len(why(FAMILY, task, *sends(settings))) == MISSES[4] + 1


def test_at_level_4_one_number_changes_once_after_the_manual_has_held() -> None:
    kinds = set()
    for task in instances(FAMILY, 4):
        manual, rows = task.setup["rules"]["stationary"][0], task.setup["rules"]["drifted"]
        first = next(at for at, rule in enumerate(rows) if rule != manual)
        assert first >= 2
        assert all(rule == rows[-1] for rule in rows[first:])
        changed = [at for at in range(3) if rows[-1][at] != manual[at]]
        assert len(changed) == 1
        kinds.add((changed[0], rows[-1][changed[0]] > manual[changed[0]]))
    assert kinds == {(0, True), (1, True), (1, False), (2, False)}


def test_no_answer_names_a_rule_or_the_cause_of_a_failure() -> None:
    """An outcome has one number, the seconds that passed; both causes of a failure are told in the same words."""
    for task in instances(FAMILY, 4, 20):
        first = next(at for at, rule in enumerate(task.setup["rules"]["drifted"]) if rule != _manual(task))
        settings = [*right(task)[:first], [1, TIMEOUTS[-1]], [1, TIMEOUTS[0]]]
        seen = acted(FAMILY, task, *sends(settings), regime="Moderate-Standard").seen
        answers = [one.observation["answer"] for one in seen if one.observation.get("answer")]
        assert all(sum(word.strip(".,:;").isdigit() for word in said.split(" ")) <= 1 for said in answers)


def _manual(task: Task) -> list[int]:
    return list(task.setup["rules"]["stationary"][0])


def test_a_slower_service_is_learnt_from_two_calls_of_different_size() -> None:
    manual, now = ServiceRules(5, 4, 8), ServiceRules(5, 6, 8)
    belief = Belief(manual)
    for items in (8, 8, 12):
        used = belief.settings(items)
        belief.learn(items, used, now.outcome(items, *used))
    assert all(belief.settings(items) == now.settings(items) for items in range(1, 40))


def test_a_smaller_limit_is_learnt_from_when_the_call_broke_off() -> None:
    manual, now = ServiceRules(5, 4, 8), ServiceRules(5, 4, 5)
    belief = Belief(manual)
    belief.learn(8, belief.settings(8), now.outcome(8, *belief.settings(8)))
    assert all(belief.settings(items) == now.settings(items) for items in range(1, 40))


def test_only_drift_defeats_who_believes_the_manual() -> None:
    assert rate(FAMILY, 4, "Baseline", Sender) == 1
    assert rate(FAMILY, 4, "Moderate-Standard", Sender) == 0
    assert rate(FAMILY, 3, "Moderate-Standard", Sender) == 1, "level 3 does not drift"


def test_when_no_job_is_left_nothing_more_is_taken() -> None:
    task = next(instances(FAMILY, 3))
    settings = right(task)
    played = acted(FAMILY, task, *sends([*settings, settings[0]]))
    assert played.seen[len(settings) + 1].error == "no job is left"
    assert played.judgement.success


@pytest.mark.parametrize("regime", list(shipped_regimes()))
@pytest.mark.parametrize("level", [3, 4])
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert rate(FAMILY, level, regime, FAMILY.oracle, held_out=True, count=40) == 1
