"""Cultivation: trials show what each means does now and later; the plan that uses it is measured on the last day. 12.6.

What does most at once does least by the end. A trial's report is shown until the next one, and nothing is shown of what
is being raised before it is measured: who has not kept all reports cannot plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, ClassVar

from assay.streams import Stream
from assay.worlds.base import Fixed, Steady, WorldBase, finish, options
from assay.worlds.events import Phrasebook, known, whole
from assay.worlds.model import Act, Action, Brief, Effect, Refused, Seen, Task
from assay.worlds.schema import STRING, action, array, integer, obj, text
from assay.worlds.templates import numbers, table, worded
from assay.worlds.tiers import MODEL_FREE, TierBase

__all__ = ["Cultivation"]

TABLE = table("cultivation")
REPORTS = Phrasebook(TABLE["reports"])
DAYS, DOSES = 5, 2  # one use a day; of each means no more than so many
MARGIN = 6  # by so much the best plan is better than any simple order
Effects = Mapping[str, Sequence[int]]  # name → what it adds at once, and on every later day
Rank = Callable[[Sequence[int]], int]
# In these orders the means could be used up without looking ahead, or with the end alone in view.
ORDERS: tuple[Rank, ...] = (
    lambda effect: -effect[0],
    lambda effect: effect[0],
    lambda effect: -effect[1],
    lambda effect: effect[1],
    lambda effect: -sum(effect),
    lambda effect: -(effect[0] + (DAYS - 1) * effect[1]),
)
OBSERVATION = obj(
    {
        "day": integer("the day whose use is to be decided now"),
        "report": array(STRING, "what the latest trial showed"),
        "tried": array(STRING),
        "left": array(obj({"name": STRING, "uses": integer()})),
    }
)


@cache
def _actions(situation: str) -> tuple[Action, ...]:
    names = text("which", options=sorted(TABLE["situations"][situation]["names"]))
    return (
        action("use", "Use one for today; the day passes. This cannot be taken back.", {"name": names}),
        action("try_out", "Try one on a sample; no day passes. Only before the first use.", {"name": names}),
    )


def total(effects: Effects, used: Sequence[str]) -> int:
    """What uses on the last so many days add by the end."""
    later = range(len(used) - 1, -1, -1)
    return sum(effects[name][0] + effects[name][1] * days for name, days in zip(used, later, strict=True))


def _plans(effects: Effects, left: Mapping[str, int], days: int) -> Iterator[list[str]]:
    """Every choice of uses for so many days. Of those chosen, what grows more comes earlier, as is best."""
    order = sorted(effects, key=lambda name: -effects[name][1])
    for counts in product(*(range(left[name] + 1) for name in order)):
        if sum(counts) == days:
            yield [name for name, count in zip(order, counts, strict=True) for _ in range(count)]


def best_use(effects: Effects, left: Mapping[str, int], days: int) -> list[str]:
    return max(_plans(effects, left, days), key=lambda plan: total(effects, plan))


def used_up(order: Sequence[str]) -> list[str]:
    """One after the other, each as often as it can be used."""
    return [name for name in order for _ in range(DOSES)][:DAYS]


def _effects(names: list[str], stream: Stream) -> tuple[dict[str, tuple[int, int]], int]:
    """Effects, and how much must be added: half of what the best plan has over the best simple order is enough."""
    while True:
        now = [amount or 15 for amount in numbers(stream, len(names), -9, 14)]
        effects = dict(zip(names, zip(now, numbers(stream, len(names), 1, 7), strict=True), strict=True))
        most = total(effects, best_use(effects, dict.fromkeys(names, DOSES), DAYS))
        simple = max(total(effects, used_up(order)) for order in _simple_orders(effects))
        if min(now) < 0 and most - simple >= MARGIN:
            return effects, most - (most - simple) // 2


def _simple_orders(effects: Effects) -> Iterator[list[str]]:
    for rank in ORDERS:
        yield sorted(effects, key=lambda name: rank(effects[name]))
    yield from (sorted(effects), sorted(effects, reverse=True), list(effects), list(effects)[::-1])


class Bed(WorldBase):
    """What was tried and used. The effects are those of the setup."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._tried: list[str] = []
        self._used: list[str] = []

    def look(self) -> dict[str, Any]:
        shows = self._tried and not self._used
        return {
            "day": min(len(self._used) + 1, DAYS),
            "report": [self.setup["reports"][self._tried[-1]]] if shows else [],
            "tried": sorted(self._tried),
            "left": [
                {"name": name, "uses": DOSES - self._used.count(name)} for name in self.setup["effects"]
            ],
        }

    def do_try_out(self, name: str) -> None:
        if self._used:
            raise Refused("trials are over")
        if name in self._tried:
            raise Refused(f"{name} has been tried")
        self._tried.append(name)

    def do_use(self, name: str) -> Effect:
        if self._used.count(name) >= DOSES:
            raise Refused(f"there is no more {name}")
        self._used.append(name)
        return Effect(done=len(self._used) == DAYS)

    def snapshot(self) -> dict[str, Any]:
        over = len(self._used) == DAYS
        measured = self.setup["start"] + total(self.setup["effects"], self._used) if over else None
        return {"tried": sorted(self._tried), "used": list(self._used), "measured": measured}


class Grower(Steady):
    """Tries everything, keeps what it showed, and uses what adds most by the end.

    The novice uses every day what does most at once.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._names = options(brief, "name")
        self._effects: dict[str, tuple[int, int]] = {}

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        for report in observation["report"]:
            kind, said = REPORTS.read(report)
            at_once = whole(said["n"]) * (1 if kind == "gain" else -1)
            self._effects[known(said["name"], self._names)] = at_once, whole(said["m"])
        left = {row["name"]: row["uses"] for row in observation["left"]}
        days = sum(left.values()) - (len(left) * DOSES - DAYS)
        if not days:
            return finish()
        if days == DAYS:
            for name in self._names:
                if name not in observation["tried"]:
                    return Act("try_out", {"name": name})
        effects = {name: self._effects.get(name, (0, 0)) for name in self._names}
        if self.is_novice:
            return Act("use", {"name": max((n for n in left if left[n]), key=lambda n: effects[n][0])})
        return Act("use", {"name": best_use(effects, left, days)[0]})


class Cultivation(TierBase, table=TABLE):
    arms: ClassVar[dict[str, str]] = {MODEL_FREE: "earlier turns, so the reports of all trials but the last"}
    world = Bed
    solver = Grower

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        names = stream.shuffled(story["names"])
        effects, added = _effects(names, stream)
        start = stream.integer(30, 70)
        target = start + added
        reports = {
            name: REPORTS.say(stream, "gain" if now > 0 else "loss", name=name, n=abs(now), m=later)
            for name, (now, later) in effects.items()
        }
        gaps = {"target": target, "start": start, "days": DAYS}
        return self.task(
            level,
            situation,
            goal=" ".join(
                worded(stream, TABLE[slot], story, **gaps)
                for slot in ("heads", "effects", "limits", "trials", "tails")
            ),
            observation=OBSERVATION,
            actions=_actions(situation),
            criterion=TABLE["criterion"].format(days=DAYS, delay=DAYS - 1),
            expected=target,
            setup={
                "effects": {name: list(effect) for name, effect in effects.items()},
                "reports": reports,
                "start": start,
            },
            needed=len(names) + DAYS,
            noisy=("report",),
            delay=DAYS - 1,
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        measured, target = state["measured"], task.criterion.expected
        if measured is None:
            yield f"{len(state['used'])} of {DAYS} days were used, so nothing was measured"
        elif measured < target:
            yield f"{measured} were measured, not at least {target}"

    def null(self, brief: Brief) -> Fixed:
        return Fixed(*(Act("use", {"name": name}) for name in used_up(options(brief, "name"))))
