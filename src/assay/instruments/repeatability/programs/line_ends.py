"""The normal form ``text/2``: a program without blanks at the ends of its lines.

The definitions right-strip every line. Inside a literal that would make another program of it, so literals stay as
they are, and programs with the same text have the same syntax tree. The reader knows literals and comments only: it
needs no grammar and reads alike under every version of Python. Where a quote is not closed it cannot know what is
inside a literal; then no line is stripped, only the end of the text.
"""

from __future__ import annotations

import re

__all__ = ["other_text_form", "text_form"]

_BLANKS = " \t\f"  # other white space is no part of a program, unless in a comment or a literal
# Possessive, and ended at the first quote that is not closed: every character is looked at a fixed number of times.
_TOKEN = re.compile(
    r"""
      (?P<literal>(?P<triple>\"{3}|'{3})(?:[^\\"']++|\\.|(?!(?P=triple))["'])*+(?P=triple))
    | (?P<unclosed>\"{3}|'{3})
    | "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+'
    | (?P<quote>["'])
    | (?P<comment>\#[^\n]*+)
    | (?P<blanks>[ \t\f]++)
    | \\.
    """,
    re.DOTALL | re.VERBOSE,
)
_AT_LINE_ENDS = re.compile(r"[^\S\n](?:\n|\Z)")
_FORMATTED = re.compile(r"[A-Za-z]*[fFtT][A-Za-z]*\Z")
# What begins a literal of several lines in one language or another.
_SEVERAL_LINES = re.compile(r"`|<<|\[\[|\\\s*\n")


def text_form(source: str) -> str:
    """Of a Python program."""
    text = _with_line_feeds(source)
    if not _AT_LINE_ENDS.search(text):
        return text.rstrip("\n")
    parts: list[str] = []
    done = 0
    for found in _TOKEN.finditer(text):
        kind, start, end = found.lastgroup, found.start(), found.end()
        if kind in ("unclosed", "quote") or (kind == "literal" and _ends_in_a_field(text, start, found[0])):
            return _without_end(text)
        if kind == "comment":
            parts += text[done:start], found[0].rstrip()
        elif kind == "blanks" and (end == len(text) or text[end] == "\n"):
            parts.append(text[done:start])
        else:
            continue
        done = end
    return "".join((*parts, text[done:])).rstrip("\n")


def _ends_in_a_field(text: str, start: int, literal: str) -> bool:
    """Whether a formatted string seems to end within ``{…}``: since Python 3.12 its own quotes may stand there."""
    formatted = _FORMATTED.search(text, max(0, start - 3), start)
    return formatted is not None and literal.count("{") != literal.count("}")


def other_text_form(source: str) -> str:
    """Of a program in a language that is not read: where a literal may go over several lines, no line is stripped."""
    text = _with_line_feeds(source)
    lines = text.split("\n")
    if _SEVERAL_LINES.search(text) or any(line.count('"') % 2 or line.count("'") % 2 for line in lines):
        return _without_end(text)
    return _without_end("\n".join(line.rstrip() for line in lines))


def _with_line_feeds(source: str) -> str:
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _without_end(text: str) -> str:
    return text.rstrip(_BLANKS + "\n")
