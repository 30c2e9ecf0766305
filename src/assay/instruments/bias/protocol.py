"""Bias: which human-like biases a subject shows, how strongly, and whether they yield to debiasing."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from assay.measuring import InstrumentBase, Rows, ScoredRows
from assay.report.presentation import Headline
from assay.vocabulary import Result

from .present import headline_of, summary_of
from .row_options import ROW_HELP, BiasRowOptions

__all__ = ["Bias"]


class Bias(InstrumentBase):
    """Signed shifts between matched control and treatment, towards a bias, with what people are known to do beside."""

    name = "bias"
    noun = "biases"
    row_option_type: ClassVar[type[Struct]] = BiasRowOptions
    row_help = ROW_HELP

    def score_rows(self, rows: Rows, options: Any) -> ScoredRows:
        from .rows import answer_records, score_rows

        scores, answers = score_rows(rows, options)
        result = self.rows_result(scores.measures, scores.verdicts, notes=scores.notes)
        return self.scored_rows(result, lambda: answer_records(rows, answers))

    def headline(self, result: Result) -> Headline:
        return headline_of(result)

    def summary(self, result: Result) -> list[str]:
        return summary_of(result)
