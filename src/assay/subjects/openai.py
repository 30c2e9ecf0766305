"""Any OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and their like.

The key comes from an environment variable and goes nowhere but into the request's header, and only to the
declared endpoint: redirects are not followed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.canonical import encode
from assay.errors import InputError, SubjectFault
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call
from .chat import brief, chat_body, check_options, read_failure, read_reply, retry_after

if TYPE_CHECKING:
    import aiohttp

__all__ = ["ChatEndpoint", "OpenAISubject"]

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"
LARGEST_BODY = 16 << 20


class ChatEndpoint:
    """One HTTP session with a chat-completions endpoint."""

    def __init__(self, base_url: str, key: str | None) -> None:
        self._address = base_url.rstrip("/") + "/chat/completions"
        self._key = key
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        import aiohttp
        import yarl

        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._url = yarl.URL(self._address)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),  # the bench decides how many calls are under way
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),  # one timer a call, around everything
            headers=headers,
            auto_decompress=False,  # done here, within a limit
        )
        self._broken = aiohttp.ClientPayloadError
        self._errors = (aiohttp.ClientError, OSError)

    async def call(self, wire: dict[str, Any], seconds: float) -> Reply:
        assert self._session is not None, "open() comes first"
        try:
            async with asyncio.timeout(seconds):
                response = await self._session.post(self._url, data=encode(wire), allow_redirects=False)
                try:
                    return await self._reply(response)
                except BaseException:
                    response.close()  # whatever went wrong, this connection is not used again
                    raise
        except TimeoutError:
            raise SubjectFault("timeout", f"no complete reply within {seconds:g} s") from None
        except self._errors as error:
            raise _fault(error) from None

    async def _reply(self, response: aiohttp.ClientResponse) -> Reply:
        if response.status == 200:
            return read_reply(await _read(response), response.headers.get("Content-Type", ""))
        if 300 <= response.status < 400:
            raise SubjectFault(f"http_{response.status}", "a redirect is not followed", retriable=False)
        try:
            body = await _read(response)
        except (SubjectFault, self._broken):
            body = b""  # the status says enough
        return read_failure(response.status, body, retry_after(response.headers))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, up to a limit that holds for what comes out of decompression too."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    inflate = None
    if encoding == "identity":
        pass
    elif encoding in ("gzip", "x-gzip", "deflate"):
        inflate = zlib.decompressobj(wbits=47 if "gzip" in encoding else zlib.MAX_WBITS)
    elif encoding:
        raise SubjectFault("wrong_encoding", brief(f"a content encoding nobody asked for: {encoding}"))
    chunks, received, size = [], 0, 0
    try:
        read = response.content.readany
        while chunk := await read():
            received += len(chunk)
            if inflate is not None:
                chunk = inflate.decompress(chunk, LARGEST_BODY + 1 - size)
            size += len(chunk)
            if max(received, size) > LARGEST_BODY:
                response.close()
                raise SubjectFault("oversized_body", f"more than {LARGEST_BODY >> 20} MB", retriable=False)
            chunks.append(chunk)
    except zlib.error:
        raise SubjectFault("wrong_encoding", f"the body is not {encoding}") from None
    if inflate is not None and received and not inflate.eof:
        raise SubjectFault("truncated_body", "the compressed reply ends early")
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _fault(error: Exception) -> SubjectFault:
    import aiohttp

    if isinstance(error, aiohttp.ServerDisconnectedError):
        return SubjectFault("disconnected", "the endpoint closed the connection before it answered")
    if isinstance(error, aiohttp.ClientPayloadError):
        return SubjectFault("truncated_body", "the connection ended inside the reply")
    if isinstance(error, aiohttp.ClientSSLError):
        return SubjectFault("tls", brief(str(error)), retriable=False)
    if isinstance(error, aiohttp.ClientConnectorError):
        return SubjectFault("connect", brief(error.os_error.strerror or str(error.os_error)))
    if isinstance(error, aiohttp.ClientResponseError):
        return SubjectFault("malformed_http", brief(error.message))
    if isinstance(error, OSError):
        reset = isinstance(error, ConnectionError) or error.errno in (errno.ECONNRESET, errno.EPIPE)
        return SubjectFault("reset" if reset else "network", brief(error.strerror or ""))
    return SubjectFault("network", type(error).__name__)


def _check_url(url: str) -> None:
    if "@" in url.partition("?")[0]:  # said without the URL: it may hold a password
        raise InputError("base_url holds a user name or password; put the key into an environment variable")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or "?" in url or "#" in url:
        raise InputError(f"base_url {url.partition('?')[0]!r}: write it as http(s)://HOST[:PORT]/v1")


class OpenAISubject:
    """``openai:MODEL``, at ``base_url``."""

    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.stateful = bool(spec.stateful)
        self.connections = spec.connections or 8
        self._url = spec.base_url or DEFAULT_URL
        _check_url(self._url)
        check_options(spec.options, spec.title)
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
        if key and not (key.isascii() and key.isprintable()):
            raise InputError(f"the key in {self._key_env} holds a line break or another sign no key has")
        self._endpoint = ChatEndpoint(self._url, key)
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
