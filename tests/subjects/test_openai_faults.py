"""An OpenAI-compatible endpoint: every fault has its name, and says whether another try may help."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from assay.canonical import encode
from assay.errors import SubjectFault, SubjectRefused
from assay.testing.stub import KINDS, Fault

from .certificates import Certificate, authority, certificate, tls_server
from .openai_calls import GOOD, ask, ask_raw, ask_stub, fault_of, opened, raw_server, response

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
REFUSALS = {"http_401", "http_404", "echo_key", "redirect"}


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "name", "retriable", "slow"), FAULTS, ids=lambda v: v.kind if isinstance(v, Fault) else None
    )
    def test_each_has_its_name_and_its_manners(
        self, fault: Fault, name: str, retriable: bool, slow: bool
    ) -> None:
        found = fault_of(fault, 0.3 if fault.kind == "hang" else 120.0)
        assert (found.name, found.retriable, found.slow_down) == (name, retriable, slow)

    def test_of_the_stub_are_all_accounted_for(self) -> None:
        assert {fault.kind for fault, *_ in FAULTS} | REPLIES | REFUSALS == set(KINDS)

    @pytest.mark.parametrize("kind", ["http_429", "http_503"])
    @pytest.mark.parametrize("form", ["seconds", "date"])
    def test_that_name_a_time_pass_it_on(self, kind: Any, form: str) -> None:
        found = fault_of(Fault(kind, form=form, retry_after=30))
        assert found.retry_after is not None
        assert 0 < found.retry_after <= 31  # a date comes nearer while it is on its way
        assert form == "date" or found.retry_after == 30

    @pytest.mark.parametrize(
        "fault", [Fault("http_401"), Fault("http_404"), Fault("echo_key", form="401"), Fault("redirect")]
    )
    def test_that_no_try_can_help_are_refusals(self, fault: Fault) -> None:
        with pytest.raises(SubjectRefused):
            ask_stub(fault)

    def test_include_an_endpoint_that_is_not_there(self) -> None:
        async def go(port: int) -> None:
            async with opened(f"http://127.0.0.1:{port}/v1") as subject:
                await ask(subject)

        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))  # ours, and not listening: nobody else can answer there
            with pytest.raises(SubjectFault, match="connect") as caught:
                asyncio.run(go(silent.getsockname()[1]))
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
            await asyncio.sleep(600)

        async def go() -> None:
            async with raw_server(handle) as url, opened(url) as subject:
                await ask(subject, 0.3)

        with pytest.raises(SubjectFault, match=r"timeout: no complete reply within 0\.3 s"):
            asyncio.run(asyncio.wait_for(go(), 120))

    @pytest.mark.parametrize(
        ("kind", "trusted", "why"),
        [
            ("expired", True, "has expired"),
            ("another host", True, "is for another host"),
            ("self-signed", True, "is self-signed"),
            ("sound", False, "was signed by an authority that is not known here"),
        ],
    )
    def test_a_certificate_that_is_not_accepted_refuses_and_says_why(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Certificate, trusted: bool, why: str
    ) -> None:
        signer, trust = authority(tmp_path)
        if trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(trust))

        async def go(url: str) -> None:
            async with opened(url) as subject:
                await ask(subject)

        with (
            tls_server(certificate(tmp_path, kind, signer)) as url,
            pytest.raises(SubjectRefused, match=re.escape(f"the certificate of 127.0.0.1 {why}")),
        ):
            asyncio.run(go(url))

    def test_an_endpoint_without_tls_refuses_too(self) -> None:
        async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 this is no endpoint\r\n")
            await writer.drain()
            writer.close()

        async def go() -> None:
            server = await asyncio.start_server(greet, "127.0.0.1", 0)
            url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            async with server, opened(url) as subject:
                await ask(subject)

        with pytest.raises(SubjectRefused, match=r"no TLS with 127\.0\.0\.1"):
            asyncio.run(go())

    @pytest.mark.parametrize(
        ("location", "where"),
        [
            ("https://user:sk-12345@login.example.org/next?key=sk-12345", "login.example.org"),
            ("/login?key=sk-12345", "another path of the same host"),
            ("", "nothing"),
            ("https://[broken", "another path of the same host"),
        ],
    )
    def test_a_redirect_refuses_and_names_the_host_it_points_to(self, location: str, where: str) -> None:
        headers = (f"Location: {location}",) if location else ()
        with pytest.raises(SubjectRefused, match=f"points to {where};") as caught:
            ask_raw(response(b"", *headers, status="302 Found"))
        assert "sk-12345" not in str(caught.value)
