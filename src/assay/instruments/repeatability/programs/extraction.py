"""From a reply to the program in it.

Version ``extract/1``. A fenced block is a line of three or more backticks or tildes, an optional language word,
and everything up to a fence of the same kind at least as long, or the end of the text when it was cut short.
Of several blocks the first that defines the entry point is taken, else the first marked as being in the language,
else the first. Without a fence the whole text is the program. Nothing else is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = ["EXTRACTION", "choose_block", "extract_code", "find_code", "holds_block"]

EXTRACTION = "extract/1"

_WORDS = {"python": ("python", "py", "python3"), "javascript": ("javascript", "js", "node", "mjs")}
_ANYWHERE = r"\b{0}\b"
_DEFINES = {
    "python": r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+{0}\b",
    "javascript": r"\b(?:function\*?|class|const|let|var)[ \t]+{0}\b",
}

# Possessive: a line is looked at once, however long it is and whatever it ends with.
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")  # not splitlines: a form feed in a literal ends no line
_FENCE = re.compile(r"^[ \t]{0,3}(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<word>[^\s`]*+)[^\n`]*+$")


def extract_code(text: str, entry_point: str, language: str = "python") -> str:
    start, end = find_code(text, entry_point, language)
    return text[start:end]


def holds_block(text: str) -> bool:
    """Whether there is a fenced block, as in a whole reply."""
    return bool(_blocks(text))


def find_code(text: str, entry_point: str, language: str = "python") -> tuple[int, int]:
    """Where the program stands in the reply: from, to, in characters."""
    defines = re.compile(_DEFINES.get(language, _ANYWHERE).format(re.escape(entry_point)), re.M)
    words = _WORDS.get(language, (language.lower(),))
    return choose_block(text, [lambda block: bool(defines.search(block))], words) or (0, len(text))


def choose_block(
    text: str, wanted: Sequence[Callable[[str], bool]], words: Sequence[str]
) -> tuple[int, int] | None:
    """The first fenced block that is wanted, by the first wish that one fulfils; else by its word, else the first."""
    blocks = _blocks(text)
    for fits in wanted:
        for _, start, end in blocks:
            if fits(text[start:end]):
                return start, end
    for word, start, end in blocks:
        if word.lower() in words:
            return start, end
    return blocks[0][1:] if blocks else None


def _blocks(text: str) -> list[tuple[str, int, int]]:
    """The fenced blocks: their language word, and where their content begins and ends."""
    blocks: list[tuple[str, int, int]] = []
    fence, word, start, here = "", "", 0, 0
    for line in _LINE.findall(text):
        found = _FENCE.match(line.rstrip("\r\n"))
        after = here + len(line)
        if not fence:
            if found:
                fence, word, start = found["fence"], found["word"], after
        elif (
            found
            and found["fence"][0] == fence[0]
            and len(found["fence"]) >= len(fence)
            and not found["word"]
        ):
            blocks.append((word, start, here))
            fence = ""
        here = after
    if fence:
        blocks.append((word, start, here))
    return blocks
