"""Preferences: what a person likes is learnt from reactions; tastes weigh against each other. B.6.2, B.6.3 and B.6.4.

Of a request's four offers two are the opposite of the other two, and all are equally extreme. So none is liked best by
clearly more people than another, and nothing but the person tells which one to take.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from operator import mul
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.fuzzy import among
from assay.worlds.learning import LEVEL_OF, LearningBase, Variant
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj
from assay.worlds.templates import numbers, table, worded

__all__ = ["Preferences"]

TABLE = table("preferences")
TASTES: dict[str, list[str]] = TABLE["tastes"]
REQUESTS, OFFERS = 4, 4
Person = tuple[int, ...]  # how much each taste counts, and towards which end
# Everybody that Robin could be.
PEOPLE: list[Person] = [
    tuple(weight * sign for weight, sign in zip(order, signs, strict=True))
    for order in permutations(TABLE["weights"])
    for signs in product((-1, 1), repeat=len(TASTES))
]
_CODE = integer("the code of the offer", 100, 999)
CHOOSE = action(
    "choose",
    "Choose an offer for a request. Choosing again replaces the choice.",
    {"request": integer("the number of the request", 1, REQUESTS), "code": _CODE},
)
BOOK = action(
    "book", "Book an offer. It takes the place of what was booked from the same list.", {"code": _CODE}
)
_OFFER = obj({"code": INTEGER, "name": STRING} | dict.fromkeys(TASTES, INTEGER))
OBSERVATION = obj(
    {
        "requests": array(obj({"request": INTEGER, "offers": array(_OFFER)})),
        "chosen": array(obj({"request": INTEGER, "code": INTEGER})),
    }
)
SHIFTED = obj(
    {"lists": array(array(obj({"code": INTEGER, "description": STRING}))), "booked": array(INTEGER)}
)
_BEST = re.compile(r"Robin would have liked these best: ([\d;or ]+)\.")
_SAID = re.compile(r"(\d+) was (right|wrong)")


def _liked(person: Person, marks: Sequence[Sequence[int]]) -> list[int]:
    """The places of the offers that a person likes best."""
    worth = [sum(map(mul, person, one)) for one in marks]
    best = max(worth)
    return [place for place, one in enumerate(worth) if one == best]


@lru_cache(maxsize=2048)
def _left(told: tuple[Any, ...]) -> list[Person]:
    """Everybody that Robin can still be, by all reactions: marks, a place, and whether that offer was liked best."""
    if not told:
        return PEOPLE
    *before, (marks, place, good) = told
    people = _left(tuple(before))
    return [person for person in people if (place in _liked(person, marks)) == good] or people


class BookingDesk(WorldBase):
    """Offers, and the one that was chosen for each request."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._chosen: dict[int, int] = {}

    def look(self) -> dict[str, Any]:
        if self.setup["texts"]:
            texts = iter(self.setup["texts"])
            return {
                "lists": [
                    [{"code": offer["code"], "description": next(texts)} for offer in offers]
                    for offers in self.setup["requests"]
                ],
                "booked": [code for _, code in sorted(self._chosen.items())],
            }
        return {
            "requests": [
                {"request": number, "offers": [dict(offer) for offer in offers]}
                for number, offers in enumerate(self.setup["requests"], start=1)
            ],
            "chosen": [{"request": number, "code": code} for number, code in sorted(self._chosen.items())],
        }

    def do_choose(self, request: int, code: int) -> None:
        if code not in [offer["code"] for offer in self.setup["requests"][request - 1]]:
            raise Refused("the request has no offer with this code")
        self._chosen[request] = code

    def do_book(self, code: int) -> None:
        for number, offers in enumerate(self.setup["requests"], start=1):
            if code in [offer["code"] for offer in offers]:
                self._chosen[number] = code
                return
        raise Refused("there is no offer with this code")

    def snapshot(self) -> dict[str, Any]:
        return {"chosen": {str(number): code for number, code in sorted(self._chosen.items())}}


class Chooser(Steady):
    """Chooses what most of those like best that Robin can still be, by all reactions so far."""

    def __init__(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> None:
        super().__init__(brief)
        self._order = stream.shuffled(range(OFFERS))
        told = [(marks, place, good) for one in examples for marks, place, good in one["told"]]
        self._people = _left(tuple((tuple(map(tuple, marks)), place, good) for marks, place, good in told))

    def _best(self, marks: list[list[int]]) -> int:
        if len(self._people) == len(PEOPLE):
            return self._order[0]
        votes = Counter(place for person in self._people for place in _liked(person, marks))
        return max(self._order, key=lambda place: votes[place])

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        requests = _requests(observation)
        if "lists" in observation:
            for codes, marks in requests:
                if not set(codes) & set(observation["booked"]):
                    return Act("book", {"code": codes[self._best(marks)]})
            return finish()
        done = {one["request"] for one in observation["chosen"]}
        for number, (codes, marks) in enumerate(requests, start=1):
            if number not in done:
                return Act("choose", {"request": number, "code": codes[self._best(marks)]})
        return finish()


def _requests(observation: dict[str, Any]) -> list[tuple[list[int], list[list[int]]]]:
    """Codes and marks of the offers, request by request."""
    if "lists" in observation:
        return [
            ([one["code"] for one in offers], [_read(one["description"]) for one in offers])
            for offers in observation["lists"]
        ]
    return [
        ([offer["code"] for offer in one["offers"]], _marks(one["offers"])) for one in observation["requests"]
    ]


@lru_cache(maxsize=4096)
def _read(said: str) -> list[int]:
    """The marks behind a description."""
    return [words.index(among(said, words)) + 1 for words in TASTES.values()]


class Preferences(LearningBase, table=TABLE):
    world = BookingDesk
    practice = 7

    def secret(self, stream: Stream) -> dict[str, Any]:
        return {"weights": dict(zip(TASTES, stream.choice(PEOPLE), strict=True))}

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        situation = self.story(variant, stream)
        story, shifted = TABLE["situations"][situation], variant == "shifted"
        codes = iter(numbers(stream, REQUESTS * OFFERS, 100, 999))
        requests = [
            [_offer(next(codes), marks, stream) for marks in _drawn_marks(stream)] for _ in range(REQUESTS)
        ]
        texts = [
            worded(
                stream,
                TABLE["texts"],
                {taste: words[offer[taste] - 1] for taste, words in TASTES.items()},
                name=offer["name"],
            )
            for offers in requests
            for offer in offers
        ]
        person = tuple(secret["weights"][taste] for taste in TASTES)
        best = [[offers[place]["code"] for place in _liked(person, _marks(offers))] for offers in requests]
        return self.task(
            LEVEL_OF[variant],
            situation,
            goal=worded(stream, TABLE["goals"][variant], story),
            observation=SHIFTED if shifted else OBSERVATION,
            actions=(BOOK,) if shifted else (CHOOSE,),
            criterion="for every request an offer is chosen that nothing else is liked better than",
            expected={str(number): codes for number, codes in enumerate(best, start=1)},
            setup={"requests": requests, "texts": texts if shifted else []},
            needed=REQUESTS,
            noisy=("description", "name"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for number, best in task.criterion.expected.items():
            if state["chosen"].get(number) not in best:
                yield f"request {number}: another offer is liked better"

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        best = [" or ".join(map(str, codes)) for _, codes in sorted(task.criterion.expected.items())]
        return f"Robin would have liked these best: {'; '.join(best)}."

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        told = []
        for number, best in sorted(task.criterion.expected.items()):
            code = state["chosen"].get(number)
            told.append(
                "nothing was chosen" if code is None else f"{code} was {'right' if code in best else 'wrong'}"
            )
        return f"Robin's reaction, in order: {'; '.join(told)}."

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        shown = [one.observation for one in seen if one.observation]
        named = _BEST.search(feedback)
        best = {int(code) for code in re.findall(r"\d+", named[1] if named else "")}
        said = {int(code): word == "right" for code, word in _SAID.findall(feedback)}
        requests = _requests(shown[0]) if shown else []
        said |= dict.fromkeys(best, True)
        told = [
            [marks, place, said[code]]
            for codes, marks in requests
            for place, code in enumerate(codes)
            if code in said
        ]
        return {"told": told}

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        return Chooser(brief, examples, stream)


def _drawn_marks(stream: Stream) -> list[list[int]]:
    """The marks of four offers: two that have two strong and two mild sides, and their opposites."""
    first = _sides(stream)
    second = first
    while second in (first, _opposite(first)):
        second = _sides(stream)
    return stream.shuffled([first, _opposite(first), second, _opposite(second)])


def _sides(stream: Stream) -> list[int]:
    strong = stream.shuffled(range(len(TASTES)))[: len(TASTES) // 2]
    return [stream.choice((1, 4) if taste in strong else (2, 3)) for taste in range(len(TASTES))]


def _opposite(marks: Sequence[int]) -> list[int]:
    return [5 - mark for mark in marks]


def _offer(code: int, marks: Sequence[int], stream: Stream) -> dict[str, Any]:
    name = f"the {stream.choice(TABLE['first'])} {stream.choice(TABLE['second'])}"
    return {"code": code, "name": name} | dict(zip(TASTES, marks, strict=True))


def _marks(offers: Sequence[dict[str, Any]]) -> list[list[int]]:
    return [[offer[taste] for taste in TASTES] for offer in offers]
