"""The child process of a ``local:`` subject: llama.cpp's own server on a free loopback port.

Started as ``python -m assay.subjects._llama_server MODEL SLOTS PARAMETERS``, the last as JSON. It prints one line of
JSON, its address and what it serves, and lives until its standard input ends, so it never outlives the process that
started it.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import sys
from typing import Any

import msgspec

from assay.study.model import LlamaCpp

from .llama_cpp import server_parameters

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    import xllamacpp

    serving = msgspec.json.decode(arguments[2], type=LlamaCpp)
    server = xllamacpp.Server(server_parameters(xllamacpp, arguments[0], int(arguments[1]), serving))
    try:
        address = server.listening_address
        properties = _properties(address)
        template = properties.get("chat_template") or ""
        served = {
            "address": address,
            "context": properties["default_generation_settings"]["n_ctx"],
            "template_sha256": hashlib.sha256(template.encode()).hexdigest() if template else None,
            "built_for": _built_for(xllamacpp.get_system_info()),
        }
        print(json.dumps(served), flush=True)
        sys.stdin.buffer.read()
    finally:
        os._exit(0)  # the server's threads would wait for open connections


def _built_for(told: str) -> list[str]:
    """The processor's features that the engine was built to use: they decide in which order it adds."""
    return re.findall(r"(\w+) = 1\b", told)


def _properties(address: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    connection.request("GET", "/props")
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
