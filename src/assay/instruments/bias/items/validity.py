"""What makes an item file usable, tried on many draws: no run begins with one that is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.errors import InputError
from assay.vocabulary import Instance

from .instance import BiasInstance, CompiledItem, Field, ItemError, conditions_of
from .model import CONDITIONS, AnswerKind, BiasScenario, Domain, ItemModel

__all__ = ["DRAWS", "broken_fields", "drawn"]

DRAWS = 36  # instances of a scenario that are tried: whole blocks of two and of three options


def broken_fields(model: ItemModel, pools: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Field, str]]:
    """What makes a file unusable, with its field: no run can begin with it."""
    try:
        item = CompiledItem(model, pools)
    except ItemError as error:
        yield error.at, error.message
        return
    for domain, scenarios in item.scenarios.items():
        for number, compiled in enumerate(scenarios):
            at: Field = ("domains", domain, number)
            if wrong := _misshapen(model.answer, compiled.scenario):
                yield (*at, *wrong[0]), wrong[1]
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


def _misshapen(answer: AnswerKind, scenario: BiasScenario) -> tuple[Field, str] | None:
    """A field that does not go with the kind of answer, and what would."""
    for name, texts in scenario.vary.items():
        if set(texts) != set(CONDITIONS):
            return ("vary", name), f"needs just {', '.join(CONDITIONS)}"
    options = scenario.options
    if answer == "choice" and not 2 <= len(options) <= 4:
        return ("options",), "a choice has two to four options"
    if answer == "yes_no" and not (len(options) == 2 and set(scenario.questions) == set(options)):
        return ("questions",), "yes or no has two options, and under questions one question for each"
    if answer == "number" and (options or not scenario.question):
        return ("question",), "a number has a question and no options"
    return None


def drawn(item: CompiledItem, domain: Domain, scenario: int, draw: int) -> BiasInstance:
    """The instance of one scenario with a seed that lets it have its turn."""
    seed = draw * len(item.scenarios[domain]) + scenario
    return item.instance(Instance("bias", f"{item.model.bias}/{domain}", 0, seed), domain)


def _shown(found: BiasInstance) -> str:
    return ", ".join(f"{k}={v}" for k, v in found.values.items() if k not in found.chosen.options)
