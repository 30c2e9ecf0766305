"""Sources: a grade from the file, from an expert, or from readings of one's own. 12.7.2, 12.7.4.

The features are how often each source proved wrong, what a wrong grade costs, what each source costs, and the time.
The risk of a source is charged to the account as its average damage, so that who takes a risk too large pays for it in
every instance. One way is both in time and within the account.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import Fixed
from assay.worlds.events import Phrasebook, known, whole
from assay.worlds.fuzzy import nearest, number_at
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Task
from assay.worlds.schema import STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, read_first, story_of, table

from .ways import Chooser, OneWay, WaysFamily, composed, least, speaking_for

__all__ = ["Sources"]

TABLE = table("sources")
BOOK = Phrasebook(TABLE["notes"])
WAYS: tuple[str, ...] = tuple(TABLE["strategies"])
CALLS = {"file": 1, "expert": 1, "measuring": 3}  # of what a way's price is given for
PAGES = ["A", "B", "C", "D", "E"]
CHECKED = (
    20,
    25,
    40,
    50,
)  # answers that were checked; damages are multiples of 200, so that shares of them are whole

OBSERVATION = obj(
    {
        "notes": array(STRING),
        "pages": array(obj({"page": STRING, "label": STRING})),
        "people": array(obj({"person": STRING, "knows": STRING})),
        "findings": array(
            obj({"source": STRING, "points": {"type": ["integer", "null"], "description": "null: no answer"}})
        ),
        "minutes": integer("gone so far"),
        "paid": integer("coins so far"),
    }
)


class SourceTerms(Struct, frozen=True):
    """The features of a way: minutes and coins of one call, and how many of its checked answers were wrong."""

    minutes: int
    coins: int
    wrong: int
    checked: int

    def risk(self, damage: int) -> int:
        return damage * self.wrong // self.checked


Offer = dict[str, SourceTerms]


def in_all(offer: Offer, way: str, damage: int) -> tuple[int, int, int]:
    """What a way comes to: minutes, coins paid, average damage."""
    source = offer[way]
    return CALLS[way] * source.minutes, CALLS[way] * source.coins, source.risk(damage)


def account(offer: Offer, way: str, damage: int) -> int:
    return sum(in_all(offer, way, damage)[1:])


def best(offer: Offer, damage: int, time: int) -> str:
    """The least account of all ways that are in time."""
    fits = [way for way in offer if in_all(offer, way, damage)[0] <= time]
    return least({way: account(offer, way, damage) for way in fits or offer})


def _drawn(stream: Stream, target: str) -> tuple[Offer, int, int, int]:
    """Ways of which only the target is in time and within the account; the damage, the time and the limit.

    In half of instances both others cost too much; in half one of them has the least account, but is too slow. The
    least risk and the least price each belong to the target in a third.
    """
    late = stream.choice([way for way in WAYS if way != target]) if stream.below(2) else ""
    safest, cheapest = speaking_for(stream, target, WAYS, tempting=late)
    while True:
        damage, limit, time = (
            200 * stream.integer(2, 10),
            stream.integer(90, 260),
            stream.integer(60, 180),
        )
        offer: Offer = {}
        for way in WAYS:
            low, high = (0.7, 0.96) if way == target else (0.4, 0.68) if way == late else (1.15, 1.7)
            whole_account = limit * (low + (high - low) * stream.random())
            checked = stream.choice(CHECKED)
            part = 0.1 + 0.8 * stream.random()
            wrong = max(2, round(part * whole_account * checked / damage))
            coins = round((whole_account - damage * wrong / checked) / CALLS[way])
            low, high = (1.12, 1.7) if way == late else (0.25, 0.95)
            minutes = round(time * (low + (high - low) * stream.random()) / CALLS[way])
            offer[way] = SourceTerms(minutes, coins, wrong, checked)
        if any(source.coins < 2 or 2 * source.wrong > source.checked for source in offer.values()):
            continue
        total = {way: in_all(offer, way, damage) for way in WAYS}
        if [least({way: total[way][part] for way in WAYS}) for part in (2, 1)] != [safest, cheapest]:
            continue
        fits = {way: total[way][0] <= time and account(offer, way, damage) <= limit for way in WAYS}
        if fits == {way: way == target for way in WAYS}:
            return offer, damage, time, limit


@cache
def _actions(people: tuple[str, ...], grades: tuple[str, ...]) -> tuple[Action, ...]:
    return (
        action("open_file", "Open a page of the file.", {"page": text("which page", options=PAGES)}),
        action("ask_expert", "Ask a person.", {"person": text("who is asked", options=list(people))}),
        action("measure", "Take one reading."),
        action("decide", "Settle the grade. This ends the job.", {"grade": text("", options=list(grades))}),
    )


class Desk(OneWay):
    """What was looked up, asked or measured, and the decision."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._findings: list[dict[str, Any]] = []
        self._minutes = self._paid = 0
        self._grade = ""

    def look(self) -> dict[str, Any]:
        return {
            "notes": list(self.setup["notes"]),
            "pages": [dict(page) for page in self.setup["pages"]],
            "people": [dict(person) for person in self.setup["people"]],
            "findings": [dict(finding) for finding in self._findings],
            "minutes": self._minutes,
            "paid": self._paid,
        }

    def _found(self, way: str, source: str, points: int | None) -> None:
        self.take(way)
        minutes, coins = self.setup["costs"][way]
        self._minutes += minutes
        self._paid += coins
        self._findings.append({"source": source, "points": points})

    def do_open_file(self, page: str) -> None:
        self._found("file", f"page {page}", self.setup["filed"][page])

    def do_ask_expert(self, person: str) -> None:
        self._found("expert", person, self.setup["points"] if person == self.setup["person"] else None)

    def do_measure(self) -> None:
        taken = len(self._findings)
        if self.way == "measuring" and taken >= len(self.setup["readings"]):
            raise Refused("no further reading can be taken")
        self._found("measuring", f"reading {taken + 1}", self.setup["readings"][min(taken, 2)])

    def do_decide(self, grade: str) -> Effect:
        if not self._findings:
            raise Refused("there is nothing yet that a grade could rest on")
        self._grade = grade
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {
            "way": self.way,
            "sources": [finding["source"] for finding in self._findings],
            "minutes": self._minutes,
            "paid": self._paid,
            "grade": self._grade,
        }


class Grader(Chooser):
    """Reads the features, works out time and account of each way, and uses the source that suits."""

    table = TABLE
    habit = "file"

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self.story = story_of(TABLE["situations"], brief.goal)
        self.bounds = read_first(TABLE["grades"], brief.goal, r"\w+")
        limits = read_first(TABLE["limits"], brief.goal, r"\d+")
        self.time, self.limit = int(limits["time"]), int(limits["limit"])

    def told(self, observation: dict[str, Any]) -> dict[str, dict[str, str]]:
        return dict(BOOK.read(note) for note in observation["notes"])

    def offer(self, observation: dict[str, Any]) -> tuple[Offer, int]:
        told = self.told(observation)
        offer = {}
        for way in WAYS:
            cost, errors = told[f"{way}_cost"], told[f"{way}_errors"]
            offer[way] = SourceTerms(
                *(whole(said) for said in (cost["n"], cost["m"], errors["n"], errors["m"]))
            )
        return offer, whole(told["damage"]["n"])

    def choose(self, observation: dict[str, Any]) -> str:
        return best(*self.offer(observation), self.time)

    def page(self, observation: dict[str, Any]) -> str:
        item = self.told(observation)["item"]
        wanted = whole(item["n"]), known(item["place"], self.story["places"])
        labels: dict[str, str] = {one["page"]: one["label"] for one in observation["pages"]}
        return next(
            page
            for page, label in labels.items()
            if (number_at(label, 1), nearest(label.split(" ")[3], self.story["places"])) == wanted
        )

    def person(self, observation: dict[str, Any]) -> str:
        kind = known(self.told(observation)["item"]["sort"], self.story["kinds"])
        people: dict[str, str] = {one["person"]: one["knows"] for one in observation["people"]}
        return next(
            who for who, knows in people.items() if nearest(knows.split(" ")[0], self.story["kinds"]) == kind
        )

    def work(self, observation: dict[str, Any]) -> Act:
        found = [finding["points"] for finding in observation["findings"]]
        if len(found) >= CALLS[self.way]:
            return Act("decide", {"grade": self.grade(sorted(found)[len(found) // 2])})
        if self.way == "file":
            return Act("open_file", {"page": self.page(observation)})
        if self.way == "expert":
            return Act("ask_expert", {"person": self.person(observation)})
        return Act("measure", {})

    def grade(self, points: int) -> str:
        bounds = self.bounds
        named = "low" if points < int(bounds["x"]) else "high" if points >= int(bounds["y"]) else "middle"
        return bounds[named]


class Sources(WaysFamily, table=TABLE):
    world = Desk
    solver = Grader

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story: Mapping[str, Any] = TABLE["situations"][situation]
        target = stream.choice(WAYS)
        offer, damage, time, limit = _drawn(stream, target)
        low, middle, high = grades = stream.shuffled(story["grades"])
        x, y = stream.integer(30, 45), stream.integer(55, 70)
        spans = {low: (x - 20, x - 4), middle: (x + 3, y - 4), high: (y + 3, y + 20)}
        right = stream.choice(grades)
        points = stream.integer(*spans[right])
        place, other = stream.shuffled(story["places"])[:2]
        number, *more = numbers(stream, 3, 102, 989)
        lots = [(number, place), (number, other), (more[0], place), (more[0], other), (more[1], place)]
        pages = dict(zip(PAGES, stream.shuffled(lots), strict=True))
        wrong = [grade for grade in grades if grade != right]
        filed = {
            page: points if lot == lots[0] else stream.integer(*spans[stream.choice(wrong)])
            for page, lot in pages.items()
        }
        kinds = stream.shuffled(story["kinds"])
        experts = dict(zip(stream.shuffled(story["people"]), kinds, strict=True))
        kind = stream.choice(kinds)
        # One reading is far off, on the side where there is another grade.
        off = points + stream.integer(25, 40) * (
            -1 if right == high else 1 if right == low else stream.choice((-1, 1))
        )
        beyond = points + (stream.integer(1, 3) if off < points else -stream.integer(1, 3))
        notes = [
            BOOK.say(stream, "item", n=number, place=place, sort=kind),
            BOOK.say(stream, "damage", n=damage),
        ]
        for way, source in offer.items():
            notes.append(BOOK.say(stream, f"{way}_cost", n=source.minutes, m=source.coins))
            notes.append(BOOK.say(stream, f"{way}_errors", n=source.wrong, m=source.checked))
        goal = composed(
            stream,
            {part: TABLE[part] for part in ("heads", "keeps", "grades", "accounts", "limits")},
            TABLE["ways"],
        )
        gaps = {"low": low, "middle": middle, "high": high, "x": x, "y": y, "time": time, "limit": limit}
        return self.task(
            level,
            situation,
            goal=goal.format_map({**story, **gaps}),
            observation=OBSERVATION,
            actions=_actions(tuple(story["people"]), tuple(story["grades"])),
            criterion=TABLE["criterion"],
            expected={
                "grade": right,
                "page": next(page for page, lot in pages.items() if lot == lots[0]),
                "time": time,
                "limit": limit,
                "suits": target,
            },
            setup={
                "only": "",
                "notes": stream.shuffled(notes),
                "pages": [
                    {"page": page, "label": f"number {n} from {where}"} for page, (n, where) in pages.items()
                ],
                "people": [{"person": who, "knows": knows} for who, knows in experts.items()],
                "filed": filed,
                "person": next(who for who, knows in experts.items() if knows == kind),
                "points": points,
                "readings": stream.shuffled([points, off, beyond]),
                "costs": {way: [source.minutes, source.coins] for way, source in offer.items()},
                "risks": {way: source.risk(damage) for way, source in offer.items()},
            },
            needed=4,
            noisy=("notes", "label", "knows"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right, way = task.criterion.expected, state["way"]
        if not state["grade"]:
            yield "no grade was settled"
            return
        if state["grade"] != right["grade"]:
            yield "the grade is wrong"
        if way == "measuring" and len(state["sources"]) < CALLS[way]:
            yield f"the grade rests on {len(state['sources'])} readings; three were to be taken"
        if way == "file" and f"page {right['page']}" not in state["sources"]:
            yield "the page of the thing was not opened"
        if way == "expert" and task.setup["person"] not in state["sources"]:
            yield "nobody who knows the kind was asked"
        if state["minutes"] > right["time"]:
            yield f"it took {state['minutes']} minutes; {right['time']} are allowed"
        total = state["paid"] + task.setup["risks"][way]
        if total > right["limit"]:
            yield f"the account comes to {total} coins; {right['limit']} are allowed"

    def null(self, brief: Brief) -> Fixed:
        grades = brief.actions[3].parameters["properties"]["grade"]["enum"]
        return Fixed(Act("open_file", {"page": PAGES[0]}), Act("decide", {"grade": grades[1]}))
