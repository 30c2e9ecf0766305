"""Any OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and their like.

The key comes from an environment variable and goes nowhere but into the request's header, and only to the
declared endpoint: redirects are not followed.
"""

from __future__ import annotations

import asyncio
import os
import re
import zlib
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay import __version__
from assay.canonical import encode
from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call
from .chat import chat_body, check_options, read_failure, read_reply, retry_after, text_of
from .deadlines import Deadlines
from .http import HttpClient, HttpReply
from .parameters import check_parameters, unsaid
from .proxy import Proxy, check_proxy, proxy_for, proxy_secrets
from .refusals import Accepted
from .request_head import check_head, check_length, header_lines, query_text, secret_values

__all__ = ["ChatEndpoint", "OpenAISubject"]

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"
LARGEST_BODY = 16 << 20
_PATH = "/chat/completions"
_VERSIONED = re.compile(r"/v\d|/deployments/")


class ChatEndpoint:
    """A chat-completions endpoint and the connections to it."""

    def __init__(self, base_url: str, key: str | None, spec: SubjectSpec, proxy: Proxy | None = None) -> None:
        self._base_url, self._spec, self._proxy = base_url.rstrip("/"), spec, proxy
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": f"assay/{__version__}",
        }
        own = header_lines(spec)
        headers = {name: value for name, value in headers.items() if name.lower() not in map(str.lower, own)}
        if key:
            headers[spec.key_header or "Authorization"] = key if spec.key_header else f"Bearer {key}"
        self._client = HttpClient(
            f"{self._base_url}{_PATH}{query_text(spec)}",
            {**headers, **own},
            LARGEST_BODY,
            proxy=proxy,
            authorities=Path(spec.ca_file).expanduser() if spec.ca_file else None,
        )
        self._deadlines = Deadlines()
        self._accepted = Accepted()

    async def call(self, wire: dict[str, Any], seconds: float) -> Reply:
        task = self._deadlines.enter(seconds)
        try:
            reply = await self._client.post(encode(wire))
        except asyncio.CancelledError:
            if self._deadlines.was_overdue(task):
                raise SubjectFault("timeout", f"no complete reply within {seconds:g} s") from None
            raise
        finally:
            self._deadlines.leave(task)
        if reply.status == 200:
            self._accepted.take(wire)
            return read_reply(_plain(reply), reply.headers.get("content-type", ""), self._spec.reasoning_tag)
        if reply.status == 407 and self._proxy is not None and self._base_url.startswith("http:"):
            raise self._proxy.refused
        if 300 <= reply.status < 400:
            raise SubjectRefused(
                f"the endpoint answers {reply.status} and points to {_host_of(reply.headers.get('location', ''))}; "
                "redirects are not followed: check base_url"
            )
        try:
            body = _plain(reply)
        except SubjectFault:
            body = b""  # the status says enough
        try:
            wait = retry_after(reply.headers)
            return read_failure(reply.status, body, wait, wire, self._spec, self._accepted)
        except SubjectRefused as refused:
            if reply.status != 404 or _VERSIONED.search(self._base_url):
                raise
            raise _no_version(self._base_url, refused.said) from None

    def close(self) -> None:
        self._deadlines.close()
        self._client.close()


def _no_version(base_url: str, said: str) -> SubjectRefused:
    """Most endpoints have their API below /v1, and say of another path only that there is nothing."""
    right = f"{base_url}/v1"
    return SubjectRefused(
        f"there is no /chat/completions at {base_url} ({said})",
        mend=f"Did you mean base_url: {right} (on the command line: --base-url {right})?",
    )


def _host_of(location: str) -> str:
    """Where a redirect points, without path, query and user name: those may hold a key."""
    try:
        host = urlsplit(location).hostname
    except ValueError:
        host = None
    return host or ("another path of the same host" if location else "nothing")


def _plain(reply: HttpReply) -> bytes:
    """The body, decompressed within the limit that holds for plain ones."""
    encoding = reply.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return reply.body
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise SubjectFault("wrong_encoding", text_of(f"a content encoding nobody asked for: {encoding}"))
    inflate = zlib.decompressobj(wbits=47 if "gzip" in encoding else zlib.MAX_WBITS)
    try:
        body = inflate.decompress(reply.body, LARGEST_BODY + 1)
    except zlib.error:
        raise SubjectFault("wrong_encoding", f"the body is not {encoding}") from None
    if len(body) > LARGEST_BODY:
        raise SubjectFault("oversized_body", f"more than {LARGEST_BODY >> 20} MB", retriable=False)
    if not inflate.eof:
        raise SubjectFault("truncated_body", "the compressed reply ends early")
    return body


def _check_url(url: str) -> None:
    if "@" in url.partition("?")[0]:  # said without the URL: it may hold a password
        raise InputError("base_url holds a user name or password; put the key into an environment variable")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    sound = sound and url.isascii() and url.isprintable() and " " not in url
    plain = url.partition("?")[0].rstrip("/")
    if not sound or "?" in url or "#" in url or plain.endswith(_PATH):
        also = "; what stands behind the ? goes into query: {NAME: VALUE}" if "?" in url else ""
        whole = sound and "#" not in url and plain.endswith(_PATH)  # as portals and documentation show it
        right = plain.removesuffix(_PATH) if whole else "http(s)://HOST[:PORT]/v1"
        raise InputError(f"base_url {url.partition('?')[0]!r}: write it as {right}{also}")


class OpenAISubject:
    """``openai:MODEL`` at ``base_url``, and every recipe. What a recipe says is in the spec already."""

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.caveats = unsaid(spec)
        self.stateful = bool(spec.stateful)
        self.connections = spec.connections or 8
        self._url = spec.base_url or DEFAULT_URL
        _check_url(self._url)
        check_options(spec.options, spec.title)
        check_parameters(spec)
        check_head(spec)
        # A key for one endpoint is not offered to another: with a base_url of its own, the variable is named.
        self._key_env = spec.key_env or (DEFAULT_KEY_ENV if spec.base_url is None else None)
        self._endpoint: ChatEndpoint | None = None

    def secrets(self) -> tuple[str, ...]:
        key = os.environ.get(self._key_env or "")
        found = [*((key,) if key else ()), *secret_values(self.spec)]
        return (*found, *proxy_secrets())

    def wire(self, request: Request) -> dict[str, Any]:
        return chat_body(self.spec.name, request, self.spec)

    async def open(self) -> dict[str, Any]:
        key = os.environ.get(self._key_env) if self._key_env else None
        if self._key_env and not key:
            raise InputError(
                f"the environment variable {self._key_env} is not set; the key of {self.spec.title} goes there"
            )
        if key and not (key.isascii() and key.isprintable()):
            raise InputError(f"the key in {self._key_env} holds a line break or another sign no key has")
        if key:
            check_length(key, self._key_env or "")
        if (proxy := proxy_for(self._url)) is not None:
            check_proxy(proxy)
        self._endpoint = ChatEndpoint(self._url, key, self.spec, proxy)
        return {"endpoint": self._url, "model": self.spec.name, **({"proxy": True} if proxy else {})}

    def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Coroutine[Any, Any, Reply]:
        assert self._endpoint is not None, "open() comes first"
        return self._endpoint.call(wire, seconds)

    async def forget(self, session: str) -> None:
        return None

    async def close(self) -> None:
        if self._endpoint is not None:
            self._endpoint.close()
