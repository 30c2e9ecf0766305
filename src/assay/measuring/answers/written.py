"""Replies that were written for this, by authors who had not seen the rules, each with its answer."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple

__all__ = ["WrittenReply", "written_replies"]


class WrittenReply(NamedTuple):
    """``answer`` is None where the reply gives none. ``hard``: it was made to mislead."""

    text: str
    options: tuple[str, ...]
    answer: str | None
    set: str
    hard: bool
    explicit: bool  # whether the letter itself is named where the reply commits to it


def written_replies(*, inexplicit: bool = False) -> list[WrittenReply]:
    """The replies that name their letter where they choose it, or those that leave it to the reader."""
    source = files(__package__) / "data" / "replies.jsonl"
    rows = map(json.loads, source.read_text("utf-8").splitlines())
    return [
        WrittenReply(
            row["text"], tuple(row["options"].split(",")), *(row[name] for name in WrittenReply._fields[2:])
        )
        for row in rows
        if row["explicit"] is not inexplicit
    ]
