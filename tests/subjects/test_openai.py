"""An OpenAI-compatible endpoint: every fault has its name, the key goes nowhere else, limits hold."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import gzip
import hashlib
import socket
import ssl
import threading
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.canonical import encode
from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, Subject, make_subject
from assay.subjects.openai import LARGEST_BODY, OpenAISubject
from assay.subjects.stub import KINDS, Fault, Faults, Stub
from assay.vocabulary import Message, Reply, Request, Sampling

KEY = "sk-very-secret-0123456789"
HERE = Call("t", 0, 0)
REQUEST = Request((Message("user", "say é and 😀"),), Sampling(0.5, 1.0, 20), seed=7)


@contextlib.asynccontextmanager
async def opened(url: str, **changes: Any) -> AsyncIterator[OpenAISubject]:
    subject = OpenAISubject(SubjectSpec("openai:m", base_url=url, **changes))
    await subject.open()
    try:
        yield subject
    finally:
        await subject.close()


async def ask(subject: Subject, seconds: float = 5.0) -> Reply:
    return await subject.call(subject.wire(REQUEST), HERE, seconds)


def ask_stub(fault: Fault | None, seconds: float = 5.0, **changes: Any) -> Reply:
    async def go() -> Reply:
        plan = Faults((fault,) if fault else ())
        async with Stub(answer="echo", faults=plan) as stub, opened(stub.url, **changes) as subject:
            return await ask(subject, seconds)

    return asyncio.run(go())


def fault_of(fault: Fault, seconds: float = 5.0, **changes: Any) -> SubjectFault:
    with pytest.raises(SubjectFault) as caught:
        ask_stub(fault, seconds, **changes)
    encode(caught.value.detail)
    return caught.value


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def raw_server(handle: Handler, heads: list[bytes] | None = None) -> AsyncIterator[str]:
    """An endpoint that does on the wire exactly what a test wants."""

    seen = [] if heads is None else heads

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                seen.append(await reader.readuntil(b"\r\n\r\n"))
                await handle(reader, writer)
                await writer.drain()
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        await asyncio.sleep(0.05)  # connections that are just ending


def ask_raw(*pieces: bytes, seconds: float = 5.0) -> Reply:
    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    async def go() -> Reply:
        async with raw_server(handle) as url, opened(url) as subject:
            return await ask(subject, seconds)

    return asyncio.run(go())


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


GOOD = msgspec.json.encode({"choices": [{"message": {"content": "x" * 1000}}]})

# Every kind of the stub: the name of its fault, whether a retry may help, whether to slow down. Faults that are
# the subject's own behaviour, or no faults at all, are replies and stand further below.
FAULTS: list[tuple[Fault, str, bool, bool]] = [
    (Fault("http_429"), "http_429", True, True),
    (Fault("http_503"), "http_503", True, True),
    (Fault("http_500"), "http_500", True, False),
    (Fault("http_502"), "http_502", True, False),
    (Fault("http_504"), "http_504", True, False),
    (Fault("http_400"), "http_400", False, False),
    (Fault("reset"), "reset", True, False),
    (Fault("close_before_reply"), "disconnected", True, False),
    (Fault("hang"), "timeout", True, False),
    (Fault("malformed_json"), "malformed_json", True, False),
    (Fault("truncated_json"), "truncated_body", True, False),
    (Fault("wrong_content_type"), "wrong_content_type", True, False),
    (Fault("empty_choices"), "empty_choices", True, False),
    (Fault("no_choices"), "wrong_shape", True, False),
    (Fault("huge_body"), "oversized_body", False, False),
    (Fault("wrong_encoding", form="latin-1"), "wrong_encoding", True, False),
    (Fault("wrong_encoding", form="invalid"), "wrong_encoding", True, False),
    (Fault("echo_key", form="500"), "http_500", True, False),
    (Fault("redirect"), "http_302", False, False),
    (Fault("nul_bytes", form="raw"), "malformed_json", True, False),
    (Fault("deep_json", form="body"), "too_deep", True, False),
    (Fault("deep_json", form="field"), "too_deep", True, False),
    (Fault("deep_json", form="field", size=500), "too_deep", True, False),
    (Fault("wrong_shape", form="array"), "wrong_shape", True, False),
    (Fault("wrong_shape", form="choice_string"), "wrong_shape", True, False),
    (Fault("wrong_shape", form="message_string"), "wrong_shape", True, False),
    (Fault("wrong_shape", form="content_list"), "wrong_shape", True, False),
    (Fault("double_header", form="conflict"), "malformed_http", True, False),
]
REPLIES = {
    "slow", "slow_body", "null_content", "lone_surrogate", "content_filter", "length", "chunked", "gzip",
    "nul_bytes", "double_header",
}  # fmt: skip
REFUSALS = {"http_401", "http_404", "echo_key"}


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "name", "retriable", "slow"), FAULTS, ids=lambda v: v.kind if isinstance(v, Fault) else None
    )
    def test_each_has_its_name_and_its_manners(
        self, fault: Fault, name: str, retriable: bool, slow: bool
    ) -> None:
        found = fault_of(fault, 0.3 if fault.kind == "hang" else 5.0)
        assert (found.name, found.retriable, found.slow_down) == (name, retriable, slow)

    def test_of_the_stub_are_all_accounted_for(self) -> None:
        assert {fault.kind for fault, *_ in FAULTS} | REPLIES | REFUSALS == set(KINDS)

    @pytest.mark.parametrize("kind", ["http_429", "http_503"])
    @pytest.mark.parametrize("form", ["seconds", "date"])
    def test_that_name_a_time_pass_it_on(self, kind: Any, form: str) -> None:
        found = fault_of(Fault(kind, form=form, retry_after=30))
        assert found.retry_after is not None
        assert 28 < found.retry_after <= 31

    @pytest.mark.parametrize("fault", [Fault("http_401"), Fault("http_404"), Fault("echo_key", form="401")])
    def test_that_no_try_can_help_are_refusals(self, fault: Fault) -> None:
        with pytest.raises(SubjectRefused):
            ask_stub(fault)

    def test_include_an_endpoint_that_is_not_there(self) -> None:
        async def go() -> None:
            async with raw_server(lambda *_: asyncio.sleep(0)) as url:
                pass
            async with opened(url) as subject:
                await ask(subject)

        with pytest.raises(SubjectFault, match="connect") as caught:
            asyncio.run(go())
        assert caught.value.retriable

    @pytest.mark.parametrize(
        ("piece", "name"),
        [
            (b"not http at all\r\n\r\n", "malformed_http"),
            (b"HTTP/1.1 200 OK\r\nBad\xff\xfe Header\xff: \xff\r\n\r\n", "malformed_http"),
            (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n", "malformed_http"),
            (response(GOOD)[:-100], "truncated_body"),
            (response(gzip.compress(GOOD)[:-9], "Content-Encoding: gzip"), "truncated_body"),
            (response(b"plain", "Content-Encoding: gzip"), "wrong_encoding"),
            (response(GOOD, "Content-Encoding: br"), "wrong_encoding"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "malformed_http"),
        ],
    )
    def test_of_the_framing_are_named_too_and_can_be_recorded(self, piece: bytes, name: str) -> None:
        with pytest.raises(SubjectFault) as caught:
            ask_raw(piece)
        assert caught.value.name == name
        encode(caught.value.detail)

    def test_in_the_body_of_an_error_do_not_hide_its_status(self) -> None:
        with pytest.raises(SubjectFault) as caught:
            ask_raw(response(b"broken", "Content-Encoding: gzip", "Retry-After: 3", status="429 Too Many"))
        assert (caught.value.name, caught.value.slow_down, caught.value.retry_after) == (
            "http_429",
            True,
            3.0,
        )

    def test_a_hang_inside_the_body_ends_at_the_time_limit(self) -> None:
        async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(response(GOOD)[:-10])
            await asyncio.sleep(30)

        async def go() -> None:
            async with raw_server(handle) as url, opened(url) as subject:
                await ask(subject, 0.3)

        with pytest.raises(SubjectFault, match=r"timeout: no complete reply within 0\.3 s"):
            asyncio.run(asyncio.wait_for(go(), 10))

    def test_a_certificate_nobody_vouches_for_is_not_accepted(self, tmp_path: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self_signed(tmp_path))

        def shake_hands(listening: socket.socket) -> None:
            with listening.accept()[0] as plain, contextlib.suppress(OSError):
                context.wrap_socket(plain, server_side=True).close()

        async def go(port: int) -> None:
            async with opened(f"https://127.0.0.1:{port}/v1") as subject:
                await ask(subject)

        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=shake_hands, args=(listening,))
            thread.start()
            with pytest.raises(SubjectFault, match="tls") as caught:
                asyncio.run(go(listening.getsockname()[1]))
            thread.join()
        assert not caught.value.retriable


def self_signed(folder: Path) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    cert = builder.sign(key, hashes.SHA256())
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "self.pem"
    path.write_bytes(cert.public_bytes(encoding) + private)
    return path


class TestReplies:
    @pytest.mark.parametrize(
        "fault",
        [
            None,
            Fault("slow", seconds=0.05),
            Fault("slow_body", seconds=0.05),
            Fault("chunked"),
            Fault("gzip"),
            Fault("double_header", form="content_type"),
        ],
    )
    def test_come_through_whatever_their_framing(self, fault: Fault | None) -> None:
        reply = ask_stub(fault)
        assert (reply.text, reply.finish, reply.model) == ("say é and 😀", "stop", "m")
        assert (reply.usage.input, reply.usage.output) == (4, 4)

    def test_may_be_deflated(self) -> None:
        reply = ask_raw(response(zlib.compress(GOOD), "Content-Encoding: deflate"))
        assert reply.text == "x" * 1000

    def test_of_a_subject_that_says_nothing_is_cut_short_or_is_filtered_are_replies(self) -> None:
        assert ask_stub(Fault("null_content", form="bare")).notes == ("null_content",)
        assert ask_stub(Fault("null_content", form="tool_calls")).tool_calls[0].name == "look_up"
        assert ask_stub(Fault("length")).finish == "length"
        assert ask_stub(Fault("content_filter", form="200")).finish == "content_filter"
        filtered = ask_stub(Fault("content_filter", form="400"))
        assert (filtered.finish, filtered.notes) == ("content_filter", ("refused_by_filter",))

    def test_with_lone_surrogates_or_nul_can_be_recorded(self) -> None:
        reply = ask_stub(Fault("lone_surrogate"))
        assert (reply.text[:4], reply.notes) == ("\ufffdsay", ("lone_surrogate",))
        assert ask_stub(Fault("nul_bytes", form="escaped")).text.startswith("\0say")


class TestLimits:
    @pytest.mark.parametrize("bomb", [False, True])
    def test_a_body_too_large_is_refused_before_it_is_in_memory(self, bomb: bool) -> None:
        flood = b" " * (1 << 20)
        sent = 0

        async def handle(__: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal sent
            if bomb:
                packer = zlib.compressobj(9, wbits=31)
                packed = b"".join(packer.compress(flood) for _ in range(200)) + packer.flush()
                assert len(packed) < 1 << 20
                writer.write(response(packed, "Content-Encoding: gzip"))
                return
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500000000\r\n\r\n")
            for _ in range(500):
                writer.write(flood)
                await writer.drain()
                sent += len(flood)

        async def go() -> None:
            async with raw_server(handle) as url, opened(url) as subject:
                tracemalloc.start()
                try:
                    with pytest.raises(SubjectFault, match="oversized_body") as caught:
                        await ask(subject, 30)
                    peak = tracemalloc.get_traced_memory()[1]
                finally:
                    tracemalloc.stop()
                assert not caught.value.retriable
                assert peak < 3 * LARGEST_BODY
                assert sent < 3 * LARGEST_BODY

        asyncio.run(go())

    def test_compressed_data_without_end_that_comes_to_nothing_is_refused(self) -> None:
        endless = b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"a" * (LARGEST_BODY + 1000)  # a file name and no data
        with pytest.raises(SubjectFault, match="oversized_body"):
            ask_raw(response(endless, "Content-Encoding: gzip"))

    def test_a_cancelled_call_leaves_the_session_usable(self) -> None:
        async def go() -> Reply:
            plan = Faults((Fault("hang", until=1),))
            async with Stub(answer="fixed:ok", faults=plan) as stub, opened(stub.url) as subject:
                task = asyncio.create_task(ask(subject, 60))
                await asyncio.sleep(0.1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                return await ask(subject)

        assert asyncio.run(go()).text == "ok"


class TestTheKey:
    def test_is_sent_to_the_endpoint_and_named_as_a_secret(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_KEY", KEY)

        async def go() -> Reply:
            stub = Stub(answer="fixed:ok", required_key=KEY)
            async with stub, opened(stub.url, key_env="MY_KEY") as subject:
                assert subject.secrets() == (KEY,)
                return await ask(subject)

        assert asyncio.run(go()).text == "ok"

    def test_that_an_error_echoes_is_in_the_fault_and_known_as_a_secret(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_KEY", KEY)
        assert KEY in fault_of(Fault("echo_key", form="500"), key_env="MY_KEY").detail
        assert OpenAISubject(SubjectSpec("openai:m", key_env="MY_KEY")).secrets() == (KEY,)

    def test_is_not_taken_elsewhere_by_a_redirect(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_KEY", KEY)

        async def go() -> int:
            async with Stub() as elsewhere:
                there = Fault("redirect", location=f"{elsewhere.url}/chat/completions")
                stub = Stub(faults=Faults((there,)))
                async with stub, opened(stub.url, key_env="MY_KEY") as subject:
                    with pytest.raises(SubjectFault, match="http_302"):
                        await ask(subject)
                return elsewhere.stats().requests

        assert asyncio.run(go()) == 0

    def test_of_openai_is_not_offered_to_another_endpoint(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        seen: list[bytes] = []

        async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(response(GOOD))

        async def go() -> None:
            async with raw_server(handle, seen) as url:
                for key_env in (None, "OPENAI_API_KEY"):
                    async with opened(url, key_env=key_env) as subject:
                        assert bool(subject.secrets()) is (key_env is not None)
                        await ask(subject)

        asyncio.run(go())
        assert [KEY.encode() in head for head in seen] == [False, True]

    def test_of_openai_is_used_for_openai(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert OpenAISubject(SubjectSpec("openai:gpt")).secrets() == (KEY,)

    @pytest.mark.parametrize("value", [None, ""])
    def test_that_is_missing_is_wrong_input_before_any_call(
        self, value: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MY_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("MY_KEY", value)
        subject = OpenAISubject(SubjectSpec("openai:m", key_env="MY_KEY"))
        assert subject.secrets() == ()
        with pytest.raises(InputError, match="MY_KEY"):
            asyncio.run(subject.open())

    @pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX: y", "kéy-kéy-kéy"])
    def test_that_cannot_stand_in_a_header_is_wrong_input_and_not_repeated(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_KEY", key)
        with pytest.raises(InputError, match="MY_KEY") as caught:
            asyncio.run(OpenAISubject(SubjectSpec("openai:m", key_env="MY_KEY")).open())
        assert key.strip() not in str(caught.value)


class TestTheDeclaration:
    @pytest.mark.parametrize(
        "url",
        [
            "http://user:hunter2@host/v1",
            "https://hunter2@host/v1",
            "ftp://user:hunter2@host/v1",
            "user:hunter2@host/v1",
        ],
    )
    def test_with_a_password_in_the_url_is_refused_without_repeating_it(self, url: str) -> None:
        with pytest.raises(InputError, match="environment variable") as caught:
            OpenAISubject(SubjectSpec("openai:m", base_url=url))
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize(
        "url",
        [
            "localhost:8000/v1",
            "ftp://host/v1",
            "http:///v1",
            "http://[::1/v1",
            "http://host:99999/v1",
            "http://host:x/v1",
            "http://host/v1?key=hunter2",
            "http://host/v1#part",
        ],
    )
    def test_with_another_kind_of_url_says_how_to_write_it(self, url: str) -> None:
        with pytest.raises(InputError, match="HOST") as caught:
            OpenAISubject(SubjectSpec("openai:m", base_url=url))
        assert "hunter2" not in str(caught.value)

    def test_with_options_that_change_the_question_is_refused(self) -> None:
        with pytest.raises(InputError, match="stream"):
            OpenAISubject(SubjectSpec("openai:m", options={"stream": True}))

    def test_is_found_by_its_kind_and_keeps_the_contract(self) -> None:
        subject = make_subject(SubjectSpec("openai:org/model:free", connections=3, stateful=True))
        assert isinstance(subject, OpenAISubject)
        assert (subject.spec.name, subject.connections, subject.stateful) == ("org/model:free", 3, True)

    def test_what_is_sent_is_exactly_the_wire(self) -> None:
        async def go() -> None:
            async with Stub() as stub, opened(f"{stub.url}/", options={"top_k": 3}) as subject:
                await ask(subject)
                sent = hashlib.sha256(encode(subject.wire(REQUEST))).hexdigest()
                assert stub.bodies() == {sent: 1}

        asyncio.run(go())
