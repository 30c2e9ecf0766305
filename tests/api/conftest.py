"""A folder of one's own, and one run that several tests look at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.api.load import LoadedRun

LABEL = "<b>&\x1b[31m"


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
