"""How the command line speaks: plain lines for people, one document for machines, complaints on stderr.

Whatever goes to a person passes here: secrets in use are taken out, and nothing can steer the terminal.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.evidence.redaction import Redactor
    from assay.study import Lock
    from assay.subjects.base import Subject

__all__ = ["check_place", "command_of", "complain", "keep_secret", "line", "print_json", "safe", "say"]

_redactor: Redactor | None = None


def keep_secret(subjects: Iterable[Subject]) -> None:
    """From now on the credentials of these subjects are in no message, whoever echoes them."""
    global _redactor
    from assay.evidence.redaction import Redactor

    _redactor = _redactor or Redactor()
    for subject in subjects:
        for secret in subject.secrets():
            _redactor.learn(secret)


def safe(text: str) -> str:
    from assay.report.text import safe_terminal

    return safe_terminal(_redactor.clean_text(text) if _redactor else text)


def line(text: str) -> str:
    """One line, whatever a subject is called."""
    return " ".join(text.split())


def command_of(name: str, run: Path, lock: Lock) -> str:
    """A command on a run, with the files of its instruments: as they were named, or else as they were locked."""
    from assay.registry import file_of

    words = ["assay", name, str(run)]
    for instrument, locked in lock.files.items():
        own = file_of(instrument)
        words += ["--instrument", str(own.path) if own else locked.file]
    return shlex.join(words)


def check_place(place: Path | None, option: str) -> None:
    """Refuse a file that cannot be written, before anything is worked out for it."""
    if place is not None and not place.parent.is_dir():
        raise InputError(f"{option}: there is no folder {place.parent}")
    if place is not None and place.is_dir():
        raise InputError(f"{option}: {place} is a folder; name a file")


def say(text: str) -> None:
    """A line for people."""
    typer.echo(safe(text))


def complain(text: str) -> None:
    """A line on stderr, however the reader of stderr is doing."""
    if sys.stderr is None:  # print would take stdout instead
        return
    try:
        print(safe(text), file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # nobody listens; the work goes on all the same


def print_json(value: Any) -> None:
    """One document, in UTF-8 whatever the terminal's encoding."""
    import msgspec

    typer.echo(msgspec.json.encode(value))
