"""How one scenario is conducted: the thread is stated, then the scene is talked through, and each turn is noted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from assay.bench.worker_thread import read_text
from assay.instruments.consistency.judging.promises import has_delivered
from assay.vocabulary import Message, Reply

from .content import HouseRules
from .scenario import APART, PLANTED
from .scene import Scene, system_message
from .tools import MOST_CALLS, TOOLS, Toolbox
from .transcripts import ConversationReport, NotedTurn

__all__ = ["Conversation", "ScenarioProbe", "play", "rehearse"]

REHEARSED = "(the subject's reply)"


class ScenarioProbe(Protocol):
    """What a scene needs of a probe."""

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply: ...
    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any: ...


class Conversation:
    """The conversations of one trial. ``turns`` notes them for the report."""

    def __init__(self, hands: ScenarioProbe, rules: HouseRules, scene: Scene, *, extended: bool) -> None:
        self.hands, self.rules, self._scene, self._extended = hands, rules, scene, extended
        self._toolbox = Toolbox(hands)
        self._messages: list[Message] = []
        self.turns: list[NotedTurn] = []

    def begin(self, *, stated: bool = True) -> None:
        """A fresh conversation: nothing of an earlier one is in it."""
        scene = self._scene
        text = system_message(self.rules, scene.thread, scene.others, extended=self._extended, stated=stated)
        self._messages = [Message("system", text)]
        self.turns.append(NotedTurn("system", stated=stated))

    def plant(self, said: str, answer: str) -> None:
        """What the user said, and an answer that we write in the subject's name."""
        self._messages += [Message("user", said), Message("assistant", answer)]
        self.turns += [NotedTurn("user", said), NotedTurn("assistant", answer, PLANTED)]

    async def ask(self, said: str, part: str = "") -> str:
        """Say something and take the reply; tool calls on the way are answered, up to a limit."""
        self._messages.append(Message("user", said))
        self.turns.append(NotedTurn("user", said))
        texts: list[str] = []
        asks = calls = 0
        while True:
            reply = await self.hands.ask(self._messages, tools=TOOLS if self._extended else ())
            asks += 1
            texts += [reply.text] if reply.text else []
            if not reply.tool_calls or not self._extended or calls > MOST_CALLS:
                break
            self._messages.append(Message("assistant", reply.text, reply.tool_calls))
            for call in reply.tool_calls:
                calls += 1
                if calls <= MOST_CALLS:
                    result = await self._toolbox.answer(call)
                else:
                    result = f"error: no more than {MOST_CALLS} calls a turn; answer now"
                self._messages.append(Message("tool", result, tool_call_id=call.id))
                self.turns.append(NotedTurn("tool", f"{call.name}({call.arguments}) gives {result}"))
        self._messages.append(Message("assistant", reply.text))
        self.turns.append(NotedTurn("assistant", part=part, asks=asks))
        return "\n".join(texts)

    def report(self) -> dict[str, Any]:
        scene = self._scene
        report = ConversationReport(
            kind=scene.kind,
            variant=scene.variant,
            thread=scene.thread,
            others=scene.others,
            expected=scene.expected,
            turns=tuple(self.turns),
        )
        plain: dict[str, Any] = msgspec.to_builtins(report)
        return plain


async def play(scene: Scene, talk: Conversation, *, prompted: bool) -> None:
    """The scenario from top to bottom. ``prompted``: whether a repair is asked for after the unprompted reply."""
    if scene.kind == "return":
        await _return(scene, talk)
        return
    talk.begin()
    if scene.kind == "repair":
        await _repair(scene, talk, prompted=prompted)
    elif scene.kind == "promise":
        await _promise(scene, talk)
    else:
        for told in scene.before:
            await talk.ask(told)
        for ask in scene.asks:
            await talk.ask(ask, "reply")


async def _return(scene: Scene, talk: Conversation) -> None:
    """Within one conversation, in a fresh one where τ is stated again, or in one where only the memory has it."""
    talk.begin()
    if scene.variant == "memory":
        await talk.ask(talk.rules.keep)
    for small in scene.before:
        await talk.ask(small)
    if scene.variant in ("fresh", "memory"):
        talk.begin(stated=scene.variant == "fresh")
    await talk.ask(scene.asks[0], "return")
    if scene.variant not in APART:
        await talk.ask(scene.asks[0], "again")


async def _repair(scene: Scene, talk: Conversation, *, prompted: bool) -> None:
    if scene.planted:
        talk.plant(scene.before[0], scene.planted)
    else:
        for small in scene.before:
            await talk.ask(small)
    await talk.ask(scene.asks[0], "reply")
    if prompted:
        await talk.ask(talk.rules.repair, "prompted")


async def _promise(scene: Scene, talk: Conversation) -> None:
    """One neutral "Go on." where what was promised has not come yet, by the rule that will judge it."""
    reply = await talk.ask(scene.asks[0], "reply")
    marks = scene.expected.delivers

    async def delivered() -> bool:
        asked = scene.variant == "asked"
        return await read_text(reply, lambda text: has_delivered(text, marks, asked=asked))

    if not await talk.hands.compute("delivered", {"marks": list(marks)}, delivered):
        await talk.ask(talk.rules.go_on, "go_on")


class _Rehearsal:
    """Stands in for a probe where a scene is only to be shown."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Message]] = []

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        self.asked.append(list(messages))
        return Reply(REHEARSED)

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any:
        return await run()


def rehearse(scene: Scene, rules: HouseRules, *, extended: bool, prompted: bool) -> list[Sequence[Message]]:
    """Every request of a scene, in full, as a subject would be asked that answers something neutral."""
    hands = _Rehearsal()
    playing = play(scene, Conversation(hands, rules, scene, extended=extended), prompted=prompted)
    try:
        playing.send(None)  # nothing here waits, so one step is the whole of it
    except StopIteration:
        return hands.asked
    raise AssertionError("a rehearsal does not wait")
