"""``check_item``: what an item model of bias must keep, tried on many draws. The shipped ones pass it as well."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.errors import ContractBroken, InputError
from assay.instruments.bias.items.bank import pools, read_item
from assay.instruments.bias.items.instance import (
    FORM,
    YES_NO,
    BiasInstance,
    CompiledScenario,
    Condition,
    ItemError,
    conditions_of,
)
from assay.instruments.bias.items.model import DOMAINS, INTENSITIES, ItemModel
from assay.instruments.bias.items.parsing import PromptParser
from assay.instruments.bias.items.validity import DRAWS, drawn, usable_item

from .conformance import Conformance

__all__ = ["check_item", "readability"]

RULES = ("scenarios", "wording", "answers follow from what is printed", "balance", "debiasing")
READ = 6  # of the draws, those whose texts are read
READABILITY = (0.0, 14.0)  # years of school, by the automated readability index
LONGEST = 1800  # characters of a prompt
ALIKE = 0.5  # two scenarios share at most this share of their three-word sequences
DIFFERENT = 8  # controls, of the draws
_WORD = re.compile(r"[A-Za-z0-9']+")
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
MEMORISED = re.compile(
    r"\bLinda\b|\bbank teller\b|\bAsian disease\b|\b1\.10\b|\btaxi ?cabs?\b|\bSteve\b.{0,40}\blibrarian\b",
    re.I | re.S,
)


def check_item(item: ItemModel | Path | str, *, least: int = 1) -> Conformance:
    """Raise ``ContractBroken`` with all that is wrong. ``least`` is the number of scenarios a domain."""
    model = item if isinstance(item, ItemModel) else read_item(Path(item))
    if found := list(dict.fromkeys(_complaints(model, least))):
        raise ContractBroken(f"the item {model.bias}", found)
    return Conformance(f"the item {model.bias}", RULES)


def readability(text: str) -> float:
    """The automated readability index: 4.71 characters a word + 0.5 words a sentence - 21.43."""
    words = _WORD.findall(text)
    sentences = len(_SENTENCE.findall(text)) or 1
    return 4.71 * sum(map(len, words)) / max(len(words), 1) + 0.5 * len(words) / sentences - 21.43


def _complaints(model: ItemModel, least: int) -> Iterator[tuple[str, str]]:
    try:
        item = usable_item(model, pools())
    except ItemError as error:
        yield "usable", f"{'.'.join(map(str, error.at))}: {error.message}"
        return
    if missing := [domain for domain in DOMAINS if len(item.scenarios.get(domain, ())) < least]:
        yield "scenarios", f"fewer than {least} in {', '.join(missing)}"
    names = Counter(c.scenario.scenario for some in item.scenarios.values() for c in some)
    yield from (("scenarios", f"two are called {name}") for name, times in names.items() if times > 1)
    if not {"warning", "step_by_step"} <= set(model.debias):
        yield "debiasing", "needs warning and step_by_step, and may have more"
    controls: dict[str, str] = {}
    for domain, scenarios in item.scenarios.items():
        for number, compiled in enumerate(scenarios):
            name = f"{domain}/{compiled.scenario.scenario}"
            instances = [drawn(item, domain, number, draw) for draw in range(DRAWS)]
            yield from ((rule, f"{name}: {text}") for rule, text in _of_scenario(model, instances))
            controls[name] = instances[0].prompt(Condition("control"))
    yield from (("scenarios", text) for text in _too_alike(controls))


def _of_scenario(model: ItemModel, instances: list[BiasInstance]) -> Iterator[tuple[str, str]]:
    one = instances[0]
    if len({found.prompt(Condition("control")) for found in instances}) < DIFFERENT:
        yield "wording", f"fewer than {DIFFERENT} different controls in {DRAWS} draws"
    yield from (("wording", f"{name} is not used") for name in _unused(one.chosen))
    for found in instances[:READ]:
        prompts = {c: found.prompt(c) for c in conditions_of(model)}
        yield from (("wording", text) for text in _of_prompts(model, prompts))
    for found in instances:
        yield from (("answers follow from what is printed", text) for text in _of_answers(found))
    yield from (("answers follow from what is printed", text) for text in _of_parsing(instances[:READ]))
    if one.answer == "choice":
        yield from (("balance", text) for text in _of_balance(instances))
    elif one.answer == "yes_no" and {i.answer_for(i.biased) for i in instances} != set(YES_NO):
        yield "balance", "yes is never, or always, the biased answer"


def _unused(compiled: CompiledScenario) -> list[str]:
    """What is drawn, computed or varied, and stands nowhere."""
    texts = [compiled.text, compiled.question, compiled.unit, *compiled.options.values()]
    texts += [
        *compiled.questions.values(),
        *(text for slots in compiled.vary.values() for text in slots.values()),
    ]
    expressions = [*compiled.compute.values(), *compiled.always, compiled.normative, compiled.biased]
    used = set[str]().union(*(text.names for text in texts), *(one.names for one in expressions))
    there = (*compiled.scenario.draw, *compiled.scenario.compute, *compiled.scenario.vary)
    return [name for name in there if name not in used]


def _of_prompts(model: ItemModel, prompts: Mapping[Condition, str]) -> Iterator[str]:
    if len(set(prompts.values())) < len(prompts):
        yield "two conditions have the same prompt"
    words = model.bias.replace("_", " ")
    for condition, text in prompts.items():
        which = "/".join(
            str(part) for part in (condition.condition, condition.intensity, condition.method) if part
        )
        if re.search(
            rf"\b{re.escape(words)}\b|\b(?:cognitive )?bias(?:es|ed)?\b|\bfallac(?:y|ies)\b", text, re.I
        ):
            yield f"{which}: names the bias"
        if "{" in text or "}" in text or re.search(r"\bnan\b", text):
            yield f"{which}: an unfilled gap"
        if found := MEMORISED.search(text):
            yield f"{which}: {found[0]!r} is from the textbook"
        if len(text) > LONGEST:
            yield f"{which}: {len(text)} characters, at most {LONGEST}"
        low, high = READABILITY
        if not low <= (index := readability(text)) <= high:
            yield f"{which}: readability {index:.1f}, not between {low:g} and {high:g}"


def _of_answers(found: BiasInstance) -> Iterator[str]:
    for option, score, right in ((found.normative, 0.0, True), (found.biased, 1.0, False)):
        written = found.answer_for(option)
        answer = float(written) if found.answer == "number" else written
        if abs(found.raw_score(answer) - score) > 1e-9 or found.is_correct(answer) is not right:
            yield f"the answer {written} does not score {score:g}"
    if found.answer == "number":
        for value in (found.normative, found.biased):
            if abs(float(value) - round(float(value), found.chosen.scenario.decimals)) > 1e-9:
                yield f"{value} has more than {found.chosen.scenario.decimals} decimals (round it, or set decimals)"


def _of_parsing(instances: list[BiasInstance]) -> Iterator[str]:
    """What the answers depend on is printed: whoever reads the prompt alone comes to the same ones."""
    parser = PromptParser([instances[0].item])
    for found in instances:
        for condition in (Condition("control"), *(Condition("treatment", i) for i in INTENSITIES)):
            shown = condition.intensity or "control"
            try:
                read = parser.parse(found.prompt(condition))
            except InputError as error:
                yield f"{shown}: an answer does not follow from what is printed: {error}"
                return
            if read is None or (read.instance.chosen, read.condition) != (found.chosen, shown):
                what = "nothing"
                if read is not None:
                    what = f"{read.instance.chosen.scenario.scenario}, {read.condition}"
                yield f"{shown}: the prompt is recognised as {what}; give the texts words of their own"
                return
            if read.instance.answers != found.answers:
                printed = f"{read.instance.answers}, not {found.answers}"
                yield f"{shown}: what is printed gives the answers {printed}; print more digits"
                return


def _of_balance(instances: list[BiasInstance]) -> Iterator[str]:
    k = len(instances[0].layout.options)
    block = instances[: len(instances) // (k * k) * k * k]
    for role in ("biased", "normative"):
        places = Counter(
            (i.layout.options.index(str(getattr(i, role))), i.layout.letter(str(getattr(i, role))))
            for i in block
        )
        if len(set(places.values())) != 1 or len(places) != k * k:
            yield f"the {role} option is not balanced over places and letters"


def _too_alike(texts: Mapping[str, str]) -> Iterator[str]:
    shingles = {name: _shingles(text) for name, text in texts.items()}
    names = list(shingles)
    for at, one in enumerate(names):
        for two in names[at + 1 :]:
            shared = len(shingles[one] & shingles[two]) / max(1, min(len(shingles[one]), len(shingles[two])))
            if shared > ALIKE:
                yield f"{one} and {two} share {shared:.0%} of their wording"


def _shingles(text: str) -> set[tuple[str, ...]]:
    """Three words in a row, without numbers and without the form of the answer."""
    words = [w.lower() for w in _WORD.findall(text.partition(FORM)[0]) if not w.isdigit()]
    return set(zip(words, words[1:], words[2:], strict=False))
