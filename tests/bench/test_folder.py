"""A run's folder is there with its lock, or not at all; a name that is taken is never reused."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.errors import InputError


def fill(folder: RunFolder) -> None:
    folder.lock_path.write_text("{}")


def test_a_folder_has_its_content_when_it_has_its_name(tmp_path: Path) -> None:
    def look(folder: RunFolder) -> None:
        fill(folder)
        assert not (tmp_path / "runs/r").exists()

    made = RunFolder.create(tmp_path / "runs", "r", fill=look)
    assert made.path == tmp_path / "runs/r"
    assert os.listdir(tmp_path / "runs") == ["r"]
    assert os.listdir(made.path) == ["lock.json"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o777 & ~mask


@pytest.mark.parametrize("error", [InputError("no key"), KeyboardInterrupt()])
def test_nothing_is_left_where_it_cannot_be_filled(tmp_path: Path, error: BaseException) -> None:
    def fail(folder: RunFolder) -> None:
        fill(folder)
        raise error

    with pytest.raises(type(error)):
        RunFolder.create(tmp_path, "r", fill=fail)
    assert os.listdir(tmp_path) == []


def test_a_process_that_is_killed_meanwhile_leaves_the_name_free(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from assay.bench import RunFolder\n"
        "def die(folder): folder.lock_path.write_text('{'); os.kill(os.getpid(), signal.SIGKILL)\n"
        "RunFolder.create(Path(sys.argv[1]), 'r', fill=die)"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert ended.returncode == -9
    assert not (tmp_path / "r").exists()
    assert RunFolder.create(tmp_path, "r", fill=fill).lock_path.read_text() == "{}"


def test_a_name_that_is_taken_is_refused_or_numbered(tmp_path: Path) -> None:
    for number in ("", "-2", "-3"):
        assert RunFolder.create(tmp_path, "r", numbered=True, fill=fill).path == tmp_path / f"r{number}"
    with pytest.raises(InputError, match="exists already; resume it with: assay resume"):
        RunFolder.create(tmp_path, "r", fill=fill)


@pytest.mark.parametrize("there", ["an empty folder", "a file", "a link to nowhere"])
def test_what_is_no_run_is_not_said_to_be_one(tmp_path: Path, there: str) -> None:
    place = tmp_path / "r"
    if there == "an empty folder":
        place.mkdir()
    elif there == "a file":
        place.touch()
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is no run; take it away, or choose another name"):
        RunFolder.create(tmp_path, "r", fill=fill)
    assert os.path.lexists(place)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-x", "a\nb", "x" * 101])
def test_a_name_has_to_be_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="run name"):
        RunFolder.create(tmp_path, name, fill=fill)
    assert os.listdir(tmp_path) == []
