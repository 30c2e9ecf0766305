"""From answers to measures: the same for a run and for rows that a user has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.vocabulary import Measure, Verdict

from .cells import BiasCells, cells_of, code_columns
from .measures.awareness import awareness_measures, reliability_measures
from .measures.evenness import evenness_measures
from .measures.human import alignment_measures, people_measures
from .measures.magnitude import magnitude, magnitude_measures
from .measures.mitigation import mitigation_measures
from .measures.preference import preference_measures
from .measures.response import response_measures
from .measures.settings import BiasSettings
from .measures.shifts import rate_measures, shift_at, shift_measures, spread_measures
from .measures.subjects import compare_subjects
from .measures.summary import BiasSummary, summary_measures, summary_verdicts

__all__ = ["BiasScores", "score_answers"]

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
        summaries = []
        for cells in subjects[subject]:
            summary = BiasSummary(cells, magnitude(cells), shift_at(cells))
            measures += _of_bias(summary, chosen)
            summaries.append(summary)
        measures += summary_measures(subject, summaries, chosen)
        if chosen.intervals:
            verdicts += summary_verdicts(subject, summaries, chosen)
    measures += _of_rows(answers, chosen)
    compared, differing = compare_subjects(subjects, chosen)
    notes = NOTES if chosen.intervals else NOTES[:1]
    return BiasScores((*measures, *compared), (*verdicts, *differing), notes)


def _of_bias(summary: BiasSummary, settings: BiasSettings) -> Iterator[Measure]:
    cells = summary.cells
    yield from shift_measures(cells, settings)
    yield from magnitude_measures(cells, summary.magnitude, settings)
    yield from evenness_measures(cells, settings)
    yield from mitigation_measures(cells, settings)
    yield from alignment_measures(cells, settings)
    yield from people_measures(cells, summary.shift, settings)
    yield from response_measures(cells, settings)
    yield from awareness_measures(cells, settings)
    yield from rate_measures(cells, settings)
    yield from spread_measures(cells, settings)


def _of_rows(answers: pl.DataFrame, settings: BiasSettings) -> Iterator[Measure]:
    """What is measured over all biases of a subject: the reliability curve, letters and positions."""
    surest = answers.filter(pl.col("confidence").is_not_null() & pl.col("correct").is_not_null())
    choices = answers.filter(pl.col("options").is_not_null() & pl.col("position").is_not_null())
    for part, kind in ((surest, "confidence"), (choices, "choice")):
        if not part.height:
            continue
        (subject, bias, domain, instance), names = code_columns(
            part, ("subject", "bias", "domain", "instance")
        )
        cluster = (bias * len(names[2]) + domain) * len(names[3]) + instance
        if kind == "confidence":
            confidence, correct = (
                part.get_column(name).cast(pl.Float64).to_numpy() for name in ("confidence", "correct")
            )
            yield from reliability_measures(names[0], subject, cluster, confidence, correct, settings)
        else:
            position, options = (part.get_column(name).to_numpy() for name in ("position", "options"))
            letter = np.array(part.get_column("letter").to_list(), object)
            yield from preference_measures(names[0], subject, cluster, position, letter, options, settings)
