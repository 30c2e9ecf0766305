"""Tables from measures and verdicts: the one that is read first, and claims with what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from assay.vocabulary import Measure, Verdict

from .presentation import Cellish, Headline, number_of
from .wording import label_text, listed, percent, word

__all__ = ["Column", "headline_table", "verdict_table"]

MOST_COLUMNS = 8  # of measures, where no columns are given
MOST_RULES = 4  # in a caption
Labels = Mapping[str, str | float]
_ANY: Labels = MappingProxyType({})


class Column(NamedTuple):
    """A column of measures: by name, and by further labels, such as a rung; ``expert`` is its name for experts."""

    title: str
    measure: str
    labels: Labels = _ANY
    expert: str | None = None


def headline_table(
    measures: Iterable[Measure],
    *,
    title: str,
    rows: Sequence[str] = (),
    columns: Sequence[Column] = (),
    outcomes: Mapping[str, Sequence[Verdict]] = MappingProxyType({}),
    caption: str = "",
) -> Headline:
    """A row for every combination of the labels ``rows``, in the order of the measures, a column a measure.

    Where several measures fit a place, the one with the fewest further labels stands there: the whole before a part.
    ``outcomes`` are columns of verdicts, found by the labels of the row. Without ``rows`` and ``columns`` every
    label is named, and the first measures are shown.
    """
    found = list(measures)
    left_out = ""
    if not columns:
        names = list(dict.fromkeys(measure.name for measure in found))
        columns = [Column(name, name, expert="") for name in names[:MOST_COLUMNS]]
        if len(names) > MOST_COLUMNS:
            left_out = f"{len(names) - MOST_COLUMNS} more measures are in the reading."
    labels = list(rows) or list(dict.fromkeys(label for measure in found for label in measure.labels))
    places: dict[tuple[str | float, ...], dict[int, Measure]] = {}
    for measure in found:
        if set(rows) <= measure.labels.keys():
            key = tuple(measure.labels.get(label, "") for label in labels)
            for at, column in enumerate(columns):
                if measure.name == column.measure and column.labels.items() <= measure.labels.items():
                    place = places.setdefault(key, {})
                    if at not in place or len(measure.labels) < len(place[at].labels):
                        place[at] = measure
    cells: list[tuple[Cellish, ...]] = []
    for key, place in places.items():
        where = dict(zip(labels, key, strict=True))
        said = [_outcome(where, verdicts) for verdicts in outcomes.values()]
        numbers = [number_of(place.get(at)) for at in range(len(columns))]
        cells.append((*map(label_text, key), *said, *numbers))
    return Headline(
        f"{title} by {listed(labels) or 'measure'}",
        (*labels, *outcomes, *(column.title for column in columns)),
        tuple(cells),
        " ".join(filter(None, (caption, _confidence(place.values() for place in places.values()), left_out))),
        (
            *[""] * (len(labels) + len(outcomes)),
            *(c.measure if c.expert is None else c.expert for c in columns),
        ),
    )


def _outcome(where: Labels, verdicts: Sequence[Verdict]) -> str:
    return next((word(v.holds) for v in verdicts if where.items() <= v.labels.items()), "")


def _confidence(rows: Iterable[Iterable[Measure]]) -> str:
    shown = (m for row in rows for m in row if m.value is not None and m.low is not None)
    found = {m.confidence for m in shown if m.confidence}
    return f"Ranges are {percent(found.pop())} intervals." if len(found) == 1 else ""


def verdict_table(
    verdicts: Sequence[Verdict],
    *,
    title: str,
    measures: Iterable[Measure] = (),
    value: str = "value",
    first: bool | None = None,
) -> Headline:
    """A row a verdict: its claim, what became of it, and why.

    Of ``measures`` the one with the verdict's labels stands beside it. Where ``first`` is given, verdicts that hold
    (or fail) come first, then those that are not established.
    """
    of: dict[frozenset[tuple[str, str | float]], Measure] = {}
    for measure in measures:
        of.setdefault(frozenset(measure.labels.items()), measure)
    ordered = list(verdicts)
    if first is not None:
        ordered.sort(key=lambda v: [first, None, not first].index(v.holds))
    rules = list(dict.fromkeys(verdict.rule for verdict in ordered))
    several = len(rules) > MOST_RULES
    rows: list[tuple[Cellish, ...]] = []
    for verdict in ordered:
        beside = number_of(of.get(frozenset(verdict.labels.items())))
        number: tuple[Cellish, ...] = (beside, str(beside.n or 0)) if of else ()
        rule = (verdict.rule,) if several else ()
        rows.append((verdict.claim, word(verdict.holds), *number, verdict.because, *rule))
    columns = ("claim", "verdict", *((value, "n") if of else ()), "because", *(("rule",) if several else ()))
    caption = "" if several or not rules else f"{'Rule' if len(rules) == 1 else 'Rules'}: {'; '.join(rules)}."
    return Headline(title, columns, tuple(rows), caption, verdicts=tuple(ordered))
