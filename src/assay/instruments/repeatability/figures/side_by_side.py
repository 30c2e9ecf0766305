"""Outputs beside the canon: differences that repair closed, with its steps, and those that stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from assay.instruments.repeatability.cells.cell import Anchor, Cell, Output
from assay.instruments.repeatability.programs.repair import STEPS, Repair
from assay.report.presentation import Comparison, Taken
from assay.report.text import shorten

from .cell_measures import condition_text
from .groups import Pair

__all__ = ["side_by_side"]

MOST_CLOSED = 2
MOST_FAR = 3


class _Seen(NamedTuple):
    """An output with its distances to the canon, at level text and at the widest level."""

    cell: Cell
    anchor: Anchor
    output: Output
    repair: Repair | None
    before: tuple[Fraction, Fraction]
    after: tuple[Fraction, Fraction]

    @property
    def closed(self) -> bool:
        """Repair made it equal to the canon at a level where it was not."""
        return any(before > after == 0 for before, after in zip(self.before, self.after, strict=True))


def side_by_side(pairs: Sequence[Pair]) -> tuple[Comparison, ...]:
    """The outputs that took the most steps to the canon, then those that stay farthest away; one a cell of each."""
    closed: list[_Seen] = []
    far: list[_Seen] = []
    for cell, anchor in pairs:
        seen = _seen(cell, anchor)
        closed += sorted((s for s in seen if s.closed), key=_most_steps)[:1]
        far += sorted((s for s in seen if not s.closed and s.before[0] > 0), key=_farthest)[:1]
    chosen = sorted(closed, key=_most_steps)[:MOST_CLOSED], sorted(far, key=_farthest)[:MOST_FAR]
    return tuple(_comparison(seen) for kind in chosen for seen in kind)


def _seen(cell: Cell, anchor: Anchor) -> list[_Seen]:
    """Every different output of a cell once, in the order of repetition."""
    if anchor.canon is None:
        return []
    canon, levels = anchor.canon.code, ("text", cell.levels[-1])
    first = {output.code: output for output in reversed(cell.outputs)}
    found = []
    for output in sorted(first.values(), key=lambda output: output.repetition):
        before = [cell.distance(output.code, canon, level) for level in levels]
        after = [cell.distance(cell.repaired(output), canon, level) for level in levels]
        repair = cell.repairs.get(output.code) if output.passed else None
        found.append(_Seen(cell, anchor, output, repair, (before[0], before[1]), (after[0], after[1])))
    return found


def _most_steps(seen: _Seen) -> tuple[int, Fraction]:
    return -len(seen.repair.steps if seen.repair else ()), -seen.before[0]


def _farthest(seen: _Seen) -> Fraction:
    return -seen.after[0]


def _comparison(seen: _Seen) -> Comparison:
    cell, anchor, output = seen.cell, seen.anchor, seen.output
    assert anchor.canon is not None
    origin = anchor.source
    if anchor.index is not None:
        origin = f"repetition {cell.outputs[anchor.index].repetition}"
    left, right = shorten(anchor.canon.code), shorten(output.code)
    said = [f"{which}: {s}" for which, s in (("canon", left.said), ("output", right.said)) if s]
    steps = seen.repair.steps if seen.repair else ()
    rest = shorten(cell.repaired(output)) if steps and seen.after[0] > 0 else None
    where = f"{cell.key.contract}, {cell.key.subject}, {condition_text(cell.key)}"
    return Comparison(
        title=f"{where}: {'closed by repair' if seen.closed else 'still different'}",
        left_label=f"canon ({origin})",
        right_label=f"repetition {output.repetition} ({output.state}, {output.tests_passed}/{output.tests} tests)",
        left=left.text,
        right=right.text,
        note="; ".join([f"Distance {float(seen.before[0]):.3f} (level text)", *said]) + ".",
        steps=_taken(steps),
        outcome=_outcome(seen),
        rest=rest.text if rest else None,
        rest_note=f"output after repair: {rest.said}." if rest and rest.said else "",
    )


def _taken(steps: Sequence[str]) -> tuple[Taken, ...]:
    """In the order in which each was first taken."""
    about = {step.name: step.about for step in STEPS}
    return tuple(Taken(name, about.get(name, ""), times) for name, times in Counter(steps).items())


def _outcome(seen: _Seen) -> str:
    if not seen.output.passed:
        return "It does not pass every test" + (", so it is not repaired." if seen.cell.kind.repairs else ".")
    if not seen.cell.kind.repairs:
        return ""
    if seen.repair is None:
        return "It was not repaired."
    undone = sum(not tried.kept for tried in seen.repair.tried)
    text = _moved(seen)
    if undone:
        text += f" {undone} more {'step was' if undone == 1 else 'steps were'} undone: the tests no longer passed."
    return text


def _moved(seen: _Seen) -> str:
    if not seen.repair or not seen.repair.steps:
        return "No step of repair brings it nearer: the difference is in more than the writing."
    levels = dict.fromkeys(("text", seen.cell.levels[-1]))
    moved = [
        f"{float(before):.3f} → {float(after):.3f} (level {level})"
        for level, before, after in zip(levels, seen.before, seen.after, strict=False)
    ]
    return f"Distance {', '.join(moved)}; after every step all tests passed."
