"""Records: rows in a real database, in transactions, seen by a second connection. B.5.2, B.5.3."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, PlansOnce, Steady, WorldBase, finish
from assay.worlds.database import Broken, open_database
from assay.worlds.folder import encodable
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.standing import read_standing, standing
from assay.worlds.templates import numbers, partly_filled, read, story_of, table, worded

__all__ = ["Records"]

TABLE = table("records")
Row = dict[str, Any]
_CODE = text("the item's code, as K-123", longest=20)
_COUNT, _NUMBER = integer("", -100_000, 100_000), integer("", 1, 99_999)
ADD_ENTRY = action(
    "add_entry",
    "Insert a row into the table of entries. Its number must be new, its code that of a known item.",
    {"number": _NUMBER, "code": _CODE, "count": _COUNT},
)
ADD_ITEM = action(
    "add_item",
    "Insert a row into the table of items. The code must be new.",
    {"code": _CODE, "name": text("the item's name", longest=60), "count": _COUNT},
)
SET_COUNT = action(
    "set_count",
    "Update the count of an item to a new value, which must not be negative.",
    {"code": _CODE, "count": _COUNT},
)
BEGIN = action("begin", "Begin a transaction.")
COMMIT = action("commit", "Make the open transaction's changes take effect.")
ROLLBACK = action("rollback", "Undo all the open transaction's changes and end it.")
ACTIONS = {
    1: (ADD_ENTRY,),
    2: (BEGIN, ADD_ENTRY, SET_COUNT, COMMIT, ROLLBACK),
    3: (BEGIN, ADD_ENTRY, ADD_ITEM, SET_COUNT, COMMIT, ROLLBACK),
}
# The same for all instances of a level, so that it does not tell how much is to be booked; at level 3 one retry, of ten
# operations at most (10.7.3, B.5.3).
MOST = {1: 6, 2: 16, 3: 10}
CANCELLED = {1: 4, 2: 2, 3: 2}  # lines that are not to be booked
_FILLING = r"[A-Z]-\d+|\d+|[a-z]+(?: [a-z]+)*"  # a code, a number, or a name of small words
BROKEN = {
    "unique": "this number or code exists already",
    "foreign key": "no item has this code",
    "check": "a count must not be negative, and that of an entry must be above zero",
    "other": "a value is not one that the table can hold",
}
ONLY_ROLLBACK = "the transaction has failed: it can only be rolled back"


@cache
def _observation(items: str, entries: str) -> dict[str, Any]:
    return obj(
        {
            "transaction": text("whether one is open", options=["none", "open", "failed"]),
            items: array(obj({"code": STRING, "name": STRING, "count": INTEGER})),
            entries: array(obj({"number": INTEGER, "code": STRING, "count": INTEGER})),
        }
    )


def _lines(items: list[Row], count: int, free: list[int], stream: Stream) -> list[Row]:
    return [
        {"number": free.pop(), "code": item["code"], "name": item["name"], "count": stream.integer(3, 25)}
        for item in stream.shuffled(items)[:count]
    ]


def _pending(items: list[Row], free: list[int], stream: Stream) -> Row:
    """What another user left in an open transaction."""
    item = stream.choice(items)
    return {"number": free.pop(), "code": item["code"], "count": stream.integer(3, 25)}


def _expected(
    level: int, items: list[Row], entries: list[Row], wanted: list[Row], new: Row | None
) -> dict[str, list[list[Any]]]:
    taken = {row["code"]: row["count"] for row in wanted} if level > 1 else {}
    rows = [*items, new] if new else items
    return {
        "items": sorted([row["code"], row["name"], row["count"] - taken.get(row["code"], 0)] for row in rows),
        "entries": sorted([row["number"], row["code"], row["count"]] for row in [*entries, *wanted]),
    }


def _goal(
    level: int, story: Row, wanted: list[Row], cancelled: list[Row], new: Row | None, stream: Stream
) -> str:
    """What is to be booked, mixed with what is not."""
    notes = stream.shuffled(
        [
            standing(stream, worded(stream, TABLE["orders"], story, **row), holds=row in wanted)
            for row in (*wanted, *cancelled)
        ]
    )
    if level == 1:
        return worded(stream, TABLE["notes"], story, notes=" ".join(notes)) + str(TABLE["misread"])
    goal = worded(stream, TABLE["many"], story, lines="\n".join(f"- {note}" for note in notes))
    if new is not None:
        goal += worded(stream, TABLE["new"], story, **new)
        goal += stream.choice(TABLE["open"]) + TABLE["failed"]
    return f"{goal}{TABLE['together']}{TABLE['misread']}"


class TransactionTables(WorldBase):
    """Two tables, a connection that works on them, and one that only sees what is committed."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        setup = task.setup
        self._items, self._entries = setup["tables"]
        self._database = open_database()
        run = self._database.run
        run(
            f"CREATE TABLE {self._items} (code TEXT PRIMARY KEY, name TEXT, count INTEGER CHECK (count >= 0))"
        )
        run(
            f"CREATE TABLE {self._entries} (number INTEGER PRIMARY KEY, "
            f"code TEXT NOT NULL REFERENCES {self._items} (code), count INTEGER CHECK (count > 0))"
        )
        run("BEGIN")
        for row in setup["items"]:
            self._do("add_item", row)
        for row in setup["entries"]:
            self._do("add_entry", row)
        run("COMMIT")
        self._transaction = "none"
        if setup["pending"]:
            run("BEGIN")
            self._transaction = "open"
            self._do("add_entry", setup["pending"])
            self._do("set_count", {"code": setup["pending"]["code"], "count": 0})

    def look(self) -> dict[str, Any]:
        # Nothing can be read inside a failed transaction; what is committed still can.
        read_rows = self._database.committed if self._transaction == "failed" else self._database.rows
        return {
            "transaction": self._transaction,
            self._items: [_named(row, "code", "name", "count") for row in sorted(read_rows(self._all_items))],
            self._entries: [
                _named(row, "number", "code", "count") for row in sorted(read_rows(self._all_entries))
            ],
        }

    @property
    def _all_items(self) -> str:
        return f"SELECT code, name, count FROM {self._items}"  # noqa: S608

    @property
    def _all_entries(self) -> str:
        return f"SELECT number, code, count FROM {self._entries}"  # noqa: S608

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name in ("begin", "commit", "rollback"):
            return super().act(name, arguments)
        if self._transaction == "failed":
            return Effect(error=ONLY_ROLLBACK)
        if self._transaction == "none" and self.level > 1:  # at level 1 statements commit by themselves
            return Effect(error="no transaction is open: begin one first")
        try:
            encodable("".join(str(value) for value in arguments.values()))
            self._do(name, arguments)
        except Refused as refused:
            return Effect(error=str(refused))
        except Broken as broken:
            failed = self._transaction == "open"
            self._transaction = "failed" if failed else "none"
            told = "; the transaction has failed and can only be rolled back" if failed else ""
            return Effect(error=BROKEN[broken.rule] + told)
        return Effect()

    def do_begin(self) -> None:
        if self._transaction != "none":
            raise Refused("a transaction is open already")
        self._database.run("BEGIN")
        self._transaction = "open"

    def do_commit(self) -> None:
        if self._transaction == "failed":
            raise Refused(ONLY_ROLLBACK)
        self._end("COMMIT")

    def do_rollback(self) -> None:
        self._end("ROLLBACK")

    def _end(self, statement: str) -> None:
        if self._transaction == "none":
            raise Refused("no transaction is open")
        self._database.run(statement)
        self._transaction = "none"

    def _do(self, name: str, values: Row) -> None:
        if name == "add_entry":
            given = [values["number"], values["code"], values["count"]]
            self._database.run(f"INSERT INTO {self._entries} (number, code, count) VALUES (?, ?, ?)", given)  # noqa: S608
        elif name == "add_item":
            given = [values["code"], values["name"], values["count"]]
            self._database.run(f"INSERT INTO {self._items} (code, name, count) VALUES (?, ?, ?)", given)  # noqa: S608
        else:
            if not any(row[0] == values["code"] for row in self._database.rows(self._all_items)):
                raise Broken("foreign key")
            given = [values["count"], values["code"]]
            self._database.run(f"UPDATE {self._items} SET count = ? WHERE code = ?", given)  # noqa: S608

    def snapshot(self) -> dict[str, Any]:
        read_rows = self._database.committed
        return {
            "items": sorted([*row] for row in read_rows(self._all_items)),
            "entries": sorted([*row] for row in read_rows(self._all_entries)),
        }

    def close(self) -> None:
        self._database.close()


def _named(row: tuple[Any, ...], *names: str) -> Row:
    return dict(zip(names, row, strict=True))


def _tables(observation: dict[str, Any]) -> tuple[list[Row], list[Row]]:
    """Items and entries; only items have names."""
    lists = [rows for key, rows in observation.items() if isinstance(rows, list) and key != "messages"]
    items, entries = sorted(lists, key=lambda rows: "name" not in rows[0])
    return items, entries


def _asked(goal: str) -> tuple[list[Row], Row | None]:
    """The entries that a goal asks for, and the item that is new."""
    story = story_of(TABLE["situations"], goal)

    def found(part: str, said: str) -> Iterator[Row]:
        for template in TABLE[part]:
            row = read(partly_filled(template, story), said, _FILLING)
            if row is not None:
                yield {key: int(value) if value.isdigit() else value for key, value in row.items()}

    entries = [next(found("orders", subject)) for subject, counts in read_standing(goal) if counts]
    return entries, next(found("new", goal), None)


class BooksOnce(PlansOnce):
    """Books in the order of the list, once, and does not look at what comes of it."""

    def plan(self, observation: dict[str, Any]) -> list[Act]:
        items, _ = _tables(observation)
        asked, new = _asked(self.brief.goal)
        rows = [*items, new] if new else items
        acts: list[Act] = []
        for row in asked:
            item = _matching(row["name"], rows)
            entry = {"number": row["number"], "code": item["code"], "count": row["count"]}
            acts.append(Act("add_entry", entry))
            if self.brief.level > 1:
                left = item["count"] - row["count"]
                acts.append(Act("set_count", {"code": item["code"], "count": left}))
        if new:
            acts.append(Act("add_item", dict(new)))
        return acts if self.brief.level == 1 else [Act("begin", {}), *acts, Act("commit", {})]


def _matching(name: str, rows: list[Row]) -> Row:
    """The item of that name, which may have been misread, and to which something may have been appended."""
    shown = [row["name"][: len(name) + 2] for row in rows]
    return rows[shown.index(nearest(name, shown))]


class Booker(Steady):
    """Gets rid of what is not its own, works out both tables, and does what is missing, items first."""

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._asked, self._new = _asked(brief.goal)
        self._counts: dict[str, int] | None = None  # what is to be taken from the counts before

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        items, entries = _tables(observation)
        transaction = observation["transaction"]
        if transaction == "failed" or (transaction == "open" and self._counts is None):
            return Act("rollback", {})
        if self._counts is None:
            self._settle(items)
        act = self._missing({row["code"]: row["count"] for row in items}, {row["number"] for row in entries})
        if self.brief.level == 1 or transaction == "open":
            return act or (Act("commit", {}) if transaction == "open" else finish())
        return Act("begin", {}) if act else finish()

    def _settle(self, items: list[Row]) -> None:
        """The codes of what is asked for, and the counts that are to come about."""
        rows = [*items, self._new] if self._new else items
        self._counts = {}
        for row in self._asked:
            new = self._new if self._new and row["name"] == self._new["name"] else None
            item = new or _matching(row["name"], items)
            row["code"] = item["code"]
            if self.brief.level > 1:
                self._counts[item["code"]] = item["count"] - row["count"]
        assert {row["code"] for row in self._asked} <= {row["code"] for row in rows}

    def _missing(self, counts: dict[str, int], known: set[int]) -> Act | None:
        assert self._counts is not None
        if self._new and self._new["code"] not in counts:
            return Act("add_item", {**self._new, "count": self._counts[self._new["code"]]})
        for row in self._asked:
            if row["number"] not in known:
                return Act("add_entry", {key: row[key] for key in ("number", "code", "count")})
        for code, count in self._counts.items():
            if counts[code] != count:
                return Act("set_count", {"code": code, "count": count})
        return None


class Records(FamilyBase, table=TABLE):
    world = TransactionTables
    solver = Booker

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])
        codes = [f"{stream.choice('KLMPRT')}-{number}" for number in numbers(stream, 7, 210, 979)]
        items = [
            {"code": code, "name": name, "count": stream.integer(30, 90)}
            for code, name in zip(codes[:5], names, strict=False)
        ]
        free = numbers(stream, 12, 2100, 9799)
        entries = [
            {"number": free.pop(), "code": stream.choice(items)["code"], "count": stream.integer(2, 20)}
            for _ in range(3)
        ]
        wanted = _lines(items, {1: 1, 2: stream.integer(1, 2), 3: 3}[level], free, stream)
        cancelled = _lines(items, CANCELLED[level], free, stream)
        new = {"code": codes[5], "name": names[5], "count": stream.integer(30, 90)} if level == 3 else None
        if new is not None:  # one line is for what is not in the table yet
            wanted[0] |= {"code": new["code"], "name": new["name"]}
        needed = {1: 1, 2: 2 + 2 * len(wanted), 3: 9}[level]
        return self.task(
            level,
            situation,
            goal=_goal(level, story, wanted, cancelled, new, stream),
            observation=_observation(story["items"], story["entries"]),
            actions=ACTIONS[level],
            criterion="what is committed in both tables is exactly what was there before, with what was asked for",
            expected=_expected(level, items, entries, wanted, new),
            setup={
                "items": items,
                "entries": entries,
                "tables": [story["items"], story["entries"]],
                "pending": _pending(items, free, stream) if level == 3 else None,
            },
            needed=needed,
            most=MOST[level],
            noisy=("name",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        for part in ("items", "entries"):
            wanted, found = task.criterion.expected[part], state[part]
            yield from (f"{part}: {row} is missing" for row in wanted if row not in found)
            yield from (f"{part}: {row} should not be there" for row in found if row not in wanted)

    def novice(self, brief: Brief) -> BooksOnce:
        return BooksOnce(brief)

    def null(self, brief: Brief) -> Fixed:
        acts = [Act("add_entry", {"number": 1000, "code": "K-100", "count": 1})]
        if brief.level > 1:
            acts = [Act("begin", {}), *acts, Act("commit", {})]
        return Fixed(*acts)
