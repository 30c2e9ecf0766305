"""On the wire, every fault of the stub does what its name says, and harms no other connection."""

from __future__ import annotations

import gzip
import json
import select
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from assay.testing.stub import KINDS, Fault, Faults, Stub
from assay.testing.stub.faults import FORMS, Exchange, wire

from .stub_client import BODY, KEY, Raw, ask, connected, eventually, faulty, good, request, serve, talk


def whole(raw: Raw) -> bool:
    return raw.ended == "closed" and int(raw.header("content-length")) == len(raw.body)


def plain_reply(raw: Raw) -> bool:
    return raw.status == 200 and whole(raw) and raw.json == good()


def api_error(status: int, code: str | None) -> Callable[[Raw], bool]:
    return lambda raw: raw.status == status and whole(raw) and raw.json["error"]["code"] == code


def dechunk(body: bytes) -> bytes:
    out = b""
    while True:
        size, rest = body.split(b"\r\n", 1)
        if int(size, 16) == 0:
            assert rest == b"\r\n"
            return out
        length = int(size, 16)
        out, body = out + rest[:length], rest[length + 2 :]


def unreadable(raw: Raw) -> bool:
    try:
        json.loads(raw.body.decode("utf-8"))
    except ValueError:
        return raw.status == 200 and whole(raw)
    return False


SEEN: dict[tuple[str, str | None], Callable[[Raw], bool]] = {
    ("http_429", None): lambda raw: (
        api_error(429, "rate_limit_exceeded")(raw) and "retry-after" not in dict(raw.headers)
    ),
    ("http_503", None): api_error(503, None),
    ("http_500", None): api_error(500, None),
    ("http_502", None): api_error(502, None),
    ("http_504", None): api_error(504, None),
    ("http_400", None): api_error(400, "invalid_request"),
    ("http_401", None): api_error(401, "invalid_api_key"),
    ("http_404", None): api_error(404, "model_not_found"),
    ("reset", None): lambda raw: raw == Raw(b"", "reset"),
    ("close_before_reply", None): lambda raw: raw == Raw(b"", "closed"),
    ("hang", None): lambda raw: raw == Raw(b"", "open"),
    ("slow", None): plain_reply,
    ("slow_body", None): plain_reply,
    ("malformed_json", None): unreadable,
    ("truncated_json", None): lambda raw: (
        raw.ended == "closed" and 0 < len(raw.body) < int(raw.header("content-length"))
    ),
    ("wrong_content_type", None): lambda raw: (
        raw.status == 200
        and raw.header("content-type").startswith("text/html")
        and raw.body.startswith(b"<!DOCTYPE html>")
    ),
    ("empty_choices", None): lambda raw: raw.status == 200 and raw.json["choices"] == [],
    ("no_choices", None): lambda raw: raw.status == 200 and "choices" not in raw.json and "usage" in raw.json,
    ("null_content", "tool_calls"): lambda raw: (
        raw.choice["message"]["content"] is None
        and raw.choice["finish_reason"] == "tool_calls"
        and raw.choice["message"]["tool_calls"][0]["type"] == "function"
    ),
    ("null_content", "bare"): lambda raw: (
        raw.choice["message"]["content"] is None and "tool_calls" not in raw.choice["message"]
    ),
    ("huge_body", None): lambda raw: (
        whole(raw) and len(raw.body) == 50_000_000 and set(raw.choice["message"]["content"]) == {"x"}
    ),
    ("wrong_encoding", "latin-1"): lambda raw: unreadable(raw) and "déjà vu" in raw.body.decode("latin-1"),
    ("wrong_encoding", "invalid"): lambda raw: unreadable(raw) and b"\xff\xfe" in raw.body,
    ("lone_surrogate", None): lambda raw: (
        b"\\ud800" in raw.body and raw.choice["message"]["content"].startswith("\ud800")
    ),
    ("echo_key", "401"): lambda raw: raw.status == 401 and KEY in raw.json["error"]["message"],
    ("echo_key", "500"): lambda raw: raw.status == 500 and KEY in raw.json["error"]["message"],
    ("content_filter", "200"): lambda raw: (
        raw.status == 200 and raw.choice["finish_reason"] == "content_filter"
    ),
    ("content_filter", "400"): api_error(400, "content_filter"),
    ("length", None): lambda raw: (
        raw.choice["finish_reason"] == "length"
        and good()["choices"][0]["message"]["content"].startswith(raw.choice["message"]["content"])
        and raw.choice["message"]["content"] != good()["choices"][0]["message"]["content"]
    ),
    ("redirect", None): lambda raw: (
        raw.status == 302
        and raw.header("location") == "http://another-host.invalid/v1/chat/completions"
        and whole(raw)
    ),
    ("chunked", None): lambda raw: (
        "content-length" not in dict(raw.headers)
        and raw.header("transfer-encoding") == "chunked"
        and json.loads(dechunk(raw.body)) == good()
    ),
    ("gzip", None): lambda raw: (
        raw.header("content-encoding") == "gzip"
        and whole(raw)
        and json.loads(gzip.decompress(raw.body)) == good()
    ),
    ("nul_bytes", "escaped"): lambda raw: raw.choice["message"]["content"].startswith("\0"),
    ("nul_bytes", "raw"): lambda raw: unreadable(raw) and b"\0" in raw.body,
    ("deep_json", "body"): lambda raw: raw.body == b"[" * 100_000 + b"]" * 100_000,
    ("deep_json", "field"): lambda raw: (
        raw.body.startswith(b'{"id":') and raw.body.count(b"[") == 100_001 and whole(raw)
    ),
    ("wrong_shape", "array"): lambda raw: raw.json == [good()],
    ("wrong_shape", "number"): lambda raw: raw.json == 42,
    ("wrong_shape", "string"): lambda raw: isinstance(raw.json, str),
    ("wrong_shape", "null"): lambda raw: raw.body == b"null",
    ("wrong_shape", "choices_object"): lambda raw: isinstance(raw.json["choices"], dict),
    ("wrong_shape", "choices_number"): lambda raw: raw.json["choices"] == 1,
    ("wrong_shape", "choice_string"): lambda raw: isinstance(raw.choice, str),
    ("wrong_shape", "message_string"): lambda raw: isinstance(raw.choice["message"], str),
    ("wrong_shape", "content_number"): lambda raw: raw.choice["message"]["content"] == 42,
    ("wrong_shape", "content_list"): lambda raw: raw.choice["message"]["content"][0]["type"] == "text",
    ("double_header", "content_type"): lambda raw: (
        [value for name, value in raw.headers if name == "content-type"] == ["application/json", "text/plain"]
    ),
    ("double_header", "content_length"): lambda raw: (
        [value for name, value in raw.headers if name == "content-length"] == [str(len(raw.body))] * 2
    ),
    ("double_header", "conflict"): lambda raw: (
        [value for name, value in raw.headers if name == "content-length"]
        == [str(len(raw.body) + 7), str(len(raw.body))]
    ),
}
EVERY_FORM = [(kind, form) for kind in KINDS for form in FORMS.get(kind, (None,))]


class TestOnTheWire:
    @pytest.mark.parametrize(("kind", "form"), EVERY_FORM)
    def test_every_fault_does_what_its_name_says(self, kind: Any, form: str | None) -> None:
        expected = SEEN[kind, None] if kind in ("http_429", "http_503") else SEEN[kind, form]
        fault = Fault(kind, form=form, seconds=0.1 if kind in ("slow", "slow_body") else None)
        raw = faulty(fault, patience=0.4 if kind == "hang" else 120)
        assert expected(raw), raw.data[:400]

    @pytest.mark.parametrize("kind", ["http_429", "http_503"])
    def test_a_rate_limit_can_name_its_wait_in_seconds_or_as_a_date(self, kind: Any) -> None:
        assert faulty(Fault(kind, retry_after=2)).header("retry-after") == "2"
        assert faulty(Fault(kind, retry_after=0.5, form="seconds")).header("retry-after") == "0.5"
        before = time.time()
        date = faulty(Fault(kind, retry_after=120, form="date")).header("retry-after")
        assert parsedate_to_datetime(date).timestamp() >= before + 120

    def test_a_redirect_goes_where_the_plan_says(self) -> None:
        fault = Fault("redirect", location="http://127.0.0.1:9/elsewhere")
        assert faulty(fault).header("location") == "http://127.0.0.1:9/elsewhere"

    @pytest.mark.parametrize("kind", ["reset", "close_before_reply", "truncated_json"])
    def test_a_broken_connection_ends_though_the_client_would_keep_it(self, kind: Any) -> None:
        raw = serve(lambda stub: talk(stub.port, request(), patience=120), faults=Faults((Fault(kind),)))
        assert raw.ended == ("reset" if kind == "reset" else "closed")

    @pytest.mark.parametrize(
        "kind", ["http_500", "malformed_json", "wrong_shape", "chunked", "gzip", "redirect"]
    )
    def test_after_a_whole_reply_the_connection_is_still_good(self, kind: Any) -> None:
        stream = request() + request(BODY, b"Connection: close")
        raw = serve(lambda stub: talk(stub.port, stream), faults=Faults((Fault(kind, until=1),)))
        assert raw.data.count(b"HTTP/1.1 ") == 2
        assert json.loads(raw.data.rsplit(b"\r\n\r\n", 1)[1]) == good()

    def test_a_slow_reply_holds_back_only_its_own_connection(self) -> None:
        def client(stub: Stub) -> None:
            with connected(stub.port) as slow:
                slow.sendall(request())
                assert eventually(lambda: stub.stats().requests == 1)
                assert ask(stub.port).status == 200
                assert select.select([slow], [], [], 0)[0] == []

        serve(client, faults=Faults((Fault("slow", seconds=600, until=1),)))

    def test_pace_is_part_of_the_wire_plan(self) -> None:
        exchange = Exchange(lambda: {"id": "x" * 100}, KEY)
        assert wire(Fault("slow", seconds=3), 0, exchange).before == 3
        drip = wire(Fault("slow_body", seconds=3), 0, exchange)
        pieces = list(drip.pieces)
        assert len(pieces) > 5
        assert drip.gap * len(pieces) == pytest.approx(3)

    def test_a_client_that_gives_up_on_a_hang_leaves_nothing_behind(self) -> None:
        def client(stub: Stub) -> None:
            for _ in range(3):
                assert ask(stub.port, patience=0.05).ended == "open"
            assert eventually(lambda: not stub._connections)

        serve(client, faults=Faults.of(hang=1))
