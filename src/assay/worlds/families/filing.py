"""Filing: put papers away by rules of which the first that fits decides. B.4.2, B.4.4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from operator import eq, gt, lt
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, finish, options
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.rounds import Rounds
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import pattern, read, read_first, table

__all__ = ["Filing"]

TABLE = table("filing")
NUMBERED = re.compile(r"\(\d\) ")
# What a rule may look at: the gap in its wordings, and how a paper's own value must stand to the rule's.
VALUE = {"mark": "flag", "kind": "kind", "year": "year", "pages": "pages"}
TESTS: dict[str, Callable[[Any, Any], bool]] = {"mark": eq, "kind": eq, "year": lt, "pages": gt}
BEYOND = {"year": -1, "pages": 1}
WORDS, FIGURES = ("mark", "kind"), ("year", "pages")
DESK, ROOM, DRAWERS = "desk", 3, 6
WAYS = len(TABLE["orders"])  # in which each part of a goal may be said
# How many papers each pair of drawers side by side has exchanged, no more than a drawer holds.
EXCHANGED = [(2, 1, 2, 1, 2), (1, 2, 1, 2, 1), (2, 1, 1, 2, 1), (1, 2, 1, 1, 2), (2, 1, 1, 1, 2)]
SPARE = 1  # moves beyond the fewest, at level 5
COUNT = {1: 1, 2: 10, 4: 8, 5: ROOM * DRAWERS}
TRIES = 60  # to find a paper that a rule decides, before the rules are drawn anew
RIGHT = 7  # of the papers of level 4: a decision that advances the goal (10.6.1); one slip is allowed if it is stable
FILES = [f"F{number:02d}" for number in range(1, COUNT[5] + 1)]
_ITEM = {"file": STRING, "kind": STRING, "mark": STRING, "year": INTEGER, "pages": INTEGER}
_MORE = {4: dict.fromkeys(("label", "owner", "last_seen_in"), STRING), 5: {"in": STRING}}
OBSERVATIONS = {
    level: obj({"items": array(obj(_ITEM | _MORE.get(level, {}))), "filed": INTEGER}) for level in COUNT
}


@cache
def _move(situation: str, desk: bool) -> Action:
    drawers = sorted(TABLE["situations"][situation]["drawers"])
    into, tidy = "Put one from the desk into a drawer.", "Move one from where it is to a drawer or the desk."
    return action(
        "move",
        tidy if desk else into,
        {
            "file": text("its number", options=FILES),
            "to": text("where to", options=[*drawers, DESK] if desk else drawers),
        },
    )


# A rule is what it looks at with the value it looks for, and the drawer. The last looks at nothing.
Rule = tuple[dict[str, Any], str]
Drawn = tuple[list[Rule], list[dict[str, Any]]]


def _rules(office: dict[str, Any], drawers: list[str], stream: Stream) -> list[Rule]:
    """Five rules of a word and a figure each, and one for the rest. Two words come twice, with either figure."""
    one, two = stream.shuffled(office["kinds"])[:2]
    words = [("mark", office["flag"]), ("mark", office["flag"]), ("kind", one), ("kind", one), ("kind", two)]
    tests: list[dict[str, Any]] = [
        {word: value, figure: stream.integer(1990, 2015) if figure == "year" else 10 * stream.integer(2, 9)}
        for (word, value), figure in zip(words, [*FIGURES, *FIGURES, stream.choice(FIGURES)], strict=True)
    ]
    return list(zip([*stream.shuffled(tests), {}], drawers, strict=True))


def _fits(rules: list[Rule], item: dict[str, Any]) -> str:
    """The drawer of the first rule that fits."""
    return next(
        drawer
        for tests, drawer in rules
        if all(TESTS[look](item[look], value) for look, value in tests.items())
    )


def _part_of(rules: list[Rule], looks: Sequence[str]) -> list[Rule]:
    """The rules as they are to somebody who reads of each only what it says of some things."""
    read = [({look: tests[look] for look in looks if look in tests}, drawer) for tests, drawer in rules]
    return [*(rule for rule in read if rule[0]), rules[-1]]


def _item(
    rules: list[Rule], office: dict[str, Any], target: int, stream: Stream, *, alone: bool
) -> dict[str, Any] | None:
    """A paper that the rule in this place decides; or none, where an earlier one fits it by chance.

    Where it comes ``alone``, reading less must not be enough.
    """
    item: dict[str, Any] = {
        "file": "",
        "kind": stream.choice(office["kinds"]),
        "mark": stream.choice(("none", office["flag"])),
        "year": stream.integer(1982, 2023),
        "pages": stream.integer(8, 110),
    }
    tests, drawer = rules[target]
    for look, value in tests.items():
        if not TESTS[look](item[look], value):
            item[look] = value if look in WORDS else value + BEYOND[look] * stream.integer(1, 12)
    if _fits(rules, item) != drawer or (alone and _needs_less(rules, item, target)):
        return None
    return item


def _needs_less(rules: list[Rule], item: dict[str, Any], target: int) -> bool:
    """Whether a part of the rules decides as all do: the words, the kind alone, the figures, the last that fits.

    What no rule or one rule stands before cannot mislead in every way, nor can what none comes after.
    """
    drawer = rules[target][1]
    if target < DRAWERS - 2 and _fits(backwards(rules), item) == drawer:
        return True
    parts = (WORDS, ("kind",), FIGURES)
    return target > 1 and any(_fits(_part_of(rules, looks), item) == drawer for looks in parts)


def backwards(rules: list[Rule]) -> list[Rule]:
    """The rules so that the last that fits decides."""
    return [*rules[-2::-1], rules[-1]]


def _papers(level: int, office: dict[str, Any], drawers: list[str], stream: Stream) -> Drawn:
    """Rules, and papers that each of them decides. Rules that leave a place without papers are drawn anew."""
    targets = stream.shuffled(_targets(level, stream))
    while True:
        rules, items = _rules(office, drawers, stream), []
        for target in targets:
            tries = (_item(rules, office, target, stream, alone=level == 1) for _ in range(TRIES))
            if not (item := next(filter(None, tries), None)):
                break
            items.append(item)
        else:
            return rules, items


def _mixed_up(wants: dict[str, str], drawers: list[str], stream: Stream) -> dict[str, str]:
    """Where each paper lies: pairs of drawers side by side have exchanged one or two of theirs.

    So there is one tour through all drawers, and who turns back too early has to lay another paper on the desk.
    """
    own = {drawer: [name for name in wants if wants[name] == drawer] for drawer in drawers}
    where = dict(wants)
    for (one, two), count in zip(pairwise(drawers), stream.choice(EXCHANGED), strict=True):
        for _ in range(count):
            where[own[one].pop()], where[own[two].pop()] = two, one
    return where


def _without_planning(where: dict[str, str], wants: dict[str, str], listed: list[str]) -> int:
    """The moves it takes to move what has room, the paper on the desk last, each time the first that is listed."""
    moves, gap, desk = 0, "", ""
    left = [name for name in listed if where[name] != wants[name]]
    while left:
        if not gap:
            desk, gap = left[0], where[left[0]]
        else:
            name = next((name for name in left if wants[name] == gap and name != desk), desk)
            left.remove(name)
            gap = where[name] if name != desk else ""
        moves += 1
    return moves


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


def _disorder(
    items: list[dict[str, Any]], wants: dict[str, str], drawers: list[str], stream: Stream
) -> tuple[list[dict[str, Any]], int]:
    """The papers in disorder, listed so that who does not plan runs out of moves; and the fewest moves."""
    where = _mixed_up(wants, drawers, stream)
    needed = len(_sequence(where, wants))
    while True:
        listed = stream.shuffled(items)
        names = [item["file"] for item in listed]
        if all(_without_planning(where, wants, order) > needed + SPARE for order in (names, names[::-1])):
            return [{**item, "in": where[item["file"]]} for item in listed], needed


def _shown(
    items: list[dict[str, Any]], level: int, drawers: list[str], stream: Stream
) -> list[dict[str, Any]]:
    """The papers in some order, at level 4 with attributes that mean nothing."""
    shown = stream.shuffled(items)
    if level != 4:
        return shown
    extra = {"label": TABLE["colours"], "owner": TABLE["owners"], "last_seen_in": drawers}
    return [item | {key: stream.choice(few) for key, few in extra.items()} for item in shown]


def _targets(level: int, stream: Stream) -> list[int]:
    """Which rule decides each paper."""
    if level == 5:
        return [place for place in range(DRAWERS) for _ in range(ROOM)]
    some = [stream.below(DRAWERS) for _ in range(COUNT[level] % DRAWERS)]
    return some if level == 1 else [*range(DRAWERS), *some]


def _goal(
    office: dict[str, Any], level: int, rules: list[Rule], column: int, head: int, stream: Stream
) -> str:
    said = {look: ways[column] for look, ways in TABLE["rules"].items()}
    parts = [TABLE["heads"][level][head], TABLE["orders"][head]]
    for number, (tests, drawer) in enumerate(rules, 1):
        which = [
            said[look].format(**{VALUE[look]: value}) for look, value in stream.shuffled([*tests.items()])
        ]
        rule = said["both" if tests else "rest"].format(**office, drawer=drawer, which=" and ".join(which))
        parts.append(f"({number}) {rule}")
    parts += [TABLE["kinds"].format(kinds=", ".join(office["kinds"])), TABLE["tails"][level]]
    return " ".join(parts).format(**office, room=ROOM)


def _understood(said: str) -> Rule:
    """The rule that a sentence of the goal states."""
    ways = TABLE["rules"]
    for way in ways["rest"]:
        if found := pattern(way).match(said):
            return {}, found["drawer"]
    for column, way in enumerate(ways["both"]):
        if found := pattern(way).match(said):
            tests = {
                look: heard[gap]
                for look, gap in VALUE.items()
                if (heard := read(ways[look][column], found["which"], r"\w+"))
            }
            if len(tests) == 2:
                return {look: int(v) if look in FIGURES else v for look, v in tests.items()}, found["drawer"]
    raise AssertionError(f"not a rule: {said}")


class Cabinet(Rounds):
    """A desk and drawers. What was put away stays there, unless the drawers themselves are to be put in order."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._where = [{item["file"]: item.get("in", DESK) for item in part["items"]} for part in self.parts]

    def look(self) -> dict[str, Any]:
        where, items = self._where[self.now], self.parts[self.now]["items"]
        if self.setup["desk"]:
            shown = [{**item, "in": where[item["file"]]} for item in items]
        else:
            shown = [dict(item) for item in items if where[item["file"]] == DESK]
        filed = sum(place != DESK for place in where.values())
        return {"items": shown, "filed": filed}

    def do_move(self, file: str, to: str) -> Effect:
        where = self._where[self.now]
        if file not in where:
            raise Refused(f"there is no {file} here")
        if self.setup["desk"]:
            held = sum(place == to for place in where.values())
            if where[file] != to and held >= (1 if to == DESK else ROOM):
                raise Refused(f"{to} is full: {held} of {held}")
        elif where[file] != DESK:
            raise Refused(f"{file} has been put away and stays where it is")
        where[file] = to
        return Effect() if self.setup["desk"] or DESK in where.values() else self.end_round()

    def snapshot(self) -> dict[str, Any]:
        return {"rounds": [dict(sorted(where.items())) for where in self._where]}


class Archivist(Steady):
    """Reads the rules from the goal, in their order, and each paper's kind by what it can stand for.

    The novice believes where a paper was last seen, and moves in the order of the list, room or no room.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._kinds = read_first([TABLE["kinds"]], brief.goal, r"[\w, ]+")["kinds"].split(", ")
        self._rules = [_understood(said) for said in NUMBERED.split(brief.goal)[1:]]
        self._moves: list[tuple[str, str]] | None = None

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        items = observation["items"]
        if "in" in items[0]:
            return self._straight(items, seen) if self.is_novice else self._planned(items)
        return Act("move", {"file": items[0]["file"], "to": self._drawer(items[0])})

    def _drawer(self, item: dict[str, Any]) -> str:
        if self.is_novice and "last_seen_in" in item:
            return str(item["last_seen_in"])
        kind = nearest(item["kind"].split(" ")[0], self._kinds)
        return _fits(self._rules, {**item, "kind": kind})

    def _planned(self, items: list[dict[str, Any]]) -> Act:
        where = {item["file"]: item["in"] for item in items}
        if self._moves is None:
            listed = sorted(items, key=lambda item: str(item["file"]))
            wants = {item["file"]: self._drawer(item) for item in listed}
            self._moves = _sequence(where, wants)
        if self._moves and where[self._moves[0][0]] == self._moves[0][1]:
            self._moves.pop(0)
        if not self._moves:
            return finish()
        file, to = self._moves[0]
        return Act("move", {"file": file, "to": to})

    def _straight(self, items: list[dict[str, Any]], seen: Seen) -> Act:
        if seen.error:
            return finish(False)
        for item in items:
            if item["in"] != (to := self._drawer(item)):
                full = sum(other["in"] == to for other in items) >= ROOM
                return Act("move", {"file": item["file"], "to": DESK if full and item["in"] != DESK else to})
        return finish()


class Filing(FamilyBase, table=TABLE):
    world = Cabinet
    solver = Archivist

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        office = TABLE["situations"][situation]
        drawers = stream.shuffled(office["drawers"])
        rules, items = _papers(level, office, drawers, stream)
        wants = {}
        for name, item in zip(FILES, items, strict=False):
            item["file"], wants[name] = name, _fits(rules, item)
        needed = len(items)
        if level == 5:
            items, needed = _disorder(items, wants, stream.shuffled(drawers), stream)
        columns, heads = stream.shuffled(range(WAYS)), stream.shuffled(range(WAYS))
        parts = [
            {
                "goal": _goal(office, level, rules, columns[part], heads[part], stream),
                "items": items if level == 5 else _shown(items, level, drawers, stream),
            }
            for part in range(2 if level == 4 else 1)
        ]
        needed *= len(parts)
        criterion = f"every {office['item']} is in the drawer of the first rule that fits"
        if level == 4:
            criterion = (
                f"every {office['item']} goes to the same drawer in both presentations of the case (B.4.4), and at "
                f"least {RIGHT} of {COUNT[4]} to the drawer of the first rule that fits (10.6.1)"
            )
        return self.task(
            level,
            situation,
            goal=str(parts[0]["goal"]),
            observation=OBSERVATIONS[level],
            actions=(_move(situation, level == 5),),
            criterion=criterion,
            expected=[wants for _ in parts],
            setup={"parts": parts, "desk": level == 5},
            needed=needed,
            most=needed + SPARE if level == 5 else None,
            noisy=("kind", "owner"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        expected, found = task.criterion.expected, state["rounds"]
        wants, has = expected[0], found[0]
        if len(expected) == 1:
            for name in wants:
                if has[name] != wants[name]:
                    yield f"{name} is in {has[name]}, not {wants[name]}"
            return
        for name in wants:
            if found[1][name] != has[name]:
                yield f"{name} went to {has[name]} and then to {found[1][name]}"
        right = min(sum(has[name] == drawer for name, drawer in wants.items()) for has in found)
        if right < RIGHT:
            yield f"{right} of {len(wants)} are where the rules want them; at least {RIGHT} have to be"

    def null(self, brief: Brief) -> Fixed:
        drawer = options(brief, "to")[0]
        return Fixed(*(Act("move", {"file": name, "to": drawer}) for name in FILES[: COUNT[brief.level]]))
