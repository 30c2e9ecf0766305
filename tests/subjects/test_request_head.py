"""Headers, query and authorities of a subject: sent as declared, secret where they come from the environment."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.base import make_subject
from assay.subjects.openai import OpenAISubject

from .certificates import authority, certificate
from .openai_calls import GOOD, ask, opened, raw_server, response

TOKEN = "gw-0123456789-abcdef"


def heads_of(**changes: Any) -> bytes:
    seen: list[bytes] = []

    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(GOOD))

    async def go() -> None:
        async with raw_server(handle, seen) as url, opened(url, **changes) as subject:
            await ask(subject)

    asyncio.run(go())
    return seen[0]


class TestHeadersAndQuery:
    def test_are_sent_with_every_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GATEWAY_TOKEN", TOKEN)
        headers = {"X-Project": "evaluations", "X-Token": "env:GATEWAY_TOKEN", "User-Agent": "me"}
        head = heads_of(headers=headers, query={"api-version": "2024 10", "token": "env:GATEWAY_TOKEN"})
        assert head.startswith(
            f"POST /v1/chat/completions?api-version=2024%2010&token={TOKEN} HTTP/1.1\r\n".encode()
        )
        assert b"\r\nX-Project: evaluations\r\nX-Token: " + TOKEN.encode() in head
        assert head.lower().count(b"user-agent") == 1

    def test_of_the_environment_are_secrets(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GATEWAY_TOKEN", TOKEN)
        spec = SubjectSpec(
            "openai:m", base_url="http://h/v1", headers={"X-T": "env:GATEWAY_TOKEN", "X-P": "plain"}
        )
        assert OpenAISubject(spec).secrets() == (TOKEN,)

    def test_can_hold_the_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_KEY", TOKEN)
        head = heads_of(key_env="MY_KEY", key_header="api-key")
        assert f"\r\napi-key: {TOKEN}\r\n".encode() in head
        assert b"authorization" not in head.lower()

    @pytest.mark.parametrize(
        "where", [{"headers": {"X-T": "env:SHORT"}}, {"query": {"t": "env:SHORT"}}, {"key_env": "SHORT"}]
    )
    def test_too_short_to_be_kept_out_of_what_is_recorded_are_wrong_input(
        self, where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SHORT", "pw123")
        with pytest.raises(InputError, match="the value in SHORT has fewer than 6 characters") as caught:
            asyncio.run(OpenAISubject(SubjectSpec("openai:m", base_url="http://h/v1", **where)).open())
        assert "pw123" not in str(caught.value)

    @pytest.mark.parametrize("value", ["", "a\r\nX: y"])
    def test_whose_variable_is_not_set_or_broken_are_wrong_input(
        self, value: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GATEWAY_TOKEN", value)
        subject = OpenAISubject(
            SubjectSpec("openai:m", base_url="http://h/v1", headers={"X-T": "env:GATEWAY_TOKEN"})
        )
        with pytest.raises(InputError, match="GATEWAY_TOKEN"):
            asyncio.run(subject.open())

    @pytest.mark.parametrize(
        ("changes", "what"),
        [
            ({"headers": {"Host": "x"}}, "Host is not free"),
            ({"headers": {"content-length": "1"}}, "content-length is not free"),
            ({"headers": {"X-A": "1", "x-a": "2"}}, "x-a is not free"),
            (
                {"headers": {"Authorization": "env:A"}, "key_env": "B"},
                "Authorization is not free: the key goes there",
            ),
            ({"headers": {"Authorization": "Basic hunter2"}}, "write env:VARIABLE"),
            ({"headers": {"X-Api-Key": "hunter2"}}, "write env:VARIABLE"),
            ({"headers": {"Cookie": "hunter2"}}, "write env:VARIABLE"),
            ({"query": {"key": "hunter2"}}, "write env:VARIABLE"),
            ({"headers": {"X A": "1"}}, "no name of a header"),
            ({"headers": {"X-A": "1\r\nX-B: 2"}}, "a line break"),
            ({"headers": {"X-A": "env:"}}, "name the environment variable"),
            ({"headers": {"X-T": "Bearer env:GT"}}, "a variable is the whole value, written env:VARIABLE"),
            ({"headers": {"X-T": "$GT"}}, "a variable is the whole value"),
            ({"query": {"v": "a-${GT}"}}, "a variable is the whole value"),
            ({"key_header": "host", "key_env": "B"}, "host is set by the client"),
            ({"base_url": "http://h/v1?api-version=1"}, "goes into query"),
            (
                {
                    "base_url": "https://r.openai.azure.com/openai/deployments/m/chat/completions?api-version=1"
                },
                "write it as https://r.openai.azure.com/openai/deployments/m; what stands behind the",
            ),
        ],
    )
    def test_that_would_break_or_betray_something_are_refused(
        self, changes: dict[str, Any], what: str
    ) -> None:
        with pytest.raises(InputError, match=what) as caught:
            make_subject(SubjectSpec("openai:m", **{"base_url": "http://h/v1", **changes}))
        assert "hunter2" not in str(caught.value)


class TestAuthorities:
    def test_of_a_file_are_trusted_beside_the_systems(self, tmp_path: Path) -> None:
        signer, trust = authority(tmp_path)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(tmp_path, "sound", signer))

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response(GOOD))
            await writer.drain()
            writer.close()

        async def go(**changes: Any) -> str:
            server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
            try:
                url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
                async with opened(url, **changes) as subject:
                    return (await ask(subject)).text
            finally:
                server.close()

        assert asyncio.run(go(ca_file=str(trust))) == "x" * 1000
        with pytest.raises(SubjectRefused, match="authority that is not known here"):
            asyncio.run(go())

    @pytest.mark.parametrize("content", [None, "no certificate"])
    def test_that_cannot_be_read_are_wrong_input(self, content: str | None, tmp_path: Path) -> None:
        path = tmp_path / "ca.pem"
        if content is not None:
            path.write_text(content)
        subject = OpenAISubject(SubjectSpec("openai:m", base_url="https://h/v1", ca_file=str(path)))
        with pytest.raises(InputError, match=r"ca_file .*ca.pem cannot be used: "):
            asyncio.run(subject.open())
