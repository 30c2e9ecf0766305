"""The question before a large run. Only ``assay run`` asks it: never `resume`, never Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from assay.errors import InputError

from .output import complain

if TYPE_CHECKING:
    from assay.study import Lock

__all__ = ["confirm"]


def confirm(lock: Lock) -> bool:
    """Ask whether a large run may begin, or refuse it where nobody can be asked. Tells whether the plan was shown."""
    from assay.api.size import VARIABLE, large_run

    if (large := large_run(lock)) is None:
        return False
    complain(str(large.plan))
    what = f"this run may ask {', '.join(large.excess)}"
    if not _is_terminal():
        raise InputError(
            f"{what}; add --yes to begin it without a question, or bound it with --budget "
            f"({VARIABLE} says what is large)"
        )
    complain(f"{what[:1].upper()}{what[1:]}.")
    if not typer.confirm("Go on?", default=False, err=True):
        complain("Nothing was asked.")
        raise typer.Exit(2)
    return True


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
