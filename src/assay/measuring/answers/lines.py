"""Declarations by their place: a line that is a label, the first and the last line, ticks in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .context import Context
from .declarations import Declared, Weight
from .labels import Labels, Mention
from .patterns import pattern
from .reply import PlainReply

__all__ = ["Lines", "TextLine", "lines_of"]

LONGEST = 400  # a first or last line that opens with a label is a declaration up to this length
HEADED = 160  # characters from which a line behind "A:" that breaks off is a text recited, not a reason
SHORT = 60  # characters of a reply that may name its option in passing
CLOSING = 200  # characters at the end in which a last sentence may begin
SEVERAL_BEFORE = 40  # characters before a label in which it may be joined with another
BESIDE = 14  # characters before a label in which another one makes it one of several
LISTED = 3  # lines beside an item of a list in which its neighbour may stand
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\n]+")
_CLOSINGS = ("closing", "closing_with", "closing_after", "closing_brackets")


class TextLine(NamedTuple):
    """A line that is not blank, with its place in the reply."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def place(self, found: re.Match[str]) -> tuple[int, int]:
        """Where a label that was found in the line stands in the reply."""
        return self.start + found.start("label"), self.start + found.end("label")


def lines_of(plain: str, start: int = 0, end: int | None = None) -> list[TextLine]:
    """The lines of a part of a reply."""
    found = _LINE.finditer(plain, start, len(plain) if end is None else end)
    return [TextLine(line[0], line.start()) for line in found if not line[0].isspace()]


class Lines:
    """The lines of a reply, as far as it goes before an invented next question."""

    def __init__(self, reply: PlainReply, labels: Labels, end: int) -> None:
        self.reply, self.labels, self.of = reply, labels, labels.patterns
        self.lines = lines_of(reply.plain, 0, end)
        self.context = Context(reply)

    def declarations(self) -> Iterator[Declared]:
        """What the lines declare."""
        if not self.lines:
            return
        yield from self._edge(self.lines[0], "first_line")
        yield from self._edge(self.lines[-1], "final_line")
        yield from self._closing()
        yield from self._line_ends()
        yield from self._ticked()

    def recited(self) -> Iterator[range]:
        """Where lines that are labels alone go through all of the options: a list of them, and no answer."""
        run: list[TextLine] = []
        for line in [*self.lines, None]:
            if line is not None and (label := self._label(line)) and _letters(line.text) == _letters(label):
                run.append(line)
                continue
            if len(self.labels.options) > 2 and {self._label(one) for one in run} == set(self.labels.options):
                yield range(run[0].start, run[-1].end)
            run = []

    def _edge(self, line: TextLine, path: str) -> Iterator[Declared]:
        """The first or the last line, if it is a label or opens with one."""
        alone = len(self.lines) == 1
        if (bare := self.of["bare"].fullmatch(line.text)) is not None:
            if not self._bare_item(line, self.labels.value(bare["label"]), path):
                value = self.labels.value(bare["label"])
                yield Declared(*line.place(bare), value, "bare" if alone else path, Weight.FIRM)
        elif alone and path == "first_line" and (short := self._short(line)) is not None:
            yield short
        elif (opened := self.of["opened"].match(line.text)) is not None and len(line.text) <= LONGEST:
            mention = self.labels.mention(self.reply, *line.place(opened))
            if mention is not None and not self._only_spoken_of(line, opened, path):
                yield Declared(mention.start, mention.end, mention.value, path, Weight.PLAIN)

    def _short(self, line: TextLine) -> Declared | None:
        """A short reply that names one option and does not deny it: "Definitely option B here", "Ice (B)".

        Options that are words may be stated in a sentence of their own: "The topic is sports."
        """
        if len(line.text) > SHORT or pattern("denied").search(line.text):
            return None
        mentions = list(self.labels.mentions(self.reply, line.start, line.end))
        if len(mentions) != 1:
            return None
        start, end, value, *_ = mentions[0]
        last = pattern("last_brackets").match(self.reply.plain, end) is not None
        word = len(value) > 1 and value[0].isalpha()
        stated = word and self.of["stated"].fullmatch(line.text) is not None
        if not last and not stated and not self.labels.after_word(self.reply, start):
            return None
        return Declared(start, end, value, "short", Weight.PLAIN)

    def _only_spoken_of(self, line: TextLine, opened: re.Match[str], path: str) -> bool:
        """Whether a line opens with a label but does not choose it: one of several, of a list, or judged."""
        value, rest = self.labels.value(opened["label"]), line.text[opened.end() :]
        after = self.labels.after(value)
        return (
            self._recital(line, opened)
            or self.of["several_after"].match(line.text, opened.end("label")) is not None
            or (after is not None and self.labels.lists(after, rest))
            or self._item(value, path)
            or pattern("judging").match(rest) is not None
            or pattern("struck").search(rest) is not None
            or (
                path == "final_line"
                and any(self.labels.mentions(self.reply, line.start + opened.end(), line.end))
            )
        )

    def _recital(self, line: TextLine, opened: re.Match[str]) -> bool:
        """Whether a long line behind "A:" breaks off in the middle of a sentence, and says more than its label."""
        if not line.text.startswith(":", opened.end("label")) or len(line.text) <= HEADED:
            return False
        words = {word.casefold() for word in _WORD.findall(line.text, opened.end("label"))}
        whole = line.text.rstrip().endswith((".", "!", "?", ")", '"', "'"))
        return not whole and bool(words - {opened["label"].casefold()})

    def _item(self, value: str, path: str) -> bool:
        """Whether a first or last line is an item of a list of the options: its neighbour is near it."""
        if path == "first_line":
            neighbour, near = self.labels.after(value), self.lines[1 : 1 + LISTED]
        else:
            neighbour, near = self.labels.before(value), self.lines[-1 - LISTED : -1]
        beside = neighbour is not None and any(self._opens_with(one) == neighbour for one in near)
        return beside and not (path == "first_line" and self._ruled_out(value))

    def _bare_item(self, line: TextLine, value: str, path: str) -> bool:
        """Whether a line that is only a label heads the first option, or is where a list was cut off."""
        if path == "first_line":
            second = self.labels.options[1]
            listed = value == self.labels.options[0] and any(self._label(one) == second for one in self.lines)
            return listed and not self._ruled_out(value)
        if len(self.lines) < 2 or (opened := self.of["opened"].match(line.text)) is None:
            return False
        above = self.of["opened"].match(self.lines[-2].text)
        return (
            above is not None
            and self.labels.value(above["label"]) == self.labels.before(value)
            and _frame(above) == _frame(opened)
            and self.lines[-2].end + 1 == line.start
        )

    def _ruled_out(self, value: str) -> bool:
        """Whether the lines of all other options call them wrong, as where a reply explains its choice."""
        wrong = {self._opens_with(one) for one in self.lines if pattern("ruled_out").search(one.text)}
        return wrong - {None} == set(self.labels.options) - {value}

    def _opens_with(self, line: TextLine) -> str | None:
        """The label that a line opens with."""
        found = self.of["opened"].match(line.text)
        return None if found is None else self.labels.value(found["label"])

    def _label(self, line: TextLine) -> str | None:
        """The label that a line is, or opens with."""
        found = self.of["bare"].fullmatch(line.text)
        return self._opens_with(line) if found is None else self.labels.value(found["label"])

    def _closing(self) -> Iterator[Declared]:
        """A last sentence that is no more than a label, or ends by naming one."""
        last = self.lines[-1]
        start = max(last.start, last.end - CLOSING)
        found = (self.of[name].search(self.reply.plain, start, last.end) for name in _CLOSINGS)
        hit = min(filter(None, found), key=lambda one: one.start(), default=None)
        if hit is None:
            return
        mention = self.labels.mention(self.reply, *hit.span("label"))
        low = max(0, hit.start("label") - SEVERAL_BEFORE)
        several = self.of["several_before"].search(self.reply.plain, low, hit.start("label"))
        if mention is None or mention.doubtful or several or self._another_beside(mention, last):
            return
        if self.context.quoted(hit.start()) and self.context.attributed(
            self.context.clause(hit.start()), mention.end
        ):
            return  # write "Answer: B"
        said = any(hit.groupdict().get(name) for name in ("firm_option", "firm_colon"))
        if hit.re is self.of["closing_brackets"] and pattern("denied").search(hit[0]):
            return
        firm = said or (mention.wrapped and hit.re in (self.of["closing"], self.of["closing_with"]))
        weight = Weight.FIRM if firm else Weight.PLAIN
        yield Declared(mention.start, mention.end, mention.value, "closing", weight)

    def _line_ends(self) -> Iterator[Declared]:
        """Lines that end in a label between brackets: "Hence the second law holds: (B)"."""
        for line in self.lines:
            found = self.of["line_end"].search(line.text)
            if found is None or self.of["opened"].match(line.text):
                continue
            mention = self.labels.mention(self.reply, *line.place(found))
            if mention is not None and not mention.lower and not self._another_beside(mention, line):
                yield Declared(mention.start, mention.end, mention.value, "closing", Weight.PLAIN)

    def _another_beside(self, mention: Mention, line: TextLine) -> bool:
        low = max(line.start, mention.start - BESIDE)
        return any(self.labels.mentions(self.reply, low, mention.start))

    def _ticked(self) -> Iterator[Declared]:
        """The only option that a list ticks, or calls correct."""
        ticked: dict[str, tuple[int, int]] = {}
        for line in self.lines:
            for box in self.of["checked_box"].finditer(line.text):
                ticked[self.labels.value(box["label"])] = line.place(box)
            tick = self.of["ticked"].match(line.text)
            if tick is not None and not pattern("not_ticked").search(tick["rest"]):
                ticked[self.labels.value(tick["label"])] = line.place(tick)
        if len(ticked) == 1:
            ((value, place),) = ticked.items()
            yield Declared(*place, value, "ticked", Weight.PLAIN)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _frame(opened: re.Match[str]) -> tuple[str, str]:
    """What stands before the label of an item, and the sign after it."""
    end = opened.end("label")
    return opened.string[: opened.start("label")], opened.string[end : end + 1]
