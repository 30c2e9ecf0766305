"""Runs a declared command of the host in place of a Python program.

The child is confined like any other and then becomes the command, by the only ``execve`` that is ever let
pass: the filter puts each one to the supervisor, which answers the first and hangs up. As the command may
start threads but no processes, one process is all there is to limit, to measure and to end.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
from typing import Any, Final

from . import confine, kernel

__all__ = ["Gate", "become"]

_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
_NOTICE_BYTES, _GO_ON = 80, 1
_LINE_FD, _SETUP_FD = 998, 999
_STATUS: Final = 8192


class Gate:
    """What passes between a supervisor and the child that is to become the command."""

    def __init__(self, stdin: str, plan: dict[str, Any]) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.stdin = _input(stdin.encode("utf-8"), plan)
        self.proc, self.process, self.passed = plan["proc"], "", False

    def open(self, setup: int) -> None:
        """In the supervisor: let the one ``execve`` pass. A child that failed has said why on ``setup``."""
        self.theirs.close()
        os.close(self.stdin)
        word, listeners, _, _ = socket.recv_fds(self.ours, 32, 1)
        self.ours.close()
        self.process = word.decode("ascii")
        self.passed = bool(word) and not listeners  # unconfined, where the kernel has no such filter
        for listener in listeners:
            try:
                self._answer(listener, setup)
            finally:
                os.close(listener)

    def _answer(self, listener: int, setup: int) -> None:
        self._status()  # memory that cannot be measured is not limited: then nothing is started
        poller = select.poll()
        poller.register(listener, select.POLLIN)
        poller.register(setup, select.POLLIN)
        if (listener, select.POLLIN) not in poller.poll():
            return
        notice = bytearray(_NOTICE_BYTES)
        fcntl.ioctl(listener, _RECEIVE, notice)
        (number,) = struct.unpack_from("=Q", notice)
        fcntl.ioctl(listener, _ANSWER, struct.pack("=QqiI", number, 0, 0, _GO_ON))
        self.passed = True

    def memory(self) -> int:
        """The bytes the command has in memory or swapped out; nothing once it has ended."""
        try:
            rows = self._status().split(b"\n")
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return sum(1024 * int(row.split()[1]) for row in rows if row.startswith((b"VmRSS:", b"VmSwap:")))

    def _status(self) -> bytes:
        status = os.open(f"{self.process}/status", os.O_RDONLY, dir_fd=self.proc)
        try:
            return os.read(status, _STATUS)
        finally:
            os.close(status)


def _input(data: bytes, plan: dict[str, Any]) -> int:
    """A file that holds ``data``, opened for reading; ``/dev/stdin`` leads to it inside namespaces."""
    if plan["nested"]:
        confine.mount_input(len(data))
    folder = confine.INPUT if plan["mode"] != "none" else confine.make_folder(plan)
    path = folder + "/stdin"
    with open(path, "xb") as file:
        file.write(data)
    os.chmod(path, 0o444)
    stdin = os.open(path, os.O_RDONLY)
    if plan["mode"] == "none":
        confine.remove_folder(folder)
    elif plan["nested"]:
        kernel.remount_read_only(confine.INPUT)
    return stdin


def become(job: dict[str, Any], plan: dict[str, Any], scratch: str, gate: Gate, writes: list[int]) -> None:
    """In the child: keep three descriptors, give up everything else, be the command. Never returns."""
    try:
        os.setsid()
        output, errors, setup = writes
        me = os.readlink("self", dir_fd=gate.proc)  # the number it has where the memory is read
        for source, target in ((gate.stdin, 0), (output, 1), (errors, 2)):
            os.dup2(source, target)
        os.dup2(setup, _SETUP_FD, inheritable=False)
        line = socket.socket(fileno=_moved(gate.theirs.fileno(), _LINE_FD))
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        confine.confine_program(job["limits"], plan, scratch)
        os.closerange(3, _LINE_FD)
        kernel.close_from(_SETUP_FD + 1)
        listener = confine.filter_calls(plan)
        _write_files(job["files"])
        socket.send_fds(line, [me.encode("ascii")], [] if listener is None else [listener])
        tool = plan["tool"]
        os.execve(tool["executable"], [tool["name"], *job["command"][1:]], _environment(scratch, plan))  # noqa: S606
    except BaseException as error:
        with contextlib.suppress(BaseException):
            os.write(_SETUP_FD, str(error).encode("utf-8", "replace")[:2000] or b"unknown error")
    finally:
        os._exit(71)


def _moved(fd: int, target: int) -> int:
    return os.dup2(fd, target, inheritable=False)


def _write_files(files: dict[str, str]) -> None:
    """Into the current folder, which is the scratch folder, as the user the command runs as."""
    for name, text in files.items():
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(file, "wb") as stream:
            stream.write(text.encode("utf-8"))


def _environment(scratch: str, plan: dict[str, Any]) -> dict[str, str]:
    plain = {"HOME": scratch, "TMPDIR": scratch, "PATH": "", "LANG": "C.UTF-8", "TZ": "UTC"}
    if plan["mode"] == "none":  # there the machine's own file is in sight and refused, which ends node
        plain["OPENSSL_CONF"] = "/dev/null"
    return plain
