"""The folders of worlds: gone when a process ends, and swept by the next one when it was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HOLD = """
import sys
from assay.worlds.database import SqliteDatabase
from assay.worlds.folder import Folder
from assay.worlds.repository import Repository
kept = [Folder(), SqliteDatabase(), Repository()]
print("ready", flush=True)
sys.stdin.read()
"""
ONE = "from assay.worlds.folder import Folder; Folder()"


def start(temporary: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TMPDIR": str(temporary)}
    held = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert held.stdout is not None
    assert held.stdout.readline() == b"ready\n"
    return held


def one_more(temporary: Path) -> None:
    subprocess.run([sys.executable, "-c", ONE], env={**os.environ, "TMPDIR": str(temporary)}, check=True)


def test_what_a_killed_process_leaves_is_swept_and_what_a_living_one_holds_is_not(tmp_path: Path) -> None:
    foreign = tmp_path / "assay-worlds-of-nobody"
    foreign.mkdir()
    (tmp_path / "assay-worlds-link").symlink_to(foreign)
    killed = start(tmp_path)
    left = set(tmp_path.iterdir()) - {foreign, tmp_path / "assay-worlds-link"}
    assert len(left) == 1
    killed.kill()
    killed.communicate()
    assert left < set(tmp_path.iterdir())
    living = start(tmp_path)  # sweeps as it begins
    held = set(tmp_path.iterdir()) - {foreign, tmp_path / "assay-worlds-link"}
    assert not held & left
    one_more(tmp_path)
    assert len(list(next(iter(held)).iterdir())) == 5  # its lock, and four folders
    living.communicate(b"")
    assert set(tmp_path.iterdir()) == {foreign, tmp_path / "assay-worlds-link"}


def test_a_process_that_does_not_close_its_worlds_leaves_nothing(tmp_path: Path) -> None:
    one_more(tmp_path)
    assert list(tmp_path.iterdir()) == []
