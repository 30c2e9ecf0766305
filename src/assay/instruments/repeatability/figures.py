"""What repeatability shows people: the headline table, its words, and the outputs that differ most."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from fractions import Fraction

from assay.instruments.presentation import (
    Cellish,
    Comparison,
    Headline,
    Number,
    Presentation,
    drawing,
    shorten,
)
from assay.vocabulary import Measure, Result

from .cells import Anchor, Cell, CellKey
from .pictures import LEVEL, Found, draw_distances, draw_programs, draw_temperatures, named

__all__ = ["present"]

MOST_COMPARISONS = 3

COLUMNS = (
    ("pass rate", "pass_rate", None),
    ("R_raw", "R_raw", None),
    ("R_ast", "R_ast", None),
    (f"R_anchor_pre ({LEVEL})", "R_anchor_pre", LEVEL),
    (f"mu_pre ({LEVEL})", "mu_pre", LEVEL),
    (f"P_tau_pre ({LEVEL})", "P_tau_pre", LEVEL),
)
EXPLAIN = (
    ("contract", "The program that was asked for, with the tests that decide whether an answer works."),
    ("T", "The sampling temperature. At 0 a model is asked for its single most likely answer."),
    ("n", "How many times the same request was answered in this cell."),
    ("pass rate", "The share of answers that pass every test of the contract. 1 is best."),
    (
        "R_raw",
        "The share of the most common answer, compared byte for byte. 1: always the same; 1/n: never twice.",
    ),
    (
        "R_ast",
        "The same, but layout and comments do not count: programs with the same syntax tree are the same.",
    ),
    (
        "R_anchor_pre (ast)",
        "The share of answers that equal the canon, before any repair. The canon is the first answer that "
        "passes every test. Level ast: layout, comments and docstrings do not count.",
    ),
    (
        "mu_pre (ast)",
        "How far answers lie from the canon on average: 0 is the same text, 1 nothing in common.",
    ),
    ("P_tau_pre (ast)", "The share of answers within the distance tau of the canon: the same, or nearly so."),
    (
        "interval",
        "The range, beside each value, that the data leave open for the true value. Few answers, wide range. "
        "Intervals against the canon come from the answers after it only, so a value may lie near or past "
        "their end.",
    ),
    (
        "—",
        "Not established: where no answer passes there is no canon, and nothing can be measured against it.",
    ),
)


def present(result: Result, cells: Sequence[Cell], anchors: Sequence[Anchor]) -> Presentation:
    """Everything to look at. ``cells`` and ``anchors`` go together, in the order of the result."""
    found = Found(result)
    pairs = list(zip(cells, anchors, strict=True))
    measured = [(cell, anchor) for cell, anchor in pairs if cell.n]
    with drawing():
        pictures = [draw_temperatures(found, cells), draw_distances(found, measured), draw_programs(measured)]
    return Presentation(
        headline=_headline(found, cells),
        summary=_summary(found, pairs),
        pictures=tuple(picture for picture in pictures if picture is not None),
        comparisons=_comparisons(measured),
        explain=EXPLAIN,
    )


def _headline(found: Found, cells: Sequence[Cell]) -> Headline:
    rows: list[tuple[Cellish, ...]] = []
    for cell in cells:
        numbers = [_number(found.get(name, cell.key, level), cell.n) for _, name, level in COLUMNS]
        rows.append((cell.key.contract, cell.key.model, _degree(cell.key), str(cell.n), *numbers))
    tau, confidence = found.first("P_tau_pre", "tau"), found.confidence
    caption = f"Measures against the canon are at level {LEVEL}."
    if tau is not None:
        caption += f" Near the canon means a distance of at most {tau:g}."
    if confidence is not None:
        caption += f" Ranges are {confidence:.0%} intervals."
    columns = ("contract", "model", "T", "n", *(title for title, _, _ in COLUMNS))
    return Headline("Repeatability by contract, model and temperature", columns, tuple(rows), caption)


def _number(measure: Measure | None, n: int) -> Number:
    if measure is None:
        return Number(None, n=n, note="not measured")
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note)


def _degree(key: CellKey) -> str:
    return "default" if key.temperature is None else f"{key.temperature:g}"


def _cell_title(key: CellKey) -> str:
    return f"{key.contract}, {key.model}, T {_degree(key)}"


def _summary(found: Found, pairs: Sequence[tuple[Cell, Anchor]]) -> tuple[str, ...]:
    cells = [cell for cell, _ in pairs if cell.n]
    if not cells:
        return ("There are no outputs, so nothing is established.",)
    sizes = sorted({cell.n for cell in cells})
    times = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    degrees = sorted({cell.key.temperature for cell in cells if cell.key.temperature is not None})
    at = f" at {named([f'T {d:g}' for d in degrees], 'temperatures')}" if degrees else ""
    outputs, passed = sum(cell.n for cell in cells), sum(o.passed for c in cells for o in c.outputs)
    lines = [
        f"{named([c.key.model for c in cells], 'models')} answered "
        f"{named([c.key.contract for c in cells], 'contracts')}{at}, {times} times each: "
        f"{outputs} outputs in {len(cells)} {'cell' if len(cells) == 1 else 'cells'}. "
        f"{passed} of them pass every test ({passed / outputs:.1%})."
    ]
    same = [(m.value, c.key) for c in cells if (m := found.get("R_ast", c.key)) and m.value is not None]
    if same:
        (low, where), high = min(same), max(same)[0]
        middle = statistics.median(value for value, _ in same)
        text = f"The most common program makes up {middle:.3f} of a cell's outputs"
        if low < high:
            text += f" in the median cell, from {low:.3f} ({_cell_title(where)}) to {high:.3f}"
        lines.append(text + " (R_ast).")
    without = sum(anchor.canon is None for _, anchor in pairs)
    if without == len(pairs):
        lines.append("No output passes, so there is no canon, and no measure against it is established.")
    elif without:
        lines.append(
            f"In {without} of {len(pairs)} cells no output passes; there the measures against a canon are "
            "not established."
        )
    return tuple(lines)


def _comparisons(pairs: Sequence[tuple[Cell, Anchor]]) -> tuple[Comparison, ...]:
    """The output farthest from the canon in each cell; of those, the farthest."""
    farthest = []
    for position, (cell, anchor) in enumerate(pairs):
        if anchor.canon is not None:
            code = anchor.canon.code
            reach = [cell.distance(output.code, code, "text") for output in cell.outputs]
            far = max(reach)
            if far > 0:
                farthest.append((-far, position, reach.index(far)))
    return tuple(_comparison(*pairs[p], i, -d) for d, p, i in sorted(farthest)[:MOST_COMPARISONS])


def _comparison(cell: Cell, anchor: Anchor, index: int, far: Fraction) -> Comparison:
    assert anchor.canon is not None
    output = cell.outputs[index]
    left, right = shorten(anchor.canon.code), shorten(output.code)
    said = [f"{which}: {s}" for which, s in (("canon", left.said), ("output", right.said)) if s]
    origin = anchor.source
    if anchor.index is not None:
        origin = f"repetition {cell.outputs[anchor.index].repetition}"
    return Comparison(
        title=_cell_title(cell.key),
        left_label=f"canon ({origin})",
        right_label=f"repetition {output.repetition} ({output.state}, {output.tests_passed}/{output.tests} tests)",
        left=left.text,
        right=right.text,
        note="; ".join([f"distance {float(far):.3f} (level text), the farthest in its cell", *said]) + ".",
    )
