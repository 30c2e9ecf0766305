"""How a mistake is named: the words by which a reply says that something is not so, or that it does not know it.

Read by repairs, and by returns with a wrong digest or an unknown label.
"""

from __future__ import annotations

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook

from .words import IndexedText

__all__ = ["RULES", "asserts", "contrasts", "denies_value"]

RULES = Rulebook("judging/mistakes")
MOST = 20  # mentions of a value that are looked at


def denies_value(text: IndexedText, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The mentions of a value that say it is not so."""
    return tuple(
        span
        for span in spans
        if RULES["denied_before"].search(text.low, max(0, span.start - 80), span.start)
        or RULES["denied_after"].match(text.low, span.end, span.end + 80)
    )


def contrasts(text: IndexedText, wrong: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    """The mentions of a value as what another said, with the right one set against it: "you wrote W, but it is R"."""
    found = []
    for span in wrong[:MOST]:
        start, end = text.sentences[text.sentence_at(span.start)]
        if not RULES["attributed"].search(text.low, start, span.start):
            continue
        if any(
            span.end <= r.start < end and RULES["contrast"].search(text.low, span.end, r.start) for r in right
        ):
            found.append(span)
    return tuple(found)


def asserts(text: IndexedText, wrong: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    """The mentions of the wrong value that stand as if it were right, or where the right one is denied.

    A mention is another's when it is quoted, attributed ("you said"), or denied in its own sentence or
    the next one. "The correct label is WRONG" and "not RIGHT" are assertions whatever stands beside them.
    """
    turned = [
        span
        for span in wrong
        if RULES["affirmed"].search(text.low, max(0, span.start - 80), span.start)
        and not RULES["denied_before"].search(text.low, max(0, span.start - 80), span.start)
    ]
    turned += denies_value(text, right)
    plain = []
    for span in wrong:
        at = text.sentence_at(span.start)
        start = text.sentences[at][0]
        end = text.sentences[min(at + 1, len(text.sentences) - 1)][1]
        quoted = text.low.count('"', start, span.start) % 2 == 1
        excused = quoted or RULES["attributed"].search(text.low, start, span.start)
        if (
            not excused
            and not RULES["denies"].search(text.low, start, end)
            and not denies_value(text, (span,))
        ):
            plain.append(span)
    return tuple(sorted({*turned, *plain}))
