"""Proxies, as the environment names them: ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY``, ``NO_PROXY``, in either case.

An endpoint on this machine is always reached directly: to a proxy its address would mean the proxy's own machine.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import urllib.request
from typing import NamedTuple, cast
from urllib.parse import unquote, urlsplit

from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.evidence.redaction import SHORTEST

from .proxy_exceptions import is_excepted, warn_of_unread

__all__ = ["Proxy", "Tunnel", "check_proxy", "proxy_for", "proxy_secrets"]

MOST_BYTES = 65_536  # of an answer to CONNECT


class Proxy(NamedTuple):
    host: str
    port: int
    user: str = ""
    password: str = ""

    @property
    def header(self) -> str:
        """The line that names us to it, with its end; empty where it asks for no name."""
        if not self.user and not self.password:
            return ""
        pair = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return f"Proxy-Authorization: Basic {pair}\r\n"

    @property
    def secrets(self) -> tuple[str, ...]:
        """A user is one where no password stands beside it, or where it is more than a word."""
        token = not self.password or any(sign.isdigit() for sign in self.user)
        return tuple(filter(None, (self.user if token else "", self.password)))

    @property
    def refused(self) -> SubjectRefused:
        """What an answer 407 means."""
        return SubjectRefused(f"{self} answers 407: it wants another user name or password")

    def __str__(self) -> str:
        return f"the proxy {self.host}:{self.port}"


def proxy_for(url: str) -> Proxy | None:
    """The proxy on the way to a URL; None where there is none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    found = urllib.request.getproxies()
    text = found.get(parts.scheme) or found.get("all")
    if not text or _is_here(host) or is_excepted(url, found.get("no", "")):
        return None
    return _read(text, f"{parts.scheme.upper()}_PROXY")


def check_proxy(proxy: Proxy) -> None:
    """Refuse a password that could not be kept out of what is recorded; warn of exceptions that are none."""
    if 0 < len(proxy.password or proxy.user) < SHORTEST:
        raise InputError(
            f"the password of {proxy} has fewer than {SHORTEST} characters: so short a secret could not be kept "
            "out of what is recorded"
        )
    warn_of_unread(urllib.request.getproxies().get("no", ""))


def proxy_secrets() -> tuple[str, ...]:
    """Of all proxies that the environment names, on whichever way they are: a subject may say what it sees."""
    found: list[str] = []
    for name, text in urllib.request.getproxies().items():
        if name != "no":
            with contextlib.suppress(InputError):  # one that cannot be used is named when a subject is opened
                found += _read(text, name).secrets
    return tuple(dict.fromkeys(found))


def _read(text: str, name: str) -> Proxy:
    try:
        proxy = urlsplit(text if "://" in text else f"http://{text}")
        port = proxy.port or 80
    except ValueError:
        raise InputError(f"{name} names no proxy that can be used: write http://HOST:PORT") from None
    if proxy.scheme != "http" or not proxy.hostname:  # said without the value: it may hold a password
        raise InputError(f"{name} names no proxy that can be used: write http://HOST:PORT")
    return Proxy(proxy.hostname, port, unquote(proxy.username or ""), unquote(proxy.password or ""))


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class Tunnel(asyncio.Protocol):
    """Asks a proxy to connect us to a host, and waits for its answer."""

    def __init__(self, proxy: Proxy, host: str, port: int) -> None:
        self._proxy = proxy
        self._target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._received = b""
        self.through: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        lines = f"CONNECT {self._target} HTTP/1.1\r\nHost: {self._target}\r\n{self._proxy.header}\r\n"
        cast(asyncio.Transport, transport).write(lines.encode("latin-1"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, behind = self._received.partition(b"\r\n\r\n")
        if self.through.done() or (not end and len(self._received) <= MOST_BYTES):
            return
        words = head.split(b" ", 2)
        if not end or len(words) < 2 or not head.startswith(b"HTTP/1.") or not words[1].isdigit():
            self._fail(SubjectFault("connect", f"{self._proxy} does not answer in HTTP"))
        elif (status := int(words[1])) // 100 == 2 and not behind:
            self.through.set_result(None)
        elif status == 407:
            self._fail(self._proxy.refused)
        elif status // 100 == 4:
            self._fail(
                SubjectRefused(f"{self._proxy} answers {status}: it does not connect to {self._target}")
            )
        else:
            self._fail(SubjectFault("connect", f"{self._proxy} answers {status} for {self._target}"))

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(SubjectFault("connect", f"{self._proxy} closed the connection"))

    def _fail(self, error: Exception) -> None:
        if not self.through.done():
            self.through.set_exception(error)
