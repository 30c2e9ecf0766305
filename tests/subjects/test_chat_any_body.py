"""Whatever comes: only faults and refusals, only what can be recorded, and nothing that was sent is lost."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.errors import SubjectFault, SubjectRefused
from assay.subjects.chat import read_failure, read_reply
from assay.vocabulary import Reply

from .chat_bodies import BODIES, JSON, VALUES, body


def told(value: dict[str, Any]) -> dict[str, Any]:
    """A body without what says nothing: see the docstring of the reader."""
    value = copy.deepcopy(value)
    first = value["choices"][0]
    first["message"] = {k: v for k, v in first["message"].items() if v is not None}
    if first["message"].get("role") == "assistant":
        del first["message"]["role"]
    if not first["message"].get("content"):
        first["message"].pop("content", None)
    for name in ("reasoning_content", "reasoning"):
        if text := first["message"].get(name):
            if isinstance(text, str):
                first["message"]["<reasoning>"] = first["message"].pop(name)
            break
    calls = first["message"].get("tool_calls")
    for call in calls or []:
        if call.get("type") == "function":
            del call["type"]
        if call.get("id") == "":
            del call["id"]
        call["function"].setdefault("arguments", "")
    if calls == []:
        del first["message"]["tool_calls"]
    value["choices"][0] = {
        k: v for k, v in first.items() if v is not None and not (k == "index" and v == 0 and v is not False)
    }
    usage = value.get("usage")
    if isinstance(usage, dict):
        counts: list[Any] = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
        if all(type(n) is int and n >= 0 for n in counts) and usage.get("total_tokens") == sum(counts):
            del usage["total_tokens"]
        if usage.get("completion_tokens_details") == {}:
            del usage["completion_tokens_details"]
        if not usage:
            del value["usage"]
    return value


def put_back(reply: Reply) -> dict[str, Any]:
    """The body again, out of the fields and the rest."""
    value: dict[str, Any] = copy.deepcopy(reply.rest)
    first = value.setdefault("choices", [{}])[0]
    message = first.setdefault("message", {})
    if reply.text:
        message["content"] = reply.text
    if reply.reasoning:
        message["<reasoning>"] = reply.reasoning
    if reply.tool_calls:
        kept = message.get("tool_calls") or [{} for _ in reply.tool_calls]
        for left, call in zip(kept, reply.tool_calls, strict=True):
            function = left.setdefault("function", {})
            function["name"] = call.name
            function.setdefault("arguments", call.arguments)
            if call.id:
                left["id"] = call.id
        message["tool_calls"] = kept
    for where, name, field in (
        (first, "finish_reason", reply.finish),
        (value, "model", reply.model),
        (value, "system_fingerprint", reply.fingerprint),
    ):
        if field is not None:
            where[name] = field
    counts = {"prompt_tokens": reply.usage.input, "completion_tokens": reply.usage.output}
    counts = {name: count for name, count in counts.items() if count is not None}
    if counts:
        value["usage"] = {**value.get("usage", {}), **counts}
    if reply.usage.reasoning is not None:
        details = value.setdefault("usage", {}).setdefault("completion_tokens_details", {})
        details["reasoning_tokens"] = reply.usage.reasoning
    return value


@settings(deadline=None, max_examples=400)
@given(BODIES)
def test_the_fields_and_the_rest_together_hold_everything_the_endpoint_sent(sent: dict[str, Any]) -> None:
    raw = json.dumps(sent, ensure_ascii=False).encode("utf-8")
    assert put_back(read_reply(raw, JSON)) == told(sent)


@settings(deadline=None, max_examples=300)
@given(
    st.binary() | VALUES.map(lambda v: json.dumps(v).encode()) | BODIES.map(lambda v: json.dumps(v).encode())
)
def test_no_body_raises_anything_but_a_fault_or_a_refusal(raw: bytes) -> None:
    for status in (200, 400, 429, 500):
        try:
            reply = read_reply(raw, JSON) if status == 200 else read_failure(status, raw, None)
            encode(reply)
        except (SubjectFault, SubjectRefused) as error:
            encode(str(error))


@settings(deadline=None)
@given(st.data())
def test_a_good_body_with_bytes_changed_is_still_a_reply_or_a_fault(data: st.DataObject) -> None:
    raw = bytearray(json.dumps(body(), ensure_ascii=data.draw(st.booleans())).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        encode(read_reply(bytes(raw), JSON))
    except SubjectFault as error:
        encode(str(error))
