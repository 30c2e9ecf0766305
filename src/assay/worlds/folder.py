"""A private folder of small text files, for worlds whose state is real.

Names come from whoever is measured and are hostile: a plain name, or one folder and a plain name. They are opened
step by step below the folder's own descriptor, and no link is followed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .model import Refused
from .scratch import scratch_folder

__all__ = ["Folder", "encodable"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}(\.[A-Za-z0-9]{1,8})?")
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_LARGEST = 100_000  # bytes a file may come to


def encodable(text: str) -> bytes:
    """The text as bytes. A lone surrogate is no text."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("the text holds characters that cannot be written as UTF-8") from None


class Folder:
    """Made on opening, removed on closing. Folders inside come and go with their files."""

    def __init__(self) -> None:
        self.path = scratch_folder()
        self._root = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def has(self, name: str) -> bool:
        with suppress(Refused, OSError), self._within(name) as (place, last):
            os.stat(last, dir_fd=place, follow_symlinks=False)
            return True
        return False

    def read(self, name: str) -> str:
        try:
            with self._within(name) as (place, last):
                return _contents(last, place)
        except OSError:
            raise Refused(f"there is no file {name}") from None

    def create(self, name: str, content: str) -> None:
        """A new file. What exists is never overwritten."""
        self._write(name, content, os.O_EXCL)

    def replace(self, name: str, content: str) -> None:
        """A file's whole content, whether it existed or not."""
        self._write(name, content, os.O_TRUNC)

    def append(self, name: str, line: str) -> None:
        """One more line at the end of a file that exists."""
        before = self.read(name)
        added = line if before.endswith("\n") or not before else "\n" + line
        self.replace(name, before + added + "\n")

    def move(self, name: str, to: str) -> None:
        if not self.has(name):
            raise Refused(f"there is no file {name}")
        if self.has(to):
            raise Refused(f"there is already a file {to}; nothing was moved")
        try:
            with self._within(name) as (place, last), self._within(to, make=True) as (new_place, new_last):
                os.rename(last, new_last, src_dir_fd=place, dst_dir_fd=new_place)
        except OSError:
            raise Refused(f"{name} cannot be moved to {to}") from None
        self._tidy(name)

    def delete(self, name: str) -> None:
        try:
            with self._within(name) as (place, last):
                os.unlink(last, dir_fd=place)
        except OSError:
            raise Refused(f"there is no file {name}") from None
        self._tidy(name)

    def tree(self) -> dict[str, str]:
        """Every file and what it holds, in order of names."""
        found: dict[str, str] = {}
        for where, _, names, place in os.fwalk(".", dir_fd=self._root, follow_symlinks=False):
            for name in names:
                found[os.path.normpath(os.path.join(where, name))] = _contents(name, place)
        return dict(sorted(found.items()))

    def close(self) -> None:
        if self._root >= 0:
            os.close(self._root)
            self._root = -1
            shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, content: str, how: int) -> None:
        data = encodable(content)
        if len(data) > _LARGEST:
            raise Refused(f"a file may have {_LARGEST} bytes at most")
        try:
            with self._within(name, make=True) as (place, last):
                opened = os.open(last, os.O_WRONLY | os.O_CREAT | how | _FILE, 0o600, dir_fd=place)
        except FileExistsError:
            raise Refused(f"there is already a file {name}; it was left as it is") from None
        except OSError:
            raise Refused(
                f"{name} cannot be written: a folder or a file of that name is in the way"
            ) from None
        with os.fdopen(opened, "wb") as file:
            file.write(data)

    @contextmanager
    def _within(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The descriptor of the folder that holds a name, and the name's last part."""
        parts = name.split("/")
        if len(parts) > 2 or not all(_NAME.fullmatch(part) for part in parts):
            raise Refused(
                f"{name[:80]!r} is no name here: letters, digits, _ and -, an ending such as .txt, and at most one "
                "folder before it, as in folder/name.txt"
            )
        if len(parts) == 1:
            yield self._root, name
            return
        if make:
            with suppress(FileExistsError):
                os.mkdir(parts[0], 0o700, dir_fd=self._root)
        place = os.open(parts[0], os.O_RDONLY | os.O_DIRECTORY | _FILE, dir_fd=self._root)
        try:
            yield place, parts[1]
        finally:
            os.close(place)

    def _tidy(self, name: str) -> None:
        """A folder without files is no folder."""
        if "/" in name:
            with suppress(OSError):
                os.rmdir(name.split("/")[0], dir_fd=self._root)


def _contents(name: str, place: int) -> str:
    with os.fdopen(os.open(name, os.O_RDONLY | _FILE, dir_fd=place), "rb") as file:
        return file.read(_LARGEST + 1).decode("utf-8", "backslashreplace")  # a larger one is not of the world
