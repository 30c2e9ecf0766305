"""Gold items: their labels are known, and they are rated among the others. A rater who misses many does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct, field

from assay.errors import InputError, UnknownName
from assay.measuring.measures import share_of_outcomes
from assay.stats import fraction
from assay.vocabulary import Flag, Measure

from .question import Question, RatingLabel
from .rating import RatedThing, Rating

__all__ = ["GoldItem", "GoldScores", "calibration_flag", "check_gold", "score_on_gold", "uncalibrated"]


class GoldItem(Struct, frozen=True):
    """An item whose label is known. ``parts`` are the texts that a model is shown; people know an item by its name."""

    item: str
    question: str
    label: RatingLabel
    place: int = 0
    parts: dict[str, str] = field(default_factory=dict)


class GoldScores(NamedTuple):
    """``ratings`` are those that count: of raters who reach the least share, without the gold items themselves."""

    ratings: list[Rating]
    measures: list[Measure]
    flags: list[Flag]


def check_gold(gold: Iterable[GoldItem], questions: Mapping[str, Question]) -> None:
    """Refuse gold items of other questions, with labels that their question does not have, or given twice."""
    for one in gold:
        if one.question not in questions:
            raise UnknownName("question", one.question, questions)
        question = questions[one.question]
        if one.label not in question.labels.values():
            raise InputError(f"gold item {one.item!r}: label {one.label!r} is none of {question.words}")
    _known(gold)


def score_on_gold(
    ratings: Sequence[Rating],
    gold: Iterable[GoldItem],
    least: Fraction | float,
    confidence: float = 0.95,
    *,
    unread: Iterable[RatedThing] = (),
    lost: Iterable[RatedThing] = (),
) -> GoldScores:
    """Every rater's agreement with the gold items of the questions it was asked, and the ratings that count.

    A gold item without a readable label is unknown in the measure and counts against the rater, so that one that
    leaves out what is hard does not pass. What was ``lost`` to infrastructure counts neither way. Without gold items
    every rating counts.
    """
    known = _known(gold)
    if not known:
        return GoldScores(list(ratings), [], [])
    given = {rating.thing: rating.label for rating in ratings}
    asked = sorted({(thing.rater, thing.question) for thing in (*given, *unread)})
    gone = set(lost)
    measures: list[Measure] = []
    shares: dict[str, Fraction | float | None] = {}
    for rater in dict.fromkeys(rater for rater, _ in asked):
        due = {
            thing: label
            for (item, place, question), label in known.items()
            if (rater, question) in asked and (thing := RatedThing(item, place, question, rater)) not in gone
        }
        right = sum(thing in given and given[thing] == label for thing, label in due.items())
        wrong = sum(thing in given for thing in due) - right
        unknown = len(due) - right - wrong
        measures.append(
            share_of_outcomes("gold_agreement", {"rater": rater}, right, wrong, unknown, confidence)
        )
        if due:
            shares[rater] = Fraction(right, len(due))
    too_low = uncalibrated([rater for rater, _ in asked], shares, least)
    flags = []
    if too_low:
        cause = f"ratings left out, too few gold items rated right: {', '.join(too_low.values())}"
        flags.append(Flag("Limited Comparability", cause))
    kept = [r for r in ratings if r.rater not in too_low and r.thing[:3] not in known]
    return GoldScores(kept, measures, flags)


def _known(gold: Iterable[GoldItem]) -> dict[tuple[str, int, str], RatingLabel]:
    known: dict[tuple[str, int, str], RatingLabel] = {}
    for one in gold:
        if (key := (one.item, one.place, one.question)) in known:
            raise InputError(f"gold item {one.item!r} is there twice for {one.question}")
        known[key] = one.label
    return known


def uncalibrated(
    raters: Iterable[str], agreement: Mapping[str, Fraction | float | None], least: Fraction | float
) -> dict[str, str]:
    """The raters who were not calibrated, or agreed too little with what was known, each with the reason.

    ``agreement`` has those who were calibrated; None where their agreement is not known.
    """
    found = {}
    for name in raters:
        if name not in agreement:
            found[name] = f"{name} (not calibrated)"
            continue
        share = agreement[name]
        if share is None or fraction(share) < fraction(least):
            shown = "not given" if share is None else f"{float(100 * share):g} %"
            found[name] = f"{name} (agreement {shown}, {float(100 * least):g} % needed)"
    return found


def calibration_flag(
    raters: Iterable[str],
    agreement: Mapping[str, Fraction | float | None],
    least: Fraction | float,
    section: str,
) -> Flag | None:
    """Limited Comparability where some rater was not calibrated; ``section`` is that of the rule."""
    wrong = uncalibrated(raters, agreement, least)
    if not wrong:
        return None
    return Flag(
        "Limited Comparability", f"raters without calibration ({section}): {', '.join(wrong.values())}"
    )
