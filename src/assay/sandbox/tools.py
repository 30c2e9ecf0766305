"""The program that a command names: where it is on this machine, and which files it needs to be shown.

Shown are the program itself, its shared libraries, and the folders of its language (named like it, below
``lib``, ``share`` and ``libexec`` where it is installed). Never a whole prefix: ``/usr``, ``/usr/local`` or a
home folder may hold anything, this package and its expected values included.
"""

from __future__ import annotations

import functools
import glob
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from assay.errors import InputError
from assay.sandbox.inside.confine import SCRATCH

__all__ = ["Tool", "find_command", "find_tool", "outermost"]

_MACHINES: Final = {"x86_64": 62, "aarch64": 183}
_SYSTEM: Final = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
_PACKAGES: Final = ("site-packages", "dist-packages", "node_modules")
_LOCALES: Final = ("/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8")
_INTERPRETER: Final = 3  # PT_INTERP


class Tool(msgspec.Struct, frozen=True):
    """A program of this machine and all that its jobs get to see of it.

    ``name`` is what the program is told it was called as. ``files`` are single files and where they are
    shown; ``masked`` folders are shown empty; ``executables`` are the program and its loader.
    """

    executable: str
    name: str
    executables: tuple[str, ...]
    folders: tuple[str, ...]
    masked: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


def find_command(command: str | Sequence[str]) -> str:
    """The real path of the program a command starts with; InputError, naming it, where it cannot be run."""
    return _found(command if isinstance(command, str) else command[0])[1]


def find_tool(command: Sequence[str]) -> Tool:
    """The program that ``command`` starts with, and what it needs."""
    called, path = _found(command[0])
    return _survey(os.path.join(os.path.dirname(path), os.path.basename(called)), path)


def _found(name: str) -> tuple[str, str]:
    called = shutil.which(name)
    if called is None:
        raise InputError(f"the command {name!r} is not on this machine's PATH; install it or name another")
    path = os.path.realpath(called)
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError as error:
        raise InputError(f"the command {name!r} cannot be read: {error}") from None
    if head[:4] != b"\x7fELF":
        raise InputError(
            f"the command {name!r} is the script {called}; name the program that runs it instead"
        )
    if path.startswith(SCRATCH + "/"):
        raise InputError(
            f"the command {name!r} lies in {SCRATCH}, where programs see their own folder instead"
        )
    machine = _MACHINES.get(os.uname().machine)
    if head[4:6] != b"\x02\x01" or machine not in (None, struct.unpack_from("<H", head, 18)[0]):
        raise InputError(f"the command {name!r} ({path}) is made for another kind of machine")
    return called, path


@functools.cache
def _survey(name: str, path: str) -> Tool:
    loader = _loader_of(path)
    needed = [path, *([loader] if loader else []), *_libraries(path, loader)]
    folders = {os.path.dirname(_shown_at(library)) for library in needed[1:]}
    folders = {folder for folder in folders if (folder + "/").startswith(_SYSTEM)}
    shown = outermost([*folders, *_language_folders(path), *filter(os.path.isdir, _LOCALES)])
    inside = tuple(folder + "/" for folder in shown)
    files = {_shown_at(file): os.path.realpath(file) for file in needed}
    return Tool(
        executable=path,
        name=name,
        executables=(path, *([_shown_at(loader)] if loader else [])),
        folders=shown,
        masked=_packages(shown),
        files=tuple((files[at], at) for at in sorted(files) if not at.startswith(inside)),
    )


def _shown_at(file: str) -> str:
    """Under its own name in the real folder: the links of ``/lib`` and ``/lib64`` lead there inside, too."""
    return os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders without those that lie in another one of them."""
    found = sorted(set(folders))
    return tuple(f for f in found if not any(f != g and f.startswith(g.rstrip("/") + "/") for g in found))


def _loader_of(path: str) -> str | None:
    """The dynamic loader an ELF file asks for; None of a static one."""
    with open(path, "rb") as file:
        head = file.read(64)
        (start,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(start)
        table = file.read(size * count)
        for at in range(0, size * count, size):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", table, at)
            if kind == _INTERPRETER:
                file.seek(offset)
                return os.fsdecode(file.read(length).rstrip(b"\0"))
    return None


def _libraries(path: str, loader: str | None) -> list[str]:
    """What the loader itself says the program needs. It lists without running anything of the program."""
    if loader is None:
        return []
    command = [loader, "--list", path]
    done = subprocess.run(command, env={}, cwd="/", capture_output=True, check=False)  # noqa: S603
    lines = os.fsdecode(done.stdout).splitlines()
    missing = [line.strip() for line in lines if line.endswith("not found")]
    if done.returncode or missing:
        why = "; ".join(missing) or os.fsdecode(done.stderr).strip()
        raise InputError(f"the command {path} cannot be loaded: {why}")
    targets = [line.rpartition(" => ")[2].rpartition(" (")[0].strip() for line in lines]
    return [target for target in targets if target.startswith("/")]


def _language_folders(path: str) -> list[str]:
    """Folders that bear the language's name where it is installed: ``perl``, ``perl5``, ``python3.11``."""
    letters = re.match("[a-z]+", os.path.basename(path).lower())
    if letters is None:
        return []
    named = re.compile(rf"{letters[0]}(js)?([^a-z].*)?")
    prefix = glob.escape(os.path.dirname(os.path.dirname(path)))
    places = [f"{prefix}/{place}/*" for place in ("lib", "lib64", "lib/*-linux-*", "share", "libexec")]
    return [
        folder
        for place in places
        for folder in glob.glob(place)
        if named.fullmatch(os.path.basename(folder))
        and os.path.basename(folder) not in _PACKAGES
        and os.path.isdir(folder)
        and os.path.realpath(folder) == folder
    ]


def _packages(folders: Iterable[str]) -> tuple[str, ...]:
    """Installed packages in or just below a folder: no part of the language."""
    found = [
        folder
        for shown in folders
        for name in _PACKAGES
        for place in (name, f"*/{name}")
        for folder in glob.glob(f"{glob.escape(shown)}/{place}")
        if os.path.isdir(folder) and os.path.realpath(folder) == folder
    ]
    return tuple(sorted(found))
