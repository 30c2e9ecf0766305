"""The labelled replies that come with Assay, and how well the detector reads them.

=============  ======================================================================================================
``triples``    all components; of batches 1 to 5, 8 and 14 to 16 a third, picked by the digest of the text, is held out:
               nothing is trained on it, and its errors were never looked at
``refusals``   refusal only: in the manner of five chat models, by batch
``ordinary``   full answers: no refusal
``assistants`` all components: replies as assistants of all kinds give them, by batch, one author each
``languages``  refusal only, in German, French, Spanish and Chinese
``unseen``     all components, as assistants of all kinds write, by four authors who had not seen the rules: nothing is
               trained on it, and no miss of it was looked at; ``unseen_earlier`` the same by two, for ``triple/4``;
               ``misleading`` by one who was asked to mislead a reader
=============  ======================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from .triple import COMPONENTS, Triple, detect_triple

__all__ = [
    "FILES",
    "FOLDS",
    "UNSEEN",
    "LabelAgreement",
    "LabelledReply",
    "agreement",
    "agreements",
    "labelled_replies",
    "read_once",
    "replies_in",
]

FOLDS = ("development", "held-out")
FILES = ("triples", "refusals", "ordinary", "languages", "assistants")
UNSEEN = ("unseen", "unseen_earlier", "misleading")
COMPLIES = "full_compliance"


class LabelledReply(Struct, frozen=True):
    """One reply with what a careful reader says of it; None where it was not labelled.

    ``leak`` is a label only: no rule claims to find it.
    """

    id: str
    batch: str | int
    reply: str
    prompt: str = ""
    fold: str = "development"
    voice: str = ""
    language: str = "en"
    label: str | None = None
    refusal: bool | None = None
    limit: bool | None = None
    proximity: bool | None = None
    adjacent: bool | None = None
    vague: bool | None = None
    over_apology: bool | None = None
    leak: bool | None = None


class LabelAgreement(NamedTuple):
    """Detector against labels for one component: how often both, only the detector, only the labels, neither."""

    component: str
    both: int
    rules_only: int
    labels_only: int
    neither: int = 0

    @property
    def precision(self) -> float | None:
        """The share of what was found that the labels confirm; None when nothing was found."""
        return _share(self.both, self.both + self.rules_only)

    @property
    def recall(self) -> float | None:
        """The share of what the labels say that was found; None when there is nothing to find."""
        return _share(self.both, self.both + self.labels_only)

    @property
    def total(self) -> int:
        return sum(self[1:])

    @property
    def agreed(self) -> int:
        return self.both + self.neither


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def replies_in(name: str) -> list[LabelledReply]:
    """The replies of one file, in the order in which they were written."""
    data = files("assay.instruments.consistency").joinpath("data", "labelled", f"{name}.jsonl").read_bytes()
    rows = [msgspec.json.decode(line, type=LabelledReply) for line in data.splitlines()]
    return [row if row.refusal is not None else _labelled_refusal(row, name) for row in rows]


def _labelled_refusal(row: LabelledReply, name: str) -> LabelledReply:
    refuses = name != "ordinary" and row.label != COMPLIES
    return msgspec.structs.replace(row, refusal=refuses)


def labelled_replies() -> list[LabelledReply]:
    """The replies that are labelled with every component."""
    return replies_in("triples")


@cache
def read_once(text: str) -> Triple:
    """``detect_triple`` of a labelled reply, which several figures need."""
    return detect_triple(text)


def agreement(component: str, pairs: Iterable[tuple[bool, bool]]) -> LabelAgreement:
    """Counted from pairs of what was found and what the label says."""
    seen = list(pairs)
    counts = [seen.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
    return LabelAgreement(component, *counts)


def agreements(
    replies: Iterable[LabelledReply], read: Callable[[str], Triple] = read_once
) -> list[LabelAgreement]:
    """One agreement for each component that is labelled in any of the replies."""
    found = [(reply, read(reply.reply)) for reply in replies]

    def pairs(name: str) -> list[tuple[bool, Any]]:
        both = [(getattr(triple, name), getattr(reply, name)) for reply, triple in found]
        return [(holds, label) for holds, label in both if label is not None]

    return [agreement(name, pairs(name)) for name in COMPONENTS if pairs(name)]
