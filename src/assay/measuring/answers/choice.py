"""The option that a reply chooses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from .answer import UNREAD, Answer
from .declarations import Declaration, Weight, declarations
from .labels import Labels, labels_of
from .phrases import NEW_QUESTION, Phrases, phrases_of
from .reply import Reply

__all__ = ["read_choice"]

LONGEST_LINE = 400  # a first or last line that opens with a label is a declaration up to this length
_LINE = re.compile(r"[^\n]+|(?<=\n)(?=\n)")
SHORT = 60  # characters of a reply that may name its option in passing
KEY = re.compile(
    r"(?:(?:my|the|final|selected|chosen|correct|predicted|best|model)[_ ]?)*"
    r"(?:answer|choice|option|selection|letter|response|prediction|decision|selected|label)(?:[_ ](?:letter|option|choice|id|key))?",
    re.I,
)


def read_choice(text: str, options: Sequence[str]) -> Answer:
    """The option that is declared last, or None where the reply declares none.

    The final line comes first, then what docs/answers.md lists; an answer that is taken back and not given again is
    none, and neither is one that names several.
    """
    labels = labels_of(tuple(options))
    reply = Reply(text)
    phrases = phrases_of(labels.pattern)
    if (found := _from_json(reply, labels, phrases)) is not None:
        return found
    said = declarations(reply, labels)
    end = _end(reply, said, phrases, labels)
    lines = [line for line in _LINE.finditer(reply.plain, 0, end) if line[0].strip()]
    last = _last_paragraph(reply.plain, end)
    said = [one for one in said if one.start < end and (one.weight > Weight.HINT or one.start >= last)]
    if lines:
        said += _from_lines(reply, labels, phrases, lines)
    said.sort(key=lambda one: one.order)
    return _decide(reply, said)


def _last_paragraph(plain: str, end: int) -> int:
    """Where the last paragraph begins: a hint counts only there."""
    begin = 0
    blank = False
    for line in _LINE.finditer(plain, 0, end):
        if not line[0].strip():
            blank = True
        elif blank:
            begin, blank = line.start(), False
    return begin


def _decide(reply: Reply, said: list[Declaration]) -> Answer:
    firm = [one for one in said if one.weight is Weight.FIRM]
    if any(one.value is not None for one in firm):
        return _answer(reply, firm[-1])
    withdrawn = firm[-1:]  # nothing firm was declared, but something was said of there being no answer
    for weight in (Weight.PLAIN, Weight.HINT):
        some = [
            one for one in said if one.weight is weight and (not withdrawn or one.start > withdrawn[0].start)
        ]
        if some and len({one.value for one in some}) == 1:
            return _answer(reply, some[-1])
        if some:
            return Answer(None, UNREAD)
    return Answer(None, withdrawn[0].path if withdrawn else UNREAD)


def _answer(reply: Reply, one: Declaration) -> Answer:
    if one.value is None:
        return Answer(None, one.path)
    return Answer(one.value, one.path, reply.given_span(one.start, one.end))


def _end(reply: Reply, said: list[Declaration], phrases: Phrases, labels: Labels) -> int:
    """Where the reply ends and an invented next question begins."""
    given = [one.start for one in said if one.value is not None and one.weight > Weight.HINT]
    first = next((line for line in _LINE.finditer(reply.plain) if line[0].strip()), None)
    if first is not None and (phrases.bare.fullmatch(first[0]) or phrases.marked.match(first[0])):
        given.append(first.start())
    if given:
        earliest = min(given)
        starts = [found.start() for found in NEW_QUESTION.finditer(reply.plain, earliest + 1)]
        firm = [one.end for one in said if one.value is not None and one.weight is Weight.FIRM]
        listed = _asked_anew(reply.plain, min(firm), phrases, labels) if firm else None
        return min([*starts[:1], *([] if listed is None else [listed]), len(reply.plain)])
    return len(reply.plain)


def _asked_anew(plain: str, start: int, phrases: Phrases, labels: Labels) -> int | None:
    """Where another question with its list of options follows an answer."""
    asked: int | None = None
    before = ""
    for line in _LINE.finditer(plain, start):
        if line[0].rstrip().endswith(("?", ":")) and "?" in line[0]:
            asked = line.start()
        marked = phrases.marked.match(line[0])
        label = labels.value(marked["label"]) if marked is not None else ""
        if asked is not None and (before, label) == labels.options[:2]:
            return asked
        before = label or before
    return None


def _from_lines(
    reply: Reply, labels: Labels, phrases: Phrases, lines: list[re.Match[str]]
) -> list[Declaration]:
    found: list[Declaration] = []
    first, last = lines[0], lines[-1]
    for line, path in ((first, "first_line"), (last, "final_line")):
        if (bare := phrases.bare.fullmatch(line[0])) is not None:
            at = line.start() + bare.start("label"), line.start() + bare.end("label")
            if path == "first_line" and len(lines) > 1 and _heads_a_list(labels, phrases, bare, lines):
                continue
            path = "bare" if len(lines) == 1 else path
            found.append(Declaration(*at, labels.value(bare["label"]), path, Weight.FIRM))
        elif (
            path == "first_line"
            and len(lines) == 1
            and len(line[0]) <= SHORT
            and (one := _only(reply, labels, line))
        ):
            found.append(one)
        elif (marked := phrases.marked.match(line[0])) is not None and len(line[0]) <= LONGEST_LINE:
            at = line.start() + marked.start("label"), line.start() + marked.end("label")
            if (
                phrases.several_after.match(line[0], marked.end("label"))
                or _listed(labels, phrases, marked, line, lines, path)
                or _spoken_of(line[0][marked.end() :])
            ):
                continue
            mention = labels.mention(reply.text, reply.plain, *at)
            if mention is None:
                continue
            found.append(Declaration(*at, mention.value, path, Weight.PLAIN))
    found += _closing(reply, labels, phrases, lines)
    ticked = {}
    for line in lines:
        for box in phrases.boxes.finditer(line[0]):
            ticked[labels.value(box["label"])] = (
                line.start() + box.start("label"),
                line.start() + box.end("label"),
            )
        hit = phrases.ticked.match(line[0])
        if hit is not None and not re.search(
            r"\b(?:in-?correct|not|wrong|isn't|never|partially|partly)\b|❌|✗", hit["rest"], re.I
        ):
            ticked[labels.value(hit["label"])] = (
                line.start() + hit.start("label"),
                line.start() + hit.end("label"),
            )
    if len(ticked) == 1:
        ((value, at),) = ticked.items()
        found.append(Declaration(*at, value, "ticked", Weight.PLAIN))
    return found


def _closing(reply: Reply, labels: Labels, phrases: Phrases, lines: list[re.Match[str]]) -> list[Declaration]:
    """A last sentence that is no more than a label, and a line that ends in one between brackets."""
    found: list[Declaration] = []
    last = lines[-1]
    hit = phrases.closing.search(reply.plain, max(last.start(), last.end() - 200), last.end())
    if hit is not None:
        name = next(name for name in ("label", "label2", "label3", "label4") if hit[name])
        mention = labels.mention(reply.text, reply.plain, *hit.span(name))
        before = phrases.several_before.search(reply.plain, max(0, hit.start(name) - 40), hit.start(name))
        near = labels.mentions(
            reply.text, reply.plain, max(last.start(), hit.start(name) - 14), hit.start(name)
        )
        if (
            mention is not None
            and not (mention.lower and not mention.wrapped)
            and before is None
            and not any(near)
        ):
            named = hit["option"] or hit["option2"] or hit["option3"]
            firm = bool(named or hit["colon"]) or (mention.wrapped and name in ("label", "label2"))
            found.append(
                Declaration(*hit.span(name), mention.value, "closing", Weight.FIRM if firm else Weight.PLAIN)
            )
    for line in lines:
        end = phrases.closing_line.search(line[0])
        if end is not None and not phrases.marked.match(line[0]):
            at = line.start() + end.start("label"), line.start() + end.end("label")
            mention = labels.mention(reply.text, reply.plain, *at)
            near = labels.mentions(reply.text, reply.plain, max(line.start(), at[0] - 14), at[0])
            if mention is not None and not mention.lower and not any(near):
                found.append(Declaration(*at, mention.value, "closing", Weight.PLAIN))
    return found


def _only(reply: Reply, labels: Labels, line: re.Match[str]) -> Declaration | None:
    """A short reply that names one option and does not deny it: "Definitely option B here." """
    mentions = list(labels.mentions(reply.text, reply.plain, *line.span()))
    if (
        len(mentions) != 1
        or not labels.named(reply.plain, mentions[0].start)
        or re.search(
            r"\b(?:not|no|never|neither|isn't|can't|cannot|don't|except|than|worse|if|wrong|incorrect)\b|\?",
            line[0],
            re.I,
        )
    ):
        return None
    return Declaration(mentions[0].start, mentions[0].end, mentions[0].value, "short", Weight.PLAIN)


def _spoken_of(rest: str) -> bool:
    """Whether the line goes on to judge the option, which is no choice of it: "B) is wrong because"."""
    return bool(
        re.match(
            r"\s*(?:is|are|was|would|could|can|cannot|does|doesn't|isn't|might|may|seems|has|refers|describes|says|states)\b",
            rest,
            re.I,
        )
        or re.search(r"❌|✗|\b(?:incorrect|wrong)\b\W*$", rest, re.I)
    )


def _heads_a_list(labels: Labels, phrases: Phrases, bare: re.Match[str], lines: list[re.Match[str]]) -> bool:
    """Whether a first line that is only a label is the heading of one option among several."""
    value = labels.value(bare["label"])
    heads = set()
    for line in lines[1:]:
        hit = phrases.bare.fullmatch(line[0]) or phrases.marked.match(line[0])
        if hit is not None:
            heads.add(labels.value(hit["label"]))
    return value == labels.options[0] and labels.options[1] in heads


def _listed(
    labels: Labels,
    phrases: Phrases,
    marked: re.Match[str],
    line: re.Match[str],
    lines: list[re.Match[str]],
    path: str,
) -> bool:
    """Whether a line is part of a list of the options: the neighbouring label begins the neighbouring line."""
    options, value = labels.options, labels.value(marked["label"])
    place = options.index(value)
    rest = line[0][marked.end() :]
    for other in options[place + 1 : place + 2]:
        if re.search(rf"(?:^|\s)[(\[]?{re.escape(other)}[).:\]]\s", rest):
            return True
    around = lines[1:4] if path == "first_line" else lines[-4:-1]
    near = (
        options[place + 1 : place + 2]
        if path == "first_line"
        else options[place - 1 : place]
        if place
        else ()
    )
    for one in around:
        hit = phrases.marked.match(one[0])
        if hit is not None and labels.value(hit["label"]) in near:
            return True
    return False


def _from_json(reply: Reply, labels: Labels, phrases: Phrases) -> Answer | None:
    """A reply that is a JSON object with an answer in it."""
    text = re.sub(r"^\s*```\w*\s*|\s*```\s*$", "", reply.text).strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if {str(key).strip() for key in value} == set(labels.options):
        true = [key.strip() for key, one in value.items() if one is True]
        return Answer(true[0], "json") if len(true) == 1 else Answer(None, UNREAD)
    given = [one for key, one in value.items() if isinstance(one, str) and KEY.fullmatch(key.strip())]
    read = [phrases.bare.fullmatch(one) or phrases.marked.match(one) for one in given]
    values = {labels.value(found["label"]) for found in read if found is not None}
    return Answer(values.pop(), "json") if len(values) == 1 else None
