"""A small HTTP/1.1 client for one endpoint: POST a body, read the reply, keep the connection.

Parsing is httptools' (the llhttp of Node.js); what is here is the pool of connections and the bounds. It does what
calling a model needs and nothing else: no redirects, no cookies, no decompression. A body is never read beyond its
limit, and a connection on which anything was odd is not used again.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import httptools

from assay.errors import InputError, SubjectFault, SubjectRefused

from .proxy import Proxy, Tunnel

__all__ = ["HttpClient", "HttpReply"]

CONNECT_SECONDS = 30.0
MOST_HEADERS = 65_536  # bytes
WIRE_BYTES = (
    2  # on the wire at most so many for each byte of the largest body: chunks of a byte or two take seven
)
_CERTIFICATE_FAULTS = {  # by OpenSSL's codes of X509_verify_cert
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    19: "was signed by an authority that is not known here: its chain ends in a self-signed one",
    2: "was signed by an authority that is not known here",
    20: "was signed by an authority that is not known here",
    21: "was signed by an authority that is not known here",
    62: "is for another host",
    64: "is for another host",
}


class HttpReply(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case; of a name that comes twice, the last
    body: bytes


class _Connection(asyncio.Protocol):
    """One connection: at most one request under way. The parser calls the ``on_`` methods."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[HttpReply] | None = None
        self.usable = False

    # The transport's side.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.usable = True

    def connection_lost(self, error: Exception | None) -> None:
        self.usable = False
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        if error is not None:
            self._fail(SubjectFault("reset", str(error)))
        elif not self._begun:
            self._fail(SubjectFault("disconnected", "the endpoint closed the connection before it answered"))
        elif self._until_closed:
            self.on_message_complete()
        else:
            self._fail(SubjectFault("truncated_body", "the connection ended inside the reply"))

    def data_received(self, data: bytes) -> None:
        if self._waiter is None:
            self.close()  # nobody asked
            return
        self._begun = True
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(SubjectFault("malformed_http", "an upgrade that nobody asked for"))
        except httptools.HttpParserError as error:
            self._fail(SubjectFault("malformed_http", str(error.__context__ or error)))
        if (
            self._received > MOST_HEADERS and self._waiter is not None
        ):  # what is not complete grows in the parser
            if not self._headers_complete:
                self._too_many_headers()
            elif self._received > WIRE_BYTES * self._largest + MOST_HEADERS:
                self._too_large()

    # The parser's side.

    def on_message_begin(self) -> None:
        if self._waiter is None:
            self.close()  # a second reply that nobody asked for

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > MOST_HEADERS:
            self._too_many_headers()
            return
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if 100 <= status < 200:
            return
        self._headers_complete = True
        headers = self._headers
        self._until_closed = "content-length" not in headers and "chunked" not in headers.get(
            "transfer-encoding", ""
        )
        if int(headers.get("content-length", "0")) > self._largest:
            self._too_large()

    def on_body(self, chunk: bytes) -> None:
        if len(self._body) + len(chunk) > self._largest:
            self._too_large()
        else:
            self._body += chunk

    def on_message_complete(self) -> None:
        waiter = self._waiter
        status = self._parser.get_status_code()
        if waiter is None or waiter.done():
            return
        if 100 <= status < 200:  # "go on" and its like come before the reply
            self._clear()
            return
        self._waiter = None
        if self._until_closed or not self._parser.should_keep_alive():
            self.close()
        waiter.set_result(HttpReply(status, self._headers, bytes(self._body)))

    # Our side.

    def send(self, data: bytes) -> asyncio.Future[HttpReply]:
        assert self._transport is not None
        self._parser = httptools.HttpResponseParser(self)
        self._received = 0
        self._clear()
        waiter = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        self._transport.write(data)
        return waiter

    def _clear(self) -> None:
        self._headers: dict[str, str] = {}
        self._body = bytearray()  # one buffer: a list of chunks of two bytes takes thirty times their size
        self._header_bytes = 0
        self._begun = self._until_closed = self._headers_complete = False

    def _too_large(self) -> None:
        self._fail(SubjectFault("oversized_body", f"more than {self._largest >> 20} MB", retriable=False))

    def _too_many_headers(self) -> None:
        self._fail(SubjectFault("malformed_http", f"more than {MOST_HEADERS} bytes of headers"))

    def _fail(self, fault: SubjectFault) -> None:
        waiter, self._waiter = self._waiter, None
        self.close()
        if waiter is not None and not waiter.done():
            waiter.set_exception(fault)

    def close(self) -> None:
        """For good, and at once: what is still on its way is of no interest."""
        self.usable = False
        if self._transport is not None:
            self._transport.abort()


def _tls(authorities: Path | None) -> ssl.SSLContext:
    """The system's authorities (or those of SSL_CERT_FILE), and those of a file beside them."""
    context = ssl.create_default_context()
    if authorities is not None:
        try:
            context.load_verify_locations(authorities)
        except (OSError, ssl.SSLError) as error:
            why = "no PEM certificates" if isinstance(error, ssl.SSLError) else error.strerror
            raise InputError(f"ca_file {authorities} cannot be used: {why}") from None
    return context


class HttpClient:
    """POSTs to one URL over as many connections as there are requests at a time."""

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        largest: int,
        *,
        proxy: Proxy | None = None,
        authorities: Path | None = None,
    ) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host, secure = parts.hostname, parts.scheme == "https"
        self._port = parts.port or (443 if secure else 80)
        self._tls = _tls(authorities) if secure else None
        self._largest, self._proxy = largest, proxy
        target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        lines = [f"POST {target} HTTP/1.1", f"Host: {parts.netloc}"]
        if proxy is not None and not secure:  # a proxy for plain HTTP is sent the whole URL
            lines[0] = f"POST http://{parts.netloc}{target} HTTP/1.1"
            lines += proxy.header.splitlines()
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._head = "\r\n".join([*lines, "Content-Length: "]).encode("latin-1")
        self._idle: deque[_Connection] = deque()

    async def post(self, body: bytes) -> HttpReply:
        connection = await self._connection()
        try:
            reply = await connection.send(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        except BaseException:
            connection.close()
            raise
        if connection.usable:
            self._idle.append(connection)
        return reply

    async def _connection(self) -> _Connection:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                if self._proxy is not None and self._tls is not None:
                    return await self._tunnelled(self._proxy, self._tls)
                _, made = await loop.create_connection(
                    lambda: _Connection(self._largest),
                    self._proxy.host if self._proxy else self._host,
                    self._proxy.port if self._proxy else self._port,
                    ssl=self._tls,
                    happy_eyeballs_delay=0.25,
                )
        except TimeoutError:
            raise SubjectFault("connect", f"no connection within {CONNECT_SECONDS:g} s") from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            raise SubjectFault("connect", "the connection ended during the TLS handshake") from None
        except ssl.SSLError as error:
            raise SubjectRefused(self._distrust(error)) from None
        except OSError as error:
            where = f"{self._proxy}: " if self._proxy else ""
            raise SubjectFault("connect", f"{where}{error.strerror or error}") from None
        return made

    async def _tunnelled(self, proxy: Proxy, tls: ssl.SSLContext) -> _Connection:
        """A connection through a proxy, which sees no more than the host's name."""
        loop = asyncio.get_running_loop()
        transport, tunnel = await loop.create_connection(
            lambda: Tunnel(proxy, self._host, self._port), proxy.host, proxy.port, happy_eyeballs_delay=0.25
        )
        try:
            await tunnel.through
            made = _Connection(self._largest)
            secure = await loop.start_tls(transport, made, tls, server_hostname=self._host)
        except BaseException:
            transport.abort()
            raise
        assert secure is not None
        made.connection_made(secure)
        return made

    def _distrust(self, error: ssl.SSLError) -> str:
        """Why the endpoint is not who it ought to be, or does not speak TLS. No try helps, and no trial is lost."""
        if not isinstance(error, ssl.SSLCertVerificationError):
            return f"no TLS with {self._host}: {error.reason or error}"
        why = _CERTIFICATE_FAULTS.get(error.verify_code, "is not accepted")
        return f"the certificate of {self._host} {why} ({error.verify_message})"

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
