"""Shortcuts to `bids`: a number that is right for some rivals, whoever bids."""

from __future__ import annotations

from typing import Any

from assay.worlds import Act
from assay.worlds.families.social.bids import Bidder
from assay.worlds.families.social.partners import Modeller

from .running_partners import Rule, by_rule

__all__ = ["SHORTCUTS"]


def _bid(amount: float) -> Act:
    return Act("bid", {"amount": max(1, min(99, int(amount)))})


def _seen(reader: Modeller, log: list[dict[str, Any]]) -> list[int]:
    return [reader.past(entry)[1] for entry in log]


RULES: dict[str, Rule] = {
    "always 30": lambda reader, case, log: _bid(30),
    "one above the mean of all bids": lambda reader, case, log: _bid(sum(_seen(reader, log)) / len(log) + 1),
    "one above the highest bid": lambda reader, case, log: _bid(max(_seen(reader, log)) + 1),
    "one above the last bid": lambda reader, case, log: _bid(_seen(reader, log)[-1] + 1),
    "one above this one's last bid": lambda reader, case, log: _bid(
        _seen(reader, [entry for entry in log if entry["who"] == case["who"]])[-1] + 1
    ),
    "three quarters of what is announced": lambda reader, case, log: _bid(0.75 * case["said"] + 1),
}
SHORTCUTS = {5: by_rule(Bidder, RULES)}
