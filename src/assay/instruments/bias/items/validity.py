"""What makes an item file usable, tried on many draws: no run begins with one that is not."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import InputError
from assay.vocabulary import Instance

from .instance import BiasInstance, CompiledItem, Field, ItemError, conditions_of
from .model import CONDITIONS, AnswerKind, BiasScenario, Domain, ItemModel

__all__ = ["DRAWS", "drawn", "usable_item"]

DRAWS = 36  # instances of a scenario that are tried: whole blocks of two and of three options


def usable_item(model: ItemModel, pools: Mapping[str, tuple[str, ...]]) -> CompiledItem:
    """The item, parsed and tried. Raises `ItemError` with the field that makes it unusable."""
    item = CompiledItem(model, pools)
    for domain, scenarios in item.scenarios.items():
        for number, compiled in enumerate(scenarios):
            at: Field = ("domains", domain, number)
            _check_shape(model.answer, compiled.scenario, at)
            for draw in range(DRAWS):
                try:
                    found = drawn(item, domain, number, draw)
                    untrue = [test.text for test in compiled.always if test(found.values) is not True]
                    for condition in conditions_of(model) if draw == 0 else ():
                        found.prompt(condition)
                except InputError as error:
                    raise ItemError(at, str(error)) from None
                if untrue:
                    raise ItemError((*at, "always"), f"{untrue[0]!r} is not true with {_shown(found)}")
    return item


def _check_shape(answer: AnswerKind, scenario: BiasScenario, at: Field) -> None:
    """The fields go with the kind of answer."""
    for name, texts in scenario.vary.items():
        if set(texts) != set(CONDITIONS):
            raise ItemError((*at, "vary", name), f"needs just {', '.join(CONDITIONS)}")
    options, wanted = scenario.options, "yes or no has two options, and under questions one question for each"
    if answer == "choice" and not 2 <= len(options) <= 4:
        raise ItemError((*at, "options"), "a choice has two to four options")
    if answer == "yes_no" and not (len(options) == 2 and set(scenario.questions) == set(options)):
        raise ItemError((*at, "questions"), wanted)
    if answer == "number" and (options or not scenario.question):
        raise ItemError((*at, "question"), "a number has a question and no options")


def drawn(item: CompiledItem, domain: Domain, scenario: int, draw: int) -> BiasInstance:
    """The instance of one scenario with a seed that lets it have its turn."""
    seed = draw * len(item.scenarios[domain]) + scenario
    return item.instance(Instance("bias", f"{item.model.bias}/{domain}", 0, seed), domain)


def _shown(found: BiasInstance) -> str:
    return ", ".join(f"{k}={v}" for k, v in found.values.items() if k not in found.chosen.options)
