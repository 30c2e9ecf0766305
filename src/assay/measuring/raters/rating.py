"""A rating: one label that one rater gave to one item, or to one part of it, for one question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from assay.errors import InputError

from .question import RatingLabel

__all__ = ["RatedNames", "RatedThing", "Rating", "labels_by_question"]


class RatedThing(NamedTuple):
    """What one rater was asked once."""

    item: str
    place: int
    question: str
    rater: str


class Rating(Struct, frozen=True):
    """``place`` is the number of the part that was rated; 0 where an item is rated as a whole."""

    item: str
    place: int
    question: str
    label: RatingLabel
    rater: str

    @property
    def thing(self) -> RatedThing:
        return RatedThing(self.item, self.place, self.question, self.rater)


class RatedNames(Struct, frozen=True):
    """What an instrument calls the rated thing: the columns of a file of ratings, the factors of a rating trial.

    ``place`` is empty where items have no parts.
    """

    item: str = "item"
    place: str = "place"
    question: str = "question"


def labels_by_question(
    ratings: Iterable[Rating],
) -> dict[str, dict[tuple[str, int], dict[str, RatingLabel]]]:
    """Question → (item, place) → rater → label. A rater who rates one thing twice is refused."""
    found: dict[str, dict[tuple[str, int], dict[str, RatingLabel]]] = {}
    for rating in ratings:
        labels = found.setdefault(rating.question, {}).setdefault((rating.item, rating.place), {})
        if rating.rater in labels:
            raise InputError(
                f"{rating.rater} has rated {rating.question} at place {rating.place} of {rating.item!r} more than once"
            )
        labels[rating.rater] = rating.label
    return found
