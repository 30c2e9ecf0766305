"""Inbox: register a message's explicit fields. B.2.1."""

from __future__ import annotations

from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, read_number
from assay.worlds.misread import nearest
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

__all__ = ["Inbox"]

FIELDS = ("sender", "subject", "priority", "received")
PRIORITIES = ["low", "normal", "high", "urgent"]
# Situation → who asks, the register's name, what mails are about.
SITUATIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "clinic": (
        "You keep the front desk of a small clinic.",
        "visit register",
        (
            "Appointment moved",
            "Prescription renewal",
            "Lab results ready",
            "Question about parking",
            "Referral letter",
        ),
    ),
    "library": (
        "You work at the loans desk of a town library.",
        "request list",
        (
            "Renewal of three books",
            "Lost library card",
            "Room for a reading group",
            "Interlibrary loan",
            "Late fee",
        ),
    ),
    "workshop": (
        "You take in orders for a bicycle workshop.",
        "job sheet",
        (
            "Brakes squeak",
            "Wheel out of true",
            "Pick-up on Friday",
            "Quote for a new chain",
            "Lights do not work",
        ),
    ),
    "theatre": (
        "You answer the post of a small theatre.",
        "correspondence log",
        ("Group tickets", "Lost scarf", "Wheelchair seats", "Press photo", "School performance"),
    ),
    "harbour": (
        "You keep the berth office of a marina.",
        "berth ledger",
        ("Berth for two nights", "Late departure", "Fuel delivery", "Broken mooring line", "Winter storage"),
    ),
    "school": (
        "You sort the post of a school office.",
        "office diary",
        ("Sick note", "Field trip consent", "Lost jacket", "Change of address", "Meeting with a teacher"),
    ),
}
NAMES = (
    "Ada Brandt", "Jonas Weiss", "Mira Okafor", "Luis Ortega", "Hanna Virtanen", "Tomas Novak", "Priya Raman",
    "Elif Kaya", "Noah Lindqvist", "Sofia Rossi", "Kwame Mensah", "Ines Duarte",
)  # fmt: skip
GOALS = (
    "{who} Register the message with the number {number} in the {register}: its sender, subject, priority and the "
    "date it was received, {how}.",
    "{who} Message {number} has not been entered yet. Put its sender, subject, priority and received date into the "
    "{register}, {how}.",
    "{who} Please file message {number}: the {register} needs sender, subject, priority and received date, {how}.",
)
HOW = {
    1: ("each exactly as the message gives it", "without changing a word", "copied as they stand"),
    4: (
        "as they were meant: the messages were scanned, and characters may have been misread. The directory and the "
        "list of subjects are spelled right. Who forwarded a message, its earlier subject and the date by which an "
        "answer is due do not count",
        "with every misreading of the scanner put right. Names can be checked in the directory, subjects in the list "
        "of subjects. Forwarding names, earlier subjects and due dates are beside the point",
    ),
}


class Inbox(FamilyBase):
    name: ClassVar[str] = "inbox"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Register a message's fields"
    dimension: ClassVar[Dimension] = "S"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        1: "four explicit fields, verbatim",
        4: "the same fields under misread words, beside conflicting and irrelevant ones",
    }
    situations: ClassVar[tuple[str, ...]] = ("clinic", "library", "workshop", "theatre")
    held_out: ClassVar[tuple[str, ...]] = ("harbour", "school")
    chance: ClassVar[dict[int, float]] = {1: 0.05, 4: 0.05}
    verification: ClassVar[str] = "the register's entries, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        who, register, subjects = SITUATIONS[situation]
        names, topics = stream.shuffled(NAMES), stream.shuffled(subjects)
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
        expected = {field: wanted[field] for field in FIELDS}
        directory = sorted(names) if level == 4 else []
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=stream.choice(GOALS).format(
                who=who, register=register, number=wanted["number"], how=stream.choice(HOW[level])
            ),
            observation=SEEN[level],
            actions=(REGISTER,),
            criterion=Criterion(
                f"the {register} holds exactly one entry, with the four fields of message {wanted['number']}",
                [expected],
            ),
            setup={"mails": mails, "directory": directory, "subjects": sorted(topics) if level == 4 else []},
            needed=1,
            most=6,
            noisy=("mails",) if level == 4 else (),
        )

    def open(self, task: Task, *, drift: bool) -> Office:
        return Office(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        entries = state["register"]
        if entries == task.criterion.expected:
            return Judgement(True)
        if not entries:
            return Judgement(False, ("nothing was registered",))
        if len(entries) > 1:
            return Judgement(False, ("more than one entry was made",))
        wrong = [field for field in FIELDS if entries[0][field] != task.criterion.expected[0][field]]
        return Judgement(False, tuple(f"{field} is wrong" for field in wrong))

    def oracle(self, brief: Brief) -> Clerk:
        return Clerk(brief)

    def novice(self, brief: Brief) -> Clerk:
        return Clerk(brief, verbatim=True)

    def null(self, brief: Brief) -> Fixed:
        entry = {"sender": NAMES[0], "subject": "Question", "priority": "normal", "received": "2026-01-01"}
        return Fixed(Act("register", entry))


REGISTER = Action(
    name="register",
    about="Enter a message into the register. An entry cannot be taken back.",
    parameters=obj(
        {
            "sender": text("who wrote it", longest=80),
            "subject": text("its subject", longest=120),
            "priority": text("its priority", options=PRIORITIES),
            "received": text("the date, YYYY-MM-DD", longest=10),
        }
    ),
)


def _date(stream: Stream) -> str:
    return f"2026-{stream.integer(1, 12):02d}-{stream.integer(1, 28):02d}"


def _observation(level: int) -> dict[str, Any]:
    mail = {"number": {"type": "integer"}, **{field: {"type": "string"} for field in FIELDS}}
    if level == 1:
        return obj({"mails": {"type": "array", "items": obj(mail)}, "entries": {"type": "integer"}})
    mail |= {name: {"type": "string"} for name in ("forwarded_by", "previous_subject", "answer_due")}
    words = {"type": "array", "items": {"type": "string"}}
    return obj(
        {
            "mails": {"type": "array", "items": obj(mail)},
            "directory": words,
            "subjects": words,
            "entries": {"type": "integer"},
        }
    )


SEEN = {level: _observation(level) for level in Inbox.levels}


class Office(WorldBase):
    """The mails, and a register to which entries are added."""

    def __init__(self, task: Task) -> None:
        self._setup = task.setup
        self._register: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        seen = {"mails": [dict(mail) for mail in self._setup["mails"]], "entries": len(self._register)}
        if self._setup["directory"]:
            seen |= {"directory": list(self._setup["directory"]), "subjects": list(self._setup["subjects"])}
        return seen

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        self._register.append({field: arguments[field] for field in FIELDS})
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"register": [dict(entry) for entry in self._register]}


class Clerk(Steady):
    """Finds the message by the number in the goal and copies its fields, misread ones by what they can stand for.

    The novice copies ``verbatim``, misread or not.
    """

    def __init__(self, brief: Brief, *, verbatim: bool = False) -> None:
        super().__init__(brief)
        self._verbatim = verbatim

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["entries"]:
            return Act("finish", {"achieved": True})
        mail = next(mail for mail in observation["mails"] if str(mail["number"]) in self.brief.goal)
        entry = {field: mail[field] for field in FIELDS}
        if "directory" in observation and not self._verbatim:
            entry["sender"] = nearest(entry["sender"], observation["directory"])
            entry["subject"] = nearest(entry["subject"], observation["subjects"])
            entry["received"] = read_number(entry["received"])[:10]
        # Longer texts do not fit into the form: what was put after a name or a date is cut off.
        entry |= {
            "sender": entry["sender"][:80],
            "subject": entry["subject"][:120],
            "received": entry["received"][:10],
        }
        return Act("register", {**entry, "priority": nearest(entry["priority"], PRIORITIES)})
