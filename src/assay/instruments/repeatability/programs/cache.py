"""What is worked out for a statement or a program is remembered for the others that have it in common.

A program's trees take a hundred times the room of its text. Large programs are few and have little in common, so
after one of them all is forgotten: what is remembered stays small, whatever is scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

__all__ = ["forgetting", "remembered", "to_forget"]

LARGE = 20_000  # characters

_Found = TypeVar("_Found")
_known: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[..., _Found]], _lru_cache_wrapper[_Found]]:
    """As ``lru_cache``, and forgotten after a large program."""

    def around(work: Callable[..., _Found]) -> _lru_cache_wrapper[_Found]:
        cached = lru_cache(maxsize=most)(work)
        to_forget(cached.cache_clear)
        return cached

    return around


def to_forget(clear: Callable[[], None]) -> None:
    """Called after every large program."""
    _known.append(clear)


@contextmanager
def forgetting(source: str) -> Iterator[None]:
    """Around the work on one program."""
    try:
        yield
    finally:
        if len(source) > LARGE:
            for clear in _known:
                clear()
