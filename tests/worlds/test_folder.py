"""The folder of a world: nothing gets out of it, and nothing stays of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.worlds.folder import Folder
from assay.worlds.model import Refused


@pytest.fixture
def folder() -> Iterator[Folder]:
    made = Folder()
    yield made
    made.close()


def test_files_come_and_go(folder: Folder) -> None:
    folder.create("a.txt", "one\n")
    folder.append("a.txt", "two")
    folder.move("a.txt", "old/b.txt")
    assert folder.tree() == {"old/b.txt": "one\ntwo\n"}
    folder.delete("old/b.txt")
    assert folder.tree() == {}
    assert list(folder.path.iterdir()) == []  # the folder inside went with its last file


def test_a_line_is_added_after_a_last_line_without_a_break(folder: Folder) -> None:
    folder.create("a.txt", "one")
    folder.append("a.txt", "two")
    assert folder.read("a.txt") == "one\ntwo\n"


def test_line_breaks_are_kept_as_they_are(folder: Folder) -> None:
    folder.create("a.txt", "one\r\ntwo\r")
    assert folder.read("a.txt") == "one\r\ntwo\r"


def test_nothing_that_exists_is_overwritten(folder: Folder) -> None:
    folder.create("a.txt", "one")
    folder.create("b.txt", "two")
    with pytest.raises(Refused, match="already"):
        folder.create("a.txt", "other")
    with pytest.raises(Refused, match="already"):
        folder.move("a.txt", "b.txt")
    assert folder.tree() == {"a.txt": "one", "b.txt": "two"}


def test_a_file_is_no_folder_and_a_folder_no_file(folder: Folder) -> None:
    folder.create("a", "x")
    folder.create("b/c", "y")
    for name in ("a/d", "b"):
        with pytest.raises(Refused):
            folder.create(name, "z")
        with pytest.raises(Refused):
            folder.replace(name, "z")
    with pytest.raises(Refused):
        folder.read("b")
    with pytest.raises(Refused):
        folder.move("b/c", "a/c")
    assert folder.tree() == {"a": "x", "b/c": "y"}


def test_links_are_not_followed(folder: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    (folder.path / "link.txt").symlink_to(outside)
    (folder.path / "way").symlink_to(tmp_path)
    for name in ("link.txt", "way/secret.txt"):
        with pytest.raises(Refused):
            folder.read(name)
        with pytest.raises(Refused):
            folder.replace(name, "changed")
    with pytest.raises(Refused):
        folder.delete("way/secret.txt")
    assert outside.read_text() == "secret"


def test_a_file_cannot_grow_without_end(folder: Folder) -> None:
    with pytest.raises(Refused, match="bytes at most"):
        folder.create("a.txt", "x" * 200_000)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30) | st.text(alphabet="./ab-\\~", max_size=12))
def test_whatever_the_name_it_stays_inside_or_is_refused(name: str) -> None:
    folder = Folder()
    try:
        around = sorted(folder.path.parent.glob(f"{folder.path.name}*"))
        try:
            folder.create(name, "x")
        except Refused:
            assert folder.tree() == {}
        else:
            assert folder.tree() == {name: "x"}
        assert sorted(folder.path.parent.glob(f"{folder.path.name}*")) == around
    finally:
        folder.close()


def test_closing_removes_everything_and_may_be_repeated() -> None:
    folder = Folder()
    folder.create("b/c.txt", "y")
    folder.close()
    folder.close()
    assert not folder.path.exists()
