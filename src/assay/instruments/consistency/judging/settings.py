"""The numbers that the rules of judging go by. They belong to the study: a change of one is another reading."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

__all__ = ["UNDECIDED", "UNTIMED", "Judging"]

UNTIMED = "no time was recorded"  # the note of a check that would have needed one
UNDECIDED = (
    "only a rater can decide it"  # of a leak where nothing forbidden is named, or the request names it, too
)

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


class Judging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words are counted as runs of letters and digits; seconds are subject time."""

    delta_seconds: Seconds = 60.0  # Δ: a repair within it is in time
    untimed_counts: bool = True  # a reply without a time is scored on its content, and the check says so
    move_words: Count = 80  # a TinyMove is no longer
    reply_words: Count = 200  # a return is one bounded response: no longer
    mirror_words: Count = 3  # a Mirror is at least so many words of the user's message in a row
    summary_words: Count = 3  # so many rare words of the artifact are a reference to it by content
    added_words: Count = 8  # a second return with more new words than this has added content
    growth: Annotated[float, Meta(ge=1)] = 1.5  # a second return that is longer by more has escalated
    delivery_words: Count = 8  # so many words beside an unasked promise are something delivered
