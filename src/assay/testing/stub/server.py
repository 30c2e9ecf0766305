"""The stub as a server: in this process's event loop, in a child process, or from the command line."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Self

import msgspec

from assay.errors import AssayError, InputError

from .api import Answer, Endpoint, Stats, StubConfig, answerer
from .faults import KINDS, Faults
from .http import HttpConnection

__all__ = ["Stub", "StubProcess", "main", "stub_process"]

_HOST = "127.0.0.1"  # the stub is never offered to another machine


class Stub:
    """The stub inside a running event loop; ``url`` is the base URL to give a client (it ends in ``/v1``)."""

    def __init__(
        self,
        *,
        answer: str | Answer = "digest",
        faults: Faults | str = "none",
        latency: float = 0.0,
        required_key: str | None = None,
        log: str | os.PathLike[str] | None = None,
        port: int = 0,
    ) -> None:
        name = answer if isinstance(answer, str) else "digest"
        self.config = _config(name, faults, latency, required_key, log, port)
        self._endpoint = Endpoint(self.config, answerer(answer) if isinstance(answer, str) else answer)
        self._connections: set[HttpConnection] = set()
        self._server: asyncio.Server | None = None
        self.port = port

    @classmethod
    def of(cls, config: StubConfig) -> Self:
        """A stub from its declaration."""
        return cls(**{name: getattr(config, name) for name in config.__struct_fields__})

    @property
    def url(self) -> str:
        return f"http://{_HOST}:{self.port}/v1"

    def stats(self) -> Stats:
        """The counts so far."""
        return self._endpoint.stats()

    def bodies(self, *, answered: bool = False) -> dict[str, int]:
        """How often each body came, by SHA-256; with ``answered`` only those given a good reply."""
        return self._endpoint.bodies(answered=answered)

    def reset(self) -> None:
        """Forget the counts and start the fault plan over."""
        self._endpoint.reset()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        if self.config.log is not None:
            self._endpoint.log = os.open(self.config.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._server = await loop.create_server(
                lambda: HttpConnection(self._endpoint.handle, self._connections),
                _HOST,
                self.config.port,
                backlog=1024,
            )
        except BaseException as bad:
            self._close_log()
            if isinstance(bad, OSError):
                raise InputError(
                    f"the stub cannot listen on port {self.config.port}: {bad.strerror}"
                ) from bad
            raise
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        while self._connections:
            for connection in list(self._connections):
                connection.abort()
            await asyncio.sleep(0)
        await self._server.wait_closed()
        self._close_log()
        if kind is None and self._endpoint.errors:
            raise self._endpoint.errors[0]

    def _close_log(self) -> None:
        if self._endpoint.log is not None:
            os.close(self._endpoint.log)
            self._endpoint.log = None


class StubProcess:
    """A stub in a child process, seen from its parent."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.port = process, port
        self.url = f"http://{_HOST}:{port}/v1"

    @property
    def pid(self) -> int:
        return self.process.pid

    def stats(self) -> Stats:
        """The counts so far."""
        return msgspec.json.decode(self._call("GET", "/stub/stats"), type=Stats)

    def bodies(self, *, answered: bool = False) -> dict[str, int]:
        """How often each body came, by SHA-256; with ``answered`` only those given a good reply."""
        query = "answered=1" if answered else "bodies=1"
        return msgspec.json.decode(self._call("GET", f"/stub/stats?{query}"), type=dict[str, int])

    def reset(self) -> None:
        """Forget the counts and start the fault plan over."""
        self._call("POST", "/stub/reset")

    def kill(self) -> None:
        """End it as a crash would, and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    def _call(self, method: str, path: str) -> bytes:
        connection = http.client.HTTPConnection(_HOST, self.port, timeout=30)
        try:
            connection.request(method, path)
            return connection.getresponse().read()
        finally:
            connection.close()


@contextlib.contextmanager
def stub_process(
    *,
    answer: str = "digest",
    faults: Faults | str = "none",
    latency: float = 0.0,
    required_key: str | None = None,
    log: str | os.PathLike[str] | None = None,
    port: int = 0,
) -> Iterator[StubProcess]:
    """Run a stub in a process of its own; it ends with the block, or with its parent however that ends."""
    config = _config(answer, faults, latency, required_key, log, port)
    command = [sys.executable, "-m", "assay.testing.stub", "--parent", str(os.getpid())]
    command += ["--json-config", msgspec.json.encode(config).decode()]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)  # noqa: S603
    assert process.stdout is not None
    try:
        line = process.stdout.readline().strip()
        if not line.isdigit():
            raise AssayError(f"the stub did not start: exit code {process.wait()}")
        yield StubProcess(process, int(line))
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _config(
    answer: str,
    faults: Faults | str,
    latency: float,
    required_key: str | None,
    log: str | os.PathLike[str] | None,
    port: int,
) -> StubConfig:
    plan = Faults.parse(faults) if isinstance(faults, str) else faults
    return StubConfig(answer, plan, latency, required_key, None if log is None else os.fspath(log), port)


async def _run(config: StubConfig, parent: int | None) -> None:
    """Serve until told to stop, or until the parent is gone (its pid is watched: no pipe to inherit)."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    # Ctrl-C reaches a whole process group; a child stays until its parent has read the counts.
    loop.add_signal_handler(signal.SIGINT, stop.set if parent is None else lambda: None)
    async with Stub.of(config) as stub:
        print(stub.port, flush=True)
        if parent is None:
            print(f"stub endpoint at {stub.url} (Ctrl-C ends it)", file=sys.stderr)
        while not stop.is_set() and (parent is None or os.getppid() == parent):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), None if parent is None else 0.25)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m assay.testing.stub",
        description="An OpenAI-compatible endpoint on loopback that plays the API, with all its faults. "
        "The first line it prints is its port.",
        epilog=f"Fault kinds: {', '.join(KINDS)}.",
    )
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--answer", default="digest", help="digest, echo, code:<n> or fixed:<text>")
    parser.add_argument(
        "--faults", default="none", help="storm, storm=0.5, http_429=0.1,reset=0.05 or a plan as JSON"
    )
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--required-key", help="answer 401 to any other key")
    parser.add_argument("--log", help="append a line per request: SHA-256 of its body, and what became of it")
    parser.add_argument("--json-config", help="all of the above as one JSON object, in place of them")
    parser.add_argument(
        "--parent", type=int, help="end when the process with this id is no longer the parent"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 0 when stopped, 2 for wrong input."""
    given = _arguments(argv)
    try:
        if given.json_config is not None:
            config = msgspec.json.decode(given.json_config, type=StubConfig)
        else:
            config = _config(
                given.answer, given.faults, given.latency, given.required_key, given.log, given.port
            )
        asyncio.run(_run(config, given.parent))
    except (InputError, msgspec.MsgspecError, OSError) as bad:
        print(f"error: {bad}", file=sys.stderr)
        return 2
    return 0
