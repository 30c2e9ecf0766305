"""Proxies of the environment: what they see, what they are told, and when they are passed by."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.base import make_subject
from assay.subjects.openai import OpenAISubject
from assay.subjects.proxy import Proxy, proxy_for

from .certificates import authority, certificate
from .openai_calls import GOOD, ask, opened, response

KEY = "sk-very-secret-0123456789"
PASSWORD = "hunter2-of-the-proxy"
NAMES = [f"{name}_proxy" for name in ("http", "https", "all", "no")]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def listening(handle: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on a free port; nothing of it is left at the end."""
    tasks: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await handle(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)


class Between:
    """A proxy on loopback. It takes every name for the endpoint's, and keeps all that it sees."""

    def __init__(self, answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> None:
        self.answer, self.heads, self.seen = answer, list[bytes](), bytearray()
        self.port = self.endpoint = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        if not self.heads[-1].startswith(b"CONNECT"):
            writer.write(response(GOOD))
            await writer.drain()
            return
        writer.write(self.answer)
        if b" 200 " in self.answer:
            there, back = await asyncio.open_connection("127.0.0.1", self.endpoint)
            try:
                await asyncio.gather(self._copy(reader, back), self._copy(there, writer))
            finally:
                back.transport.abort()

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            self.seen += data
            target.write(data)
        target.close()


@contextlib.asynccontextmanager
async def behind(between: Between, folder: Path | None = None) -> AsyncIterator[Between]:
    """The proxy and, behind it, an endpoint that calls itself models.test and speaks TLS."""

    async def endpoint(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
            writer.write(response(GOOD))
            await writer.drain()

    async with contextlib.AsyncExitStack() as stack:
        if folder is not None:
            signer, _ = authority(folder)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate(folder, "sound", signer, "models.test"))
            between.endpoint = await stack.enter_async_context(listening(endpoint, context))
        between.port = await stack.enter_async_context(listening(between.serve))
        yield between


class TestAnEndpointBehindAProxy:
    def test_is_reached_by_tls_and_the_proxy_sees_its_name_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_KEY", KEY)

        async def go() -> Between:
            async with behind(Between(), tmp_path) as between:
                monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{between.port}")
                more = {"key_env": "MY_KEY", "ca_file": str(tmp_path / "authority.pem")}
                async with opened("https://models.test/v1", **more) as subject:
                    assert [(await ask(subject)).text for _ in range(2)] == ["x" * 1000] * 2
            return between

        between = asyncio.run(go())
        assert between.heads == [b"CONNECT models.test:443 HTTP/1.1\r\nHost: models.test:443\r\n\r\n"]
        assert len(between.seen) > 2000
        assert KEY.encode() not in between.seen

    def test_that_speaks_no_tls_is_asked_through_it_by_its_whole_url(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def go() -> Between:
            async with behind(Between()) as between:
                monkeypatch.setenv("http_proxy", f"http://me:{PASSWORD}@127.0.0.1:{between.port}")
                async with opened("http://models.test:8000/v1", query={"v": "1"}) as subject:
                    assert subject.secrets() == (PASSWORD,)
                    await ask(subject)
            return between

        head = asyncio.run(go()).heads[0]
        assert head.startswith(
            b"POST http://models.test:8000/v1/chat/completions?v=1 HTTP/1.1\r\nHost: models.test:8000\r\n"
        )
        assert base64.b64encode(f"me:{PASSWORD}".encode()) in head

    @pytest.mark.parametrize(
        ("answer", "kind", "said"),
        [
            (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", SubjectRefused, "answers 407"),
            (b"HTTP/1.1 403 Forbidden\r\n\r\n", SubjectRefused, "does not connect to models.test:443"),
            (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", SubjectFault, "connect: the proxy 127.0.0.1:"),
            (b"SSH-2.0\r\n\r\n", SubjectFault, "does not answer in HTTP"),
            (b"", SubjectFault, "closed the connection"),
        ],
    )
    def test_is_not_reached_where_the_proxy_says_so(
        self, answer: bytes, kind: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def go() -> None:
            async with behind(Between(answer)) as between:
                monkeypatch.setenv("ALL_PROXY", f"http://me:{PASSWORD}@127.0.0.1:{between.port}")
                async with opened("https://models.test/v1") as subject:
                    await ask(subject)

        with pytest.raises(kind, match=said) as caught:
            asyncio.run(go())
        assert PASSWORD not in str(caught.value)

    def test_without_tls_is_not_reached_where_the_proxy_wants_another_password(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response(b"<html>who are you?", status="407 Proxy Authentication Required"))
            await writer.drain()

        async def go() -> None:
            async with listening(refuse) as port:
                monkeypatch.setenv("HTTP_PROXY", f"http://me:{PASSWORD}@127.0.0.1:{port}")
                async with opened("http://models.test/v1") as subject:
                    await ask(subject)

        with pytest.raises(SubjectRefused, match=r"the proxy 127\.0\.0\.1:\d+ answers 407"):
            asyncio.run(go())

    def test_is_not_reached_where_there_is_no_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:{PASSWORD}@127.0.0.1:1")

        async def go() -> None:
            async with opened("https://models.test/v1") as subject:
                await ask(subject)

        with pytest.raises(SubjectFault, match=r"connect: the proxy 127\.0\.0\.1:1") as caught:
            asyncio.run(go())
        assert PASSWORD not in str(caught.value)


class TestWhichProxy:
    @pytest.mark.parametrize(
        ("variables", "url", "found"),
        [
            ({}, "https://models.test/v1", None),
            ({"HTTPS_PROXY": "http://p:1"}, "https://models.test/v1", Proxy("p", 1)),
            ({"https_proxy": "p:1"}, "https://models.test/v1", Proxy("p", 1)),
            ({"HTTPS_PROXY": "http://p:1"}, "http://models.test/v1", None),
            ({"HTTP_PROXY": "http://p"}, "http://models.test/v1", Proxy("p", 80)),
            ({"ALL_PROXY": "http://u:a%40b@p:1"}, "https://models.test/v1", Proxy("p", 1, "u", "a@b")),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "example.org, .test"}, "https://models.test/v1", None),
            ({"ALL_PROXY": "http://p:1", "no_proxy": "*"}, "https://models.test/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "models.test:8000"}, "http://models.test:8000/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "els.test"}, "https://models.test/v1", Proxy("p", 1)),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*.test"}, "https://models.test/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "Models.TEST:443"}, "https://models.test/v1", None),
            (
                {"ALL_PROXY": "http://p:1", "NO_PROXY": "models.test:80"},
                "https://models.test/v1",
                Proxy("p", 1),
            ),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "a.org,10.0.0.0/8"}, "http://10.1.2.3:8000/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, "http://11.1.2.3/v1", Proxy("p", 1)),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "10.1.2.3:8000"}, "http://10.1.2.3:8000/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "fd00::/8"}, "http://[fd00::1]:8000/v1", None),
            ({"ALL_PROXY": "http://p:1", "NO_PROXY": "[fd00::1]:80"}, "http://[fd00::1]/v1", None),
            ({"ALL_PROXY": "http://p:1"}, "http://localhost:11434/v1", None),
            ({"ALL_PROXY": "http://p:1"}, "http://127.0.0.1:8000/v1", None),
            ({"ALL_PROXY": "http://p:1"}, "http://[::1]:8000/v1", None),
        ],
    )
    def test_is_said_by_the_environment(
        self, variables: dict[str, str], url: str, found: Proxy | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert proxy_for(url) == found

    @pytest.mark.parametrize("entry", ["10.*", "10.", "10.0.0.0/8:443", "mod*.test", "http://models.test"])
    def test_an_exception_that_names_no_host_is_warned_of(
        self, entry: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ALL_PROXY", "http://p:1")
        monkeypatch.setenv("NO_PROXY", f"a.org, {entry}")
        subject = OpenAISubject(SubjectSpec("openai:m", base_url="http://10.1.2.3/v1"))
        with pytest.warns(UserWarning, match="NO_PROXY") as caught:
            asyncio.run(subject.open())
        assert [repr(entry) in str(one.message) for one in caught] == [True]

    @pytest.mark.parametrize("login", ["me:pw123", "tok12"])
    def test_has_no_password_so_short_that_it_could_be_recorded(
        self, login: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ALL_PROXY", f"http://{login}@p:1")
        with pytest.raises(InputError, match="fewer than 6 characters") as caught:
            asyncio.run(OpenAISubject(SubjectSpec("openai:m", base_url="https://models.test/v1")).open())
        assert login not in str(caught.value)

    @pytest.mark.parametrize(
        ("login", "secrets"),
        [
            (f"me:{PASSWORD}", (PASSWORD,)),
            ("tokenuser99", ("tokenuser99",)),
            (f"u-7781:{PASSWORD}", ("u-7781", PASSWORD)),
            (f"python:{PASSWORD}", (PASSWORD,)),
        ],
    )
    @pytest.mark.parametrize("kind", ["openai:m", "python:a:b"])
    def test_has_secrets_whether_it_is_on_the_way_or_not(
        self, login: str, secrets: tuple[str, ...], kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{login}@p:1")
        url = "http://localhost:1/v1" if kind == "openai:m" else None
        assert make_subject(SubjectSpec(kind, base_url=url)).secrets() == secrets

    @pytest.mark.parametrize("scheme", ["https", "socks5", "ftp"])
    def test_of_another_kind_is_refused_without_repeating_it(
        self, scheme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://me:{PASSWORD}@p:1")
        with pytest.raises(InputError, match="HTTPS_PROXY names no proxy that can be used") as caught:
            asyncio.run(OpenAISubject(SubjectSpec("openai:m", base_url="https://models.test/v1")).open())
        assert PASSWORD not in str(caught.value)
