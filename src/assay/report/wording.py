"""How numbers, labels and verdicts are said to people: in one place, so that a page, a picture and a terminal agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.vocabulary import Measure, Result, Verdict

if TYPE_CHECKING:
    from .presentation import Number

__all__ = [
    "NOTHING",
    "NO_DATA",
    "between",
    "contested_in",
    "exact_text",
    "first_of",
    "interval_text",
    "invalid_in",
    "label_text",
    "labels_text",
    "listed",
    "no_data_text",
    "percent",
    "short_text",
    "value_text",
    "verdict_counts",
    "word",
]

NOTHING = "—"
NO_DATA = "no data"
_WHOLE = frozenset(("position", "count", "level", "tier"))  # units of what is never between two numbers


def invalid_in(result: Result) -> list[str]:
    """Every Invalid flag of a result, with the subject whose measures have it."""
    return _flagged(result, "Invalid")


def contested_in(result: Result) -> list[str]:
    return _flagged(result, "Contested")


def _flagged(result: Result, kind: str) -> list[str]:
    found = [str(flag) for flag in result.flags if flag.kind == kind]
    for measure in result.measures:
        whose = f", {measure.labels['subject']}" if "subject" in measure.labels else ""
        found += [f"{flag}{whose}" for flag in measure.flags if flag.kind == kind]
    return list(dict.fromkeys(found))


def word(holds: bool | None) -> str:
    """How a verdict is said."""
    return "not established" if holds is None else "holds" if holds else "fails"


def verdict_counts(verdicts: Sequence[Verdict]) -> str:
    """How many hold, fail, and are not established; what does not occur is not counted."""
    words = (
        (True, "holds", "hold"),
        (False, "fails", "fail"),
        (None, "is not established", "are not established"),
    )
    counts = [(sum(v.holds is holds for v in verdicts), one, many) for holds, one, many in words]
    return listed(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)


def percent(confidence: float) -> str:
    """As it was declared: 0.975 is not 98 %."""
    return f"{100 * confidence:.10g}%"


def value_text(number: Number | Measure, digits: int = 3) -> str:
    """Three decimals (spec, Precision Requirements); the dash is 'not established', never zero."""
    if number.value is None:
        return NOTHING
    return _fixed(number.value, 0 if number.units in _WHOLE else digits)


def _fixed(value: float, digits: int) -> str:
    """Never a zero with a sign."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def interval_text(number: Number | Measure, digits: int = 3) -> str:
    if number.value is None or number.low is None or number.high is None:
        return ""
    return f"{_fixed(number.low, digits)}{between(number.low)}{_fixed(number.high, digits)}"


def between(low: float) -> str:
    """Between the ends of an interval: a dash would look like one sign more where one end is negative."""
    return " to " if low < 0 else "–"


def short_text(measure: Measure) -> str:
    """A measure in a picture: value, interval and n; where there is no value, why."""
    if measure.value is None:
        return no_data_text(measure)
    interval = interval_text(measure, 2)
    return f"{value_text(measure, 2)}{f' ({interval})' if interval else ''}, n = {measure.n}"


def no_data_text(measure: Measure) -> str:
    """Why there is no value: the reason stands first among the notes of such a measure."""
    reason = measure.notes[0] if measure.notes else NO_DATA
    return reason if reason.startswith(NO_DATA) else f"{NO_DATA}: {reason}"


def exact_text(number: Number | Measure) -> str:
    """Full precision, or the reason why there is no value."""
    if number.value is None:
        return "; ".join(number.notes) if isinstance(number, Measure) else number.note
    text = repr(number.value)
    if number.low is not None and number.high is not None:
        text += f" [{number.low!r}, {number.high!r}]"
    return text if number.n is None else f"{text}, n = {number.n}"


def label_text(value: str | float) -> str:
    """A digest by its first digits: the reading has it in full."""
    if not isinstance(value, str):
        return f"{value:g}"
    return f"{value[:16]}…" if re.fullmatch(r"[0-9a-f]{64}", value) else value


def labels_text(labels: Mapping[str, str | float]) -> str:
    """Labels in one line."""
    return ", ".join(f"{key} {label_text(value)}" for key, value in labels.items())


def listed(parts: Iterable[str]) -> str:
    """One, two and three."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def first_of(shown: int, total: int, things: str) -> str:
    """That not everything is shown; empty where it is."""
    return f"The first {shown} of {total} {things} are shown." if shown < total else ""
