"""The meter counts what was used, and refuses the call that would go beyond the budget."""

from __future__ import annotations

import time

import pytest

from assay.bench.meter import Meter
from assay.errors import BudgetReached
from assay.study.model import Budget, Price
from assay.vocabulary import Usage


def test_without_a_budget_nothing_is_refused() -> None:
    meter = Meter(Budget())
    for _ in range(1000):
        meter.take_call()
        meter.take_reply(Usage(10**6, 10**6), Price(100, 100), 1000.0)
    assert (meter.calls, meter.replies) == (1000, 1000)


def test_the_budget_of_calls_allows_exactly_that_many() -> None:
    meter = Meter(Budget(calls=3))
    for _ in range(3):
        meter.take_call()
    for _ in range(2):
        with pytest.raises(BudgetReached, match="3 calls"):
            meter.take_call()
    assert meter.calls == 3


def test_the_budget_of_tokens_counts_both_ways() -> None:
    meter = Meter(Budget(tokens=100))
    meter.take_call()
    meter.take_reply(Usage(60, 39), None, 1.0)
    meter.take_call()
    meter.take_reply(Usage(1, 0), None, 1.0)
    with pytest.raises(BudgetReached, match="100 tokens"):
        meter.take_call()
    assert (meter.input_tokens, meter.output_tokens) == (61, 39)


def test_the_budget_of_money_follows_the_price_per_million() -> None:
    meter = Meter(Budget(cost=0.5))
    meter.take_call()
    assert meter.take_reply(Usage(100_000, 10_000), Price(2.0, 30.0), 1.0) == pytest.approx(0.5)
    with pytest.raises(BudgetReached, match=r"0\.5 is spent"):
        meter.take_call()


def test_without_a_price_or_counts_it_is_not_known_what_a_reply_costs() -> None:
    meter = Meter(Budget())
    assert meter.take_reply(Usage(1000, 1000), None, 1.0) is None
    assert meter.take_reply(Usage(), Price(1, 1), 1.0) is None
    assert (meter.cost, meter.replies) == (0, 2)


def test_the_budget_of_time_includes_earlier_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    meter = Meter(Budget(seconds=60))
    meter.spent_before = 50.0
    now += 9.9
    meter.take_call()
    now += 0.1
    with pytest.raises(BudgetReached, match="60 s"):
        meter.take_call()
    assert (meter.seconds, meter.calls) == (60.0, 1)


def test_the_subjects_time_is_the_sum_over_replies() -> None:
    meter = Meter(Budget())
    meter.take_reply(Usage(), None, 1.5)
    meter.take_reply(Usage(), None, 2.0)
    assert meter.subject_seconds == 3.5


@pytest.mark.parametrize("budget", [Budget(tokens=100), Budget(cost=1.0)])
def test_a_budget_that_cannot_be_kept_because_nothing_is_reported_stops_the_run(budget: Budget) -> None:
    meter = Meter(budget)
    meter.take_call()
    meter.take_reply(Usage(), Price(1.0, 1.0), 0.1)
    with pytest.raises(BudgetReached, match="without token counts"):
        meter.take_call()
