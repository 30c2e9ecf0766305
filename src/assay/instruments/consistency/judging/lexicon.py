"""``lexicon/1``: does the reply use the words that the thread requires?

``L_exact`` wants each token as it is written, whole, in any case. ``L`` also takes it with spaces for hyphens (or
hyphens for spaces), and the synonyms that the thread declares. An exchange counts when every token is there.
"""

from __future__ import annotations

from assay.instruments.consistency.scenarios.thread import Thread

from .judgement import Check
from .words import IndexedText

__all__ = ["VERSION", "token_checks"]

VERSION = "lexicon/1"


def token_checks(text: IndexedText, thread: Thread, *, exact: bool) -> tuple[Check, ...]:
    """One check a token, under the token's own name."""
    checks = []
    for token in thread.lexicon:
        spans = text.string(token, "token")
        note = ""
        if not spans and not exact:
            spans = text.phrase(token, "token")
            for synonym in thread.synonyms.get(token, ()):
                if not spans and (spans := text.phrase(synonym, "synonym")):
                    note = f"by its synonym {synonym!r}"
        checks.append(Check(token, bool(spans), spans, note))
    return tuple(checks)
