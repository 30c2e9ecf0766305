"""What makes an item file usable, tried on many draws: no run begins with one that is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.errors import InputError
from assay.vocabulary import Instance

from .instance import BiasInstance, CompiledItem, Condition, ItemFieldError
from .model import CONDITIONS, DOMAINS, INTENSITIES, ItemModel

__all__ = ["DRAWS", "broken_fields", "conditions_of", "drawn"]

Path_ = tuple[str | int, ...]
DRAWS = 36  # instances of a scenario that are tried: whole blocks of two and of three options


def broken_fields(model: ItemModel, pools: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Path_, str]]:
    """What makes a file unusable, with its field: no run can begin with it."""
    try:
        item = CompiledItem(model, pools)
    except ItemFieldError as error:
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
                    for condition in conditions_of(model) if draw == 0 else ():
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


def conditions_of(model: ItemModel) -> Iterator[Condition]:
    yield Condition("control")
    for intensity in INTENSITIES:
        yield Condition("treatment", intensity)
        for method in model.debias:
            yield Condition("debias", intensity, method)
