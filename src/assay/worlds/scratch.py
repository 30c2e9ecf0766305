"""The private folder in which a process keeps its worlds' files. The next process removes it if this one is killed.

A process holds a lock on its folder for as long as it lives. A process that gets the lock of another's folder knows
that the owner is gone, and removes the folder.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

__all__ = ["scratch_folder"]

PREFIX = "assay-worlds-"
OWNER = "owner"
_homes: dict[int, Path] = {}  # by process: a forked one makes its own
_claiming = threading.Lock()  # worlds are opened in several threads


def scratch_folder() -> Path:
    """A new private folder for one world. The caller removes it."""
    process = os.getpid()
    with _claiming:
        home = _homes.get(process)
        if home is None or not home.is_dir():
            home = _homes[process] = _claim()
    return Path(tempfile.mkdtemp(dir=home))


def _claim() -> Path:
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    held = os.open(home / "claim", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    os.rename(home / "claim", home / OWNER)  # it has its name only once it is locked
    atexit.register(_leave, home, os.getpid())
    _sweep(home)
    return home


def _leave(home: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(home, ignore_errors=True)


def _sweep(own: Path) -> None:
    """Remove what processes left behind that were killed. What is not ours, or still held, is not touched."""
    for found in own.parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if found == own or found.is_symlink() or found.stat().st_uid != os.getuid():
                continue
            held = os.open(found / OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(found, ignore_errors=True)
            finally:
                os.close(held)
