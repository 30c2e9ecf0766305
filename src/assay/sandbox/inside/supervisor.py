"""Starts one program in a process of its own, watches it from outside, ends it with all its children.

The supervisor is forked from the worker for one program, whose PID namespace it is process 1 of: no signal
from inside reaches it, orphans come to it, and everything in the namespace dies with it. It reads the result
and output pipes, keeps the wall clock, and hands raw bytes to the caller: nothing a program writes is
interpreted here.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes an enum of every number, which takes longer
import contextlib
import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Final

from . import command, confine, harness, kernel, wire

__all__ = ["supervise"]

_CHUNK: Final = 65536
_LOOK_MS: Final = 5  # between two looks at the memory of a command
_SHORT_MS: Final = 10  # most programs have ended by then, and a pipe holds what they wrote until it is read


def supervise(control: socket.socket, plan: dict[str, Any]) -> bool:
    """Wait for a job, run it and send its report; False when the caller has hung up instead.

    Raises OSError when the program could not be confined.
    """
    scratch = confine.SCRATCH
    if plan["nested"]:
        # Where there is no filter, System V and message queues are kept apart by their namespace.
        kernel.unshare(kernel.CLONE_NEWNS | (kernel.CLONE_NEWIPC if plan["filter"] is None else 0))
    else:
        kernel.become_subreaper()
    job = wire.receive_job(control)
    if job is None:
        return False
    if plan["nested"]:
        confine.mount_scratch(job["limits"]["scratch_bytes"])
    elif plan["mode"] == "none" or plan["tool"] is None:
        scratch = confine.make_folder(plan)
    try:
        gate = None if plan["tool"] is None else command.Gate(job["stdin"], plan)
        nonce = os.urandom(16).hex()
        program, result, output, setup = _start(job, plan, scratch, gate, nonce)
        memory = None if gate is None else gate.memory
        watch = _Watch(control, plan["children"], program, result, output, job["limits"], memory)
        watch.follow()
        status, usage = watch.end(nested=plan["nested"], orphans=plan["mode"] == "none")
        watch.drain()
        trouble = _read_all(setup)
        if trouble:
            raise OSError(trouble.decode("utf-8", "replace"))
        if gate is not None and usage.ru_maxrss * 1024 > job["limits"]["memory_bytes"]:
            watch.stopped = watch.stopped or "memory"  # rose and ended between two looks
    finally:
        if scratch != confine.SCRATCH:
            confine.remove_folder(scratch)
    report: dict[str, str | float | bool] = {
        "event": "report",
        "stopped": watch.stopped,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "cpu": usage.ru_utime + usage.ru_stime,
        "seconds": watch.seconds,
        "nonce": nonce,
        "cut": watch.cut,
    }
    wire.send(control, report, bytes(watch.result_bytes), bytes(watch.output_bytes))
    return True


def _start(
    job: dict[str, Any], plan: dict[str, Any], scratch: str, gate: command.Gate | None, nonce: str
) -> tuple[int, int, int, int]:
    """The program's process and the pipes it writes: result and output, of a command stdout and stderr.

    On the last one it says why it could not be confined.
    """
    pipes = [os.pipe() for _ in range(3)]
    program = os.fork()
    if program == 0:
        writes = [write for _, write in pipes]
        if gate is None:
            _become_program(job, plan, scratch, writes, nonce)
        else:
            command.become(job, plan, scratch, gate, writes)
    for _, write in pipes:
        os.close(write)
    (result, _), (output, _), (setup, _) = pipes
    if gate is not None:
        gate.open(setup)
        if not gate.passed:
            why = _read_all(setup) or b"the process that was to run the command ended before it did"
            os.waitpid(program, 0)
            raise OSError(why.decode("utf-8", "replace"))
    return program, result, output, setup


class _Watch:
    """The pipes, the clock and the caller's line, looked at in one place."""

    def __init__(
        self,
        control: socket.socket,
        children: int,
        program: int,
        result: int,
        output: int,
        limits: dict[str, Any],
        memory: Callable[[], int] | None,
    ) -> None:
        self.control, self.children, self.program = control, children, program
        self.result, self.output = result, output
        self.limits, self.memory = limits, memory
        self.result_bytes, self.output_bytes = bytearray(), bytearray()
        self.stopped, self.seconds, self.cut = "", 0.0, False
        self.ended: tuple[int, Any] | None = None
        os.set_blocking(result, False)
        os.set_blocking(output, False)

    def follow(self) -> None:
        """Until the program's main process ends, its time is up, or the caller is gone."""
        begun = time.monotonic()
        deadline = begun + self.limits["wall_seconds"]
        poller = select.poll()
        for fd in (self.control.fileno(), self.children):
            poller.register(fd, select.POLLIN)
        if self.memory is None:
            poller.poll(min(_SHORT_MS, 1000 * self.limits["wall_seconds"]))
            self._reap()
        if self.ended is None:
            for fd in (self.result, self.output):
                poller.register(fd, select.POLLIN)
            with contextlib.suppress(OSError):  # a caller that is gone is found below
                wire.send(self.control, {"event": "started"})
        while not self.stopped and self.ended is None:
            left = deadline - time.monotonic()
            if left <= 0:
                self.stopped = "timeout"
                break
            patience = left * 1000 + 1
            ready = dict(poller.poll(patience if self.memory is None else min(patience, _LOOK_MS)))
            if self.control.fileno() in ready:
                self.stopped = "caller"
            for fd in (self.result, self.output):
                if fd in ready and self._take(fd) == 0:
                    poller.unregister(fd)
            if self.children in ready:
                self._reap()
            if self.ended is None and self.memory is not None and self.memory() > self.limits["memory_bytes"]:
                self.stopped = "memory"
        self.seconds = time.monotonic() - begun

    def _reap(self) -> bool:
        """Take note of every process that has ended; orphans come here, too. Whether any is left."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.children, _CHUNK)
        try:
            while (found := os.wait4(-1, os.WNOHANG))[0]:
                if found[0] == self.program:
                    self.ended = found[1:]
        except ChildProcessError:
            return False
        return True

    def end(self, *, nested: bool, orphans: bool) -> tuple[int, Any]:
        """Kill the program and every process it left behind; what remains after is nothing."""
        if self._reap():
            if nested:
                os.kill(-1, signal.SIGKILL)  # all of the namespace but its process 1, which this one is
            elif self.ended is None:
                os.kill(self.program, signal.SIGKILL)
        while self.ended is None or nested:
            try:
                found = os.wait4(-1, 0)
            except ChildProcessError:
                break
            if found[0] == self.program:
                self.ended = found[1:]
        if orphans:
            _end_orphans()
        assert self.ended is not None
        return self.ended

    def _take(self, fd: int) -> int:
        """Read what is there, keep what is within the limits; 0 at the end of the pipe."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return -1
        if fd == self.output or self.memory is not None:  # both streams of a command are output
            kept = self.output_bytes if fd == self.output else self.result_bytes
            room = max(0, self.limits["output_bytes"] - len(kept))
            kept += data[:room]
            self.cut = self.cut or len(data) > room
        else:
            self.result_bytes += data
            if len(self.result_bytes) > self.limits["result_bytes"]:
                self.stopped = "overflow"
        return len(data)

    def drain(self) -> None:
        """What was still in the pipes when the last writer died; never more than a pipe can hold."""
        for fd in (self.result, self.output):
            for _ in range(64):
                if self._take(fd) <= 0:
                    break
            os.close(fd)


def _become_program(
    job: dict[str, Any], plan: dict[str, Any], scratch: str, writes: list[int], nonce: str
) -> None:
    """In the child: keep two pipes, give up everything else, run the program. Never returns."""
    setup = -1
    try:
        os.setsid()
        result_fd, output_fd, setup_fd = writes
        os.dup2(output_fd, 1)
        os.dup2(output_fd, 2)
        result = os.dup2(result_fd, 300 + int.from_bytes(os.urandom(4), "big") % 600)
        setup = os.dup2(setup_fd, 999)
        for hook in plan["hooks"]:
            os.register_at_fork(**hook)
        if scratch != confine.SCRATCH:
            os.environ.update({"HOME": scratch, "TMPDIR": scratch})
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, [])
        confine.confine_program(job["limits"], plan, scratch)
        os.closerange(3, result)
        os.closerange(result + 1, setup)
        kernel.close_from(setup + 1)
        confine.filter_calls(plan)
        os.close(setup)
        gc.enable()
        harness.run(job, result, nonce)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            os.write(setup, str(error).encode("utf-8", "replace")[:2000] or b"unknown error")
    finally:
        os._exit(71)


def _read_all(fd: int) -> bytes:
    data = b""
    while chunk := os.read(fd, _CHUNK):
        data += chunk
    os.close(fd)
    return data


def _end_orphans() -> None:
    """Without a PID namespace: descendants come to this subreaper as their parents die, and are ended."""
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
        except ChildProcessError:
            return


def _children() -> list[int]:
    me = os.getpid()
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    found = []
    for number in numbers:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{number}/stat", "rb") as file:
                fields = file.read().rsplit(b")", 1)[1].split()
            if int(fields[1]) == me:
                found.append(number)
    return found
