"""Finds where a reply declares an answer, takes one back, or says that there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from .answer import SEVERAL, TAKEN_BACK
from .labels import Labels, Mention
from .phrases import (
    ATTRIBUTED,
    ATTRIBUTED_AFTER,
    CLAUSE,
    CONDITION_AFTER,
    HYPOTHETICAL,
    IF,
    IF_FORCED,
    NONE_OF_THEM,
    NOT_MEANT,
    PREDICATE,
    phrases_of,
)
from .phrases import TAKEN_BACK as WITHDRAWAL
from .reply import Reply

__all__ = ["PATHS", "Declaration", "Weight", "declarations"]

LOOK_BACK = 160  # characters in which a clause begins


class Weight(IntEnum):
    """The last firm declaration is the answer; hints count only where nothing is firm and all of them agree."""

    FIRM = 3
    PLAIN = 2
    HINT = 1


# Of two declarations at one place the first in this order names the path.
PATHS = (
    "json",
    "bare",
    "final_line",
    "first_line",
    "tagged",
    "boxed",
    "declared",
    "chosen",
    "predicate",
    "conclusion",
    "closing",
    "ticked",
    "matched",
    "short",
    "hint",
)


class Declaration(NamedTuple):
    """``value`` is None where an earlier answer is taken back, or several are named."""

    start: int
    end: int
    value: str | None
    path: str
    weight: Weight

    @property
    def order(self) -> tuple[int, int, int]:
        """By place; at one place the weightiest last, and of those the first path."""
        known = PATHS.index(self.path) if self.path in PATHS else len(PATHS)
        return self.start, int(self.weight), -known


_CLAUSE_END = re.compile(r"\s*(?:$|[.,!;:)\n\"'\]–—|(]|-\s|(?:because|since|as|but|and)\b)", re.I)


class _Finder:
    def __init__(self, reply: Reply, labels: Labels) -> None:
        self.text, self.plain, self.labels = reply.text, reply.plain, labels
        self.phrases = phrases_of(labels.pattern)
        self.speeches = _speeches(self.plain)

    def all(self) -> Iterator[Declaration]:
        of = self.phrases
        yield from self._sayings(of.declared, "declared", Weight.FIRM)
        yield from self._sayings(of.chosen, "chosen", Weight.FIRM, own=True)
        yield from self._sayings(of.therefore, "conclusion", Weight.FIRM)
        yield from self._sayings(of.not_but, "declared", Weight.FIRM)
        yield from self._sayings(of.it_is, "declared", Weight.FIRM)
        yield from self._sayings(of.foreign, "declared", Weight.FIRM)
        yield from self._sayings(of.maybe, "hint", Weight.HINT)
        yield from self._sayings(of.fragment, "closing", Weight.PLAIN)
        yield from self._sayings(of.subject, "declared", Weight.PLAIN, wrapped=True)
        yield from self._sayings(of.fits, "predicate", Weight.PLAIN)
        yield from self._sayings(of.matched, "matched", Weight.PLAIN)
        yield from self._sayings(of.weak, "hint", Weight.HINT)
        for path, pattern in (("boxed", of.boxed), ("tagged", of.tagged)):
            for found in pattern.finditer(self.text):
                yield Declaration(*found.span("label"), self._value(found), path, Weight.FIRM)
        yield from self._predicates()
        yield from self._withdrawals()

    def _value(self, found: re.Match[str]) -> str:
        return self.labels.value(found["label"])

    def _sayings(
        self,
        pattern: re.Pattern[str],
        path: str,
        weight: Weight,
        *,
        own: bool = False,
        wrapped: bool = False,
    ) -> Iterator[Declaration]:
        for found in pattern.finditer(self.plain):
            mention = self.labels.mention(self.text, self.plain, *found.span("label"))
            if mention is None or (wrapped and not mention.wrapped) or self._restates(found, mention):
                continue
            if found.groupdict().get("not"):
                continue
            if not self.labels.letters and (path == "hint" or not _CLAUSE_END.match(self.plain, mention.end)):
                continue  # a word is an answer only where the clause ends with it
            if mention.lower and not self._lower_stands(found, mention, path):
                continue
            start = found.start()
            before = self._clause(start)
            if own and not self._own(before, self.plain[start : start + 12]):
                continue
            yield from self._judged(mention, before, start, found[0], path, weight)

    def _judged(
        self, mention: Mention, before: str, start: int, said: str, path: str, weight: Weight
    ) -> Iterator[Declaration]:
        labelled = (
            bool(re.match(r"\W*(?:final\s+)?(?:answer|antwort|respuesta|réponse)\W*:", said, re.I))
            and not before.strip()
        )
        if NOT_MEANT.search(before) or (not labelled and self._asked(mention.end)):
            return
        quoted = not re.match(r"\w+\"\s*:", said) and self._quoted(start)
        if quoted or ATTRIBUTED.search(before) or ATTRIBUTED_AFTER.match(self.plain, mention.end):
            return
        if any(begin <= start < end for begin, end in self.speeches):
            return
        at = mention.start, mention.end
        if re.search(r"\beither\b", said, re.I) or self.phrases.several_after.match(self.plain, mention.end):
            several = self.phrases.several_after.match(self.plain, mention.end)
            if several is not None:
                yield Declaration(*at, None, SEVERAL, weight)
                return
        if IF.search(before) and not IF_FORCED.search(before):
            if HYPOTHETICAL.search(before) and re.search(
                r"\bwould\b|\bhad\b|\bwere\b|\bcould\b|\bmight\b", before + said, re.I
            ):
                return
            if weight is Weight.HINT:
                return
            weight = Weight.HINT
        elif CONDITION_AFTER.match(self.plain, mention.end) or (
            re.search(r"\bwould\b", said, re.I)
            and re.match(r"\s*(?:with|without|for)\s+an?(?:other)?\b", before, re.I)
        ):
            weight = Weight.HINT
        yield Declaration(*at, mention.value, path, weight)

    def _clause(self, start: int) -> str:
        """What stands before a place in its clause."""
        low = max(0, start - LOOK_BACK)
        begin = low
        for found in CLAUSE.finditer(self.plain, low, start + 1):
            if found.end() <= start:
                begin = found.end()
        return self.plain[begin:start]

    def _quoted(self, start: int) -> bool:
        """Whether a place stands in quotation marks that were opened in its paragraph, and not at the reply's start."""
        low = max(self.plain.rfind("\n", 0, start) + 1, start - 600)
        marks = self.plain.count('"', low, start)
        return marks % 2 == 1 and self.plain[: self.plain.find('"', low) + 1].strip() != '"'

    def _asked(self, end: int) -> bool:
        """Whether the sentence is a question."""
        found = re.compile(r"[.!?\n]").search(self.plain, end + 2, end + 200)
        return found is not None and found[0] == "?"

    def _own(self, before: str, said: str) -> bool:
        """Whether the choice is the reply's own: said of oneself, advised, or ordered."""
        if not before.strip(" \t,:*-\"'(") or re.search("[\u4e00-\u9fff]", said[:2]):
            return not re.match(
                r"(?:choos|pick|select|say|vot|answer|putt)ing\b|take\b|put\b(?!\s+(?:me\s+)?down)|enter\b|check\b|sure\b",
                said,
                re.I,
            )
        return bool(
            re.search(
                r"(?:^|[^\w])(?:i|i'd|i'll|i'm|i've|we|we'd|we'll|let's|let\s+me|ich|je|yo|me|я|ja|you\s+should|should|must|to|please|my|best\s+to)\b",
                before[-60:],
                re.I,
            )
        )

    def _lower_stands(self, found: re.Match[str], mention: Mention, path: str) -> bool:
        """A small letter is a label only where it is marked, or ends a declaration."""
        if mention.wrapped:
            return True
        ends = re.compile(r"\s*(?:$|[.,!;:)\n])").match(self.plain, mention.end)
        return path in ("declared", "chosen", "conclusion") and ends is not None

    def _restates(self, found: re.Match[str], mention: Mention) -> bool:
        """Whether the label begins a list of the options, as where the question is repeated."""
        place = self.labels.options.index(mention.value)
        if place or len(self.labels.options) < 2:
            return False
        second, third = (re.escape(one) for one in (*self.labels.options, "")[1:3])
        below = rf"\n\s{{0,40}}[(\[]{{0,2}}{second}[).:\]]"
        beside = rf"\s[(\[]{{0,2}}{second}[).:\]]" + (
            rf"[^\n]{{0,200}}?\s[(\[]{{0,2}}{third}[).:\]]" if third else ""
        )
        return (
            re.compile(rf"[).:\]][^\n]{{0,200}}?(?:{below}|{beside})").match(self.plain, mention.end)
            is not None
        )

    def _predicates(self) -> Iterator[Declaration]:
        """ "Option B is the best choice": the label is the one before the predicate."""
        for found in PREDICATE.finditer(self.plain):
            if found["not"]:
                continue
            low = max(0, found.start() - 140)
            cut = low
            for stop in re.compile(r"[!?;\n]|(?<=[a-z)\]]{2})\.\s").finditer(self.plain, low, found.start()):
                cut = stop.end()
            mentions = [
                m
                for m in self.labels.mentions(self.text, self.plain, cut, found.start())
                if not m.lower or m.wrapped
            ]
            if not mentions:
                continue
            last = mentions[-1]
            between = self.plain[last.end : found.start()]
            adjacent = not between.strip(" )]\"'.,:*")
            if re.search(r"\b(?:that|which|who|says|claim|states|why|because|whether)\b", between, re.I):
                continue
            if self.phrases.several_before.search(self.plain, cut, last.start):
                several = {m.value for m in mentions[-2:]}
                if len(several) > 1 and not re.search(
                    r"\bn(?:either|or)\b", self.plain[cut : last.start], re.I
                ):
                    yield Declaration(last.start, last.end, None, SEVERAL, Weight.PLAIN)
                continue
            if len({m.value for m in mentions}) > 1 and not adjacent:
                continue
            before = self.plain[cut : last.start]
            if re.search(
                r"\b(?:unlike|than|over|versus|neither|not|nor|only\s+if)\s*(?:option\s*)?[(\[\"']{0,2}$",
                before,
                re.I,
            ):
                continue
            if re.match(
                r"\W*(?:if|when|unless|for\s+(?!this|the\s+question|these)|in\s+(?:the\s+)?case)\b",
                self.plain[found.end() : found.end() + 24],
                re.I,
            ):
                continue
            firm = found["answer"] is not None
            if not firm and not (last.wrapped or adjacent):
                continue
            weight = Weight.FIRM if firm and (adjacent or last.wrapped) else Weight.PLAIN
            yield from self._judged(
                last,
                self._clause(last.start),
                last.start,
                self.plain[last.start : found.end()],
                "predicate",
                weight,
            )

    def _withdrawals(self) -> Iterator[Declaration]:
        for found in WITHDRAWAL.finditer(self.plain):
            if not ATTRIBUTED.search(self._clause(found.start())):
                yield Declaration(*found.span(), None, TAKEN_BACK, Weight.FIRM)
        for found in NONE_OF_THEM.finditer(self.plain):
            before = self.plain[max(0, found.start() - 6) : found.start()]
            if not re.search(self.labels.pattern + r"[).:\]\s\"'(-]*$", before, re.I):
                yield Declaration(*found.span(), None, TAKEN_BACK, Weight.FIRM)


_SPEAKER = re.compile(r"^[ \t]{0,4}([A-Z][a-z]{1,14}):[ \t][^\n]*", re.M)
_HEADINGS = frozenset(
    [
        "Answer",
        "Option",
        "Explanation",
        "Step",
        "Note",
        "Reasoning",
        "Conclusion",
        "Analysis",
        "Solution",
        "Question",
        "Given",
        "Final",
        "Therefore",
        "Premise",
        "Statement",
        "Choice",
        "Ending",
        "Reflection",
        "Working",
        "Thought",
        "Observation",
        "Action",
        "Verdict",
        "Result",
        "Summary",
        "Justification",
        "Confidence",
        "Correct",
        "Wrong",
    ]
)


def _speeches(plain: str) -> list[tuple[int, int]]:
    """The lines of a dialogue, whose speakers are not the reply itself: two or more names, one of them again."""
    lines = [found for found in _SPEAKER.finditer(plain) if found[1] not in _HEADINGS]
    names = {found[1] for found in lines}
    return [found.span() for found in lines] if 2 <= len(names) < len(lines) else []


def declarations(reply: Reply, labels: Labels) -> list[Declaration]:
    """All declarations in a reply, in their order."""
    return list(_Finder(reply, labels).all())
