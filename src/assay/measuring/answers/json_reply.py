"""A reply that is a JSON object with the answer in it."""

from __future__ import annotations

import json
import re
from typing import Any

from .answer import UNREAD, Answer
from .labels import Labels
from .patterns import pattern
from .reply import PlainReply

__all__ = ["read_json"]

_FENCE = re.compile(r"^\s*```\w*\s*|\s{0,30}```\s*$")


def read_json(reply: PlainReply, labels: Labels) -> Answer | None:
    """``{"answer": "B", "reason": "…"}`` or ``{"A": false, "B": true}``; None for any other reply."""
    text = _FENCE.sub("", reply.text).strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if {key.strip() for key in value} == set(labels.options):
        true = [key.strip() for key, one in value.items() if one is True]
        return Answer(true[0], "json") if len(true) == 1 else Answer(None, UNREAD)
    values = {
        label
        for key, one in value.items()
        if isinstance(one, str)
        and pattern("answer_key").match(key.strip())
        and (label := _label(one, labels))
    }
    return Answer(values.pop(), "json") if len(values) == 1 else None


def _label(said: str, labels: Labels) -> str | None:
    found = labels.patterns["bare"].fullmatch(said) or labels.patterns["opened"].match(said)
    return None if found is None else labels.value(found["label"])
