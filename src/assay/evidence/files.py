"""Files that appear whole or not at all.

Written beside under a name nobody can foresee, synced, renamed into place: a crash leaves the old file or the new
one, and a link that somebody left in the folder is replaced, never followed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

__all__ = ["replacing", "sync_folder", "write_whole"]


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


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
