"""Workspace: what can be had from quotes, backticks and error messages alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.families.workspace import _understood
from tests.worlds.shortcuts.running_scripts import Script, scripted
from tests.worlds.shortcuts.running_verdicts import READINGS

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


def counting(counts: Callable[[str], bool]) -> Callable[[Brief], Policy]:
    """The first note that seems to count."""

    def script(brief: Brief, seen: Seen) -> Script:
        notes = [note for note in re.split(r"(?<=\.) (?=[A-Z])", brief.goal) if TEXT.search(note)]
        note = next(filter(counts, notes), notes[0])
        yield create(NAME.findall(note)[0], TEXT.findall(note)[0])

    return scripted(script)


def by_form(counts: Callable[[str], bool]) -> Callable[[Brief], Policy]:
    """Two names: move; a name and a text: create, or add where the file exists; a name alone: delete."""

    def script(brief: Brief, seen: Seen) -> Script:
        listed = {file["name"] for file in seen.observation["files"]}
        for line in brief.goal.split("\n")[1:-1]:
            names, texts = NAME.findall(line), TEXT.findall(line)
            if not counts(line):
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
    """Moves, and files to be written anew, of which those that do not count are known: the rest is the level."""
    steps = _understood(brief.goal)
    moves = [(step["name"], step["to"]) for step in steps if "to" in step]
    return moves, [(step["name"], step["text"]) for step in steps if "text" in step]


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
    1: {"first quoted": quoted(0), "last quoted": quoted(-1)}
    | {name: counting(reading) for name, reading in READINGS.items()},
    2: {
        "by form": by_form(lambda line: True),
        "by form, denials left out": by_form(lambda line: not DENIED.search(line)),
    }
    | {f"by form, {name}": by_form(reading) for name, reading in READINGS.items()},
    3: {
        "refused ones again": scripted(retried),
        "by way of others": scripted(by_way_of_others),
        "put aside": scripted(put_aside),
    },
}
