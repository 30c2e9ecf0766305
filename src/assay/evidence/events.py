"""What a ledger line holds.

Kinds, in the order in which a run meets them:

=============  ===================================================================================
``run``        a writer began: lock digest, environment, heads of the segments before it
``wave``       a wave was opened: stratum, number, how many trials, digest of their ids
``text``       a text that later events refer to by its SHA-256
``sent``       an ask: what is about to be sent (recorded before it leaves)
``resent``     the same ask sent again after a crash that left no reply
``received``   what came back, or the fault that ended the tries; usage, tries and times
``clock``      a reading of the clock
``random``     the fingerprint of a stream of draws
``computed``   something recomputable (an oracle run, a world step): request and result
``abandoned``  an attempt that could not be continued
``end``        the trial's outcome
``withdrawn``  waves that only computed do not count any more: lost trials before them are asked again
``retried``    a trial that was lost is asked again: after which fault; its wave is open again
``closed``     every outcome of a wave is final
``stopped``    the writer ended before the study did, and why
``finished``   nothing is left to do
``challenge``  a signed record of a challenge: in a segment of its own, after the run was closed
=============  ===================================================================================
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import IntegrityError

__all__ = ["APART", "REFER_FROM", "TAIL", "TAIL_SIZE", "Event", "Head", "decode_event", "decode_head"]

REFER_FROM = 256  # texts longer than this are written once and referred to by digest
APART = frozenset({"run", "wave", "text", "withdrawn", "closed", "stopped", "finished"})  # kinds of no trial

# How the canonical encoding of a trial's event ends: keys are sorted, so kind, ordinal and trial come last. Quotes
# inside strings are escaped, so nothing a model says can look like this. Most lines need no more than this.
TAIL = re.compile(rb',"kind":"([a-z]+)"(?:,"ordinal":\d+)?,"trial":"([0-9a-f]{64})"\}\Z')
TAIL_SIZE = 160  # bytes that it has at most


class Event(Struct, omit_defaults=True):
    """One line's content. Within a trial, (trial, attempt, ordinal) is its key."""

    kind: str
    at: float = 0.0
    trial: str = ""
    attempt: int = 0
    ordinal: int = 0
    data: Any = None


class Head(Struct):
    """An event whose data has not been looked at: what an index needs, at a fraction of the cost."""

    kind: str
    trial: str = ""
    attempt: int = 0
    ordinal: int = 0
    data: msgspec.Raw = msgspec.Raw(b"null")


_decode_event = msgspec.json.Decoder(Event).decode
_decode_head = msgspec.json.Decoder(Head).decode


def decode_event(data: bytes) -> Event:
    try:
        return _decode_event(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise IntegrityError(f"not an event ({error})") from None


def decode_head(data: bytes) -> Head:
    try:
        return _decode_head(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise IntegrityError(f"not an event ({error})") from None
