"""The labelled replies that come with Assay, and how well the rules read them.

Every reply was written and labelled one by one before the rules saw it. A third, picked by the digest of the text, is
held out: its errors were never looked at while rules were written.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

import msgspec
from msgspec import Struct

from .triple import COMPONENTS, detect_triple

__all__ = ["FOLDS", "LabelAgreement", "LabelledReply", "agreements", "labelled_replies"]

FOLDS = ("development", "held-out")


class LabelledReply(Struct, frozen=True):
    """One reply with what a careful reader says of it; None where it was not labelled.

    ``leak`` is a label only: no rule claims to find it.
    """

    id: str
    fold: str
    batch: int
    voice: str
    reply: str
    refusal: bool
    limit: bool
    proximity: bool
    adjacent: bool
    vague: bool | None = None
    over_apology: bool | None = None
    leak: bool | None = None


class LabelAgreement(NamedTuple):
    """Rules against labels for one component: how often both, only the rules, only the labels say yes."""

    component: str
    both: int
    rules_only: int
    labels_only: int

    @property
    def precision(self) -> float | None:
        """The share of what the rules found that the labels confirm; None when they found nothing."""
        return _share(self.both, self.both + self.rules_only)

    @property
    def recall(self) -> float | None:
        """The share of what the labels say that the rules found; None when there is nothing to find."""
        return _share(self.both, self.both + self.labels_only)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def labelled_replies() -> list[LabelledReply]:
    """All of them, in the order in which they were written."""
    data = files("assay.instruments.consistency").joinpath("data", "triples.jsonl").read_bytes()
    return [msgspec.json.decode(line, type=LabelledReply) for line in data.splitlines()]


def agreements(replies: Iterable[LabelledReply]) -> list[LabelAgreement]:
    """One agreement for each component."""
    read = [(reply, detect_triple(reply.reply)) for reply in replies]
    found = []
    for name in COMPONENTS:
        asked = [(reply, triple) for reply, triple in read if getattr(reply, name) is not None]
        pairs = [(getattr(triple, name), getattr(reply, name)) for reply, triple in asked]
        found.append(
            LabelAgreement(
                name, pairs.count((True, True)), pairs.count((True, False)), pairs.count((False, True))
            )
        )
    return found
