"""Inbox: register a message's explicit fields. B.2.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, entry_failures, finish
from assay.worlds.fuzzy import nearest, read_number
from assay.worlds.model import Act, Brief, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import table

__all__ = ["Inbox"]

TABLE = table("inbox")
FIELDS = ("sender", "subject", "priority", "received")
PRIORITIES = ["low", "normal", "high", "urgent"]
LONGEST = {"sender": 80, "subject": 120, "received": 10}
REGISTER = action(
    "register",
    "Enter a message into the register. An entry cannot be taken back.",
    {
        "sender": text("who wrote it", longest=LONGEST["sender"]),
        "subject": text("its subject", longest=LONGEST["subject"]),
        "priority": text("its priority", options=PRIORITIES),
        "received": text("the date, YYYY-MM-DD", longest=LONGEST["received"]),
    },
)
_MAIL = {"number": INTEGER} | dict.fromkeys(FIELDS, STRING)
_MORE = dict.fromkeys(("forwarded_by", "previous_subject", "answer_due"), STRING)
OBSERVATIONS = {
    1: obj({"mails": array(obj(_MAIL)), "entries": INTEGER}),
    4: obj(
        {
            "mails": array(obj(_MAIL | _MORE)),
            "directory": array(STRING),
            "subjects": array(STRING),
            "entries": INTEGER,
        }
    ),
}


def _date(stream: Stream) -> str:
    return f"2026-{stream.integer(1, 12):02d}-{stream.integer(1, 28):02d}"


class Register(WorldBase):
    """The messages, and a register to which entries are added."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._entries: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        setup = self.setup
        seen = {"mails": [dict(mail) for mail in setup["mails"]], "entries": len(self._entries)}
        if setup["directory"]:
            seen |= {"directory": list(setup["directory"]), "subjects": list(setup["subjects"])}
        return seen

    def do_register(self, **entry: str) -> None:
        self._entries.append({field: entry[field] for field in FIELDS})

    def snapshot(self) -> dict[str, Any]:
        return {"register": [dict(entry) for entry in self._entries]}


class Registrar(Steady):
    """Finds the message by the number in the goal and copies its fields, misread ones by what they can stand for.

    The novice copies them misread or not.
    """

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["entries"]:
            return finish()
        mail = next(mail for mail in observation["mails"] if str(mail["number"]) in self.brief.goal)
        entry = {field: mail[field] for field in FIELDS}
        if "directory" in observation and not self.is_novice:
            entry["sender"] = nearest(entry["sender"], observation["directory"])
            entry["subject"] = nearest(entry["subject"], observation["subjects"])
            entry["received"] = read_number(entry["received"])
        # Longer texts do not fit into the form: what was put after a name or a date is cut off.
        entry |= {field: entry[field][:longest] for field, longest in LONGEST.items()}
        return Act("register", {**entry, "priority": nearest(entry["priority"], PRIORITIES)})


class Inbox(FamilyBase, table=TABLE):
    world = Register
    solver = Registrar

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names, topics = stream.shuffled(TABLE["names"]), stream.shuffled(story["subjects"])
        count = 2 if level == 1 else 4
        numbers = stream.shuffled(range(101, 190))[:count]
        mails: list[dict[str, Any]] = [
            {
                "number": numbers[i],
                "sender": names[i],
                "subject": topics[i],
                "priority": stream.choice(PRIORITIES),
                "received": _date(stream),
            }
            for i in range(count)
        ]
        if level == 4:
            for mail in mails:
                mail["forwarded_by"] = stream.choice(names[count:])
                mail["previous_subject"] = stream.choice(topics)
                mail["answer_due"] = _date(stream)
        wanted = mails[stream.below(count)]
        goal, how = stream.choice(TABLE["goals"]), stream.choice(TABLE["how"][level])
        return self.task(
            level,
            situation,
            goal=goal.format(**story, number=wanted["number"], how=how),
            observation=OBSERVATIONS[level],
            actions=(REGISTER,),
            criterion=f"the {story['register']} holds exactly one entry, with the four fields of message "
            f"{wanted['number']}",
            expected=[{field: wanted[field] for field in FIELDS}],
            setup={
                "mails": mails,
                "directory": sorted(names) if level == 4 else [],
                "subjects": sorted(topics) if level == 4 else [],
            },
            needed=1,
            noisy=("mails",) if level == 4 else (),
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
