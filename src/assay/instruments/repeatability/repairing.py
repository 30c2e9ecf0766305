"""Which outputs are repaired, and one output's repair against the oracle."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .cells import Anchor, Cell, Output
from .distance import distance, distance_within
from .normalisation import ast_form, text_form
from .repair import STEPS, Proposal, Repair, search

__all__ = ["LONGEST", "Due", "due", "repairing"]

LEVELS = ("text", "ast")
LONGEST = 50_000  # characters; a longer program is left as it is, for repair would take minutes
_FORMS = (text_form, ast_form)  # of LEVELS


class Due(NamedTuple):
    """An output that passes and differs from its cell's canon; the first of those with the same program."""

    cell: Cell
    anchor: Anchor
    output: Output


def due(cells: Sequence[Cell], anchors: Sequence[Anchor]) -> list[Due]:
    """What there is to repair, in the order of cells and repetitions. Only Python programs are repaired."""
    found = []
    for cell, anchor in zip(cells, anchors, strict=True):
        if anchor.canon is None or cell.language != "python":
            continue
        first = {output.code: output for output in reversed(cell.outputs) if output.passed}
        found += [
            Due(cell, anchor, output)
            for output in sorted(first.values(), key=lambda output: output.repetition)
            if any(cell.distance(output.code, anchor.canon.code, level) for level in LEVELS)
        ]
    return found


@lru_cache(maxsize=4)  # all outputs of a cell are repaired towards the same canon
def _targets(canon: str) -> tuple[str, ...]:
    return tuple(form(canon) for form in _FORMS)


def repairing(source: str, canon: str, keep: frozenset[str]) -> Generator[Proposal, bool, Repair]:
    """Yields what is to be put to the oracle; is sent whether it passes; returns the repair."""
    targets = _targets(canon)
    steps = STEPS if max(len(source), len(canon)) <= LONGEST else ()

    def measure(code: str, limit: tuple[Fraction, ...] | None) -> tuple[Fraction, ...] | None:
        if limit is None:
            return tuple(distance(form(code), target) for form, target in zip(_FORMS, targets, strict=True))
        reach: list[Fraction] = []
        for form, target, most in zip(_FORMS, targets, limit, strict=True):
            found = distance_within(form(code), target, most)
            if found is None:
                return None
            reach.append(found)
        return tuple(reach)

    return search(source, canon, keep, measure, steps)
