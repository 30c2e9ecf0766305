"""Accounts: follow balances through transactions, and choose a transfer by what it would lead to. B.3.2, B.3.5."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady
from assay.worlds.events import (
    DONE,
    EVENT,
    FINISH,
    NEXT,
    Follower,
    Phrasebook,
    Unfolding,
    known,
    listed,
    whole,
)
from assay.worlds.model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Judgement,
    Seen,
    Task,
)
from assay.worlds.schema import obj, text
from assay.worlds.wording import table_of

__all__ = ["Accounts"]


class Story(Struct, frozen=True):
    who: str
    money: str
    accounts: tuple[str, ...]


class Tables(Struct, frozen=True):
    situations: dict[str, Story]
    goals: dict[int, tuple[str, ...]]
    phrases: dict[str, tuple[str, ...]]


TABLES = table_of("accounts", Tables)
BOOK = Phrasebook(TABLES.phrases)
FEES = "Fees"
PLANS = ("A", "B", "C", "D")
_INT, _STR = {"type": "integer"}, {"type": "string"}
_ACCOUNT = {"name": _STR, "start": {"type": "integer", "description": "balance at the start"}}
_RECORDED = {"recorded": {"type": ["integer", "null"], "description": "what set_balance has said"}}
_PLAN = obj({"plan": _STR, "from": _STR, "to": _STR, "amount": _INT})
_APPROVED = {"type": ["string", "null"], "description": "the plan that was approved"}
OBSERVATIONS = {
    1: obj({"accounts": {"type": "array", "items": obj(_ACCOUNT | _RECORDED)}, "event": EVENT}),
    2: obj({"accounts": {"type": "array", "items": obj(_ACCOUNT | _RECORDED)}, "fee": _INT, "event": EVENT}),
    5: obj(
        {
            "accounts": {"type": "array", "items": obj(_ACCOUNT | {"floor": _INT})},
            "fee": _INT,
            "plans": {"type": "array", "items": _PLAN},
            "approved": _APPROVED,
            "event": EVENT,
        }
    ),
}
_BALANCE = {"type": "integer", "minimum": -99999, "maximum": 99999}
APPROVE = Action(
    name="approve",
    about="Approve one of the plans, once and for all.",
    parameters=obj(
        {
            "plan": text("which plan", options=list(PLANS)),
            "lowest": {**_BALANCE, "description": "the lowest balance of any account when the month ends"},
        }
    ),
)


@cache
def set_balance(accounts: tuple[str, ...]) -> Action:
    return Action(
        name="set_balance",
        about="Record what an account has. Recording it again replaces what was said before.",
        parameters=obj({"account": text("which account", options=list(accounts)), "balance": _BALANCE}),
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


class Accounts(FamilyBase):
    name: ClassVar[str] = "accounts"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Follow balances, and choose a transfer"
    dimension: ClassVar[Dimension] = "M"
    environment: ClassVar[Environment] = "static"
    levels: ClassVar[dict[int, str]] = {
        1: "one transaction",
        2: "five transactions with transfers and fees; the sum is kept",
        5: "the one planned transfer that keeps every floor once all that is announced has happened",
    }
    situations: ClassVar[tuple[str, ...]] = ("club", "household", "school-trip", "cafe")
    held_out: ClassVar[tuple[str, ...]] = ("choir", "boat-share")
    chance: ClassVar[dict[int, float]] = {1: 0.02, 2: 0.02, 5: 0.02}
    verification: ClassVar[str] = "recorded balances and the approved plan, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLES.situations[situation]
        names = tuple(stream.shuffled(story.accounts)[: 2 if level == 1 else 3])
        fee = 0 if level == 1 else stream.integer(2, 9)
        setup, expected = _DRAWS[level](stream, story, names, fee)
        goal = stream.choice(TABLES.goals[level]).format(
            who=story.who, money=story.money, accounts=listed(names), fee=fee
        )
        count = 1 if level == 5 else len(setup["start"])
        needed = len(setup["told"]) - 1 + count
        if level == 5:
            actions = (NEXT, APPROVE)
            said = "the approved plan leaves no account below its floor, and the lowest balance is foreseen"
        else:
            actions = (NEXT, set_balance(tuple(sorted(setup["start"]))))
            said = "the recorded balance of each account is what it has after all that was told"
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=goal,
            observation=OBSERVATIONS[level],
            actions=actions,
            criterion=Criterion(said, expected),
            setup={"level": level, "fee": fee, **setup},
            needed=needed,
            most=2 * needed + 4,
            noisy=("event",),
        )

    def open(self, task: Task, *, drift: bool) -> Books:
        return Books(task.setup)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        judged = _plan_faults if task.level == 5 else _balance_faults
        why = judged(task.criterion.expected, state)
        return Judgement(not why, tuple(why))

    def oracle(self, brief: Brief) -> Clerk:
        return Clerk(brief)

    def novice(self, brief: Brief) -> Clerk:
        return Clerk(brief, careless=True)

    def null(self, brief: Brief) -> Copyist:
        return Copyist(brief)


def _balance_faults(expected: dict[str, int], state: dict[str, Any]) -> list[str]:
    recorded: dict[str, int] = state["recorded"]
    why = [f"{name} was not recorded" for name in sorted(expected) if name not in recorded]
    why += [
        f"{name} has {expected[name]}, not {said}"
        for name, said in sorted(recorded.items())
        if said != expected[name]
    ]
    off = sum(recorded.values()) - sum(expected.values())
    if len(recorded) == len(expected) and off:
        why.append(f"the sum is off by {off:+d}")
    return why


def _plan_faults(expected: dict[str, Any], state: dict[str, Any]) -> list[str]:
    if state["approved"] is None:
        return ["no plan was approved"]
    ends: dict[str, int] = expected["ends"][state["approved"]]
    why = [
        f"{name} ends with {end}, below its floor of {expected['floors'][name]}"
        for name, end in sorted(ends.items())
        if end < expected["floors"][name]
    ]
    lowest = min(ends.values())
    if state["foreseen"] != lowest:
        why.append(f"the lowest balance is {lowest}, not {state['foreseen']}")
    return why


Drawn = tuple[dict[str, Any], dict[str, Any]]


def _told(stream: Stream, story: Story, kind: str, n: int, a: str, b: str) -> str:
    return BOOK.say(stream, kind, n=n, a=a, b=b, money=story.money)


def _transactions(
    stream: Stream, names: Sequence[str], kinds: Sequence[str]
) -> list[tuple[str, int, str, str]]:
    found = []
    for kind in kinds:
        a, b = stream.shuffled(names)[:2]
        found.append((kind, stream.integer(15, 140), a, b))
    return found


def _following(stream: Stream, story: Story, names: tuple[str, ...], fee: int) -> Drawn:
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
        told.append(_told(stream, story, kind, n, a, b))
    return {"start": start, "told": told}, balances


def _choosing(stream: Stream, story: Story, names: tuple[str, ...], fee: int) -> Drawn:
    """Level 5: ``short`` will fall below its floor; only ``able`` can help, and not with any amount.

    The balances at the end are drawn first, and what leads to them is taken back. A wrong plan sends too
    little, or forgets the fee, or helps the wrong account, or takes from ``weak``, which looks rich until its bill
    is paid.
    """
    short, able, weak = names
    lacks, spare = stream.integer(20, 80), stream.integer(6, 20)
    floors = {name: stream.integer(260, 480) for name in names}
    ends = {
        short: floors[short] - lacks,
        able: floors[able] + lacks + fee + spare,
        weak: floors[weak] + stream.integer(0, lacks - 5),
    }
    events = _transactions(stream, names, stream.shuffled(("transfer", "deposit", "withdraw"))[:2])
    events.append(("out", lacks + stream.integer(10, 70), short, able))
    events.append(("out", lacks + spare + stream.integer(30, 90), weak, able))
    if stream.below(2):
        events.append(("in", stream.integer(12, 60), stream.choice(names), able))
    moved = dict.fromkeys(names, 0)
    for kind, n, a, b in events:
        post(moved, kind, n, a, b, fee)
    enough = lacks + stream.integer(0, spare)
    wrong = [
        (able, short, lacks - stream.integer(3, 15)),
        (able, short, lacks + spare + stream.integer(1, fee)),
        (weak, short, enough),
        (weak, short, lacks - stream.integer(1, 9)),
        (able, weak, enough),
    ]
    plans = stream.shuffled([(able, short, enough), *stream.shuffled(wrong)[:3]])
    setup = {
        "start": {name: ends[name] - moved[name] for name in stream.shuffled(names)},
        "floors": floors,
        "told": [_told(stream, story, kind, n, a, b) for kind, n, a, b in stream.shuffled(events)],
        "plans": [
            {"plan": plan, "from": source, "to": target, "amount": amount}
            for plan, (source, target, amount) in zip(PLANS, plans, strict=True)
        ],
    }
    results = {}
    for plan, (source, target, amount) in zip(PLANS, plans, strict=True):
        results[plan] = dict(ends)
        post(results[plan], "transfer", amount, source, target, fee)
    return setup, {"ends": results, "floors": floors}


_DRAWS = {1: _following, 2: _following, 5: _choosing}


class Books(Unfolding):
    """What is told, what was recorded, and which plan was approved."""

    def __init__(self, setup: dict[str, Any]) -> None:
        super().__init__(setup["told"])
        self._setup = setup
        self._recorded: dict[str, int] = {}
        self._approved: str | None = None
        self._foreseen: int | None = None

    def look(self) -> dict[str, Any]:
        setup = self._setup
        seen: dict[str, Any] = {"event": self.event()}
        if setup["level"] > 1:
            seen["fee"] = setup["fee"]
        start = setup["start"].items()
        if setup["level"] == 5:
            seen["accounts"] = [
                {"name": name, "start": had, "floor": setup["floors"][name]} for name, had in start
            ]
            seen["plans"] = [dict(plan) for plan in setup["plans"]]
            seen["approved"] = self._approved
        else:
            recorded = self._recorded
            seen["accounts"] = [
                {"name": name, "start": had, "recorded": recorded.get(name)} for name, had in start
            ]
        return seen

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == "next":
            return self.advance()
        if name == "set_balance":
            self._recorded[arguments["account"]] = arguments["balance"]
            return DONE
        if self._approved is not None:
            return Effect(error=f"plan {self._approved} has been approved already; an approval is final")
        self._approved, self._foreseen = arguments["plan"], arguments["lowest"]
        return DONE

    def snapshot(self) -> dict[str, Any]:
        return {
            "recorded": dict(sorted(self._recorded.items())),
            "approved": self._approved,
            "foreseen": self._foreseen,
        }


class Clerk(Follower):
    """Books every event, then records the balances or tries every plan on them.

    The ``careless`` novice forgets fees, and lets what is only announced be.
    """

    def __init__(self, brief: Brief, *, careless: bool = False) -> None:
        super().__init__(brief)
        self._careless = careless

    def start(self, observation: dict[str, Any]) -> None:
        self._balances = {account["name"]: account["start"] for account in observation["accounts"]}
        self._names = list(self._balances)
        self._fee = 0 if self._careless else observation.get("fee", 0)

    def hear(self, said: str) -> None:
        kind, slots = BOOK.read(said)
        if self._careless and kind in ("out", "in"):
            return
        a = known(slots["a"], self._names)
        b = known(slots["b"], self._names) if "b" in slots else ""
        post(self._balances, kind, whole(slots["n"]), a, b, self._fee)

    def conclude(self, observation: dict[str, Any]) -> Act:
        if "plans" in observation:
            return FINISH if observation["approved"] else self._choose(observation)
        for account in observation["accounts"]:
            name = account["name"]
            if account["recorded"] is None:
                return Act("set_balance", {"account": name, "balance": self._balances[name]})
        return FINISH

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


class Copyist(Steady):
    """Records what was there at the start, or approves the first plan."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        accounts = observation["accounts"]
        if "plans" in observation:
            lowest = min(account["start"] for account in accounts)
            return FINISH if observation["approved"] else Act("approve", {"plan": "A", "lowest": lowest})
        for account in accounts:
            if account["recorded"] is None:
                return Act("set_balance", {"account": account["name"], "balance": account["start"]})
        return FINISH
