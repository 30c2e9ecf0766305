"""Accounts: balances and their sum, fees, and the one plan that keeps every floor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.accounts import BOOK, FEES, TABLE, Accounts, post
from tests.worlds.shortcuts.accounts import SHORTCUTS

from .modelling import acted, instances, rate, taken_for_another, why

FAMILY = Accounts()


def recorded(found: dict[str, int]) -> list[Act]:
    return [Act("set_balance", {"account": name, "balance": has}) for name, has in found.items()]


def plans_that_hold(task: Task, course: str = "stationary") -> list[str]:
    expected = task.criterion.expected
    return [
        plan
        for plan, ends in expected["ends"][course].items()
        if all(end >= expected["floors"][name] for name, end in ends.items())
    ]


def approve(task: Task, plan: str, off: int = 0) -> Act:
    lowest = min(task.criterion.expected["ends"]["stationary"][plan].values())
    return Act("approve", {"plan": plan, "lowest": lowest + off})


def test_a_fee_is_taken_from_the_sender_and_kept() -> None:
    balances = {"Travel": 100, "Youth": 50, FEES: 1}
    post(balances, "transfer", 30, "Travel", "Youth", 4)
    assert balances == {"Travel": 66, "Youth": 80, FEES: 5}
    post(balances, "withdraw", 6, "Travel", "", 4)
    post(balances, "deposit", 9, "Youth", "", 4)
    assert balances == {"Travel": 60, "Youth": 89, FEES: 5}


@given(
    st.lists(
        st.tuples(st.sampled_from(["deposit", "withdraw", "transfer"]), st.integers(1, 500)), max_size=8
    ),
    st.integers(0, 20),
)
@settings(max_examples=40, deadline=None)
def test_the_sum_changes_only_by_payments_in_and_out(booked: list[tuple[str, int]], fee: int) -> None:
    balances = {"Travel": 900, "Youth": 700, FEES: 0}
    change = 0
    for kind, n in booked:
        post(balances, kind, n, "Travel", "Youth", fee)
        change += {"deposit": n, "withdraw": -n, "transfer": 0}[kind]
    assert sum(balances.values()) == 1600 + change
    assert balances[FEES] == fee * sum(kind == "transfer" for kind, _ in booked)


@pytest.mark.parametrize("level", [1, 2])
def test_the_right_balances_succeed_and_each_wrong_one_is_named(level: int) -> None:
    for task in instances(FAMILY, level, 10):
        right: dict[str, int] = task.criterion.expected
        assert why(FAMILY, task, *recorded(right)) == ()
        for name, has in right.items():
            found = why(FAMILY, task, *recorded({**right, name: has + 2}))
            assert found == (f"{name} has {has}, not {has + 2}", "the sum is off by +2")


def test_money_in_the_wrong_account_keeps_the_sum_and_fails() -> None:
    task = next(instances(FAMILY, 2))
    right: dict[str, int] = task.criterion.expected
    a, b, *_ = right
    found = why(FAMILY, task, *recorded({**right, a: right[a] + 5, b: right[b] - 5}))
    assert len(found) == 2
    assert not any("sum" in told for told in found)


def test_an_account_that_was_not_recorded_is_named() -> None:
    task = next(instances(FAMILY, 2))
    right = {name: has for name, has in task.criterion.expected.items() if name != FEES}
    assert why(FAMILY, task, *recorded(right)) == (f"{FEES} was not recorded",)


def test_at_level_2_there_are_five_transactions_and_fees_are_paid() -> None:
    for task in instances(FAMILY, 2):
        assert len(task.setup["told"]) == 5
        assert task.criterion.expected[FEES] >= task.setup["start"][FEES] + 2 * task.setup["fee"]
    assert rate(FAMILY, 2, "Baseline", FAMILY.novice) == 0, "who forgets fees fails"


def test_at_level_5_exactly_one_plan_keeps_every_floor() -> None:
    for task in instances(FAMILY, 5, 200):
        assert len(plans_that_hold(task)) == len(plans_that_hold(task, "drifted")) == 1
        assert min(task.setup["start"].values()) > 0


def test_at_level_5_the_right_plan_needs_the_right_forecast() -> None:
    task = next(instances(FAMILY, 5))
    (right,) = plans_that_hold(task)
    assert why(FAMILY, task, approve(task, right)) == ()
    (told,) = why(FAMILY, task, approve(task, right, off=1))
    assert told.startswith("the lowest balance is")


def test_at_level_5_a_wrong_plan_breaks_a_floor_however_well_it_is_foreseen() -> None:
    for task in instances(FAMILY, 5, 20):
        for plan in sorted({*"ABCD"} - set(plans_that_hold(task))):
            found = why(FAMILY, task, approve(task, plan))
            assert found
            assert all("below its floor" in told for told in found)


def test_an_approval_is_final() -> None:
    task = next(instances(FAMILY, 5))
    (right,) = plans_that_hold(task)
    wrong = next(plan for plan in "ABCD" if plan != right)
    played = acted(FAMILY, task, approve(task, wrong), approve(task, right))
    assert "final" in played.seen[2].error
    assert not played.judgement.success
    assert why(FAMILY, task) == ("no plan was approved",)


def test_at_level_5_a_changed_fee_shows_in_balances_alone_and_decides() -> None:
    for task in instances(FAMILY, 5):
        told = task.setup["told"]
        differ = [
            (BOOK.read(a), BOOK.read(b))
            for a, b in zip(told["stationary"], told["drifted"], strict=True)
            if a != b
        ]
        assert differ
        assert all(kind == other == "balance" for (kind, _), (other, _) in differ)
        old, new = (
            {
                (plan, min(task.criterion.expected["ends"][course][plan].values()))
                for plan in plans_that_hold(task, course)
            }
            for course in ("stationary", "drifted")
        )
        assert old != new, "who goes by the old fee is wrong"


def test_who_keeps_to_the_first_fee_is_defeated_by_drift_alone() -> None:
    fixed = SHORTCUTS[5]["the fee of the list"]
    assert rate(FAMILY, 5, "Baseline", fixed) == 1
    assert rate(FAMILY, 5, "Severe-Standard", fixed) == 0


def test_who_lets_announcements_be_fails_at_level_5() -> None:
    assert rate(FAMILY, 5, "Baseline", FAMILY.novice) < 0.1


@pytest.mark.parametrize("regime", list(shipped_regimes()))
@pytest.mark.parametrize("level", [1, 2, 5])
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert rate(FAMILY, level, regime, FAMILY.oracle, held_out=True, count=40) == 1


def test_no_misread_account_looks_like_another() -> None:
    for story in TABLE["situations"].values():
        assert not taken_for_another([*story["accounts"], FEES])
