"""Sentences that say of something whether it counts, put together from parts, and read back.

Which words stand in a sentence does not tell, nor does their order: what others claim is said in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from assay.streams import Stream

from .noise import DIGITS, LETTERS
from .templates import table

__all__ = ["loose", "read_standing", "sentence", "sentences", "standing", "standing_rule"]

_SPLIT = re.compile(r"(?<=[.!?:]) (?=[A-Z])|\n(?:- )?")
_GAP = re.compile(r"(\{\w+\})")
_MISREAD = DIGITS | LETTERS
_OTHER = {"holds": "lapsed", "lapsed": "holds"}


def sentence(said: str) -> str:
    """With a capital at its beginning."""
    return said[0].upper() + said[1:]


def sentences(said: str) -> list[str]:
    return _SPLIT.split(said)


def standing(stream: Stream, subject: str, *, holds: bool) -> str:
    """A sentence that says of something, named by a subject in the singular, whether it counts."""
    parts, kind = table("standing"), "holds" if holds else "lapsed"
    contrast = bool(stream.below(4))
    other = stream.choice(parts["verdicts"][_OTHER[kind] if contrast else stream.choice([*_OTHER])])
    source = stream.choice(parts["sources"])
    said: str = stream.choice(parts["shapes"]["contrast" if contrast else "any"]).format(
        subject=subject,
        verdict=stream.choice(parts["verdicts"][kind]),
        other=other,
        source=source,
        claim=stream.choice(parts["claims"]).format(verdict=other, source=source),
    )
    return sentence(said)


def standing_rule(stream: Stream, clause: str, *, holds: bool) -> str:
    """The same of a rule, stated in a clause."""
    return standing(stream, stream.choice(table("standing")["rules"]).format(clause=clause), holds=holds)


@cache
def _seen_as(char: str, times: int) -> list[str]:
    """What a character may look like when it was misread so many times at most, each time in whole or in part."""
    found = {char}
    for _ in range(times):
        found |= {"".join(some) for one in found for some in product(*((c, _MISREAD.get(c, c)) for c in one))}
    return sorted(found)


def loose(said: str, times: int = 1) -> str:
    """A pattern of a text in small letters in which any character may have been misread."""
    return "".join(_any_of(char, times) for char in said.lower())


@cache
def _any_of(char: str, times: int) -> str:
    found = [re.escape(one) for one in _seen_as(char, times)]
    if all(len(one) == 1 for one in found):  # compiled much faster than a choice
        return found[0] if len(found) == 1 else f"[{''.join(found)}]"
    return f"(?:{'|'.join(found)})"


@cache
def _patterns(misread: bool) -> list[re.Pattern[str]]:
    """Every shape. There is a group ``holds`` where something counts; who makes a claim does not matter."""
    parts = table("standing")
    write = loose if misread else re.escape

    def filled(template: str, gaps: dict[str, str]) -> str:
        """A template as a pattern, with a pattern in each gap."""
        return "".join(gaps.get(part) or write(part) for part in _GAP.split(template))

    def one_of(options: Sequence[str], gaps: dict[str, str]) -> str:
        return f"(?:{'|'.join(filled(option, gaps) for option in options)})"

    holds, lapsed = (one_of(parts["verdicts"][kind], {}) for kind in ("holds", "lapsed"))
    either = f"(?:{lapsed}|{holds})"
    gaps = {
        "{subject}": "(?P<subject>.+?)",
        "{verdict}": f"(?:{lapsed}|(?P<holds>{holds}))",
        "{other}": either,
        "{source}": one_of(parts["sources"], {}),
        "{claim}": one_of(parts["claims"], {"{verdict}": either, "{source}": r"[\w' ]+?"}),
    }
    shapes = [shape for some in parts["shapes"].values() for shape in some]
    return [re.compile(filled(shape, gaps), re.IGNORECASE if misread else 0) for shape in shapes]


def read_standing(said: str, *, misread: bool = False) -> Iterator[tuple[str, bool]]:
    """Every subject that a text speaks of in such sentences, and whether it counts.

    Where it may be ``misread``, the text is one such sentence, and whatever else may follow it.
    """
    for one in [said] if misread else sentences(said):
        lowered = one[0].lower() + one[1:]
        for pattern in _patterns(misread):
            if found := pattern.match(lowered) if misread else pattern.fullmatch(lowered):
                yield found["subject"], found["holds"] is not None
                break
