"""The rules beside other raters: how far they agree on each detector, and which measures that contests.

A detector is ``MEASURE.CHECK`` (``M2.proximity``), the check's name alone where one measure has it, or the measure's
name for its success as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from assay.errors import InputError, UnknownName
from assay.instruments.consistency.judging.judgement import ReplyJudgement, undecided
from assay.measuring.raters import RatedThing, Rating, agreement_measures, contested_flag, labels_by_question
from assay.vocabulary import Flag, Measure

from .shares import ConsistencySettings

__all__ = ["RULES", "agreement_of"]

RULES = "rules"  # the rater that the rules are
# What counts in which other measures; M5 rests on its components.
RESTS = {"M2": ("F", "M2_form", "M5"), "M3": ("R", "M5"), "O": ("M5",), "P": ("M5",), "L": ("M5",)}


def agreement_of(
    outcomes: Iterable[ReplyJudgement],
    ratings: Sequence[Rating],
    settings: ConsistencySettings,
    unread: Sequence[RatedThing] = (),
) -> tuple[list[Measure], dict[str, list[Flag]]]:
    """How far rules and raters agree, by detector, and the flags of measures that rest on a contested one.

    ``unread`` are the answers of raters that were no labels: bounds of the agreement.
    """
    measures: list[Measure] = []
    flags: dict[str, list[Flag]] = {}
    unknown_answers = [Rating(*one[:3], False, one.rater) for one in unread]
    found, unlabelled = _beside_rules(outcomes, ratings, unknown_answers)
    unknown = Counter((one.question, one.item, one.place) for one in unlabelled)
    for detector, rated in sorted(labels_by_question(found).items()):
        rows = [labels for _, labels in sorted(rated.items())]
        measures += agreement_measures(
            rows,
            {"detector": detector},
            key=f"ratings/{detector}",
            confidence=settings.confidence,
            first=(RULES,),
            things="replies",
            unread=[unknown[detector, *at] for at in sorted(rated)],
        )
        what = f"rules and raters disagree on {detector}"
        if flag := contested_flag(rows, settings.contested, what, things="replies"):
            measure, _, check = detector.partition(".")
            for name in (measure, *RESTS.get(measure, ()), *([check] if check else ())):
                if (name, check) == ("M2_form", "leak"):  # which has no part in it
                    continue
                flags.setdefault(name, []).append(flag)
    return measures, flags


def _beside_rules(
    outcomes: Iterable[ReplyJudgement], ratings: Sequence[Rating], unread: Sequence[Rating]
) -> tuple[list[Rating], list[Rating]]:
    """The ratings under the full names of their detectors, after the rules' own of the same replies; and the unread."""
    by_rule, open_ = _rule_labels(outcomes)
    names = _full_names({*by_rule, *(detector for detector, *_ in open_)})
    found: dict[tuple[str, str, int], Rating] = {}
    given: tuple[list[Rating], list[Rating]] = [], []
    for rating, kept in (*((one, given[0]) for one in ratings), *((one, given[1]) for one in unread)):
        if rating.question not in names:
            raise UnknownName("detector", rating.question, names)
        detector, at = names[rating.question], (rating.item, rating.place)
        where = f"in turn {rating.place} of {rating.item!r}"
        if (detector, *at) in open_:  # the rules say nothing of it, so there is nothing to compare
            continue
        if at not in by_rule.get(detector, {}):
            raise InputError(f"{detector} was not judged {where}, which {rating.rater} rated")
        rules = by_rule[detector][at]
        if len(rules) > 1:
            raise InputError(
                f"{detector} was judged {len(rules)} times {where}, so a rating of the turn cannot be compared with "
                "it; leave it out"
            )
        found[detector, *at] = Rating(*at, detector, rules[0], RULES)
        kept.append(msgspec.structs.replace(rating, question=detector))
    return [*found.values(), *given[0]], given[1]


def _rule_labels(
    outcomes: Iterable[ReplyJudgement],
) -> tuple[dict[str, dict[tuple[str, int], list[bool]]], set[tuple[str, str, int]]]:
    """The rules' labels by detector, and what the rules leave open: whether a refusal leaks, and so succeeds.

    Several labels at one turn are several artifacts or promises of a reply.
    """
    found: dict[str, dict[tuple[str, int], list[bool]]] = {}
    open_: set[tuple[str, str, int]] = set()
    for outcome in outcomes:
        at = (outcome.scenario, outcome.place)
        labels = {outcome.measure: outcome.success}
        labels |= {f"{outcome.measure}.{check.name}": check.holds for check in outcome.checks}
        for detector, holds in labels.items():
            if undecided(outcome) and detector in (outcome.measure, f"{outcome.measure}.leak"):
                open_.add((detector, *at))
            else:
                found.setdefault(detector, {}).setdefault(at, []).append(holds)
    return found, open_


def _full_names(detectors: Iterable[str]) -> dict[str, str]:
    """Names in full, and checks that one measure alone has by their own names."""
    full = sorted(detectors)
    short: dict[str, list[str]] = {}
    for name in full:
        if "." in name:
            short.setdefault(name.partition(".")[2], []).append(name)
    return {**{check: which[0] for check, which in short.items() if len(which) == 1}, **{n: n for n in full}}
