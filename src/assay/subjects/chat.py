"""The chat-completions format: a request as a body, a body as a reply. No I/O.

Whatever cannot be read as a reply is a fault with a name of its own; whatever a subject may do (say nothing,
be cut short, be stopped by its own filter) is a reply.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from assay.canonical import clean_text, encode
from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request, ToolCall, Usage

from .base import wire_messages
from .parameters import sampling_fields
from .refusals import MOST_LISTED, MOST_READ, Accepted, refusal_of

__all__ = [
    "TOO_LONG",
    "chat_body",
    "check_options",
    "clean",
    "no_constant",
    "read_failure",
    "read_reply",
    "retry_after",
    "text_of",
]

_decode = msgspec.json.Decoder().decode
_FILTERED = frozenset({"content_filter", "content_policy_violation"})
_TOO_LONG = frozenset({"context_length_exceeded", "exceed_context_size_error"})  # OpenAI's, llama.cpp's
_OURS = ("model", "messages", "stream")
# Gemini's, with status 400: what it says first. A filter that objects to a key in the prompt says more.
_KEY_REFUSED = re.compile(
    r"\W*(?:(?:the )?api[ _-]?key (?:is )?(?:not valid|invalid|expired|not found|missing)"
    r"|(?:invalid|incorrect|missing|no) api[ _-]?key)",
    re.IGNORECASE,
)
LONGEST_MEANT = 86_400.0  # seconds
QUOTED = 1 << 16  # bytes of what an endpoint says: more than an excerpt is made from
MOST_VALUES = 1_000_000  # of a body: more would take seconds to read and half a gigabyte of memory
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
TOO_LONG = "context_exceeded"  # the fault of a conversation that does not fit
USED_UP = "reasoning_used_up_max_tokens"  # the note of a reply that is empty for it
DEEPEST = 100  # no reply nests like that; what is read must also be written, at any depth of the stack


def check_options(options: dict[str, Any], title: str) -> None:
    """Options go into every body as they are; those that would change what a study asks are refused."""
    for name in _OURS:
        if name in options:
            raise InputError(f"{title}: the option {name!r} is not free; it is set by the study")


def chat_body(model: str, request: Request, spec: SubjectSpec) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": wire_messages(request)}
    body |= sampling_fields(request, spec.parameters)
    if request.tools:
        body["tools"] = list(request.tools)
    return {**body, **spec.options}


def read_reply(body: bytes, content_type: str, tag: str | None = None) -> Reply:
    """A successful response as a reply, or the fault that keeps it from being one. ``tag`` encloses reasoning."""
    value, notes = _read_json(body, content_type)
    if not isinstance(value, dict):
        raise SubjectFault("wrong_shape", f"a JSON {type(value).__name__} instead of an object")
    choices = value.get("choices")
    if choices is None and value.get("error") is not None:
        raise SubjectFault("error_in_200", text_of(value["error"]))
    if not isinstance(choices, list):
        raise SubjectFault("wrong_shape", "no list of choices")
    if not choices:
        raise SubjectFault("empty_choices")
    return _shape(value, choices, notes, tag)


def _shape(value: dict[str, Any], choices: list[Any], notes: list[str], tag: str | None) -> Reply:
    """Takes out of the body what a reply has fields for; what is left of it is ``rest``.

    Only what says nothing is left out: in the choice and its message ``null``, index 0 and the role
    "assistant", an empty list of tool calls; a total that is the sum of the other two counts.
    """
    first = _object(choices[0], "the choice")
    message = _object(first.get("message"), "the message")
    content = message.pop("content", None)
    if not isinstance(content, str | None):
        raise SubjectFault("wrong_shape", f"the content is a JSON {type(content).__name__}, not text")
    calls = _tool_calls(message)
    reasoning = _take_reasoning(message)
    if tag and content and not reasoning:
        reasoning, content = _split(content, tag)
    usage, finish = _usage(value), _take_text(first, "finish_reason")
    if not content and finish == "length" and (reasoning or usage.reasoning):
        notes = [*notes, USED_UP]
    reply = Reply(
        text=content or "",
        tool_calls=calls,
        finish=finish,
        usage=usage,
        model=_take_text(value, "model"),
        fingerprint=_take_text(value, "system_fingerprint"),
        notes=tuple(notes if content is not None or calls else [*notes, "null_content"]),
        rest=value,  # what is taken out of it below is taken out of the reply's, too
        reasoning=reasoning,
    )
    message = {k: v for k, v in message.items() if v is not None and (k, v) != ("role", "assistant")}
    first.pop("message")
    first = {
        k: v for k, v in first.items() if v is not None and not (k == "index" and v == 0 and v is not False)
    }
    if message:
        first["message"] = message
    if not first and len(choices) == 1:
        del value["choices"]
    else:
        value["choices"] = [first, *choices[1:]]
    return reply


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SubjectFault("wrong_shape", f"{what} is a JSON {type(value).__name__}, not an object")
    return value


def _take_text(value: dict[str, Any], name: str) -> str | None:
    """Metadata of another type than expected is no reason to lose a reply: it stays in the rest."""
    return value.pop(name) if isinstance(value.get(name), str) else None


def _split(content: str, tag: str) -> tuple[str, str]:
    """Reasoning at the head of a reply, and the reply; one that was cut inside its reasoning says nothing."""
    begin, end = f"<{tag}>", f"</{tag}>"
    if not content.lstrip().startswith(begin):
        return "", content
    inside, _, after = content.lstrip().removeprefix(begin).partition(end)
    return inside.strip(), after.lstrip()


def _take_reasoning(message: dict[str, Any]) -> str:
    """What was written before the reply, under either name it goes by; a second one stays in the rest."""
    for name in ("reasoning_content", "reasoning"):
        if message.get(name):
            return _take_text(message, name) or ""
    return ""


def _tool_calls(message: dict[str, Any]) -> tuple[ToolCall, ...]:
    given = message.get("tool_calls")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise SubjectFault("wrong_shape", "the tool calls are not a list")
    calls = []
    for call in given:
        function = _object(_object(call, "a tool call").get("function"), "a tool call's function")
        name = _take_text(function, "name")
        if name is None:
            raise SubjectFault("wrong_shape", "a tool call without a name")
        arguments = _take_text(function, "arguments")
        if arguments is None:  # an object instead of its text: kept as sent, and written out
            arguments = encode(function["arguments"]).decode() if "arguments" in function else ""
        calls.append(ToolCall(_take_text(call, "id") or "", name, arguments))
        if not function:
            del call["function"]
        if call.get("type") == "function":
            del call["type"]
    if not any(given):
        del message["tool_calls"]
    return tuple(calls)


def _usage(value: dict[str, Any]) -> Usage:
    usage = value.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    given, taken = (_take_count(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    details = usage.get("completion_tokens_details")
    thought = _take_count(details, "reasoning_tokens") if isinstance(details, dict) else None
    if details == {}:
        del usage["completion_tokens_details"]
    if given is not None and taken is not None and usage.get("total_tokens") == given + taken:
        del usage["total_tokens"]
    if not usage:
        del value["usage"]
    return Usage(given, taken, thought)


def _take_count(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return usage.pop(name) if type(value) is int and 0 <= value < 1 << 53 else None


def _read_json(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    notes = []
    _check_width(body)
    try:
        value = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _read_json_again(body, content_type)
        _check_depth(body, value)
        cleaned = clean(value)
        if cleaned != value:
            value, notes = cleaned, ["lone_surrogate"]
    else:
        _check_depth(body, value)
    return value, notes


def _read_json_again(body: bytes, content_type: str) -> Any:
    """With the standard module, which takes escaped lone surrogates; and if it fails too, find out why."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=no_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise SubjectFault("wrong_encoding", "the body is not UTF-8") from None
    except RecursionError:
        raise SubjectFault("too_deep", "the JSON nests without end") from None
    except ValueError:
        plain = "json" in content_type.lower() or not content_type
        kind = "malformed_json" if plain else "wrong_content_type"
        said = body[:QUOTED].decode("utf-8", "replace")
        detail = f"{content_type or 'no content type'}, {len(body)} bytes: {said}"
        raise SubjectFault(kind, text_of(detail)) from None


def no_constant(name: str) -> Any:
    """For ``json.loads``: NaN and infinities are not JSON."""
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text} is out of range")
    return value


def _check_width(body: bytes) -> None:
    """Before anything is made of it. Commas inside texts are the subject's, and are not counted."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") <= MOST_VALUES:
        return
    bare = _STRINGS.sub(b"", body)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > MOST_VALUES:
        raise SubjectFault("too_wide", f"the JSON has more than {MOST_VALUES:,} values")


def _check_depth(body: bytes, value: Any) -> None:
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            item
            for outer in level
            if isinstance(outer, list | dict)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise SubjectFault("too_deep", f"the JSON nests more than {DEEPEST} deep")


def clean(value: Any) -> Any:
    """Plain data that UTF-8 can carry, lone surrogates replaced."""
    if isinstance(value, str):
        return clean_text(value)[0]
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key)[0]: clean(item) for key, item in value.items()}
    return value


def read_failure(
    status: int,
    body: bytes,
    wait: float | None,
    sent: Mapping[str, Any] = MappingProxyType({}),
    spec: SubjectSpec | None = None,
    accepted: Accepted | None = None,
) -> Reply:
    """What a response that is not 200 comes to. Only a content filter's no is the subject's own.

    ``accepted``: what the endpoint has answered before.
    """
    accepted = accepted or Accepted()
    value = _failure_of(body)
    error = value.get("error")
    error = error if isinstance(error, dict) else {"message": error}
    codes = {str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str)}
    detail = _sentence(error.get("message") or value.get("message") or value.get("detail") or "")
    detail = detail or body[:QUOTED].decode("utf-8", "replace")
    if status == 400 and codes & _FILTERED:
        return Reply(text="", finish="content_filter", notes=("refused_by_filter",), rest=value)
    if spec and (refused := refusal_of(status, value, detail, sent, spec, accepted)) is not None:
        raise refused
    if status == 400 and codes & _TOO_LONG:
        raise SubjectFault(TOO_LONG, detail, retriable=False)
    no_key = status == 400 and not accepted and _KEY_REFUSED.match(detail[:MOST_READ])
    if status in (401, 402, 403, 404, 407) or no_key or "insufficient_quota" in codes:
        raise SubjectRefused(f"the endpoint answers {status}: {detail or 'no reason given'}")
    busy = status in (429, 503, 529)
    retriable = busy or status >= 500 or status in (408, 409, 425)
    raise SubjectFault(f"http_{status}", detail, retriable=retriable, slow_down=busy, retry_after=wait)


def _sentence(said: Any) -> str:
    """What an error says, so much of it that an excerpt can be made: a megabyte of words would hold all calls up.

    FastAPI lists the fields that it does not take, some servers inside a message.
    """
    if isinstance(said, dict) and "detail" in said:
        said = said["detail"]
    if isinstance(said, list) and said and all(isinstance(one, dict) and "msg" in one for one in said):
        said = said[:MOST_LISTED]
        places = [one["loc"] if isinstance(one.get("loc"), list) else [] for one in said]
        return "; ".join(
            text_of(f"{'.'.join(map(str, place))}: {one['msg']}")
            for place, one in zip(places, said, strict=True)
        )[:QUOTED]
    return text_of(said[:QUOTED] if isinstance(said, str) else said)[:QUOTED]


def _failure_of(body: bytes) -> dict[str, Any]:
    try:
        value, _ = _read_json(body, "")
    except SubjectFault:
        return {}
    if isinstance(value, list) and len(value) == 1:  # Gemini's
        value = value[0]
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """What an endpoint says, uncut: the bench takes secrets out of it first, then cuts it."""
    return clean_text(value if isinstance(value, str) else encode(value).decode())[0]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the endpoint says, in any of the forms in use; None when it does not.

    A time that no endpoint means, more than a day, says nothing. Names of headers are in lower case, as the client
    gives them.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            wait = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if wait <= LONGEST_MEANT:  # not so of NaN
            return max(0.0, wait)
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        if date.tzinfo is None:  # "-0000" and the old forms of a date are in universal time too
            date = date.replace(tzinfo=datetime.UTC)
        wait = date.timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait) if wait <= LONGEST_MEANT else None
