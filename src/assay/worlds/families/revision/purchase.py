"""Purchase: an order with a budget and approved sellers that may be impossible. 10.10.2, B.8.1, B.8.2.

Level 2: a third is possible, a third needs another make or a smaller number, a third is beyond what is allowed.
Level 3: a seller has less than listed, which shows when it is ordered; budget and permissions decide what is left.
Level 4: an impossible order, put twice. Several proposals are allowed; the same one is wanted both times.
Level 5: an offer for each of three lots, chosen by declared criteria; an offer may be gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, finish
from assay.worlds.events import listed
from assay.worlds.fuzzy import nearest, number_at
from assay.worlds.model import Act, Action, Brief, Seen, Task, World
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, string, text
from assay.worlds.templates import partly_filled, read, read_first, story_of, table

from .common import Refusals, best_by, in_other_order, met_as_given, named_in, put_together, quantities
from .purchase_cases import (
    CRITERIA,
    IDS,
    Offers,
    allowed_choices,
    completions,
    drawn_order,
    proposals,
)
from .purchase_worlds import Confirmations, Lots, OfferRounds, listing

__all__ = ["Purchase"]

TABLE = table("purchase")
SITES: dict[str, dict[str, Any]] = TABLE["situations"]
MOST_PIECES = 99
NEEDED = {2: 1, 3: 4, 4: 2, 5: 9}  # level 5: an offer is gone after two orders, and both are cancelled
_OFFER = {"offer": STRING, "make": STRING, "seller": STRING, "price": integer("of one piece")}
_OFFER |= {"stock": string("pieces that can be had"), "days": integer("until delivery")}
_ORDER = obj({"offer": STRING, "ordered": INTEGER, "confirmed": INTEGER})
OBSERVATIONS = {
    2: obj({"offers": array(obj(_OFFER))}),
    3: obj({"offers": array(obj(_OFFER)), "orders": array(_ORDER), "spent": INTEGER}),
    4: obj({"offers": array(obj(_OFFER | {"remark": STRING}))}),
    5: obj(
        {
            "offers": array(
                obj(
                    {"offer": STRING, "article": STRING, "make": STRING, "seller": STRING}
                    | {"price": string("of the whole lot"), "days": integer("until delivery")}
                )
            ),
            "orders": array(STRING),
            "gone": array(STRING, "offers that can no longer be had"),
        }
    ),
}
# Sentences of a goal; those in a list come in any order. Of ``sellers`` there are two forms.
SLOTS: dict[int, tuple[Any, ...]] = {
    2: ("heads", ["moneys", "sellers", "times"], "others", "fewers", "eithers", "smudges", "tails2"),
    3: ("heads3", ["moneys", "sellers", "times"], "others3", "fewers3", "smudges", "tails3"),
    4: (
        "heads",
        ["moneys", "sellers", "times"],
        "others",
        "fewers",
        "eithers",
        "smudges",
        "asides",
        "tails4",
    ),
    5: ("heads5", ["moneys", "sellers", "times5", "swaps"], "ranks", "smudges", "tails5"),
}
NUMBERS = {  # those that state numbers and nothing else
    2: ("moneys", "times"),
    3: ("moneys", "times"),
    4: ("moneys", "times"),
    5: ("moneys", "times5", "swaps"),
}


def _offered(level: int) -> tuple[Action, ...]:
    which = {"offer": text("its id", options=IDS[level])}
    many = which | {"pieces": integer("how many", 1, MOST_PIECES)}
    propose = action("propose", "Propose an offer and a number of pieces. This is final.", many)
    call_off = action("call_off", "Give the order up. This is final.")
    close = action("close", "End the order with what has been ordered. This is final.")
    found: dict[int, tuple[Action, ...]] = {
        2: (
            action("order", "Order what was requested. This is final.", many),
            propose,
            action("decline", "Turn the request down. This is final."),
        ),
        3: (action("order", "Order pieces of an offer.", many), close, call_off),
        4: (propose,),
        5: (
            action("order", "Order the lot of an offer.", which),
            action("cancel", "Take an order back.", which),
            close,
        ),
    }
    return found[level]


ACTIONS = {level: _offered(level) for level in OBSERVATIONS}


class Buyer(Steady):
    """Works out which offers fit, and revises the order where it must.

    The novice never revises: it orders what was asked for, caps or not. Where a proposal is asked for, it makes the
    first that is allowed.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._site = story_of(SITES, brief.goal)
        self._goal = understood(brief.goal, brief.level, self._site)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        offers = {row["offer"]: self._read(row) for row in observation["offers"]}
        if self.brief.level == 5:
            return self._choose(offers, observation)
        if self.brief.level == 3:
            return self._complete(offers, observation)
        found = proposals(offers, self._goal)
        for offer, pieces in found["order"]:
            return Act("order", {"offer": offer, "pieces": pieces})
        some = sorted(found["make"] + found["number"], key=lambda one: list(offers).index(one[0]))
        if self.is_novice and self.brief.level == 2:
            wanted = next(k for k, one in offers.items() if one["make"] == self._goal["make"])
            return Act("order", {"offer": wanted, "pieces": self._goal["count"]})
        if not some:
            return Act("decline", {})
        offer, pieces = some[0] if self.is_novice else max(some)
        return Act("propose", {"offer": offer, "pieces": pieces})

    def _read(self, row: dict[str, Any]) -> dict[str, Any]:
        found = {**row, "make": nearest(row["make"].split(" ")[0], self._site["makes"])}
        found["seller"] = nearest(row["seller"].split(" ")[0], self._site["sellers"])
        if "stock" in row:
            found["stock"] = number_at(row["stock"], 0)
        if "article" in row:
            found["price"] = number_at(row["price"], 0)
        return found

    def _complete(self, offers: Offers, observation: dict[str, Any]) -> Act:
        has = sum(one["confirmed"] for one in observation["orders"])
        of_make = sum(
            one["confirmed"]
            for one in observation["orders"]
            if offers[one["offer"]]["make"] == self._goal["make"]
        )
        goal = {**self._goal, "swaps": self._goal["swaps"] - (has - of_make)}
        if has > of_make:
            goal["least"] = goal["count"]
        if self.is_novice and has:
            return Act("close", {})
        found = completions(offers, has, observation["spent"], goal)
        for kind in ("as planned", "number", "make"):
            if kind in found:
                for offer, pieces in found[kind]:
                    return Act("order", {"offer": offer, "pieces": pieces})
                return Act("close", {})
        return Act("call_off", {})

    def _choose(self, offers: Offers, observation: dict[str, Any]) -> Act:
        left = {k: one for k, one in offers.items() if k not in observation["gone"]}
        goal = self._goal
        if self.is_novice:
            goal = {
                **goal,
                "sellers": self._site["sellers"],
                "swaps": 0,
                "most": 10**6,
                "within": 99,
                "ranks": [],
            }
        best = best_by(goal["ranks"], allowed_choices(left, goal) or [((), dict.fromkeys(CRITERIA, 0))])[0]
        for offer in observation["orders"]:
            if offer not in best:
                return Act("cancel", {"offer": offer})
        for offer in best:
            if offer not in observation["orders"]:
                return Act("order", {"offer": offer})
        return Act("close", {})


def _heads(slot: str, site: Mapping[str, Any]) -> list[str]:
    return [partly_filled(wording, {"who": site["who"]}) for wording in TABLE[slot]]


def understood(goal: str, level: int, site: Mapping[str, Any]) -> dict[str, Any]:
    """What a goal says, read from its words."""
    found: dict[str, Any] = quantities(goal, *(TABLE[slot] for slot in NUMBERS[level]))
    sellers = read_first(TABLE["never"] + TABLE["only"], goal, r"[\w, ]+?")
    approved = any(read(wording, goal, r"[\w, ]+?") for wording in TABLE["only"])
    named = named_in(sellers["sellers"], site["sellers"])
    found["sellers"] = [name for name in site["sellers"] if (name in named) is approved]
    if level == 5:
        said = read_first(_heads("heads5", site), goal, r"[\w, ]+?")["wishes"]
        words = said.replace(",", "").split(" ")
        found["wishes"] = {
            article: words[words.index(article) + 2] for article in site["articles"] if article in words
        }
        said_ranks = read_first(TABLE["ranks"], goal, "|".join(TABLE["criteria"].values()))
        names = {words: name for name, words in TABLE["criteria"].items()}
        return {**found, "ranks": [names[said_ranks[place]] for place in "abc"]}
    head = read_first(_heads("heads" if level != 3 else "heads3", site), goal, r"\w+")
    found |= {"make": head["make"], "count": int(head["count"])}
    own = {"make": head["make"], "article": head["article"]}
    fewer = [partly_filled(one, own) for one in TABLE["fewers" if level != 3 else "fewers3"]]
    lower = quantities(goal, fewer)
    found["least"] = lower["least"] if "least" in lower else found["count"] - lower["less"]
    others = [partly_filled(one, own) for one in TABLE["others" if level != 3 else "others3"]]
    said_others = read_first(others, goal, r"\w+")
    found["others"] = [said_others["x"], said_others["y"]]
    return found | ({"swaps": int(said_others["swaps"])} if level == 3 else {})


class Purchase(FamilyBase, table=TABLE):
    world = OfferRounds
    solver = Buyer

    def open(self, task: Task, *, drift: bool) -> World:
        if task.level in (2, 4):
            return OfferRounds(task)
        return Confirmations(task) if task.level == 3 else Lots(task)

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        site = SITES[situation]
        goal, offers, more, expected = drawn_order(level, site, stream)
        forms = stream.shuffled(["only", "never"])
        said = [self._said(level, site, goal, form, stream) for form in forms]
        while level == 4 and said[0] == said[1]:
            said[1] = self._said(level, site, goal, forms[1], stream)
        setup = {"offers": offers, **more}
        if level in (2, 4):
            lists = [stream.shuffled(listing(offers)) for _ in said]
            ids = [offer for offer, _ in expected["allowed"]]
            while level == 4 and not in_other_order(lists, "offer", ids):
                lists[1] = stream.shuffled(lists[1])
            for row in lists[0] + lists[1] if level == 4 else ():
                row["remark"] = stream.choice(site["remarks"])
            rounds = zip(said[: level // 2], lists, strict=False)
            setup = {"parts": [{"goal": words, "offers": rows} for words, rows in rounds]}
        if level == 3:
            expected |= {name: goal[name] for name in ("make", "others", "count", "least", "swaps", "most")}
            expected |= {"sellers": sorted(goal["sellers"]), "within": goal["within"]}
        return self.task(
            level,
            situation,
            goal=said[0],
            observation=OBSERVATIONS[level],
            actions=ACTIONS[level],
            criterion=TABLE["criterion"][level],
            expected=expected,
            setup=setup,
            needed=NEEDED[level],
            noisy=("make", "seller", "price" if level == 5 else "stock", "remark"),
        )

    def _said(
        self, level: int, site: Mapping[str, Any], goal: Mapping[str, Any], form: str, stream: Stream
    ) -> str:
        """The goal in words: who may sell is said by naming those who may, or those who may not."""
        slots = [
            TABLE[slot] if isinstance(slot, str) else [TABLE[form if s == "sellers" else s] for s in slot]
            for slot in SLOTS[level]
        ]
        named = [
            name for name in stream.shuffled(site["sellers"]) if (name in goal["sellers"]) == (form == "only")
        ]
        gaps = {**goal, "who": site["who"], "sellers": listed(named)}
        if level == 5:
            gaps["wishes"] = listed([f"{article} by {make}" for article, make in goal["wishes"].items()])
            gaps |= dict(zip("abc", (TABLE["criteria"][name] for name in goal["ranks"]), strict=True))
        else:
            gaps |= dict(zip("xy", stream.shuffled(goal["others"]), strict=True))
        return " ".join(put_together(stream, *slots)).format_map(gaps)

    def feasible(self, task: Task) -> bool | None:
        return met_as_given(task, "order")

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right = task.criterion.expected
        if task.level in (2, 4):
            yield from _misjudged(task, right, state["decided"])
            return
        yield from Refusals.failures(state["refused"])
        if task.level == 3:
            yield from _misbought(right, task.setup["offers"], state)
            return
        if state["ended"] != "closed":
            yield "the order was not closed"
        if state["orders"] != right["orders"]:
            yield "another choice of offers is better, or what was chosen is not allowed"

    def null(self, brief: Brief) -> Fixed:
        first = IDS[brief.level][:3]
        acts = {
            2: [Act("decline", {})],
            3: [Act("call_off", {})],
            4: [Act("propose", {"offer": first[0], "pieces": 10})] * 2,
            5: [*(Act("order", {"offer": offer}) for offer in first), Act("close", {})],
        }
        return Fixed(*acts[brief.level], finish())


def _misjudged(task: Task, right: dict[str, Any], decided: list[dict[str, Any]]) -> Iterator[str]:
    """Levels 2 and 4: what is wrong with the answers to a request."""
    action_ = right.get("action", "propose")
    rounds = len(task.setup["parts"])
    if len(decided) < rounds:
        yield "the request was not answered" if rounds == 1 else "the request was not answered both times"
    for one in decided:
        if one["action"] != action_:
            yield f"the request was answered with {one['action']}, and calls for {action_}"
        elif action_ != "decline" and one["arguments"] not in right["allowed"]:
            yield "what was ordered or proposed is not allowed, or not possible"
    if len(decided) == 2 and decided[0] != decided[1]:
        yield "the two proposals differ"


def _misbought(right: dict[str, Any], offers: Offers, state: dict[str, Any]) -> Iterator[str]:
    """Level 3: what is wrong with how the order ended."""
    if state["spent"] > right["most"]:
        yield f"{state['spent']} were spent, and the budget is {right['most']}"
    of_make = others = 0
    for order in state["orders"]:
        one = offers[order["offer"]]
        if one["seller"] not in right["sellers"]:
            yield f"{order['offer']} is from a seller who is not approved"
        if one["days"] > right["within"]:
            yield f"{order['offer']} arrives too late"
        of_make += order["confirmed"] if one["make"] == right["make"] else 0
        others += order["confirmed"] if one["make"] in right["others"] else 0
        if one["make"] not in [right["make"], *right["others"]]:
            yield f"{order['offer']} is of a make that must not be taken"
    if state["ended"] != right["ended"]:
        yield f"the order was to be {right['ended']}, and was {state['ended'] or 'not ended'}"
    elif state["ended"] == "closed":
        if right["kind"] == "as planned" and (of_make, others) != (right["count"], 0):
            yield "the request could be met, and was not"
        elif right["kind"] == "number" and (others or not right["least"] <= of_make <= right["count"]):
            yield "the smaller number is not one that is allowed"
        elif right["kind"] == "make" and (of_make + others != right["count"] or others > right["swaps"]):
            yield "the number was not completed, or with too many pieces of other makes"
