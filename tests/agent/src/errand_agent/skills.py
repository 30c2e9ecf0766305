"""Ways to fill in a tool's fields. Each takes goal, observation and tool, and gives arguments or nothing."""

from __future__ import annotations

import re
from typing import Any

from .reading import Tool, mentions, records

__all__ = ["SKILLS", "arguments_for"]


def copy_record(goal: str, observation: dict[str, Any], tool: Tool) -> dict[str, Any] | None:
    """The fields of the one record that has them all and that the goal is about."""
    fitting = [record for record in records(observation) if set(tool.required) <= record.keys()]
    best = max((mentions(goal, record) for record in fitting), default=0)
    about = [record for record in fitting if mentions(goal, record) == best]
    return {name: about[0][name] for name in tool.required} if len(about) == 1 else None


def take_from_goal(goal: str, observation: dict[str, Any], tool: Tool) -> dict[str, Any] | None:
    """Values that the goal itself gives: one of the options it names, or what stands after a field's name."""
    found: dict[str, Any] = {}
    for name in tool.required:
        schema = tool.properties.get(name, {})
        options = [option for option in schema.get("enum", ()) if mentions(goal, {"option": option})]
        said = re.search(rf"\b{re.escape(name)}\s*(?:is|to|=|:)\s*\"?([\w.-]*\w)", goal, re.IGNORECASE)
        if len(options) == 1:
            found[name] = options[0]
        elif said is not None:
            found[name] = int(said[1]) if schema.get("type") == "integer" and said[1].isdigit() else said[1]
        else:
            return None
    return found


SKILLS = (copy_record, take_from_goal)


def arguments_for(goal: str, observation: dict[str, Any], tool: Tool) -> dict[str, Any] | None:
    for skill in SKILLS:
        if (found := skill(goal, observation, tool)) is not None:
            return found
    return None
