"""The repository of a world: real history, and nothing of the machine in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.worlds.model import Refused
from assay.worlds.repository import Repository


@pytest.fixture
def repository() -> Iterator[Repository]:
    made = Repository()
    made.folder.create("a.txt", "one\n")
    made.folder.create("b.txt", "one\n")
    made.commit("first")
    yield made
    made.close()


def changed(repository: Repository, name: str, content: str, message: str) -> None:
    repository.folder.replace(name, content)
    repository.commit(message)


def test_history_tags_and_trees_are_read_from_git(repository: Repository) -> None:
    repository.tag("v1.0.0")
    changed(repository, "a.txt", "two\n", "second, with a comma")
    assert repository.history() == [("first", ["v1.0.0"]), ("second, with a comma", [])]
    assert repository.tree("refs/tags/v1.0.0") == {"a.txt": "one\n", "b.txt": "one\n"}
    assert repository.tree("HEAD")["a.txt"] == "two\n"
    repository.folder.create("new.txt", "x")
    repository.folder.delete("b.txt")
    assert repository.uncommitted() == ["b.txt", "new.txt"]


def test_a_revert_takes_back_one_commit_and_keeps_the_later_ones(repository: Repository) -> None:
    changed(repository, "a.txt", "bad\n", "bad")
    changed(repository, "b.txt", "good\n", "good")
    repository.revert(2)
    assert repository.tree("HEAD") == {"a.txt": "one\n", "b.txt": "good\n"}
    assert [subject for subject, _ in repository.history()] == ["first", "bad", "good", 'Revert "bad"']


@pytest.mark.parametrize("uncommitted", [False, True])
def test_a_revert_that_cannot_be_done_changes_nothing(repository: Repository, uncommitted: bool) -> None:
    changed(repository, "a.txt", "two\n", "second")
    changed(repository, "a.txt", "three\n", "third")
    if uncommitted:
        repository.folder.replace("a.txt", "mine\n")
    before = repository.history(), repository.folder.tree(), repository.uncommitted()
    with pytest.raises(Refused, match="could not be reverted"):
        repository.revert(2)
    assert (repository.history(), repository.folder.tree(), repository.uncommitted()) == before
    repository.folder.replace("b.txt", "goes on\n")
    repository.commit("fourth")


def test_a_commit_needs_a_change_and_a_message(repository: Repository) -> None:
    with pytest.raises(Refused, match="nothing was committed"):
        repository.commit("empty")
    repository.folder.replace("a.txt", "two\n")
    for message in ("", " \n", "a\0b", "\ud800"):
        with pytest.raises(Refused):
            repository.commit(message)
    assert len(repository.history()) == 1


def test_hooks_configuration_and_identity_of_the_machine_do_not_get_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    hook.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(f"[core]\nhooksPath = {hooks}\n[user]\nname = Someone\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Someone")
    made = Repository()
    try:
        made.folder.create("a.txt", "one\n")
        made.commit("first")
        told = made._must("log", "--format=%an %ae %ad %cn %cd", "--date=iso-strict")
    finally:
        made.close()
    assert told.split()[:2] == ["Assay", "assay@example.invalid"]
    assert told.count("2026-01-01T12:00:00") == 2
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_two_repositories_made_alike_have_the_same_hashes() -> None:
    found = []
    for _ in range(2):
        made = Repository()
        try:
            made.folder.create("a.txt", "one\n")
            made.commit("first")
            found.append(made._must("log", "--format=%H"))
        finally:
            made.close()
    assert found[0] == found[1]


def test_without_git_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(InputError, match="git is not installed"):
        Repository()


def test_a_commit_without_files_has_an_empty_tree(repository: Repository) -> None:
    repository.revert(1)
    assert repository.tree("HEAD") == {}
    assert repository.history()[0][0] == "first"


def test_a_repository_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    def fail(self: Repository, *arguments: str) -> str:
        made.extend([self.folder.path, self._kept])
        raise InputError("git init failed")

    monkeypatch.setattr(Repository, "_must", fail)
    with pytest.raises(InputError, match="git init"):
        Repository()
    assert made
    assert not [path for path in made if path.exists()]
