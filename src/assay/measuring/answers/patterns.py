"""Patterns by name, composed of the words in ``data/words.yaml`` as ``data/patterns.yaml`` says.

Both files say what may stand in them. They are read when a pattern is first asked for; it is compiled once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct

__all__ = ["Patterns", "Specimen", "pattern", "specimens"]

_NAME = re.compile(r"\{([a-z_]+)\}")
_BEGINS, _ENDS = (
    r"(?<![^\W\d_])",
    r"\b",
)  # of a word; one with a digit or an underscore before it is still that word
_LABEL = "label", "mark"  # names that stand for the labels of a question


class _Group(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    words: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def text(self) -> str:
        said = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in self.words)
        whole = [f"{_BEGINS}(?:{said}){_ENDS}"] if said else []
        return f"(?:{'|'.join([*whole, *map(re.escape, self.signs), *self.patterns])})"


class _Fragment(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    pattern: str


class Specimen(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern as it is written, with a text that it finds and one that it does not."""

    about: str
    accepts: str
    refuses: str
    pattern: str
    tried: Literal["anywhere", "at", "line"] = "anywhere"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    fragments: dict[str, _Fragment]
    patterns: dict[str, Specimen]


@cache
def _file() -> _File:
    return msgspec.yaml.decode(_data("patterns.yaml"), type=_File)


@cache
def _groups() -> dict[str, _Group]:
    return msgspec.yaml.decode(_data("words.yaml"), type=dict[str, _Group])


def _data(name: str) -> bytes:
    return (files(__package__) / "data" / name).read_bytes()


@cache
def _fragments() -> dict[str, str]:
    """Groups of words and fragments by name, each filled in with those before it."""
    known: dict[str, str] = {name: f"{{{name}}}" for name in _LABEL}
    for name, group in _groups().items():
        known[name] = _filled(group.text(), known)
    for name, fragment in _file().fragments.items():
        known[name] = _filled(fragment.pattern, known)
    return known


def _filled(text: str, known: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: known[found[1]], text)


def specimens() -> Mapping[str, Specimen]:
    """All patterns as they are written, by name."""
    return _file().patterns


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern that does not depend on the labels."""
    return re.compile(_filled(specimens()[name].pattern, _fragments()), re.I | re.X)


class Patterns:
    """The patterns of one set of labels, ``label`` being the expression that finds any of them."""

    def __init__(self, label: str) -> None:
        self._labels = {"label": label, "mark": f"(?P<label>{label})"}
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            written = _filled(specimens()[name].pattern, _fragments())
            self._compiled[name] = re.compile(_filled(written, self._labels), re.I | re.X)
        return self._compiled[name]
