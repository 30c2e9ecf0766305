"""What was read out of a reply, and by which path."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["SEVERAL", "TAKEN_BACK", "UNREAD", "Answer"]

UNREAD = "unread"  # nothing declares an answer
TAKEN_BACK = "taken_back"  # it was given, and withdrawn without another
SEVERAL = "several"  # the last declaration names more than one


class Answer(Struct, frozen=True):
    """``value`` is None where the reply gives no answer; ``path`` says how the answer was found, or why there is none.

    ``span`` is where in the reply the answer stands, as Python counts characters.
    """

    value: str | float | None
    path: str
    span: tuple[int, int] | None = None
