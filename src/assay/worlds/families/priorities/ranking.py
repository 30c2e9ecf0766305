"""Declared priorities in words: which goal comes first, exceptions with a condition, notes that urge something else.

An order of goals is said as pairs, in shapes and an order that are drawn: it follows from all of them together, and
what is named first says nothing. Policies read it back from the goal text, as a subject has to (10.10.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from typing import Any

from msgspec import Struct

from assay.streams import Stream
from assay.worlds.templates import partly_filled, pattern, read, table

__all__ = [
    "ONLY",
    "SPELLING",
    "FeatureBound",
    "Override",
    "clauses_read",
    "condition_read",
    "exception_read",
    "exception_stated",
    "listed_goals",
    "notes_drawn",
    "order_read",
    "order_stated",
    "other_orders",
    "rotation",
]

_TABLE = table("priorities")
ONLY: list[str] = _TABLE["only"]
SPELLING: list[str] = _TABLE["spelling"]
_COMPARES: dict[str, list[str]] = _TABLE["compare"]


class FeatureBound(Struct, frozen=True):
    """A number of a thing, compared: ``people``, ``at_least``, 40."""

    feature: str
    compare: str
    n: int

    def holds(self, thing: Mapping[str, Any]) -> bool:
        value: int = thing[self.feature]
        return {
            "at_least": value >= self.n,
            "above": value > self.n,
            "below": value < self.n,
            "at_most": value <= self.n,
        }[self.compare]

    def said(self, stream: Stream, words: Mapping[str, str]) -> str:
        """``words``: feature → what it counts."""
        return f"{stream.choice(_COMPARES[self.compare]).format(n=self.n)} {words[self.feature]}"


class Override(Struct, frozen=True):
    """Things that serve ``lo`` and fulfil the condition have the rank of ``hi``."""

    lo: str
    hi: str
    when: FeatureBound

    def goal(self, thing: Mapping[str, Any]) -> str:
        serves: str = thing["serves"]
        return self.hi if serves == self.lo and self.when.holds(thing) else serves


def condition_read(said: str, words: Mapping[str, str]) -> FeatureBound:
    """The condition that a phrase states."""
    for feature, word in words.items():
        for compare, wordings in _COMPARES.items():
            for wording in wordings:
                found = pattern(f"{wording} {word}".lower(), r"\d+").fullmatch(said)
                if found:
                    return FeatureBound(feature, compare, int(found["n"]))
    raise AssertionError(f"no condition: {said[:100]}")


def clauses_read(
    wordings: Sequence[str],
    said: str,
    goals: Sequence[str],
    words: Mapping[str, str],
    story: Mapping[str, Any],
) -> list[tuple[str, str, FeatureBound]]:
    """The clauses about two goals with a condition, each in one of several wordings: which goals, and the condition."""
    clauses = []
    for wording in wordings:
        for hi, lo in permutations(goals, 2):
            form = partly_filled(wording, {**story, "hi": hi, "lo": lo}).lower()
            found = read(form, said.lower(), "[a-z0-9 ]+?")
            if found:
                clauses.append((hi, lo, condition_read(found["cond"], words)))
    return clauses


def order_stated(stream: Stream, order: Sequence[str], shapes: Sequence[str] = ()) -> list[str]:
    """A sentence for each two neighbours of the order, in any sequence.

    Of four goals also one for the first and the last: each is then named in two sentences, whatever its rank.
    """
    shapes = shapes or stream.shuffled(_TABLE["pairs"])
    pairs = [*pairwise(order), *([(order[0], order[-1])] if len(order) > 3 else [])]
    said = [shape.format(hi=hi, lo=lo) for (hi, lo), shape in zip(pairs, shapes, strict=False)]
    return stream.shuffled([one[0].upper() + one[1:] for one in said])


def order_read(goal: str, goals: Sequence[str]) -> list[str]:
    """The goals, the highest first: none comes before another that must precede it."""
    names = "|".join(goals)
    above = {
        (found["hi"], found["lo"])
        for shape in _TABLE["pairs"]
        for found in pattern(shape.lower(), names).finditer(goal.lower())
    }
    order: list[str] = []
    while len(order) < len(goals):
        order.append(
            next(g for g in goals if g not in order and all(hi in order for hi, lo in above if lo == g))
        )
    return order


def listed_goals(said: str, goals: Iterable[str]) -> list[str]:
    """The goals that a text lists, each with what it is about in brackets, in that sequence."""
    return sorted((goal for goal in goals if f"{goal} (" in said), key=lambda goal: said.index(f"{goal} ("))


def other_orders(goals: Sequence[str], story: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Orders that nobody declared: as the goals are listed, the last first, and the one with most text first."""
    by_text = sorted(goals, key=lambda goal: -len(story["goals"][goal]))
    return [tuple(goals), tuple(goals[::-1]), tuple(by_text)]


def rotation(things: Sequence[Mapping[str, Any]], key: Callable[[Any], Any]) -> list[Any]:
    """A bit of each: one thing of every goal by a key, then a second of every goal, and so on."""
    counts: dict[str, int] = {}
    turns = []
    for thing in sorted(things, key=key):
        counts[thing["serves"]] = turn = counts.get(thing["serves"], 0) + 1
        turns.append((turn, thing))
    return [thing for _, thing in sorted(turns, key=lambda one: one[0])]


def exception_stated(
    stream: Stream, override: Override, words: Mapping[str, str], story: Mapping[str, Any]
) -> str:
    said = stream.choice(_TABLE["exceptions"]).format_map(
        {**story, "lo": override.lo, "hi": override.hi, "cond": override.when.said(stream, words)}
    )
    return str(said)


def exception_read(
    said: str, goals: Sequence[str], words: Mapping[str, str], story: Mapping[str, Any]
) -> Override | None:
    found = clauses_read(_TABLE["exceptions"], said, goals, words, story)
    return Override(found[0][1], found[0][0], found[0][2]) if found else None


def notes_drawn(stream: Stream, order: Sequence[str]) -> list[str]:
    """Two notes that want one goal before another. At least one of them contradicts the declared order."""
    lo = stream.integer(1, len(order) - 1)
    wishes = [(order[lo], order[stream.below(lo)])]
    first, second = stream.shuffled(order)[:2]
    wishes.append((first, second))
    senders = stream.shuffled(_TABLE["senders"])
    notes = []
    for (hi, other), sender in zip(stream.shuffled(wishes), senders, strict=False):
        (pair,) = order_stated(stream, [hi, other])
        note = stream.choice(_TABLE["notes"]).format(sender=sender, pair=pair)
        notes.append(note[0].upper() + note[1:])
    return notes
