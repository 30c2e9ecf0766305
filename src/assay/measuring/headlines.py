"""The table that is read first, where an instrument has none of its own: a row a cell, a column a measure."""

from __future__ import annotations

from assay.report.presentation import Cellish, Headline, number_of
from assay.vocabulary import Measure, Result

__all__ = ["headline_of"]

MOST_COLUMNS = 8  # of measures


def headline_of(result: Result, title: str) -> Headline:
    """Measures that share their labels stand in one row, in the order of the result."""
    rows: dict[tuple[tuple[str, str | float], ...], dict[str, Measure]] = {}
    for measure in result.measures:
        rows.setdefault(tuple(measure.labels.items()), {}).setdefault(measure.name, measure)
    labels = list(dict.fromkeys(label for key in rows for label, _ in key))
    names = list(dict.fromkeys(measure.name for measure in result.measures))
    shown = names[:MOST_COLUMNS]
    left_out = (
        f"{len(names) - len(shown)} more measures are in the reading." if len(names) > len(shown) else ""
    )
    cells: list[tuple[Cellish, ...]] = []
    for key, found in rows.items():
        where = dict(key)
        told = [_text(where.get(label, "")) for label in labels]
        cells.append((*told, *(number_of(found.get(name)) for name in shown)))
    return Headline(f"{title} by {', '.join(labels) or 'measure'}", (*labels, *shown), tuple(cells), left_out)


def _text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
