"""What repeatability shows people: the headline table, what it says in plain words, pictures, differences."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey, key_of
from assay.instruments.repeatability.figures.cell_measures import CellMeasures, condition_text
from assay.instruments.repeatability.figures.distances import draw_distances
from assay.instruments.repeatability.figures.ladder import draw_ladders, draw_sweeps
from assay.instruments.repeatability.figures.program_map import draw_maps
from assay.instruments.repeatability.figures.program_shares import draw_programs
from assay.instruments.repeatability.figures.side_by_side import side_by_side
from assay.instruments.repeatability.figures.summary import summary_of
from assay.report.figures.drawing import drawing
from assay.report.presentation import Cellish, Headline, Number, Presentation, number_of
from assay.report.tables import verdict_table
from assay.report.wording import percent
from assay.vocabulary import Measure, Result

__all__ = ["fields_of", "headline_of", "means_of", "present", "terms"]

SENSES = (("same program", "R names"), ("same behaviour", "R behaviour"))
# Of outputs that are not all programs.
OTHER_SENSES = (("same but for form", "R names, keys, case"), ("same result", "R behaviour, value, answer"))
OPTIONAL = ("T", "condition", "after repair", *(name for name, _ in (*SENSES, *OTHER_SENSES)))


@cache
def terms() -> tuple[tuple[str, str], ...]:
    """The terms of the headline with their meaning."""
    place = files("assay.instruments.repeatability").joinpath("data", "explain.yaml")
    return tuple(msgspec.yaml.decode(place.read_bytes(), type=dict[str, str]).items())


def present(result: Result, cells: Sequence[Cell], anchors: Sequence[Anchor]) -> Presentation:
    """Everything to look at. ``cells`` and ``anchors`` go together, in the order of the result."""
    found = CellMeasures(result)
    pairs = list(zip(cells, anchors, strict=True))
    measured = [(cell, anchor) for cell, anchor in pairs if cell.n]
    with drawing():
        pictures = [
            *draw_ladders(found, cells),
            *draw_sweeps(found, cells),
            draw_distances(found, measured),
            draw_maps(measured),
            draw_programs(measured),
        ]
    headline = headline_of(result)
    return Presentation(
        headline=headline,
        summary=tuple(summary_of(result, pairs)),
        tables=tuple(
            table for table in (means_of(result), fields_of(result), *_compared(result)) if table is not None
        ),
        pictures=tuple(picture for picture in pictures if picture is not None),
        comparisons=side_by_side(measured),
        explain=tuple(pair for pair in terms() if pair[0] in headline.columns or pair[0] not in OPTIONAL),
    )


def _compared(result: Result) -> Iterator[Headline]:
    """What was compared with what, and what is held against an earlier run; what is established comes first."""
    compared = [verdict for verdict in result.verdicts if verdict.kind == "comparison"]
    if compared:
        differences = [m for m in result.measures if m.name == "difference"]
        yield verdict_table(
            compared, title="Comparisons", measures=differences, value="mean difference", first=True
        )
    drifted = [verdict for verdict in result.verdicts if verdict.name == "no_drift"]
    if drifted:
        drifts = [_plainly_labelled(m) for m in result.measures if m.name == "drift"]
        yield verdict_table(drifted, title="Drift", measures=drifts, value="drift", first=False)


def _plainly_labelled(drift: Measure) -> Measure:
    """With the labels of its verdict, which is on a cell, not on a canon."""
    labels = {k: v for k, v in drift.labels.items() if k not in ("canon", "level")}
    return msgspec.structs.replace(drift, labels=labels)


def headline_of(result: Result) -> Headline:
    """A row a cell, in the order of the result."""
    found = CellMeasures(result)
    keys = found.cells()
    bare = all(key.top_p is None and key.wording is None for key in keys)
    columns, names = zip(*_columns(found, bare=bare), strict=True)
    rows: list[tuple[Cellish, ...]] = []
    for key in keys:
        numbers = [number_of(measure) for measure in _row(found, key)]
        rows.append((key.contract, key.subject, _condition(key, bare=bare), str(numbers[0].n), *numbers))
    title = f"Repeatability by contract, subject and {'temperature' if bare else 'condition'}"
    return Headline(title, columns, tuple(rows), _caption(found, keys), names)


def means_of(result: Result) -> Headline | None:
    """The means over contracts by subject and condition; None where there is but one contract."""
    found = CellMeasures(result)
    groups: dict[tuple[str, tuple[float, ...]], list[CellKey]] = {}
    for key in found.cells():
        groups.setdefault((key.subject, key.condition), []).append(key)
    if all(len(keys) < 2 for keys in groups.values()):
        return None
    bare = all(key.top_p is None and key.wording is None for keys in groups.values() for key in keys)
    columns, names = zip(*_columns(found, bare=bare), strict=True)
    rows: list[tuple[Cellish, ...]] = []
    for (subject, _), keys in sorted(groups.items()):
        cells = [[m.value if m else None for m in _row(found, key)] for key in keys]
        numbers = [
            _mean([value for value in column if value is not None]) for column in zip(*cells, strict=True)
        ]
        rows.append((subject, _condition(keys[0], bare=bare), str(len(keys)), *numbers))
    title = f"Means over contracts, by subject and {'temperature' if bare else 'condition'}"
    caption = (
        "Plain means of the contracts that have a value, without an interval: they describe these contracts."
    )
    return Headline(
        title, (*columns[1:3], "contracts", *columns[4:]), tuple(rows), caption, (*names[1:3], "", *names[4:])
    )


def fields_of(result: Result) -> Headline | None:
    """Of JSON, how far outputs agree in each field; the least agreed on comes first in its cell."""
    found = [m for m in result.measures if m.name == "field_agreement"]
    if not found:
        return None
    keys = [key_of(m) for m in found]
    bare = all(key.top_p is None and key.wording is None for key in keys)
    order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    ranked = sorted(
        zip(keys, found, strict=True),
        key=lambda pair: (order[pair[0]], 1.0 if pair[1].value is None else pair[1].value),
    )
    rows: list[tuple[Cellish, ...]] = [
        (key.contract, key.subject, _condition(key, bare=bare), str(m.labels["field"]), number_of(m))
        for key, m in ranked
    ]
    caption = "The share of pairs of outputs that have the same at a field; what is not JSON agrees with its like only."
    columns = ("contract", "subject", "T" if bare else "condition", "field", "agreement")
    return Headline("Agreement by field", columns, tuple(rows), caption, ("", "", "", "", "field_agreement"))


def _mean(values: Sequence[float]) -> Number:
    if not values:
        return Number(None, note="no contract has a value")
    return Number(statistics.fmean(values), n=len(values))


def _columns(found: CellMeasures, *, bare: bool) -> Iterator[tuple[str, str]]:
    yield from (("contract", ""), ("subject", ""), ("T" if bare else "condition", ""), ("n", ""))
    yield from (("pass rate", "pass_rate"), ("same bytes", "R_raw"))
    yield from SENSES if found.programs else OTHER_SENSES
    yield "equal to canon", "R_anchor_pre"
    if found.repaired:
        yield "after repair", "R_anchor"


def _row(found: CellMeasures, key: CellKey) -> Iterator[Measure | None]:
    yield found.get("pass_rate", key)
    yield found.get("R_raw", key)
    yield found.form(key)
    yield found.result(key)
    yield found.anchored("R_anchor_pre", key)
    if found.repaired:
        yield found.anchored("R_anchor", key)


def _caption(found: CellMeasures, keys: list[CellKey]) -> str:
    parts = [
        "Shares, from 0 to 1. R is the share of the most common answer. "
        "The canon is the first answer that passes, not the most common one: where it is a rare one, few equal it."
    ]
    if found.confidence is not None:
        parts.append(f"Ranges are {percent(found.confidence)} intervals.")
    programs = [key for key in keys if found.get("R", key, rung="behaviour")]
    foreign = [key.contract for key in programs if found.get("R", key, rung="names") is None]
    if foreign and len(foreign) < len(programs):
        parts.append(
            f"{len(set(foreign))} contracts are not in Python: there programs are compared as text, and not repaired."
        )
    elif foreign:
        parts.append("The programs are not in Python: they are compared as text, and not repaired.")
    if found.repaired and len(programs) < len(keys):
        parts.append("Only programs are repaired.")
    return " ".join(parts)


def _condition(key: CellKey, *, bare: bool) -> str:
    """A condition for a column of a table; ``bare`` where that holds temperatures only."""
    text = condition_text(key, brief=True)
    return text.removeprefix("T ") if bare else text
