"""Filing: put papers away by rules of which the first that fits decides. B.4.2."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, ClassVar

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, nearest
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
from assay.worlds.wording import reader, table_of

__all__ = ["Filing"]


class Office(Struct, frozen=True):
    """Who files what, and where. Kinds differ enough to be told apart when misread."""

    who: str
    item: str
    flag: str
    kinds: tuple[str, ...]
    drawers: tuple[str, ...]


OFFICES = table_of("filing", dict[str, Office])
# How each kind of rule may be said; a goal keeps to one column.
RULES = {
    "mark": (
        "Every {item} marked {flag} goes to drawer {drawer}.",
        "Drawer {drawer} takes every {item} that is marked {flag}.",
        "If a {item} is marked {flag}, put it into drawer {drawer}.",
    ),
    "year": (
        "Every {item} from before {year} goes to drawer {drawer}.",
        "Drawer {drawer} takes every {item} older than the year {year}.",
        "If a {item} dates from before {year}, put it into drawer {drawer}.",
    ),
    "kind": (
        "Every {item} of the kind {kind} goes to drawer {drawer}.",
        "Drawer {drawer} takes every {item} of the kind {kind}.",
        "If a {item} is of the kind {kind}, put it into drawer {drawer}.",
    ),
    "pages": (
        "Every {item} of more than {pages} pages goes to drawer {drawer}.",
        "Drawer {drawer} takes every {item} with more than {pages} pages.",
        "If a {item} has more than {pages} pages, put it into drawer {drawer}.",
    ),
    "rest": (
        "Every other {item} goes to drawer {drawer}.",
        "Drawer {drawer} takes every {item} that is left.",
        "If none of these fits a {item}, put it into drawer {drawer}.",
    ),
}
READERS = tuple((name, reader(said, r"\w+")) for name, ways in RULES.items() for said in ways)
NUMBERED = re.compile(r"\(\d\) ")
VALUE = {"mark": "flag", "year": "year", "kind": "kind", "pages": "pages", "rest": "drawer"}
KINDS = reader("The kinds are: {kinds}.", r"[\w, ]+")
ORDERS = (
    "Where several rules fit, the one with the lowest number decides.",
    "Go through the rules from the first on, and stop at the first that fits.",
    "An earlier rule beats a later one.",
)
HEADS = {
    1: (
        "{who} One {item} has come in: put it into the right drawer.",
        "{who} A {item} lies on the desk. File it by the rules.",
        "{who} Decide where the {item} on the desk belongs, and put it there.",
    ),
    2: (
        "{who} Put every {item} on the desk into the right drawer.",
        "{who} The desk is covered. Clear it: each {item} goes into the drawer that the rules name.",
        "{who} Please file all that has come in, each {item} by the rules.",
    ),
    5: (
        "{who} The drawers are in disorder. Move one {item} at a time until each is where the rules want it.",
        "{who} Somebody has mixed up the drawers. Bring every {item} back to the drawer that the rules name.",
        "{who} Rearrange the drawers, one {item} at a time, so that each {item} is in the drawer the rules give it.",
    ),
}
TAILS = {
    1: "What has been put away cannot be taken out again.",
    5: "A drawer has room for {room} and the desk for one; nothing can be put where there is no room. In the end the "
    "desk must be empty. Moves are few: plan so that hardly anything has to be laid on the desk.",
}
DESK, ROOM, DRAWERS = "desk", 3, 6
LONG = 14  # papers that are in the wrong drawer, at least
COUNT = {1: 1, 2: 10, 4: 6, 5: ROOM * DRAWERS}
FILES = [f"F{number:02d}" for number in range(1, COUNT[5] + 1)]
COLOURS = ("red", "blue", "green", "yellow", "white")
OWNERS = ("Brandt", "Okafor", "Virtanen", "Ortega", "Kaya", "Lindqvist", "Raman", "Duarte")
_WORD, _NUMBER = {"type": "string"}, {"type": "integer"}
_ITEM = {"file": _WORD, "kind": _WORD, "mark": _WORD, "year": _NUMBER, "pages": _NUMBER}
_EXTRA = {"label": _WORD, "owner": _WORD, "last_seen_in": _WORD}


def _observation(item: dict[str, Any]) -> dict[str, Any]:
    return obj({"items": {"type": "array", "items": obj(item)}, "filed": _NUMBER, "round": _WORD})


PLAIN = _observation(_ITEM)
OBSERVATIONS = {
    1: PLAIN,
    2: PLAIN,
    4: _observation({**_ITEM, **_EXTRA}),
    5: _observation({**_ITEM, "in": _WORD}),
}


@cache
def _move(situation: str, desk: bool) -> Action:
    drawers = [*sorted(OFFICES[situation].drawers), *([DESK] if desk else [])]
    about = (
        "Move one from where it is to a drawer or the desk."
        if desk
        else "Put one from the desk into a drawer."
    )
    return Action(
        name="move",
        about=about,
        parameters=obj({"file": text("its number", options=FILES), "to": text("where to", options=drawers)}),
    )


class Filing(FamilyBase):
    name: ClassVar[str] = "filing"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "File papers by rules"
    dimension: ClassVar[Dimension] = "D"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        1: "one paper by the rules",
        2: "ten papers by rules of which the first that fits decides",
        4: "the same papers twice: other words, order and irrelevant attributes",
        5: "eighteen papers in full drawers: the order of moves matters, and moves are few",
    }
    situations: ClassVar[tuple[str, ...]] = ("law", "newspaper", "music", "works")
    held_out: ClassVar[tuple[str, ...]] = ("museum", "parish")
    chance: ClassVar[dict[int, float]] = {1: 0.2, 2: 0.01, 4: 0.01, 5: 0.01}
    verification: ClassVar[str] = "where each paper is, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        office = OFFICES[situation]
        drawers = stream.shuffled(office.drawers)
        rules = _rules(office, drawers, stream)
        if level == 5:
            targets = [place for place in range(DRAWERS) for _ in range(ROOM)]
        else:
            targets = [*range(DRAWERS), *(stream.below(DRAWERS) for _ in range(4))][-COUNT[level] :]
        items = [_item(rules, office, target, level == 1, stream) for target in stream.shuffled(targets)]
        wants = {}
        for name, item in zip(FILES, items, strict=False):
            item["file"], wants[name] = name, _fits(rules, item)
        needed = _mix_up(items, wants, drawers, stream) if level == 5 else len(items)
        columns, heads = stream.shuffled(range(3)), stream.shuffled(range(3))
        parts = [
            {
                "goal": _goal(office, level, rules, columns[part], heads[part]),
                "items": _shown(items, level, drawers, stream),
            }
            for part in range(2 if level == 4 else 1)
        ]
        needed *= len(parts)
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=str(parts[0]["goal"]),
            observation=OBSERVATIONS[level],
            actions=(_move(situation, level == 5),),
            criterion=Criterion(
                f"every {office.item} is in the drawer of the first rule that fits"
                + (", in both rounds" if level == 4 else ""),
                [wants for _ in parts],
            ),
            setup={"parts": parts, "desk": level == 5},
            needed=needed,
            most=needed + 4 if level == 5 else 2 * needed + 4,
            noisy=("kind", "owner"),
        )

    def open(self, task: Task, *, drift: bool) -> Room:
        return Room(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        expected, found = task.criterion.expected, state["rounds"]
        if found == expected:
            return Judgement(True)
        because = []
        for number, (wants, has) in enumerate(zip(expected, found, strict=True)):
            place = f"round {number + 1}: " if len(expected) > 1 else ""
            because += [
                f"{place}{name} is in {has[name]}, not {wants[name]}"
                for name in wants
                if has[name] != wants[name]
            ]
        if len(found) == 2 and found[0] != found[1]:
            because.append("the two rounds were decided differently")
        return Judgement(False, tuple(because))

    def oracle(self, brief: Brief) -> Archivist:
        return Archivist(brief)

    def novice(self, brief: Brief) -> Archivist:
        return Archivist(brief, careless=True)

    def null(self, brief: Brief) -> Fixed:
        drawer = brief.actions[0].parameters["properties"]["to"]["enum"][0]
        return Fixed(*(Act("move", {"file": name, "to": drawer}) for name in FILES[: COUNT[brief.level]]))


# A rule is [what it looks at, the value it looks for, the drawer].
Rule = tuple[str, Any, str]


def _rules(office: Office, drawers: list[str], stream: Stream) -> list[Rule]:
    one, two = stream.shuffled(office.kinds)[:2]
    looks = [
        ("mark", office.flag),
        ("year", stream.integer(1990, 2015)),
        ("kind", one),
        ("kind", two),
        ("pages", 10 * stream.integer(2, 9)),
    ]
    order = [*stream.shuffled(looks), ("rest", "")]
    return [(look, value, drawer) for (look, value), drawer in zip(order, drawers, strict=True)]


def _fits(rules: list[Rule], item: dict[str, Any]) -> str:
    """The drawer of the first rule that fits."""
    for look, value, drawer in rules:
        if look == "rest" or (item[look] == value if look in ("mark", "kind") else False):
            return drawer
        if (look == "year" and item["year"] < value) or (look == "pages" and item["pages"] > value):
            return drawer
    raise AssertionError("the last rule fits everything")


def _item(rules: list[Rule], office: Office, target: int, plain: bool, stream: Stream) -> dict[str, Any]:
    """A paper that the rule in this place decides. Later rules fit it too, by chance, unless it is ``plain``."""
    bits = stream.below(256)
    kinds = list(office.kinds)
    item: dict[str, Any] = {"file": "", "kind": "", "mark": "none", "year": 0, "pages": 0}
    for place, (look, value, _) in enumerate(rules):
        hit = place == target or (place > target and not plain and bool(bits >> place & 1))
        if look == "kind":
            if place == target:
                item["kind"] = value
            elif not hit:
                kinds.remove(value)
        elif look == "mark" and hit:
            item["mark"] = value
        elif look == "year":
            item["year"] = value - stream.integer(1, 12) if hit else value + stream.below(9)
        elif look == "pages":
            item["pages"] = value + stream.integer(1, 40) if hit else value - stream.below(18)
    item["kind"] = item["kind"] or stream.choice(kinds)
    return item


def _mix_up(items: list[dict[str, Any]], wants: dict[str, str], drawers: list[str], stream: Stream) -> int:
    """Fill the drawers wrongly, as a whole or in two halves; how many moves bring them in order."""
    halves = stream.below(2)
    while True:
        groups = [drawers[:3], drawers[3:]] if halves else [drawers]
        where: dict[str, str] = {}
        for group in groups:
            inside = [name for name in wants if wants[name] in group]
            for place, name in enumerate(stream.shuffled(inside)):
                where[name] = group[place // ROOM]
        wrong = [name for name in wants if where[name] != wants[name]]
        if len(wrong) >= LONG:
            break
    for item in items:
        item["in"] = where[item["file"]]
    return len(_sequence(where, wants))


def _sequence(where: dict[str, str], wants: dict[str, str]) -> list[tuple[str, str]]:
    """The fewest moves, with every drawer full and a desk for one.

    Moves are edges between drawers. Laying one on the desk leaves a gap; the gap wanders against the edges, and an
    Euler tour of a component leads it through all of them. So every component costs one move more than it has files.
    """
    into: dict[str, list[str]] = {}
    for name, target in wants.items():
        if where[name] != target:
            into.setdefault(target, []).append(name)
    moves: list[tuple[str, str]] = []
    for start in sorted(into):
        if not into[start]:
            continue
        tour: list[str] = []
        stack: list[tuple[str, str]] = [(start, "")]
        while stack:
            place, by = stack[-1]
            if into[place]:
                name = into[place].pop()
                stack.append((where[name], name))
            else:
                stack.pop()
                tour.append(by)
        tour.reverse()  # the first entry has no file: the walk begins there
        last = tour[-1]
        moves.append((last, DESK))
        moves += [(name, wants[name]) for name in tour[1:]]
    return moves


def _shown(
    items: list[dict[str, Any]], level: int, drawers: list[str], stream: Stream
) -> list[dict[str, Any]]:
    """The papers in some order, at level 4 with attributes that mean nothing."""
    shown = stream.shuffled(items)
    if level != 4:
        return shown
    extra = {"label": COLOURS, "owner": OWNERS, "last_seen_in": drawers}
    return [item | {key: stream.choice(few) for key, few in extra.items()} for item in shown]


def _goal(office: Office, level: int, rules: list[Rule], column: int, head: int) -> str:
    parts = [HEADS[2 if level == 4 else level][head], ORDERS[head]]
    for number, (look, value, drawer) in enumerate(rules, 1):
        said = RULES[look][column].format(
            item=office.item, drawer=drawer, flag=value, year=value, kind=value, pages=value
        )
        parts.append(f"({number}) {said}")
    parts.append(
        f"The kinds are: {', '.join(office.kinds)}. A misspelled one stands for the one it resembles."
    )
    parts.append(TAILS[5 if level == 5 else 1].format(room=ROOM))
    if level == 4:
        parts.append("Labels, owners and where it was last seen do not matter.")
    return " ".join(parts).format(who=office.who, item=office.item)


class Room(WorldBase):
    """A desk and drawers. What was put away stays there, unless the drawers themselves are to be put in order."""

    def __init__(self, task: Task) -> None:
        self._parts: list[dict[str, Any]] = task.setup["parts"]
        self._desk: bool = task.setup["desk"]
        self._where = [{item["file"]: item.get("in", DESK) for item in part["items"]} for part in self._parts]
        self._now = 0

    def look(self) -> dict[str, Any]:
        where = self._where[self._now]
        items = self._parts[self._now]["items"]
        if self._desk:
            shown = [{**item, "in": where[item["file"]]} for item in items]
        else:
            shown = [dict(item) for item in items if where[item["file"]] == DESK]
        return {
            "items": shown,
            "filed": sum(place != DESK for place in where.values()),
            "round": f"{self._now + 1} of {len(self._parts)}",
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        file, to, where = arguments["file"], arguments["to"], self._where[self._now]
        if file not in where:
            return Effect(error=f"there is no {file} here")
        if self._desk:
            held = sum(place == to for place in where.values())
            if where[file] != to and held >= (1 if to == DESK else ROOM):
                return Effect(error=f"{to} is full: {held} of {held}")
            where[file] = to
            return Effect()
        if where[file] != DESK:
            return Effect(error=f"{file} has been put away and stays where it is")
        where[file] = to
        if DESK in where.values():
            return Effect()
        if self._now + 1 < len(self._parts):
            self._now += 1
            return Effect(fresh=self._parts[self._now]["goal"])
        return Effect(done=True)

    def snapshot(self) -> dict[str, Any]:
        return {"rounds": [dict(sorted(where.items())) for where in self._where]}


class Archivist(Steady):
    """Reads the rules from the goal, in their order, and each paper's kind by what it can stand for.

    The ``careless`` one believes where a paper was last seen, and moves in the order of the list, room or no room.
    """

    def __init__(self, brief: Brief, *, careless: bool = False) -> None:
        super().__init__(brief)
        self._careless = careless
        found = KINDS.search(brief.goal)
        assert found is not None
        self._kinds = found["kinds"].split(", ")
        self._rules: list[Rule] = []
        for said in NUMBERED.split(brief.goal)[1:]:
            look, match = next((look, m) for look, pattern in READERS if (m := pattern.match(said)))
            value = match[VALUE[look]]
            self._rules.append((look, int(value) if look in ("year", "pages") else value, match["drawer"]))
        self._moves: list[tuple[str, str]] | None = None

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        items = observation["items"]
        if "in" in items[0]:
            return self._straight(items, seen) if self._careless else self._planned(items)
        return Act("move", {"file": items[0]["file"], "to": self._drawer(items[0])})

    def _drawer(self, item: dict[str, Any]) -> str:
        if self._careless and "last_seen_in" in item:
            return str(item["last_seen_in"])
        kind = nearest(item["kind"].split(" ")[0], self._kinds)
        return _fits(self._rules, {**item, "kind": kind})

    def _planned(self, items: list[dict[str, Any]]) -> Act:
        where = {item["file"]: item["in"] for item in items}
        if self._moves is None:
            wants = {
                item["file"]: self._drawer(item) for item in sorted(items, key=lambda item: item["file"])
            }
            self._moves = _sequence(where, wants)
        if self._moves and where[self._moves[0][0]] == self._moves[0][1]:
            self._moves.pop(0)
        if not self._moves:
            return Act("finish", {"achieved": True})
        file, to = self._moves[0]
        return Act("move", {"file": file, "to": to})

    def _straight(self, items: list[dict[str, Any]], seen: Seen) -> Act:
        if seen.error:
            return Act("finish", {"achieved": False})
        for item in items:
            if item["in"] != (to := self._drawer(item)):
                full = sum(other["in"] == to for other in items) >= ROOM
                return Act("move", {"file": item["file"], "to": DESK if full and item["in"] != DESK else to})
        return Act("finish", {"achieved": True})
