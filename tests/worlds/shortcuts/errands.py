"""Shortcuts to `errands`: one kind of order, whoever helps."""

from __future__ import annotations

from typing import Any

from assay.worlds import Act
from assay.worlds.families.social.errands import Orderer

from .running_partners import Rule, by_rule

__all__ = ["SHORTCUTS"]


def _order(amount: int, remind: bool) -> Act:
    return Act("order", {"amount": max(1, min(200, amount)), "remind": remind})


def _short(case: dict[str, Any], log: list[dict[str, Any]], reader: Any) -> int:
    """What was missing the last time, on top."""
    return case["needed"] + (log[-1]["amount"] - reader.past(log[-1])[1] if log else 0)  # type: ignore[no-any-return]


RULES: dict[str, Rule] = {
    "what is needed, with a reminder": lambda reader, case, log: _order(case["needed"], True),
    "twice, with a reminder": lambda reader, case, log: _order(2 * case["needed"], True),
    "what was missing the last time on top": lambda reader, case, log: _order(
        _short(case, log, reader), False
    ),
    "what was missing with this one the last time on top": lambda reader, case, log: _order(
        _short(case, [entry for entry in log if entry["who"] == case["who"]], reader), False
    ),
    "a reminder every second time": lambda reader, case, log: _order(case["needed"], len(log) % 2 == 0),
}
SHORTCUTS = {5: by_rule(Orderer, RULES)}
