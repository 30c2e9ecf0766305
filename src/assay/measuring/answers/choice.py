"""The option that a reply chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .answer import UNREAD, Answer
from .declarations import Declared, Weight
from .json_reply import read_json
from .labels import Labels, labels_of
from .lines import Lines, lines_of
from .patterns import pattern
from .reply import PlainReply
from .sayings import sayings

__all__ = ["read_choice", "read_yes_no"]

YES_NO = ("yes", "no")
_ALONE = re.compile(r"\s{0,9}(?:Answer:[ ]{1,3})?([A-H])\s{0,9}")


def read_choice(text: str, options: Sequence[str]) -> Answer:
    """The option that is declared last, or None where the reply declares none.

    docs/answers.md lists the paths. An answer that is taken back and not given again is none, and neither are
    several.
    """
    labels = labels_of(tuple(options))
    if (alone := _ALONE.fullmatch(text)) is not None and alone[1] in options:
        return Answer(alone[1], "bare", alone.span(1))  # as it would be found below
    reply = PlainReply(text)
    if (found := read_json(reply, labels)) is not None:
        return found
    said = sayings(reply, labels)
    end = _end(reply, said, labels)
    last = _last_paragraph(reply.plain, end)
    said = [one for one in said if one.start < end and (one.weight > Weight.HINT or one.start >= last)]
    lines = Lines(reply, labels, end)
    said += lines.declarations()
    for listed in lines.recited():
        said = [one for one in said if one.start not in listed]
    return _decided(reply, sorted(said, key=lambda one: one.order))


def read_yes_no(text: str) -> Answer:
    """``yes`` or ``no``, declared as any choice is."""
    return read_choice(text, YES_NO)


def _decided(reply: PlainReply, said: list[Declared]) -> Answer:
    """The last firm declaration; where none is firm, what the plain ones or else the hints agree on."""
    firm = [one for one in said if one.weight is Weight.FIRM]
    if any(one.value is not None for one in firm):
        return _answer(reply, firm[-1])
    begin = firm[-1].start if firm else -1  # nothing firm was declared, but an answer may have been refused
    for weight in (Weight.PLAIN, Weight.HINT):
        some = [one for one in said if one.weight is weight and one.start > begin]
        if some:
            agreed = len({one.value for one in some}) == 1 or some[-1].path == "final_line"
            return _answer(reply, some[-1]) if agreed else Answer(None, UNREAD)
    return Answer(None, firm[-1].path if firm else UNREAD)


def _answer(reply: PlainReply, one: Declared) -> Answer:
    if one.value is None:
        return Answer(None, one.path)
    return Answer(one.value, one.path, reply.given_span(one.start, one.end))


def _last_paragraph(plain: str, end: int) -> int:
    """Where the last paragraph begins: a hint counts only there."""
    begin, before = 0, 0
    for line in lines_of(plain, 0, end):
        if line.start > before + 1:
            begin = line.start
        before = line.end
    return begin


def _end(reply: PlainReply, said: list[Declared], labels: Labels) -> int:
    """Where the reply ends and an invented next question begins: after an answer was given."""
    given = [one for one in said if one.value is not None and one.weight > Weight.HINT]
    starts = [one.start for one in given]
    firm = [one.end for one in given if one.weight is Weight.FIRM]
    lines = lines_of(reply.plain)
    if lines:
        patterns, first = labels.patterns, lines[0]
        if patterns["bare"].fullmatch(first.text) or patterns["opened"].match(first.text):
            starts.append(first.start)
            firm.append(first.end)
    ends = [len(reply.plain)]
    if starts and (found := pattern("new_question").search(reply.plain, min(starts) + 1)) is not None:
        ends.append(found.start())
    if firm and (asked := _asked_anew(reply.plain, min(firm), labels)) is not None:
        ends.append(asked)
    return min(ends)


def _asked_anew(plain: str, start: int, labels: Labels) -> int | None:
    """Where another question with its list of options follows an answer."""
    asked: int | None = None
    before = ""
    for line in lines_of(plain, start):
        if "?" in line.text and line.text.rstrip().endswith(("?", ":")):
            asked = line.start
        opened = labels.patterns["opened"].match(line.text)
        label = "" if opened is None else labels.value(opened["label"])
        if asked is not None and (before, label) == labels.options[:2]:
            return asked
        before = label or before
    return None
