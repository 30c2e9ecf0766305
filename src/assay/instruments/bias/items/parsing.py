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
from .instance import CompiledItem, CompiledScenario
from .layout import Layout
from .model import CONDITIONS, Domain
from .templates import Template, tidy

__all__ = ["ParsedPrompt", "PromptParser", "shipped_parser"]

FORM = "End your reply with"
BLANKS = r"\s*"
_BLANK = re.compile(r"\s+")
_OPTION = re.compile(r"([A-F])\) (.+)")
_NUMBER = re.compile(r"-?[\d,]*\.?\d+%?")


class ParsedPrompt(Struct, frozen=True):
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
        self._patterns: dict[tuple[int, str], re.Pattern[str]] = {}

    def parse(self, prompt: str) -> ParsedPrompt | None:
        """None where the prompt is of none of the items."""
        body = tidy(prompt).rpartition(FORM)[0]
        flat = _BLANK.sub(" ", body)
        for item, domain, compiled, key in self._known:
            if key in flat:
                matches = {c: m for c in CONDITIONS if (m := self._pattern(compiled, c).match(flat))}
                if matches:
                    # one text may begin like another: the gaps of the right one hold the least
                    condition = min(matches, key=lambda c: sum(map(len, matches[c].groupdict("").values())))
                    return _parsed(item, domain, compiled, condition, matches[condition], body)
        return None

    def _pattern(self, compiled: CompiledScenario, condition: str) -> re.Pattern[str]:
        key = (id(compiled), condition)
        if key not in self._patterns:
            seen: dict[str, int] = {}
            text = _expression(compiled.text, compiled.vary[condition], seen)
            if compiled.questions:
                asked = "|".join(
                    f"(?P<asked__{option}>{_expression(question, compiled.vary[condition], seen)})"
                    for option, question in compiled.questions.items()
                )
                rest = f"(?:{asked})"
            else:
                rest = _expression(compiled.question, compiled.vary[condition], seen)
            self._patterns[key] = re.compile(rf"\s*{text}\s*{rest}(?=\s|$)")
        return self._patterns[key]


def _longest(parts: Iterable[str]) -> str:
    return max((_BLANK.sub(" ", part).strip(" .,;:?!") for part in parts), key=len)


def _expression(template: Template, slots: Mapping[str, Template], seen: dict[str, int]) -> str:
    """A regular expression of a template; blanks are any, gaps are named groups, numbered where they come again."""
    found = []
    for plain, name in template.pieces():
        words = [re.escape(word) for word in plain.split()]
        before = BLANKS if plain[:1].isspace() else ""
        after = BLANKS if words and plain[-1:].isspace() else ""
        found.append(before + r"\s+".join(words) + after)
        if name in slots:
            found.append(_expression(slots[name], {}, seen))
        elif name:
            seen[name] = seen.get(name, 0) + 1
            found.append(f"(?P<{name}__{seen[name]}>.+?)")
    return "".join(found)


def _parsed(
    item: CompiledItem,
    domain: Domain,
    compiled: CompiledScenario,
    condition: str,
    found: re.Match[str],
    body: str,
) -> ParsedPrompt:
    asked = next((g[7:] for g, text in found.groupdict().items() if g.startswith("asked__") and text), "")
    values = _printed(found)
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
    return ParsedPrompt(
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


def _printed(found: re.Match[str]) -> dict[str, Value]:
    """What stands in the gaps, by name."""
    values: dict[str, Value] = {}
    for group, text in found.groupdict().items():
        if text is not None and not group.startswith("asked__"):
            values.setdefault(group.rpartition("__")[0], _value(text))
    return values


def _layout(
    compiled: CompiledScenario, condition: str, values: dict[str, Value], body: str
) -> tuple[Layout, dict[str, Value]]:
    """Which option stands where. Options that differ by their numbers alone are told apart by the text's numbers."""
    lines = [m for line in body.splitlines() if (m := _OPTION.fullmatch(line.strip()))]
    slots = compiled.vary[condition]
    patterns = {o: re.compile(_expression(t, slots, {})) for o, t in compiled.options.items()}
    found = []
    for order in permutations(patterns):
        merged: dict[str, Value] | None = dict(values)
        for option, line in zip(order, lines, strict=False):
            match = patterns[option].fullmatch(line[2].strip())
            merged = None if match is None or merged is None else _merged(merged, _printed(match))
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
