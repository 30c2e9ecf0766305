"""One instance of an item: drawn from its seed, written out for every condition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from msgspec import Struct

from assay.errors import InputError
from assay.measuring.layouts import Layout, layout_of
from assay.streams import Stream
from assay.vocabulary import Instance

from .expressions import Expression, Value
from .model import (
    CONDITIONS,
    DOMAINS,
    INTENSITIES,
    KINDS,
    AnswerKind,
    BiasScenario,
    Debiasing,
    Domain,
    Draw,
    Intensity,
    ItemModel,
)
from .templates import Template, tidy, written

__all__ = [
    "FORM",
    "BiasInstance",
    "CompiledItem",
    "CompiledScenario",
    "Condition",
    "Field",
    "ItemError",
    "conditions_of",
    "turn_of",
]

T = TypeVar("T")
Field = tuple[str | int, ...]  # where something stands in an item
YES_NO = ("yes", "no")
FORM = "End your reply with"
FORMS: dict[AnswerKind, str] = {
    "choice": "X is the letter of your answer ({letters})",
    "number": "X is your answer, a plain number{unit}",
    "yes_no": "X is yes or no",
}
CONFIDENCE = "Y is how sure you are that this answer is right, from 0 to 100"
CORRECT_WITHIN = 0.1  # of the way from the normative number to the biased one


class Condition(Struct, frozen=True):
    """What one prompt shows: the control, the treatment at an intensity, or that with a debiasing text."""

    condition: Literal["control", "treatment", "debias"]
    intensity: Intensity | None = None
    method: Debiasing | None = None

    @property
    def factors(self) -> dict[str, str]:
        """What tells trials of one instance apart."""
        varied = {"intensity": self.intensity, "method": self.method}
        return {name: value for name, value in varied.items() if value is not None}


def conditions_of(
    model: ItemModel,
    intensities: Sequence[Intensity] = INTENSITIES,
    debiased: Sequence[Intensity] = INTENSITIES,
    methods: Sequence[Debiasing] = KINDS,
) -> Iterator[Condition]:
    """What an instance is asked in: at the ``debiased`` intensities with every debiasing text that the item has."""
    yield Condition("control")
    for intensity in intensities:
        yield Condition("treatment", intensity)
        for method in methods if intensity in debiased else ():
            if method in model.debias:
                yield Condition("debias", intensity, method)


def turn_of(instance: Instance, domain: Domain, scenarios: int) -> int:
    """The turn of an instance among those of its bias, which decides its layout.

    Scenarios take turns as well; each round of them is set off by as much as makes every one of them meet every layout.
    """
    turn = instance.seed + instance.repetition
    offset = next(a for a in range(6) if math.gcd(scenarios + a, 6) == 1)
    return turn + offset * (turn // scenarios) + DOMAINS.index(domain)


class CompiledScenario:
    """A scenario whose texts and expressions are parsed; ``at`` is its place in the item, for what is wrong with it."""

    def __init__(self, scenario: BiasScenario, at: Field) -> None:
        def made(make: Callable[[str], T], text: str, *field: str) -> T:
            return _made(make, text, (*at, *field))

        self.scenario = scenario
        self.text, self.question = (
            made(Template, scenario.text, "text"),
            made(Template, scenario.question, "question"),
        )
        self.questions = {k: made(Template, v, "questions", k) for k, v in scenario.questions.items()}
        self.options = {k: made(Template, v, "options", k) for k, v in scenario.options.items()}
        self.unit = made(Template, scenario.unit, "unit")
        self.vary = {
            condition: {
                name: made(Template, texts[condition], "vary", name, condition)
                for name, texts in scenario.vary.items()
                if condition in texts
            }
            for condition in CONDITIONS
        }
        computed = {k: made(Expression, v, "compute", k) for k, v in scenario.compute.items()}
        self.compute = _ordered(computed, (*at, "compute"))
        self.always = [made(Expression, text, "always") for text in scenario.always]
        self.normative = made(Expression, scenario.normative, "normative")
        self.biased = made(Expression, scenario.biased, "biased")

    def draw(self, stream: Stream, pools: Mapping[str, tuple[str, ...]]) -> dict[str, Value]:
        """Everything that is drawn and computed. Two draws from one pool differ.

        By name: a lock keeps no order of fields, and the same instance must come of it.
        """
        values: dict[str, Value] = {option: option for option in self.options}
        if self.scenario.cases:
            values.update(stream.choice(self.scenario.cases))
        used: dict[str, list[str]] = {}
        for name, draw in sorted(self.scenario.draw.items()):
            if draw.pool:
                if draw.pool not in pools:
                    raise InputError(f"there is no pool {draw.pool!r}; there are {', '.join(sorted(pools))}")
                taken = used.setdefault(draw.pool, [])
                taken.append(stream.choice([word for word in pools[draw.pool] if word not in taken]))
                values[name] = taken[-1]
            else:
                values[name] = _drawn(draw, stream)
        for name, expression in self.compute.items():
            values[name] = expression(values)
        return values


def _ordered(expressions: dict[str, Expression], at: Field) -> dict[str, Expression]:
    """Each after those it names."""
    found: dict[str, Expression] = {}
    left = dict(sorted(expressions.items()))
    while left:
        ready = {name: one for name, one in left.items() if not one.names & left.keys()}
        if not ready:
            raise ItemError(at, f"{', '.join(left)} depend on each other")
        found |= ready
        left = {name: one for name, one in left.items() if name not in ready}
    return found


class ItemError(InputError):
    """What is wrong with a text or an expression, and where it stands in the item."""

    def __init__(self, at: Field, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


def _made(make: Callable[[str], T], text: str, at: Field) -> T:
    try:
        return make(text)
    except InputError as error:
        raise ItemError(at, str(error)) from None


def _drawn(draw: Draw, stream: Stream) -> Value:
    if draw.pick:
        return stream.choice(draw.pick)
    if draw.low is None or draw.high is None or draw.step <= 0 or draw.high < draw.low:
        raise InputError("a draw has pick, pool, or from and to with a step above 0")
    steps = int((draw.high - draw.low) / draw.step + 1e-9)
    value = draw.low + stream.below(steps + 1) * draw.step
    return value if isinstance(value, int) else round(value, 6)


class CompiledItem:
    """An item model ready to be drawn from."""

    def __init__(self, model: ItemModel, pools: Mapping[str, tuple[str, ...]]) -> None:
        self.model, self.pools = model, pools
        known = [kind for kind in KINDS if kind in model.debias]
        self.debias = {kind: _made(Template, model.debias[kind], ("debias", kind)) for kind in known}
        self.scenarios = {
            domain: [CompiledScenario(one, ("domains", domain, number)) for number, one in enumerate(some)]
            for domain, some in model.domains.items()
        }

    def instance(self, instance: Instance, domain: Domain) -> BiasInstance:
        """Scenarios take turns, so that every one is met as often."""
        scenarios = self.scenarios[domain]
        chosen = scenarios[(instance.seed + instance.repetition) % len(scenarios)]
        stream = Stream("content", "item", instance.digest)  # that of a probe for the name ``item``
        found = BiasInstance(self, chosen, domain, chosen.draw(stream, self.pools))
        turn, first = turn_of(instance, domain, len(scenarios)), (str(found.biased), str(found.normative))
        if found.answer == "choice":  # by roles, not names: so roles are balanced
            others = sorted(option for option in chosen.options if option not in first)
            found.layout = layout_of((*first, *others), turn)
        elif found.answer == "yes_no":  # whether yes is the biased answer takes turns
            found.asked = first[turn % 2]
        return found


class BiasInstance:
    """An instance with its numbers: prompts of every condition, and what its answers are worth."""

    def __init__(
        self, item: CompiledItem, chosen: CompiledScenario, domain: Domain, values: dict[str, Value]
    ) -> None:
        self.item, self.chosen, self.domain, self.values = item, chosen, domain, values
        self.answer = item.model.answer
        self.layout, self.asked = Layout(), ""  # of a choice; the option that yes means
        self.normative, self.biased = both = chosen.normative(values), chosen.biased(values)
        if self.answer == "number":
            right, what = not any(isinstance(one, str) for one in both), "numbers"
        else:
            right, what = set(both) <= set(chosen.options), "options"
        if not right or self.normative == self.biased:
            raise InputError(f"normative and biased must give two different {what}")

    @property
    def labels(self) -> tuple[str, ...]:
        """What can be answered, in the order of the alphabet, not of the page; empty for a number."""
        return tuple(sorted(self.layout.letters)) if self.answer == "choice" else YES_NO if self.asked else ()

    def texts(self, condition: str) -> dict[str, str]:
        """What the condition puts into the gaps that vary."""
        return {name: text.fill(self.values) for name, text in self.chosen.vary[condition].items()}

    def prompt(self, condition: Condition, *, confidence: bool = True) -> str:
        shown = condition.intensity or "control"
        chosen, values = self.chosen, {**self.values, **self.texts(shown)}
        question = chosen.questions[self.asked] if self.asked else chosen.question
        parts = [chosen.text.fill(values), question.fill(values)]
        if self.layout.options:
            texts = [
                f"{self.layout.letter(o)}) {chosen.options[o].fill(values)}" for o in self.layout.options
            ]
            parts.append("\n".join(texts))
        if condition.method is not None:
            parts.append(self.item.debias[condition.method].fill(values))
        parts.append(self._form(values, confidence))
        return tidy("\n\n".join(parts))

    def _form(self, values: Mapping[str, Value], confidence: bool) -> str:
        unit = self.chosen.unit.fill(values)
        letters = ", ".join(self.labels[:-1]) + f" or {self.labels[-1]}" if self.labels else ""
        where = FORMS[self.answer].format(letters=letters, unit=f" (in {unit})" if unit else "")
        if not confidence:
            return f"{FORM} this line, where {where}:\nAnswer: X"
        return f"{FORM} these two lines, where {where}, and {CONFIDENCE}:\nAnswer: X\nConfidence: Y"

    def option_of(self, answer: str) -> str:
        """The option that a letter, or yes or no, stands for."""
        if self.answer == "choice":
            return self.layout.option(answer)
        other = str(self.biased) if self.asked == self.normative else str(self.normative)
        return self.asked if answer == "yes" else other

    def raw_score(self, answer: str | float) -> float:
        """How far the answer goes from the normative one (0) to the biased one (1); a number may lie beyond."""
        if isinstance(answer, str):
            return 1.0 if self.option_of(answer) == self.biased else 0.0
        normative, biased = float(self.normative), float(self.biased)
        return (answer - normative) / (biased - normative)

    def is_correct(self, answer: str | float) -> bool:
        if isinstance(answer, str):
            return bool(self.option_of(answer) == self.normative)
        return abs(self.raw_score(answer)) <= CORRECT_WITHIN

    def answer_for(self, option: Value) -> str:
        """What a subject writes that means this option or number."""
        if self.answer == "choice":
            return self.layout.letter(str(option))
        if self.answer == "yes_no":
            return "yes" if option == self.asked else "no"
        return written(option)

    @property
    def answers(self) -> tuple[str, str]:
        """The normative and the biased answer, as a subject writes them."""
        return self.answer_for(self.normative), self.answer_for(self.biased)

    def described(self) -> dict[str, Any]:
        """Everything, as ``assay show`` prints it."""
        prompt, kinds = self.prompt, self.item.debias
        return {
            "messages": [{"role": "user", "content": prompt(Condition("control"))}],
            "criterion": f"0 for the normative answer, 1 for the biased one: {self.item.model.why}",
            "bias": self.item.model.bias,
            "domain": self.domain,
            "scenario": self.chosen.scenario.scenario,
            "answer": self.answer,
            "drawn": {k: v for k, v in self.values.items() if k not in self.chosen.options},
            "control": prompt(Condition("control")),
            "treatment": {i: prompt(Condition("treatment", i)) for i in INTENSITIES},
            "debias": {
                kind: {i: prompt(Condition("debias", i, kind)) for i in INTENSITIES} for kind in kinds
            },
            "options": self._options(),
            "normative": {"option": self.normative, "answer": self.answers[0]},
            "biased": {"option": self.biased, "answer": self.answers[1]},
            "paradigm": self.item.model.paradigm,
            "manipulated": self.item.model.manipulated,
        }

    def _options(self) -> list[dict[str, Any]]:
        if self.answer == "number":
            return []
        shown = self.layout.options or tuple(self.chosen.options)
        return [
            {
                "option": option,
                "answer": self.answer_for(option),
                "position": at + 1 if self.layout.options else None,
                "text": self.chosen.options[option].fill({**self.values, **self.texts("control")}),
                "role": {self.normative: "normative", self.biased: "biased"}.get(option, "other"),
            }
            for at, option in enumerate(shown)
        ]
