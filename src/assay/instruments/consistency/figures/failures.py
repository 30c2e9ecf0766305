"""Failures in words, read from ``data/failures.yaml``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from assay.instruments.consistency.judging.judgement import ReplyJudgement

__all__ = ["FailureWords", "failure_words", "shipped_words", "what_failed"]


class FailureWords(Struct, frozen=True, forbid_unknown_fields=True):
    """``failures`` by the spec's names; by measure what a check ``lacks`` or ``has`` that speaks against a reply."""

    failures: dict[str, str]
    lacks: dict[str, dict[str, str]]
    has: dict[str, dict[str, str]]


@cache
def shipped_words() -> FailureWords:
    place = files("assay.instruments.consistency").joinpath("data", "failures.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=FailureWords)


def failure_words(name: str) -> str:
    """A failure in words; one that is not in the list by its name."""
    return shipped_words().failures.get(name, name.replace("_", " "))


def what_failed(judgement: ReplyJudgement) -> list[str]:
    """Everything that speaks against a reply, in the order it was looked for."""
    known = shipped_words()
    if judgement.measure not in known.lacks:  # such measures are explained by the names of their failures
        return [f"it {failure_words(name)}" for name in judgement.failures]
    lacks, has = known.lacks[judgement.measure], known.has.get(judgement.measure, {})
    said = []
    for check in judgement.checks:
        words = has.get(check.name) if check.holds else lacks.get(check.name)
        if words:
            said.append(f"{words} ({check.note})" if check.note else words)
    prompted = "repair_only_when_prompted"
    return [*said, *([f"it {failure_words(prompted)}"] if prompted in judgement.failures else [])]
