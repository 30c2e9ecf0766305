"""The sandbox as its users see it: jobs in, runs out, however many at once.

A few workers are kept warm, each running one program at a time; further calls wait for one to be free.
Commands have workers of their own, started when the first job of a command comes: each shows its programs
the files of that command, and Python programs never see them.
A worker that dies (the kernel was out of memory, say) is replaced, and its job is run once more. A second
death makes the run ``lost``: nothing is known of the program, and nothing is charged to it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Final, Self, overload

import msgspec

from assay.errors import InputError, SandboxUnavailable
from assay.sandbox.confinement import Confinement, find_confinement
from assay.sandbox.frames import Report, read_command, read_run
from assay.sandbox.inside.wire import LENGTH
from assay.sandbox.launch import Launched, launch
from assay.sandbox.model import CaseResult, CommandJob, CommandRun, Job, Run, job_message
from assay.sandbox.tools import Tool, find_tool

__all__ = ["Sandbox", "run_all"]

_CHUNK: Final = 1 << 18
_START: Final = 60.0
_GRACE: Final = 30.0  # for a loaded machine, on top of the program's own wall time


class _LostError(Exception):
    """The worker ended or fell silent."""


class _RefusedError(Exception):
    """The worker could not confine the program, and did not run it."""


class _Worker:
    """One warm interpreter and the line to it. ``tool`` is what it runs programs with, None for Python."""

    def __init__(self, launched: Launched, tool: Tool | None) -> None:
        self.launched, self.tool = launched, tool
        launched.line.setblocking(False)
        self._read = bytearray()

    async def ready(self) -> None:
        try:
            async with asyncio.timeout(_START):
                hello = await self._json()
        except (TimeoutError, EOFError, OSError):
            raise SandboxUnavailable(
                f"a sandbox worker did not start: {self.launched.complaint() or 'no reason given'}"
            ) from None
        if hello["event"] != "ready":
            raise SandboxUnavailable(f"a sandbox worker did not start: {hello.get('why')}")

    async def run(self, job: Job | CommandJob, message: bytes) -> Run | CommandRun:
        try:
            async with asyncio.timeout(job.limits.wall_seconds + _GRACE):
                loop = asyncio.get_running_loop()
                await loop.sock_sendall(self.launched.line, LENGTH.pack(len(message)) + message)
                while True:
                    event = await self._json()
                    kind = event.pop("event", None)
                    if kind == "report":
                        report = msgspec.convert(event, Report)
                        first, second = await self._bytes(), await self._bytes()
                        if isinstance(job, CommandJob):
                            return read_command(job, report, first, second)
                        return read_run(job, report, first, second)
                    if kind == "failed":
                        raise _RefusedError(str(event.get("why")))
                    if kind == "lost":
                        raise _LostError("the supervising process was ended")
        except (TimeoutError, EOFError, OSError, msgspec.ValidationError, msgspec.DecodeError) as error:
            raise _LostError(str(error) or "the worker process was ended") from error

    async def _json(self) -> dict[str, Any]:
        return msgspec.json.decode(await self._bytes(), type=dict[str, Any])

    async def _bytes(self) -> bytes:
        (size,) = LENGTH.unpack(await self._exactly(LENGTH.size))
        return await self._exactly(size)

    async def _exactly(self, size: int) -> bytes:
        loop = asyncio.get_running_loop()
        while len(self._read) < size:
            chunk = await loop.sock_recv(self.launched.line, _CHUNK)
            if not chunk:
                raise EOFError
            self._read += chunk
        taken = bytes(self._read[:size])
        del self._read[:size]
        return taken


class Sandbox:
    """Runs programs nobody trusts, each in a fresh confined process. Linux only.

    ::

        async with Sandbox(workers=2) as sandbox:
            run = await sandbox.run(Job(source=text, entry_point="gcd", cases=({"args": [12, 18]},)))

    Entering raises SandboxUnavailable where no confinement can be had, unless ``allow_unconfined_code`` is
    set: then programs still get fresh processes, limits and a clean environment, but can read the caller's
    files.
    """

    def __init__(self, *, workers: int = 2, allow_unconfined_code: bool = False) -> None:
        if workers < 1:
            raise InputError(f"workers must be at least 1, not {workers}")
        self._size, self._allow = workers, allow_unconfined_code
        self._idle: dict[Tool | None, list[_Worker]] = {}
        self._all: set[_Worker] = set()
        self._slots: asyncio.Semaphore | None = None
        self._scratch: str | None = None
        self._confinement: Confinement | None = None

    @property
    def confinement(self) -> Confinement:
        """What is in force; known once the sandbox was entered."""
        if self._confinement is None:
            raise InputError("the sandbox is not open; use it as `async with Sandbox() as sandbox`")
        return self._confinement

    async def __aenter__(self) -> Self:
        self._confinement = await asyncio.to_thread(find_confinement, allow_unconfined_code=self._allow)
        if self._confinement.name == "none":
            self._scratch = tempfile.mkdtemp(prefix="assay-scratch-")
            os.chmod(self._scratch, 0o711)  # noqa: S103  root's programs run as somebody else
        self._slots = asyncio.Semaphore(self._size)
        try:
            self._idle[None] = list(await asyncio.gather(*[self._start(None) for _ in range(self._size)]))
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    @overload
    async def run(self, job: Job) -> Run: ...
    @overload
    async def run(self, job: CommandJob) -> CommandRun: ...
    @overload
    async def run(self, job: Job | CommandJob) -> Run | CommandRun: ...
    async def run(self, job: Job | CommandJob) -> Run | CommandRun:
        """Run one program. Waits while every worker is busy; may be cancelled at any point.

        A command that is not on this machine gives a run that is ``unavailable``; nothing is started.
        A run that is ``lost`` says nothing about the program: two workers died under it.
        """
        name = self.confinement.name
        if self._slots is None:
            raise InputError("the sandbox was closed")
        tool = None
        if isinstance(job, CommandJob):
            try:
                tool = await asyncio.to_thread(find_tool, job.command)
            except InputError as error:
                return CommandRun(state="unavailable", detail=str(error), environment_dependent=True)
        async with self._slots:
            message = job_message(job)
            for attempt in (1, 2):
                idle = self._idle.setdefault(tool, [])
                worker = idle.pop() if idle else await self._start(tool)
                reusable = False
                try:
                    run = await worker.run(job, message)
                    reusable = name != "bubblewrap-once"
                    return run
                except _LostError as lost:
                    if attempt == 2:
                        return _lost(job, str(lost))
                except _RefusedError as refused:
                    if attempt == 2:
                        raise SandboxUnavailable(f"the program could not be started: {refused}") from refused
                finally:
                    if reusable:
                        idle.append(worker)
                    else:
                        self._discard(worker)
        raise AssertionError("unreachable")

    async def _start(self, tool: Tool | None) -> _Worker:
        # In the loop's own thread: a worker is killed by the kernel when the thread that started it ends.
        worker = _Worker(launch(self.confinement.name, scratch_root=self._scratch, tool=tool), tool)
        self._all.add(worker)
        try:
            await worker.ready()
        except BaseException:
            self._discard(worker)
            raise
        return worker

    def _discard(self, worker: _Worker) -> None:
        self._all.discard(worker)
        worker.launched.close()

    async def _close(self) -> None:
        workers, self._all, self._idle, self._slots = list(self._all), set(), {}, None
        await asyncio.gather(*[asyncio.to_thread(worker.launched.close) for worker in workers])
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None


def _lost(job: Job | CommandJob, why: str) -> Run | CommandRun:
    if isinstance(job, CommandJob):
        return CommandRun(state="lost", detail=why, environment_dependent=True)
    cases = (CaseResult(state="not_run"),) * len(job.cases)
    return Run(state="lost", detail=why, cases=cases, environment_dependent=True)


@overload
def run_all(jobs: Iterable[Job], *, workers: int = 2, allow_unconfined_code: bool = False) -> list[Run]: ...
@overload
def run_all(
    jobs: Iterable[CommandJob], *, workers: int = 2, allow_unconfined_code: bool = False
) -> list[CommandRun]: ...
@overload
def run_all(
    jobs: Iterable[Job | CommandJob], *, workers: int = 2, allow_unconfined_code: bool = False
) -> list[Run | CommandRun]: ...
def run_all(jobs: Iterable[Any], *, workers: int = 2, allow_unconfined_code: bool = False) -> list[Any]:
    """Run every job and give the runs in the order of the jobs. For use outside an event loop."""

    async def all_of_them() -> list[Any]:
        async with Sandbox(workers=workers, allow_unconfined_code=allow_unconfined_code) as sandbox:
            return list(await asyncio.gather(*[sandbox.run(job) for job in jobs]))

    return asyncio.run(all_of_them())
