"""A seccomp filter in classic BPF: system calls that are not listed in ``syscalls`` are refused.

Sockets are let pass for AF_UNIX only (AF_VSOCK and AF_ALG are not held by a network namespace), ``clone``
without namespaces, ``prlimit64`` for the process itself. Where a declared command is to be run, ``execve`` is
put to the supervisor, which lets one pass. Only architectures whose numbers are listed get a filter.
The filter is a search tree: the kernel runs it for every number when it is put in force.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from itertools import groupby
from typing import Final

from . import syscalls

__all__ = ["Filter", "supported"]

_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_NAMESPACE_FLAGS: Final = 0x7E020000
_THREAD_FLAG: Final = 0x00010000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO, _ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_SECCOMP: Final = (317, 277)
_SET_FILTER, _NEW_LISTENER = 1, 8
_OFF_NUMBER, _OFF_ARCH, _OFF_ARG0 = 0, 4, 16
_UNIX: Final = 1

Code = tuple[tuple[int, int, int, int], ...]  # operation, operand, and how far to jump if true and if false


def _answer(value: int) -> Code:
    return ((_RETURN, value, 0, 0),)


_PASS, _REFUSE, _ABSENT = _answer(_ALLOW), _answer(_ERRNO | errno.EPERM), _answer(_ERRNO | errno.ENOSYS)


def _if_first_argument_is(value: int) -> Code:
    return ((_LOAD, _OFF_ARG0, 0, 0), (_EQUAL, value, 0, 1), *_PASS, *_REFUSE)


def supported() -> bool:
    """Whether this machine's system call numbers are known here."""
    return os.uname().machine in _ARCHITECTURES and ctypes.sizeof(ctypes.c_void_p) == 8


def _answers(column: int, *, no_processes: bool, ask: bool) -> list[Code]:
    """What each number is answered with; ``no_processes`` refuses all but threads."""
    answers = [_PASS if number in syscalls.ALLOWED[column] else _REFUSE for number in range(syscalls.LATEST)]
    for number in syscalls.SOCKETS[column]:
        answers[number] = _if_first_argument_is(_UNIX)
    answers[syscalls.PRLIMIT[column]] = _if_first_argument_is(0)
    clone: Code = ((_LOAD, _OFF_ARG0, 0, 0), (_ANY_BIT, _NAMESPACE_FLAGS, 1, 0), *_PASS, *_REFUSE)
    if no_processes:
        thread = (_ANY_BIT, _THREAD_FLAG, 0, 1)
        clone = ((_LOAD, _OFF_ARG0, 0, 0), (_ANY_BIT, _NAMESPACE_FLAGS, 2, 0), thread, *_PASS, *_REFUSE)
        for number in syscalls.FORKS[column]:
            answers[number] = _REFUSE
    answers[syscalls.CLONE[column]] = clone
    answers[syscalls.CLONE3[column]] = _ABSENT  # its flags are in memory; libc falls back to clone
    if ask:
        answers[syscalls.EXECVE[column]] = _answer(_ASK)
    return answers


def _tree(ranges: list[tuple[int, Code]]) -> Code:
    """Finds the last range that starts at or below the number."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _tree(ranges[:middle]), _tree(ranges[middle:])
    return ((_AT_LEAST, ranges[middle][0], len(below), 0), *below, *above)


def _program(column: int, arch: int, *, no_processes: bool, ask: bool) -> bytes:
    answers = _answers(column, no_processes=no_processes, ask=ask)
    runs = groupby(enumerate(answers), key=lambda pair: pair[1])
    ranges = [(next(run)[0], answer) for answer, run in runs]
    ranges += [(syscalls.LATEST, _ABSENT), (0x40000000, _REFUSE)]  # the last: the x32 table of x86_64
    code: Code = (
        (_LOAD, _OFF_ARCH, 0, 0),
        (_EQUAL, arch, 1, 0),
        *_answer(_KILL),
        (_LOAD, _OFF_NUMBER, 0, 0),
        *_tree(ranges),
    )
    return b"".join(struct.pack("=HBBI", op, yes, no, operand) for op, operand, yes, no in code)


class Filter:
    """A filter made ready once, to be put in force in many processes. All need ``no_new_privs``."""

    def __init__(self, *, no_processes: bool = False, ask: bool = False) -> None:
        if not supported():
            raise OSError(errno.ENOSYS, f"the system calls of {os.uname().machine} are not known here")
        column, arch = _ARCHITECTURES[os.uname().machine]
        text = _program(column, arch, no_processes=no_processes or ask, ask=ask)
        self._buffer = ctypes.create_string_buffer(text, len(text))
        self._header = struct.pack("@HP", len(text) // 8, ctypes.addressof(self._buffer))
        self._number = ctypes.c_long(_SECCOMP[column])
        self._libc = ctypes.CDLL(None, use_errno=True)

    def install(self) -> None:
        """Put the filter in force for this process and its children."""
        self._seccomp(0, "seccomp")

    def install_asking(self) -> int:
        """Put the filter in force for a command: threads only, and every ``execve`` waits for an answer.

        Returns the descriptor the questions come out of. Once it is closed there is no ``execve`` any more
        (ENOSYS). Needs Linux 5.5.
        """
        return self._seccomp(_NEW_LISTENER, "seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER)")

    def _seccomp(self, flags: int, call: str) -> int:
        operation = ctypes.c_uint(_SET_FILTER)
        answer: int = self._libc.syscall(self._number, operation, ctypes.c_uint(flags), self._header)
        if answer < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{call}: {os.strerror(number)}")
        return answer
