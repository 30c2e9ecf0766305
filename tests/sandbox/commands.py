"""Commands that tests run programs with: what this machine has of them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from assay.sandbox import CommandJob, Limits

__all__ = ["LANGUAGES", "PYTHON", "command_for", "job_of", "needed"]

# The interpreter itself: on PATH there may be a script in its place.
PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
LANGUAGES = {".js": ("node",), ".sh": ("sh",), ".pl": ("perl",), ".py": (PYTHON, "-I")}


def needed(program: str) -> None:
    """Skip the test where the machine has no such program."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def command_for(suffix: str) -> tuple[str, ...]:
    """The command that runs ``main`` in the language of this suffix; skips where it is not installed."""
    needed(LANGUAGES[suffix][0])
    return (*LANGUAGES[suffix], "main" + suffix)


def job_of(
    program: Path | str, suffix: str = ".js", stdin: str = "", limits: Limits | None = None
) -> CommandJob:
    """A job of one file, from its path or its text."""
    text = program.read_text("utf-8") if isinstance(program, Path) else program
    suffix = program.suffix if isinstance(program, Path) else suffix
    return CommandJob(
        command=command_for(suffix), files={"main" + suffix: text}, stdin=stdin, limits=limits or Limits()
    )
