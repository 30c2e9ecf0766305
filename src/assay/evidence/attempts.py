"""The events of one trial: by attempt, in order, with the texts that requests refer to in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from assay.canonical import sha256_hex
from assay.errors import IntegrityError

from .events import REFER_FROM, Event

__all__ = ["by_attempt", "in_order", "restore_texts"]

_RANK = {"resent": 1, "received": 2}  # within one ordinal; what an ask begins with comes first


def by_attempt(events: Iterable[Event], text: Callable[[str], str]) -> dict[int, list[Event]]:
    """The events of a trial by attempt, in order, with the texts in their places."""
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(event.attempt, []).append(event)
    for attempt in found.values():
        attempt.sort(key=in_order)
        restore_texts(attempt, text)
    return found


def in_order(event: Event) -> tuple[int, int]:
    return event.ordinal, _RANK.get(event.kind, 0)


def restore_texts(events: list[Event], text: Callable[[str], str]) -> None:
    """Put texts that requests refer to by digest back in their places: own replies first, then the ledger's."""
    try:
        _restore_texts(events, text)
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError) as error:
        raise IntegrityError(f"trial {events[0].trial[:12]}: cannot be read ({error!r})") from None


def _restore_texts(events: list[Event], text: Callable[[str], str]) -> None:
    own: dict[str, str] = {}
    for event in events:
        if event.kind == "sent":
            for message in event.data["wire"].get("messages", ()):
                content = message.get("content")
                if isinstance(content, dict) and "sha256" in content:
                    key = content["sha256"]
                    message["content"] = own[key] if key in own else text(key)
        elif event.kind == "received" and event.data.get("reply"):
            reply = event.data["reply"]["text"]
            if len(reply) > REFER_FROM:
                own[sha256_hex(reply.encode())] = reply
