"""What a run has used, and the budget it may use."""

from __future__ import annotations

import time
from collections import Counter

from assay.errors import BudgetReached
from assay.study.model import Budget, Price
from assay.vocabulary import Usage

__all__ = ["Meter"]


class Meter:
    """Counts calls, tokens, money and time; refuses the call that would go beyond the budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.calls = 0  # tries that were sent
        self.replies = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost = 0.0
        self.subject_seconds = 0.0
        self.faults: Counter[str] = Counter()
        self.first_faults: dict[
            tuple[str, str], str
        ] = {}  # (subject, fault) → what was said, in this session
        self.unreported = 0  # replies that do not say how many tokens they took, where that counts
        self.resent = 0
        self.spent_before = 0.0  # seconds of earlier sessions
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.spent_before + time.monotonic() - self._begun

    def take_call(self) -> None:
        """Before every try. What is under way already may still take tokens past the mark."""
        budget = self.budget
        if budget.calls is not None and self.calls >= budget.calls:
            raise BudgetReached(f"the budget of {budget.calls} calls is used up")
        if self.unreported and (budget.tokens is not None or budget.cost is not None):
            raise BudgetReached(
                "a reply came without token counts, so a budget in tokens or money cannot be kept; "
                "give one in calls or wall time"
            )
        if budget.tokens is not None and self.input_tokens + self.output_tokens >= budget.tokens:
            raise BudgetReached(f"the budget of {budget.tokens} tokens is used up")
        if budget.cost is not None and self.cost >= budget.cost:
            raise BudgetReached(f"the budget of {budget.cost:g} is spent")
        if budget.seconds is not None and self.seconds >= budget.seconds:
            raise BudgetReached(f"the budget of {budget.seconds:g} s is used up")
        self.calls += 1

    def take_reply(self, usage: Usage, price: Price | None, seconds: float) -> float | None:
        """Count a reply; returns what it cost, or None where no price or no count of tokens tells."""
        given, taken = usage.input or 0, usage.output or 0
        self.replies += 1
        if (usage.input is None or usage.output is None) and (price or self.budget.tokens is not None):
            self.unreported += 1
        self.input_tokens += given
        self.output_tokens += taken
        self.subject_seconds += seconds
        if price is None or (usage.input is None and usage.output is None):
            return None
        cost = (given * price.input + taken * price.output) / 1e6
        self.cost += cost
        return cost
