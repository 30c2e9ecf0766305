"""What a message says: the JSON objects in it, the goal, the tools on offer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Tool", "failed", "goal_of", "mentions", "observation_in", "records", "tools_of"]

_DECODER = json.JSONDecoder()
_FAILED = re.compile(r"^\s*(error|fault|failed|timeout)\b", re.IGNORECASE | re.MULTILINE)
_CLOSING = frozenset({"finish", "done", "stop", "end", "complete"})


@dataclass(frozen=True)
class Tool:
    name: str
    properties: dict[str, Any]
    required: tuple[str, ...]

    @property
    def closes(self) -> bool:
        return self.name in _CLOSING

    @property
    def only_looks(self) -> bool:
        """It takes nothing, so it can hardly change anything."""
        return not self.properties


def tools_of(task: dict[str, Any]) -> list[Tool]:
    found = []
    for entry in task["tools"]:
        function = entry.get("function", entry)
        schema = function.get("parameters") or {}
        properties = schema.get("properties") or {}
        found.append(Tool(function["name"], properties, tuple(schema.get("required", properties))))
    return found


def observation_in(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text."""
    for found in re.finditer(r"\{", text):
        try:
            value, _ = _DECODER.raw_decode(text, found.start())
        except ValueError:
            continue
        return value if isinstance(value, dict) else None
    return None


def goal_of(task: dict[str, Any]) -> str:
    """The line that says it is the goal, or all the words of the last user message before its JSON."""
    asked = [message["content"] for message in task["messages"] if message["role"] == "user"]
    text = asked[-1] if asked else ""
    named = re.search(r"^goal:\s*(.+)$", text, re.IGNORECASE | re.MULTILINE)
    return named[1] if named else text.partition("{")[0]


def failed(answer: str) -> bool:
    return _FAILED.search(answer) is not None


def records(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in an observation, the innermost first."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from records(inner)
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from records(inner)


def mentions(goal: str, record: dict[str, Any]) -> int:
    """How many of a record's plain values the goal names as whole words."""
    values = {str(v) for v in record.values() if isinstance(v, str | int) and str(v)}
    return sum(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", goal) is not None for value in values)
