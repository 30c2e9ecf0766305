"""From a prompt back to its item: which scenario, which condition, and the numbers that are printed in it.

Reference subjects answer from what they read, as any subject does. The conformance check uses the same parser: the
normative and the biased answer must follow from what the prompt prints, or no reader could know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import permutations

from msgspec import Struct

from assay.errors import InputError

from .expressions import Value
from .instance import FORM, CompiledItem, CompiledScenario
from .layout import Layout
from .model import CONDITIONS, Domain
from .templates import Template, tidy

__all__ = ["ParsedItem", "PromptParser", "shipped_parser"]

Pieces = list[tuple[str, str]]  # a plain stretch, and the name of the gap after it
LONGEST_GAP = 120  # characters
_BEFORE_SIGN = re.compile(r" +([.,;:?!])(?=\s|$)")
_BLANK = re.compile(r"\s+")
_OPTION = re.compile(r"([A-F])\) (.+)")
_NUMBER = re.compile(r"-?[\d,]*\.?\d+%?")


class ParsedItem(Struct, frozen=True):
    """``condition`` is ``control`` or an intensity. ``normative`` and ``biased`` are as an answer line gives them."""

    bias: str
    domain: Domain
    scenario: str
    condition: str
    method: str | None
    normative: str
    biased: str
    letters: tuple[str, ...]  # as they are shown
    values: dict[str, Value]


class PromptParser:
    """Knows the prompts of some items."""

    def __init__(self, items: Iterable[CompiledItem]) -> None:
        self._known = [
            (item, domain, compiled, _longest(compiled.text.plain))
            for item in items
            for domain, scenarios in item.scenarios.items()
            for compiled in scenarios
        ]
        self._pieces: dict[tuple[int, str], list[tuple[str, Pieces]]] = {}

    def parse(self, prompt: str) -> ParsedItem | None:
        """None where the prompt is of none of the items."""
        body = tidy(prompt).rpartition(FORM)[0]
        flat = _BLANK.sub(" ", body)
        for item, domain, compiled, key in self._known:
            if key in flat:
                matches = [
                    (sum(map(len, found.values())), condition, asked, found)
                    for condition in CONDITIONS
                    for asked, pieces in self._texts(compiled, condition)
                    if (found := _matched(pieces, flat)) is not None
                ]
                if matches:
                    # one text may begin like another: the gaps of the right one hold the least
                    _, condition, asked, found = min(matches, key=lambda match: match[0])
                    return _parsed(item, domain, compiled, condition, asked, _values(found), body)
        return None

    def _texts(self, compiled: CompiledScenario, condition: str) -> list[tuple[str, Pieces]]:
        """What a prompt of this condition begins with: text and question; one for each side of yes or no."""
        key = (id(compiled), condition)
        if key not in self._pieces:
            questions = compiled.questions or {"": compiled.question}
            slots = compiled.vary[condition]
            self._pieces[key] = [
                (asked, _flat([*_inlined(compiled.text, slots), ("\n", ""), *_inlined(question, slots)]))
                for asked, question in questions.items()
            ]
        return self._pieces[key]


def _longest(parts: Iterable[str]) -> str:
    return max((_BLANK.sub(" ", part).strip(" .,;:?!") for part in parts), key=len)


def _inlined(template: Template, slots: Mapping[str, Template]) -> Pieces:
    """The pieces of a template, with those of the slots that vary in their places."""
    found: Pieces = []
    for plain, name in template.pieces():
        if name in slots:
            found += [(plain, ""), *slots[name].pieces()]
        else:
            found.append((plain, name))
    return found


def _flat(pieces: Pieces) -> Pieces:
    """Plain stretches joined, up to the next gap, with their blanks as `tidy` leaves them on one line."""
    found: Pieces = []
    before = ""
    for plain, name in pieces:
        before += plain
        if name:
            found.append((_BLANK.sub(" ", before), name))
            before = ""
    found.append((_BLANK.sub(" ", before), ""))
    fine = [(_BEFORE_SIGN.sub(r"\1", plain), name) for plain, name in found]
    return (
        [(fine[0][0].lstrip(), fine[0][1]), *fine[1:-1], (fine[-1][0].rstrip(), "")]
        if fine[1:]
        else [(fine[0][0].strip(), "")]
    )


def _matched(pieces: Pieces, text: str, *, whole: bool = False) -> dict[str, str] | None:
    """What stands in the gaps where the text begins with these pieces, each gap as short as can be.

    Of a gap that comes again the first counts. Places that were tried in vain are kept: the time is bounded.
    """
    failed: set[tuple[int, int]] = set()
    found: list[str] = []

    def follow(at: int, start: int) -> bool:
        plain = pieces[at][0]
        begin = start + len(plain)
        if (at, start) in failed or not text.startswith(plain, start):
            return False
        if at == len(pieces) - 1:
            return begin == len(text) if whole else begin == len(text) or text[begin].isspace()
        following = pieces[at + 1][0]
        end = begin
        while 0 <= (end := text.find(following, end + 1)) <= begin + LONGEST_GAP:
            found.append(text[begin:end])
            if follow(at + 1, end):
                return True
            found.pop()
        failed.add((at, start))
        return False

    if not follow(0, 0):
        return None
    gaps: dict[str, str] = {}
    for (_, name), value in zip(pieces, found, strict=False):
        gaps.setdefault(name, value)
    return gaps


def _values(gaps: Mapping[str, str]) -> dict[str, Value]:
    return {name: _value(text) for name, text in gaps.items()}


def _parsed(
    item: CompiledItem,
    domain: Domain,
    compiled: CompiledScenario,
    condition: str,
    asked: str,
    values: dict[str, Value],
    body: str,
) -> ParsedItem:
    layout = Layout((), ())
    if compiled.answer == "choice":
        layout, values = _layout(compiled, condition, values, body)
    values |= {option: option for option in compiled.options}
    for name, expression in compiled.compute.items():
        if name not in values and expression.names <= values.keys():
            values[name] = expression(values)
    normative, biased = compiled.normative(values), compiled.biased(values)
    answers = {normative: _written(normative), biased: _written(biased)}
    if compiled.answer == "choice":
        answers = {option: layout.letter(str(option)) for option in (normative, biased)}
    elif compiled.answer == "yes_no":
        answers = {option: "yes" if option == asked else "no" for option in (normative, biased)}
    method = next((kind for kind, text in item.debias.items() if tidy(text.fill(values)) in body), None)
    return ParsedItem(
        item.model.bias,
        domain,
        compiled.scenario.scenario,
        condition,
        method,
        answers[normative],
        answers[biased],
        layout.letters,
        values,
    )


def _layout(
    compiled: CompiledScenario, condition: str, values: dict[str, Value], body: str
) -> tuple[Layout, dict[str, Value]]:
    """Which option stands where. Options that differ by their numbers alone are told apart by the text's numbers."""
    lines = [m for line in body.splitlines() if (m := _OPTION.fullmatch(line.strip()))]
    slots = compiled.vary[condition]
    pieces = {option: _flat(_inlined(text, slots)) for option, text in compiled.options.items()}
    found = []
    for order in permutations(pieces):
        merged: dict[str, Value] | None = dict(values)
        for option, line in zip(order, lines, strict=False):
            gaps = _matched(pieces[option], line[2].strip(), whole=True)
            merged = None if gaps is None or merged is None else _merged(merged, _values(gaps))
        if merged is not None and len(lines) == len(order):
            found.append((Layout(order, tuple(line[1] for line in lines)), merged))
    if len(found) != 1:
        raise InputError(f"{len(found)} ways to tell the options apart")
    return found[0]


def _merged(known: dict[str, Value], more: dict[str, Value]) -> dict[str, Value] | None:
    """Both, unless they contradict each other."""
    return None if any(known.get(name, value) != value for name, value in more.items()) else {**more, **known}


def _value(text: str) -> Value:
    """A printed value: a number without its commas, a percentage as a share, else the text."""
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text.rstrip("%").replace(",", ""))
    if text.endswith("%"):
        return round(number / 100, 8)
    return int(number) if number.is_integer() and "." not in text else number


def _written(value: Value) -> str:
    return f"{float(value):.10g}" if not isinstance(value, str) else value


@cache
def shipped_parser() -> PromptParser:
    from .bank import pools, shipped_item, shipped_items

    return PromptParser(CompiledItem(shipped_item(bias), pools()) for bias in shipped_items())
