"""Answers: what a reply's answer is. Choice, yes or no, number, share, confidence; docs/answers.md lists the paths."""

from __future__ import annotations

from .answer import Answer
from .choice import read_choice
from .quantities import read_confidence, read_number, read_share

__all__ = ["Answer", "read_choice", "read_confidence", "read_number", "read_share", "read_yes_no"]

YES_NO = ("yes", "no")


def read_yes_no(text: str) -> Answer:
    """``yes`` or ``no``, declared as any choice is."""
    return read_choice(text, YES_NO)
