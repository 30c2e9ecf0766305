"""Names of models, makers and products taken out of a text, so that whose it is cannot be read in it.

``data/names.yaml`` has the list and its rules. Each word is looked up once and every pattern is bounded, so that the
time grows with the length of a text, whatever its content.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

__all__ = ["MARK", "Redacted", "redact"]

MARK = "[name]"
# Scripts that leave no blanks: each character is a word.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_HYPHEN = r"\u2010-\u2015-"
_WORD = re.compile(rf"\[name\]|{_LETTER}+|\d+|[{_UNSPACED}]")
_ADJOINING = re.compile(rf"[ \t\u00a0_/{_HYPHEN}]{{0,2}}")
_BESIDE = re.compile(r"""(?:'s)?[\s,;/&*"'“”‘()+•-]{0,6}(?:(?:and|or|nor|vs\.?|by)[\s*"'“”]{1,3})?""", re.I)
_END = rf"(?!{_LETTER}|\d|\[name\])"
_LATIN = "ABESIJKMHOPCTYXaesijopcyxqwABEZHIKMNOPTYXogi'"
_LOOK_ALIKES = str.maketrans("АВЕЅІЈКМНОРСТУХаеѕіјорсухԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοɡı’", _LATIN)


class Redacted(NamedTuple):
    """A text without names, and the names as they were written, in their order."""

    text: str
    found: tuple[str, ...]


class _Name(NamedTuple):
    plain: str
    when: str


class _Found(NamedTuple):
    start: int
    end: int
    counts: bool | None


@cache
def _listed() -> dict[str, Any]:
    source = files("assay.measuring.blinding").joinpath("data", "names.yaml").read_text("utf-8")
    return dict(yaml.safe_load(source))


@cache
def _around(kind: str) -> re.Pattern[str]:
    """What stands around a name: its version (``variants``) or a cue."""
    words = "|".join(map(re.escape, _listed()[kind]))
    if kind == "variants":
        number = r"[a-z]{0,2}\d{1,8}(?:[.x]\d{1,4}){0,2}[a-z]{0,2}"
        part = rf"(?:(?i:[_/:. {_HYPHEN}]?{number}|[_/{_HYPHEN}](?:{words}))| (?:{words}))"
        return re.compile(rf"(?:(?<=\d)[A-Za-z]{{1,2}}{_END})?(?:{part}{_END}){{0,8}}")
    if kind == "after":
        return re.compile(rf"[\s*\"'“”,(-]{{1,4}}(?:{words})(?![\w\[])", re.I)
    return re.compile(rf"(?<![\w\]])(?:{words})[\s*\"'“”(]{{1,3}}$", re.I)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text without accents and invisible characters, and where each of its characters, and its end, stood."""
    if text.isascii():
        return text, range(len(text) + 1)
    plain = {}
    for letter in set(text):
        parts = unicodedata.normalize("NFKD", letter.translate(_LOOK_ALIKES))
        kept = "".join(part for part in parts if unicodedata.category(part) not in {"Mn", "Me", "Cf"})
        plain[letter] = one if len(one := unicodedata.normalize("NFC", kept)) < 2 else letter
    places = [place for place, letter in enumerate(text) if plain[letter]]
    return "".join(map(plain.__getitem__, text)), [*places, len(text)]


def _plain(name: str) -> str:
    return re.sub(r"^[\W_]+|[\W_]+$", "", _folded(name)[0])


@lru_cache(maxsize=4096)
def _pattern(plain: str) -> re.Pattern[str]:
    """A name with any separators, as whole words. One of one or two letters keeps its case."""
    body = re.sub(r"(?:\\ |\\-|_)+", lambda gap: rf"(?:\s?[_/:{_HYPHEN}]?\s?|{gap[0]})", re.escape(plain))
    start = r"(?<![^\W_])(?<!\])" if plain[0].isdigit() else ""
    ends = (rf"(?:(?<=[{_UNSPACED}])|s?(?!{_LETTER}))", rf"(?!\d|{_LETTER}{{3}}|\[name\])")
    return re.compile(f"{start}(?{'i' * (len(plain) > 2)}:{body}){ends[plain[-1].isdigit()]}")


@lru_cache(maxsize=64)
def _names(further: tuple[str, ...]) -> Mapping[str, Sequence[_Name]]:
    """All names by their first word, the longest first."""
    given = [_Name(_plain(each), "always") for each in further if _plain(each)]
    kinds = [_listed()[kind] for kind in ("makers", "models", "products")]
    listed = [_Name(_plain(each), when) for kind in kinds for when, group in kind.items() for each in group]
    phrases = [_Name(_plain(phrase), "never") for phrase in _listed()["ordinary"]]
    staying = [
        phrase for phrase in phrases if not any(_pattern(name.plain).search(phrase.plain) for name in given)
    ]
    found: dict[str, list[_Name]] = {}
    for name in sorted([*given, *listed, *staying], key=lambda name: -len(name.plain)):
        spellings = (name.plain, re.sub("[ _-]", "", name.plain))
        firsts = {match[0].lower() for match in map(_WORD.match, spellings) if match}
        for first in firsts | {first + "s" for first in firsts}:
            found.setdefault(first, []).append(name)
    return found


def _judged(name: _Name, text: str, start: int, end: int) -> _Found | None:
    """The name at this place, with its version. ``counts``: False if it takes a name beside it, None for a phrase."""
    version = _around("variants").match(text, end)
    whole = version.end() if version else end
    if name.when in {"always", "never"}:
        return _Found(start, whole, True) if name.when == "always" else _Found(start, end, None)
    pairs = zip(filter(str.isalnum, name.plain), filter(str.isalnum, text[start:end]), strict=False)
    capitals = all(written.isupper() for listed, written in pairs if listed.isupper())
    numbered = any(map(str.isdigit, text[end:whole]))
    joined, front = numbered and text[end] != " ", max(0, start - 12)
    cue = joined or _around("after").match(text, whole) or _around("claim").search(text, front, start)
    if name.when == "capital":
        return _Found(start, whole, capitals or bool(cue))
    cue = cue or numbered or _around("before").search(text, front, start)
    return _Found(start, whole, bool(cue)) if capitals or joined else None


def _candidates(text: str, names: Mapping[str, Sequence[_Name]]) -> Iterator[_Found]:
    """Every mark and every possible name, from left to right, the longest at each place."""
    done = 0
    for word in _WORD.finditer(text):
        if word[0] == MARK:
            yield _Found(*word.span(), True)
        known = names.get(word[0].lower(), ()) if word.start() >= done else ()
        matches = ((name, _pattern(name.plain).match(text, word.start())) for name in known)
        found = [one for name, match in matches if match and (one := _judged(name, text, *match.span()))]
        if found:
            best = next((one for one in found if one.counts is not False), found[0])
            yield best
            done = best.end


def _counted(found: Sequence[_Found], text: str) -> Sequence[_Found]:
    """Those that count by themselves or because a name stands beside them, read from both ends."""
    for step in (1, -1):
        judged: list[_Found] = []
        for one in found[::step]:
            left, right = (judged[-1] if judged else one, one)[::step]
            helped = one.counts is False and (left.counts or right.counts) and right.start - left.end <= 16
            beside = helped and _BESIDE.fullmatch(text, left.end, right.start)
            judged.append(one._replace(counts=True) if beside else one)
        found = judged[::step]
    return [one for one in found if one.counts]


def redact(text: str, names: Sequence[str]) -> Redacted:
    """The text with every listed name and every one of ``names`` replaced by ``[name]``; adjoining marks become one."""
    folded, places = _folded(text)
    pieces: list[str] = []
    found, done = [], 0
    for one in _counted(list(_candidates(folded, _names(tuple(names)))), folded):
        start, end = places[one.start], places[one.end]
        if not pieces or (start > done and not _ADJOINING.fullmatch(text, done, start)):
            pieces += [text[done:start], MARK]
        if folded[one.start : one.end] != MARK:
            found.append(text[start:end])
        done = end
    return Redacted("".join([*pieces, text[done:]]), tuple(found))
