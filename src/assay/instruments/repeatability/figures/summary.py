"""What a result says in plain sentences."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from assay.instruments.repeatability.cells.cell import Cell, CellKey
from assay.report.wording import listed, verdict_counts
from assay.vocabulary import Measure, Result

from .cell_measures import CellMeasures, condition_text, named
from .groups import Pair

__all__ = ["summary_of"]


def summary_of(result: Result, pairs: Sequence[Pair]) -> Iterator[str]:
    """What was asked, how often the same came back, how far apart the answers are, and what was established."""
    yield from _measured(CellMeasures(result), pairs)
    for kind in ("comparison", "requirement"):
        verdicts = [verdict for verdict in result.verdicts if verdict.kind == kind]
        if verdicts:
            yield f"Of {len(verdicts)} {kind}{'' if len(verdicts) == 1 else 's'} {verdict_counts(verdicts)}."


def _measured(found: CellMeasures, pairs: Sequence[Pair]) -> Iterator[str]:
    cells = [cell for cell, _ in pairs if cell.n]
    if not cells:
        yield "There are no outputs, so nothing is established."
        return
    yield _asked(cells)
    yield from _sameness(found, cells)
    without = sum(anchor.canon is None for _, anchor in pairs)
    if without == len(pairs):
        yield "No output passes, so there is no canon, and no measure against it is established."
        return
    yield from _differences(found, pairs)
    if without:
        yield (
            f"In {without} of {len(pairs)} cells no output passes; there the measures against a canon are "
            "not established."
        )


def _asked(cells: Sequence[Cell]) -> str:
    sizes = sorted({cell.n for cell in cells})
    times = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    conditions = {cell.key.condition: condition_text(cell.key) for cell in cells}
    at = ""
    if any(value >= 0 for condition in conditions for value in condition):
        at = f" at {named([text for _, text in sorted(conditions.items())], _varied(conditions))}"
    outputs, passed = sum(cell.n for cell in cells), sum(o.passed for c in cells for o in c.outputs)
    return (
        f"{named([c.key.subject for c in cells], 'subjects')} answered "
        f"{named([c.key.contract for c in cells], 'contracts')}{at}, {times} times each: "
        f"{outputs} outputs in {len(cells)} {'cell' if len(cells) == 1 else 'cells'}. "
        f"{passed} of them pass every test ({passed / outputs:.0%})."
    )


def _varied(conditions: Iterable[tuple[float, ...]]) -> str:
    return "temperatures" if all(max(rest) < 0 for _, *rest in conditions) else "conditions"


# What is said of the widest senses of "same", by whether all outputs are programs.
_FORM = {
    True: "as a program: layout, comments and names of variables aside",
    False: "but for its form: layout and names of programs, layout and key order of JSON, case of texts aside",
}
_RESULT = {True: "by its results", False: "by its results, value or answer"}


def _sameness(found: CellMeasures, cells: Sequence[Cell]) -> Iterator[str]:
    keys = [cell.key for cell in cells]
    senses: tuple[tuple[str, Callable[[CellKey], Measure | None]], ...] = (
        ("byte for byte", lambda key: found.get("R_raw", key)),
        (_FORM[found.programs], found.form),
        (_RESULT[found.programs], found.result),
    )
    said = []
    for words, sense in senses:
        values = [m.value for m in map(sense, keys) if m is not None and m.value is not None]
        if values:
            said.append(f"{statistics.median(values):.0%} ({words})")
    if said:
        median = f" (medians over {len(cells)} cells)" if len(cells) > 1 else ""
        yield f"Ask again, and the most common answer comes back {listed(said)} of the time{median}."
    yield from _extremes(found, keys)


def _extremes(found: CellMeasures, keys: Sequence[CellKey]) -> Iterator[str]:
    """The least and the most repeatable cell, and how well one cell is known."""
    programs = [(m, key) for key in keys if (m := found.form(key)) is not None and m.value is not None]
    if not programs:
        return
    low, high = (pick(programs, key=lambda pair: pair[0].value or 0.0) for pick in (min, max))
    width = statistics.median((m.high or 0.0) - (m.low or 0.0) for m, _ in programs)
    text = ""
    if low[0].value != high[0].value:
        sense = "As a program" if found.programs else "But for its form"
        text = (
            f"{sense} that share goes from {low[0].value:.0%} ({_where(low[1])}) "
            f"to {high[0].value:.0%} ({_where(high[1])}). "
        )
    known = f"The interval of a single cell is {100 * width:.0f} percentage points wide"
    if len(programs) > 1:
        known += " in the median: smaller differences between cells are not established"
    yield f"{text}{known}."


def _where(key: CellKey) -> str:
    return f"{key.contract}, {key.subject}, {condition_text(key)}"


def _differences(found: CellMeasures, pairs: Sequence[Pair]) -> Iterator[str]:
    """How far apart, and what part of it is in the writing only."""
    reach: list[Fraction] = []  # of those that differ in more than layout, comments and docstrings
    passing = _Passing()
    failing = 0
    for cell, anchor in pairs:
        if anchor.canon is None:
            continue
        code, level = anchor.canon.code, cell.levels[-1]
        for output in cell.outputs:
            before = cell.distance(output.code, code, level)
            if before > 0:
                reach.append(before)
                failing += not output.passed
            if output.passed and cell.kind.repairs and cell.distance(output.code, code, "text") > 0:
                passing.add(before, cell.distance(cell.repaired(output), code, level))
    if reach:
        count = "1 answer differs" if len(reach) == 1 else f"{len(reach)} answers differ"
        declared = {anchor.source == "declared" for _, anchor in pairs if anchor.canon is not None}
        canon = "the declared canon" if declared == {True} else "the canon"
        if declared == {False}:
            canon += ", the first answer of a cell that passes every test"
        yield (
            f"{_aside(pairs)}, {count} from {canon}; "
            f"the distance to it is {float(sum(reach) / len(reach)):.2f} on average (0 the same, 1 nothing "
            "in common)."
        )
    else:
        yield f"{_aside(pairs)}, every answer equals its canon, where there is one."
    programs = any(cell.kind.noun == "program" for cell, _ in pairs)
    if programs and not found.repaired:
        yield "Nothing was repaired, so what part of the difference is in the writing only is not known."
    elif passing.count:
        yield passing.said()
    if failing:
        count = "1 answer that differs does" if failing == 1 else f"{failing} answers that differ do"
        rest = ", and what does not pass is never repaired" if programs else ""
        yield f"{count} not pass every test{rest}."


def _aside(pairs: Sequence[Pair]) -> str:
    """What the widest level of these cells does not count."""
    kinds = {cell.kind.repairs for cell, anchor in pairs if anchor.canon is not None}
    if any(cell.kind.noun != "program" for cell, _ in pairs):
        return "Layout of programs, form of JSON, and case and white space of texts aside"
    if kinds == {True}:
        return "Layout, comments and docstrings aside"
    return "Compared as text" + (
        " (in Python layout, comments and docstrings aside)" if True in kinds else ""
    )


class _Passing:
    """The answers that pass and differ from the canon in any way, and what their difference came to."""

    def __init__(self) -> None:
        self.count = self.laid_out = self.rescued = self.nearer = 0

    def add(self, before: Fraction, after: Fraction) -> None:
        self.count += 1
        self.laid_out += before == 0
        self.rescued += before > after == 0
        self.nearer += before > after > 0

    def said(self) -> str:
        who = (
            "1 answer that passes and differs"
            if self.count == 1
            else f"{self.count} answers that pass and differ"
        )
        closed, stayed = self.laid_out + self.rescued, self.count - self.laid_out - self.rescued
        text = (
            f"Of {who} from the canon in any way, {self.laid_out or 'none'} "
            f"{'differs' if self.laid_out < 2 else 'differ'} in layout, comments or docstrings only, "
            f"and {self.rescued or 'none'} became equal to it after repair"
        )
        if closed:
            text += f": {closed} of {self.count} differ in the writing only, and can be brought to the canon safely"
        if stayed:
            text += f". {stayed} stayed different, {self.nearer or 'none'} of them brought nearer"
        return text + "."
