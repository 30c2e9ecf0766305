"""The API half of the stub endpoint: answers, replies and counts, decided without a socket."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from assay.errors import InputError, UnknownName

from .faults import Exchange, Faults, wire
from .http import RequestHead, Wire, error, response

__all__ = ["Answer", "Endpoint", "Stats", "StubConfig", "answerer"]

Answer = Callable[[dict[str, Any]], str]
"""From the decoded request body to the reply's text; must be pure."""

_STILL_GOOD = frozenset({"slow", "slow_body", "chunked", "gzip"})
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_PROGRAMS = (
    "def solve(n):\n    return n * {k}\n",
    "def solve(n):\n    total = 0\n    for _ in range({k}):\n        total += n\n    return total\n",
    "def solve(n):\n    return sum(n for _ in range({k}))\n",
    "def solve(n, k={k}):\n    return n + solve(n, k - 1) if k else 0\n",
)


class StubConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All that a stub can be told, as a value that survives JSON both ways."""

    answer: str = "digest"
    faults: Faults = Faults()
    latency: float = 0.0
    required_key: str | None = None
    log: str | None = None
    port: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.latency < math.inf:
            raise InputError(f"latency {self.latency} is not a finite number of seconds from 0 up")
        if not 0 <= self.port <= 65535:
            raise InputError(f"port {self.port} is not between 0 (any free one) and 65535")
        answerer(self.answer)


class Stats(msgspec.Struct, frozen=True):
    """What arrived at ``/v1/chat/completions``, refused and unreadable requests included."""

    requests: int
    answered: int
    refused: int
    unreadable: int
    faults: dict[str, int]
    distinct_bodies: int
    largest_repeat: int


def answerer(name: str) -> Answer:
    """A built-in answer by name: ``digest``, ``echo``, ``code:<n>`` or ``fixed:<text>``."""
    kind, colon, rest = name.partition(":")
    if kind == "fixed" and colon:
        return lambda body: rest
    if kind == "code" and colon:
        if not rest.isdecimal() or not 1 <= int(rest) <= 1000:
            raise InputError(f"answer {name!r}: after 'code:' comes a number of programs from 1 to 1000")
        return lambda body: _program(int(_digest(body)[:16], 16) % int(rest))
    if name not in _ANSWERS:
        raise UnknownName("answer", name, [*_ANSWERS, "code:<n>", "fixed:<text>"])
    return _ANSWERS[name]


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(body, order="sorted")).hexdigest()


def _program(number: int) -> str:
    """The n-th program: the forms in turn, then the same forms with another factor."""
    factor, form = divmod(number, len(_PROGRAMS))
    return f"```python\n{_PROGRAMS[form].format(k=factor + 2)}```\n"


def _content(message: Any) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _echo(body: dict[str, Any]) -> str:
    users = (
        item for item in reversed(body["messages"]) if isinstance(item, dict) and item.get("role") == "user"
    )
    return _content(next(users, None))


_ANSWERS: dict[str, Answer] = {"digest": lambda body: f"answer {_digest(body)}", "echo": _echo}


class Endpoint:
    """The API itself: from a request to what goes on the wire, and the counts. No sockets here."""

    def __init__(self, config: StubConfig, answer: Answer) -> None:
        self._config, self._answer = config, answer
        self.errors: list[Exception] = []
        self.log: int | None = None
        self.reset()

    def reset(self) -> None:
        self._bodies: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._requests = self._refused = self._unreadable = self._arrivals = 0

    def stats(self) -> Stats:
        return Stats(
            requests=self._requests,
            answered=self._answered.total(),
            refused=self._refused,
            unreadable=self._unreadable,
            faults=dict(sorted(self._faults.items())),
            distinct_bodies=len(self._bodies),
            largest_repeat=max(self._bodies.values(), default=0),
        )

    def bodies(self, *, answered: bool = False) -> dict[str, int]:
        return dict(self._answered if answered else self._bodies)

    def handle(self, head: RequestHead, body: bytes) -> bytes | Wire:
        """One request, complete, to its reply; bytes alone are a plain reply at once."""
        route = (head.method, head.path)
        if route == ("POST", "/v1/chat/completions"):
            reply = self._chat(head, body)
            if self._config.latency == 0:
                return reply
            played = Wire((reply,)) if isinstance(reply, bytes) else reply
            return played._replace(before=played.before + self._config.latency)
        if route == ("GET", "/v1/models"):
            model = {"id": "stub", "object": "model", "created": 0, "owned_by": "assay"}
            return response(200, _encode({"object": "list", "data": [model]}))
        if route == ("GET", "/stub/stats"):
            wanted: Any = self.stats()
            if head.query in ("bodies=1", "answered=1"):
                wanted = self.bodies(answered=head.query == "answered=1")
            return response(200, _encode(wanted))
        if route == ("POST", "/stub/reset"):
            self.reset()
            return response(200, b"{}")
        if head.path in ("/v1/chat/completions", "/v1/models", "/stub/stats", "/stub/reset"):
            return error(405, f"{head.method} is not for {head.path}")
        return error(404, f"nothing at {head.path}")

    def _chat(self, head: RequestHead, raw: bytes) -> bytes | Wire:
        digest = hashlib.sha256(raw).hexdigest()
        self._requests += 1
        self._bodies[digest] += 1
        outcome, reply = self._outcome(head, raw, digest)
        if outcome == "ok" or outcome in _STILL_GOOD:
            self._answered[digest] += 1
        if self.log is not None:
            os.write(self.log, f"{digest} {outcome}\n".encode())
        return reply

    def _outcome(self, head: RequestHead, raw: bytes, digest: str) -> tuple[str, bytes | Wire]:
        key = self._config.required_key
        if key is not None and head.header("authorization") != f"Bearer {key}":
            self._refused += 1
            return "refused", error(401, "Incorrect API key provided.", code="invalid_api_key")
        try:
            body = _decode(raw)
            wrong = _complaint(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as bad:
            body, wrong = None, f"the body is not JSON: {bad}"
        if wrong:
            self._unreadable += 1
            return "unreadable", error(400, wrong)
        chosen = self._config.faults.choose(self._arrivals) if self._config.faults.plan else None
        self._arrivals += 1
        try:
            if chosen is None:
                return "ok", response(200, _encode(self._reply(body, digest)))
            fault, pick = chosen
            self._faults[fault.kind] += 1
            sent = (head.header("authorization") or "").removeprefix("Bearer ")
            return fault.kind, wire(fault, pick, Exchange(lambda: self._reply(body, digest), sent))
        except Exception as bad:  # the user's own answer function; raised again when the stub ends
            self.errors.append(bad)
            return "answer_failed", error(500, f"the stub's answer failed: {type(bad).__name__}: {bad}")

    def _reply(self, body: dict[str, Any], digest: str) -> dict[str, Any]:
        text = self._answer(body)
        prompt, completion = sum(len(_content(item).split()) for item in body["messages"]), len(text.split())
        message = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": f"chatcmpl-{digest[:24]}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "system_fingerprint": "stub-1",
            "choices": [
                {"index": index, "message": message, "logprobs": None, "finish_reason": "stop"}
                for index in range(body.get("n") or 1)
            ],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }


def _complaint(body: Any) -> str:
    """What the API would not take in this body, or nothing."""
    if not isinstance(body, dict):
        return "the body must be a JSON object"
    if not isinstance(body.get("model"), str):
        return "'model' must be a string"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "'messages' must be a list that is not empty"
    if body.get("stream"):
        return "the stub does not stream"
    n = body.get("n")
    if n is not None and (type(n) is not int or not 1 <= n <= 128):
        return "'n' must be a whole number from 1 to 128"
    return ""
