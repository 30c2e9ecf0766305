"""Incidents: find the part at fault and the cause from logs, of which some must be asked for. B.2.3."""

from __future__ import annotations

from functools import cache
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
from assay.worlds.wording import table

__all__ = ["Incidents"]

# Level → parts, how many logs lie between the first one and the fault, query budget.
SIZE = {2: (4, 1, None), 3: (6, 1, 3), 5: (12, 2, 5)}
GOALS = (
    "{who} {error} Find out which part is at fault and what is wrong with it, and report both. {how}",
    "{who} {error} It began at {began}. Report the part in which the trouble started and its cause. {how}",
    "{who} Trouble: {error} Trace it to the part that is broken, infer the cause from its log, and report it. {how}",
)
HOW = {
    2: "All logs are there. A part that only waits for another one is not at fault.",
    3: (
        "Only the log of the {front} is there; ask for those of other parts as you need them, the number of queries is "
        "limited. A part that only waits for another one is not at fault."
    ),
    5: (
        "Only the log of the {front} is there, and few others can be asked for, so choose well. A part that only waits "
        "for another one is not at fault, nor is one that recovered or failed only after {began}, when it all began."
    ),
}
ONCE = " You can report only once."
REPORTED = {"type": "array", "items": obj({"part": {"type": "string"}, "cause": {"type": "string"}})}


class Incidents(FamilyBase):
    name: ClassVar[str] = "incidents"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Find the cause of an incident"
    dimension: ClassVar[Dimension] = "S"
    environment: ClassVar[Environment] = "tool-augmented"
    levels: ClassVar[dict[int, str]] = {
        2: "the cause follows from the logs shown",
        3: "further logs have to be asked for",
        5: "few of many logs can be read, and some mislead",
    }
    situations: ClassVar[tuple[str, ...]] = ("webshop", "clinic", "brewery", "tramway")
    held_out: ClassVar[tuple[str, ...]] = ("bakery", "observatory")
    chance: ClassVar[dict[int, float]] = {2: 0.08, 3: 0.08, 5: 0.05}
    verification: ClassVar[str] = "the report that was filed, read from the state"

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = table("incidents")["situations"][situation]
        domain = table("incidents")["domains"][story["domain"]]
        count, between, queries = SIZE[level]
        front, *others = story["parts"]
        others = stream.shuffled(others)[: count - 1]
        chain, aside = [front, *others[: between + 1]], others[between + 1 :]
        cause = stream.choice(list(domain["causes"]))
        minutes = stream.integer(6 * 60, 21 * 60)
        logs = _logs(level, domain, chain, aside, cause, minutes, stream)
        began, shown = _clock(minutes), list(logs) if level == 2 else [front]
        how = HOW[level].format(front=front, began=began)
        goal = stream.choice(GOALS).format(
            who=story["who"], error=story["error"], began=began, how=how + ONCE
        )
        return Task(
            family=self.name,
            level=level,
            situation=situation,
            goal=goal,
            observation=_observation(situation),
            actions=_actions(situation, queries is not None),
            criterion=Criterion(
                f"exactly one report was filed: {chain[-1]}, {cause}", [{"part": chain[-1], "cause": cause}]
            ),
            setup={"began": began, "logs": logs, "shown": shown},
            needed=1 + (between + 1 if queries else 0),
            most=2 * (between + 2) + 4,
            queries=queries,
            queries_needed=between + 1 if queries else 0,
            noisy=("logs",),
        )

    def open(self, task: Task, *, drift: bool) -> ControlRoom:
        return ControlRoom(task)

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        reports, expected = state["reports"], task.criterion.expected
        if reports == expected:
            return Judgement(True)
        if not reports:
            return Judgement(False, ("nothing was reported",))
        if len(reports) > 1:
            return Judgement(False, ("more than one report was filed",))
        wrong = [key for key in ("part", "cause") if reports[0][key] != expected[0][key]]
        return Judgement(False, tuple(f"the {key} is wrong" for key in wrong))

    def oracle(self, brief: Brief) -> Tracer:
        return Tracer(brief)

    def novice(self, brief: Brief) -> Alarmed:
        return Alarmed(brief)

    def null(self, brief: Brief) -> Fixed:
        asked = brief.actions[0].parameters["properties"]
        return Fixed(Act("report", {"part": asked["part"]["enum"][1], "cause": asked["cause"]["enum"][0]}))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _logs(
    level: int,
    domain: dict[str, Any],
    chain: list[str],
    aside: list[str],
    cause: str,
    began: int,
    stream: Stream,
) -> dict[str, list[str]]:
    """Part → lines in the order of time. Deeper in the chain, trouble is older; what misleads is later."""
    causes = domain["causes"]
    lines: dict[str, list[tuple[int, str]]] = {}
    for depth, part in enumerate(chain):
        at = began - 2 * depth
        if part == chain[-1]:
            said = [(at, stream.choice(causes[cause]))]
        else:
            said = [(at, stream.choice(domain["leads"]).format(c=chain[depth + 1]))]
            said.append(
                (at - stream.integer(3, 9), stream.choice(domain["recovered"]).format(c=stream.choice(aside)))
            )
            if level == 5:
                late = began + stream.integer(11, 25)
                said.append((late, stream.choice(domain["leads"]).format(c=stream.choice(aside))))
        lines[part] = said
    for part in aside:
        lines[part] = [(began - stream.integer(2, 9), stream.choice(domain["benign"]))]
        if level == 5 and stream.below(2):  # real trouble, but it came later
            found = stream.choice(causes[stream.choice(list(causes))])
            lines[part].append((began + stream.integer(11, 25), found))
    for said in lines.values():
        said.append((began - stream.integer(12, 30), stream.choice(domain["benign"])))
    order = stream.shuffled(list(lines))
    return {part: [f"{_clock(at)} {line}" for at, line in sorted(lines[part])] for part in order}


@cache
def _actions(situation: str, asking: bool) -> tuple[Action, ...]:
    story = table("incidents")["situations"][situation]
    causes = list(table("incidents")["domains"][story["domain"]]["causes"])
    part = text("a part of the system", options=story["parts"])
    report = Action(
        name="report",
        about="File the finding. It can be filed only once.",
        parameters=obj({"part": part, "cause": text("what is wrong with it", options=causes)}),
    )
    read = Action(
        name="read_log", about="Read the log of one more part.", parameters=obj({"part": part}), query=True
    )
    return (report, read) if asking else (report,)


@cache
def _observation(situation: str) -> dict[str, Any]:
    parts = table("incidents")["situations"][situation]["parts"]
    lines = {"type": "array", "items": {"type": "string"}}
    return obj(
        {
            "began": {"type": "string", "description": "when trouble was first noticed, HH:MM"},
            "parts": {"type": "array", "items": {"type": "string"}},
            "logs": obj(dict.fromkeys(parts, lines), []),
            "reported": REPORTED,
        }
    )


class ControlRoom(WorldBase):
    """Logs, those that have been read, and the report."""

    def __init__(self, task: Task) -> None:
        self._setup = task.setup
        self._read: list[str] = list(task.setup["shown"])
        self._reports: list[dict[str, str]] = []

    def look(self) -> dict[str, Any]:
        logs = self._setup["logs"]
        return {
            "began": self._setup["began"],
            "parts": list(logs),
            "logs": {part: list(logs[part]) for part in self._read},
            "reported": [dict(report) for report in self._reports],
        }

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        part = arguments["part"]
        if name == "report":
            if self._reports:
                return Effect(error="a report was filed already; there can be only one")
            self._reports.append({"part": part, "cause": arguments["cause"]})
        elif part not in self._setup["logs"]:
            return Effect(error=f"{part} keeps no log today; the list of parts says which do")
        elif part not in self._read:
            self._read.append(part)
        return Effect()

    def snapshot(self) -> dict[str, Any]:
        return {"reports": [dict(report) for report in self._reports]}


class Tracer(Steady):
    """Follows what failed no later than the incident began, from log to log, until a log shows the cause itself."""

    def __init__(self, brief: Brief) -> None:
        super().__init__(brief)
        asked = brief.actions[0].parameters["properties"]
        self._parts: list[str] = asked["part"]["enum"]
        self._known = _meanings(tuple(asked["cause"]["enum"]), tuple(self._parts[1:]))
        self._lines = list(self._known)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["reported"]:
            return Act("finish", {"achieved": True})
        part, logs = self._parts[0], observation["logs"]
        for _ in self._parts:
            if part not in logs:
                return Act("read_log", {"part": part})
            kind, what = self.trouble(logs[part], observation["began"])
            if kind == "cause":
                return Act("report", {"part": part, "cause": what})
            if kind != "lead":
                break
            part = what
        return Act("finish", {"achieved": False})

    def trouble(self, lines: list[str], began: str) -> tuple[str, str]:
        """What a log says is wrong: a cause, or the part it waits for."""
        found = ("", "")
        for line in lines:
            meant = self.meaning(line)
            if meant[0] and read_number(line[:5]) <= began:
                found = meant
        return found

    def meaning(self, line: str) -> tuple[str, str]:
        said = line[6:]
        known = self._known.get(said)
        return known or self._known[nearest(said, self._lines)]


@cache
def _meanings(causes: tuple[str, ...], parts: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Every line that could be in a log → ("cause", which), ("lead", to which part), or nothing of interest."""
    domains = table("incidents")["domains"].values()
    domain = next(domain for domain in domains if tuple(domain["causes"]) == causes)
    found = {line: ("cause", cause) for cause in causes for line in domain["causes"][cause]}
    found |= dict.fromkeys(domain["benign"], ("", ""))
    for part in parts:
        found |= {line.format(c=part): ("lead", part) for line in domain["leads"]}
        found |= {line.format(c=part): ("", "") for line in domain["recovered"]}
    return found


class Alarmed(Tracer):
    """The novice: reads logs as they are listed, and reports the first trouble that is no mere waiting."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["reported"]:
            return Act("finish", {"achieved": True})
        for part, lines in observation["logs"].items():
            for line in lines:
                kind, what = self.meaning(line)
                if kind == "cause":
                    return Act("report", {"part": part, "cause": what})
        unread = [part for part in observation["parts"] if part not in observation["logs"]]
        if unread and seen.queries_left:
            return Act("read_log", {"part": unread[0]})
        return Act("finish", {"achieved": False})
