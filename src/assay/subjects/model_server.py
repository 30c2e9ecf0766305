"""A process of llama.cpp on loopback. Subjects that are served alike share one: four system prompts of one model need
its weights once, and two processes on the same cores would wait for each other."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from assay.errors import InputError
from assay.study.model import LlamaCpp

__all__ = ["ModelServer", "Slots"]

START_SECONDS = 120.0
Key = tuple[int, Path, int, bytes]


class ModelServer:
    """Started by the first subject that enters, stopped when the last one has left."""

    _running: ClassVar[dict[Key, ModelServer]] = {}

    def __init__(self, key: Key) -> None:
        self._key, self._users = key, 0
        self.slots = Slots(key[2])
        self.child: asyncio.subprocess.Process | None = None
        self._started: asyncio.Task[dict[str, Any]] | None = None

    @classmethod
    async def enter(
        cls, path: Path, connections: int, serving: LlamaCpp
    ) -> tuple[ModelServer, dict[str, Any]]:
        """The server for a model, and what it says of itself once it has loaded it."""
        key = (id(asyncio.get_running_loop()), path, connections, msgspec.json.encode(serving))
        server = cls._running.setdefault(key, cls(key))
        server._users += 1
        if server._started is None:
            server._started = asyncio.create_task(server._start())
        try:
            return server, await asyncio.shield(server._started)
        except BaseException:
            await server.leave()
            raise

    async def _start(self) -> dict[str, Any]:
        _, path, connections, serving = self._key
        self.child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "assay.subjects._llama_server",
            str(path),
            str(connections),
            serving.decode(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us; replies that are on their way still come in
        )
        assert self.child.stdout is not None
        try:
            line = await asyncio.wait_for(self.child.stdout.readline(), START_SECONDS)
            served: dict[str, Any] = msgspec.json.decode(line)
        except (TimeoutError, msgspec.DecodeError):
            raise InputError(
                f"the model server for {path.name} did not start; is the file a GGUF model?"
            ) from None
        return served

    async def leave(self) -> None:
        """Said once by every subject that entered."""
        self._users -= 1
        if self._users:
            return
        self._running.pop(self._key, None)
        if self._started is not None and not self._started.done():
            self._started.cancel()
        if self.child is not None and self.child.returncode is None:
            assert self.child.stdin is not None
            self.child.stdin.close()
            try:
                await asyncio.wait_for(self.child.wait(), 5)
            except TimeoutError:
                self.child.kill()
                await self.child.wait()


class Slots:
    """Which conversation has which slot of the server. One that comes when none is free takes the oldest one's."""

    def __init__(self, count: int) -> None:
        self._free = list(range(count))
        self._taken: dict[str, int] = {}  # the latest used last

    def of(self, session: str) -> tuple[int, bool]:
        """Its slot, and whether the slot holds what was read of it before."""
        known = session in self._taken
        if known:
            slot = self._taken.pop(session)
        elif self._free:
            slot = self._free.pop(0)
        else:
            slot = self._taken.pop(next(iter(self._taken)))
        self._taken[session] = slot
        return slot, known

    def release(self, session: str) -> None:
        if (slot := self._taken.pop(session, None)) is not None:
            self._free.append(slot)
