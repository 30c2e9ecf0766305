"""Accounts: numbers that are copied, kinds of events that are left out, plans that look right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy
from assay.worlds.base import finish
from assay.worlds.events import Follower, known, record_missing, whole
from assay.worlds.families.accounts import BOOK, SET, post

Pick = Callable[[list[dict[str, Any]]], dict[str, Any]]


class Bookkeeper(Follower):
    """Books some kinds of events with some fee, then records, or approves the plan that one rule picks."""

    def __init__(
        self,
        brief: Brief,
        leaves_out: tuple[str, ...] = ("balance",),
        free: bool = False,
        pick: Pick | None = None,
    ) -> None:
        super().__init__(brief)
        self._leaves_out, self._free, self._pick = leaves_out, free, pick

    def start(self, observation: dict[str, Any]) -> None:
        self.balances = {account["name"]: account["start"] for account in observation["accounts"]}
        self.fee = 0 if self._free else observation.get("fee", 0)

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        if kind in self._leaves_out:
            return
        a = known(slots["a"], list(self.balances))
        if kind == "balance":
            self.balances[a] = whole(slots["m"])
            return
        b = known(slots["b"], list(self.balances)) if "b" in slots else ""
        post(self.balances, kind, whole(slots["n"]), a, b, self.fee)

    def conclude(self, observation: dict[str, Any]) -> Act:
        if "plans" not in observation:
            return record_missing(observation["accounts"], *SET, self.balances)
        if observation["approved"]:
            return finish()
        floors = {account["name"]: account["floor"] for account in observation["accounts"]}
        ends = {}
        for plan in observation["plans"]:
            ends[plan["plan"]] = dict(self.balances)
            post(ends[plan["plan"]], "transfer", plan["amount"], plan["from"], plan["to"], self.fee)
        if self._pick:
            chosen = self._pick(observation["plans"])["plan"]
        else:
            chosen = max(ends, key=lambda plan: min(end - floors[name] for name, end in ends[plan].items()))
        return Act("approve", {"plan": chosen, "lowest": min(ends[chosen].values())})


def largest(plans: list[dict[str, Any]]) -> dict[str, Any]:
    return max(plans, key=lambda plan: int(plan["amount"]))


def smallest(plans: list[dict[str, Any]]) -> dict[str, Any]:
    return min(plans, key=lambda plan: int(plan["amount"]))


def commonest(plans: list[dict[str, Any]]) -> dict[str, Any]:
    ways = [(plan["from"], plan["to"]) for plan in plans]
    return max(plans, key=lambda plan: ways.count((plan["from"], plan["to"])))


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {
        "withdrawals alone": partial(Bookkeeper, leaves_out=("transfer", "deposit")),
        "deposits alone": partial(Bookkeeper, leaves_out=("transfer", "withdraw")),
    },
    2: {
        "no fees": partial(Bookkeeper, free=True),
        "no transfers": partial(Bookkeeper, leaves_out=("transfer",)),
    },
    5: {
        "the fee of the list": Bookkeeper,
        "balances, and the fee of the list": partial(Bookkeeper, leaves_out=()),
        "nothing that is announced": partial(Bookkeeper, leaves_out=("balance", "in", "out")),
        "no fees": partial(Bookkeeper, free=True),
        "the largest amount": partial(Bookkeeper, pick=largest),
        "the smallest amount": partial(Bookkeeper, pick=smallest),
        "the commonest way": partial(Bookkeeper, pick=commonest),
    },
}
