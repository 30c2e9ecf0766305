"""The append-only ledger: one writer, one segment.

An event is handed to the operating system before ``append`` returns, so that killing the process loses none.
``sync`` makes it survive a power cut; the bench calls it at most 200 ms after a write and before it reports
success. A failed write is undone to the last whole line, so that a full disk leaves a sound ledger.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from assay.canonical import encode
from assay.errors import InputError, StorageFull

from .chain import Tail, find_tail, genesis, seal
from .events import Event, decode_event
from .files import sync_folder
from .redaction import Redactor

__all__ = ["CHALLENGE", "Ledger", "challenge_paths", "recover", "segment_paths"]

CHALLENGE = "challenge-"  # begins the names of segments that are about the run and no part of its evidence


def segment_paths(folder: Path) -> list[Path]:
    """The segments of a ledger in the order in which they were begun."""
    return sorted(
        path for path in folder.glob("[0-9][0-9][0-9][0-9].jsonl") if path.is_file() and not path.is_symlink()
    )


def challenge_paths(folder: Path) -> list[Path]:
    """The segments that hold records of challenges, in the order in which they were begun."""
    return sorted(
        path
        for path in folder.glob(f"{CHALLENGE}[0-9][0-9][0-9][0-9].jsonl")
        if path.is_file() and not path.is_symlink()
    )


class Ledger:
    """Writes one new segment. Every later segment of a run names the heads of those before it.

    A ``challenge`` segment is numbered apart: nothing that reads the evidence reads it.
    """

    def __init__(
        self, folder: Path, lock: str, redactor: Redactor | None = None, *, challenge: bool = False
    ) -> None:
        self.redactor = redactor or Redactor()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.path, self._fd = _begin_segment(folder, CHALLENGE if challenge else "")
        except OSError as error:
            raise StorageFull(f"no segment could be begun in {folder}: {error.strerror}") from error
        self._head = genesis(lock, self.path.name)
        self._size = 0
        self._dirty = False
        self._failed: str | None = None
        self._unsynced: str | None = None

    @property
    def head(self) -> str:
        return self._head.decode()

    def append(self, event: Event) -> Event:
        """Record an event and return it as it stands in the ledger, secrets taken out."""
        encoded = encode(event)
        if self.redactor.active:
            cleaned = self.redactor.clean(encoded)
            if cleaned is not encoded:
                event, encoded = decode_event(cleaned), cleaned
        line, head = seal(self._head, encoded)
        self._write(line)
        self._head = head
        self._size += len(line)
        return event

    def _write(self, line: bytes) -> None:
        if self._failed:
            raise StorageFull(self._failed)
        self._dirty = True
        try:
            done = os.write(self._fd, line)
            while done < len(line):  # a short write comes before the error on a full disk
                done += os.write(self._fd, line[done:])
        except OSError as error:
            self._failed = (
                f"the ledger {self.path} could not be written: {error.strerror}. "
                "Everything recorded so far is safe; make room and resume the run."
            )
            with contextlib.suppress(OSError):  # else the torn line is cut off when the run is resumed
                os.ftruncate(self._fd, self._size)
            raise StorageFull(self._failed) from error

    def sync(self) -> None:
        """Make everything written so far survive a power cut."""
        if self._unsynced:
            raise StorageFull(self._unsynced)
        if self._dirty:
            self._dirty = False  # before, not after: an event may be appended meanwhile
            try:
                os.fsync(self._fd)
            except OSError as error:
                # the kernel may have dropped the pages, and a second fsync would claim success
                self._failed = self._unsynced = (
                    f"the ledger {self.path} could not be synced: {error.strerror}; put the disk right and resume"
                )
                raise StorageFull(self._unsynced) from error

    def close(self) -> None:
        if self._fd >= 0:
            try:
                self.sync()
            finally:
                os.close(self._fd)
                self._fd = -1


def _begin_segment(folder: Path, prefix: str) -> tuple[Path, int]:
    """A new file under the next free number, whoever else may be beginning one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
    last = challenge_paths(folder) if prefix else segment_paths(folder)
    for number in range(int(last[-1].stem.removeprefix(prefix)) + 1 if last else 1, 10_000):
        path = folder / f"{prefix}{number:04d}.jsonl"
        try:
            fd = os.open(path, flags, 0o644)
        except FileExistsError:
            continue
        sync_folder(folder)
        return path, fd
    raise InputError(f"{folder} holds 9,999 segments, which is as many as a ledger can have")


def recover(path: Path, lock: str) -> Tail:
    """Cut a torn tail off a segment, keep it beside, and say where the sound part ends."""
    tail = find_tail(path, genesis(lock, path.name))
    if tail.torn:
        try:
            _cut(path, tail.end)
        except OSError as error:
            raise StorageFull(f"the torn tail of {path} could not be cut off: {error.strerror}") from error
    return tail


def _cut(path: Path, end: int) -> None:
    """What is cut off is on disk before the segment gets shorter."""
    beside_path = path.with_name(f"{path.name}.torn-{end}")
    beside_path.unlink(missing_ok=True)  # whatever lies there, a link perhaps, is not written through
    with path.open("r+b") as file, beside_path.open("xb") as beside:
        file.seek(end)
        shutil.copyfileobj(file, beside)
        beside.flush()
        os.fsync(beside.fileno())
        sync_folder(path.parent)
        file.truncate(end)
        os.fsync(file.fileno())
