"""How long a reply can be. What is read and scored has a bound, whatever an endpoint sends.

A reply beyond it is cut, as ``max_tokens`` would have cut it, and scored as it then stands: the subject has behaved, so
nothing is excluded, and nothing is scored that it did not write. Padding does not help a subject: what lies within the
bound is always scored, and the bound is far beyond what ``max_tokens`` allows.
"""

from __future__ import annotations

import msgspec

from assay.evidence.redaction import Redactor
from assay.study.model import Limits
from assay.vocabulary import Reply, Sampling

__all__ = ["CUT", "bounded", "largest_reply"]

CUT = "cut_at_the_limit"  # the note of a reply that was longer
AT_LEAST = 100_000  # characters
PER_TOKEN = 32  # characters; text has about four


def largest_reply(limits: Limits, sampling: Sampling) -> int:
    """Characters of a reply, its tool calls included."""
    return limits.reply_characters or max(AT_LEAST, PER_TOKEN * (sampling.max_tokens or 0))


def bounded(reply: Reply, largest: int, redactor: Redactor) -> Reply:
    """The reply, cut where it is longer. Secrets are taken out first, so none is left in part.

    A tool call that does not fit is left out whole: half of one, or one without its arguments, was never made.
    """
    if len(reply.reasoning) > largest:
        reply = msgspec.structs.replace(reply, reasoning=redactor.clean_text(reply.reasoning)[:largest])
    if len(reply.text) + sum(len(call.name) + len(call.arguments) for call in reply.tool_calls) <= largest:
        return reply
    text = redactor.clean_text(reply.text)[:largest]
    left, calls = largest - len(text), []
    for call in reply.tool_calls:
        left -= len(call.name) + len(call.arguments)
        if left < 0:
            break
        calls.append(call)
    notes = (*reply.notes, CUT)
    return msgspec.structs.replace(reply, text=text, tool_calls=tuple(calls), finish="length", notes=notes)
