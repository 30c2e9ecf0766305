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
from assay.worlds.templates import numbers, table, worded

__all__ = ["Incidents"]

TABLE = table("incidents")
# Level → parts, length of the chain from the first part to the fault, query budget.
SIZE = {2: (9, 3, None), 3: (9, 3, 3), 5: (12, 4, 5)}
SHOWN = 3  # logs of parts beside the chain that are there from the beginning, at level 3
SPAN = 48  # minutes that a log reaches back

Line = tuple[int, str]  # minutes before trouble was noticed, and what was written


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _chains(parts: list[str], length: int) -> list[list[str]]:
    """The chain that begins at the first part, and the others in twos: of each, the last is broken, the others wait."""
    beside = parts[length:]
    return [parts[:length], *(beside[at : at + 2] for at in range(0, len(beside), 2))]


def _states(
    chain: list[str], length: int, causes: list[str], domain: dict[str, Any], stream: Stream
) -> list[Line]:
    """What is wrong with each part of a chain. The broken one is the first to say so, in any chain equally early."""
    times = sorted(numbers(stream, length, 3, SPAN - 8))[-len(chain) :]
    said = [stream.choice(domain["leads"]).format(c=part) for part in chain[1:]]
    said.append(stream.choice(domain["causes"][stream.choice(causes)]))
    return list(zip(times, said, strict=True))


def _log(state: Line, others: list[str], domain: dict[str, Any], stream: Stream) -> list[Line]:
    """The lines of one log: its state, trouble that has passed, and what is of no interest. All logs are alike."""
    other = stream.choice(others)
    since = stream.integer(2, state[0] - 1) if stream.below(2) else stream.integer(state[0] + 1, SPAN)
    until = stream.integer(1, since - 1)
    until -= until == state[0]
    return [
        state,
        (since, stream.choice(domain["leads"]).format(c=other)),
        (until, stream.choice(domain["recovered"]).format(c=other)),
        *((stream.integer(1, SPAN), stream.choice(domain["benign"])) for _ in range(1 + stream.below(2))),
    ]


def _logs(
    level: int, domain: dict[str, Any], parts: list[str], cause: str, began: int, stream: Stream
) -> dict[str, list[str]]:
    """Part → lines in the order of time. Neither the clock nor the number of lines tells who is at fault."""
    length, lines = SIZE[level][1], {}
    for place, chain in enumerate(_chains(parts, length)):
        causes = [cause] if place == 0 else list(domain["causes"])
        states = _states(chain, length, causes, domain, stream)
        for part, state, after in zip(chain, states, [*chain[1:], ""], strict=True):
            others = parts[length:] if place == 0 else [one for one in parts if one not in (part, after)]
            lines[part] = _log(state, others, domain, stream)
            if level == 5 and stream.below(3):  # real trouble, but it came later
                late = [*(line.format(c=stream.choice(parts[1:])) for line in domain["leads"])]
                late += domain["causes"][stream.choice(list(domain["causes"]))]
                lines[part].append((-stream.integer(3, 25), stream.choice(late)))
    order = stream.shuffled(list(lines))
    return {
        part: [f"{_clock(began - at)} {line}" for at, line in sorted(lines[part], reverse=True)]
        for part in order
    }


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
    """Follows what a part waited for when the incident began, from log to log, until a log shows the cause itself.

    The novice reads logs as they are listed, and reports the first trouble that is no mere waiting.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._parts = options(brief, "part")
        self._known = _meanings(tuple(options(brief, "cause")), tuple(self._parts))
        self._lines = list(self._known)
        self._read: dict[str, tuple[str, str]] = {}

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
        """What a log says was wrong when trouble was noticed: a cause, or the part it waits for."""
        waits: dict[str, None] = {}
        for line in lines:
            if read_number(line[:5]) > began:
                continue
            kind, what = self.meaning(line)
            if kind == "cause":
                return kind, what
            if kind == "lead":
                waits[what] = None
            elif kind == "recovered":
                waits.pop(what, None)
        return ("lead", list(waits)[-1]) if waits else ("", "")

    def meaning(self, line: str) -> tuple[str, str]:
        said = line[6:]
        if said not in self._read:
            known = self._known.get(said)
            self._read[said] = known or self._known[nearest(said, self._lines)]
        return self._read[said]

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
    """Every line of a log → ("cause", which), ("lead", to whom), ("recovered", who), or nothing of interest."""
    domain = next(domain for domain in TABLE["domains"].values() if tuple(domain["causes"]) == causes)
    found = {line: ("cause", cause) for cause in causes for line in domain["causes"][cause]}
    found |= dict.fromkeys(domain["benign"], ("", ""))
    for part in parts:
        found |= {line.format(c=part): ("lead", part) for line in domain["leads"]}
        found |= {line.format(c=part): ("recovered", part) for line in domain["recovered"]}
    return found


def _shown(level: int, parts: list[str], order: list[str], stream: Stream) -> list[str]:
    """The parts whose logs are there from the beginning: all, the first one's, or some that are needed and some not."""
    if level != 3:
        return order if level == 2 else parts[:1]
    length = SIZE[level][1]
    some = stream.shuffled(parts[:length])[: stream.integer(1, length - 1)]
    some += stream.shuffled(parts[length:])[:SHOWN]
    return [part for part in order if part in some]


class Incidents(FamilyBase, table=TABLE):
    world = ControlRoom
    solver = Tracer

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        domain = TABLE["domains"][story["domain"]]
        count, length, queries = SIZE[level]
        front, *others = story["parts"]
        parts = [front, *stream.shuffled(others)[: count - 1]]
        cause = stream.choice(list(domain["causes"]))
        minutes = stream.integer(6 * 60, 21 * 60)
        logs = _logs(level, domain, parts, cause, minutes, stream)
        began, how = _clock(minutes), stream.choice(TABLE["how"])
        if level == 5:
            how += " " + stream.choice(TABLE["late"])
        asked = length - 1 if queries else 0
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, began=began, how=how.format(front=front, began=began)),
            observation=_observation(situation),
            actions=_actions(situation, queries is not None),
            criterion=f"exactly one report was filed: {parts[length - 1]}, {cause}",
            expected=[{"part": parts[length - 1], "cause": cause}],
            setup={"began": began, "logs": logs, "shown": _shown(level, parts, list(logs), stream)},
            needed=1 + asked,  # of any instance: how many logs are missing is not told
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
