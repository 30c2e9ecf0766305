"""What ``assay detect answer`` calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from assay.errors import InputError
from assay.measuring.detectors import Checked

from .answer import PATHS, SEVERAL, TAKEN_BACK, UNREAD, Answer
from .choice import read_choice, read_yes_no
from .labels import labels_of
from .quantities import read_confidence, read_number, read_share
from .written import written_replies

__all__ = ["AnswerDetector", "AnswerOptions"]

VERSION = "answer/2"
LONGEST_LABEL = 20  # characters; longer options are texts, and their labels are letters


class AnswerOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of ``assay detect answer``."""

    kind: Annotated[
        Literal["choice", "yes_no", "number", "share", "confidence"], Meta(description="What is asked for.")
    ] = "choice"
    options: Annotated[
        tuple[str, ...], Meta(description="The labels of a choice; a field `options` in a row comes first.")
    ] = ("A", "B", "C", "D")
    scale: Annotated[
        float, Meta(gt=0, description="Of a confidence: the number that is full confidence.")
    ] = 100.0


class AnswerDetector:
    """What is the answer of a reply: an option, yes or no, a number, a share, a confidence?"""

    version = VERSION
    option_type = AnswerOptions
    counted = (*PATHS, UNREAD, TAKEN_BACK, SEVERAL)

    def __init__(self, options: AnswerOptions | None = None) -> None:
        self.options = options or AnswerOptions()
        if self.options.kind == "choice":
            labels_of(self.options.options)  # refuses labels that cannot be told apart

    def for_row(self, row: Mapping[str, Any]) -> AnswerDetector:
        """The detector with the options of a row, where it has any."""
        if self.options.kind != "choice" or row.get("options") in (None, ""):
            return self
        return AnswerDetector(AnswerOptions(options=labels_in(row["options"])))

    def answer(self, text: str) -> Answer:
        match self.options.kind:
            case "choice":
                return read_choice(text, self.options.options)
            case "yes_no":
                return read_yes_no(text)
            case "number":
                return read_number(text)
            case "share":
                return read_share(text)
            case "confidence":
                return read_confidence(text, self.options.scale)

    def read(self, text: str) -> dict[str, Any]:
        found = self.answer(text)
        span = None if found.span is None else list(found.span)
        return {"answer": found.value, "path": found.path, "span": span}

    def count(self, text: str) -> dict[str, bool]:
        return {self.answer(text).path: True}

    def check(self) -> Checked:
        """How the written replies are read, half of which were made to mislead."""
        counts: dict[str, Counter[str]] = {}
        for reply in written_replies():
            value = read_choice(reply.text, reply.options).value
            part = counts.setdefault("hard" if reply.hard else "easy", Counter())
            part[_outcome(value, reply.answer)] += 1
        names = ("right", "unread", "wrong", "left alone", "read though there is none")
        lines = [f"{VERSION}: {sum(part.total() for part in counts.values())} written replies"]
        lines += [
            f"  {name}: " + ", ".join(f"{part[one]} {one}" for one in names) for name, part in counts.items()
        ]
        return Checked({"detector": VERSION, **{k: dict(part) for k, part in counts.items()}}, lines)


def _outcome(value: str | float | None, label: str | None) -> str:
    if label is None:
        return "left alone" if value is None else "read though there is none"
    return "right" if value == label else "unread" if value is None else "wrong"


def labels_in(given: Any) -> tuple[str, ...]:
    """The labels that a row names: a list, a text with commas, or an object with the labels as its keys."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except ValueError:
            raise InputError(f"options: {given!r} is no list") from None
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",")]
    labels = [str(one).strip() for one in given] if isinstance(given, list | tuple | dict) else []
    if len(labels) < 2:
        raise InputError('options: write a list of labels, such as "A,B,C"')
    if any(len(one) > LONGEST_LABEL or " " in one for one in labels) and not isinstance(given, dict):
        return tuple(ascii_uppercase[: len(labels)])
    return tuple(labels)
