"""A bundle's container: the same bytes for the same files; hostile archives are refused, each for what is wrong."""

from __future__ import annotations

import io
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.errors import InputError, IntegrityError
from assay.evidence import archive
from assay.evidence.archive import is_archive, unpack_archive, write_archive

FILES: dict[str, Path | bytes] = {
    "lock.json": b"{}\n",
    "ledger/0001.jsonl": b'{"event":{},"hash":"0"}\n' * 50,
    "canons/é.json": b"",
}


def files_in(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def unpacked(path: Path, into: Path) -> dict[str, bytes]:
    into.mkdir()
    unpack_archive(path, into)
    return files_in(into)


def test_what_was_packed_is_unpacked_and_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    first, second, on_disk = tmp_path / "1.zip", tmp_path / "2.zip", tmp_path / "big"
    on_disk.write_bytes(os.urandom(3 << 20))
    os.utime(on_disk, (1, 1))
    os.chmod(on_disk, 0o600)
    write_archive(first, {**FILES, "big": on_disk})
    os.utime(on_disk, (2_000_000_000, 2_000_000_000))
    os.chmod(on_disk, 0o644)
    write_archive(second, dict(reversed(list({"big": on_disk, **FILES}.items()))))
    assert first.read_bytes() == second.read_bytes()
    assert is_archive(first)
    assert unpacked(first, tmp_path / "out") == {**FILES, "big": on_disk.read_bytes()}
    with zipfile.ZipFile(first) as anyones:  # any other program opens it, too
        assert anyones.testzip() is None
        assert anyones.namelist() == sorted([*FILES, "big"])
        assert {(i.date_time, i.external_attr >> 16) for i in anyones.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0o100644)
        }


def test_what_compresses_like_a_bomb_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "ROOMY", 1 << 16)
    write_archive(tmp_path / "a.zip", {"zeros": bytes(1 << 20)})
    assert (tmp_path / "a.zip").stat().st_size > 1 << 20
    assert unpacked(tmp_path / "a.zip", tmp_path / "out") == {"zeros": bytes(1 << 20)}


def test_files_beyond_four_gigabytes_have_room_in_their_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with a limit of 100 bytes, as far as sizes go; the place of an entry needs as many bytes before it."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    noise = os.urandom(500)
    write_archive(tmp_path / "a.zip", {"a": noise, "b": b"small", "c": noise, "d": b"-" * 98})
    assert unpacked(tmp_path / "a.zip", tmp_path / "out") == {
        "a": noise,
        "b": b"small",
        "c": noise,
        "d": b"-" * 98,
    }


@pytest.mark.parametrize("name", ["../x", "/x", "a\\b", "a\nb", "x" * 201, "", "a/./b"])
def test_names_that_a_reader_would_refuse_are_not_packed(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be put into a bundle"):
        write_archive(tmp_path / "a.zip", {name: b""})
    assert not (tmp_path / "a.zip").exists()


# Hostile archives. Most are an honest one with something done to it.


class Entry(NamedTuple):
    name: str
    content: bytes = b"content"
    mode: int = stat.S_IFREG | 0o644
    method: int = zipfile.ZIP_DEFLATED


def made(*entries: Entry) -> bytes:
    """By the library that everybody has, which writes nearly anything."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name)
            info.create_system, info.external_attr, info.compress_type = 3, entry.mode << 16, entry.method
            file.writestr(info, entry.content)
    return out.getvalue()


def central(data: bytes, field: int, layout: str, value: int, which: int = 0) -> bytes:
    """One field of an entry of the directory replaced."""
    place = -1
    for _ in range(which + 1):
        place = data.index(b"PK\1\2", place + 1)
    return _put(data, place + field, layout, value)


def both(data: bytes, field: int, layout: str, value: int) -> bytes:
    """A field that directory and header have, replaced in both; ``field`` is its place in the header."""
    return central(_put(data, field, layout, value), field + 2, layout, value)


def _put(data: bytes, place: int, layout: str, value: int) -> bytes:
    packed = struct.pack(layout, value)
    return data[:place] + packed + data[place + len(packed) :]


def counting(data: bytes, entries: int) -> bytes:
    """An end that counts otherwise."""
    return _put(_put(data, len(data) - 14, "<H", entries), len(data) - 12, "<H", entries)


def _renamed(old: bytes, new: bytes) -> bytes:
    return made(Entry(old.decode())).replace(old, new)


def _overlapping() -> bytes:
    """Two entries of the directory share one content: the trick of the densest bombs."""
    data = made(Entry("a"), Entry("b"))
    return central(data, 42, "<I", 0, which=1)


def _hidden() -> bytes:
    """Bytes between two entries that the directory does not speak of."""
    data = made(Entry("a"), Entry("b"))
    second, hidden = data.index(b"PK\3\4", 4), b"hidden"
    directory = data.index(b"PK\1\2")
    data = central(data[:second] + hidden + data[second:], 42, "<I", second + len(hidden), which=1)
    return _put(data, len(data) - 6, "<I", directory + len(hidden))


def _before_directory() -> bytes:
    data = made(Entry("a"))
    directory, hidden = data.index(b"PK\1\2"), b"hidden"
    data = data[:directory] + hidden + data[directory:]
    return _put(data, len(data) - 6, "<I", directory + len(hidden))


def _with_comment() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a", b"")
        file.comment = b"read me"
    return out.getvalue()


def _with_extra() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        info = zipfile.ZipInfo("a")
        info.create_system, info.external_attr, info.extra = (
            3,
            0o100644 << 16,
            struct.pack("<HHI", 0x5455, 4, 7),
        )
        file.writestr(info, b"")
    return out.getvalue()


def _streamed() -> bytes:
    """Sizes behind the content instead of before it."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as file:
        file.writestr("a", b"content")
    return pipe.data


LINK = stat.S_IFLNK | 0o777
ONE = made(Entry("a"))
HOSTILE: dict[str, tuple[bytes, str]] = {
    "absolute": (made(Entry("/etc/cron.d/x")), "no plain path"),
    "parent": (made(Entry("../x")), "no plain path"),
    "parent inside": (made(Entry("a/../../x")), "no plain path"),
    "dot": (made(Entry("a/./x")), "no plain path"),
    "backslash": (_renamed(b"a/x/b", b"..\\\\b"), "no plain path"),
    "control": (_renamed(b"a_b", b"a\x1bb"), "no plain path"),
    "NUL": (_renamed(b"a_b", b"a\0b"), "no plain path"),
    "not UTF-8": (_renamed(b"a_b", b"a\xffb"), "its name is not UTF-8"),
    "overlong name": (made(Entry("x" * 201)), "longer than 200 bytes"),
    "link": (made(Entry("lock.json", b"/etc/passwd", LINK)), "a symbolic link; only ordinary files"),
    "device": (made(Entry("a", mode=stat.S_IFCHR | 0o644)), "a device; only ordinary files"),
    "disk": (made(Entry("a", mode=stat.S_IFBLK | 0o644)), "a device; only ordinary files"),
    "pipe": (made(Entry("a", mode=stat.S_IFIFO | 0o644)), "a pipe; only ordinary files"),
    "socket": (made(Entry("a", mode=stat.S_IFSOCK | 0o644)), "a socket; only ordinary files"),
    "folder": (made(Entry("a/", b"")), "a folder; only ordinary files"),
    "set user id": (made(Entry("a", mode=stat.S_IFREG | 0o4755)), "a mode that we do not set"),
    "twice": (made(Entry("aa"), Entry("ab")).replace(b"ab", b"aa"), "it is there twice"),
    "case": (made(Entry("Lock.json"), Entry("lock.json")), "differs from 'Lock.json' in spelling only"),
    "normal form": (
        made(Entry("é"), Entry(unicodedata.normalize("NFD", "é"))),
        "differs from 'é' in spelling only",
    ),
    "folder's case": (made(Entry("Ledger/a"), Entry("ledger/b")), "differs from 'Ledger' in spelling only"),
    "file and folder": (made(Entry("a"), Entry("a/b")), "that of a folder, too"),
    "folder and file": (made(Entry("a/b"), Entry("a")), "that of a folder, too"),
    "encrypted": (both(ONE, 6, "<H", 1), "is encrypted"),
    "streamed": (_streamed(), "flags that we do not set"),
    "unknown method": (made(Entry("a", method=zipfile.ZIP_BZIP2)), "compressed in an unknown way"),
    "bomb": (made(Entry("a", bytes(20 << 20))), "times its own size: a bomb"),
    "declares less": (both(made(Entry("a", bytes(9000))), 22, "<I", 10), "holds more than the 10 bytes"),
    "declares more": (both(ONE, 22, "<I", 5000), "holds 7 bytes and declares 5,000"),
    "checksum": (both(ONE, 14, "<I", 5), "does not have the checksum"),
    "no deflate": (both(made(Entry("a", b"\xff" * 40, method=0)), 8, "<H", 8), "cannot be decompressed"),
    "more packed": (both(both(ONE, 8, "<H", 0), 22, "<I", 9), "declares|another"),
    "two names": (_put(ONE, 30, "<c", b"b"), "another one by its header"),  # type: ignore[arg-type]
    "two sizes": (_put(ONE, 22, "<I", 9), "another one by its header"),
    "overlapping": (_overlapping(), "not where the entry before it ends"),
    "hidden between": (_hidden(), "not where the entry before it ends"),
    "hidden before the directory": (_before_directory(), "between its entries and its directory"),
    "prepended": (b"PK\3\4" + ONE, "directory that is not where its end says"),
    "trailing": (ONE + b"\0", "has data behind its end"),
    "comment": (_with_comment(), "has data behind its end"),
    "extra": (_with_extra(), "more in its header than we write"),
    "second archive behind": (ONE + ONE, "directory that is not where its end says"),
    "several disks": (_put(ONE, len(ONE) - 18, "<H", 1), "in several pieces"),
    "directory counts more": (
        counting(ONE, 2),
        "directory that is cut short",
    ),
    "directory counts less": (
        counting(made(Entry("a"), Entry("b")), 1),
        "directory that is longer than its entries",
    ),
    "too many": (made(*(Entry(str(n), b"", method=0) for n in range(10_001))), "at most 10,000"),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused_for_what_is_wrong_with_it(tmp_path: Path, what: str) -> None:
    data, reason = HOSTILE[what]
    path, into = tmp_path / "hostile.zip", tmp_path / "deep" / "into"
    path.write_bytes(data)
    into.mkdir(parents=True)
    with pytest.raises(IntegrityError, match=reason) as refused:
        unpack_archive(path, into)
    assert str(refused.value).startswith("hostile.zip: ")
    assert files_in(tmp_path).keys() - {"hostile.zip"} <= {"deep/into/a"}, (
        "nothing outside, and no whole file"
    )
    assert not any(found.is_symlink() for found in tmp_path.rglob("*"))


def test_a_sum_beyond_all_measure_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST", 1 << 20)
    (tmp_path / "a.zip").write_bytes(made(Entry("a", bytes(700_000)), Entry("b", bytes(700_000))))
    with pytest.raises(IntegrityError, match="would unpack to 1,400,000 bytes; a bundle has at most"):
        unpacked(tmp_path / "a.zip", tmp_path / "out")
    assert files_in(tmp_path / "out") == {}


def test_more_than_the_disk_takes_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_archive(tmp_path / "a.zip", FILES)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 100}))
    with pytest.raises(InputError, match="and 100 are free"):
        unpacked(tmp_path / "a.zip", tmp_path / "out")
    assert files_in(tmp_path / "out") == {}


def test_an_archive_cut_at_any_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    write_archive(path, FILES)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(IntegrityError, match=r"cut short|behind its end"):
            unpacked(path, tmp_path / f"out{length}")


def test_a_changed_byte_is_refused_or_changes_nothing_that_is_unpacked(tmp_path: Path) -> None:
    """Times and versions of other programs are not looked at; everything else is."""
    path = tmp_path / "a.zip"
    write_archive(path, FILES)
    whole = path.read_bytes()
    passed = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x21]) + whole[place + 1 :])
        into = tmp_path / f"out{place}"
        try:
            assert unpacked(path, into) == FILES, place
            passed += 1
        except IntegrityError:
            pass
    assert passed <= 16 * len(FILES) + 8


def test_a_hole_instead_of_an_archive_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sparse.zip"
    path.write_bytes(ONE)
    os.truncate(path, 1 << 40)
    with pytest.raises(IntegrityError, match="cut short"):
        unpacked(path, tmp_path / "out")


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.GNUTYPE_SPARSE, tarfile.CHRTYPE])
def test_other_archives_with_hard_links_and_holes_are_no_bundles(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, mode="w:gz") as file:
        info = tarfile.TarInfo("lock.json")
        info.type, info.linkname = kind, "x"
        file.addfile(info)
    assert not is_archive(path)


@pytest.mark.parametrize("size", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20])
def test_what_compresses_to_next_to_nothing_is_unpacked_whole(tmp_path: Path, size: int) -> None:
    write_archive(tmp_path / "a.zip", {"a": bytes(size)})
    assert unpacked(tmp_path / "a.zip", tmp_path / "out") == {"a": bytes(size)}
