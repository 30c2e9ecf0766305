"""Accounts: follow balances through transactions, and choose a transfer by what it would lead to. B.3.2, B.3.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, finish
from assay.worlds.events import (
    EVENT,
    NEXT,
    Follower,
    Phrasebook,
    Recording,
    known,
    listed,
    misrecorded,
    record_missing,
    whole,
)
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Accounts"]

TABLE = table("accounts")
BOOK = Phrasebook(TABLE["phrases"])
FEES = "Fees"
PLANS = ("A", "B", "C", "D")
_ACCOUNT = {"name": STRING, "start": integer("balance at the start")}
_FOLLOWED = array(
    obj(_ACCOUNT | {"recorded": {"type": ["integer", "null"], "description": "what set_balance has said"}})
)
OBSERVATIONS = {
    1: obj({"accounts": _FOLLOWED, "event": EVENT}),
    2: obj({"accounts": _FOLLOWED, "fee": INTEGER, "event": EVENT}),
    5: obj(
        {
            "accounts": array(obj(_ACCOUNT | {"floor": INTEGER})),
            "fee": integer("at the start"),
            "plans": array(obj({"plan": STRING, "from": STRING, "to": STRING, "amount": INTEGER})),
            "approved": {"type": ["string", "null"], "description": "the plan that was approved"},
            "event": EVENT,
        }
    ),
}
APPROVE = action(
    "approve",
    "Approve one of the plans, once and for all.",
    {
        "plan": text("which plan", options=list(PLANS)),
        "lowest": integer("the lowest balance of any account when the month ends", -99999, 99999),
    },
)
SET = "set_balance", ("account", "balance")


@cache
def set_balance(accounts: tuple[str, ...]) -> Action:
    return action(
        "set_balance",
        "Record what an account has. Recording it again replaces what was said before.",
        {"account": text("which account", options=list(accounts)), "balance": integer("", -99999, 99999)},
    )


def post(balances: dict[str, int], kind: str, n: int, a: str, b: str, fee: int) -> None:
    """Books a transaction. A transfer's fee is kept where there is an account for it."""
    if kind in ("deposit", "in"):
        balances[a] += n
        return
    balances[a] -= n
    if kind == "transfer":
        balances[a] -= fee
        balances[b] += n
        if FEES in balances:
            balances[FEES] += fee


Drawn = tuple[dict[str, Any], dict[str, Any]]


def _told(stream: Stream, money: str, kind: str, n: int, a: str, b: str) -> str:
    return BOOK.say(stream, kind, n=n, a=a, b=b, money=money)


def _transactions(
    stream: Stream, names: Sequence[str], kinds: Sequence[str]
) -> list[tuple[str, int, str, str]]:
    found = []
    for kind in kinds:
        a, b = stream.shuffled(names)[:2]
        found.append((kind, stream.integer(15, 140), a, b))
    return found


def _following(stream: Stream, money: str, names: tuple[str, ...], fee: int) -> Drawn:
    """Levels 1 and 2."""
    start = {name: stream.integer(720, 1900) for name in names}
    kinds: list[str] = [stream.choice(("deposit", "withdraw", "transfer"))]
    if fee:
        start[FEES] = stream.integer(0, 60)
        kinds = stream.shuffled(["transfer", "transfer", "deposit", "withdraw", *kinds])
    balances = dict(start)
    told = []
    for kind, n, a, b in _transactions(stream, names, kinds):
        post(balances, kind, n, a, b, fee)
        told.append(_told(stream, money, kind, n, a, b))
    return {"start": start, "told": told}, balances


def _choosing(stream: Stream, money: str, names: tuple[str, ...], fee: int) -> Drawn:
    """Level 5: ``short`` will fall below its floor; only ``able`` can help, and not with any amount.

    The balances at the end are drawn first, and what leads to them is taken back. A wrong plan sends too
    little, or forgets the fee, or helps the wrong account, or takes from ``weak``, which looks rich until its bill
    is paid. Where rules drift, the fee has changed before the transfer that is told (10.5.2): only the balance that its
    sender is later said to have shows it, and who goes by the old fee is wrong.
    """
    short, able, weak = names
    while True:
        lacks, spare = stream.integer(20, 80), stream.integer(6, 20)
        floors = {name: stream.integer(260, 480) for name in names}
        ends = {
            short: floors[short] - lacks,
            able: floors[able] + lacks + fee + spare,
            weak: floors[weak] + stream.integer(0, lacks - 5),
        }
        events = _transactions(stream, names, ("transfer", stream.choice(("deposit", "withdraw"))))
        sender = events[0][2]
        events.append(("out", lacks + stream.integer(10, 70), short, able))
        events.append(("out", lacks + spare + stream.integer(30, 90), weak, able))
        if stream.below(2):
            events.append(("in", stream.integer(12, 60), stream.choice(names), able))
        events = stream.shuffled(events)
        at = next(at for at, event in enumerate(events) if event[0] == "transfer")
        events.insert(stream.integer(at + 1, len(events)), ("balance", 0, sender, ""))
        events.insert(stream.below(len(events) + 1), ("balance", 0, stream.choice((short, able, weak)), ""))
        moved = dict.fromkeys(names, 0)
        _booked(moved, events, fee)
        start = {name: ends[name] - moved[name] for name in stream.shuffled(names)}
        enough = lacks + stream.integer(0, spare)
        wrong = [
            (able, short, lacks - stream.integer(3, 15)),
            (able, short, lacks + spare + stream.integer(1, fee)),
            (weak, short, enough),
            (weak, short, lacks - stream.integer(1, 9)),
            (able, weak, enough),
        ]
        plans = stream.shuffled([(able, short, enough), *stream.shuffled(wrong)[:3]])
        later = fee + stream.choice((-4, -3, -2, 3, 4, 5, 6, 7, 8, 9))
        fees = {"stationary": fee, "drifted": later}
        ends_by = {course: _outcomes(start, events, plans, now) for course, now in fees.items()}
        right = [_right(found, floors) for found in ends_by.values()]
        if later > 0 and all(len(found) == 1 for found in right) and right[0] != right[1]:
            break
    words = stream.bits64()  # both courses say the same events in the same words
    setup = {
        "start": start,
        "floors": floors,
        "told": {course: _reports(Stream(words), money, start, events, now) for course, now in fees.items()},
        "plans": [
            {"plan": plan, "from": source, "to": target, "amount": amount}
            for plan, (source, target, amount) in zip(PLANS, plans, strict=True)
        ],
    }
    return setup, {"ends": ends_by, "floors": floors}


Event = tuple[str, int, str, str]


def _booked(balances: dict[str, int], events: Sequence[Event], fee: int) -> None:
    for kind, n, a, b in events:
        if kind != "balance":
            post(balances, kind, n, a, b, fee)


def _outcomes(
    start: dict[str, int], events: Sequence[Event], plans: Sequence[tuple[str, str, int]], fee: int
) -> dict[str, dict[str, int]]:
    """What each plan leads to."""
    found = {}
    for plan, (source, target, amount) in zip(PLANS, plans, strict=True):
        found[plan] = dict(start)
        _booked(found[plan], [*events, ("transfer", amount, source, target)], fee)
    return found


def _right(ends: dict[str, dict[str, int]], floors: dict[str, int]) -> list[tuple[str, int]]:
    """The plans that keep every floor, each with the lowest balance."""
    return [
        (plan, min(found.values()))
        for plan, found in ends.items()
        if all(end >= floors[name] for name, end in found.items())
    ]


def _reports(
    stream: Stream, money: str, start: dict[str, int], events: Sequence[Event], fee: int
) -> list[str]:
    """The events in words. A balance is what the account has then, without what is only announced."""
    balances, told = dict(start), []
    for kind, n, a, b in events:
        if kind == "balance":
            told.append(BOOK.say(stream, kind, m=balances[a], a=a, money=money))
            continue
        if kind not in ("out", "in"):
            post(balances, kind, n, a, b, fee)
        told.append(_told(stream, money, kind, n, a, b))
    return told


_DRAWS = {1: _following, 2: _following, 5: _choosing}


class Books(Recording):
    """The events, the balances that were recorded, and the plan that was approved."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task, drift=drift)
        self._approved: str | None = None
        self._foreseen: int | None = None

    def look(self) -> dict[str, Any]:
        setup, seen = self.setup, {"event": self.event()}
        if self.level > 1:
            seen["fee"] = setup["fee"]
        if self.level < 5:
            return {**seen, "accounts": self.rows()}
        return {
            **seen,
            "accounts": [
                {"name": name, "start": had, "floor": setup["floors"][name]}
                for name, had in setup["start"].items()
            ],
            "plans": [dict(plan) for plan in setup["plans"]],
            "approved": self._approved,
        }

    def do_set_balance(self, account: str, balance: int) -> None:
        self.recorded[account] = balance

    def do_approve(self, plan: str, lowest: int) -> None:
        if self._approved is not None:
            raise Refused(f"plan {self._approved} has been approved already; an approval is final")
        self._approved, self._foreseen = plan, lowest

    def snapshot(self) -> dict[str, Any]:
        return {
            "recorded": dict(sorted(self.recorded.items())),
            "approved": self._approved,
            "foreseen": self._foreseen,
            "rules": self.course,
        }


class Clerk(Follower):
    """Books every event, then records the balances or tries every plan on them. A balance that is not as expected tells
    what the fee is now, as nothing else is charged.

    The novice forgets fees, and does not book what is only announced.
    """

    def start(self, observation: dict[str, Any]) -> None:
        self._balances = {account["name"]: account["start"] for account in observation["accounts"]}
        self._names = list(self._balances)
        self._fee = 0 if self.is_novice else observation.get("fee", 0)
        self._announced = dict.fromkeys(self._names, 0)

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        if self.is_novice and kind in ("out", "in"):
            return
        a = known(slots["a"], self._names)
        if kind == "balance":
            has = whole(slots["m"]) + self._announced[a]
            if not self.is_novice:
                self._fee += self._balances[a] - has
            self._balances[a] = has
            return
        b = known(slots["b"], self._names) if "b" in slots else ""
        n = whole(slots["n"])
        self._announced[a] += {"in": n, "out": -n}.get(kind, 0)
        post(self._balances, kind, n, a, b, self._fee)

    def conclude(self, observation: dict[str, Any]) -> Act:
        if "plans" in observation:
            return finish() if observation["approved"] else self._choose(observation)
        return record_missing(observation["accounts"], *SET, self._balances)

    def _choose(self, observation: dict[str, Any]) -> Act:
        floors = {account["name"]: account["floor"] for account in observation["accounts"]}
        best: tuple[int, str, int] | None = None
        for plan in observation["plans"]:
            ends = dict(self._balances)
            post(ends, "transfer", plan["amount"], plan["from"], plan["to"], self._fee)
            room = min(end - floors[name] for name, end in ends.items())
            if best is None or room > best[0]:
                best = room, plan["plan"], min(ends.values())
        assert best is not None, "there are always plans"
        return Act("approve", {"plan": best[1], "lowest": best[2]})


class UnchangedBalances(Steady):
    """Records what was there at the start, or approves the first plan."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if "plans" not in observation:
            return record_missing(observation["accounts"], *SET)
        lowest = min(account["start"] for account in observation["accounts"])
        return finish() if observation["approved"] else Act("approve", {"plan": "A", "lowest": lowest})


class Accounts(FamilyBase, table=TABLE):
    world = Books
    solver = Clerk

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = tuple(stream.shuffled(story["accounts"])[: 2 if level == 1 else 3])
        fee = 0 if level == 1 else stream.integer(2, 9)
        setup, expected = _DRAWS[level](stream, story["money"], names, fee)
        record = APPROVE if level == 5 else set_balance(tuple(sorted(setup["start"])))
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, accounts=listed(names), fee=fee),
            observation=OBSERVATIONS[level],
            actions=(NEXT, record),
            criterion=TABLE["criterion"][level],
            expected=expected,
            setup={"level": level, "fee": fee, **setup},
            needed=len(setup["told"]["stationary"])
            if level == 5
            else len(setup["told"]) - 1 + len(setup["start"]),
            noisy=("event",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected = task.criterion.expected
        if task.level < 5:
            yield from misrecorded(expected, state["recorded"], "has", "sum")
        elif state["approved"] is None:
            yield "no plan was approved"
        else:
            ends: dict[str, int] = expected["ends"][state["rules"]][state["approved"]]
            for name, end in sorted(ends.items()):
                if end < expected["floors"][name]:
                    yield f"{name} ends with {end}, below its floor of {expected['floors'][name]}"
            lowest = min(ends.values())
            if state["foreseen"] != lowest:
                yield f"the lowest balance is {lowest}, not {state['foreseen']}"

    def null(self, brief: Brief) -> UnchangedBalances:
        return UnchangedBalances(brief)
