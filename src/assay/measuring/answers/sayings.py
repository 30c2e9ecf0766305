"""Declarations in words and markup: "the answer is B", "I would choose B", "B is the best option".

The patterns are in ``data/patterns.yaml``. What a pattern finds is judged by its context: a vitamin, a
question, an opinion of others and a condition declare nothing, or less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .answer import SEVERAL, TAKEN_BACK
from .context import Context
from .declarations import Declared, Weight
from .labels import Labels, Mention
from .patterns import pattern
from .reply import PlainReply

__all__ = ["sayings"]

PREDICATE = 140  # characters before a predicate in which its subject may stand
CASE = 24  # characters after it in which a condition may begin
VERB = 12  # characters of a verb of choosing that say whose it is


_IN_BRACKETS = re.compile(r"\([^()\n]{0,80}\)")


class _Wording(NamedTuple):
    """A pattern, the path and the weight of what it finds."""

    name: str
    path: str
    weight: Weight


_WORDINGS = (
    _Wording("declared", "declared", Weight.FIRM),
    _Wording("chosen", "chosen", Weight.FIRM),
    _Wording("concluded", "conclusion", Weight.FIRM),
    _Wording("guessed", "conclusion", Weight.PLAIN),
    _Wording("not_but", "declared", Weight.FIRM),
    _Wording("label_first", "declared", Weight.FIRM),
    _Wording("foreign", "declared", Weight.FIRM),
    _Wording("perhaps", "hint", Weight.HINT),
    _Wording("sentence", "closing", Weight.PLAIN),
    _Wording("subject", "declared", Weight.PLAIN),
    _Wording("fits", "predicate", Weight.PLAIN),
    _Wording("headed", "declared", Weight.FIRM),
    _Wording("made", "predicate", Weight.FIRM),
    _Wording("beside_name", "matched", Weight.PLAIN),
    _Wording("for_me", "declared", Weight.PLAIN),
    _Wording("does_most", "predicate", Weight.PLAIN),
    _Wording("alone", "predicate", Weight.PLAIN),
    _Wording("matched", "matched", Weight.PLAIN),
    _Wording("hinted", "hint", Weight.HINT),
)
_ENDS_CLAUSE = (
    "declared",
    "chosen",
    "conclusion",
)  # paths on which a small letter at the end of a clause is a label


def sayings(reply: PlainReply, labels: Labels) -> list[Declared]:
    """All declarations in words and markup; what takes an answer back is among them."""
    finder = _Finder(reply, labels)
    found = [one for wording in _WORDINGS for one in finder.worded(wording)]
    return [*found, *finder.marked_up(), *finder.predicates(), *finder.withdrawals()]


class _Finder:
    def __init__(self, reply: PlainReply, labels: Labels) -> None:
        self.reply, self.labels, self.plain = reply, labels, reply.plain
        self.context = Context(reply)

    def worded(self, wording: _Wording) -> Iterator[Declared]:
        """ "The answer is B": what one pattern finds."""
        for found in self.labels.patterns[wording.name].finditer(self.plain):
            mention = self.labels.mention(self.reply, *found.span("label"))
            if mention is None or _negated(found) or not self._meant(mention, wording):
                continue
            before = self.context.clause(found.start())
            if wording.name == "chosen" and not self.context.own(before, found[0][:VERB]):
                continue
            yield from self._judged(mention, before, found.start(), found[0], wording)

    def marked_up(self) -> Iterator[Declared]:
        r"""``\boxed{B}`` and ``<answer>B</answer>``."""
        for path in ("boxed", "tagged"):
            for found in self.labels.patterns[path].finditer(self.reply.text):
                value = self.labels.value(found["label"])
                yield Declared(*found.span("label"), value, path, Weight.FIRM)

    def predicates(self) -> Iterator[Declared]:
        """ "Option B is the best choice": the label is the one before the predicate."""
        for found in pattern("predicate").finditer(self.plain):
            if not _negated(found):
                yield from self._predicate(found)

    def withdrawals(self) -> Iterator[Declared]:
        """ "Scratch that", "none of the options is correct"."""
        for found in pattern("withdrawn").finditer(self.plain):
            if not pattern("attributed").search(self.context.clause(found.start())):
                yield Declared(*found.span(), None, TAKEN_BACK, Weight.FIRM)
        named = self.labels.patterns["label_before"]  # "(D) None of the above is correct" repeats an option
        for found in pattern("none_fits").finditer(self.plain):
            if not named.search(self.plain, max(0, found.start() - 6), found.start()):
                yield Declared(*found.span(), None, TAKEN_BACK, Weight.FIRM)

    def _meant(self, mention: Mention, wording: _Wording) -> bool:
        """Whether the label can be an answer in this wording."""
        if wording.name == "subject" and not mention.wrapped:
            return False
        if self.labels.restates(self.reply, mention):
            return False
        if wording.name == "chosen" and pattern("judging").match(self.plain, mention.end):
            return False  # "I'd say B is wrong"
        if pattern("called_wrong").match(self.plain, mention.end):
            return False  # "Answer: B is wrong"
        if not self.labels.letters:  # a word is an answer only where the clause ends with it
            return wording.path != "hint" and pattern("clause_end").match(self.plain, mention.end) is not None
        if mention.doubtful:
            ends = pattern("stop").match(self.plain, mention.end) is not None
            return ends and wording.path in _ENDS_CLAUSE
        return True

    def _judged(
        self, mention: Mention, before: str, start: int, said: str, wording: _Wording
    ) -> Iterator[Declared]:
        """The declaration, unless its context denies it. Several labels are none, a condition makes a hint."""
        field = pattern("labelled").match(said) is not None and not before.strip()
        if pattern("refused").search(before) or (not field and self.context.asked(mention.end)):
            return
        if self.context.quoted(start) and not pattern("key").match(said):
            return
        if self.context.attributed(before, mention.end) or self.context.in_dialogue(start):
            return
        if self.labels.patterns["several_after"].match(self.plain, mention.end):
            yield Declared(mention.start, mention.end, None, SEVERAL, wording.weight)
            return
        weight = self._weight(mention, before, said, wording.weight)
        if weight is not None:
            yield Declared(mention.start, mention.end, mention.value, wording.path, weight)

    def _weight(self, mention: Mention, before: str, said: str, weight: Weight) -> Weight | None:
        """What a condition leaves of a weight: nothing, if the condition is not met."""
        if weight is Weight.HINT and pattern("doubted").match(self.plain, mention.end):
            return None
        if pattern("condition").search(before) and not pattern("forced").search(before):
            unmet = pattern("subjunctive").search(before) or pattern("subjunctive").search(said)
            return None if unmet or weight is Weight.HINT else Weight.HINT
        otherwise = pattern("another_case").match(before) and pattern("subjunctive").search(said)
        if otherwise or pattern("condition_after").match(self.plain, mention.end):
            return Weight.HINT
        return weight

    def _predicate(self, found: re.Match[str]) -> Iterator[Declared]:
        begin = self._sentence(found.start())
        mentions = [m for m in self.labels.mentions(self.reply, begin, found.start()) if not m.doubtful]
        if not mentions:
            return
        last = mentions[-1]
        before, between = self.plain[begin : last.start], self.plain[last.end : found.start()]
        adjacent = not _IN_BRACKETS.sub("", between).strip(" )]\"'.,:*")
        if pattern("relative").search(between):
            return
        if self.labels.patterns["several_before"].search(before):
            if len({m.value for m in mentions[-2:]}) > 1 and not pattern("neither").search(before):
                yield Declared(last.start, last.end, None, SEVERAL, Weight.PLAIN)
            return
        if (not adjacent and len({m.value for m in mentions}) > 1) or pattern("compared").search(before):
            return
        if pattern("limited").match(self.plain[found.end() : found.end() + CASE]):
            return
        near = adjacent or last.wrapped
        if found["answer"] is None and not near:
            return
        weight = Weight.FIRM if found["answer"] is not None and near else Weight.PLAIN
        wording = _Wording("predicate", "predicate", weight)
        said = self.plain[last.start : found.end()]
        yield from self._judged(last, self.context.clause(last.start), last.start, said, wording)

    def _sentence(self, start: int) -> int:
        """Where the sentence of a predicate begins."""
        begin = low = max(0, start - PREDICATE)
        for stop in pattern("predicate_start").finditer(self.plain, low, start):
            begin = stop.end()
        return begin


def _negated(found: re.Match[str]) -> bool:
    return any(found.groupdict().get(name) for name in ("not", "not_being"))
