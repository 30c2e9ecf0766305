"""``assay new``: a working instrument to start from, with its test."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.errors import InputError, UnknownName

__all__ = ["new"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TEMPLATES = Path(__file__).with_name("templates")


def new(
    what: Annotated[str, typer.Argument(help="What to write: instrument.")],
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write to.")] = Path(),
) -> None:
    """Write a working instrument, NAME.py, and its test, test_NAME.py. Nothing is overwritten."""
    from assay.registry import names

    if what != "instrument":
        raise UnknownName("kind of thing to write", what, ["instrument"])
    if not _NAME.fullmatch(name):
        raise InputError(f"the name {name!r}: small letters, digits and _ only, at most 40, a letter first")
    if name in names("assay.instruments"):
        raise InputError(f"an installed instrument is called {name!r} already; choose another name")
    if keyword.iskeyword(name):
        raise InputError(f"{name!r} is a word of Python's own; choose another name, such as 'my_{name}'")
    if _hides(name):
        raise InputError(
            f"{name}.py would hide the module {name!r} from Python in its folder; "
            f"choose another name, such as 'my_{name}'"
        )
    files = {out / f"{name}.py": "instrument.txt", out / f"test_{name}.py": "test_instrument.txt"}
    for path in files:
        if path.exists():
            raise InputError(f"{path} exists already; nothing is overwritten")
    out.mkdir(parents=True, exist_ok=True)
    for path, template in files.items():
        with path.open("x", encoding="utf-8") as file:
            file.write(_filled(template, name))
    instrument, test = (shlex.quote(str(path)) for path in files)
    typer.echo(f"Wrote    {instrument} and {test}")
    typer.echo(f"Run      assay run {instrument} --subject local:smollm2")
    typer.echo(f"Test     python -m pytest {test}")


def _hides(name: str) -> bool:
    """Whether a file of this name stands before a standard or an installed module."""
    if name in sys.stdlib_module_names:
        return True
    from importlib.metadata import packages_distributions

    return name in packages_distributions()


def _filled(template: str, name: str) -> str:
    from string import Template

    kind = "".join(part.capitalize() for part in name.split("_"))
    return Template((_TEMPLATES / template).read_text("utf-8")).substitute(name=name, kind=kind)
