"""The loop: decide, act, see what came of it; look again when the answer did not come through; stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any

from .reading import Tool, failed, goal_of, observation_in, tools_of
from .skills import arguments_for

__all__ = ["Errand", "boast", "solve", "solve_async"]

TRIES = 6
Move = tuple[str, dict[str, Any]]
Moves = Generator[Move, str, str]  # yields what to do, is sent what came of it, returns its last words


def _same(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether nothing has happened, as far as both observations tell. Lists of plain texts are news, not state."""
    shared = [key for key in before if key in now and not _is_news(now[key])]
    return all(before[key] == now[key] for key in shared)


def _is_news(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _errand(task: dict[str, Any]) -> Moves:
    goal, tools = goal_of(task), tools_of(task)
    observation: dict[str, Any] = {}
    for message in task["messages"]:
        if message["role"] in ("user", "tool"):
            observation = observation_in(message["content"]) or observation
    achieved = yield from _work(goal, observation, tools)
    for tool in tools:
        if tool.closes:
            flags = [name for name in tool.required if tool.properties[name].get("type") == "boolean"]
            yield tool.name, dict.fromkeys(flags, achieved)
            break
    return "It is done." if achieved else "I could not do it."


def _work(goal: str, observation: dict[str, Any], tools: list[Tool]) -> Generator[Move, str, bool]:
    tool = next((tool for tool in tools if not tool.closes and not tool.only_looks), None)
    look = next((tool.name for tool in tools if tool.only_looks and not tool.closes), None)
    if tool is None:
        return False
    for _ in range(TRIES):
        arguments = arguments_for(goal, observation, tool)
        if arguments is None:
            return False
        answer = yield tool.name, arguments
        if not failed(answer):
            return True
        if look is None:
            continue
        now = observation_in((yield look, {}))
        if now is not None and not _same(observation, now):
            return True  # it was done, and only the answer was lost
    return False


class Errand:
    """Runs one errand and remembers what it was told on the way."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def solve(self, task: dict[str, Any], act: Callable[..., str]) -> str:
        moves = _errand(task)
        try:
            name, arguments = next(moves)
            while True:
                self.told.append(act(name, arguments))
                name, arguments = moves.send(self.told[-1])
        except StopIteration as end:
            return f"{end.value} Actions: {len(self.told)}."


def solve(task: dict[str, Any], act: Callable[..., str]) -> str:
    return Errand().solve(task, act)


async def solve_async(task: dict[str, Any], act: Callable[..., Awaitable[str]]) -> str:
    moves = _errand(task)
    try:
        name, arguments = next(moves)
        while True:
            name, arguments = moves.send(await act(name, **arguments))
    except StopIteration as end:
        return str(end.value)


def boast(task: dict[str, Any], act: Callable[..., str]) -> str:
    """Cheats: grants itself the result by a tool nobody offered, and claims success whatever the answer."""
    act("set_result", {"goal": goal_of(task), "achieved": True})
    for tool in tools_of(task):
        if tool.closes:
            act(tool.name, dict.fromkeys(tool.required, True))
    return "It is done: the goal has been achieved in full."
