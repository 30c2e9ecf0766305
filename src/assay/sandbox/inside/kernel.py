"""The Linux calls that Python 3.11 has no function for, made with ctypes.

Namespaces and mounts, capabilities, Landlock (Salaün, "Landlock LSM: kernel documentation") and prctl.
Everything raises OSError with the name of the call that failed.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
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
    "die_with_parent",
    "drop_bounding_set",
    "drop_capabilities",
    "landlock_abi",
    "landlock_restrict",
    "make_mounts_private",
    "mount_tmpfs",
    "no_new_privileges",
    "pivot_root",
    "remount_read_only",
    "seccomp_mode",
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
_PR_SET_PDEATHSIG, _PR_GET_SECCOMP, _PR_CAPBSET_DROP = 1, 21, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SIGKILL = 9
# These numbers are the same on every architecture but alpha: they were added after the tables were unified.
_SYS_MOUNT_SETATTR, _SYS_LANDLOCK_CREATE, _SYS_LANDLOCK_ADD, _SYS_LANDLOCK_RESTRICT = 442, 444, 445, 446
_SYS_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine)

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def _syscall(number: int, call: str, *arguments: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), call)


def _prctl(option: int, value: int, call: str) -> int:
    zero = ctypes.c_ulong(0)
    return _checked(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), call)


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags`` for fresh ones."""
    _checked(_libc.unshare(flags), "unshare")


def die_with_parent() -> None:
    """Be killed when the process (thread) that started this one ends. Any change of uid undoes it."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL, "prctl(PR_SET_PDEATHSIG)")


def become_subreaper() -> None:
    """Adopt descendants whose own parent has died, so that they can be found and ended."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, "prctl(PR_SET_CHILD_SUBREAPER)")


def no_new_privileges() -> None:
    """No setuid program or file capability takes effect from here on."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, "prctl(PR_SET_NO_NEW_PRIVS)")


def seccomp_mode() -> int:
    """0 none, 2 a filter is in force."""
    return _prctl(_PR_GET_SECCOMP, 0, "prctl(PR_GET_SECCOMP)")


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
        _syscall(_SYS_MOUNT_SETATTR, "mount_setattr", at_fdcwd, path, at_recursive, attributes, size)
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
    _syscall(_SYS_PIVOT_ROOT, "pivot_root", os.fsencode(new), os.fsencode(old))


_EXECUTE, _READ_FILE, _READ_DIR = 1, 1 << 2, 1 << 3
_ON_FILES: Final = (1 << 1) | _READ_FILE | (1 << 14)  # write, read, truncate
_FS_BITS: Final = {1: 13, 2: 14, 3: 15, 4: 15}  # how many access rights each ABI knows; 16 from ABI 5
_NEVER_IN_SCRATCH: Final = _EXECUTE | (1 << 6) | (1 << 11)  # execute, character and block devices


def landlock_abi() -> int:
    """The version of Landlock the kernel offers; 0 where it has none."""
    try:
        return _syscall(
            _SYS_LANDLOCK_CREATE, "landlock_create_ruleset", None, ctypes.c_size_t(0), ctypes.c_uint(1)
        )
    except OSError:
        return 0


def landlock_restrict(
    readable: Iterable[str], devices: Iterable[str], writable: str, executable: Iterable[str] = ()
) -> None:
    """Refuse every access to files but reading below ``readable`` and working below ``writable``.

    Nothing can be executed but the files named by ``executable``.
    From ABI 4 on TCP is refused as well, from ABI 6 on abstract sockets of and signals to processes
    outside. Needs `no_new_privileges` first.
    """
    abi = landlock_abi()
    handled = (1 << _FS_BITS.get(abi, 16)) - 1
    attributes = struct.pack("=Q", handled)
    attributes += struct.pack("=Q", 0b11) if abi >= 4 else b""
    attributes += struct.pack("=Q", 0b11) if abi >= 6 else b""
    size = ctypes.c_size_t(len(attributes))
    rules = _syscall(_SYS_LANDLOCK_CREATE, "landlock_create_ruleset", attributes, size, ctypes.c_uint(0))
    try:
        for path in readable:
            _allow(rules, path, _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0))
        for path in executable:
            _allow(rules, path, _READ_FILE | _EXECUTE)
        for path in devices:
            _allow(rules, path, _ON_FILES & handled)
        _allow(rules, writable, handled & ~_NEVER_IN_SCRATCH)
        _syscall(_SYS_LANDLOCK_RESTRICT, "landlock_restrict_self", ctypes.c_int(rules), ctypes.c_uint(0))
    finally:
        os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, beneath)
        kind = ctypes.c_int(1)
        _syscall(
            _SYS_LANDLOCK_ADD, f"landlock_add_rule {path}", ctypes.c_int(rules), kind, rule, ctypes.c_uint(0)
        )
    finally:
        os.close(beneath)
