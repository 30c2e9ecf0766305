"""Records: what can be had from numbers, names and the order of lines alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from rapidfuzz import fuzz

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.fuzzy import nearest
from tests.worlds.shortcuts.running_scripts import Script, scripted
from tests.worlds.shortcuts.running_verdicts import READINGS

DENIED = re.compile(r"\b(no|not|nothing|cancelled|withdrawn|ignore|later|without)\b", re.IGNORECASE)
OPENING = re.compile(r"^- (The|A|Someone)\b")
NEW = re.compile(r"[A-Z]-\d+")
BEGIN, COMMIT, ROLLBACK = Act("begin", {}), Act("commit", {}), Act("rollback", {})


def _items(seen: Seen) -> list[dict[str, Any]]:
    tables = [rows for rows in seen.observation.values() if isinstance(rows, list) and rows]
    return next(rows for rows in tables if isinstance(rows[0], dict) and "name" in rows[0])


def _rows(said: list[str], items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Of every sentence with two numbers: the long one, the short one, and the item it seems to name."""
    for sentence in said:
        long, short = re.findall(r"\b\d{4}\b", sentence), re.findall(r"\b\d{1,2}\b", sentence)
        if long and short:
            windows = [sentence[at : at + 20] for at in range(max(1, len(sentence) - 5))]
            close = {item["name"]: max(windows, key=lambda w: _like(w, item["name"])) for item in items}
            name = max(close, key=lambda name: _like(close[name], name))
            item = next(item for item in items if item["name"] == name)
            yield {"number": int(long[0]), "count": int(short[0]), "item": item}


def _like(window: str, name: str) -> float:
    return fuzz.ratio(window[: len(name)].lower(), name.lower())


def _entry(row: dict[str, Any]) -> Act:
    return Act("add_entry", {"number": row["number"], "code": row["item"]["code"], "count": row["count"]})


def one(which: int) -> Callable[[Brief], Policy]:
    """The first, or the last, sentence with two numbers in it."""

    def script(brief: Brief, seen: Seen) -> Script:
        yield _entry(list(_rows(re.split(r"(?<=\.) ", brief.goal), _items(seen)))[which])

    return scripted(script)


def counting(counts: Callable[[str], bool]) -> Callable[[Brief], Policy]:
    """The first sentence that seems to count."""

    def script(brief: Brief, seen: Seen) -> Script:
        notes = [note for note in re.split(r"(?<=\.) ", brief.goal) if re.search(r"\d{4}", note)]
        yield _entry(next(_rows([next(filter(counts, notes), notes[0])], _items(seen))))

    return scripted(script)


def first_listed(brief: Brief, seen: Seen) -> Script:
    """The numbers of the first sentence, for the item that is listed first."""
    row = next(_rows(re.split(r"(?<=\.) ", brief.goal), _items(seen)))
    yield _entry({**row, "item": _items(seen)[0]})


def in_list_order(counts: Callable[[str], bool], most: int, clean: bool) -> Callable[[Brief], Policy]:
    """Each line is booked and its count lowered. A new item first, with its count after booking."""

    def script(brief: Brief, seen: Seen) -> Script:
        if clean:
            seen = yield ROLLBACK
        items = [dict(item) for item in _items(seen)]
        lines = [line for line in brief.goal.split("\n") if line.startswith("- ")]
        tail = brief.goal.split("\n")[-1]
        code = NEW.search(tail)
        rows = list(_rows([line for line in lines if counts(line)], items))[:most]
        yield BEGIN
        if code:
            words = " ".join(line for line in lines)
            shown = [item["name"] for item in items]
            name = next(
                (w for w in re.findall(r"[a-z]+ [a-z]+", tail) if w in words and nearest(w, shown) != w), ""
            )
            count = int(re.findall(r"\b\d{2}\b", tail)[0])
            new = {"code": code[0], "name": name, "count": count}
            rows = [
                {**row, "item": new} if name and name in line else row
                for row, line in zip(rows, lines, strict=False)
            ]
            taken = sum(row["count"] for row in rows if row["item"] is new)
            yield Act("add_item", {**new, "count": count - taken})
        for row in rows:
            yield _entry(row)
            if not code or row["item"]["code"] != code[0]:
                left = row["item"]["count"] - row["count"]
                yield Act("set_count", {"code": row["item"]["code"], "count": max(0, left)})
        yield COMMIT

    return scripted(script)


def as_told(brief: Brief, seen: Seen) -> Script:
    """Begins, does everything in its order, and after an error rolls back and begins anew."""
    rows = list(_rows([line for line in brief.goal.split("\n") if line.startswith("- ")], _items(seen)))
    for _ in range(3):
        wrong = False
        for act in (BEGIN, *(_entry(row) for row in rows), COMMIT):
            seen = yield act
            wrong = wrong or bool(seen.error)
            if seen.error:
                yield ROLLBACK
                break
        if not wrong:
            return


def _any(line: str) -> bool:
    return True


def _without(skip: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda line: not skip.search(line)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: {"first sentence": one(0), "last sentence": one(-1), "first item": scripted(first_listed)}
    | {name: counting(reading) for name, reading in READINGS.items()},
    2: {
        "every line": in_list_order(_any, 9, clean=False),
        "every line without a denial": in_list_order(_without(DENIED), 9, clean=False),
        "every line that begins plainly": in_list_order(_without(OPENING), 9, clean=False),
        "the first line": in_list_order(_any, 1, clean=False),
    }
    | {name: in_list_order(reading, 9, clean=False) for name, reading in READINGS.items()},
    3: {
        "every line": in_list_order(_any, 9, clean=True),
        "every line without a denial": in_list_order(_without(DENIED), 9, clean=True),
        "without rolling back": in_list_order(_without(DENIED), 9, clean=False),
        "roll back on error": scripted(as_told),
    }
    | {name: in_list_order(reading, 9, clean=True) for name, reading in READINGS.items()},
}
