"""The recognition instrument: whether a subject knows its own words."""

from __future__ import annotations

from assay.measuring import InstrumentBase, Rows, ScoredRows
from assay.report.presentation import Headline, Presentation
from assay.report.tables import Column, headline_table
from assay.vocabulary import Result

from .row_options import ROW_HELP, RecognitionRowOptions

__all__ = ["Recognition"]

COLUMNS = (
    Column("accuracy", "accuracy"),
    Column("corrected", "accuracy_corrected"),
    Column("self-advantage", "self_advantage"),
    Column("same in every order", "order_consistent"),
    Column("unreadable", "unknown_rate"),
)
CAPTION = (
    "Corrected for positions, a judge that always answers alike is at chance. The self-advantage is over other judges "
    "on the same lineups: accuracy without it is no self-recognition."
)


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
        shown = Presentation(headline=self.headline(result))
        return ScoredRows(result, lambda: lineup_records(rows, table), lambda: shown)

    def headline(self, result: Result) -> Headline:
        found = result.measures
        return headline_table(found, title=self.title, rows=("subject",), columns=COLUMNS, caption=CAPTION)
