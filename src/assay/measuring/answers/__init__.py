"""What a reply's answer is: a choice, yes or no, a number, a share, a confidence. See docs/answers.md."""

from __future__ import annotations

from .answer import PATHS, SEVERAL, TAKEN_BACK, UNREAD, Answer
from .choice import read_choice, read_yes_no
from .quantities import read_confidence, read_number, read_share, without_confidence
from .written import WrittenReply, written_replies

__all__ = [
    "PATHS",
    "SEVERAL",
    "TAKEN_BACK",
    "UNREAD",
    "Answer",
    "WrittenReply",
    "read_choice",
    "read_confidence",
    "read_number",
    "read_share",
    "read_yes_no",
    "without_confidence",
    "written_replies",
]
