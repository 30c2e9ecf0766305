"""An OpenAI-compatible endpoint: replies come through, limits hold, the key goes nowhere else."""

from __future__ import annotations

import asyncio
import hashlib
import tracemalloc
import zlib

import pytest

from assay.canonical import encode
from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.base import make_subject
from assay.subjects.openai import LARGEST_BODY, OpenAISubject
from assay.testing.stub import Fault, Faults, Stub
from assay.vocabulary import Reply

from .openai_calls import GOOD, REQUEST, ask, ask_raw, ask_stub, fault_of, opened, raw_server, response

KEY = "sk-very-secret-0123456789"


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
                        await ask(subject, 300)
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
                task = asyncio.create_task(ask(subject, 600))
                while not stub.stats().requests:
                    await asyncio.sleep(0.005)
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
                    with pytest.raises(SubjectRefused, match="answers 302"):
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
