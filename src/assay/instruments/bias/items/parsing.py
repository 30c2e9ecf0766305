"""From a prompt back to its item: which scenario, which condition, and the numbers that are printed in it.

Reference subjects answer from what they read, as any subject does. The conformance check uses the same parser: the
normative and the biased answer must follow from what the prompt prints, or no reader could know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import permutations
from typing import NamedTuple

from assay.errors import InputError
from assay.measuring.layouts import Layout

from .expressions import Value
from .instance import FORM, BiasInstance, CompiledItem, CompiledScenario
from .model import CONDITIONS, Debiasing, Domain
from .templates import Template, tidy

__all__ = ["PromptParser", "ReadPrompt", "shipped_parser"]

Pieces = list[str]  # plain stretches and names of the gaps between them, in turns
LONGEST_GAP = 120  # characters
_BLANK = re.compile(r"\s+")
_OPTION = re.compile(r"([A-F])\) (.+)")
_NUMBER = re.compile(r"-?[\d,]*\.?\d+%?")


class ReadPrompt(NamedTuple):
    """An instance with the numbers that are printed; ``condition`` is ``control`` or an intensity."""

    instance: BiasInstance
    condition: str
    method: Debiasing | None


class _Known(NamedTuple):
    """A scenario: a stretch that its prompts have, and what they begin with by condition and option asked for."""

    item: CompiledItem
    domain: Domain
    compiled: CompiledScenario
    stretch: str
    begins: list[tuple[str, str, Pieces]]


class PromptParser:
    """Knows the prompts of some items."""

    def __init__(self, items: Iterable[CompiledItem]) -> None:
        self._known = [
            _known(item, domain, compiled)
            for item in items
            for domain, scenarios in item.scenarios.items()
            for compiled in scenarios
        ]

    def parse(self, prompt: str) -> ReadPrompt | None:
        """None where the prompt is of none of the items."""
        body = tidy(prompt).rpartition(FORM)[0]
        flat = _BLANK.sub(" ", body)
        for known in self._known:
            if known.stretch in flat:
                matches = [
                    (sum(map(len, gaps.values())), condition, asked, gaps)
                    for condition, asked, pieces in known.begins
                    if (gaps := _matched(pieces, flat)) is not None
                ]
                if matches:
                    # one text may begin like another: the gaps of the right one hold the least
                    _, condition, asked, gaps = min(matches, key=lambda match: match[0])
                    return _read(known, condition, asked, _values(gaps), body)
        return None


def _known(item: CompiledItem, domain: Domain, compiled: CompiledScenario) -> _Known:
    questions = compiled.questions or {"": compiled.question}
    plain = _pieces(compiled.text)[::2]
    begins = [
        (condition, asked, _pieces(compiled.text, question, vary=compiled.vary[condition]))
        for condition in CONDITIONS
        for asked, question in questions.items()
    ]
    return _Known(item, domain, compiled, max((one.strip(" .,;:?!") for one in plain), key=len), begins)


def _pieces(*texts: Template, vary: Mapping[str, Template] | None = None) -> Pieces:
    """Texts as a prompt has them on one line, with what varies in its place, split at their gaps."""
    varied = vary or {}
    names = set[str]().union(*(text.names for text in (*texts, *varied.values())))
    gaps = {name: f"\0{name}\0" for name in names}
    filled = gaps | {name: text.fill(gaps) for name, text in varied.items()}
    return _BLANK.sub(" ", tidy("\n".join(text.fill(filled) for text in texts))).split("\0")


def _matched(pieces: Pieces, text: str, *, whole: bool = False) -> dict[str, str] | None:
    """What stands in the gaps where the text begins with these pieces, each gap as short as can be.

    Of a gap that comes again the first counts. Places that were tried in vain are kept: the time is bounded.
    """
    failed: set[tuple[int, int]] = set()
    found: list[str] = []

    def follow(at: int, start: int) -> bool:
        begin = start + len(pieces[at])
        if (at, start) in failed or not text.startswith(pieces[at], start):
            return False
        if at == len(pieces) - 1:
            return begin == len(text) or (not whole and text[begin].isspace())
        end = begin
        while 0 <= (end := text.find(pieces[at + 2], end + 1)) <= begin + LONGEST_GAP:
            found.append(text[begin:end])
            if follow(at + 2, end):
                return True
            found.pop()
        failed.add((at, start))
        return False

    if not follow(0, 0):
        return None
    gaps: dict[str, str] = {}
    for name, value in zip(pieces[1::2], found, strict=True):
        gaps.setdefault(name, value)
    return gaps


def _read(known: _Known, condition: str, asked: str, values: dict[str, Value], body: str) -> ReadPrompt:
    item, compiled, layout = known.item, known.compiled, Layout()
    if item.model.answer == "choice":
        layout, values = _layout(compiled, condition, values, body)
    values |= {option: option for option in compiled.options}
    for name, expression in compiled.compute.items():
        if name not in values and expression.names <= values.keys():
            values[name] = expression(values)
    found = BiasInstance(item, compiled, known.domain, values)
    found.layout, found.asked = layout, asked
    method = next((kind for kind, text in item.debias.items() if tidy(text.fill(values)) in body), None)
    return ReadPrompt(found, condition, method)


def _layout(
    compiled: CompiledScenario, condition: str, values: dict[str, Value], body: str
) -> tuple[Layout, dict[str, Value]]:
    """Which option stands where. Options that differ by their numbers alone are told apart by the text's numbers."""
    lines = [m for line in body.splitlines() if (m := _OPTION.fullmatch(line.strip()))]
    vary = compiled.vary[condition]
    pieces = {option: _pieces(text, vary=vary) for option, text in compiled.options.items()}
    found = []
    for order in permutations(pieces):
        merged, right = dict(values), len(lines) == len(order)
        for option, line in zip(order, lines, strict=False):
            gaps = _matched(pieces[option], line[2].strip(), whole=True)
            more = _values(gaps or {})
            right = right and gaps is not None and all(merged.get(k, v) == v for k, v in more.items())
            merged = more | merged
        if right:
            found.append((Layout(order, tuple(line[1] for line in lines)), merged))
    if len(found) != 1:
        raise InputError(f"{len(found)} ways to tell the options apart")
    return found[0]


def _values(gaps: Mapping[str, str]) -> dict[str, Value]:
    return {name: _value(text) for name, text in gaps.items()}


def _value(text: str) -> Value:
    """A printed value: a number without its commas, a percentage as a share, else the text."""
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text.rstrip("%").replace(",", ""))
    if text.endswith("%"):
        return round(number / 100, 8)
    return int(number) if number.is_integer() and "." not in text else number


@cache
def shipped_parser() -> PromptParser:
    from .bank import pools, shipped_item, shipped_items

    return PromptParser(CompiledItem(shipped_item(bias), pools()) for bias in shipped_items())
