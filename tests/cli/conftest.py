"""The command line inside the test process: quick, and in a folder of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.cli import main

__all__ = ["Assay", "Ended"]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Assay = Callable[..., Ended]


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Assay:
    """``assay("run", ...)`` as from a shell whose working folder is ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run
