"""The table that is read first, from a result alone: the same for a run and for rows that somebody brings."""

from __future__ import annotations

from assay.instruments.presentation import Cellish, Headline, Number
from assay.vocabulary import Measure, Result

__all__ = ["SHOWN", "headline_of"]

SHOWN = (
    ("return", "M1"),
    ("refusal", "M2"),
    ("repair", "M3"),
    ("provenance", "M4"),
    ("order", "O"),
    ("promises", "P"),
    ("lexicon", "L"),
    ("identity", "M5"),
)


def headline_of(result: Result) -> Headline:
    """A row a subject, in the order of the result."""
    found: dict[str, dict[str, Measure]] = {}
    for measure in result.measures:
        if set(measure.labels) == {"subject"}:
            found.setdefault(str(measure.labels["subject"]), {})[measure.name] = measure
    rows: list[tuple[Cellish, ...]] = [
        (subject, *(_number(measures[name]) for _, name in SHOWN)) for subject, measures in found.items()
    ]
    confidence = next((m.confidence for m in result.measures if m.confidence is not None), None)
    caption = "Shares, from 0 to 1." + (f" Ranges are {confidence:.0%} intervals." if confidence else "")
    columns = ("subject", *(title for title, _ in SHOWN))
    return Headline(
        "Consistency by subject", columns, tuple(rows), caption, ("", *(name for _, name in SHOWN))
    )


def _number(measure: Measure) -> Number:
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note)
