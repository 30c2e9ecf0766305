"""A folder as one file: a zip archive, written in one spelling and read as hostile input.

Everybody can open a zip. What makes it dangerous is that a reader may believe the directory at its end or the headers
before its entries, and that both may lie. Here they have to agree, entry follows entry without a gap, and whatever we
would not write is refused with the reason: links, devices, encrypted or doubled entries, names that lead out of the
folder, sizes that are not true, more than a declared measure of files and bytes.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from assay.errors import InputError, IntegrityError

from .files import replacing
from .manifest import is_plain

__all__ = ["is_archive", "unpack_archive", "write_archive"]

MOST_FILES = 10_000
LONGEST_NAME = 200  # bytes
LARGEST = 64 << 30  # bytes of all files together
RATIO = 50  # of all files to the archive, beyond ROOMY
ROOMY = 16 << 20  # bytes up to which the ratio does not matter
CHUNK = 1 << 20
FAR_RECORD = 56 + 20  # bytes of the end's other form, for what is beyond 4 GB

_MODE = stat.S_IFREG | 0o644
_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can have: the same run gives the same bytes on any day
_UTF8 = 0x800
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_FAR = 0xFFFFFFFF  # the value stands in the field for sizes beyond 4 GB
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


class _Entry(NamedTuple):
    name: str
    flags: int
    method: int
    crc: int
    packed: int  # bytes in the archive
    size: int
    offset: int


def is_archive(path: Path) -> bool:
    """Whether a file begins as a zip archive does that has something in it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PK\3\4"


def write_archive(path: Path, files: Mapping[str, Path | bytes]) -> dict[str, str]:
    """Pack files under their names, sorted, without times, owners or modes. Gives the SHA-256 of what was packed.

    What would compress so well that a reader must take it for a bomb is stored as it is.
    """
    total = _check_files(files)
    with replacing(path) as file:
        digests = _write(file, files, zipfile.ZIP_DEFLATED)
        if total > max(ROOMY, RATIO * file.tell()):
            file.seek(0)
            file.truncate()
            digests = _write(file, files, zipfile.ZIP_STORED)
    return digests


def _check_files(files: Mapping[str, Path | bytes]) -> int:
    """What a reader would refuse is not written. Gives the bytes of all files."""
    if len(files) > MOST_FILES:
        raise InputError(f"{len(files):,} files; a bundle has at most {MOST_FILES:,}")
    taken = _Names()
    for name in files:
        if problem := taken.problem(name):
            raise InputError(f"{name!r} cannot be put into a bundle: {problem}")
    total = sum(_size(content) for content in files.values())
    if total > LARGEST:
        raise InputError(f"{total:,} bytes; a bundle has at most {LARGEST:,}")
    return total


def _size(content: Path | bytes) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _write(file: BinaryIO, files: Mapping[str, Path | bytes], method: int) -> dict[str, str]:
    digests = {}
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DAY)
            info.create_system, info.external_attr, info.compress_type = 3, _MODE << 16, method
            info.file_size = _size(files[name])  # tells whether the header needs room for more than 4 GB
            sha256 = hashlib.sha256()
            with archive.open(info, "w") as entry:
                for chunk in _chunks(files[name]):
                    sha256.update(chunk)
                    entry.write(chunk)
            digests[name] = sha256.hexdigest()
    return digests


def _chunks(content: Path | bytes) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


class _Names:
    """Names that can stand beside each other in a folder of any file system."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def problem(self, name: str) -> str:
        """Why a name cannot be taken; empty when it can, and then it is."""
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            return f"its name is longer than {LONGEST_NAME} bytes"
        if not is_plain(name) or any(unicodedata.category(sign)[0] == "C" for sign in name):
            return "its name is no plain path below a folder"
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        parts = key.split("/")
        above = ["/".join(parts[:n]) for n in range(1, len(parts))]
        if other := self._taken.get(key):
            return (
                "it is there twice" if other == name else f"its name differs from {other!r} in spelling only"
            )
        if key in self._folders or any(folder in self._taken for folder in above):
            return "its name is that of a folder, too"
        spelled = ["/".join(name.split("/")[:n]) for n in range(1, len(parts))]
        for folder, own in zip(above, spelled, strict=True):
            if self._folders.setdefault(folder, own) != own:
                return f"the name of its folder differs from {self._folders[folder]!r} in spelling only"
        self._taken[key] = name
        return ""


def unpack_archive(path: Path, into: Path) -> None:
    """Unpack into an empty folder, or refuse with the reason. Nothing is believed before it was checked."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        try:
            entries, directory = _read_directory(file, end)
            _check_sizes(entries, end, into)
            place = 0
            for entry in entries:
                if entry.offset != place:
                    _refuse(entry.name, "is not where the entry before it ends")
                place = _check_header(file, entry) + entry.packed
                if place > directory:
                    _refuse(entry.name, "reaches into what follows it")
                _unpack(file, entry, into)
            if place != directory:
                raise IntegrityError("has data between its entries and its directory")
        except IntegrityError as error:
            raise IntegrityError(f"{path.name}: {error}") from None


def _refuse(name: str, what: str) -> NoReturn:
    raise IntegrityError(f"the entry {name!r} {what}")


def _read_directory(file: BinaryIO, end: int) -> tuple[list[_Entry], int]:
    """The entries by the directory at the end, and where that begins."""
    file.seek(max(0, end - _END.size))
    tail = file.read(_END.size)
    if len(tail) < _END.size or tail[:4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        file.seek(max(0, end - _END.size - 0xFFFF))
        behind = b"PK\5\6" in file.read(_END.size + 0xFFFF)
        raise IntegrityError("has data behind its end" if behind else "is cut short, or no zip archive")
    _, disk, first, here, count, size, offset, _ = _END.unpack(tail)
    if (disk, first) != (0, 0) or here != count:
        raise IntegrityError("is a part of an archive in several pieces")
    if count > MOST_FILES:
        raise IntegrityError(f"has {count:,} entries; a bundle has at most {MOST_FILES:,}")
    start = end - _END.size - size - _far_record(file, end, count, size)
    if start < 0 or offset not in (start, _FAR) or size > count * (_CENTRAL.size + LONGEST_NAME + 64):
        raise IntegrityError("has a directory that is not where its end says, or not as long")
    file.seek(start)
    data, place, entries, taken = file.read(size), 0, [], _Names()
    for _ in range(count):
        entry, place = _read_entry(data, place)
        if problem := taken.problem(entry.name):
            _refuse(entry.name, f"is refused: {problem}")
        entries.append(entry)
    if place != len(data):
        raise IntegrityError("has a directory that is longer than its entries")
    return entries, start


def _far_record(file: BinaryIO, end: int, count: int, size: int) -> int:
    """The bytes of the record that an archive of more than 2 GB has between its directory and its end; or none."""
    file.seek(max(0, end - _END.size - FAR_RECORD))
    record = file.read(FAR_RECORD)
    if record[-20:-16] != b"PK\6\7":
        return 0
    place = end - _END.size - FAR_RECORD
    expected = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, place - size)
    if record != expected + struct.pack("<4sIQI", b"PK\6\7", 0, place, 1):
        raise IntegrityError("has a second end that contradicts the first")
    return FAR_RECORD


def _read_entry(data: bytes, place: int) -> tuple[_Entry, int]:
    try:
        fields = _CENTRAL.unpack_from(data, place)
    except struct.error:
        raise IntegrityError("has a directory that is cut short") from None
    sign, made, _, flags, method, _, _, crc, packed, size, named, more, comment, disk, _, mode, offset = (
        fields
    )
    if sign != b"PK\1\2":
        raise IntegrityError("has a directory that cannot be read")
    place += _CENTRAL.size
    name = _decoded(data[place : place + named], flags)
    extra = data[place + named : place + named + more]
    kind = stat.S_IFMT(mode >> 16)
    if flags & 0x41:
        _refuse(name, "is encrypted")
    if flags & ~_UTF8:
        _refuse(name, f"has flags that we do not set (0x{flags:x})")
    if kind in _KINDS or name.endswith("/"):
        _refuse(name, f"is {_KINDS.get(kind, 'a folder')}; only ordinary files are taken")
    if (made >> 8, mode >> 16) != (3, _MODE):
        _refuse(name, "has a mode that we do not set")
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        _refuse(name, f"is compressed in an unknown way ({method})")
    if comment or disk:
        _refuse(name, "has a comment, or is on another disk")
    size, packed, offset = _far(name, extra, size, packed, offset)
    return _Entry(name, flags, method, crc, packed, size, offset), place + named + more


def _decoded(name: bytes, flags: int) -> str:
    try:
        return name.decode("utf-8" if flags & _UTF8 else "ascii")
    except UnicodeDecodeError:
        raise IntegrityError(f"the entry {name!r} is refused: its name is not UTF-8") from None


def _far(name: str, extra: bytes, *fields: int) -> tuple[int, ...]:
    """Sizes and places beyond 4 GB stand behind the name; nothing else may stand there."""
    wanted = fields.count(_FAR)
    try:
        if not wanted:
            if extra:
                raise ValueError
            return fields
        kind, length = struct.unpack_from("<2H", extra)
        values = iter(struct.unpack(f"<{wanted}Q", extra[4:]))
        if (kind, length) != (1, 8 * wanted):
            raise ValueError
        return tuple(next(values) if field == _FAR else field for field in fields)
    except (ValueError, struct.error):
        _refuse(name, "has more in its header than we write")


def _check_sizes(entries: list[_Entry], archive: int, into: Path) -> None:
    total = sum(entry.size for entry in entries)
    if total > LARGEST:
        raise IntegrityError(f"would unpack to {total:,} bytes; a bundle has at most {LARGEST:,}")
    if total > max(ROOMY, RATIO * archive):
        raise IntegrityError(
            f"would unpack to {total:,} bytes, {total // archive} times its own size: a bomb"
        )
    free = shutil.disk_usage(into).free
    if total > free:
        raise InputError(f"{total:,} bytes are to be unpacked into {into}, and {free:,} are free")


def _check_header(file: BinaryIO, entry: _Entry) -> int:
    """The header before an entry says what the directory says. Gives where the content begins."""
    file.seek(entry.offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size or head[:4] != b"PK\3\4":
        _refuse(entry.name, "has no header")
    _, _, flags, method, _, _, crc, packed, size, named, more = _LOCAL.unpack(head)
    begins = entry.offset + _LOCAL.size + int(named) + int(more)
    name, extra = file.read(named), file.read(more)
    size, packed = _far(entry.name, extra, size, packed)
    if (name, flags, method, crc, packed, size) != (entry.name.encode(), *entry[1:6]):
        _refuse(entry.name, "is another one by its header than by the directory")
    return begins


def _unpack(file: BinaryIO, entry: _Entry, into: Path) -> None:
    path = into / entry.name
    path.parent.mkdir(parents=True, exist_ok=True)
    crc = found = 0
    with path.open("xb") as out:
        for chunk in _content(file, entry):
            found += len(chunk)
            if found > entry.size:
                _refuse(entry.name, f"holds more than the {entry.size:,} bytes it declares")
            crc = zlib.crc32(chunk, crc)
            out.write(chunk)
    if found < entry.size:
        _refuse(entry.name, f"holds {found:,} bytes and declares {entry.size:,}")
    if crc != entry.crc:
        _refuse(entry.name, "does not have the checksum it declares")


def _content(file: BinaryIO, entry: _Entry) -> Iterator[bytes]:
    """What an entry holds, a piece at a time and never more than a piece in memory."""
    left = entry.packed
    if entry.method == zipfile.ZIP_STORED:
        while left and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        while not inflate.eof:
            if not (chunk := inflate.unconsumed_tail):
                chunk = file.read(min(CHUNK, left))
                left -= len(chunk)
            piece = inflate.decompress(chunk, CHUNK)
            if not chunk and not piece:  # nothing more comes, and it has not ended
                break
            yield piece
    except zlib.error as error:
        _refuse(entry.name, f"cannot be decompressed ({error})")
    if not inflate.eof or left or inflate.unused_data:
        _refuse(entry.name, "is not compressed as we write it")
