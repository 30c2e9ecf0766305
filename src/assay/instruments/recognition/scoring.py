"""From answered lineups to measures and verdicts: the same for a run and for rows that a user has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from assay.measuring.building import Ends, MeasureBuilder
from assay.measuring.lineups import (
    JudgedAnswers,
    JudgePanel,
    LineupAnswers,
    best_text_measures,
    judged_subjects,
    lineup_answers,
    lineup_measures,
    panel_of,
    phase_measures,
    position_verdicts,
    read_lineups,
)
from assay.measuring.rows import RowData
from assay.vocabulary import Measure, Verdict

from .measures.reasoning import reasoning_measures
from .predictions import SubjectAnswers, chance_verdicts, prediction_verdicts
from .row_options import INVERSE, PHASES, RecognitionRowOptions

__all__ = ["RecognitionScores", "score_lineups", "score_rows", "score_subjects"]

NOTE = (
    "accuracy alone is no self-recognition: self_advantage is beyond what other judges see in the same texts"
)
NOT_SCORED = (
    "answers are not scored: a condition counts in phase self alone, and which text is best only there, without a "
    "condition, and by the subject itself"
)

REPEATED = (
    "rows that say the same as an earlier one in every field: {}. They count as repetitions of the answer; if they are "
    "one answer that is there twice, take it out"
)


class RecognitionScores(NamedTuple):
    measures: tuple[Measure, ...]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]


def score_rows(data: RowData, options: RecognitionRowOptions) -> tuple[RecognitionScores, pl.DataFrame]:
    """The scores of rows that a user has, and the answers they were made of."""
    table = read_lineups(data, options.scale, PHASES, of_sources=[INVERSE])
    scores, given = score_lineups(table, options), table.filter(trial="")
    again = given.height - given.n_unique()
    return scores._replace(notes=(*scores.notes, *([REPEATED.format(again)] if again else []))), table


def score_lineups(table: pl.DataFrame, options: RecognitionRowOptions) -> RecognitionScores:
    """Score a table of answered lineups (``SCHEMA`` of the kit). The predictions are about answers without a condition;
    every condition is scored apart, so that none changes another."""
    named = pl.when(phase=INVERSE).then("source").otherwise(pl.lit(""))  # options of other phases name none
    table = table.with_columns(pl.col("condition", "asked").fill_null(""), source=named)
    best, main, alone = pl.col("asked") == "best", pl.col("condition") == "", pl.col("phase") == "self"
    itself = pl.col("subject") == pl.col("target")
    asked, both = table.filter(~best), table.filter(main, alone, itself)
    confidence = options.confidence if options.intervals else None
    measures, verdicts = score_subjects(lineup_answers(asked.filter(main), PHASES), options, confidence)
    measures += best_text_measures(both, confidence)
    for condition in asked.filter(~main, alone).get_column("condition").unique().sort():
        at, tested = {"condition": condition}, {}
        for subject, own, judges in judged_subjects(
            lineup_answers(asked.filter(alone, condition=condition), PHASES)
        ):
            say = MeasureBuilder({"subject": subject}, confidence)
            measures += phase_measures(own, say, at)
            measures += _measures(own, panel_of(own, judges), options.scale, say, at)
            tested[subject] = own
        verdicts += chance_verdicts(at, tested, MeasureBuilder({}, confidence)) if confidence else ()
    only = sorted({*asked["subject"]} - {*asked.filter(itself)["subject"]})
    notes = [NOTE, *([f"judges of others only: {', '.join(only)}"] if only else [])]
    left = table.filter(best).height - both.filter(best).height + asked.filter(~main, ~alone).height
    notes += [f"{left} {NOT_SCORED}"] if left else []
    return RecognitionScores(tuple(measures), tuple(verdicts), tuple(notes))


def _measures(
    answers: LineupAnswers, panel: JudgePanel, scale: Ends, say: MeasureBuilder, at: dict[str, str]
) -> Iterator[Measure]:
    """Of all phases together, of one where there are several, or under a condition."""
    yield from lineup_measures(answers, panel, scale, say, at)
    yield from reasoning_measures(answers, say, at)


def score_subjects(
    answers: JudgedAnswers, options: RecognitionRowOptions, confidence: float | None
) -> tuple[list[Measure], list[Verdict]]:
    """By phase and over all phases, with the predictions."""
    measures: list[Measure] = []
    positions: list[Verdict] = []
    subjects: list[SubjectAnswers] = []
    for subject, own, judges in judged_subjects(answers):
        say = MeasureBuilder({"subject": subject}, confidence)
        places = {phase: own.where(own.phase == place) for place, phase in enumerate(PHASES)}
        phases = {phase: one for phase, one in places.items() if one.asked}
        panels = {phase: panel_of(one, judges) for phase, one in phases.items()}
        for phase, one in phases.items():
            measures += phase_measures(one, say, {"phase": phase})
        measures += phase_measures(own, say, {})
        measures += _measures(own, panel_of(own, judges), options.scale, say, {})
        for phase, one in phases.items() if len(phases) > 1 else ():
            measures += _measures(one, panels[phase], options.scale, say, {"phase": phase})
        positions += position_verdicts(own, say) if confidence else ()
        subjects.append(SubjectAnswers(subject, phases, panels.get("self", JudgePanel(own, {}))))
    found = prediction_verdicts(subjects, MeasureBuilder({}, confidence)) if confidence else ()
    return measures, [*found, *positions]
