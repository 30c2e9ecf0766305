"""What a result says in plain sentences."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from assay.instruments.repeatability.cells.cell import Cell, CellKey
from assay.report.wording import listed, verdict_counts
from assay.stats import detectable_two
from assay.vocabulary import Measure, Result

from .cell_measures import CellMeasures, condition_text, named
from .groups import Pair

__all__ = ["summary_of", "two_cells"]


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
    outputs, subjects = sum(cell.n for cell in cells), _subjects(cells)
    if len(subjects) == 1:
        passed = _passed(cells)
        passing = f"{passed} of them pass every test ({passed / outputs:.0%})"
    else:
        counts = [(name, _passed(own), sum(cell.n for cell in own)) for name, own in subjects]
        passing = (
            f"{listed(f'{passed} of {n} of {name} ({passed / n:.0%})' for name, passed, n in counts)} "
            "pass every test"
        )
    return (
        f"{named([name for name, _ in subjects], 'subjects')} answered "
        f"{named([c.key.contract for c in cells], 'contracts')}{at}, {times} times each: "
        f"{outputs} outputs in {len(cells)} {'cell' if len(cells) == 1 else 'cells'}. {passing}."
    )


def _subjects(cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    """The cells of each subject: a figure over several subjects is true of none."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.key.subject, []).append(cell)
    return list(found.items())


def _passed(cells: Sequence[Cell]) -> int:
    return sum(output.passed for cell in cells for output in cell.outputs)


def _varied(conditions: Iterable[tuple[float, ...]]) -> str:
    return "temperatures" if all(max(rest) < 0 for _, *rest in conditions) else "conditions"


# What is said of the widest senses of "same", by whether all outputs are programs.
_FORM = {
    True: "as a program: layout, comments and names of variables aside",
    False: "but for its form: layout and names of programs, layout and key order of JSON, case of texts aside",
}
_RESULT = {True: "by its results", False: "by its results, value or answer"}


def _sameness(found: CellMeasures, cells: Sequence[Cell]) -> Iterator[str]:
    subjects = _subjects(cells)
    for subject, own in subjects:
        senses: tuple[tuple[str, Callable[[CellKey], Measure | None]], ...] = (
            ("byte for byte", found.raw),
            (_FORM[found.programs], found.form),
            (_RESULT[found.programs], found.result),
        )
        said = []
        for words, sense in senses:
            values = [m.value for m in _measured_by(sense, own) if m.value is not None]
            if values:
                said.append(f"{statistics.median(values):.0%} ({words})")
        if said:
            whom = f"Ask {subject} again, and its" if len(subjects) > 1 else "Ask again, and the"
            median = f" (medians over {len(own)} cells)" if len(own) > 1 else ""
            yield f"{whom} most common answer comes back {listed(said)} of the time{median}."
    yield from _extremes(found, cells)


def _measured_by(sense: Callable[[CellKey], Measure | None], cells: Sequence[Cell]) -> list[Measure]:
    measures = (sense(cell.key) for cell in cells)
    return [m for m in measures if m is not None and m.value is not None]


def _extremes(found: CellMeasures, cells: Sequence[Cell]) -> Iterator[str]:
    """The least and the most repeatable cell, how well one cell is known, and what two cells can show."""
    programs = [(m, cell.key) for cell in cells for m in _measured_by(found.form, [cell])]
    if not programs:
        return
    low, high = (pick(programs, key=lambda pair: pair[0].value or 0.0) for pick in (min, max))
    sense = "As a program" if found.programs else "But for its form"
    if low[0].value != high[0].value:
        yield (
            f"{sense} that share goes from {low[0].value:.0%} ({_where(low[1])}) "
            f"to {high[0].value:.0%} ({_where(high[1])})."
        )
    widths = [
        f"{100 * statistics.median((m.high or 0.0) - (m.low or 0.0) for m in measures):.0f} ({words})"
        for words, measures in (
            ("byte for byte", _measured_by(found.raw, cells)),
            (sense[0].lower() + sense[1:], [m for m, _ in programs]),
        )
        if measures
    ]
    of = ", in the median" if len(programs) > 1 else ""
    known = f"The interval of a single cell is {listed(widths)} percentage points wide{of}"
    yield f"{known}{f'; {two_cells(min(cell.n for cell in cells))}' if len(cells) > 1 else ''}."


def two_cells(n: int) -> str:
    """Which share can be told from one of .5, where the worst can be told."""
    effect = detectable_two(0.5, n).effect
    if effect is None:
        return f"two cells of {n} outputs are too few to show any difference from a share of .5 with power .8"
    return f"between two cells of {n}, a share of .5 can be told from {0.5 + effect:.2f} (power .8)"


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
