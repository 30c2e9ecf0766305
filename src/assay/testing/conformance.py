"""A conformance check: all rules are tried, then one error lists everything that is wrong.

A rule is a function that yields what is wrong and is named for what should be true: ``score_is_pure``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from assay.errors import ContractBroken

__all__ = ["Conformance", "Rule", "broken_rules", "conclude", "rule_name"]

C = TypeVar("C")
Rule = Callable[[C], Iterable[str]]
Broken = tuple[str, str]  # the rule, and what is wrong


class Conformance(Struct, frozen=True):
    """What was checked and holds. ``notes`` say what could not be checked here."""

    what: str
    rules: tuple[str, ...]
    notes: tuple[str, ...] = ()


def rule_name(rule: Rule[C]) -> str:
    return rule.__name__.replace("_", " ")


def broken_rules(case: C, rules: Sequence[Rule[C]]) -> Iterator[Broken]:
    """What the case breaks. A rule that cannot be tried because something raises is broken, too."""
    for rule in rules:
        try:
            for wrong in rule(case):
                yield rule_name(rule), wrong
        except Exception as error:  # anybody's code: it may fail in any way
            yield rule_name(rule), f"{type(error).__name__}: {error}"


def conclude(
    what: str, rules: Iterable[Rule[C]], broken: Iterable[Broken], notes: Iterable[str] = ()
) -> Conformance:
    """The report, or an error with all broken rules."""
    found = list(broken)
    if found:
        raise ContractBroken(what, found)
    return Conformance(what, tuple(rule_name(rule) for rule in rules), tuple(notes))
