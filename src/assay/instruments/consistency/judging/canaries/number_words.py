"""Number words: how a number is spelled in English, German, French and Spanish.

A number that is known is spelled in every way and looked for. To read any number out of any text would be much harder.
No package does it: the ones there are give one spelling a number, which changes between their versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from .folding import folded

__all__ = ["MOST_DIGITS", "spellings"]

MOST_DIGITS = 9  # a longer number is spelled in parts


class _Words(Struct, frozen=True, forbid_unknown_fields=True):
    units: tuple[str | None, ...]  # "null" is the German zero
    tens: tuple[str, ...]


@cache
def _words() -> dict[str, _Words]:
    place = files("assay.instruments.consistency").joinpath("data", "canaries", "numbers.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=dict[str, _Words])


def _unit(language: str, number: int) -> list[str]:
    return (_words()[language].units[number] or "null").split("/")


def _ten(language: str, number: int) -> list[str]:
    return _words()[language].tens[number // 10 - 2].split("/")


def _joined(*parts: Iterable[str]) -> list[str]:
    """Every choice of one of each part, written together."""
    found = [""]
    for part in parts:
        found = [f"{before}{word}" for before in found for word in part]
    return found


def _english(number: int) -> list[str]:
    if number < 20:
        return _unit("en", number)
    if number < 100:
        rest = _unit("en", number % 10) if number % 10 else [""]
        return _joined(_ten("en", number), rest)
    if number < 1000:
        return _scaled(_english, number, 100, "hundred", ("", "and"), ("a",))
    # 4471 is also forty-four hundred seventy-one
    teens = number < 10_000 and number // 100 % 10
    hundreds = _scaled(_english, number, 100, "hundred", ("", "and")) if teens else []
    return [*hundreds, *_by_thousands(_english, number, ("thousand",), ("million",), ("", "and"), ("a",))]


def _german(number: int) -> list[str]:
    if number < 20:
        return _unit("de", number)
    if number < 100:
        ones = ["ein"] if number % 10 == 1 else _unit("de", number % 10)
        return _joined(ones, ["und"], _ten("de", number)) if number % 10 else _ten("de", number)
    if number < 1000:
        return _scaled(_german_before, number, 100, "hundert", ("", "und"), ("",), _german)
    million = ("million", "millionen")
    return _by_thousands(_german, number, ("tausend",), million, ("", "und"), ("",), _german_before)


def _german_before(number: int) -> list[str]:
    """As it stands before a hundred or a thousand: ein, not eins."""
    return [word.removesuffix("s") if word.endswith("eins") else word for word in _german(number)] + (
        ["eine"] if number == 1 else []
    )


def _french(number: int) -> list[str]:
    if number < 20:
        return _unit("fr", number)
    if number < 100:
        own = _joined(_ten("fr", number), *_french_rest(number % 10, number))
        if number // 10 in (7, 9):  # soixante-dix, quatre-vingt-dix: counted on from the ten before
            before = ["soixante"] if number < 80 else ["quatrevingt"]
            own += _joined(
                before,
                ("", "et") if number == 71 else ("",),
                _unit("fr", number - (60 if number < 80 else 80)),
            )
        return own
    if number < 1000:
        return _scaled(_french, number, 100, "cent", ("", "s"), ("",))
    return _by_thousands(_french, number, ("mille", "mil"), ("million", "millions"), ("",), ("",))


def _french_rest(rest: int, number: int) -> list[Iterable[str]]:
    if not rest:
        return [("", "s")] if number == 80 else []
    return [("et", "") if rest == 1 else ("",), _unit("fr", rest)]


def _spanish(number: int) -> list[str]:
    if number < 30:
        return _unit("es", number)
    if number < 100:
        return (
            _joined(_ten("es", number), ["y"], _unit("es", number % 10))
            if number % 10
            else _ten("es", number)
        )
    if number < 1000:
        return _joined(_spanish_hundreds(number), _spanish(number % 100) if number % 100 else [""])
    return _by_thousands(_spanish, number, ("mil",), ("millon", "millones"), ("",), ("",))


def _spanish_hundreds(number: int) -> list[str]:
    own = {5: "quinient", 7: "setecient", 9: "novecient"}
    hundreds = number // 100
    if hundreds == 1:
        return ["ciento"] if number % 100 else ["cien"]
    stem = own.get(hundreds) or f"{_unit('es', hundreds)[0]}cient"
    return [f"{stem}os", f"{stem}as"]


Speller = Callable[[int], list[str]]


def _scaled(
    spell: Speller,
    number: int,
    scale: int,
    word: str,
    between: Iterable[str],
    one: Iterable[str] = (),
    rest: Speller | None = None,
) -> list[str]:
    """So many hundreds, and what is left. ``one`` are further ways to say one hundred."""
    many = [*spell(number // scale), *(one if number // scale == 1 else ())]
    head = _joined(many, [word])
    left = number % scale
    return _joined(head, between, (rest or spell)(left) if left else [""])


def _by_thousands(
    spell: Speller,
    number: int,
    thousand: tuple[str, ...],
    million: tuple[str, ...],
    between: Iterable[str],
    one: Iterable[str] = (),
    before: Speller | None = None,
) -> list[str]:
    """Millions, thousands, and what is left; "and" only before a rest below a hundred."""
    for scale, words in ((1_000_000, million), (1000, thousand)):
        if number >= scale:
            many = [*(before or spell)(number // scale), *(one if number // scale == 1 else ())]
            head, left = _joined(many, words), number % scale
            if not left:
                return head
            return _joined(head, between if left < 100 else ("",), spell(left))
    return spell(number)


def _ordinal(word: str) -> str:
    own = {
        "one": "first",
        "two": "second",
        "three": "third",
        "five": "fifth",
        "eight": "eighth",
        "nine": "ninth",
    }
    for end, changed in {**own, "twelve": "twelfth", "ty": "tieth"}.items():
        if word.endswith(end):
            return word.removesuffix(end) + changed
    return f"{word}th"


_SPELLERS: tuple[Speller, ...] = (_english, _german, _french, _spanish)


@lru_cache(maxsize=8192)
def spellings(digits: str) -> frozenset[str]:
    """Every spelling of the digits as one number, folded and written together: ``fortyfour``, ``vierundvierzig``.

    Of digits that begin with 0, or are more than ``MOST_DIGITS``, there is none but that of a single 0.
    """
    if len(digits) > MOST_DIGITS or (len(digits) > 1 and digits.startswith("0")):
        return frozenset()
    return frozenset(_all(digits))


def _all(digits: str) -> Iterator[str]:
    for spell in _SPELLERS:
        yield from ("".join(folded(word)) for word in spell(int(digits)))
    if 10 <= int(digits) <= 31 and len(digits) == 2:  # the fourteenth of March
        yield from (_ordinal(word) for word in _english(int(digits)))
    if len(digits) in (2, 3) and len(set(digits)) == 1:  # double four, triple four
        yield from (
            f"{'double' if len(digits) == 2 else 'triple'}{word}" for word in _unit("en", int(digits[0]))
        )
