"""Files that appear whole or not at all.

Written beside under a name nobody can foresee, synced, renamed into place: a crash leaves the old file or the new
one, and a link that somebody left in the folder is replaced, never followed.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from assay.errors import IntegrityError

__all__ = ["read_whole", "replacing", "sync_folder", "write_whole"]

LARGEST = 512 << 20  # bytes of a lock, a manifest or a reading


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write into that takes the place of ``path`` when the block ends well."""
    fd, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            yield cast(BinaryIO, file)
            file.flush()
            os.fchmod(fd, 0o644)
            os.fsync(fd)
        beside.replace(path)
        sync_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)


def read_whole(path: Path, most: int = LARGEST) -> bytes:
    """The bytes of an ordinary file. A folder that somebody sent may hold pipes, and files without an end."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise IntegrityError(f"{path.name}: not an ordinary file")
        content = file.read(most + 1)
    if len(content) > most:
        raise IntegrityError(f"{path.name}: longer than {most >> 20} MB")
    return content


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
