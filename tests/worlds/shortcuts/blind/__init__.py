"""Shortcuts of an outsider: written from prompts and transcripts alone, without a look at the families.

One module a dimension. ``TRIED`` has all of them: family → level → name → policy. ``PASSES`` has those that pass more
than a shortcut may, with their rate on the instances of the test and their `Kind`; ``SHORTCUTS`` has the rest.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from operator import eq
from typing import Any, Literal

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import finish

__all__ = [
    "Book", "Kind", "Made", "Passing", "Script", "best", "close", "digits", "does", "kept_from_passing", "numbers",
    "passing", "span", "without",
]  # fmt: skip

Made = Callable[[Brief], Policy]
Book = dict[str, dict[int, dict[str, Made]]]
# less: it leaves out what the level is about; words: it knows words of the prompts from instances seen before; task: it
# does what the goal says, so that it is a small solver rather than a shortcut.
Kind = Literal["less", "words", "task"]
Passing = dict[str, dict[int, dict[str, tuple[float, Kind]]]]
Choice = Callable[["Script", dict[str, Any]], Act | None]


class Script:
    """A choice on the latest observation; looks again after a fault, and ends when there is no choice.

    ``told`` has the texts of events by number, ``tried`` what was tried already, ``error`` the latest error.
    """

    def __init__(self, brief: Brief, choose: Choice) -> None:
        self.brief, self.choose = brief, choose
        self.latest: dict[str, Any] = {}
        self.told: dict[int, str] = {}
        self.tried: list[Act] = []
        self.errors: list[str] = []
        self.error = ""
        self.kept: dict[str, Any] = {}

    def decide(self, seen: Seen) -> Act:
        self.latest, self.error = seen.observation or self.latest, seen.error
        if seen.error and not seen.fault:
            self.errors.append(seen.error)
        if seen.fault and self.tried:
            self.tried.pop()
        if seen.fault or not self.latest:
            return Act("look", {})
        event = self.latest.get("event")
        if event:
            self.told[event["number"]] = event["text"]
            if event["number"] < event["of"]:
                return Act("next", {})
        act = self.choose(self, self.latest) or finish()
        self.tried.append(act)
        return act


MODULES = ("sensing", "modelling", "deciding", "efficacy")


def kept_from_passing() -> Book:
    """All that do not pass, of every dimension."""
    return {
        f: levels for name in MODULES for f, levels in import_module(f"{__name__}.{name}").SHORTCUTS.items()
    }


def passing() -> list[tuple[str, int, str, Made, float, Kind]]:
    """All that pass: family, level, name, policy, rate and kind."""
    modules = [import_module(f"{__name__}.{name}") for name in MODULES]
    return [
        (family, level, name, module.TRIED[family][level][name], rate, kind)
        for module in modules
        for family, levels in module.PASSES.items()
        for level, some in levels.items()
        for name, (rate, kind) in some.items()
    ]


def without(tried: Book, passes: Passing) -> Book:
    """What was tried and does not pass."""
    return {
        family: {
            level: {
                name: made for name, made in some.items() if name not in passes.get(family, {}).get(level, {})
            }
            for level, some in levels.items()
        }
        for family, levels in tried.items()
    }


def does(choose: Choice) -> Made:
    return lambda brief: Script(brief, choose)


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", text)]


def digits(text: str) -> str:
    """With letters that look like a digit read as that digit."""
    return text.translate(str.maketrans("OolISsZzbBAEgqT", "001155226843997"))


@cache
def close(a: str, b: str) -> float:
    """How alike two texts are, from 0 to 1."""
    return difflib.SequenceMatcher(None, a.lower(), b.lower(), autojunk=False).ratio()


def best(word: str, among: Iterable[str]) -> str:
    """The one most like a word."""
    return max(among, key=lambda other: close(word, other))


@cache
def span(phrase: str, text: str) -> tuple[float, int]:
    """How well a phrase is found in a text that may be misread, and where it begins there."""
    phrase, text, width = phrase.lower(), text.lower(), len(phrase)
    if phrase in text:
        return 1.0, -text.index(phrase)
    return max(
        (sum(map(eq, phrase, text[at : at + width])) / width, -at)
        for at in range(max(1, len(text) - width + 1))
    )
