"""Archive: answer a question from documents of which only titles are known, and few can be opened. B.2.5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, WorldBase, entry_failures, finish
from assay.worlds.fuzzy import alike, nearest, number_at
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Archive"]

TABLE = table("archive")
PAPERS: dict[str, dict[str, Any]] = TABLE["papers"]
STORIES: dict[str, dict[str, Any]] = TABLE["situations"]
# Level → things, works on each, people, people on whom there are papers, query budget.
SIZE = {3: (2, 2, 6, 1, 3), 5: (10, 4, 20, 20, 5)}


class _Question(Struct, frozen=True):
    """A question, and the way to its answer: a document, the people it leads to, the number in the last one."""

    text: str
    about: str  # a thing or a person
    kinds: tuple[str, ...]  # of the documents, in the order in which they must be opened
    number: str  # n or m of the last


def _papers(
    things: list[str],
    works: list[str],
    people: list[str],
    kept: list[str],
    story: dict[str, Any],
    stream: Stream,
) -> dict[tuple[str, str], dict[str, Any]]:
    """(What or whom, kind) → title, text, numbers, and the person a document leads to."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for thing in things:
        for work in works:
            leads = stream.choice(people)
            found[thing, work] = _paper(thing, work, leads, story["works"][work]["text"], stream)
    for person in kept:
        for kind, paper in PAPERS.items():
            leads = people[(people.index(person) + 1 + stream.below(len(people) - 1)) % len(people)]
            found[person, kind] = _paper(person, kind, leads, paper["text"], stream)
    return found


def _paper(about: str, kind: str, leads: str, template: str, stream: Stream) -> dict[str, Any]:
    drawn, year = divmod(stream.below(180 * 60 * 8), 180)
    m, k = divmod(drawn, 8)
    numbers = {
        "n": 120 + year if kind in ("wages", "correspondence") else 1801 + year,
        "m": 11 + m,
        "k": 2 + k,
    }
    person = about if kind in PAPERS else leads
    said = template.format(thing=about, who=person, other=leads, **numbers)
    return {"title": f"{about[0].upper()}{about[1:]}: {kind}", "text": said, "leads": leads, **numbers}


def _draw_question(
    level: int, story: dict[str, Any], things: list[str], works: list[str], people: list[str], stream: Stream
) -> _Question:
    number, thing, work = stream.choice("nm"), stream.choice(things), stream.choice(works)
    kind = stream.choice(list(PAPERS))
    if level == 5:
        return _through(story, thing, work, kind, number, bool(stream.below(2)))
    return (
        _of_person(people[0], kind, number) if stream.below(3) == 0 else _of_thing(story, thing, work, number)
    )


def _of_thing(story: dict[str, Any], thing: str, work: str, number: str) -> _Question:
    return _Question(story["works"][work][number].format(thing=thing), thing, (work,), number)


def _of_person(person: str, kind: str, number: str) -> _Question:
    return _Question(PAPERS[kind]["asks"][number].format(x=person), person, (kind,), number)


def _through(
    story: dict[str, Any], thing: str, work: str, kind: str, number: str, teacher: bool
) -> _Question:
    """A question about whoever did something, or about who taught them."""
    who = "the person who " + story["works"][work]["did"].format(thing=thing)
    asked = PAPERS[kind]["asks"][number].format(x=TABLE["trainer"].format(x=who) if teacher else who)
    return _Question(asked, thing, (work, "biography", kind) if teacher else (work, kind), number)


def _follow(papers: dict[tuple[str, str], dict[str, Any]], asked: _Question) -> int:
    """The answer."""
    about = asked.about
    for kind in asked.kinds:
        paper = papers[about, kind]
        about = paper["leads"]
    return int(paper[asked.number])


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


COUNT = {level: size[0] * size[1] + size[3] * len(PAPERS) for level, size in SIZE.items()}
IDS = {
    level: [f"D{place:0{max(2, len(str(count)))}d}" for place in range(1, count + 1)]
    for level, count in COUNT.items()
}
OBSERVATIONS = {level: _observation(ids) for level, ids in IDS.items()}
ACTIONS = {level: _actions(ids) for level, ids in IDS.items()}


class ReadingRoom(WorldBase):
    """Documents, those that were opened, and the answer."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._documents: dict[str, list[str]] = task.setup["documents"]
        self._catalogue = {name: document[0] for name, document in self._documents.items()}
        self._opened: list[str] = []
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


@cache
def _known(level: int) -> tuple[tuple[str, tuple[_Question, ...]], ...]:
    """Every question that can be put, by who is asked."""
    found = []
    for story in STORIES.values():
        on_things = [(thing, work) for thing in story["things"] for work in story["works"]]
        if level == 5:
            asked = [
                _through(story, thing, work, kind, number, teacher)
                for thing, work in on_things
                for kind in PAPERS
                for number in "nm"
                for teacher in (False, True)
            ]
        else:
            asked = [_of_thing(story, thing, work, number) for thing, work in on_things for number in "nm"]
            asked += [
                _of_person(who, kind, number) for who in TABLE["people"] for kind in PAPERS for number in "nm"
            ]
        found.append((story["who"], tuple(asked)))
    return tuple(found)


@cache
def _places(template: str) -> dict[str, int]:
    """At which word of a text each gap begins. Things and people are two words."""
    places, at = {}, 0
    for word in template.split(" "):
        gap = word.strip("{}.,;") if word.startswith("{") else ""
        if gap:
            places[gap] = at
        at += 2 if gap in ("thing", "who", "other") else 1
    return places


class Researcher(Steady):
    """Understands the question, and goes from document to document.

    The novice opens what the question names, and answers with what stands there.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        stories = zip(STORIES.values(), _known(brief.level), strict=True)
        self._story, asked = next((story, asked) for story, (who, asked) in stories if who in brief.goal)
        self._asked = next(question for question in asked if question.text in brief.goal)
        self._kinds = self._asked.kinds[:1] if novice else self._asked.kinds
        self._ids: list[str] = []  # decided once: titles are misread anew every time

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["answered"]:
            return finish()
        about, said, template = self._asked.about, "", ""
        for hop, kind in enumerate(self._kinds):
            if hop == len(self._ids):
                self._ids.append(self.find(observation["catalogue"], about, kind))
            if self._ids[hop] not in observation["opened"]:
                return Act("open_document", {"id": self._ids[hop]})
            said = observation["opened"][self._ids[hop]]
            template = PAPERS[kind]["text"] if kind in PAPERS else self._story["works"][kind]["text"]
            place = _places(template).get("other") or _places(template)["who"]
            about = " ".join(said.split(" ")[place : place + 2]).strip(".,;")
        return Act("answer", {"value": number_at(said, _places(template)[self._asked.number])})

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
        if observation["opened"]:
            return Act("answer", {"value": 40})
        return Act("open_document", {"id": min(observation["catalogue"])})


class Archive(FamilyBase, table=TABLE):
    world = ReadingRoom
    solver = Researcher

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = STORIES[situation]
        count, kinds, met, kept, queries = SIZE[level]
        things, people = stream.shuffled(story["things"])[:count], stream.shuffled(TABLE["people"])[:met]
        works = stream.shuffled(list(story["works"]))[:kinds]
        papers = _papers(things, works, people, people[:kept], story, stream)
        asked = _draw_question(level, story, things, works, people, stream)
        right = _follow(papers, asked)
        order = stream.shuffled(list(papers.values()))
        hops = len(asked.kinds)
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, question=asked.text, how=TABLE["how"][level]),
            observation=OBSERVATIONS[level],
            actions=ACTIONS[level],
            criterion=f"exactly one answer was given: {right}",
            expected=[right],
            setup={
                "documents": {
                    id_: [paper["title"], paper["text"]] for id_, paper in zip(IDS[level], order, strict=True)
                }
            },
            needed=hops + 1,
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
