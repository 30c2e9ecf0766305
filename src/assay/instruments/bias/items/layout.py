"""Where an option stands and which letter it has: two things, counterbalanced apart from each other.

Over ``k * k`` instances in a row every option stands once at each place with each letter. Control, treatment and
debiased prompts of one instance have the same layout, so that a preference for a letter or a place adds the same to
all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from assay.vocabulary import Instance

from .model import DOMAINS, Domain

__all__ = ["LETTERS", "Layout", "layout_of", "place_of"]

LETTERS = "ABCDEF"


class Layout(Struct, frozen=True):
    """Options in the order in which they are shown, with their letters."""

    options: tuple[str, ...]
    letters: tuple[str, ...]

    def letter(self, option: str) -> str:
        return self.letters[self.options.index(option)]

    def option(self, letter: str) -> str:
        return self.options[self.letters.index(letter)]


def place_of(instance: Instance, domain: Domain, scenarios: int) -> int:
    """The place of an instance in the turns of its bias, which decides its layout.

    Scenarios take turns as well; each round of them is set off by as much as makes every one of them meet every layout.
    """
    turn = instance.seed + instance.repetition
    offset = next(a for a in range(6) if math.gcd(scenarios + a, 6) == 1)
    return turn + offset * (turn // scenarios) + DOMAINS.index(domain)


def layout_of(options: Sequence[str], place: int) -> Layout:
    """``options`` begin with the biased one and the normative one: so roles are balanced, not names."""
    k = len(options)
    shown, lettered = place % k, (place // k) % k
    return Layout(
        tuple(options[(i - shown) % k] for i in range(k)),
        tuple(LETTERS[(i + lettered) % k] for i in range(k)),
    )
