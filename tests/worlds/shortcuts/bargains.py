"""Shortcuts to `bargains`: a place of the list, whoever sells."""

from __future__ import annotations

from assay.worlds import Act
from assay.worlds.families.social.bargains import PRICES, Haggler

from .running_partners import Rule, by_rule

__all__ = ["SHORTCUTS"]


def _place(place: int) -> Rule:
    return lambda reader, case, log: Act("offer", {"price": case["prices"][place]})


RULES: dict[str, Rule] = {
    **{f"price {place + 1} of the list": _place(place) for place in range(PRICES)},
    "the place of the last limit": lambda reader, case, log: Act(
        "offer", {"price": case["prices"][_last(reader, log)]}
    ),
    "the place of this one's last limit": lambda reader, case, log: Act(
        "offer",
        {"price": case["prices"][_last(reader, [entry for entry in log if entry["who"] == case["who"]])]},
    ),
    "in turn": lambda reader, case, log: Act("offer", {"price": case["prices"][len(log) % PRICES]}),
}


def _last(reader: object, log: list[dict[str, object]]) -> int:
    if not log:
        return 2
    assert isinstance(reader, Haggler)
    prices = log[-1]["prices"]
    assert isinstance(prices, list)
    return prices.index(min(prices, key=lambda price: abs(price - reader.past(log[-1])[1])))


SHORTCUTS = {5: by_rule(Haggler, RULES)}
