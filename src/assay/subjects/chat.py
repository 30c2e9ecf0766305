"""The chat-completions format: a request as a body, a body as a reply. No I/O.

Whatever cannot be read as a reply is a fault with a name of its own; whatever a subject may do (say nothing,
be cut short, be stopped by its own filter) is a reply.
"""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any

import msgspec

from assay.canonical import clean_text
from assay.errors import SubjectFault, SubjectRefused
from assay.vocabulary import Reply, Request, ToolCall, Usage

from .base import wire_messages

__all__ = ["chat_body", "read_failure", "read_reply", "retry_after"]

_decode = msgspec.json.Decoder().decode
_FILTERED = frozenset({"content_filter", "content_policy_violation"})


def chat_body(model: str, request: Request, extra: dict[str, Any]) -> dict[str, Any]:
    sampling = request.sampling
    body: dict[str, Any] = {"model": model, "messages": wire_messages(request)}
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.max_tokens is not None:
        body["max_tokens"] = sampling.max_tokens
    if request.seed is not None:
        body["seed"] = request.seed
    if request.tools:
        body["tools"] = list(request.tools)
    return {**body, **extra}


def read_reply(body: bytes, content_type: str) -> Reply:
    """A successful response as a reply, or the fault that keeps it from being one."""
    value, notes = _read_json(body, content_type)
    if not isinstance(value, dict):
        raise SubjectFault("wrong_shape", f"a JSON {type(value).__name__} instead of an object")
    choices = value.pop("choices", None)
    if choices is None and "error" in value:
        raise SubjectFault("error_in_200", _brief(value["error"]))
    if not isinstance(choices, list):
        raise SubjectFault("wrong_shape", "no list of choices")
    if not choices:
        raise SubjectFault("empty_choices")
    try:
        return _shape(value, choices, notes)
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        raise SubjectFault("wrong_shape", f"{type(error).__name__}: {error}") from None


def _shape(value: dict[str, Any], choices: list[Any], notes: list[str]) -> Reply:
    first = dict(choices[0])
    message = dict(first.pop("message"))
    content = message.pop("content", None)
    if not isinstance(content, str | None):
        raise TypeError("the content is not text")
    calls = tuple(
        ToolCall(str(call.get("id", "")), call["function"]["name"], _arguments(call["function"]))
        for call in message.pop("tool_calls", None) or ()
    )
    usage = value.pop("usage", None) or {}
    message.pop("role", None)
    rest = {**value, "choice": {**first, "message": message}, "more_choices": choices[1:]}
    rest["choice"].pop("finish_reason", None)
    return Reply(
        text=content or "",
        tool_calls=calls,
        finish=msgspec.convert(first.get("finish_reason"), str | None),
        usage=Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))),
        model=msgspec.convert(rest.pop("model", None), str | None),
        fingerprint=msgspec.convert(rest.pop("system_fingerprint", None), str | None),
        notes=tuple(notes if content is not None or calls else [*notes, "null_content"]),
        rest=_without_empty(rest),
    )


def _arguments(function: dict[str, Any]) -> str:
    arguments = function.get("arguments", "")
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _without_empty(rest: dict[str, Any]) -> dict[str, Any]:
    choice = {k: v for k, v in rest["choice"].items() if v not in (None, {}, [], 0)}
    kept = {k: v for k, v in rest.items() if k not in ("choice", "more_choices")}
    return {
        **kept,
        **({"choice": choice} if choice else {}),
        **({"more_choices": rest["more_choices"]} if rest["more_choices"] else {}),
    }


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _read_json(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    try:
        return _decode(body), []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise SubjectFault("wrong_encoding", "the body is not UTF-8") from None
    try:
        value = json.loads(text, parse_constant=_no_constant)  # takes escaped lone surrogates
    except (ValueError, RecursionError):
        kind = "malformed_json" if "json" in content_type or not content_type else "wrong_content_type"
        raise SubjectFault(kind, f"{content_type or 'no content type'}, {len(body)} bytes") from None
    return _clean(value), ["lone_surrogate"]


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)[0]
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key)[0]: _clean(item) for key, item in value.items()}
    return value


def read_failure(status: int, body: bytes, wait: float | None) -> Reply:
    """What a response that is not 200 amounts to. Only a content filter's no is the subject's own."""
    error = _error_of(body)
    code = str(error.get("code") or error.get("type") or "")
    detail = _brief(error.get("message") or body.decode("utf-8", "replace"))
    if status == 400 and code in _FILTERED:
        return Reply(text="", finish="content_filter", notes=("refused_by_filter",), rest={"error": error})
    if status in (401, 403, 404) or code == "insufficient_quota":
        raise SubjectRefused(f"the endpoint answers {status}: {detail or code or 'no reason given'}")
    busy = status in (429, 503, 529)
    retriable = busy or status >= 500 or status in (408, 409, 425)
    raise SubjectFault(f"http_{status}", detail, retriable=retriable, slow_down=busy, retry_after=wait)


def _error_of(body: bytes) -> dict[str, Any]:
    try:
        value = _decode(body[:65536])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else {"message": error} if isinstance(error, str) else {}


def _brief(value: Any) -> str:
    return clean_text(" ".join(str(value).split())[:300])[0]


def retry_after(headers: Any) -> float | None:
    """Seconds to wait as the endpoint says, in any of the forms in use; None when it does not."""
    try:
        if (ms := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(ms) / 1000)
        value = headers.get("Retry-After")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
