"""``NO_PROXY``: the hosts that are reached directly.

There is no standard for it. Read are: ``*``, names with all names below them (``example.org``, ``.example.org``,
``*.example.org``), addresses, networks of them for hosts written as an address (``10.0.0.0/8``), and all but networks
with a port.
"""

from __future__ import annotations

import ipaddress
import re
import warnings
from urllib.parse import urlsplit

__all__ = ["is_excepted", "warn_of_unread"]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?:\*?\.)?(?P<name>[\w-]+(?:\.[\w-]+)*)\.?")


def is_excepted(url: str, listed: str) -> bool:
    """Whether a list, as ``NO_PROXY`` holds it, names the host of a URL."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    return any(_names(entry, host, port) for entry in _entries(listed))


def warn_of_unread(listed: str) -> None:
    """Name an entry that nothing can match: a host that was meant by it is asked through the proxy."""
    for entry in _entries(listed):
        if _read(entry) is None:
            warnings.warn(
                f"NO_PROXY: {entry!r} is not understood and names no host; write a name, an address, "
                "a network (10.0.0.0/8) or *",
                stacklevel=2,
            )


def _entries(listed: str) -> list[str]:
    return listed.replace(",", " ").split()


def _names(entry: str, host: str, port: int | None) -> bool:
    found = _read(entry)
    if found is None:
        return False
    named, own_port = found
    if own_port is not None and own_port != port:
        return False
    if isinstance(named, str):
        return named == "*" or host == named or host.endswith(f".{named}")
    try:
        return ipaddress.ip_address(host) in named
    except ValueError:
        return False


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _read(entry: str) -> tuple[str | Network, int | None] | None:
    """A name in lower case or a network, and the port; None for what is neither."""
    entry = entry.lower()
    if entry == "*":
        return "*", None
    try:
        return ipaddress.ip_network(entry.strip("[]"), strict=False), None
    except ValueError:
        pass
    host, colon, port = entry.rpartition(":") if re.search(r":\d+$", entry) else (entry, "", "")
    number = int(port) if colon else None
    try:
        return (ipaddress.ip_network(host.strip("[]")), number) if "/" not in host else None
    except ValueError:
        found = _NAME.fullmatch(host)  # the beginning of an address is no name
        return (found["name"], number) if found and not host.rstrip(".").split(".")[-1].isdigit() else None
