"""A subject that answers with nothing but the draw."""

from __future__ import annotations

from typing import Any

from assay.streams import Stream


class Mumbler:
    about = "answers with a number that only the draw decides"

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str:
        return f"{stream.below(10**9)} after {len(messages)}"


REFERENCES = {"mumbler": Mumbler()}
