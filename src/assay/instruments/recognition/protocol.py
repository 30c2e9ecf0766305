"""The recognition instrument: whether a subject knows its own words."""

from __future__ import annotations

from assay.measuring import InstrumentBase, Rows, ScoredRows
from assay.report.presentation import Headline
from assay.vocabulary import Result

from .present import headline_of, present, summary_of
from .row_options import ROW_HELP, RecognitionRowOptions

__all__ = ["Recognition"]


class Recognition(InstrumentBase):
    """Does a subject know its own words, beyond what other judges see in them?"""

    name = "recognition"
    noun = "probes"
    row_option_type = RecognitionRowOptions
    row_help = ROW_HELP

    def score_rows(self, rows: Rows, options: RecognitionRowOptions) -> ScoredRows:
        from .rows import lineup_records, score_rows

        scores, table = score_rows(rows, options)
        result = self.rows_result(scores.measures, scores.verdicts, notes=scores.notes)
        return ScoredRows(result, lambda: lineup_records(rows, table), lambda: present(result))

    def headline(self, result: Result) -> Headline:
        return headline_of(result)

    def summary(self, result: Result) -> list[str]:
        return summary_of(result)
