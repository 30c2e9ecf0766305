"""What every item model must keep, tried on many draws. The shipped bank and a user's own files pass the same checks.

From a shell, for writers: ``python -m assay.instruments.bias.items.conformance FILE...``
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.errors import AssayError, InputError
from assay.vocabulary import Instance

from .instance import FORM, YES_NO, BiasInstance, CompiledItem, Condition, FieldError
from .model import CONDITIONS, DOMAINS, INTENSITIES, ItemModel
from .parsing import PromptParser

__all__ = ["broken_fields", "complaints", "readability"]

Path_ = tuple[str | int, ...]
DRAWS = 36  # instances of a scenario that are tried: whole blocks of two and of three options
READ = 6  # of them, those whose texts are read
READABILITY = (0.0, 14.0)  # years of school, by the automated readability index
LONGEST = 1800  # characters of a prompt
_WORD = re.compile(r"[A-Za-z0-9']+")
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
MEMORISED = re.compile(
    r"\bLinda\b|\bbank teller\b|\bAsian disease\b|\b1\.10\b|\btaxi ?cabs?\b|\bSteve\b.{0,40}\blibrarian\b",
    re.I | re.S,
)


def broken_fields(model: ItemModel, pools: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Path_, str]]:
    """What makes a file unusable, with its field: no run can begin with it."""
    try:
        item = CompiledItem(model, pools)
    except FieldError as error:
        yield error.at, error.message
        return
    for domain, scenarios in item.scenarios.items():
        for number, compiled in enumerate(scenarios):
            at: Path_ = ("domains", domain, number)
            scenario = compiled.scenario
            for name, texts in scenario.vary.items():
                if set(texts) != set(CONDITIONS):
                    yield (*at, "vary", name), f"needs just {', '.join(CONDITIONS)}"
                    return
            if model.answer == "choice" and not 2 <= len(scenario.options) <= 4:
                yield (*at, "options"), "a choice has two to four options"
                return
            if model.answer == "yes_no" and not (
                len(scenario.options) == 2 and set(scenario.questions) == set(scenario.options)
            ):
                yield (
                    (*at, "questions"),
                    "yes or no has two options, and under questions one question for each",
                )
                return
            if model.answer == "number" and (scenario.options or not scenario.question):
                yield (*at, "question"), "a number has a question and no options"
                return
            for draw in range(DRAWS):
                try:
                    found = drawn(item, domain, number, draw)
                    for test in compiled.always:
                        if test(found.values) is not True:
                            yield (*at, "always"), f"{test.text!r} is not true with {_shown(found)}"
                            return
                    for condition in _conditions(model) if draw == 0 else ():
                        found.prompt(condition)
                except InputError as error:
                    yield at, str(error)
                    return


def drawn(item: CompiledItem, domain: str, scenario: int, draw: int) -> BiasInstance:
    """The instance of one scenario with a seed that lets it have its turn."""
    known = next(name for name in DOMAINS if name == domain)
    seed = draw * len(item.scenarios[known]) + scenario
    return item.instance(Instance("bias", f"{item.model.bias}/{domain}", 0, seed), known)


def _shown(found: BiasInstance) -> str:
    return ", ".join(f"{k}={v}" for k, v in found.values.items() if k not in found.chosen.options)


def _conditions(model: ItemModel) -> Iterator[Condition]:
    yield Condition("control")
    for intensity in INTENSITIES:
        yield Condition("treatment", intensity)
        for method in model.debias:
            yield Condition("debias", intensity, method)


def readability(text: str) -> float:
    """The automated readability index: 4.71 characters a word + 0.5 words a sentence - 21.43."""
    words = _WORD.findall(text)
    sentences = len(_SENTENCE.findall(text)) or 1
    return 4.71 * sum(map(len, words)) / max(len(words), 1) + 0.5 * len(words) / sentences - 21.43


def complaints(model: ItemModel, pools: Mapping[str, tuple[str, ...]], *, least: int = 1) -> list[str]:
    """What an item of the bank must keep beyond being usable. ``least`` is the number of scenarios a domain."""
    broken = [f"{'.'.join(map(str, at))}: {message}" for at, message in broken_fields(model, pools)]
    if broken:
        return broken
    item, found = CompiledItem(model, pools), []
    if missing := [domain for domain in DOMAINS if len(item.scenarios.get(domain, ())) < least]:
        found.append(f"fewer than {least} scenarios in {', '.join(missing)}")
    names = Counter(c.scenario.scenario for some in item.scenarios.values() for c in some)
    found += [f"two scenarios are called {name}" for name, times in names.items() if times > 1]
    if len(model.debias) < 2 or not {"warning", "step_by_step"} <= set(model.debias):
        found.append("debias needs warning, step_by_step, and may have more")
    controls: dict[str, str] = {}
    for domain, scenarios in item.scenarios.items():
        for number, compiled in enumerate(scenarios):
            name = f"{domain}/{compiled.scenario.scenario}"
            instances = [drawn(item, domain, number, draw) for draw in range(DRAWS)]
            found += [f"{name}: {text}" for text in _of_scenario(model, instances)]
            controls[name] = instances[0].prompt(Condition("control"))
    found += _too_alike(controls)
    return list(dict.fromkeys(found))


def _of_scenario(model: ItemModel, instances: list[BiasInstance]) -> Iterator[str]:
    one = instances[0]
    if len({found.prompt(Condition("control")) for found in instances}) < 8:
        yield "fewer than 8 different controls in 36 draws"
    used = set().union(*(t.names for texts in one.chosen.vary.values() for t in texts.values()))
    used |= one.chosen.text.names | one.chosen.question.names | one.chosen.unit.names
    used |= set().union(
        *(t.names for t in (*one.chosen.options.values(), *one.chosen.questions.values())), set()
    )
    expressions = [*one.chosen.compute.values(), *one.chosen.always, one.chosen.normative, one.chosen.biased]
    used |= set().union(*(e.names for e in expressions))
    for name in (*one.chosen.scenario.draw, *one.chosen.scenario.compute, *one.chosen.scenario.vary):
        if name not in used:
            yield f"{name} is not used"
    for found in instances[:READ]:
        yield from _of_prompts(model, {c: found.prompt(c) for c in _conditions(model)})
    for found in instances:
        yield from _of_answers(found)
    yield from _of_parsing(instances[:READ])
    if one.answer == "choice":
        yield from _of_balance(instances)
    elif one.answer == "yes_no" and {i.answer_for(i.biased) for i in instances} != set(YES_NO):
        yield "yes is never, or always, the biased answer"


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
            if read is None or (read.scenario, read.condition) != (found.chosen.scenario.scenario, shown):
                what = "nothing" if read is None else f"{read.scenario}, {read.condition}"
                yield f"{shown}: the prompt is recognised as {what}; give the texts words of their own"
                return
            expected = (found.answer_for(found.normative), found.answer_for(found.biased))
            if (read.normative, read.biased) != expected:
                printed = f"{(read.normative, read.biased)}, not {expected}"
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
            if shared > 0.5:
                yield f"{one} and {two} share {shared:.0%} of their wording"


def _shingles(text: str) -> set[tuple[str, ...]]:
    """Three words in a row, without numbers and without the form of the answer."""
    words = [w.lower() for w in _WORD.findall(text.partition(FORM)[0]) if not w.isdigit()]
    return set(zip(words, words[1:], words[2:], strict=False))


def main(paths: list[str]) -> int:
    from .bank import pools, read_item, taxonomy

    failed = 0
    for path in paths:
        try:
            model = read_item(Path(path))
            entry = taxonomy().get(model.bias)
            found = complaints(model, pools(), least=3 if entry is not None and entry.core else 1)
        except AssayError as error:
            found = [str(error)]
        failed += bool(found)
        print(f"{path}: {'fine' if not found else ''}", *found, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
