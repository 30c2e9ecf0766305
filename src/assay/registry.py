"""Instruments, subjects and references are found by entry point, ours and anyone's alike.

An instrument may also be a file of the user's own. It is imported only where the user names it, never because a lock
or a run does: those may come from somebody else.
"""

from __future__ import annotations

import hashlib
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from .errors import InputError, UnknownName

__all__ = [
    "FILE_MODULE",
    "InstrumentFile",
    "broken",
    "file_of",
    "find",
    "load_all",
    "names",
    "package_of",
    "take_file",
]

FILE_MODULE = "assay_instrument_file_"  # then the first digits of its digest
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@cache
def _points(group: str) -> dict[str, list[EntryPoint]]:
    """Every name with those that claim it: one, or several of which none is taken."""
    points: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=group), key=lambda p: p.name):
        claims = points.setdefault(point.name, [])
        if point.value not in [known.value for known in claims]:
            claims.append(point)
    return points


def names(group: str) -> list[str]:
    return list(_points(group))


def package_of(group: str, name: str) -> str:
    """The installed package that offers a name."""
    found = _points(group)[name][0].dist
    return found.name if found is not None else "an unknown package"


def find(group: str, name: str, *, what: str, file: str | None = None, line: int | None = None) -> Any:
    """The object behind a name, imported now; an unknown name says which one is nearest."""
    points = _points(group)
    if name not in points:
        raise UnknownName(what, name, points, file=file, line=line)
    point, *others = points[name]
    if others:
        both = " and ".join(claim.value for claim in points[name])
        raise InputError(f"{what} {name!r} in {group} is claimed by both {both}; uninstall one")
    with _interrupts() as came:
        try:
            return point.load()
        except BaseException as error:  # anybody's module: it may fail in any way
            if came:
                raise
            why = str(error) or type(error).__name__
            raise InputError(f"{what} {name!r} ({point.value}) could not be loaded: {why}") from error


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """The interrupts that the user sends meanwhile: a module may raise KeyboardInterrupt all by itself."""
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield came
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)


def load_all(group: str) -> dict[str, Any]:
    """Everything of a group that can be loaded; `broken` has the rest."""
    return _loaded(group)[0]


def broken(group: str) -> dict[str, str]:
    """What of a group cannot be loaded, and why. The rest goes on without it."""
    return _loaded(group)[1]


def _loaded(group: str) -> tuple[dict[str, Any], dict[str, str]]:
    good: dict[str, Any] = {}
    bad: dict[str, str] = {}
    for name in names(group):
        try:
            good[name] = find(group, name, what=group)
        except InputError as error:
            bad[name] = str(error)
    return good, bad


class InstrumentFile(NamedTuple):
    """An instrument in a file of the user's own, imported."""

    name: str  # the instrument's
    path: Path
    sha256: str
    make: Callable[[], Any]


_taken: dict[str, InstrumentFile] = {}  # by the instrument's name: what the user named in this process


def file_of(name: str) -> InstrumentFile | None:
    """The file that was taken for an instrument of this name."""
    return _taken.get(name)


def take_file(path: Path, among: Collection[str] | None = None) -> InstrumentFile:
    """Import an instrument's file. With ``among``, a file of another digest is refused before any of it runs."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device might never end
            raise InputError(f"{path} is not an ordinary file")
        source = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    sha256 = hashlib.sha256(source).hexdigest()
    if among is not None and sha256 not in among:
        wanted = " or ".join(sorted(among))
        raise InputError(f"{path} is not the file that was locked: its SHA-256 is {sha256}, not {wanted}")
    found = next((file for file in _taken.values() if file.sha256 == sha256), None)
    if found is None:
        kind = _instrument_in(_imported(source, path, sha256), path)
        found = InstrumentFile(kind.name, path, sha256, kind)
    _taken[found.name] = found._replace(path=path)
    return _taken[found.name]


def _imported(source: bytes, path: Path, sha256: str) -> ModuleType:
    module = ModuleType(f"{FILE_MODULE}{sha256[:16]}")
    module.__file__ = str(path.resolve())
    sys.modules[module.__name__] = module  # types are resolved by the name of their module
    with _interrupts() as came:
        try:
            exec(compile(source, path, "exec"), module.__dict__)  # noqa: S102
        except BaseException as error:  # anybody's module: it may fail in any way
            del sys.modules[module.__name__]
            if came:
                raise
            line = error.lineno if isinstance(error, SyntaxError) else _line_in(error, path)
            what = f"could not be loaded ({type(error).__name__}: {error})"
            raise InputError(what, file=str(path), line=line) from error
    return module


def _line_in(error: BaseException, path: Path) -> int | None:
    """The last line of the file that took part in an error."""
    steps = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in steps if frame.f_code.co_filename == str(path)]
    return lines[-1] if lines else None


def _instrument_in(module: ModuleType, path: Path) -> Any:
    kinds = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__ and _is_instrument(kind)
    ]
    if not kinds:
        raise InputError("no class here is an instrument: it has name, trials and conduct", file=str(path))
    if len(kinds) > 1:
        several = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(f"a file holds one instrument, here are several: {several}", file=str(path))
    name: str = kinds[0].name  # type: ignore[attr-defined]
    if not _NAME.fullmatch(name):
        what = f"its name is {name!r}; letters, digits, - and _ only, at most 40, a letter first"
        raise InputError(what, file=str(path))
    if name in _points("assay.instruments"):
        what = f"an installed instrument is called {name!r}, too; give this one another name"
        raise InputError(what, file=str(path))
    return kinds[0]


def _is_instrument(kind: Any) -> bool:
    return isinstance(getattr(kind, "name", None), str) and all(
        callable(getattr(kind, part, None)) for part in ("trials", "conduct")
    )
