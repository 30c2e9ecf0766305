"""Workspace: what can be had from quotes, backticks and error messages alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from assay.worlds import Act, Brief, Policy, Seen
from tests.worlds.shortcuts.running_scripts import Script, scripted

NAME, TEXT = re.compile(r"`([^`]+)`"), re.compile(r'"([^"]+)"')
DENIED = re.compile(
    r"\b(no|not|nobody|keep|leave|without|but|although|dropped|withdrawn|mistake)\b", re.IGNORECASE
)


def create(name: str, content: str) -> Act:
    return Act("create_file", {"name": name, "content": content})


def move(name: str, to: str) -> Act:
    return Act("move_file", {"name": name, "to": to})


def quoted(which: int) -> Callable[[Brief], Policy]:
    """The first, or the last, that is named and quoted."""

    def script(brief: Brief, seen: Seen) -> Script:
        yield create(NAME.findall(brief.goal)[which], TEXT.findall(brief.goal)[which])

    return scripted(script)


def imperative(brief: Brief, seen: Seen) -> Script:
    """What follows the first word that commands."""
    at = re.search(r"\b(Create|Make|Do|Save|Put)\b", brief.goal)
    rest = brief.goal[at.start() :] if at else brief.goal
    yield create(NAME.findall(rest)[0], TEXT.findall(rest)[0])


def by_form(skip: re.Pattern[str] | None) -> Callable[[Brief], Policy]:
    """Two names: move; a name and a text: create, or add where the file exists; a name alone: delete."""

    def script(brief: Brief, seen: Seen) -> Script:
        listed = {file["name"] for file in seen.observation["files"]}
        for line in brief.goal.split("\n")[1:-1]:
            names, texts = NAME.findall(line), TEXT.findall(line)
            if skip and skip.search(line):
                continue
            if len(names) == 2:
                yield move(names[0], names[1])
            elif texts and names[0] in listed:
                yield Act("append_line", {"name": names[0], "line": texts[0]})
            elif texts:
                yield create(names[0], texts[0])
            else:
                yield Act("delete_file", {"name": names[0]})

    return scripted(script)


def _wanted(brief: Brief) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Moves, and files to be written anew, of which those that were withdrawn are known: the rest is the level."""
    lines = brief.goal.split("\n")[1:-1]
    moves = [(a, b) for line in lines if len(found := NAME.findall(line)) == 2 for a, b in [found]]
    for number, line in enumerate(lines):
        said = re.search(r"`([^`]+)` is the name that the present `([^`]+)`", line)
        if said:
            moves[[n for n, other in enumerate(lines) if len(NAME.findall(other)) == 2].index(number)] = (
                said[2], said[1],
            )  # fmt: skip
    kept = ("Nobody", "neither", "request", "Do without", "colleague", "another folder")
    texts = [line for line in lines if TEXT.search(line) and not any(word in line for word in kept)]
    return moves, [(NAME.findall(line)[0], TEXT.findall(line)[0]) for line in texts]


def retried(brief: Brief, seen: Seen) -> Script:
    """In the order of the list; what is refused is tried again after the others."""
    moves, texts = _wanted(brief)
    for name, content in texts:
        yield Act("delete_file", {"name": name})
        yield create(name, content)
    left = deque(moves)
    while left and seen.left:
        seen = yield move(*left[0])
        left.rotate(-1) if seen.error else left.popleft()


def by_way_of_others(brief: Brief, seen: Seen) -> Script:
    """Everything is put under another name first, and then where it belongs."""
    moves, texts = _wanted(brief)
    for number, (name, _) in enumerate(moves):
        yield move(name, f"other{number}.txt")
    for number, (_, to) in enumerate(moves):
        yield move(f"other{number}.txt", to)
    for name, content in texts:
        yield Act("delete_file", {"name": name})
        yield create(name, content)


def put_aside(brief: Brief, seen: Seen) -> Script:
    """What stands in the way, as the error says, is put aside and moved from there."""
    moves, texts = _wanted(brief)
    where: dict[str, str] = {}
    for name, to in moves:
        seen = yield move(where.get(name, name), to)
        if seen.error:
            where[to] = f"aside-{to.replace('/', '-')}"
            yield move(to, where[to])
            yield move(where.get(name, name), to)
    for name, content in texts:
        yield Act("delete_file", {"name": name})
        yield create(name, content)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {"first quoted": quoted(0), "last quoted": quoted(-1), "first command": scripted(imperative)},
    2: {"by form": by_form(None), "by form, denials left out": by_form(DENIED)},
    3: {
        "refused ones again": scripted(retried),
        "by way of others": scripted(by_way_of_others),
        "put aside": scripted(put_aside),
    },
}
