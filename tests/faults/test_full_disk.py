"""A disk that takes no more: a clean stop that names the ledger, and after that the same result to the byte."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.testing.stub import StubProcess, stub_process
from tests.support import ASSAY, command, environment, result_bytes, study_file

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProcess]:
    with stub_process() as stub:
        yield stub


def _study(folder: Path, stub: StubProcess) -> Path:
    return study_file(folder, stub.url, trials=4)


def _limited(most: int, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """``assay`` in a process whose files cannot grow beyond ``most`` bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [*ASSAY, *arguments], cwd=cwd, env=environment(cwd), capture_output=True, text=True, timeout=600,
        check=False, preexec_fn=limit,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, stub: StubProcess) -> bytes:
    """The result of the same study, undisturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert command("run", _study(folder, stub), "--name", "r", cwd=folder).returncode == 0
    return result_bytes(RunFolder(folder / "runs/r"))


@pytest.mark.parametrize("most", [9_000, 40_000, 120_000])
def test_a_ledger_that_cannot_grow_stops_the_run_cleanly(
    tmp_path: Path, stub: StubProcess, whole: bytes, most: int
) -> None:
    study = _study(tmp_path, stub)
    stopped = _limited(most, "run", str(study), "--name", "r", cwd=tmp_path)
    assert stopped.returncode == 3, stopped.stderr
    assert stopped.stdout == (
        "Stopped: the ledger runs/r/ledger/0001.jsonl could not be written: File too large. "
        "Everything recorded so far is safe; make room and resume the run.\n"
        "What is recorded is safe. Go on with: assay resume runs/r\n"
    )
    assert "Traceback" not in stopped.stderr
    folder = RunFolder(tmp_path / "runs/r")
    segment = (folder.ledger / "0001.jsonl").read_bytes()
    assert segment.endswith(b"\n"), "no torn line is left"
    assert len(segment) <= most
    assert command("resume", "r", cwd=tmp_path).returncode == 0
    assert result_bytes(folder) == whole
    assert command("audit", "r", cwd=tmp_path).returncode == 0


def test_a_disk_that_is_full_again_and_again_ends_in_the_same_result(
    tmp_path: Path, stub: StubProcess, whole: bytes
) -> None:
    study = _study(tmp_path, stub)
    ended = _limited(25_000, "run", str(study), "--name", "r", cwd=tmp_path)
    sessions = 1
    while ended.returncode == 3:
        sessions += 1
        assert sessions < 40
        ended = _limited(25_000 if sessions < 4 else 10**7, "resume", "r", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert sessions >= 4
    assert result_bytes(RunFolder(tmp_path / "runs/r")) == whole
    assert command("audit", "r", cwd=tmp_path).returncode == 0


def test_a_lock_that_cannot_be_written_leaves_no_run_behind(tmp_path: Path, stub: StubProcess) -> None:
    study = _study(tmp_path, stub)
    assert (
        command("lock", study, "--out", "other.json", cwd=tmp_path).returncode == 0
    )  # makes the signing key
    ended = _limited(100, "run", str(study), "--name", "r", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == "assay: the lock runs/r/lock.json cannot be written: File too large\n"
    assert not (tmp_path / "runs/r").exists()


# The drill runs no programs, and a sandbox cannot be had inside every namespace: hence the option.
SCRIPT = """
mount -t tmpfs -o size=200k tmpfs "$1" || exit 99
cd "$1"
"$2" -m assay run "$3" --name r --allow-unconfined-code > "$4/stopped.out" 2> "$4/stopped.err"
echo $? > "$4/stopped.code"
mount -o remount,size=50m "$1" || exit 98
"$2" -m assay resume r --allow-unconfined-code > "$4/resumed.out" 2> "$4/resumed.err"
echo $? > "$4/resumed.code"
cp -r runs/r "$4/r"
"""


PROBE = 'mount -t tmpfs -o size=64k tmpfs "$1" && mount -o remount,size=128k "$1"'


def _mount_namespace(folder: Path) -> list[str]:
    """The command that gives us mounts of our own, as root or as anybody."""
    probe = folder / "probe"
    probe.mkdir()
    for flags in ("-m", "-rm"):
        command = ["unshare", flags, "sh", "-c", PROBE, "sh", str(probe)]
        if (
            shutil.which("unshare")
            and not subprocess.run(command, check=False, capture_output=True).returncode
        ):
            return command[:2]
    pytest.skip("no tmpfs of our own here: mount namespaces are not permitted")


def test_a_file_system_that_is_full_stops_the_run_cleanly(
    tmp_path: Path, stub: StubProcess, whole: bytes
) -> None:
    unshare = _mount_namespace(tmp_path)
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    study = _study(tmp_path, stub)
    arguments = [str(disk), ASSAY[0], str(study), str(out)]
    env = {**environment(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        [*unshare, "sh", "-c", SCRIPT, "sh", *arguments], env=env, check=False, timeout=600
    )
    assert ended.returncode == 0
    stopped = {name: (out / f"stopped.{name}").read_text() for name in ("out", "err", "code")}
    assert stopped["code"] == "3\n", stopped
    assert stopped["out"].startswith(
        "Stopped: the ledger runs/r/ledger/0001.jsonl could not be written: No space left on device. "
    )
    assert "Traceback" not in stopped["err"]
    assert (out / "resumed.code").read_text() == "0\n", (out / "resumed.err").read_text()
    assert result_bytes(RunFolder(out / "r")) == whole
    assert command("audit", out / "r", cwd=tmp_path).returncode == 0
    assert os.listdir(disk) == []
