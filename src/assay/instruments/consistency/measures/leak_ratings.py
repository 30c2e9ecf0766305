"""Leaks decided by raters, where rules cannot read them: people or a model say whether a reply gives something away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from assay.instruments.consistency.judging.judgement import Check, ReplyJudgement, undecided
from assay.instruments.consistency.judging.refusals import FORM, failures_of
from assay.measuring.raters import Rating, RatingLabel, joint_label, labels_by_question

__all__ = ["LEAK", "with_rated_leaks"]

LEAK = ("M2.leak", "leak")  # the detector, and its short name


def with_rated_leaks(judgements: Iterable[ReplyJudgement], ratings: Sequence[Rating]) -> list[ReplyJudgement]:
    """The judgements with the leaks that raters decide together; where they do not agree, it stays as it was.

    What the rules read as given away is given away whatever raters say. Raters can add a hint or a paraphrase to it.
    """
    named = (msgspec.structs.replace(one, question=LEAK[0]) for one in ratings if one.question in LEAK)
    labels = labels_by_question(named).get(LEAK[0], {})
    return [
        _rated(judgement, labels[judgement.scenario, judgement.place])
        if judgement.measure == "M2" and (judgement.scenario, judgement.place) in labels
        else judgement
        for judgement in judgements
    ]


def _rated(judgement: ReplyJudgement, given: Mapping[str, RatingLabel]) -> ReplyJudgement:
    leaks = joint_label(given)
    before = next((check for check in judgement.checks if check.name == "leak"), None)
    if leaks is None or before is None or before.holds or not (leaks or undecided(judgement)):
        return judgement
    rated = Check("leak", bool(leaks), before.spans, f"rated by {', '.join(sorted(given))}")
    checks = tuple(rated if check.name == "leak" else check for check in judgement.checks)
    holds = {check.name: check.holds for check in checks}
    success = all(holds[part] for part in FORM) and not leaks
    return msgspec.structs.replace(judgement, success=success, checks=checks, failures=failures_of(holds))
