"""The faults of an API as a declaration: which kinds, how often, for how long, and their bytes.

A fault is drawn per *arrival* from a seeded counter, never from the request, so that a retry of the same
request can succeed, and the same seed gives the same sequence of faults in every run.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any, Literal, NamedTuple, Self, get_args

import msgspec

from assay.errors import InputError, UnknownName

from .http import Wire, error, response

__all__ = ["FORMS", "KINDS", "STORM", "Exchange", "Fault", "Faults", "Kind", "wire"]

Kind = Literal[
    "http_429", "http_503", "http_500", "http_502", "http_504", "http_400", "http_401", "http_404",
    "reset", "close_before_reply", "hang", "slow", "slow_body", "malformed_json", "truncated_json",
    "wrong_content_type", "empty_choices", "no_choices", "null_content", "huge_body", "wrong_encoding",
    "lone_surrogate", "echo_key", "content_filter", "length", "redirect", "chunked", "gzip", "nul_bytes",
    "deep_json", "wrong_shape", "double_header",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
STORM: tuple[Kind, ...] = (
    "http_429", "http_503", "http_500", "http_502", "http_504", "reset", "close_before_reply", "hang",
    "slow", "slow_body", "malformed_json", "truncated_json", "wrong_content_type", "chunked", "gzip",
)  # fmt: skip
"""The kinds of the way there and back: each passes, so a client that retries gets every answer."""

FORMS: dict[Kind, tuple[str, ...]] = {
    "http_429": ("seconds", "date"),
    "http_503": ("seconds", "date"),
    "null_content": ("tool_calls", "bare"),
    "wrong_encoding": ("latin-1", "invalid"),
    "echo_key": ("401", "500"),
    "content_filter": ("200", "400"),
    "nul_bytes": ("escaped", "raw"),
    "deep_json": ("body", "field"),
    "wrong_shape": (
        "array", "number", "string", "null", "choices_object", "choices_number", "choice_string",
        "message_string", "content_number", "content_list",
    ),
    "double_header": ("content_type", "content_length", "conflict"),
}  # fmt: skip
"""The kinds that come in several forms; without a declared one the draw picks (Retry-After: seconds)."""

_OPTIONS: dict[str, tuple[Kind, ...]] = {
    "seconds": ("slow", "slow_body"),
    "size": ("huge_body", "deep_json"),
    "retry_after": ("http_429", "http_503"),
    "location": ("redirect",),
}
_REDIRECT = "http://another-host.invalid/v1/chat/completions"
_PIECE = b"x" * (1 << 20)


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kind of fault and how often it comes.

    ``until``: only among the first so many arrivals. ``form``: one of :data:`FORMS`. ``seconds``: the delay
    of ``slow``, the spread of ``slow_body`` (1). ``size``: bytes of ``huge_body`` (50,000,000), depth of
    ``deep_json`` (100,000).
    ``retry_after``: seconds a 429 or 503 asks for; no header when None. ``location``: where ``redirect``
    points.
    """

    kind: Kind
    rate: float = 1.0
    until: int | None = None
    form: str | None = None
    seconds: float | None = None
    size: int | None = None
    retry_after: float | None = None
    location: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownName("fault", self.kind, KINDS)
        if not 0 <= self.rate <= 1:
            raise InputError(f"fault {self.kind}: rate {self.rate} is not between 0 and 1")
        if self.form is not None and self.form not in FORMS.get(self.kind, ()):
            raise UnknownName(f"form of {self.kind}", self.form, FORMS.get(self.kind, ()))
        for name, kinds in _OPTIONS.items():
            if getattr(self, name) is not None and self.kind not in kinds:
                raise InputError(f"fault {self.kind}: {name} is only for {' and '.join(kinds)}")
        if self.location is not None and not (self.location.isascii() and self.location.isprintable()):
            raise InputError(f"fault redirect: location {self.location!r} cannot stand in a header")
        for name in ("until", "seconds", "size", "retry_after"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise InputError(f"fault {self.kind}: {name} {value} is not a finite number from 0 up")


class Faults(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fault plan: at most one fault an arrival; where rates add up to more than 1, the first listed win.

    That can only be so while an ``until`` runs: the lasting rates must leave room for each other.
    """

    plan: tuple[Fault, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        lasting = sum(fault.rate for fault in self.plan if fault.until is None)
        if lasting > 1 + 1e-9:
            raise InputError(f"the rates of a fault plan add up to {lasting:g}; at most 1 is possible")

    @classmethod
    def of(cls, *, seed: int = 0, until: int | None = None, **rates: float) -> Self:
        """A plan from rates alone: ``Faults.of(http_429=0.1, reset=0.05)``."""
        return cls(tuple(_fault(kind, rate, until) for kind, rate in rates.items()), seed)

    @classmethod
    def storm(cls, rate: float = 0.3, *, seed: int = 0, until: int | None = None) -> Self:
        """All of :data:`STORM`, ``rate`` in total, evenly; ``hang`` a tenth as often, for it costs a wait."""
        share = rate / (len(STORM) - 0.9)
        rates = {kind: share / 10 if kind == "hang" else share for kind in STORM}
        waits = dict.fromkeys(_OPTIONS["seconds"], 0.2)
        plan = [Fault(kind, rates[kind], until, seconds=waits.get(kind)) for kind in STORM]
        return cls(tuple(plan), seed)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``none``, ``storm``, ``storm=0.5``, ``http_429=0.1,reset=0.05``, or the JSON of a plan."""
        text = text.strip()
        if text in ("", "none"):
            return cls()
        try:
            if text.startswith("{"):
                return msgspec.json.decode(text, type=cls)
            parts = [part.partition("=") for part in text.split(",")]
            pairs = [(name.strip(), float(rate) if sign else None) for name, sign, rate in parts]
        except (ValueError, msgspec.MsgspecError) as bad:
            raise InputError(f"fault plan {text!r}: {bad}") from bad
        if len(pairs) == 1 and pairs[0][0] == "storm":
            rate = pairs[0][1]
            return cls.storm() if rate is None else cls.storm(rate)
        return cls(tuple(_fault(kind, 1.0 if rate is None else rate, None) for kind, rate in pairs))

    def json(self) -> str:
        """The plan as JSON, which :meth:`parse` reads back."""
        return msgspec.json.encode(self).decode()

    def choose(self, arrival: int) -> tuple[Fault, int] | None:
        """The fault of the n-th arrival (from 0) and a number to pick its form by, or None."""
        digest = hashlib.blake2b(b"%d:%d" % (self.seed, arrival), digest_size=16).digest()
        draw, edge = (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53), 0.0
        for fault in self.plan:
            if fault.until is None or arrival < fault.until:
                edge += fault.rate
                if draw < edge:
                    return fault, int.from_bytes(digest[8:], "big")
        return None


class Exchange(NamedTuple):
    """What a faulty reply is made from: the good reply, and the key the client sent."""

    reply: Callable[[], dict[str, Any]]
    key: str


def wire(fault: Fault, pick: int, exchange: Exchange) -> Wire:
    """What the fault does on the wire in place of the good reply."""
    forms = FORMS.get(fault.kind, ("",))
    form = fault.form or forms[pick % len(forms)]
    if fault.kind.startswith("http_"):
        return Wire((_http_error(fault),))
    if fault.kind in _TRANSPORT:
        return _TRANSPORT[fault.kind](fault, exchange)
    return Wire((_CONTENT[fault.kind](fault, form, exchange),))


def _fault(kind: str, rate: float, until: int | None) -> Fault:
    return Fault(kind, rate, until)  # type: ignore[arg-type]  # checked by Fault itself


def _http_error(fault: Fault) -> bytes:
    status = int(fault.kind[5:])
    message, code = {
        429: ("Rate limit reached.", "rate_limit_exceeded"),
        400: ("The request was not understood.", "invalid_request"),
        401: ("Incorrect API key provided.", "invalid_api_key"),
        404: ("The model does not exist.", "model_not_found"),
    }.get(status, ("The server had an error.", None))
    headers = []
    if fault.retry_after is not None and status in (429, 503):
        date = formatdate(math.ceil(time.time() + fault.retry_after), usegmt=True)
        headers.append(("Retry-After", date if fault.form == "date" else f"{fault.retry_after:g}"))
    type_ = "requests" if status == 429 else ""
    return error(status, message, *headers, code=code, type_=type_)


# Transport: when and whether bytes come at all.


def _good(exchange: Exchange) -> bytes:
    return response(200, msgspec.json.encode(exchange.reply()))


def _seconds(fault: Fault) -> float:
    return 1.0 if fault.seconds is None else fault.seconds


def _slow_body(fault: Fault, exchange: Exchange) -> Wire:
    whole = _good(exchange)
    size = -(-len(whole) // 10)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    return Wire(pieces, gap=_seconds(fault) / len(pieces))


def _truncated(_: Fault, exchange: Exchange) -> Wire:
    whole = _good(exchange)
    body_at = whole.index(b"\r\n\r\n") + 4
    return Wire((whole[: (body_at + len(whole)) // 2],), end="close")


def _chunked(_: Fault, exchange: Exchange) -> Wire:
    body = msgspec.json.encode(exchange.reply())
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = (body[at : at + 64] for at in range(0, len(body), 64))
    return Wire((head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n",))


def _huge(fault: Fault, exchange: Exchange) -> Wire:
    size = 50_000_000 if fault.size is None else fault.size
    front, back = msgspec.json.encode(_with_content(exchange, "")).split(b'"content":""')
    front, back = (
        front + b'"content":"',
        b'"' + back,
    )  # quotes in other fields are escaped: a safe place to cut
    fill = max(0, size - len(front) - len(back))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"

    def pieces() -> Iterator[bytes]:
        yield head % (len(front) + fill + len(back)) + front
        for _ in range(fill // len(_PIECE)):
            yield _PIECE
        yield _PIECE[: fill % len(_PIECE)] + back

    return Wire(pieces())


_TRANSPORT: dict[Kind, Callable[[Fault, Exchange], Wire]] = {
    "reset": lambda _, __: Wire(end="reset"),
    "close_before_reply": lambda _, __: Wire(end="close"),
    "hang": lambda _, __: Wire(end="hang"),
    "slow": lambda fault, exchange: Wire((_good(exchange),), before=_seconds(fault)),
    "slow_body": _slow_body,
    "truncated_json": _truncated,
    "chunked": _chunked,
    "huge_body": _huge,
}


# Content: a complete reply that is not, or not quite, what was asked for.


def _with(exchange: Exchange, message: dict[str, Any], finish_reason: str = "stop") -> dict[str, Any]:
    reply = exchange.reply()
    choice = {**reply["choices"][0], "finish_reason": finish_reason}
    choice["message"] = {**choice["message"], **message}
    return {**reply, "choices": [choice]}


def _with_content(exchange: Exchange, content: Any) -> dict[str, Any]:
    return _with(exchange, {"content": content})


def _text(exchange: Exchange) -> str:
    text = exchange.reply()["choices"][0]["message"]["content"]
    assert isinstance(text, str)
    return text


def _json(value: Any) -> bytes:
    return response(200, json.dumps(value).encode())  # the standard module: it escapes lone surrogates


def _malformed(_: Fault, __: str, exchange: Exchange) -> bytes:
    return response(200, msgspec.json.encode(exchange.reply())[:-1] + b",,]")


def _html(_: Fault, __: str, ___: Exchange) -> bytes:
    page = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>It works!</body></html>"
    return response(200, page, content_type="text/html; charset=utf-8")


def _null_content(_: Fault, form: str, exchange: Exchange) -> bytes:
    if form == "bare":
        return _json(_with_content(exchange, None))
    call = {"id": "call_0", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    return _json(_with(exchange, {"content": None, "tool_calls": [call]}, "tool_calls"))


def _wrong_encoding(_: Fault, form: str, exchange: Exchange) -> bytes:
    wrong = "déjà vu ".encode("latin-1") if form == "latin-1" else b"\xff\xfe\x80 "
    body = json.dumps(_with_content(exchange, _text(exchange))).encode()
    body = body.replace(b'"content": "', b'"content": "' + wrong, 1)
    return response(200, body, content_type="application/json; charset=utf-8")


def _echo_key(_: Fault, form: str, exchange: Exchange) -> bytes:
    return error(int(form), f"Incorrect API key provided: {exchange.key}", code="invalid_api_key")


def _content_filter(_: Fault, form: str, exchange: Exchange) -> bytes:
    if form == "400":
        return error(400, "The response was filtered.", code="content_filter")
    return _json(_with(exchange, {"content": ""}, "content_filter"))


def _length(_: Fault, __: str, exchange: Exchange) -> bytes:
    text = _text(exchange)
    return _json(_with(exchange, {"content": text[: len(text) // 2]}, "length"))


def _redirect(fault: Fault, _: str, __: Exchange) -> bytes:
    return response(302, b"", ("Location", fault.location or _REDIRECT))


def _gzip(_: Fault, __: str, exchange: Exchange) -> bytes:
    body = gzip.compress(msgspec.json.encode(exchange.reply()), mtime=0)
    return response(200, body, ("Content-Encoding", "gzip"))


def _nul_bytes(_: Fault, form: str, exchange: Exchange) -> bytes:
    body = json.dumps(_with_content(exchange, "\0" + _text(exchange))).encode()
    return response(
        200, body if form == "escaped" else body.replace(b'"content": "\\u0000', b'"content": "\0', 1)
    )


def _deep_json(fault: Fault, form: str, exchange: Exchange) -> bytes:
    depth = 100_000 if fault.size is None else fault.size
    nest = b"[" * depth + b"]" * depth
    if form == "body":
        return response(200, nest)
    return response(200, msgspec.json.encode(exchange.reply())[:-1] + b',"extra":' + nest + b"}")


def _wrong_shape(_: Fault, form: str, exchange: Exchange) -> bytes:
    reply, text = exchange.reply(), _text(exchange)
    choice = reply["choices"][0]
    shapes: dict[str, Any] = {
        "array": [reply],
        "number": 42,
        "string": text,
        "null": None,
        "choices_object": {**reply, "choices": choice},
        "choices_number": {**reply, "choices": 1},
        "choice_string": {**reply, "choices": [text]},
        "message_string": {**reply, "choices": [{**choice, "message": text}]},
        "content_number": _with_content(exchange, 42),
        "content_list": _with_content(exchange, [{"type": "text", "text": text}]),
    }
    return _json(shapes[form])


def _double_header(_: Fault, form: str, exchange: Exchange) -> bytes:
    body = msgspec.json.encode(exchange.reply())
    if form == "content_type":
        return response(200, body, ("Content-Type", "text/plain"))
    return response(200, body, ("Content-Length", str(len(body) + (7 if form == "conflict" else 0))))


_CONTENT: dict[Kind, Callable[[Fault, str, Exchange], bytes]] = {
    "malformed_json": _malformed,
    "wrong_content_type": _html,
    "empty_choices": lambda _, __, exchange: _json({**exchange.reply(), "choices": []}),
    "no_choices": lambda _, __, exchange: _json(
        {name: value for name, value in exchange.reply().items() if name != "choices"}
    ),
    "null_content": _null_content,
    "wrong_encoding": _wrong_encoding,
    "lone_surrogate": lambda _, __, exchange: _json(_with_content(exchange, "\ud800" + _text(exchange))),
    "echo_key": _echo_key,
    "content_filter": _content_filter,
    "length": _length,
    "redirect": _redirect,
    "gzip": _gzip,
    "nul_bytes": _nul_bytes,
    "deep_json": _deep_json,
    "wrong_shape": _wrong_shape,
    "double_header": _double_header,
}
