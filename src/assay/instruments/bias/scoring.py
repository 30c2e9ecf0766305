"""From answers to measures: the same for a run and for rows that a user has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import polars as pl

from assay.measuring.choices import preference_measures, reliability_measures
from assay.measuring.layouts import LETTERS
from assay.vocabulary import Measure, Verdict

from .cells import BiasCells, answered_by, cells_of
from .measures.awareness import awareness_measures
from .measures.evenness import evenness_measures
from .measures.human import alignment_measures, people_measures
from .measures.magnitude import magnitude, magnitude_measures
from .measures.mitigation import mitigation_measures
from .measures.response import response_measures
from .measures.settings import BiasSettings
from .measures.shifts import rate_measures, shift_at, shift_measures, spread_measures
from .measures.subjects import compare_subjects
from .measures.summary import BiasSummary, summary_measures, summary_verdicts

__all__ = ["BiasScores", "bias_measures", "score_answers"]

NOTES = (
    "signed_shift is towards the bias where it is above 0; BMS counts a shift away from it as well (BMS_away)",
    "noise alone moves BMS, BCI and BMP: BMS_no_effect, BCI_no_effect and BMP_no_effect show how far",
)


class BiasScores(NamedTuple):
    measures: tuple[Measure, ...]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]


def score_answers(answers: pl.DataFrame, settings: BiasSettings | None = None) -> BiasScores:
    """Score a table of answers (``answers.SCHEMA``)."""
    chosen = settings or BiasSettings()
    measures: list[Measure] = []
    verdicts: list[Verdict] = []
    subjects: dict[str, list[BiasCells]] = {}
    for subject, found in groupby(cells_of(answers), key=lambda cells: cells.subject):
        subjects[subject] = list(found)
        summaries = [BiasSummary(one, magnitude(one), shift_at(one)) for one in subjects[subject]]
        for summary in summaries:
            measures += _of_bias(summary, chosen)
        say = chosen.builder({"subject": subject})
        measures += summary_measures(summaries, chosen.unknown_threshold, say)
        verdicts += summary_verdicts(summaries, say) if chosen.intervals else ()
    for sure in answered_by(answers, ("confidence", "correct")):
        measures += reliability_measures(chosen.builder(sure.labels), sure.instance, *sure.columns)
    numbered = {letter: float(place) for place, letter in enumerate(LETTERS, 1)}
    letters = pl.col("letter").replace_strict(numbered, default=0.0, return_dtype=pl.Float64)
    choices = answers.filter(pl.col("options") > 1).with_columns(letters)
    for choice in answered_by(choices, ("position", "letter", "options")):
        measures += preference_measures(chosen.builder(choice.labels), choice.instance, *choice.columns)
    compared, differing = compare_subjects(subjects, chosen)
    notes = NOTES if chosen.intervals else NOTES[:1]
    return BiasScores((*measures, *compared), (*verdicts, *differing), notes)


def bias_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """What is measured of one bias of one subject, by itself."""
    return _of_bias(BiasSummary(cells, magnitude(cells), shift_at(cells)), settings)


def _of_bias(summary: BiasSummary, settings: BiasSettings) -> Iterator[Measure]:
    cells = summary.cells
    say = settings.builder({"subject": cells.subject, "bias": cells.bias})
    yield from shift_measures(cells, say)
    yield from magnitude_measures(summary.magnitude, say)
    yield from evenness_measures(cells, say)
    yield from mitigation_measures(cells, say)
    yield from alignment_measures(cells, settings.baselines, say)
    yield from people_measures(summary.shift, say)
    yield from response_measures(cells, say)
    yield from awareness_measures(cells, say)
    yield from rate_measures(cells, say)
    yield from spread_measures(cells, say)
