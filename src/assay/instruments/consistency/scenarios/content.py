"""What is put to subjects, read from ``data``: boundaries with requests, small asks, words, and the house rules.

All of it goes into the lock as material, so a run reads it from there and never from the installed files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct

from assay.study.source import convert, parse_source

from .scenario import Kind

__all__ = [
    "CANARY",
    "PLACES",
    "RETURNS",
    "SLIPS",
    "Asks",
    "Boundary",
    "Confided",
    "Content",
    "Fact",
    "HouseRules",
    "Lexeme",
    "Mistake",
    "PromiseTask",
    "SecretWords",
    "WordLists",
    "shipped_content",
]

Sentence = Annotated[str, Meta(min_length=3)]
Sentences = Annotated[tuple[Sentence, ...], Meta(min_length=1)]
RefusalKind = Literal["medical", "legal", "financial", "override", "secrecy", "capability"]
Slip = Literal["digest", "label", "boundary", "fact"]
CANARY = "-canary"  # how the name of a request for one ends
SLIPS: tuple[Slip, ...] = get_args(Slip)
PLACES: tuple[Literal["user", "own"], ...] = ("user", "own")
# Two of each kind that counts in M1 for every return that must be turned away.
RETURNS = ("within", "fresh", "several", "wrong_digest", "within", "fresh", "several", "unknown_label")


class Confided(Struct, frozen=True, forbid_unknown_fields=True):
    """What a subject is told and must not give away, and the request for it. Names in braces are drawn."""

    sort: Literal["fact", "code", "name", "passage", "result"]
    told: Sentence
    ask: Sentence
    forbidden: Sentences


class Boundary(Struct, frozen=True, forbid_unknown_fields=True):
    """A boundary, what lies outside it, what only looks so, and what can be offered instead."""

    id: str
    kind: RefusalKind
    boundary: Sentence
    outside: Sentences
    near: Sentence
    instead: Sentence
    confided: Confided | None = None


class PromiseTask(Struct, frozen=True, forbid_unknown_fields=True):
    task: Sentence
    marks: Annotated[tuple[str, ...], Meta(min_length=1)]


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    fact: Sentence
    values: Annotated[tuple[str, ...], Meta(min_length=2)]
    then: Sentence


class Asks(Struct, frozen=True, forbid_unknown_fields=True):
    exchanges: Sentences
    artifacts: Sentences
    one_artifact: Sentences
    several_artifacts: Sentences
    another_artifact: Sentences
    promises: tuple[PromiseTask, ...]
    promise_ways: Sentences
    facts: tuple[Fact, ...]
    foils: Sentences


class Lexeme(Struct, frozen=True, forbid_unknown_fields=True):
    word: Sentence
    synonyms: Sentences


class WordLists(Struct, frozen=True, forbid_unknown_fields=True):
    first: Sentences
    second: Sentences
    lexicon: tuple[Lexeme, ...]
    things: Sentences
    places: Sentences
    people: Sentences
    last_artifacts: Sentences


class SecretWords(Struct, frozen=True, forbid_unknown_fields=True):
    """What canaries are drawn from."""

    surname: tuple[tuple[str, ...], ...]
    first_names: Sentences
    substances: Sentences
    birds: Sentences
    passages: Sentences


class Mistake(Struct, frozen=True, forbid_unknown_fields=True):
    """How a planted error is said, in the user's turn and in the subject's own."""

    user: Sentence
    own: Sentence


class HouseRules(Struct, frozen=True, forbid_unknown_fields=True, rename={"return_": "return"}):
    opening: Sentence
    one_thread: Sentence
    several_threads: Sentence
    in_memory: Sentence
    rules: Sentence
    tools: Sentence
    keep: Sentence
    return_: Sentence
    go_on: Sentence
    repair: Sentence
    fact: Sentence
    mistakes: dict[Slip, Mistake]
    after_own: Sentences


class Content(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is said to subjects. Plain data: it goes into the lock and comes back from it."""

    boundaries: tuple[Boundary, ...]
    asks: Asks
    words: WordLists
    rules: HouseRules
    secrets: SecretWords | None = None

    def items(self, kind: Kind) -> list[str]:
        """The items of a kind, in the order in which they are asked: the first few are as varied as can be."""
        if kind == "return":
            return [*dict.fromkeys(RETURNS), "memory"]
        if kind == "near_miss":
            return [f"{b.kind}-{b.id}" for b in _spread(self.boundaries)]
        if kind == "refusal":
            return list(dict.fromkeys(self._alternating()))
        if kind == "repair":
            return [f"{slip}-{place}" for place in PLACES for slip in SLIPS]
        counts = {
            "artifact": len(self.asks.artifacts),
            "exchange": len(self.asks.exchanges),
            "promise": len(self.asks.promises),
        }
        return [f"{number + 1:02d}" for number in range(counts[kind])]

    def schedule(self, kind: Kind, count: int) -> Iterator[tuple[str, int]]:
        """``count`` pairs of an item and its repetition: all items once before any is asked again.

        Every other refusal has a canary, however many there are, so those with one come again sooner.
        """
        items = list(RETURNS) if kind == "return" else self.items(kind)
        if kind == "refusal":
            items = self._alternating()
        seen: dict[str, int] = {}
        for place in range(count):
            item = items[place % len(items)]
            yield item, seen.setdefault(item, 0)
            seen[item] += 1

    def has_canary(self, item: str) -> bool:
        """Is the subject of a refusal item told what it must not give away?"""
        return item.endswith(CANARY)

    def _with_canary(self) -> list[str]:
        return [f"{b.kind}-{b.id}{CANARY}" for b in _spread(self.boundaries) if b.confided]

    def _without_canary(self) -> list[str]:
        requests = max(len(b.outside) for b in self.boundaries)
        return [
            f"{b.kind}-{b.id}-{number + 1}"
            for number in range(requests)
            for b in _spread(self.boundaries)
            if number < len(b.outside)
        ]

    def _alternating(self) -> list[str]:
        """One with a canary, then one without, of another kind: of the first few at least half have one."""
        told, plain = self._with_canary(), self._without_canary()
        if not told:
            return plain
        shift = len({b.kind for b in self.boundaries}) // 2
        return [
            item
            for place in range(math.lcm(len(told), len(plain)))
            for item in (told[place % len(told)], plain[(place + shift) % len(plain)])
        ]

    def boundary(self, item: str) -> Boundary:
        """The boundary that a refusal or near-miss item is about."""
        return next(b for b in self.boundaries if b.id == item.split("-")[1])


def _spread(boundaries: Iterable[Boundary]) -> Iterator[Boundary]:
    """The first of every kind, then the second of every kind, and so on."""
    by_kind: dict[str, list[Boundary]] = {}
    for boundary in boundaries:
        by_kind.setdefault(boundary.kind, []).append(boundary)
    for row in range(max(map(len, by_kind.values()))):
        yield from (group[row] for group in by_kind.values() if row < len(group))


@cache
def shipped_content() -> Content:
    """The content that comes with the instrument."""
    return Content(
        boundaries=_read("requests.yaml", tuple[Boundary, ...]),
        asks=_read("asks.yaml", Asks),
        words=_read("words.yaml", WordLists),
        rules=_read("rules.yaml", HouseRules),
        secrets=_read("secrets.yaml", SecretWords),
    )


def _read(name: str, to: Any) -> Any:
    place = files("assay.instruments.consistency") / "data" / name
    source = parse_source(place.read_text("utf-8"), name)
    return convert(source.value, to, source)
