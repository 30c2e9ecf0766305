"""A question to raters: the sentence asked, and the closed set of labels that may answer it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from assay.errors import InputError

__all__ = ["YES_NO", "Question", "RatingLabel", "read_label"]

RatingLabel = bool | str
YES_NO: Mapping[str, RatingLabel] = MappingProxyType({"yes": True, "no": False})
MOST_LABELS = 20  # a rater is shown them all in one sentence


class Question(Struct, frozen=True):
    """What raters are asked. ``labels`` gives each word that may answer it the label it stands for."""

    id: str
    text: str
    labels: dict[str, RatingLabel] = field(default_factory=lambda: dict(YES_NO))

    def __post_init__(self) -> None:
        if not 2 <= len(self.labels) <= MOST_LABELS:
            raise InputError(f"question {self.id!r}: give 2 to {MOST_LABELS} labels, not {len(self.labels)}")
        if wrong := [word for word in self.labels if word.split() != [word] or word.endswith(".")]:
            raise InputError(f"question {self.id!r}: label {wrong[0]!r} is not one word")
        if len({word.casefold() for word in self.labels}) < len(self.labels):
            raise InputError(f"question {self.id!r}: two labels differ in case only")
        if len(set(self.labels.values())) < len(self.labels):
            raise InputError(f"question {self.id!r}: two words stand for one label")

    @classmethod
    def among(cls, id: str, text: str, *words: str) -> Question:
        """A question of several categories; each word is its own label."""
        return cls(id, text, {word: word for word in words})

    @property
    def words(self) -> str:
        """The labels as a sentence lists them: ``yes or no``."""
        *before, last = self.labels
        return f"{', '.join(before)} or {last}"

    def read(self, reply: str) -> RatingLabel | None:
        """The label that a rater's whole reply gives, or None."""
        return read_label(reply, self.labels)


def read_label(reply: str, labels: Mapping[str, RatingLabel]) -> RatingLabel | None:
    """One of the words, alone, in any case, perhaps with a full stop; anything else is no rating."""
    said = reply.strip().removesuffix(".").casefold()
    return next((label for word, label in labels.items() if word.casefold() == said), None)
