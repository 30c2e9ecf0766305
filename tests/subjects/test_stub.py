"""The stub endpoint does on the wire what its plan says, and nothing a client sends brings it down."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import http.client
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, UnknownName
from assay.subjects._stub_api import Endpoint, StubConfig, answerer
from assay.subjects._stub_faults import FORMS, STORM, Exchange, wire
from assay.subjects._stub_http import MAX_HEAD, BadRequest, HttpConnection, parse_head
from assay.subjects.stub import KINDS, Fault, Faults, Stub, StubProcess, main, stub_process

T = TypeVar("T")
KEY = "sk-secret-123"
BODY = (
    b'{"model":"m","messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello you"}]}'
)


class Raw(NamedTuple):
    """What a client saw: the bytes, and how the connection ended (closed, reset, or still open)."""

    data: bytes
    ended: str

    @property
    def status(self) -> int:
        return int(self.data.split(b" ", 2)[1])

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = self.data.split(b"\r\n\r\n", 1)[0].decode("latin-1").split("\r\n")[1:]
        return [(name.lower(), value) for name, value in (line.split(": ", 1) for line in lines)]

    def header(self, name: str) -> str:
        return dict(self.headers)[name]

    @property
    def body(self) -> bytes:
        return self.data.split(b"\r\n\r\n", 1)[1]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def choice(self) -> Any:
        return self.json["choices"][0]


def serve(client: Callable[[Stub], T], **options: Any) -> T:
    async def go() -> T:
        async with Stub(**options) as stub:
            return await asyncio.to_thread(client, stub)

    return asyncio.run(go())


def request(body: bytes = BODY, *lines: bytes, path: bytes = b"/v1/chat/completions") -> bytes:
    head = [b"POST %b HTTP/1.1" % path, b"Host: stub", b"Authorization: Bearer " + KEY.encode()]
    return b"\r\n".join([*head, *lines, b"Content-Length: %d" % len(body), b"", b""]) + body


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        yield sock


def talk(port: int, sent: bytes, patience: float = 20) -> Raw:
    with connected(port) as sock:
        sock.sendall(sent)
        sock.settimeout(patience)
        pieces = []
        try:
            while piece := sock.recv(1 << 20):
                pieces.append(piece)
        except ConnectionResetError:
            return Raw(b"".join(pieces), "reset")
        except TimeoutError:
            return Raw(b"".join(pieces), "open")
        return Raw(b"".join(pieces), "closed")


def ask(port: int, body: bytes = BODY, patience: float = 20) -> Raw:
    return talk(port, request(body, b"Connection: close"), patience)


def faulty(fault: Fault, patience: float = 20) -> Raw:
    return serve(lambda stub: ask(stub.port, patience=patience), faults=Faults((fault,)))


def good() -> Any:
    return serve(lambda stub: ask(stub.port)).json


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
        raw = faulty(fault, patience=0.4 if kind == "hang" else 20)
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
        raw = serve(lambda stub: talk(stub.port, request(), patience=5), faults=Faults((Fault(kind),)))
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


class TestThePlan:
    def test_recovers_after_until(self) -> None:
        def client(stub: Stub) -> list[int]:
            return [ask(stub.port).status for _ in range(6)]

        plan = Faults((Fault("http_429", until=2), Fault("http_503", until=4)))
        assert serve(client, faults=plan) == [429, 429, 503, 503, 200, 200]

    def test_is_drawn_by_arrival_so_that_a_retry_of_the_same_request_can_succeed(self) -> None:
        def client(stub: Stub) -> list[int]:
            return [ask(stub.port).status for _ in range(40)]

        first = serve(client, faults=Faults.of(http_500=0.5, seed=7))
        assert set(first) == {200, 500}
        assert serve(client, faults=Faults.of(http_500=0.5, seed=7)) == first
        assert serve(client, faults=Faults.of(http_500=0.5, seed=8)) != first

    def test_keeps_its_rates(self) -> None:
        plan, n = Faults.of(http_429=0.1, reset=0.02), 20_000
        drawn = [chosen[0].kind for chosen in map(plan.choose, range(n)) if chosen]
        assert drawn.count("http_429") == pytest.approx(0.1 * n, rel=0.1)
        assert drawn.count("reset") == pytest.approx(0.02 * n, rel=0.2)

    def test_without_a_declared_form_every_form_comes_up(self) -> None:
        picks = [chosen[1] for chosen in map(Faults.of(wrong_shape=1).choose, range(300)) if chosen]
        assert {pick % len(FORMS["wrong_shape"]) for pick in picks} == set(range(len(FORMS["wrong_shape"])))

    @given(
        st.lists(
            st.builds(
                Fault,
                st.sampled_from(KINDS),
                st.floats(0, 0.1),
                until=st.none() | st.integers(0, 10**9),
            )
            | st.builds(Fault, st.just("http_429"), st.just(0.01), retry_after=st.floats(0, 1e6))
            | st.builds(Fault, st.just("redirect"), st.just(0.01), location=st.just("http://127.0.0.1:9/")),
            max_size=10,
        ),
        st.integers(-(2**60), 2**60),
    )
    def test_survives_json_both_ways(self, faults: list[Fault], seed: int) -> None:
        plan = Faults(tuple(faults), seed)
        assert Faults.parse(plan.json()) == plan

    def test_reads_short_forms(self) -> None:
        assert Faults.parse("none") == Faults()
        assert Faults.parse("storm") == Faults.storm()
        assert Faults.parse("storm=0.5") == Faults.storm(0.5)
        assert Faults.parse("http_429=0.1, reset=0.05") == Faults.of(http_429=0.1, reset=0.05)
        assert Faults.parse("hang") == Faults.of(hang=1)

    def test_a_storm_has_every_transport_kind_at_the_rate_asked_for(self) -> None:
        plan = Faults.storm(0.4).plan
        assert {fault.kind for fault in plan} == set(STORM)
        assert sum(fault.rate for fault in plan) == pytest.approx(0.4)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("http_42=0.1", "did you mean 'http_429'"),
            ("reset=2", "not between 0 and 1"),
            ("reset=nan", "not between 0 and 1"),
            ("reset=", "could not convert"),
            ("reset=0.6,hang=0.6", "add up to 1.2"),
            ('{"plan":[{"kind":"reset","form":"no"}]}', "unknown form of reset"),
            ('{"plan":[{"kind":"reset","until":-1}]}', "until -1"),
            ('{"plan":[{"kind":"nope"}]}', "nope"),
            ('{"plan":[{"kind":"reset","size":5}]}', "only for huge_body and deep_json"),
            ('{"plam":[]}', "plam"),
            ('{"plan":[{"kind":"redirect","location":"a\\r\\nX: b"}]}', "cannot stand in a header"),
            ("{", "truncated"),
        ],
    )
    def test_a_wrong_plan_is_named(self, text: str, said: str) -> None:
        with pytest.raises(InputError, match=said):
            Faults.parse(text)


class TestReplies:
    def test_are_a_pure_function_of_the_body(self) -> None:
        first, second = serve(lambda stub: (ask(stub.port), ask(stub.port)))
        other = serve(lambda stub: ask(stub.port, BODY.replace(b"hello", b"hullo")))
        assert first.data == second.data == serve(lambda stub: ask(stub.port)).data
        assert other.choice["message"]["content"] != first.choice["message"]["content"]
        assert other.json["id"] != first.json["id"]

    def test_have_the_shape_of_the_api(self) -> None:
        reply = good()
        assert reply["object"] == "chat.completion"
        assert (reply["created"], reply["model"], reply["system_fingerprint"]) == (0, "m", "stub-1")
        assert reply["id"] == f"chatcmpl-{hashlib.sha256(BODY).hexdigest()[:24]}"
        assert reply["usage"] == {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
        assert reply["choices"][0]["finish_reason"] == "stop"
        assert reply["choices"][0]["message"]["content"].startswith("answer ")

    def test_come_as_often_as_n_asks(self) -> None:
        body = json.dumps({**json.loads(BODY), "n": 3}).encode()
        assert [choice["index"] for choice in serve(lambda stub: ask(stub.port, body)).json["choices"]] == [
            0,
            1,
            2,
        ]

    def test_by_default_do_not_depend_on_the_order_of_keys(self) -> None:
        answer = answerer("digest")
        assert (
            answer({"model": "m", "n": 1}) == answer({"n": 1, "model": "m"}) != answer({"n": 2, "model": "m"})
        )

    def test_echo_gives_the_last_user_message(self) -> None:
        echo = answerer("echo")
        parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        assert echo(json.loads(BODY)) == "hello you"
        assert (
            echo({"messages": [{"role": "user", "content": parts}, {"role": "system", "content": "c"}]})
            == "ab"
        )
        assert echo({"messages": ["odd", {"role": "user"}]}) == ""

    def test_fixed_gives_the_text_after_the_colon(self) -> None:
        assert answerer("fixed:a: b")({}) == "a: b"

    def test_code_gives_every_one_of_n_distinct_working_programs(self) -> None:
        answer = answerer("code:7")
        texts = {answer({"messages": [str(number)]}) for number in range(300)}
        assert len(texts) == 7
        for text in texts:
            assert text.startswith("```python\n")
            assert text.endswith("\n```\n")
            room: dict[str, Any] = {}
            exec(text.removeprefix("```python\n").removesuffix("```\n"), room)
            assert room["solve"](10) in (20, 30)

    @pytest.mark.parametrize("name", ["ecko", "code:", "code:0", "code:x", "fixed"])
    def test_an_unknown_answer_is_wrong_input(self, name: str) -> None:
        with pytest.raises(InputError):
            Stub(answer=name)

    def test_a_function_of_ones_own_answers(self) -> None:
        raw = serve(lambda stub: ask(stub.port), answer=lambda body: body["model"] * 3)
        assert raw.choice["message"]["content"] == "mmm"

    def test_an_answer_that_raises_is_a_500_and_is_raised_when_the_stub_ends(self) -> None:
        seen: list[int] = []
        with pytest.raises(KeyError, match="missing"):
            serve(lambda stub: seen.append(ask(stub.port).status), answer=lambda body: str(body["missing"]))
        assert seen == [500]

    def test_the_models_are_listed(self) -> None:
        def client(stub: Stub) -> Any:
            return talk(stub.port, b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n").json

        assert [model["id"] for model in serve(client)["data"]] == ["stub"]


class TestCounts:
    def test_every_request_is_counted_by_the_digest_of_its_body(self) -> None:
        other = BODY.replace(b"hello", b"bye")

        def client(stub: Stub) -> Any:
            for body in (BODY, other, BODY, b"{"):
                ask(stub.port, body)
            lines = b" HTTP/1.1\r\nConnection: close\r\n\r\n"
            paths = (b"/stub/stats", b"/stub/stats?bodies=1", b"/stub/stats?answered=1")
            return [talk(stub.port, b"GET " + path + lines).json for path in paths]

        stats, bodies, answered = serve(client, faults=Faults.of(http_500=1, until=1))
        digests = [hashlib.sha256(body).hexdigest() for body in (BODY, other, b"{")]
        assert bodies == dict(zip(digests, (2, 1, 1), strict=True))
        assert answered == dict(zip(digests[:2], (1, 1), strict=True))
        assert stats == {
            "requests": 4, "answered": 2, "refused": 0, "unreadable": 1, "faults": {"http_500": 1},
            "distinct_bodies": 3, "largest_repeat": 2,
        }  # fmt: skip

    def test_reset_forgets_and_starts_the_plan_over(self) -> None:
        def client(stub: Stub) -> list[int]:
            seen = [ask(stub.port).status, ask(stub.port).status]
            talk(stub.port, request(b"", b"Connection: close", path=b"/stub/reset"))
            assert stub.stats().requests == 0
            assert stub.bodies() == {}
            return [*seen, ask(stub.port).status]

        assert serve(client, faults=Faults.of(http_500=1, until=1)) == [500, 200, 500]

    def test_without_the_required_key_nothing_is_served(self) -> None:
        def client(stub: Stub) -> tuple[Raw, Any]:
            return ask(stub.port), stub.stats()

        raw, stats = serve(client, required_key="another")
        assert (raw.status, stats.refused, stats.answered) == (401, 1, 0)
        assert serve(lambda stub: ask(stub.port), required_key=KEY).status == 200

    def test_latency_comes_before_every_reply_and_adds_to_a_slow_one(self) -> None:
        head = parse_head(request()[: -len(BODY)])
        plain = Endpoint(StubConfig(latency=0.2), answerer("echo")).handle(head, BODY)
        slow = Endpoint(StubConfig(latency=0.2, faults=Faults.of(slow=1)), answerer("echo")).handle(
            head, BODY
        )
        assert not isinstance(plain, bytes)
        assert not isinstance(slow, bytes)
        assert (plain.before, slow.before) == (0.2, 1.2)

    def test_256_connections_are_answered_at_once(self) -> None:
        async def go() -> tuple[int, int]:
            connector = aiohttp.TCPConnector(limit=256)
            async with Stub(latency=0.05) as stub, aiohttp.ClientSession(connector=connector) as session:

                async def one(number: int) -> int:
                    body = {"model": "m", "messages": [{"role": "user", "content": str(number)}]}
                    async with session.post(f"{stub.url}/chat/completions", json=body) as reply:
                        await reply.read()
                        return reply.status

                statuses = await asyncio.gather(*(one(number) for number in range(256)))
                return statuses.count(200), stub.stats().distinct_bodies

        assert asyncio.run(go()) == (256, 256)


class TestHttp:
    def test_a_connection_is_kept_alive(self) -> None:
        def client(stub: Stub) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", stub.port, timeout=20)
            for _ in range(5):
                connection.request("POST", "/v1/chat/completions", BODY)
                assert connection.getresponse().read().startswith(b'{"id"')
            assert len(stub._connections) == 1
            connection.close()
            return stub.stats().requests

        assert serve(client) == 5

    def test_pipelined_replies_keep_their_order_whatever_their_delays(self) -> None:
        bodies = [BODY.replace(b"hello you", b"word%d" % number) for number in range(5)]
        stream = b"".join(map(request, bodies[:-1])) + request(bodies[-1], b"Connection: close")
        plan = Faults((Fault("slow", seconds=0.05, until=2), Fault("slow_body", seconds=0.05, until=3)))
        data = serve(lambda stub: talk(stub.port, stream), answer="echo", faults=plan).data
        assert [data.index(b'"word%d"' % number) for number in range(5)] == sorted(
            data.index(b'"word%d"' % number) for number in range(5)
        )

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(1, 3 * len(request()) - 1), max_size=12))
    def test_how_a_stream_is_cut_into_packets_makes_no_difference(self, cuts: list[int]) -> None:
        stream = request() * 3
        edges = [0, *sorted(set(cuts)), len(stream)]
        pieces = [stream[start:end] for start, end in itertools.pairwise(edges)]
        assert feed(pieces) == feed([stream])
        assert feed([stream]).count(b"HTTP/1.1 200 OK") == 3

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(st.binary(max_size=200) | st.sampled_from([b"\r\n\r\n", b"POST / HTTP/1.1\r\n"]), max_size=8)
    )
    def test_garbage_is_refused_or_waited_on(self, pieces: list[bytes]) -> None:
        sent = feed(pieces)
        assert sent == b"" or sent.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505"))

    def test_nothing_is_served_behind_a_request_that_was_refused(self) -> None:
        assert feed([b"hello\n", request()]).count(b"HTTP/1.1 ") == 1

    @given(st.binary(max_size=300))
    def test_a_head_is_read_or_refused(self, noise: bytes) -> None:
        raw = b"POST / HTTP/1.1\r\n" + noise + b"\r\n\r\n"
        with contextlib.suppress(BadRequest):
            assert parse_head(raw).raw == raw

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
            (b"hello\n", 400),
            (b"GET /v1/models HTTP/2.0\r\n\r\n", 505),
            (b"GET /v1/models HTTP/1.1\r\nX: " + b"x" * 4 * MAX_HEAD + b"\r\n\r\n", 431),
            (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
            (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 5x\r\n\r\n", 400),
            (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
            (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
            (b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        ],
    )
    def test_a_bad_request_is_answered_and_the_next_client_is_served(self, sent: bytes, status: int) -> None:
        def client(stub: Stub) -> tuple[int, int]:
            return talk(stub.port, sent).status, ask(stub.port).status

        assert serve(client) == (status, 200)

    @pytest.mark.parametrize(
        "body",
        [
            b"", b"{", b"[]", b"null", b"\xff", b'{"model":"m"}', b'{"model":1,"messages":[{}]}',
            b'{"model":"m","messages":[]}', b'{"model":"m","messages":[{}],"n":0}',
            b'{"model":"m","messages":[{}],"n":true}', b'{"model":"m","messages":[{}],"stream":true}',
            b"[" * 100_000,
        ],
    )  # fmt: skip
    def test_a_body_the_api_would_not_take_is_a_400(self, body: bytes) -> None:
        assert serve(lambda stub: ask(stub.port, body)).status == 400

    @pytest.mark.parametrize(
        ("path", "status"), [(b"/nowhere", 404), (b"/stub/stats", 405), (b"/v1/models", 405)]
    )
    def test_a_wrong_path_or_method_is_named(self, path: bytes, status: int) -> None:
        assert (
            serve(lambda stub: talk(stub.port, request(BODY, b"Connection: close", path=path))).status
            == status
        )

    def test_a_big_request_is_taken(self) -> None:
        text = "word " * 2_000_000
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
        raw = serve(lambda stub: ask(stub.port, body), answer="echo")
        assert raw.choice["message"]["content"] == text

    def test_a_client_that_expects_a_continue_gets_one(self) -> None:
        def client(stub: Stub) -> bytes:
            with connected(stub.port) as sock:
                sock.sendall(request(BODY, b"Expect: 100-continue", b"Connection: close")[: -len(BODY)])
                interim = sock.recv(100)
                sock.sendall(BODY)
                return interim + sock.recv(100)

        said = serve(client)
        assert said.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")

    def test_a_client_that_has_shut_its_sending_side_still_gets_its_reply(self) -> None:
        def client(stub: Stub) -> bytes:
            with connected(stub.port) as sock:
                sock.sendall(request())
                sock.shutdown(socket.SHUT_WR)
                return sock.recv(100)

        assert serve(client, latency=0.1).startswith(b"HTTP/1.1 200 OK")

    def test_a_port_that_is_taken_is_wrong_input(self) -> None:
        async def go() -> None:
            async with Stub() as stub:
                with pytest.raises(InputError, match=str(stub.port)):
                    await Stub(port=stub.port).__aenter__()

        asyncio.run(go())


class TestProcess:
    def test_counts_are_read_from_outside_and_the_log_survives_a_kill(self, tmp_path: Path) -> None:
        log = tmp_path / "requests.log"
        digest = hashlib.sha256(BODY).hexdigest()
        with stub_process(answer="echo", faults=Faults.of(http_429=1, until=1), log=log) as stub:
            assert [ask(stub.port).status for _ in range(3)] == [429, 200, 200]
            assert stub.bodies() == {digest: 3}
            assert stub.bodies(answered=True) == {digest: 2}
            assert stub.stats().faults == {"http_429": 1}
            stub.kill()
        assert log.read_text() == f"{digest} http_429\n{digest} ok\n{digest} ok\n"
        with stub_process(log=log) as stub:
            ask(stub.port)
            stub.reset()
            assert stub.stats().requests == 0
        assert len(log.read_text().splitlines()) == 4

    def test_ends_with_the_block(self) -> None:
        with stub_process() as stub:
            assert ask(stub.port).status == 200
        assert stub.process.returncode == 0
        assert gone(stub.port)

    def test_stays_through_a_ctrl_c_meant_for_its_parent(self) -> None:
        with stub_process() as stub:
            os.kill(stub.pid, signal.SIGINT)
            assert ask(stub.port).status == 200

    def test_ends_when_its_parent_is_killed(self) -> None:
        script = (
            "import sys, time\nfrom assay.subjects.stub import stub_process\n"
            "with stub_process() as stub:\n    print(stub.port, flush=True)\n    time.sleep(600)\n"
        )
        parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert parent.stdout is not None
        with parent.stdout:
            port = int(parent.stdout.readline())
            assert ask(port).status == 200
            parent.kill()
            parent.wait()
        assert eventually(lambda: gone(port))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--answer", "ecko"], "did you mean 'echo'"),
            (["--faults", "strom"], "unknown fault 'strom'"),
            (["--latency", "-1"], "latency -1"),
            (["--port", "70000"], "port 70000"),
            (["--json-config", '{"prot":1}'], "prot"),
            (["--log", "/nonexistent/folder/log"], "/nonexistent/folder/log"),
        ],
    )
    def test_wrong_input_is_exit_code_2_and_says_what(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 2
        assert said in capsys.readouterr().err

    def test_a_wrong_option_is_found_before_a_process_is_started(self) -> None:
        with pytest.raises(UnknownName), stub_process(faults="http_42"):
            pytest.fail("it started")

    def test_the_help_names_every_fault(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            main(["--help"])
        said = capsys.readouterr().out.split()
        assert {word.strip(".,") for word in said} >= set(KINDS)

    def test_importing_it_is_light(self) -> None:
        script = (
            "import sys, assay.subjects.stub; print([m for m in ('aiohttp', 'numpy') if m in sys.modules])"
        )
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_client_that_retries_gets_every_answer_through_a_storm() -> None:
    async def one(session: aiohttp.ClientSession, stub: StubProcess, number: int) -> str:
        body = {"model": "m", "messages": [{"role": "user", "content": f"question {number}"}]}
        while True:
            try:
                async with session.post(f"{stub.url}/chat/completions", json=body) as reply:
                    if reply.status == 200:
                        return str((await reply.json())["choices"][0]["message"]["content"])
            except (aiohttp.ClientError, TimeoutError, ValueError):
                continue

    async def everything(stub: StubProcess) -> list[str]:
        timeout = aiohttp.ClientTimeout(total=1)
        connector = aiohttp.TCPConnector(limit=16)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
            return await asyncio.gather(*(one(session, stub, number) for number in range(400)))

    with stub_process(answer="echo", faults=Faults.storm(0.6, seed=1)) as stub:
        answers = asyncio.run(everything(stub))
        stats = stub.stats()
    assert answers == [f"question {number}" for number in range(400)]
    assert stats.distinct_bodies == 400
    assert stats.requests == stats.answered + sum(
        count for kind, count in stats.faults.items() if kind not in ("slow", "slow_body", "chunked", "gzip")
    )
    assert set(stats.faults) == set(STORM)


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait for it, with a bound so generous that only a hang can miss it."""
    deadline = time.monotonic() + 30
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)
    return holds()


def gone(port: int) -> bool:
    try:
        with connected(port):
            return False
    except ConnectionRefusedError:
        return True


class Pipe(asyncio.Transport):
    """A transport that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += bytes(data)

    def write_eof(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


def feed(pieces: list[bytes]) -> bytes:
    """What a connection writes when these packets arrive."""

    async def go() -> bytes:
        pipe = Pipe()
        connection = HttpConnection(Endpoint(StubConfig(), answerer("digest")).handle, set())
        connection.connection_made(pipe)
        for piece in pieces:
            connection.data_received(piece)
        connection.connection_lost(None)
        return pipe.sent

    return asyncio.run(go())
