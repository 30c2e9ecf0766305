"""Any OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and their like.

The key comes from an environment variable and goes nowhere but into the request's header, and only to the
declared endpoint: redirects are not followed.
"""

from __future__ import annotations

import asyncio
import errno
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.canonical import encode
from assay.errors import InputError, SubjectFault
from assay.evidence.redaction import has_userinfo
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call
from .chat import chat_body, read_failure, read_reply, retry_after

if TYPE_CHECKING:
    import aiohttp

__all__ = ["ChatEndpoint", "OpenAISubject"]

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"
LARGEST_BODY = 16 << 20


class ChatEndpoint:
    """One HTTP session with a chat-completions endpoint."""

    def __init__(self, base_url: str, key: str | None, connections: int) -> None:
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._key, self._connections = key, connections
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        import aiohttp

        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
        )

    async def call(self, wire: dict[str, Any], seconds: float) -> Reply:
        import aiohttp

        assert self._session is not None, "open() comes first"
        try:
            async with self._session.post(
                self._url,
                data=encode(wire),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=seconds),
            ) as response:
                body = await _read(response)
                if response.status == 200:
                    return read_reply(body, response.headers.get("Content-Type", ""))
                if 300 <= response.status < 400:
                    raise SubjectFault(
                        f"http_{response.status}", "a redirect is not followed", retriable=False
                    )
                return read_failure(response.status, body, retry_after(response.headers))
        except TimeoutError:
            raise SubjectFault("timeout", f"no complete reply within {seconds:g} s") from None
        except aiohttp.ClientError as error:
            raise _fault(error) from None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, up to a limit that holds for what comes out of decompression too."""
    chunks, size = [], 0
    while chunk := await response.content.readany():
        size += len(chunk)
        if size > LARGEST_BODY:
            response.close()
            raise SubjectFault("oversized_body", f"more than {LARGEST_BODY >> 20} MB", retriable=False)
        chunks.append(chunk)
    return b"".join(chunks)


def _fault(error: aiohttp.ClientError) -> SubjectFault:
    import aiohttp

    if isinstance(error, aiohttp.ServerDisconnectedError):
        return SubjectFault("disconnected", "the endpoint closed the connection before it answered")
    if isinstance(error, aiohttp.ClientPayloadError):
        return SubjectFault("truncated_body", "the connection ended inside the reply")
    if isinstance(error, aiohttp.ClientConnectorError):
        return SubjectFault("connect", str(error.os_error.strerror or error.os_error))
    if isinstance(error, aiohttp.ClientOSError):
        name = "reset" if error.errno in (errno.ECONNRESET, errno.EPIPE) else "network"
        return SubjectFault(name, error.strerror or "")
    if isinstance(error, aiohttp.ClientResponseError):
        return SubjectFault("malformed_http", str(error.message)[:200])
    return SubjectFault("network", type(error).__name__)


class OpenAISubject:
    """``openai:MODEL``, at ``base_url``."""

    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.stateful = bool(spec.stateful)
        self.connections = spec.connections or 8
        self._url = spec.base_url or DEFAULT_URL
        if urlsplit(self._url).scheme not in ("http", "https") or not urlsplit(self._url).hostname:
            raise InputError(f"base_url {self._url!r}: write it as http(s)://HOST[:PORT]/v1")
        if has_userinfo(self._url):
            raise InputError(
                "base_url holds a user name or password; put the key into an environment variable"
            )
        # A key for one endpoint is not offered to another: with a base_url of its own, the variable is named.
        self._key_env = spec.key_env or (DEFAULT_KEY_ENV if spec.base_url is None else None)
        self._endpoint: ChatEndpoint | None = None

    def secrets(self) -> tuple[str, ...]:
        key = os.environ.get(self._key_env or "")
        return (key,) if key else ()

    def wire(self, request: Request) -> dict[str, Any]:
        return chat_body(self.spec.name, request, self.spec.options)

    async def open(self) -> dict[str, Any]:
        key = os.environ.get(self._key_env) if self._key_env else None
        if self._key_env and not key:
            raise InputError(
                f"the environment variable {self._key_env} is not set; the key of {self.spec.title} goes there"
            )
        self._endpoint = ChatEndpoint(self._url, key, self.connections)
        await self._endpoint.open()
        return {"endpoint": self._url, "model": self.spec.name}

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        assert self._endpoint is not None, "open() comes first"
        return await self._endpoint.call(wire, seconds)

    async def forget(self, session: str) -> None:
        return None

    async def close(self) -> None:
        if self._endpoint is not None:
            await self._endpoint.close()
            await asyncio.sleep(0)
