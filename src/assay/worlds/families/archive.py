"""Archive: answer a question from documents of which only titles are known, and few can be opened. B.2.5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, entry_failures, finish
from assay.worlds.events import Phrasebook, whole
from assay.worlds.fuzzy import alike, nearest
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, story_of, table, worded

__all__ = ["Archive"]

TABLE = table("archive")
PAPERS: dict[str, dict[str, Any]] = TABLE["papers"]
STORIES: dict[str, dict[str, Any]] = TABLE["situations"]
# Level → things, works on each, people, query budget, how many documents lead to the answer at most.
SIZE = {3: (4, 2, 5, 3, 2), 5: (10, 4, 20, 5, 3)}
OPEN = 5  # documents that are open from the beginning, at level 3

Papers = dict[
    tuple[str, str], dict[str, Any]
]  # what or whom, and kind → title, text, numbers, whom it leads to


class _Question(Struct, frozen=True):
    """The way to an answer: a document, the people it leads to, the number in the last one."""

    thing: str
    kinds: tuple[str, ...]  # of the documents, in the order in which they must be opened
    number: str  # n, m or k of the last


@cache
def _book(did: str, m_said: str, k_said: str) -> Phrasebook:
    """How documents speak of one work."""
    said = {"{did}": did, "{m_said}": m_said, "{k_said}": k_said}
    frames: list[str] = TABLE["frames"]
    for gap, words in said.items():
        frames = [frame.replace(gap, words) for frame in frames]
    return Phrasebook({"work": frames})


PEOPLE_BOOKS = {kind: Phrasebook({kind: paper["texts"]}) for kind, paper in PAPERS.items()}


def _phrasebook(story: dict[str, Any], about: str, kind: str) -> tuple[Phrasebook, str]:
    """How a document speaks, and what it calls its kind."""
    if kind in PAPERS:
        return PEOPLE_BOOKS[kind], kind
    work = story["works"][kind]
    return _book(work["did"].format(thing=about), work["m"], work["k"]), "work"


def _paper(story: dict[str, Any], about: str, kind: str, people: list[str], stream: Stream) -> dict[str, Any]:
    """A document. One on a work leads to who did it, a biography to the teacher."""
    drawn, year = divmod(stream.below(180 * 60 * 8), 180)
    m, k = divmod(drawn, 8)
    counted = kind in ("wages", "correspondence")
    found = {"n": 120 + year if counted else 1801 + year, "m": 11 + m, "k": 2 + k}
    who = about if kind in PAPERS else stream.choice(people)
    at = people.index(who)
    others = [people[(at + step) % len(people)] for step in numbers(stream, 3, 1, len(people) - 1)]
    names: dict[str, str] = {}
    for role, person in zip(("who", "other", "third", "fourth"), (who, *others), strict=True):
        names[role + "1"], names[role + "2"] = person.split(" ")
    book, called = _phrasebook(story, about, kind)
    said = book.say(stream, called, **names, **found, j=stream.integer(2, 89))
    leads = others[0] if kind == "biography" else who
    return {"title": f"{about[0].upper()}{about[1:]}: {kind}", "text": said, "leads": leads, **found}


def _asked(stream: Stream, story: dict[str, Any], asked: _Question) -> str:
    """The question in words: about whoever did something, or about who taught them."""
    did = story["works"][asked.kinds[0]]["did"].format(thing=asked.thing)
    who = stream.choice(TABLE["doers"]).format(did=did)
    if len(asked.kinds) == 3:
        who = stream.choice(TABLE["trainers"]).format(x=who)
    said: str = stream.choice(PAPERS[asked.kinds[-1]]["asks"][asked.number]).format(x=who)
    return said


def _way(papers: Papers, asked: _Question) -> list[tuple[str, str]]:
    """The documents that lead to the answer."""
    about, found = asked.thing, []
    for kind in asked.kinds:
        found.append((about, kind))
        about = papers[about, kind]["leads"]
    return found


def _observation(ids: list[str]) -> dict[str, Any]:
    titles = dict.fromkeys(ids, STRING)
    return obj({"catalogue": obj(titles), "opened": obj(titles, []), "answered": array(INTEGER)})


def _actions(ids: list[str]) -> tuple[Action, ...]:
    return (
        action(
            "answer",
            "Answer the question. It can be answered only once.",
            {"value": integer("", 0, 99_999)},
        ),
        action(
            "open_document",
            "Open a document of the catalogue.",
            {"id": text("its number in the catalogue", options=ids)},
            query=True,
        ),
    )


COUNT = {level: size[0] * size[1] + size[2] * len(PAPERS) for level, size in SIZE.items()}
IDS = {
    level: [f"D{place:0{max(2, len(str(count)))}d}" for place in range(1, count + 1)]
    for level, count in COUNT.items()
}
OBSERVATIONS = {level: _observation(ids) for level, ids in IDS.items()}
ACTIONS = {level: _actions(ids) for level, ids in IDS.items()}


class ReadingRoom(WorldBase):
    """Documents, those that are open, and the answer."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._documents: dict[str, list[str]] = task.setup["documents"]
        self._catalogue = {name: document[0] for name, document in self._documents.items()}
        self._opened: list[str] = list(task.setup["opened"])
        self._answers: list[int] = []

    def look(self) -> dict[str, Any]:
        return {
            "catalogue": self._catalogue.copy(),
            "opened": {name: self._documents[name][1] for name in self._opened},
            "answered": list(self._answers),
        }

    def do_answer(self, value: int) -> None:
        if self._answers:
            raise Refused("the question was answered already; there can be only one answer")
        self._answers.append(value)

    def do_open_document(self, id: str) -> None:
        if id not in self._opened:
            self._opened.append(id)

    def snapshot(self) -> dict[str, Any]:
        return {"answers": list(self._answers)}


def _understood(story: dict[str, Any], goal: str) -> _Question:
    """The question that a goal puts."""
    works = [
        (work["did"].format(thing=thing), thing, kind)
        for kind, work in story["works"].items()
        for thing in story["things"]
    ]
    did, thing, work = next(one for one in works if f" {one[0]}" in goal)
    who = next(said for doer in TABLE["doers"] if (said := doer.format(did=did)) in goal)
    taught = [said for trainer in TABLE["trainers"] if (said := trainer.format(x=who)) in goal]
    who = taught[0] if taught else who
    kind, number = next(
        (kind, number)
        for kind, paper in PAPERS.items()
        for number, wordings in paper["asks"].items()
        if any(wording.format(x=who) in goal for wording in wordings)
    )
    return _Question(thing, (work, "biography", kind) if taught else (work, kind), number)


class Researcher(Steady):
    """Understands the question, and goes from document to document.

    The novice opens what the question names, and answers with what stands there.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._story: dict[str, Any] = dict(story_of(STORIES, brief.goal))
        self._asked = _understood(self._story, brief.goal)
        self._kinds = self._asked.kinds[:1] if novice else self._asked.kinds
        self._ids: list[str] = []

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["answered"]:
            return finish()
        about, slots = self._asked.thing, {}
        for hop, kind in enumerate(self._kinds):
            if hop == len(self._ids):
                self._ids.append(self.find(observation["catalogue"], about, kind))
            if self._ids[hop] not in observation["opened"]:
                return Act("open_document", {"id": self._ids[hop]})
            slots = _phrasebook(self._story, about, kind)[0].read(observation["opened"][self._ids[hop]])[1]
            role = "other" if kind == "biography" else "who"
            about = f"{slots[role + '1']} {slots[role + '2']}"
        return Act("answer", {"value": whole(slots[self._asked.number])})

    def find(self, catalogue: dict[str, str], about: str, kind: str) -> str:
        """The document of that kind on a thing or a person. Both the name and the titles may be misread."""
        wanted = f"{about}: {kind}".lower()
        for name, title in catalogue.items():
            if title.lower() == wanted:
                return name
        kinds, names = [*self._story["works"], *PAPERS], [*self._story["things"], *TABLE["people"]]
        meant = nearest(about, names)
        parts = {name: title.split(": ", 1) for name, title in catalogue.items()}
        fitting = [name for name, part in parts.items() if nearest(part[1], kinds) == kind]
        return max(fitting, key=lambda name: alike(parts[name][0], meant))


class Guesser(Steady):
    """Opens the first document and says a number that is often right elsewhere."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["answered"]:
            return finish()
        first = min(observation["catalogue"])
        if first in observation["opened"]:
            return Act("answer", {"value": 7})
        return Act("open_document", {"id": first})


class Archive(FamilyBase, table=TABLE):
    world = ReadingRoom
    solver = Researcher

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = STORIES[situation]
        count, kinds, met, queries, hops = SIZE[level]
        things, people = stream.shuffled(story["things"])[:count], stream.shuffled(TABLE["people"])[:met]
        works = stream.shuffled(list(story["works"]))[:kinds]
        there = [(thing, work) for thing in things for work in works]
        there += [(person, kind) for person in people for kind in PAPERS]
        papers = {key: _paper(story, *key, people, stream) for key in there}
        work, kind = stream.choice(works), stream.choice(list(PAPERS))
        taught = level == 5 and stream.below(2)
        asked = _Question(
            stream.choice(things), (work, "biography", kind) if taught else (work, kind), stream.choice("nmk")
        )
        way = _way(papers, asked)
        right = int(papers[way[-1]][asked.number])
        order = dict(zip(stream.shuffled(there), IDS[level], strict=True))
        return self.task(
            level,
            situation,
            goal=worded(
                stream,
                TABLE["goals"],
                story,
                question=_asked(stream, story, asked),
                how=stream.choice(TABLE["how"][level]),
            ),
            observation=OBSERVATIONS[level],
            actions=ACTIONS[level],
            criterion=f"exactly one answer was given: {right}",
            expected=[right],
            setup={
                "documents": {id_: [papers[key]["title"], papers[key]["text"]] for key, id_ in order.items()},
                "opened": sorted(order[key] for key in _open(way, there, stream)) if level == 3 else [],
            },
            needed=hops + 1,  # of any instance: how many documents are missing is not told
            queries=queries,
            queries_needed=hops,
            noisy=("catalogue", "opened"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        return entry_failures(
            [{"value": value} for value in state["answers"]],
            {"value": task.criterion.expected[0]},
            {"value": "the answer"},
            none="no answer was given",
            several="more than one answer was given",
        )

    def null(self, brief: Brief) -> Guesser:
        return Guesser(brief)


def _open(way: list[tuple[str, str]], there: list[tuple[str, str]], stream: Stream) -> list[tuple[str, str]]:
    """What is open from the beginning: none or one of the documents that lead to the answer, and some others."""
    some = stream.choice([[], way[:1], way[1:]])
    others = stream.shuffled([key for key in there if key not in way])
    return [*some, *others[: OPEN - len(some)]]
