"""The stub endpoint: an OpenAI-compatible server that plays the API, with all its faults, on loopback.

A public fake at the same seam as the real thing, for tests, benchmarks and users alike. The reply is a pure
function of the request body; faults are drawn per arrival from a declared, seeded plan (:class:`Faults`).

Three ways to use it::

    async with Stub(answer="echo", faults=Faults.of(http_429=0.1), latency=0.2) as stub: ... stub.url
    with stub_process(answer="code:3", faults="storm") as stub: ... stub.url
    python -m assay.testing.stub --port 8080 --answer echo --faults storm --latency 0.2

It answers ``POST /v1/chat/completions`` and ``GET /v1/models``; ``GET /stub/stats`` says what arrived
(``?bodies=1``: {sha256 of body: times}, ``?answered=1``: only those given a good reply, faults of pace and
framing included); ``POST /stub/reset`` forgets, and starts the fault plan over.
"""

from __future__ import annotations

from .api import Answer, Stats, StubConfig, answerer
from .faults import KINDS, STORM, Fault, Faults
from .server import Stub, StubProcess, main, stub_process

__all__ = [
    "KINDS",
    "STORM",
    "Answer",
    "Fault",
    "Faults",
    "Stats",
    "Stub",
    "StubConfig",
    "StubProcess",
    "answerer",
    "main",
    "stub_process",
]
