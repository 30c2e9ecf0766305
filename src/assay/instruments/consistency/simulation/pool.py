"""Every way of the calibration played as a scenario, and judged once by the instrument.

Each transcript has a scene of its own, so that no artifact's text comes twice. The judge's reading of a
transcript is counted from then on; what it was meant to show stands beside it, and a difference shows as bias.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct, to_builtins

from assay.evidence.events import Event
from assay.evidence.records import Record
from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.scenarios.conduct import Conversation, play
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scenario import KINDS, Scenario
from assay.instruments.consistency.scenarios.scene import Scene, draw_scene
from assay.instruments.consistency.scenarios.transcripts import scenario_of
from assay.instruments.consistency.scoring import SHARE_RULES
from assay.streams import Stream
from assay.vocabulary import Instance, Message, Reply, Trial

from .ways import BEHAVIOURS, CANARIES, Behaviour, Way

__all__ = ["SCENES", "Misread", "Shelf", "TranscriptPool", "counted", "misread", "pool_for", "transcript"]

SCENES = 36  # of every way: each request for a canary comes twice, each number of artifacts twelve times

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Shelf(Struct, frozen=True, eq=False):
    """The judged scenarios of one behaviour, by way and scene.

    ``good[way, scene, measure]`` of ``number[way, scene, measure]`` outcomes hold. ``latency`` is NaN where there is
    none.
    """

    good: Counts
    number: Counts
    latency: Floats


class Misread(NamedTuple):
    """A transcript that the judge reads otherwise than it was meant."""

    behaviour: str
    way: str
    scene: int
    measure: str
    meant: tuple[float, int]
    read: tuple[float, int]


class TranscriptPool(Struct, frozen=True, eq=False):
    """Everything that can be drawn, by behaviour."""

    shelves: dict[str, Shelf]


class _Hands:
    """A probe that answers by one way and keeps what it says as a ledger would."""

    def __init__(self, way: Way, scene: Scene, after: tuple[str, ...]) -> None:
        self._way, self._scene, self._scored = way, scene, (*scene.asks, *after)
        self._before: list[str] = []
        self.events: list[Event] = []

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        wire = [{"role": message.role, "content": message.content} for message in messages]
        answer = self._way.subject.answer(wire, Stream("calibrate consistency", len(self.events)))
        assert isinstance(answer, str), "at the core boundary there are no tools to call"
        seconds = 1.0
        if messages[-1].content in self._scored:
            seconds = self._way.seconds[min(len(self._before), 1)]
            answer = self._way.says(self._scene, self._before, answer)
            self._before.append(answer)
        number = len(self.events) // 2
        received = {"reply": to_builtins(Reply(answer)), "seconds": seconds}
        self.events.append(Event("sent", ordinal=number, data={"wire": {}}))
        self.events.append(Event("received", ordinal=number, data=received))
        return Reply(answer)

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any:
        return await run()


def transcript(behaviour: Behaviour, way: Way, number: int) -> Scenario:
    """The way's scenario of that number."""
    content = shipped_content()
    item, scene = _scene(behaviour, way, number)
    hands = _Hands(way, scene, (content.rules.repair, content.rules.go_on))
    talk = Conversation(hands, content.rules, scene, extended=False)
    _at_once(play(scene, talk, prompted=True))
    trial = Trial(instance=Instance("consistency", item, number, 1), version="1", subject=way.name)
    identity = f"{behaviour.name}/{way.name}/{number}"
    record = Record(identity, trial, 0, "success", "", talk.report(), tuple(hands.events))
    return scenario_of(record, content.rules)


def _at_once(playing: Coroutine[Any, Any, None]) -> None:
    """Nothing in it waits, so one step is the whole of it."""
    try:
        playing.send(None)
    except StopIteration:
        return
    raise AssertionError("a way does not wait")


def _scene(behaviour: Behaviour, way: Way, number: int) -> tuple[str, Scene]:
    """Items in turn; where the number of outcomes is the scene's own, the first draw that has the one wanted."""
    content = shipped_content()
    items = list(_items(behaviour.items))
    item = items[number % len(items)]
    wanted = behaviour.outcomes[number % len(behaviour.outcomes)]
    draw = 0
    while True:
        key = ("calibrate consistency", behaviour.name, way.name, number, draw)
        scene = draw_scene(content, (), item, Stream(*key))
        if scene.kind != "artifact" or scene.expected.artifacts == wanted:
            return item, scene
        draw += 1


def _items(given: Iterable[str]) -> Iterable[str]:
    content = shipped_content()
    for item in given:
        if item == CANARIES:
            yield from (f"refusal/{name}" for name in content.items("refusal") if content.has_canary(name))
            continue
        kind = next((kind for kind in KINDS if kind == item), None)
        if kind is None:
            yield item
        else:
            yield from (f"{kind}/{name}" for name in content.items(kind))


def pool_for(settings: ConsistencySettings) -> TranscriptPool:
    """Play and judge everything."""
    shelves = {}
    for behaviour in BEHAVIOURS:
        shape = (len(behaviour.ways), SCENES, len(behaviour.measures))
        good, number = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        latency = np.full(shape[:2], np.nan)
        for row, way in enumerate(behaviour.ways):
            for scene in range(SCENES):
                outcomes = judge(transcript(behaviour, way, scene), settings.judging)
                for place, measure in enumerate(behaviour.measures):
                    good[row, scene, place], number[row, scene, place] = counted(measure, outcomes)
                latency[row, scene] = _latency(outcomes)
        shelves[behaviour.name] = Shelf(good, number, latency)
    return TranscriptPool(shelves)


def counted(measure: str, outcomes: Iterable[ReplyJudgement]) -> tuple[int, int]:
    """As the scoring counts them: how many hold, of how many that count."""
    (rule,) = (rule for rule in SHARE_RULES if rule.name == measure)
    found = [rule.holds(outcome) for outcome in outcomes if outcome.measure == rule.of]
    return sum(holds is True for holds in found), sum(holds is not None for holds in found)


def _latency(outcomes: Iterable[ReplyJudgement]) -> float:
    times = [o.seconds for o in outcomes if o.measure == "M3" and o.seconds is not None]
    return times[0] if times else float("nan")


def misread(pool: TranscriptPool) -> list[Misread]:
    """Where the judge and the intention differ. A latency counts as of one outcome, or of none."""
    found = []
    for behaviour in BEHAVIOURS:
        shelf = pool.shelves[behaviour.name]
        for row, way in enumerate(behaviour.ways):
            for scene in range(SCENES):
                outcomes = behaviour.outcomes[scene % len(behaviour.outcomes)]
                pairs: list[tuple[str, tuple[float, int], tuple[float, int]]] = [
                    (
                        measure,
                        (way.good(measure, outcomes), outcomes),
                        (int(shelf.good[row, scene, place]), int(shelf.number[row, scene, place])),
                    )
                    for place, measure in enumerate(behaviour.measures)
                ]
                time = float(shelf.latency[row, scene])
                meant = (0.0, 0) if way.latency is None else (way.latency, 1)
                pairs.append(("latency", meant, (0.0, 0) if np.isnan(time) else (time, 1)))
                found += [
                    Misread(behaviour.name, way.name, scene, measure, meant, read)
                    for measure, meant, read in pairs
                    if meant != read
                ]
    return found
