"""Rules and word lists, read from the files in ``data/detectors`` and ``data/judging``.

A file has up to five parts:

=============  ======================================================================================================
``rules``      each a finding of its own: a pattern, a sentence that it accepts and one that it refuses; ``heads``
               where it is tried only at the words with which a match can begin
``patterns``   what the logic asks for by name: a pattern, and why it is there
``words``      lists of words, separated by spaces
``numbers``    words that stand for a number
``fragments``  pieces of patterns, written as ``{name}`` where they are used; those of a folder's ``common.yaml`` are
               known in all its files
=============  ======================================================================================================

The lines of a pattern are stripped and joined. Every repetition is bounded, so that a pattern reads a text in linear
time. A file is read when it is first asked for, and a pattern is compiled when it is first used.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib.resources import files

import msgspec
from msgspec import Struct

from .rule import Rule

__all__ = ["Rulebook", "rules_in"]

COMMON = "common"
_FRAGMENT = re.compile(r"\{([a-z_]+)\}")


class _Rule(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    accepts: str
    refuses: str
    heads: str = ""
    why: str = ""


class _Pattern(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    why: str


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    fragments: dict[str, str] = {}
    rules: dict[str, _Rule] = {}
    patterns: dict[str, _Pattern] = {}
    words: dict[str, str] = {}
    numbers: dict[str, dict[str, float]] = {}


class Rulebook(dict[str, re.Pattern[str]]):
    """One file of rules, by folder and name (``judging/leaks``). As a mapping, its patterns that were used so far."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, name: str) -> re.Pattern[str]:
        self[name] = re.compile(self._text(self._file.patterns[name].pattern))
        return self[name]

    @property
    def patterns(self) -> list[str]:
        """The names of all patterns of the file."""
        return list(self._file.patterns)

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """The rules by name, in the order of the file."""
        return {
            name: Rule(name, self._text(r.pattern), accepts=r.accepts, refuses=r.refuses, heads=r.heads)
            for name, r in self._file.rules.items()
        }

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The lists of words by name."""
        return {name: frozenset(text.split()) for name, text in self._file.words.items()}

    @property
    def numbers(self) -> dict[str, dict[str, float]]:
        """Lists of words with the number that each stands for, by name."""
        return self._file.numbers

    @cached_property
    def _file(self) -> _File:
        return _read(self.name)

    @cached_property
    def _fragments(self) -> dict[str, str]:
        folder = self.name.partition("/")[0]
        known: dict[str, str] = {}
        for name, text in (_read(f"{folder}/{COMMON}").fragments | self._file.fragments).items():
            known[name] = _filled(text, known)
        return known

    def _text(self, pattern: str) -> str:
        return _filled(pattern, self._fragments)


@cache
def _read(name: str) -> _File:
    place = files("assay.instruments.consistency").joinpath("data", f"{name}.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=_File)


def _filled(pattern: str, fragments: dict[str, str]) -> str:
    whole = "".join(line.strip() for line in pattern.splitlines())
    return _FRAGMENT.sub(lambda found: fragments[found[1]], whole)


@cache
def rules_in(*names: str) -> tuple[Rule, ...]:
    """The rules of several files of ``detectors``, one after the other."""
    return tuple(rule for name in names for rule in Rulebook(f"detectors/{name}").rules.values())
