"""Landlock: which files a process may touch, refused by the kernel for it and its children.

After Salaün, "Landlock LSM: kernel documentation". A `Ruleset` is made ready once in a worker, with its paths
opened, and put in force in the process of every program.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

from .kernel import system_call

__all__ = ["Ruleset", "abi"]

# These numbers are the same on every architecture but alpha: they were added after the tables were unified.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_DIR = 1, 1 << 2, 1 << 3
_ON_FILES: Final = (1 << 1) | _READ_FILE | (1 << 14)  # write, read, truncate
_FS_BITS: Final = {1: 13, 2: 14, 3: 15, 4: 15}  # how many access rights each ABI knows; 16 from ABI 5
_NEVER_IN_SCRATCH: Final = _EXECUTE | (1 << 6) | (1 << 11)  # execute, character and block devices
_NONE, _BENEATH = ctypes.c_uint(0), ctypes.c_int(1)


def abi() -> int:
    """The version of Landlock the kernel offers; 0 where it has none."""
    try:
        return system_call(_CREATE, "landlock_create_ruleset", None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


class Ruleset:
    """Refuses every access to files but reading below ``readable`` and working in one folder.

    Nothing can be executed but the files named by ``executable``. From ABI 4 on TCP is refused as well, from
    ABI 6 on abstract sockets of and signals to processes outside.
    """

    def __init__(
        self, readable: Iterable[str], devices: Iterable[str], executable: Iterable[str] = ()
    ) -> None:
        version = abi()
        self._handled = (1 << _FS_BITS.get(version, 16)) - 1
        self._attributes = struct.pack("=Q", self._handled)
        self._attributes += struct.pack("=Q", 0b11) if version >= 4 else b""
        self._attributes += struct.pack("=Q", 0b11) if version >= 6 else b""
        self._rules: list[bytes] = []
        self._rules += [
            _rule(path, _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)) for path in readable
        ]
        self._rules += [_rule(path, _READ_FILE | _EXECUTE) for path in executable]
        self._rules += [_rule(path, _ON_FILES & self._handled) for path in devices]

    def restrict(self, readable: Iterable[str] = ()) -> None:
        """Put the rules in force for this process, which may work in its current folder.

        ``readable`` are further folders, those that were mounted for this process alone. Needs ``no_new_privs``.
        Leaves descriptors open.
        """
        size = ctypes.c_size_t(len(self._attributes))
        made = system_call(_CREATE, "landlock_create_ruleset", self._attributes, size, _NONE)
        rules = ctypes.c_int(made)
        own = [_rule(path, _READ_FILE | _READ_DIR) for path in readable]
        own.append(_rule(".", self._handled & ~_NEVER_IN_SCRATCH))
        for rule in (*self._rules, *own):
            system_call(_ADD, "landlock_add_rule", rules, _BENEATH, rule, _NONE)
        system_call(_RESTRICT, "landlock_restrict_self", rules, _NONE)


def _rule(path: str, access: int) -> bytes:
    return struct.pack("=Qi", access, os.open(path, os.O_PATH | os.O_CLOEXEC))
