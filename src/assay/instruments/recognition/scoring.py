"""From answered lineups to measures and verdicts: the same for a run and for rows that a user has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from assay.measuring.building import Ends, MeasureBuilder
from assay.vocabulary import Measure, Verdict

from .lineups import PHASES, LineupAnswers, lineup_answers
from .measures.accuracy import accuracy_measures, phase_measures
from .measures.advantage import JudgePanel, advantage_measures, panel_of
from .measures.confidence import confidence_measures
from .measures.preference import order_measure, position_verdicts, preference_measures
from .measures.reasoning import reasoning_measures
from .predictions import SubjectAnswers, prediction_verdicts
from .row_options import RecognitionRowOptions

__all__ = ["RecognitionScores", "score_lineups"]

NOTE = (
    "accuracy alone is no self-recognition: self_advantage is beyond what other judges see in the same texts"
)


class RecognitionScores(NamedTuple):
    measures: tuple[Measure, ...]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]


def score_lineups(table: pl.DataFrame, options: RecognitionRowOptions) -> RecognitionScores:
    """Score a table of answered lineups (``lineups.SCHEMA``)."""
    answers, confidence = lineup_answers(table), options.confidence if options.intervals else None
    measures: list[Measure] = []
    positions: list[Verdict] = []
    subjects: list[SubjectAnswers] = []
    for (subject, target), own in answers.items():
        if subject != target:
            continue
        say = MeasureBuilder({"subject": subject}, confidence)
        judges = {judge: some for (judge, whose), some in answers.items() if whose == subject != judge}
        places = {phase: own.where(own.phase == place) for place, phase in enumerate(PHASES)}
        phases = {phase: one for phase, one in places.items() if one.asked}
        panels = {phase: panel_of(one, judges) for phase, one in phases.items()}
        for phase, one in phases.items():
            measures += phase_measures(one, say, phase)
        measures += phase_measures(own, say, "")
        measures += _measures(own, panel_of(own, judges), options.scale, say, {})
        for phase, one in phases.items() if len(phases) > 1 else ():
            measures += _measures(one, panels[phase], options.scale, say, {"phase": phase})
        positions += position_verdicts(own, say) if confidence else ()
        subjects.append(SubjectAnswers(subject, phases, panels.get("self", JudgePanel(own, {}))))
    found = [*prediction_verdicts(subjects, MeasureBuilder({}, confidence)), *positions] if confidence else []
    only = sorted({judge for judge, _ in answers} - {one.subject for one in subjects})
    notes = [NOTE, *([f"judges of others only: {', '.join(only)}"] if only else [])]
    return RecognitionScores(tuple(measures), tuple(found), tuple(notes))


def _measures(
    answers: LineupAnswers, panel: JudgePanel, scale: Ends, say: MeasureBuilder, at: dict[str, str]
) -> Iterator[Measure]:
    """Of all phases together, or of one where there are several."""
    yield from accuracy_measures(answers, say, at)
    yield from advantage_measures(panel, say, at)
    yield from preference_measures(answers, say, at)
    yield order_measure(answers, say, at)
    yield from confidence_measures(answers, scale, say, at)
    yield from reasoning_measures(answers, say, at)
