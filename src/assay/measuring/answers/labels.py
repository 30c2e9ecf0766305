"""Labels of options in a text: where "B" is the option, and where a vitamin, a variable or part of a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assay.errors import InputError

from .patterns import Patterns, pattern
from .reply import PlainReply

__all__ = ["Labels", "Mention", "labels_of"]

NEAR = 24  # characters before a letter in which a word may say what it is
_OPEN, _CLOSE = "([{\"'`*$<_|", ")]}\"'`*$>_|"
# No part of a word, of a name with a hyphen, of a command of TeX, or of an elision such as d'A.
_BEFORE, _AFTER = r"(?<![A-Za-z0-9]')(?<![A-Za-z0-9À-ɏ_\\-])", r"(?![A-Za-z0-9À-ɏ])"


class Mention(NamedTuple):
    """A label in a text.

    ``wrapped``: it stands in brackets, quotes or emphasis, or after the word "option".
    ``lower``: it is written small, though the labels are capitals.
    """

    start: int
    end: int
    value: str
    wrapped: bool
    lower: bool

    @property
    def doubtful(self) -> bool:
        """A small letter by itself is more often a variable or an article."""
        return self.lower and not self.wrapped


class Labels:
    """The labels of one question, and the patterns that name them."""

    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self.letters = all(len(option) == 1 and option.isalpha() for option in options)
        self._by_text = {option.casefold(): option for option in options}
        self._capitals = all(option == option.upper() for option in options)
        longest_first = sorted(options, key=len, reverse=True)
        self.any = f"{_BEFORE}(?:{'|'.join(map(re.escape, longest_first))}){_AFTER}"
        self.patterns = Patterns(self.any)
        self._found = re.compile(self.any, re.I)
        self._listed = {option: _begins(option) for option in options}
        self._list = _list_after_first(options)

    def value(self, said: str) -> str:
        """The option that a label names."""
        return self._by_text[said.casefold()]

    def before(self, option: str) -> str | None:
        """The option before another."""
        place = self.options.index(option)
        return self.options[place - 1] if place else None

    def after(self, option: str) -> str | None:
        """The option after another."""
        place = self.options.index(option) + 1
        return self.options[place] if place < len(self.options) else None

    def lists(self, option: str, text: str) -> bool:
        """Whether an item of a list in a text begins with an option: "B) ice"."""
        return self._listed[option].search(text) is not None

    def restates(self, reply: PlainReply, mention: Mention) -> bool:
        """Whether a label is the first of a list of the options, as where the question is repeated."""
        return mention.value == self.options[0] and self._list.match(reply.plain, mention.end) is not None

    def mentions(self, reply: PlainReply, start: int, end: int) -> Iterator[Mention]:
        """Where a part of the reply names an option."""
        for found in self._found.finditer(reply.plain, start, end):
            mention = self.mention(reply, *found.span())
            if mention is not None:
                yield mention

    def after_word(self, reply: PlainReply, start: int) -> bool:
        """Whether the word "option" or another of its kind stands before a place."""
        return pattern("label_word").search(reply.plain, max(0, start - NEAR), start) is not None

    def mention(self, reply: PlainReply, start: int, end: int) -> Mention | None:
        """The label at a place, or None where it is no label."""
        said = reply.plain[start:end]
        value = self._by_text.get(said.casefold())
        if value is None:
            return None
        if not self.letters:
            return Mention(start, end, value, False, False)
        before, after = reply.text[start - 1 : start], reply.text[end : end + 1]
        option = self.after_word(reply, start)
        between = before != "" and before in _OPEN and after != "" and after in _CLOSE + ".:,"
        lower = self._capitals and said != value
        mention = Mention(start, end, value, option or between or after == ")", lower)
        if _is_part(reply, mention, option) or not (option or _stands(reply, mention)):
            return None
        return mention


def _is_part(reply: PlainReply, mention: Mention, option: bool) -> bool:
    """Whether a letter belongs to what follows it: A's, C(6, 2), C.size, B-cell, A = 3, a cat."""
    text, end = reply.text, mention.end
    after, next_after = text[end : end + 1], text[end + 1 : end + 2]
    quoted = text[mention.start - 1 : mention.start] == "'"
    if after == "'" and not quoted and not pattern("turkish").match(text, end):
        return True
    if (after == "." and next_after.islower()) or (after == "-" and next_after.isalnum()):
        return True
    if not option and (after == "(" or (after not in ("$", "*") and pattern("formula").match(text, end))):
        return True
    word = mention.value in "AI" and mention.doubtful
    return word and not pattern("ends_letter_i").match(reply.plain, end)


def _stands(reply: PlainReply, mention: Mention) -> bool:
    """Whether a letter without the word "option" stands for itself, and is no name, article or pronoun."""
    start, end, plain = mention.start, mention.end, reply.plain
    if reply.text[start - 1 : start] == "(" and reply.text[end : end + 1] == ")":
        return True
    if pattern("named").search(plain, max(0, start - NEAR), start) or pattern("in_a_name").match(plain, end):
        return False
    if mention.wrapped or mention.value not in "AI":
        return True
    return pattern(f"ends_letter_{mention.value.lower()}").match(plain, end) is not None


def _begins(option: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|\s)[(\[]?{re.escape(option)}[).:\]]\s")


def _list_after_first(options: tuple[str, ...]) -> re.Pattern[str]:
    """What follows the first label of a list: the second one below, or the next two in the same line."""
    second, third = ([re.escape(one) for one in options[1:3]] + [""])[:2]
    item = r"[(\[]{0,2}%s[).:\]]"
    below = r"\n\s{0,40}" + item % second
    beside = r"\s" + item % second + (r"[^\n]{0,200}?\s" + item % third if third else "")
    return re.compile(rf"[).:\]][^\n]{{0,200}}?(?:{below}|{beside})")


@lru_cache(maxsize=256)
def labels_of(options: tuple[str, ...]) -> Labels:
    """The labels, refused where they cannot be told apart."""
    if len(options) < 2:
        raise InputError("a choice needs two options or more")
    if any(not option.strip() for option in options):
        raise InputError("an option is empty")
    if len({option.casefold() for option in options}) < len(options):
        raise InputError(f"the options {', '.join(options)} are not told apart by their letters")
    return Labels(options)
