"""Inbox: register a message's fields, some of which notes put right. B.2.1 and, under noise, section 10.4.3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, entry_failures, finish
from assay.worlds.fuzzy import nearest, read_number
from assay.worlds.model import Act, Brief, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.standing import loose, read_standing, standing
from assay.worlds.templates import numbers, table

__all__ = ["Inbox"]

TABLE = table("inbox")
NOTES: dict[str, list[str]] = TABLE["notes"]
FIELDS = ("sender", "subject", "priority", "received")
PRIORITIES = ["low", "normal", "high", "urgent"]
MAILS = 5
REGISTER = action(
    "register",
    "Enter a message into the register. An entry cannot be taken back.",
    {
        "sender": text("who wrote it", longest=80),
        "subject": text("its subject", longest=120),
        "priority": text("its priority", options=PRIORITIES),
        "received": text("the date, YYYY-MM-DD", longest=10),
    },
)
_MAIL = {"number": INTEGER} | dict.fromkeys(FIELDS, STRING)
_LISTS = {"directory": array(STRING), "subjects": array(STRING), "entries": INTEGER}
OBSERVATIONS = {
    1: obj({"mails": array(obj(_MAIL)), **_LISTS}),
    4: obj({"mails": array(obj({**_MAIL, "notes": array(STRING)})), **_LISTS}),
}


def _drawn(stream: Stream, names: list[str], subjects: list[str]) -> dict[str, str]:
    """A value for each field."""
    return {
        "sender": stream.choice(names),
        "subject": stream.choice(subjects),
        "priority": stream.choice(PRIORITIES),
        "received": f"2026-{stream.integer(1, 12):02d}-{stream.integer(1, 28):02d}",
    }


def _annotated(
    mail: dict[str, Any], said: dict[str, str], stream: Stream
) -> tuple[list[str], dict[str, str]]:
    """The notes, one on each field, and what is true. Some fields are put right, never all of them."""
    meant = stream.shuffled(FIELDS)[: stream.integer(1, len(FIELDS) - 1)]
    notes = [
        standing(stream, stream.choice(NOTES[field]).format(value=said[field]), holds=field in meant)
        for field in FIELDS
    ]
    return stream.shuffled(notes), {field: said[field] if field in meant else mail[field] for field in FIELDS}


def _other(stream: Stream, mail: dict[str, Any], names: list[str], subjects: list[str]) -> dict[str, str]:
    """Values that all differ from those of the mail."""
    found = _drawn(stream, names, subjects)
    return (
        found
        if all(found[field] != mail[field] for field in FIELDS)
        else _other(stream, mail, names, subjects)
    )


class Register(WorldBase):
    """The messages, and a register to which entries are added."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._entries: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        setup = self.setup
        return {
            "mails": [dict(mail) for mail in setup["mails"]],
            "directory": list(setup["directory"]),
            "subjects": list(setup["subjects"]),
            "entries": len(self._entries),
        }

    def do_register(self, **entry: str) -> None:
        self._entries.append({field: entry[field] for field in FIELDS})

    def snapshot(self) -> dict[str, Any]:
        return {"register": [dict(entry) for entry in self._entries]}


@cache
def _readers() -> list[tuple[re.Pattern[str], str]]:
    """What a note may be about, in every wording, however it is misread; and the field."""
    parts = [(field, *said.split("{value}")) for field, some in NOTES.items() for said in some]
    return [
        (re.compile(f"{loose(before)}(?P<value>.+?){loose(after)}", re.IGNORECASE), field)
        for field, before, after in parts
    ]


class Registrar(Steady):
    """Finds the message by the number in the goal, and reads what was misread by what it can stand for.

    The novice takes the header for granted.
    """

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["entries"]:
            return finish()
        mail = next(mail for mail in observation["mails"] if str(mail["number"]) in self.brief.goal)
        entry = {
            "sender": nearest(mail["sender"], observation["directory"]),
            "subject": nearest(mail["subject"], observation["subjects"]),
            "priority": nearest(mail["priority"], PRIORITIES),
            "received": read_number(mail["received"][:10]),
        }
        if not self.is_novice:
            for note in mail.get("notes", ()):
                entry |= self.put_right(note, observation)
        return Act("register", entry)

    def put_right(self, note: str, observation: dict[str, Any]) -> dict[str, str]:
        """What a note changes, if it counts."""
        ((about, counts),) = read_standing(note, misread=True)
        if not counts:
            return {}
        field, said = next(
            (f, found["value"]) for reader, f in _readers() if (found := reader.fullmatch(about))
        )
        if field == "received":
            return {field: read_number(said)}
        options = {
            "sender": observation["directory"],
            "subject": observation["subjects"],
            "priority": PRIORITIES,
        }
        return {field: nearest(said, options[field])}


class Inbox(FamilyBase, table=TABLE):
    world = Register
    solver = Registrar

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names, subjects = sorted(TABLE["names"]), sorted(story["subjects"])
        mails: list[dict[str, Any]] = []
        truths: list[dict[str, str]] = []
        for number in numbers(stream, MAILS, 101, 189):
            mail: dict[str, Any] = {"number": number, **_drawn(stream, names, subjects)}
            truth = {field: mail[field] for field in FIELDS}
            if level == 4:
                mail["notes"], truth = _annotated(mail, _other(stream, mail, names, subjects), stream)
            mails.append(mail)
            truths.append(truth)
        wanted = stream.below(MAILS)
        number, right = mails[wanted]["number"], truths[wanted]
        goal, how = stream.choice(TABLE["goals"]), stream.choice(TABLE["how"][level])
        return self.task(
            level,
            situation,
            goal=goal.format(**story, number=number, how=how),
            observation=OBSERVATIONS[level],
            actions=(REGISTER,),
            criterion=f"the {story['register']} holds exactly one entry, with the four fields of message {number}",
            expected=[right],
            setup={"mails": mails, "directory": names, "subjects": subjects},
            needed=1,
            noisy=("mails",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        return entry_failures(
            state["register"],
            task.criterion.expected[0],
            dict(zip(FIELDS, FIELDS, strict=True)),
            none="nothing was registered",
            several="more than one entry was made",
        )

    def null(self, brief: Brief) -> Fixed:
        entry = {
            "sender": "Ada Brandt",
            "subject": "Question",
            "priority": "normal",
            "received": "2026-01-01",
        }
        return Fixed(Act("register", entry))
