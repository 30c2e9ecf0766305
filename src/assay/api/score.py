"""`assay.score`: rows that somebody has, scored; no model is asked and nothing was declared first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from assay.bench import named_instrument
from assay.errors import InputError, blaming
from assay.measuring.rows import open_rows
from assay.measuring.scored import ScoredRows
from assay.report.presentation import Headline
from assay.study import convert
from assay.vocabulary import Result

from .option_values import plain_value
from .worker_thread import call_apart

if TYPE_CHECKING:
    import polars as pl

    from assay.bench import Instrument

__all__ = ["RowScore", "score"]


class RowScore:
    """The result of scoring rows, with its frames; ``_repr_html_`` shows the table that is read first."""

    def __init__(self, instrument: Instrument, scored: ScoredRows) -> None:
        self._instrument, self._scored = instrument, scored

    @property
    def result(self) -> Result:
        return self._scored.result

    def frame(self) -> pl.DataFrame:
        """One row a measure: instrument, name, the labels, value, low, high, bounds, n, units, flags."""
        from .frames import measure_frame

        return measure_frame([self.result])

    def verdicts(self) -> pl.DataFrame:
        """One row a verdict; ``holds`` is null where it is not established."""
        from .frames import verdict_frame

        return verdict_frame([self.result])

    def records(self) -> pl.DataFrame:
        """Row by row: what was read, which checks held, and why it failed."""
        from assay.report.frames import frame_of

        with blaming(f"the instrument {self._instrument.name}", "records"):
            return frame_of(call_apart(lambda: [*self._scored.records()]))

    def _headline(self) -> Headline:
        found: Headline = self._instrument.headline(self.result)
        return found

    def __repr__(self) -> str:
        return f"<score of {self.result.instrument}: {len(self.result.measures)} measures>"

    def __str__(self) -> str:
        from assay.report.terminal import summary_text

        return summary_text(self.result, self._headline())

    def _repr_html_(self) -> str:
        from assay.report.html import render_summary

        return render_summary("", [(self.result, self._headline())])


def score(instrument: str | os.PathLike[str], rows: Any, **options: Any) -> RowScore:
    """Score outputs that exist already: a list of mappings, a frame, or the path of a file.

    ``options`` are those of ``assay score INSTRUMENT``, under the same names. The result is flagged Limited
    Comparability: it was not declared first.
    """
    found = named_instrument(os.fspath(instrument))
    kind = found.row_option_type
    values = {name: plain_value(kind, name, value, name) for name, value in options.items()}
    return RowScore(found, _scored(found, rows, values))


def _scored(instrument: Instrument, rows: Any, options: dict[str, Any]) -> ScoredRows:
    """The rows scored with options as plain data."""
    kind = instrument.row_option_type
    if kind is None:
        raise InputError(f"{instrument.name} has no scoring of plain rows")
    chosen = convert(options, kind)
    with blaming(f"the instrument {instrument.name}", "score_rows"):
        found: ScoredRows = call_apart(lambda: instrument.score_rows(open_rows(rows), chosen))
    return found
