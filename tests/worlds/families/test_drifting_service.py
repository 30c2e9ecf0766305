"""Drifting service: the tight setting counts, a lost job is lost, and a change must be read from the answers."""

from __future__ import annotations

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.drifting_service import FAILURES, TIMEOUTS, DriftingService, ServiceRules

from .modelling import acted, instances, rate, why

FAMILY = DriftingService()


def sends(settings: list[list[int]]) -> list[Act]:
    return [Act("send", {"parts": parts, "timeout": timeout}) for parts, timeout in settings]


def right(task: Task, course: str = "stationary") -> list[list[int]]:
    return [list(setting) for setting in task.criterion.expected[course]]


def test_settings_by_hand() -> None:
    rules = ServiceRules(start=4, each=2, most=6)
    assert rules.settings(6) == (1, 20)  # 4 + 2 * 6 = 16
    assert rules.settings(13) == (3, 15)  # parts of 5, 4 and 4: 14
    assert rules.answer(13, 2, 120) == "refused"
    assert rules.answer(13, 3, 10) == "slow"
    assert rules.answer(13, 3, 15) == "delivered"


@pytest.mark.parametrize("level", [3, 4])
def test_the_tight_settings_succeed_and_are_the_tightest(level: int) -> None:
    for task in instances(FAMILY, level, 20):
        for course, rows in task.setup["rules"].items():
            for rule, items, (parts, timeout) in zip(
                rows, task.setup["items"], right(task, course), strict=True
            ):
                rules = ServiceRules(*rule)
                assert rules.answer(items, parts, timeout) == "delivered"
                assert parts == 1 or rules.answer(items, parts - 1, TIMEOUTS[-1]) == "refused"
                shorter = TIMEOUTS.index(timeout) - 1
                assert shorter < 0 or rules.answer(items, parts, TIMEOUTS[shorter]) == "slow"
        assert why(FAMILY, task, *sends(right(task))) == ()


def test_generous_settings_are_told_apart() -> None:
    task = next(instances(FAMILY, 3))
    more, longer = right(task), right(task)
    more[0][0] += 1
    longer[1][1] = TIMEOUTS[-1]
    assert "parts where" in why(FAMILY, task, *sends(more))[0]
    assert "had a timeout of 120 s" in why(FAMILY, task, *sends(longer))[0]


def test_at_level_3_a_failed_call_loses_its_job() -> None:
    task = next(instances(FAMILY, 3))
    settings = right(task)
    settings[0][1] = TIMEOUTS[0]
    assert why(FAMILY, task, *sends(settings)) == ("job 1 was not delivered",)


def test_at_level_4_a_failed_call_can_be_made_good_but_not_three() -> None:
    task = next(instances(FAMILY, 4))
    settings = right(task)
    slow = [settings[0][0], TIMEOUTS[0]]
    assert why(FAMILY, task, *sends([slow] * (FAILURES - 1) + settings)) == ()
    played = acted(FAMILY, task, *sends([slow] * FAILURES + settings))
    assert "closed" in played.seen[FAILURES + 1].error
    assert len(played.judgement.because) == len(settings)


def test_at_level_4_the_old_settings_fail_when_the_service_has_changed() -> None:
    for task in instances(FAMILY, 4):
        changes = [at for at, rule in enumerate(task.setup["rules"]["drifted"]) if rule != _manual(task)]
        first = changes[0]
        assert first > 0, "the manual holds at first"
        assert changes == list(range(first, len(task.setup["items"]))), "and what has changed stays so"
        old = right(task)[first]
        rules = ServiceRules(*task.setup["rules"]["drifted"][first])
        assert rules.answer(task.setup["items"][first], *old) != "delivered"


def _manual(task: Task) -> list[int]:
    return list(task.setup["rules"]["stationary"][0])


def test_every_kind_of_change_turns_up() -> None:
    kinds = set()
    for task in instances(FAMILY, 4):
        after = task.setup["rules"]["drifted"][-1]
        kinds |= {at for at in range(3) if after[at] != _manual(task)[at]}
    assert kinds == {0, 1, 2}


def test_only_drift_defeats_who_believes_the_manual() -> None:
    assert rate(FAMILY, 4, "Baseline", FAMILY.novice) == 1
    assert rate(FAMILY, 4, "Moderate-Standard", FAMILY.novice) < 0.1
    assert rate(FAMILY, 3, "Moderate-Standard", FAMILY.novice) == 1, "level 3 does not drift"


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
