"""What a reply to an item says: its answer and its stated confidence, read by the kit's reader."""

from __future__ import annotations

import re

from msgspec import Struct, structs

from assay.measuring.answers import (
    Answer,
    read_choice,
    read_confidence,
    read_number,
    read_yes_no,
    without_confidence,
)

from .items.instance import BiasInstance

__all__ = ["CHOICE", "ItemAnswer", "read_item_answer"]

CHOICE = ("letter", "position", "options")  # what a choice was, and among how many

AMBIGUOUS = "ambiguous"  # a percentage that may be a share
_SHARE = re.compile(r"[-−–]?0?\.\d+")


class ItemAnswer(Struct, frozen=True):
    """``score`` is 0 for the normative answer and 1 for the biased one; ``raw`` is not cut at these."""

    answer: str | float | None
    path: str
    confidence: float | None = None
    option: str | None = None
    letter: str | None = None
    position: int | None = None
    options: int | None = None  # how many there were
    raw: float | None = None
    score: float | None = None
    correct: bool | None = None


def read_item_answer(text: str, instance: BiasInstance) -> ItemAnswer:
    """A reply that declares no answer has no score, whatever confidence it states."""
    given = without_confidence(text)
    found: Answer
    if instance.answer == "choice":
        found = read_choice(given, instance.labels)
    elif instance.answer == "yes_no":
        found = read_yes_no(given)
    else:
        found = read_number(given)
    confidence = read_confidence(text).value
    stated = None if confidence is None else float(confidence)
    if found.value is None:
        return ItemAnswer(None, found.path, stated)
    if _may_be_a_share(given, found, instance):
        return ItemAnswer(None, AMBIGUOUS, stated)
    answer = float(found.value) if instance.answer == "number" else str(found.value)
    raw, right = instance.raw_score(answer), instance.is_correct(answer)
    option = instance.option_of(answer) if isinstance(answer, str) else None
    read = ItemAnswer(
        answer, found.path, stated, option, raw=raw, score=min(max(raw, 0.0), 1.0), correct=right
    )
    if instance.answer != "choice":
        return read
    shown = instance.layout.options
    chosen = {"letter": str(answer), "position": shown.index(str(option)) + 1, "options": len(shown)}
    return structs.replace(read, **chosen)


def _may_be_a_share(given: str, found: Answer, instance: BiasInstance) -> bool:
    """Whether a bare ``0.11`` was answered where percent are asked for: 0.11 percent, or 11.

    Where the normative or the biased answer is itself below 1, it is taken as it stands.
    """
    if instance.answer != "number" or instance.chosen.unit.fill(instance.values) != "percent":
        return False
    small = any(abs(float(one)) < 1 for one in (instance.normative, instance.biased))
    return not small and found.span is not None and _SHARE.fullmatch(given[slice(*found.span)]) is not None
