"""Incidents: find the part at fault and the cause from logs, of which some must be asked for. B.2.3."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, entry_failures, finish, options
from assay.worlds.fuzzy import nearest, read_number
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import STRING, action, array, obj, string, text
from assay.worlds.templates import table, worded

__all__ = ["Incidents"]

TABLE = table("incidents")
# Level → parts, how many logs lie between the first one and the fault, query budget.
SIZE = {2: (4, 1, None), 3: (6, 1, 3), 5: (12, 2, 5)}


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
    story = TABLE["situations"][situation]
    part = text("a part of the system", options=story["parts"])
    cause = text("what is wrong with it", options=list(TABLE["domains"][story["domain"]]["causes"]))
    report = action("report", "File the finding. It can be filed only once.", {"part": part, "cause": cause})
    read = action("read_log", "Read the log of one more part.", {"part": part}, query=True)
    return (report, read) if asking else (report,)


@cache
def _observation(situation: str) -> dict[str, Any]:
    return obj(
        {
            "began": string("when trouble was first noticed, HH:MM"),
            "parts": array(STRING),
            "logs": obj(dict.fromkeys(TABLE["situations"][situation]["parts"], array(STRING)), []),
            "reported": array(obj({"part": STRING, "cause": STRING})),
        }
    )


class ControlRoom(WorldBase):
    """Logs, those that have been read, and the report."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._read: list[str] = list(task.setup["shown"])
        self._reports: list[dict[str, str]] = []

    def look(self) -> dict[str, Any]:
        logs = self.setup["logs"]
        return {
            "began": self.setup["began"],
            "parts": list(logs),
            "logs": {part: list(logs[part]) for part in self._read},
            "reported": [dict(report) for report in self._reports],
        }

    def do_report(self, part: str, cause: str) -> None:
        if self._reports:
            raise Refused("a report was filed already; there can be only one")
        self._reports.append({"part": part, "cause": cause})

    def do_read_log(self, part: str) -> None:
        if part not in self.setup["logs"]:
            raise Refused(f"{part} keeps no log today; the list of parts says which do")
        if part not in self._read:
            self._read.append(part)

    def snapshot(self) -> dict[str, Any]:
        return {"reports": [dict(report) for report in self._reports]}


class Tracer(Steady):
    """Follows what failed no later than the incident began, from log to log, until a log shows the cause itself.

    The novice reads logs as they are listed, and reports the first trouble that is no mere waiting.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._parts = options(brief, "part")
        self._known = _meanings(tuple(options(brief, "cause")), tuple(self._parts[1:]))
        self._lines = list(self._known)

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["reported"]:
            return finish()
        if self.is_novice:
            return self.first_trouble(observation, seen)
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
        return finish(False)

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

    def first_trouble(self, observation: dict[str, Any], seen: Seen) -> Act:
        for part, lines in observation["logs"].items():
            for line in lines:
                kind, what = self.meaning(line)
                if kind == "cause":
                    return Act("report", {"part": part, "cause": what})
        unread = [part for part in observation["parts"] if part not in observation["logs"]]
        if unread and seen.queries_left:
            return Act("read_log", {"part": unread[0]})
        return finish(False)


@cache
def _meanings(causes: tuple[str, ...], parts: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Every line that could be in a log → ("cause", which), ("lead", to which part), or nothing of interest."""
    domain = next(domain for domain in TABLE["domains"].values() if tuple(domain["causes"]) == causes)
    found = {line: ("cause", cause) for cause in causes for line in domain["causes"][cause]}
    found |= dict.fromkeys(domain["benign"], ("", ""))
    for part in parts:
        found |= {line.format(c=part): ("lead", part) for line in domain["leads"]}
        found |= {line.format(c=part): ("", "") for line in domain["recovered"]}
    return found


class Incidents(FamilyBase, table=TABLE):
    world = ControlRoom
    solver = Tracer

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        domain = TABLE["domains"][story["domain"]]
        count, between, queries = SIZE[level]
        front, *others = story["parts"]
        others = stream.shuffled(others)[: count - 1]
        chain, aside = [front, *others[: between + 1]], others[between + 1 :]
        cause = stream.choice(list(domain["causes"]))
        minutes = stream.integer(6 * 60, 21 * 60)
        logs = _logs(level, domain, chain, aside, cause, minutes, stream)
        began, shown = _clock(minutes), list(logs) if level == 2 else [front]
        how = TABLE["how"][level].format(front=front, began=began)
        asked = between + 1 if queries else 0
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, began=began, how=how),
            observation=_observation(situation),
            actions=_actions(situation, queries is not None),
            criterion=f"exactly one report was filed: {chain[-1]}, {cause}",
            expected=[{"part": chain[-1], "cause": cause}],
            setup={"began": began, "logs": logs, "shown": shown},
            needed=1 + asked,
            most=2 * (between + 2) + 4,
            queries=queries,
            queries_needed=asked,
            noisy=("logs",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        return entry_failures(
            state["reports"],
            task.criterion.expected[0],
            {"part": "the part", "cause": "the cause"},
            none="nothing was reported",
            several="more than one report was filed",
        )

    def null(self, brief: Brief) -> Fixed:
        part, cause = options(brief, "part")[1], options(brief, "cause")[0]
        return Fixed(Act("report", {"part": part, "cause": cause}))
