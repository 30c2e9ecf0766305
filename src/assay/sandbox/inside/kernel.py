"""The Linux calls that Python 3.11 has no function for, made with ctypes.

Namespaces and mounts, capabilities, descriptors and prctl.
Everything raises OSError with the name of the call that failed.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from typing import Final

__all__ = [
    "CLONE_NEWCGROUP",
    "CLONE_NEWIPC",
    "CLONE_NEWNET",
    "CLONE_NEWNS",
    "CLONE_NEWPID",
    "CLONE_NEWUSER",
    "CLONE_NEWUTS",
    "become_subreaper",
    "bind_read_only",
    "child_signals",
    "close_from",
    "die_with_parent",
    "drop_bounding_set",
    "drop_capabilities",
    "make_mounts_private",
    "mount_tmpfs",
    "no_new_privileges",
    "own_pid_namespace",
    "pivot_root",
    "rejoin_pid_namespace",
    "remount_read_only",
    "system_call",
    "unmount",
    "unshare",
]

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP = 1, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SIGKILL = 9
# These numbers are the same on every architecture but alpha: they were added after the tables were unified.
_SYS_CLOSE_RANGE, _SYS_MOUNT_SETATTR = 436, 442
_SYS_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine)

_libc = ctypes.CDLL(None, use_errno=True)
_ZERO: Final = ctypes.c_ulong(0)
_DESCRIPTORS: Final = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1] % 2**63, 1 << 20)  # -1 is infinity


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def system_call(number: int, call: str, *arguments: object) -> int:
    """A call that libc has no function for; ``call`` names it in the error."""
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), call)


def _prctl(option: int, value: int, call: str) -> int:
    return _checked(_libc.prctl(option, ctypes.c_ulong(value), _ZERO, _ZERO, _ZERO), call)


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags`` for fresh ones."""
    _checked(_libc.unshare(flags), "unshare")


def own_pid_namespace() -> int:
    """A descriptor of the PID namespace this process is in, for `rejoin_pid_namespace`."""
    try:
        return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.pidfd_open(os.getpid())  # taken for a namespace from Linux 5.8 on


def rejoin_pid_namespace(own: int) -> None:
    """Undo ``unshare(CLONE_NEWPID)``: later children are born in the namespace of this process again."""
    _checked(_libc.setns(own, CLONE_NEWPID), "setns")


def child_signals() -> int:
    """A descriptor that can be read when a child has ended. SIGCHLD is blocked from here on."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    mask = struct.pack("=Q120x", 1 << (signal.SIGCHLD - 1))
    return _checked(_libc.signalfd(-1, mask, os.O_NONBLOCK | os.O_CLOEXEC), "signalfd")


def close_from(first: int) -> None:
    """Close every descriptor from ``first`` on, however many the process that started this one had open."""
    try:
        system_call(_SYS_CLOSE_RANGE, "close_range", ctypes.c_uint(first), ctypes.c_uint(2**32 - 1), _ZERO)
    except OSError:  # before Linux 5.9
        os.closerange(first, _DESCRIPTORS)


def die_with_parent() -> None:
    """Be killed when the process (thread) that started this one ends. Any change of uid undoes it."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL, "prctl(PR_SET_PDEATHSIG)")


def become_subreaper() -> None:
    """Adopt descendants whose own parent has died, so that they can be found and ended."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, "prctl(PR_SET_CHILD_SUBREAPER)")


def no_new_privileges() -> None:
    """No setuid program or file capability takes effect from here on."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, "prctl(PR_SET_NO_NEW_PRIVS)")


def drop_bounding_set() -> None:
    """No capability can be gained by any later exec. Ends quietly at the kernel's last capability."""
    for capability in range(64):
        try:
            _prctl(_PR_CAPBSET_DROP, capability, "prctl(PR_CAPBSET_DROP)")
        except OSError:
            return


def drop_capabilities() -> None:
    """Give up every capability of this process."""
    header = struct.pack("=Ii", 0x20080522, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    def raw(text: str | None) -> bytes | None:
        return None if text is None else os.fsencode(text)

    result = _libc.mount(raw(source), raw(target), raw(kind), ctypes.c_ulong(flags), raw(data))
    _checked(result, f"mount {target}")


def make_mounts_private() -> None:
    """Nothing mounted from here on is seen outside."""
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)


def mount_tmpfs(target: str, *, options: str) -> None:
    """A memory file system from which nothing can be executed."""
    _mount("tmpfs", target, "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options)


def bind_read_only(source: str, target: str, *, device: bool = False) -> None:
    """Show ``source`` at ``target``, read-only with everything mounted below it."""
    _mount(source, target, None, _MS_BIND | _MS_REC)
    if not device:
        remount_read_only(target)


def remount_read_only(target: str, *, recursive: bool = True) -> None:
    """Make the mount at ``target`` read-only, with what is mounted below it where the kernel can (5.12)."""
    attributes = struct.pack("=QQQQ", _MS_RDONLY | _MS_NOSUID | _MS_NODEV, 0, 0, 0)
    at_fdcwd, at_recursive = ctypes.c_int(-100), ctypes.c_uint(0x8000 if recursive else 0)
    size = ctypes.c_size_t(len(attributes))
    path = os.fsencode(target)
    try:
        system_call(_SYS_MOUNT_SETATTR, "mount_setattr", at_fdcwd, path, at_recursive, attributes, size)
    except OSError:
        # Flags that were locked by a more privileged namespace have to be named again.
        held = os.statvfs(target).f_flag
        flags = held & (_MS_NOSUID | _MS_NODEV | _MS_NOEXEC | 1024 | 2048)
        flags |= (1 << 21) if held & 4096 else 0
        _mount("none", target, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV | flags)


def unmount(target: str) -> None:
    """Take a mount away, with everything below it."""
    _checked(_libc.umount2(os.fsencode(target), _MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and put the former root at ``old``."""
    if _SYS_PIVOT_ROOT is None:
        raise OSError(38, f"pivot_root: its number on {os.uname().machine} is not known")
    system_call(_SYS_PIVOT_ROOT, "pivot_root", os.fsencode(new), os.fsencode(old))
