"""An item model: one bias, with matched control and treatment in five domains, as its file declares it.

What control and treatment share is written once. What the manipulation changes is under ``vary``, with one text for the
control and one for each intensity, so that nothing else can differ.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

__all__ = [
    "CONDITIONS",
    "DOMAINS",
    "INTENSITIES",
    "KINDS",
    "AnswerKind",
    "BiasScenario",
    "Debiasing",
    "Domain",
    "Draw",
    "Intensity",
    "ItemModel",
]

Domain = Literal["individual", "professional", "social", "temporal", "risk"]
Intensity = Literal["weak", "moderate", "strong", "adversarial"]
Debiasing = Literal["warning", "step_by_step", "consider_opposite", "pre_mortem", "reference_class"]
AnswerKind = Literal["choice", "number", "yes_no"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
INTENSITIES: tuple[Intensity, ...] = get_args(Intensity)
KINDS: tuple[Debiasing, ...] = get_args(Debiasing)
CONDITIONS = ("control", *INTENSITIES)

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Sentence = Annotated[str, Meta(min_length=3, max_length=4000)]
Text = Annotated[str, Meta(max_length=4000)]
Scalar = int | float | str


class Draw(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"low": "from", "high": "to"}
):
    """One of ``pick``, one of the shared ``pool`` of words, or a number ``from`` … ``to`` in steps."""

    pick: tuple[Scalar, ...] = ()
    pool: str = ""
    low: int | float | None = None
    high: int | float | None = None
    step: int | float = 1


class BiasScenario(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A situation. With yes or no, ``questions`` has a question for each of the two options, to which yes means it."""

    scenario: Name
    text: Sentence
    vary: Annotated[dict[Name, dict[str, Text]], Meta(min_length=1)]
    normative: str  # an expression: an option or a number
    biased: str
    question: Text = ""
    questions: dict[Name, Sentence] = {}
    options: dict[Name, Sentence] = {}
    draw: dict[Name, Draw] = {}
    cases: tuple[dict[Name, Scalar], ...] = ()  # values that belong together, one of which is drawn
    compute: dict[Name, str] = {}
    always: tuple[str, ...] = ()  # what must be true of every draw
    unit: str = ""  # of a number
    decimals: Annotated[int, Meta(ge=0, le=4)] = 0


class ItemModel(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``why`` is what makes the normative answer right; ``unscored`` is why no text can show this bias."""

    bias: Name
    paradigm: Sentence
    manipulated: Sentence
    why: Sentence
    answer: AnswerKind
    debias: Annotated[dict[Debiasing, Sentence], Meta(min_length=1)]
    domains: Annotated[
        dict[Domain, Annotated[tuple[BiasScenario, ...], Meta(min_length=1)]], Meta(min_length=1)
    ]
    unscored: str = ""
    limits: str = ""  # what a reader should know of this item's validity
