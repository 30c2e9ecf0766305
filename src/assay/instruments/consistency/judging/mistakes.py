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
    """The mentions of a value as what another said, or as a question, with the right one set against it.

    "You wrote W, but it is R", "it is R; you had W", "W? It is R": in one sentence by a word or mark of contrast, or
    in two neighbouring ones.
    """
    return tuple(
        span
        for span in wrong[:MOST]
        if (_attributed(text, span) or _questioned(text, span))
        and any(_set_against(text, span, other) for other in right[:MOST])
    )


def _attributed(text: IndexedText, span: Span) -> bool:
    """Is the value what another said, by the words before it in its sentence or right after it?"""
    start, _ = text.sentences[text.sentence_at(span.start)]
    return bool(
        RULES["attributed"].search(text.low, start, span.start)
        or RULES["attributed_after"].match(text.low, span.end, span.end + 80)
    )


def _questioned(text: IndexedText, span: Span) -> bool:
    return RULES["questioned"].match(text.low, span.end, span.end + 20) is not None


def _set_against(text: IndexedText, wrong: Span, right: Span) -> bool:
    here, there = text.sentence_at(wrong.start), text.sentence_at(right.start)
    first, second = sorted((wrong, right))
    if here == there:
        return RULES["contrast"].search(text.low, first.end, second.start) is not None
    return abs(here - there) == 1 and not RULES["beside"].search(text.low, *text.sentences[there])


def asserts(text: IndexedText, wrong: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    """The mentions of the wrong value that stand as if it were right, or where the right one is denied.

    A mention is another's when it is quoted, attributed ("you said"), or denied in its own sentence or
    the next one. "The correct label is WRONG" and "not RIGHT" are assertions whatever stands beside them.
    """
    turned = [
        span
        for span in wrong
        if (
            RULES["affirmed"].search(text.low, max(0, span.start - 80), span.start)
            or RULES["accepted"].match(text.low, span.end, span.end + 40)
        )
        and not RULES["denied_before"].search(text.low, max(0, span.start - 80), span.start)
    ]
    turned += [
        span
        for span in right
        if RULES["denied_before"].search(text.low, max(0, span.start - 80), span.start)
        or RULES["refuted"].match(text.low, span.end, span.end + 80)
    ]
    plain = [span for span in wrong if not _excused(text, span) and not denies_value(text, (span,))]
    return tuple(sorted({*turned, *plain}))


def _excused(text: IndexedText, span: Span) -> bool:
    """Is the mention another's, called into question, or denied in its own sentence or the next one?"""
    at = text.sentence_at(span.start)
    start = text.sentences[at][0]
    end = text.sentences[min(at + 1, len(text.sentences) - 1)][1]
    quoted = text.low.count('"', start, span.start) % 2 == 1
    return bool(
        quoted
        or _attributed(text, span)
        or _questioned(text, span)
        or RULES["denies"].search(text.low, start, end)
    )
