"""A Python program without its layout: the tokens of each logical line, one space between them."""

from __future__ import annotations

import io
import token
import tokenize

__all__ = ["layout"]

_SILENT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})
_STARTS = frozenset(getattr(token, name, -1) for name in ("FSTRING_START", "TSTRING_START"))
_ENDS = frozenset(getattr(token, name, -1) for name in ("FSTRING_END", "TSTRING_END"))
_INDENT = "    "


def layout(source: str) -> str | None:
    """The normal form ``layout/1``; None for what cannot be cut into tokens."""
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rows = source.split("\n")
    lines: list[str] = []
    words: list[str] = []
    depth, nested, start = 0, 0, (0, 0)
    try:
        for found in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = found.type
            if kind in _STARTS:  # since Python 3.12 such a string is many tokens
                start = start if nested else found.start
                nested += 1
            elif kind in _ENDS:
                nested -= 1
                if not nested:
                    words.append(_between(rows, start, found.end))
            elif nested or kind in _SILENT:
                continue
            elif kind == tokenize.INDENT:
                depth += 1
            elif kind == tokenize.DEDENT:
                depth -= 1
            elif kind == tokenize.NEWLINE:
                lines.append(_INDENT * depth + " ".join(words))
                words = []
            else:
                words.append(found.string)
    except (tokenize.TokenError, SyntaxError):  # it parses, but this reader of tokens is stricter
        return None
    return "\n".join(lines)


def _between(rows: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    lines = rows[start[0] - 1 : end[0]]
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][start[1] :]
    return "\n".join(lines)
