"""Equipment: a budget that does not cover every goal, and rules for which of them it has to cover. 10.10.3, B.8.3.

The binding constraint is money, with a limit of permission beside it: some offers may not be bought. Goals are met or
not. The ranking is an order and two exceptions that depend on prices; what is met is read from the purchases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, finish, options
from assay.worlds.events import listed
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Effect, Policy, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, partly_filled, read, story_of, table, worded

from .ranking import (
    ONLY,
    SPELLING,
    FeatureBound,
    clauses_read,
    condition_read,
    listed_goals,
    notes_drawn,
    order_read,
    order_stated,
    other_orders,
)

__all__ = ["Equipment"]

TABLE = table("equipment")
DOUBLES = {2: 0, 3: 2, 4: 2, 5: 3}  # offers that serve two goals; each goal has two of its own
WITH_NOTES = (3, 4, 5)
BOUGHT = 2  # offers of a good solution
_OFFER = {
    "offer": STRING,
    "serves": array(STRING),
    "price": INTEGER,
    "weeks": integer("weeks of delivery"),
    "stars": integer("stars given by earlier buyers"),
}
_SEEN = {"funds": integer("what is left"), "offers": array(obj(_OFFER)), "bought": array(STRING)}
OBSERVATIONS = {
    level: obj(_SEEN | ({"notes": array(STRING)} if level in WITH_NOTES else {})) for level in DOUBLES
}
IDS = {level: [f"O{n}" for n in range(1, 9 + doubles)] for level, doubles in DOUBLES.items()}
BUY = {
    level: action("buy", "Buy an offer. This cannot be undone.", {"offer": text("which", options=ids)})
    for level, ids in IDS.items()
}
CLOSE = action("close_case", "Say that nothing more is bought in this case.")
Offer = dict[str, Any]
Swap = tuple[str, str, FeatureBound]  # higher, lower, and on what price of the higher one they change places
Plans = dict[frozenset[str], tuple[int, tuple[str, ...]]]  # goals → the least they cost, and the offers


class Rules(Struct, frozen=True):
    """The declared priorities: an order, what changes it, and what may not be bought."""

    order: tuple[str, ...]
    swaps: tuple[Swap, ...] = ()
    ban: FeatureBound | None = None

    def permitted(self, offers: Sequence[Offer]) -> list[Offer]:
        return [offer for offer in offers if not (self.ban and self.ban.holds(offer))]

    def ranking(self, offers: Sequence[Offer]) -> list[str]:
        """The order with the exceptions that apply."""
        order = list(self.order)
        for hi, lo, when in self.swaps:
            if when.holds({"price": _lowest(self.permitted(offers), hi)}):
                at, to = order.index(hi), order.index(lo)
                order[at], order[to] = lo, hi
        return order

    def chosen(self, offers: Sequence[Offer], funds: int) -> tuple[str, ...]:
        """The offers to buy: those that meet, at the least cost, the goals that the ranking chooses."""
        plans = _plans(self.permitted(offers), self.order)
        return plans[_met(self.ranking(offers), plans, funds)][1]


def _lowest(offers: Sequence[Offer], goal: str) -> int:
    return min(int(offer["price"]) for offer in offers if goal in offer["serves"])


def _plans(offers: Sequence[Offer], goals: Sequence[str]) -> Plans:
    """For every set of goals the cheapest offers that meet them all."""
    plans: Plans = {frozenset(): (0, ())}
    for offer in offers:
        for met, (cost, bought) in list(plans.items()):
            more, dearer = met | frozenset(offer["serves"]), cost + offer["price"]
            if more != met and (more not in plans or dearer < plans[more][0]):
                plans[more] = dearer, (*bought, offer["offer"])
    for count in range(len(goals), 0, -1):  # what meets more goals meets fewer, too
        for some in map(frozenset, combinations(goals, count)):
            larger = [plans[some | {goal}] for goal in goals if some | {goal} in plans]
            plans[some] = min(larger, key=lambda plan: plan[0])
    return plans


def _met(ranking: Sequence[str], plans: Plans, funds: int) -> frozenset[str]:
    """Down the ranking: a goal is chosen if the funds cover it together with those chosen before."""
    met: frozenset[str] = frozenset()
    for goal in ranking:
        if plans[met | {goal}][0] <= funds:
            met |= {goal}
    return met


def _offers(level: int, order: Sequence[str], stream: Stream) -> list[Offer]:
    """Two offers for each goal, and some for two. The lower two goals cost less: else neither could be met."""
    serves = [[goal] for goal in order for _ in range(2)]
    serves += stream.shuffled([list(two) for two in combinations(order, 2)])[: DOUBLES[level]]
    dear, cheap = numbers(stream, len(serves), 33, 69), numbers(stream, len(serves), 11, 40)
    offers = []
    for id_, some, high, low in zip(IDS[level], stream.shuffled(serves), dear, cheap, strict=True):
        price = high if set(some) & set(order[:2]) else low
        price += 9 * (len(some) - 1)
        offers.append(
            {"offer": id_, "serves": stream.shuffled(some), "price": price}
            | {"weeks": stream.integer(1, 9), "stars": stream.integer(1, 5)}
        )
    return offers


def _price_condition(price: int, applies: bool, stream: Stream) -> FeatureBound:
    """A condition on a price that holds for it, or does not. It may lie on the border."""
    compare = stream.choice(("at_least", "above", "below", "at_most"))
    up, border = compare in ("at_least", "above"), compare in ("at_least", "at_most")
    near = stream.below(9) + (border is not applies)
    return FeatureBound("price", compare, price - near if up is applies else price + near)


def _ban(stream: Stream) -> FeatureBound:
    if stream.below(2):
        return FeatureBound("weeks", stream.choice(("above", "at_least")), stream.integer(6, 8))
    return FeatureBound("stars", stream.choice(("below", "at_most")), stream.integer(2, 3))


def _drawn_case(
    level: int, orders: Sequence[tuple[str, ...]], stream: Stream
) -> tuple[Rules, list[Offer], int]:
    """Rules, offers and funds for one goal of the upper two and one of the lower two.

    Which of the two it is depends on whether an exception applies: each does in half of the instances. What goes down
    the order and overlooks one, or takes one to hold that does not, meets other goals. ``orders``: to be kept away
    from.
    """
    goals = orders[0]
    while True:
        order, ban = stream.shuffled(goals), _ban(stream)
        offers = _offers(level, order, stream)
        permitted = [offer for offer in offers if not ban.holds(offer)]
        if len(permitted) == len(offers) or {g for o in permitted for g in o["serves"]} != set(goals):
            continue
        swaps = tuple(
            (hi, lo, _price_condition(_lowest(permitted, hi), bool(stream.below(2)), stream))
            for hi, lo in (order[:2], order[2:])
        )
        rules = Rules(tuple(order), swaps, ban)
        won, lost, third, fourth = rules.ranking(offers)
        plans = _plans(permitted, goals)

        def cost(*some: str, plans: Plans = plans) -> int:
            return plans[frozenset(some)][0]

        low = max(cost(won, third), cost(lost), cost(won, fourth))
        high = min(cost(won, lost), cost(won, third, fourth))
        if low < high:
            funds = stream.integer(low, high - 1)
            if _needs_rules(rules, orders, offers, funds):
                return rules, offers, funds


def _needs_rules(rules: Rules, orders: Sequence[Sequence[str]], offers: Sequence[Offer], funds: int) -> bool:
    """Whether the ban counts, and no other order of the goals or of the offers leads to the same."""
    right = _goals_met(rules.chosen(offers, funds), offers)
    permitted = rules.permitted(offers)
    unbanned = Rules(rules.order, rules.swaps).chosen(offers, funds)
    if not any(rules.ban and rules.ban.holds(offer) for offer in offers if offer["offer"] in unbanned):
        return False
    plans, goals = _plans(permitted, rules.order), orders[0]
    cheapest = sorted(goals, key=lambda goal: _lowest(permitted, goal))
    served = sorted(goals, key=lambda goal: -sum(goal in offer["serves"] for offer in offers))
    if any(_met(order, plans, funds) == right for order in (*orders, cheapest, served)):
        return False
    for price in (1, -1):
        bought, left = [], funds
        for offer in sorted(permitted, key=lambda one: price * one["price"]):
            if offer["price"] <= left:
                left -= offer["price"]
                bought.append(offer["offer"])
        if _goals_met(bought, offers) == right:
            return False
    return True


def _goals_met(bought: Sequence[str], offers: Sequence[Offer]) -> frozenset[str]:
    return frozenset(goal for offer in offers if offer["offer"] in bought for goal in offer["serves"])


def _words(story: Mapping[str, Any]) -> dict[str, str]:
    return {feature: said.format_map(story) for feature, said in TABLE["words"].items()}


def _goal(level: int, goals: Sequence[str], rules: Rules, story: Mapping[str, Any], stream: Stream) -> str:
    words = _words(story)
    named = listed([f"{goal} ({story['goals'][goal]})" for goal in goals])
    swaps = [
        worded(stream, TABLE["swaps"], story, hi=hi, lo=lo, cond=when.said(stream, words))
        for hi, lo, when in stream.shuffled(rules.swaps)
    ]
    assert rules.ban is not None
    return " ".join(
        [
            worded(stream, TABLE["heads"], story),
            worded(stream, TABLE["aims"], story, aims=named),
            stream.choice(TABLE["mets"]),
            *order_stated(stream, rules.order),
            *(said[0].upper() + said[1:] for said in swaps),
            worded(stream, TABLE["bans"], story, cond=rules.ban.said(stream, words)),
            stream.choice(TABLE["ways"]),
            *([stream.choice(ONLY)] if level in WITH_NOTES else []),
            stream.choice(SPELLING),
            stream.choice(TABLE["tails"]),
            *([stream.choice(TABLE["ends"])] if level == 4 else []),
        ]
    )


def _rules_read(said: str, goals: Sequence[str], story: Mapping[str, Any]) -> Rules:
    words = _words(story)
    swaps = clauses_read(TABLE["swaps"], said, goals, words, story)
    bans = [read(partly_filled(one, story).lower(), said.lower(), "[a-z0-9 ]+?") for one in TABLE["bans"]]
    (ban,) = [condition_read(found["cond"], words) for found in bans if found]
    return Rules(tuple(order_read(said, goals)), tuple(swaps), ban)


class Desk(Rounds):
    """A case at a time, and what was bought in it, in sequence."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._bought: list[list[str]] = [[] for _ in self.parts]

    def look(self) -> dict[str, Any]:
        part, bought = self.parts[self.now], self._bought[self.now]
        offers = [{**offer, "serves": list(offer["serves"])} for offer in part["offers"]]
        seen = {"funds": self._left(), "offers": offers, "bought": sorted(bought)}
        return seen | ({"notes": list(part["notes"])} if self.level in WITH_NOTES else {})

    def _left(self) -> int:
        offers, bought = self.parts[self.now]["offers"], self._bought[self.now]
        spent: int = sum(offer["price"] for offer in offers if offer["offer"] in bought)
        return int(self.setup["funds"]) - spent

    def do_buy(self, offer: str) -> None:
        price = next(one["price"] for one in self.parts[self.now]["offers"] if one["offer"] == offer)
        if offer in self._bought[self.now]:
            raise Refused(f"{offer} has been bought already")
        if price > self._left():
            raise Refused(f"{offer} costs {price}, and {self._left()} are left")
        self._bought[self.now].append(offer)

    def do_close_case(self) -> Effect:
        return self.end_round()

    def snapshot(self) -> dict[str, Any]:
        return {"bought": [list(bought) for bought in self._bought]}


class Buyer(Steady):
    """Reads the rules and buys what they choose. The novice overlooks exceptions and what may not be bought.

    ``first_listed``: takes the goals to rank as the text lists them.
    """

    def __init__(self, brief: Brief, *, novice: bool = False, first_listed: bool = False) -> None:
        super().__init__(brief, novice=novice)
        story = story_of(TABLE["situations"], brief.goal)
        named = listed_goals(brief.goal, story["goals"])
        rules = _rules_read(brief.goal, named, story)
        if novice:
            rules = Rules(rules.order)
        elif first_listed:
            rules = Rules(tuple(named), (), rules.ban)
        self.rules = rules

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers, bought = self.read(observation["offers"]), observation["bought"]
        funds = observation["funds"] + sum(one["price"] for one in offers if one["offer"] in bought)
        for offer in self.rules.chosen(offers, funds):
            if offer not in bought:
                return Act("buy", {"offer": offer})
        return Act("close_case", {}) if self.brief.level == 4 else finish()

    def read(self, offers: Sequence[Offer]) -> list[Offer]:
        """The offers with their goals as they are meant, in a sequence that does not depend on how they are shown."""
        goals = self.rules.order
        return [
            {**offer, "serves": sorted(nearest(said.split(" ")[0], goals) for said in offer["serves"])}
            for offer in sorted(offers, key=lambda one: str(one["offer"]))
        ]


class Equipment(FamilyBase, table=TABLE):
    world = Desk
    solver = Buyer

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        goals = stream.shuffled(sorted(story["goals"]))
        rules, offers, funds = _drawn_case(level, other_orders(goals, story), stream)
        parts: list[dict[str, Any]] = []
        while len(parts) < (2 if level == 4 else 1):
            named = goals if not parts else stream.shuffled(goals)
            if parts and named == goals:
                continue
            notes = notes_drawn(stream, rules.order) if level in WITH_NOTES else []
            goal = _goal(level, named, rules, story, stream)
            parts.append({"goal": goal, "offers": stream.shuffled(offers), "notes": notes})
        ranking = rules.ranking(offers)
        met = _goals_met(rules.chosen(offers, funds), offers)
        permitted = {offer["offer"] for offer in rules.permitted(offers)}
        rounds = len(parts)
        return self.task(
            level,
            situation,
            goal=parts[0]["goal"],
            observation=OBSERVATIONS[level],
            actions=(BUY[level], CLOSE) if level == 4 else (BUY[level],),
            criterion=TABLE["criterion"][level],
            expected={
                "met": sorted(met),
                "top": ranking[0],
                "serves": {o["offer"]: sorted(o["serves"]) for o in offers if o["offer"] in permitted},
            },
            setup={"parts": parts, "funds": funds},
            needed=rounds * (BOUGHT + rounds - 1),  # of any instance
            noisy=("serves", "notes"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected, several = task.criterion.expected, len(state["bought"]) > 1
        met = [
            {goal for offer in bought for goal in expected["serves"].get(offer, ())}
            for bought in state["bought"]
        ]
        for number, (bought, has) in enumerate(zip(state["bought"], met, strict=True), start=1):
            place = f"case {number}: " if several else ""
            if expected["top"] not in has:
                yield f"{place}the highest goal, {expected['top']}, is not met"
            for goal in sorted(set(expected["met"]) - has - {expected["top"]}):
                yield f"{place}{goal} is not met"
            for goal in sorted(has - set(expected["met"])):
                yield f"{place}{goal} was met at the expense of a higher goal"
            for offer in sorted(set(bought) - set(expected["serves"])):
                yield f"{place}{offer} may not be bought"
        if several and met[0] != met[1]:
            yield "the two cases were decided differently"

    def first_listed(self, brief: Brief) -> Policy:
        """A reference that fails: it ranks the goals as the text lists them."""
        return Buyer(brief, first_listed=True)

    def null(self, brief: Brief) -> Fixed:
        acts = [Act("buy", {"offer": offer}) for offer in options(brief, "offer")[:BOUGHT]]
        return Fixed(*acts, *([Act("close_case", {})] if brief.level == 4 else []))
