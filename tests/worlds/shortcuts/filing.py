"""Filing: one rule or one field instead of all rules in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import finish, options
from assay.worlds.families.filing import DESK, ROOM, Archivist, Rule, _fits, _part_of, backwards
from assay.worlds.fuzzy import nearest

Item = dict[str, Any]
Choice = Callable[[list[Rule], Item], str]


def _only(*looks: str) -> Choice:
    """Of each rule only some conditions count; rules without any are passed over."""
    return lambda rules, item: _fits(_part_of(rules, looks), item)


def _last(rules: list[Rule], item: Item) -> str:
    """The last rule that fits, not the first."""
    return _fits(backwards(rules), item)


class _Files(Archivist):
    """Reads the rules as the solver does, and decides by something else."""

    def __init__(self, brief: Brief, choose: Choice) -> None:
        super().__init__(brief)
        self._choose = choose

    def _drawer(self, item: Item) -> str:
        return self._choose(self._rules, {**item, "kind": nearest(item["kind"].split(" ")[0], self._kinds)})


class _Greedy(_Files):
    """Moves what has room, the first or the last listed; where nothing has, one that is wrong goes to the desk."""

    def __init__(self, brief: Brief, at: int, desk_last: bool) -> None:
        super().__init__(brief, _fits)
        self._at, self._desk_last = at, desk_last

    def step(self, observation: Item, seen: Seen) -> Act:
        items = observation["items"]
        wrong = [item for item in items if item["in"] != self._drawer(item)]
        if not wrong:
            return finish()
        held = [item["in"] for item in items]
        free = [item for item in wrong if held.count(self._drawer(item)) < ROOM]
        if self._desk_last:
            free = [item for item in free if item["in"] != DESK] or free
        chosen = (free or wrong)[self._at]
        return Act("move", {"file": chosen["file"], "to": self._drawer(chosen) if free else DESK})


def greedy(at: int, desk_last: bool) -> Callable[[Brief], Policy]:
    return lambda brief: _Greedy(brief, at, desk_last)


def choosing(choose: Choice) -> Callable[[Brief], Policy]:
    return lambda brief: _Files(brief, choose)


def first_option(brief: Brief) -> Policy:
    drawer = options(brief, "to")[0]
    return _Files(brief, lambda rules, item: drawer)


_FIELDS: dict[str, Callable[[Brief], Policy]] = {
    "first option": first_option,
    "first rule": choosing(lambda rules, item: rules[0][1]),
    "last rule": choosing(lambda rules, item: rules[-1][1]),
    "by kind": choosing(_only("kind")),
    "by mark": choosing(_only("mark")),
    "by year": choosing(_only("year")),
    "by pages": choosing(_only("pages")),
    "words without figures": choosing(_only("mark", "kind")),
    "figures without words": choosing(_only("year", "pages")),
    "last that fits": choosing(_last),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: _FIELDS,
    2: _FIELDS,
    4: {**_FIELDS, "where last seen": choosing(lambda rules, item: str(item["last_seen_in"]))},
    5: {
        "what has room": greedy(0, desk_last=False),
        "what has room, from the end": greedy(-1, desk_last=False),
        "the desk last": greedy(0, desk_last=True),
        "the desk last, from the end": greedy(-1, desk_last=True),
    },
}
