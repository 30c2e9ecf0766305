"""A folder of one's own, and one run that several tests look at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.api.load import LoadedRun
from assay.bench import RunFolder
from assay.evidence.archive import unpack_archive
from assay.signing import load_key

from .packages import Made, Package

LABEL = "<b>&[red]"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with keys of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture(scope="package")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoadedRun]:
    """A run of two instruments on two subjects, one of them with a hostile label; nobody changes it."""
    root = tmp_path_factory.mktemp("api")
    before = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(root / "config")
    try:
        yield assay.run(
            ["ping", "drill"],
            subject=["reference:mumbler", {"subject": "reference:mumbler", "label": LABEL}],
            ping={"trials": 5, "require": {"success": 0.3}},
            drill={"trials": 6},
            name="both",
            out=root,
        )
    finally:
        if before is None:
            del os.environ["XDG_CONFIG_HOME"]
        else:
            os.environ["XDG_CONFIG_HOME"] = before


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("bundled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(root / "config"))
        drill = {"trials": 1, "turns": 2}
        run = assay.run("drill", subject="reference:mumbler", drill=drill, name="r", out=root)
        other = assay.run("drill", subject="reference:mumbler", drill=drill, seed=2, name="o", out=root)
        assay.bundle(run.path, out=root / "r.zip")
    return Made(run, root / "r.zip", str(root / "config"), other)


@pytest.fixture
def package(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    monkeypatch.setenv("XDG_CONFIG_HOME", made.config)
    (tmp_path / "run").mkdir()
    unpack_archive(made.bundle, tmp_path / "run")
    return Package(RunFolder(tmp_path / "run"), load_key())
