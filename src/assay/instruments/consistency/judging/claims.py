"""What a reply claims beyond τ: entries of its list of boundaries or tokens that the thread does not have.

A JSON array is compared entry by entry. In prose the list is what follows "boundaries:" or "lexicon:" up to the
next part of τ; entries are separated by semicolons, bullets and lines, tokens by commas too. A further entry counts
as a boundary when it stands in such a list or forbids or demands something ("no …", "never …", "only …").
"""

from __future__ import annotations

import json
import re

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.scenarios.thread import Thread

from .words import IndexedText, stop_words, words_of

__all__ = ["other_boundaries", "other_tokens"]

_RULES = Rulebook("judging/claims")
_ARRAYS = {name: re.compile(rf"\"{name}\"\s{{0,20}}:\s{{0,20}}(?=\[)") for name in ("boundaries", "lexicon")}
_PIECE = re.compile(r"[^;\n•|]+")
_TOKEN = re.compile(r"(?:(?!\band\b)[^;\n•|,/.&])+")
MOST_WORDS = 3  # of one token


def other_boundaries(text: IndexedText, thread: Thread) -> tuple[Span, ...]:
    if (listed := _array(text, "boundaries")) is not None:
        return _strangers(listed, thread.boundaries)
    extra = []
    for body, begin in _lists(text, "boundaries", thread.boundaries):
        for number, found in enumerate(_PIECE.finditer(body)):
            piece = found.group()
            sentences = re.split(r"[.!?](?:\s|$)", piece)
            listed_here = number > 0 and ";" in body and not _says_nothing(sentences[0])
            if listed_here or any(
                _RULES["demand"].search(part) and not _says_nothing(part) for part in sentences
            ):
                extra.append(Span(begin + found.start(), begin + found.end(), "claimed"))
    return tuple(extra)


def other_tokens(text: IndexedText, thread: Thread) -> tuple[Span, ...]:
    if (listed := _array(text, "lexicon")) is not None:
        return _strangers(listed, thread.lexicon)
    extra = []
    for body, begin in _lists(text, "lexicon", thread.lexicon):
        line = re.match(r"[^.\n]*(?:\n[ \t]*[-*•\d][^\n]*)*", body)
        for found in _TOKEN.finditer(body, 0, line.end() if line else 0):
            if not _says_nothing(found.group()) and len(words_of(found.group())) <= MOST_WORDS:
                extra.append(Span(begin + found.start(), begin + found.end(), "claimed"))
    return tuple(extra)


def _array(text: IndexedText, name: str) -> tuple[list[object], Span] | None:
    """The JSON array of that name, with its place, if the reply has one."""
    if (found := _ARRAYS[name].search(text.low)) is None:
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text.raw, found.end())
    except (ValueError, RecursionError):
        return None
    return value, Span(found.end(), end, "claimed")


def _strangers(listed: tuple[list[object], Span], known: tuple[str, ...]) -> tuple[Span, ...]:
    entries, span = listed
    have = {words_of(line) for line in known}
    strange = any(not isinstance(entry, str) or words_of(entry) not in have for entry in entries)
    return (span,) if strange else ()


def _lists(text: IndexedText, name: str, known: tuple[str, ...]) -> list[tuple[str, int]]:
    """The bodies of the lists of that name, what the thread has blanked out, each with its place."""
    bare = text.blanked((span.start, span.end) for line in known for span in text.phrase(line, "known"))
    bodies = []
    for head in list(_RULES[name].finditer(bare.low))[:5]:
        end = _RULES["next"].search(bare.low, head.end())
        bodies.append((bare.low[head.end() : end.start() if end else len(bare.low)], head.end()))
    return bodies


def _says_nothing(piece: str) -> bool:
    words = words_of(piece) if len(piece) < 2_000 else tuple(piece.split())
    stop, filler = stop_words(), _RULES.words["filler"]
    return all(word in stop or word in filler for word in words)
