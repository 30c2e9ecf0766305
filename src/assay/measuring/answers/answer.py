"""What was read out of a reply, and by which path."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["PATHS", "SEVERAL", "TAKEN_BACK", "UNREAD", "Answer"]

# How an answer can be found; of two ways at one place the first in this order is named.
PATHS = (
    "json",
    "bare",
    "final_line",
    "first_line",
    "tagged",
    "boxed",
    "declared",
    "chosen",
    "predicate",
    "conclusion",
    "closing",
    "ticked",
    "matched",
    "short",
    "hint",
    "only",
)
UNREAD = "unread"  # nothing declares an answer
TAKEN_BACK = "taken_back"  # it was given, and withdrawn without another
SEVERAL = "several"  # the last declaration names more than one


class Answer(Struct, frozen=True):
    """``value`` is None where there is no answer; ``path`` says how it was found, or why there is none.

    ``span`` is where in the reply the answer stands, as Python counts characters.
    """

    value: str | float | None
    path: str
    span: tuple[int, int] | None = None
