"""How a world is offered to a subject: by native tool calls, or as text with one action a line.

All subjects get the same words. A reply without a readable action counts as a decision, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.errors import InputError
from assay.vocabulary import Message, Reply, ToolCall
from assay.worlds import Action, Brief, Seen

__all__ = [
    "CONFIDENCE_ASKED",
    "INSTRUCTIONS",
    "MOST_CALLS",
    "NOT_DONE",
    "Interface",
    "Move",
    "call_id",
    "echoed",
    "interface_of",
    "joined",
    "moves_of",
    "opening",
    "shown",
    "tools_of",
]

Interface = Literal["tools", "text"]
TEXT_KINDS = ("local", "reference")  # subjects that get the text form by default
MOST_CALLS = 8  # of one reply; further ones are turned away
LONGEST = 20_000  # characters of one call's arguments
DEEPEST = 20  # levels of one call's arguments
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# White space is that of one line: a pattern that crosses lines takes the square of a long reply's length.
_LINE = re.compile(
    r"^[ \t*`>#-]{0,40}ACTION[ \t]{0,9}:?\s{1,9}`?([A-Za-z_][\w.-]{0,99})`?[ \t]{0,9}:?[ \t]{0,99}(.*)$",
    re.MULTILINE,
)


# A call in the form of an endpoint's tools, written as text: in a fence or in the tags of a chat template.
_WRITTEN = re.compile(r"(?:```[a-z_]{0,20}|<tool_call>)\s{0,9}(?=\{)")
_DOUBLED = re.compile(
    r"\{\{(.*)\}\}", re.DOTALL
)  # some templates show their form with every brace written twice


class Move(Struct, frozen=True, omit_defaults=True):
    """One decision read from a reply: an action, or why none could be read."""

    name: str = ""
    arguments: Any = None
    call: str = ""  # the id of a native call
    unreadable: str = ""
    written: bool = False  # a tool call as JSON in the text, where a line of text was asked for
    further: bool = False  # the text holds more actions, which are not done


_SAME = (
    "You act in a small world. Each turn you are shown an observation and decide on one action; then you see what came "
    "of it. What counts in the end is the state of the world, not what is said about it."
)
_TEXT = (
    "Answer with exactly one action, on a line of its own:\n"
    'ACTION name {"argument": "value"}\n'
    "that is the word ACTION, the name of the action, and its arguments as a JSON object. Only the first such line "
    "counts. The actions:"
)
# After an episode, where confidence is measured (12.7.2): a fixed scale, asked before anything is said of the result.
CONFIDENCE_ASKED = (
    "The episode is over, and nobody has looked at the result yet. How likely is it that the goal has been achieved, "
    "in every part? Answer with the word CONFIDENCE and a number from 0 (certainly not) to 1 (certainly) on a line of "
    "its own, such as CONFIDENCE 0.15 or CONFIDENCE 0.85."
)
NOT_DONE = "The further actions of your reply were not done."
_TOOLS = "Act by calling one tool at a time. What you only say has no effect."
INSTRUCTIONS: dict[Interface, str] = {"tools": f"{_SAME}\n{_TOOLS}", "text": f"{_SAME}\n\n{_TEXT}"}


def interface_of(asked: Literal["auto", "tools", "text"], kind: str) -> Interface:
    """The form that a subject of this kind gets."""
    if asked != "auto":
        return asked
    return "text" if kind in TEXT_KINDS else "tools"


def opening(brief: Brief, seen: Seen, interface: Interface, *, later: bool = False) -> list[Message]:
    """The conversation's first two messages. They name neither the family nor its level. ``later``: in the middle of an
    episode, to who is not to know what was before.
    """
    rules = INSTRUCTIONS[interface] + (f"\n{_listed(brief.actions)}" if interface == "text" else "")
    queries = "" if brief.queries is None else f" Queries allowed: {brief.queries}."
    limits = f"Actions allowed: {brief.most}; look and finish are free.{queries}"
    asked = f"Case: {brief.code}\nGoal: {brief.goal}\n{limits}\n{shown(seen, first=not later)}"
    if interface == "text":
        asked += f"\nYour action, as one line, for example: {_example(brief.actions[0])}"
    return [Message("system", rules), Message("user", asked)]


def joined(messages: Sequence[Message]) -> list[Message]:
    """The same conversation with neighbours of the role user as one message: some endpoints want roles to alternate."""
    found: list[Message] = []
    for message in messages:
        if found and message.role == found[-1].role == "user":
            found[-1] = Message("user", f"{found[-1].content}\n\n{message.content}")
        else:
            found.append(message)
    return found


def _listed(actions: tuple[Action, ...]) -> str:
    return "\n".join(f"- {a.name} {_form(a.parameters)}: {a.about}" for a in actions)


def _form(schema: dict[str, Any]) -> str:
    """The arguments as one would write them, with the values that each may have."""
    needed = schema.get("required", ())
    parts = [
        f'"{name}": {_kind(part)}{"" if name in needed else " (optional)"}'
        for name, part in schema["properties"].items()
    ]
    return "{" + ", ".join(parts) + "}"


def _kind(part: dict[str, Any]) -> str:
    if "enum" in part:
        return "|".join(encode(option).decode() for option in part["enum"])
    kind = part.get("type", "value")
    if kind == "object":
        return _form({"properties": {}, **part})
    if kind == "array":
        return f"[{_kind(part.get('items', {}))}, ...]"
    if kind in ("integer", "number") and "minimum" in part and "maximum" in part:
        return f"<{kind} {part['minimum']:g} to {part['maximum']:g}>"
    return f"<{part.get('description') or kind}>" if kind == "string" else f"<{kind}>"


def _example(action: Action) -> str:
    """A line that is read as it stands: small models copy it. The first action offered, with the first values that its
    schema allows, whatever the task's solution.
    """
    return f"ACTION {action.name} {_filled_in(action.parameters)}"


def _filled_in(schema: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    parts = [
        f'"{name}": {_first_value(part)}' for name, part in schema["properties"].items() if name in needed
    ]
    return "{" + ", ".join(parts) + "}"


def _first_value(part: dict[str, Any]) -> str:
    if "enum" in part:
        return encode(part["enum"][0]).decode()
    kind = part.get("type")
    if kind == "object":
        return _filled_in({"properties": {}, **part})
    if kind == "array":
        return "[" + ", ".join([_first_value(part.get("items", {}))] * part.get("minItems", 0)) + "]"
    if kind in ("integer", "number"):
        return encode(part.get("minimum", min(1, part.get("maximum", 1)))).decode()
    return "true" if kind == "boolean" else '"text"'


def tools_of(brief: Brief) -> tuple[dict[str, Any], ...]:
    """The actions as tools, in the form of OpenAI-compatible endpoints."""
    return tuple(
        {
            "type": "function",
            "function": {"name": a.name, "description": a.about, "parameters": a.parameters},
        }
        for a in brief.actions
    )


def shown(seen: Seen, *, first: bool = False, further: bool = False) -> str:
    """An observation as text. Keys are sorted, so that a replay gives the same text. ``further``: the reply before it
    held more actions than the one that counts.
    """
    lines = [NOT_DONE] if further else []
    if seen.fault:
        lines.append(f"Fault ({seen.fault}): {seen.error}")
    elif seen.error:
        lines.append(f"Error: {seen.error}")
    if seen.observation:
        lines.append(f"Observation: {encode(seen.observation).decode()}")
    if not first:
        queries = "" if seen.queries_left is None else f" Queries left: {seen.queries_left}."
        lines.append(f"Actions left: {seen.left}.{queries}")
    return "\n".join(lines)


def moves_of(reply: Reply, interface: Interface, *, written_calls: bool = False) -> list[Move]:
    """The decisions of a reply; where there is none, one that says why.

    ``written_calls``: where no line of text is an action, a tool call that is written out as JSON is one.
    """
    if interface == "tools":
        calls = [_call(call, place) for place, call in enumerate(reply.tool_calls[:MOST_CALLS])]
        return calls or [Move(unreadable="no tool was called: call one, or call finish")]
    text = reply.text
    found = _LINE.search(text)
    if found is None:
        if written_calls and (written := _written_calls(text)):
            return [msgspec.structs.replace(written[0], further=len(written) > 1)]
        return [Move(unreadable="no action could be read: write a line such as ACTION look {}")]
    name, rest = found[1], found[2].strip()
    whole = _object_at(text, found.start(2))
    end = text.index(whole, found.start(2)) + len(whole) if whole else found.end()
    further = _LINE.search(text, end) is not None
    if len(rest) > LONGEST:
        return [Move(unreadable=f"the arguments are longer than {LONGEST} characters", further=further)]
    arguments, wrong = _arguments(whole or rest or "{}")
    if wrong:
        return [Move(unreadable=f"the arguments of {name} cannot be read: {wrong}", further=further)]
    return [Move(name, arguments, further=further)]


def _written_calls(text: str) -> list[Move]:
    """The tool calls that stand in the text as JSON: objects with a name and arguments."""
    calls = []
    for place in list(_WRITTEN.finditer(text))[:MOST_CALLS]:
        whole = _object_at(text, place.end())
        doubled = _DOUBLED.fullmatch(whole)
        found, wrong = _arguments("{" + doubled[1] + "}" if doubled else whole)
        if wrong or not isinstance(found.get("name"), str) or not isinstance(found.get("arguments"), dict):
            continue
        calls.append(Move(found["name"][:100], found["arguments"], written=True))
    return calls


def _object_at(text: str, start: int) -> str:
    """The JSON object that begins at ``start``, even over several lines; empty where there is none."""
    at = start
    while at < len(text) and text[at] in " \t\r\n`":
        at += 1
    if at >= len(text) or text[at] != "{":
        return ""
    depth, quoted, escaped = 0, False, False
    for index in range(at, min(len(text), at + LONGEST)):
        char = text[index]
        if quoted:
            escaped, quoted = (char == "\\" and not escaped), not (char == '"' and not escaped)
        elif char == '"':
            quoted = True
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if not depth:
                return text[at : index + 1]
    return ""


def _call(call: ToolCall, place: int) -> Move:
    id_ = call.id or call_id(place)
    if len(call.arguments) > LONGEST:
        return Move(call=id_, unreadable=f"the arguments are longer than {LONGEST} characters")
    arguments, wrong = _arguments(call.arguments.strip() or "{}")
    if wrong:
        return Move(call=id_, unreadable=f"the arguments of {call.name[:60]} cannot be read: {wrong}")
    return Move(call.name[:100], arguments, id_)


def _arguments(text: str) -> tuple[Any, str]:
    try:
        found = msgspec.json.decode(text.encode())
        if _too_deep(found):
            raise RecursionError
        encode(found)  # what cannot be recorded cannot be done
    except RecursionError:  # whichever comes first, the same words: a replay may stand deeper in the stack
        return None, f"they nest more than {DEEPEST} deep"
    except (msgspec.MsgspecError, InputError, UnicodeError, ValueError) as error:
        return None, str(error)[:200]
    return found, "" if isinstance(found, dict) else "give a JSON object"


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for outer in level
            if isinstance(outer, list | dict)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(item, list | dict) for item in level)


def echoed(reply: Reply, interface: Interface) -> Message:
    """The subject's own turn as a message of the conversation, in a form that every endpoint accepts.

    Strict endpoints refuse calls without an id, with a malformed name, or with arguments that are no JSON object. A
    subject may write such calls; sent back unchanged, its own mistake would become an outage.
    """
    if interface == "text":
        return Message("assistant", reply.text)
    return Message("assistant", reply.text, tuple(_well_formed(c, n) for n, c in enumerate(reply.tool_calls)))


def _well_formed(call: ToolCall, place: int) -> ToolCall:
    wrong = len(call.arguments) > LONGEST or _arguments(call.arguments.strip() or "{}")[1]
    arguments = "{}" if wrong or not call.arguments.strip() else call.arguments
    name = call.name if _NAME.fullmatch(call.name) else "unknown"
    return ToolCall(call.id or call_id(place), name, arguments)


def call_id(place: int) -> str:
    """The id of a call that came without one."""
    return f"call_{place}"
