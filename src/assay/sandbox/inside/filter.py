"""A seccomp filter in classic BPF: system calls no pure program needs are refused.

What is refused and why: looking into other processes, anything about mounts, namespaces, kernel modules,
keys, tracing and BPF; ``exec`` (there is nothing to execute); sockets other than AF_UNIX (AF_VSOCK and
AF_ALG are not held by a network namespace); memory that no rlimit counts (memfd, System V, message queues).
Where a declared command is to be run, ``execve`` is put to the supervisor instead, which lets one pass.
Only architectures whose numbers are listed here get a filter.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import Final

__all__ = ["install", "install_asking", "supported"]

_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
# name: (number on x86_64, number on aarch64), None where the architecture has no such call
_SOCKET, _CLONE, _CLONE3 = (41, 198), (56, 220), (435, 435)
_REFUSED: Final[dict[str, tuple[int | None, int]]] = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "personality": (135, 92),
    "fanotify_init": (300, 262),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "modify_ldt": (154, 0xFFFF),
    "iopl": (172, 0xFFFF),
    "ioperm": (173, 0xFFFF),
}
_NAMESPACE_FLAGS: Final = 0x7E020000
_THREAD_FLAG: Final = 0x00010000
_FORKS: Final = (57, 58)  # fork and vfork on x86_64
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO, _ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_SECCOMP: Final = (317, 277)
_SET_FILTER, _NEW_LISTENER = 1, 8
_OFF_NUMBER, _OFF_ARCH, _OFF_ARG0 = 0, 4, 16


def supported() -> bool:
    """Whether this machine's system call numbers are known here."""
    return os.uname().machine in _ARCHITECTURES and ctypes.sizeof(ctypes.c_void_p) == 8


def _program(column: int, arch: int, *, no_processes: bool, ask: bool = False) -> bytes:
    """Assemble: (operation, operand, label if true, label if false); None is the next instruction."""
    code: list[tuple[int, int, str | None, str | None]] = [
        (_LOAD, _OFF_ARCH, None, None),
        (_EQUAL, arch, None, "kill"),
        (_LOAD, _OFF_NUMBER, None, None),
        (_AT_LEAST, 0x40000000, "refuse", None),  # the x32 table of x86_64
        (_EQUAL, _SOCKET[column], "socket", None),
        (_EQUAL, _CLONE[column], "clone", None),
        (_EQUAL, _CLONE3[column], "absent", None),  # its flags are in memory; libc falls back to clone
    ]
    if ask:
        code.append((_EQUAL, _REFUSED["execve"][column] or 0, "ask", None))
    code += [(_EQUAL, number, "refuse", None) for row in _REFUSED.values() if (number := row[column])]
    if no_processes and column == 0:  # aarch64 has clone only
        code += [(_EQUAL, number, "refuse", None) for number in _FORKS]
    labels = {"allow": len(code)}
    code.append((_RETURN, _ALLOW, None, None))
    for label, answer in (
        ("kill", _KILL),
        ("refuse", _ERRNO | errno.EPERM),
        ("absent", _ERRNO | errno.ENOSYS),
        ("ask", _ASK),
    ):
        labels[label] = len(code)
        code.append((_RETURN, answer, None, None))
    labels["socket"] = len(code)
    code += [(_LOAD, _OFF_ARG0, None, None), (_EQUAL, 1, None, "+2"), (_RETURN, _ALLOW, None, None)]
    code.append((_RETURN, _ERRNO | errno.EPERM, None, None))
    labels["clone"] = len(code)
    code += [
        (_LOAD, _OFF_ARG0, None, None),
        (_ANY_BIT, _NAMESPACE_FLAGS, "+3" if no_processes else "+2", None),
    ]
    if no_processes:
        code.append((_ANY_BIT, _THREAD_FLAG, None, "+2"))
    code += [(_RETURN, _ALLOW, None, None), (_RETURN, _ERRNO | errno.EPERM, None, None)]

    def jump(here: int, label: str | None) -> int:
        if label is None:
            return 0
        return int(label) - 1 if label.startswith("+") else labels[label] - here - 1

    return b"".join(
        struct.pack("=HBBI", op, jump(here, yes), jump(here, no), operand)
        for here, (op, operand, yes, no) in enumerate(code)
    )


def install(*, no_processes: bool = False) -> bool:
    """Put the filter in force for this process and its children; False where it is not `supported`.

    ``no_processes`` refuses all but threads, for where no limit on processes would hold.

    Needs ``no_new_privs``.
    """
    if not supported():
        return False
    column, arch = _ARCHITECTURES[os.uname().machine]
    header, _keep = _header(_program(column, arch, no_processes=no_processes))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(22, ctypes.c_ulong(2), header, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl(PR_SET_SECCOMP): {os.strerror(number)}")
    return True


def install_asking() -> int:
    """Put the filter in force for a command: threads only, and every ``execve`` waits for an answer.

    Returns the descriptor the questions come out of. Once it is closed there is no ``execve`` any more
    (ENOSYS). Needs ``no_new_privs`` and Linux 5.5.
    """
    if not supported():
        raise OSError(errno.ENOSYS, f"the system calls of {os.uname().machine} are not known here")
    column, arch = _ARCHITECTURES[os.uname().machine]
    header, _keep = _header(_program(column, arch, no_processes=True, ask=True))
    libc = ctypes.CDLL(None, use_errno=True)
    operation, flags = ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_NEW_LISTENER)
    listener: int = libc.syscall(ctypes.c_long(_SECCOMP[column]), operation, flags, header)
    if listener < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER): {os.strerror(number)}")
    return listener


def _header(text: bytes) -> tuple[bytes, ctypes.Array[ctypes.c_char]]:
    """What the kernel is handed, and the buffer it points to, which must outlive the call."""
    buffer = ctypes.create_string_buffer(text, len(text))
    return struct.pack("@HP", len(text) // 8, ctypes.addressof(buffer)), buffer
