"""The stub's HTTP: nothing a client sends brings it down, and how it is cut into packets makes no difference."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import itertools
import json
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.testing.stub import Fault, Faults, Stub
from assay.testing.stub.api import Endpoint, StubConfig, answerer
from assay.testing.stub.http import MAX_HEAD, BadRequest, HttpConnection, parse_head

from .stub_client import BODY, ask, connected, request, serve, talk


class TestHttp:
    def test_a_connection_is_kept_alive(self) -> None:
        def client(stub: Stub) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", stub.port, timeout=120)
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
