"""Where an option stands and which letter it has: two things, counterbalanced apart from each other.

Over ``k * k`` layouts in a row every option stands once at each place with each letter.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

__all__ = ["LETTERS", "Layout", "layout_of"]

LETTERS = "ABCDEFGHIJKLMNOPQRST"


class Layout(Struct, frozen=True):
    """Options in the order in which they are shown, with their letters."""

    options: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()

    def letter(self, option: str) -> str:
        return self.letters[self.options.index(option)]

    def option(self, letter: str) -> str:
        return self.options[self.letters.index(letter)]


def layout_of(options: Sequence[str], turn: int) -> Layout:
    """The layout of one of many turns; what must be balanced is said by the order of the options."""
    k = len(options)
    shown, lettered = turn % k, (turn // k) % k
    return Layout(
        tuple(options[(i - shown) % k] for i in range(k)),
        tuple(LETTERS[(i + lettered) % k] for i in range(k)),
    )
