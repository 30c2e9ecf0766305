"""The declared grid of the calibration: what is drawn, how often, and how many at a time.

All variants answer one contract, so that every two of them can be compared. Weights are parts of 1,000: truths
follow from them exactly. ``marked`` and ``tagged`` stand for infinitely many programs: a comment, or a constant,
that never comes twice. Marks are single letters, so that any two marked programs lie equally far apart.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.instruments.repeatability.programs.contracts import Contract, shipped_contracts
from assay.instruments.repeatability.reference import PROSE, derived
from assay.stats import philox

__all__ = [
    "CONTRACT",
    "FAMILIES",
    "GRID",
    "PARTS",
    "QUICK_SIZES",
    "SIZES",
    "Distribution",
    "Roster",
    "calibration_contract",
    "draw",
]

CONTRACT = "merge_intervals"
FAMILIES = ("marked", "tagged")
SIZES = (5, 10, 20, 50, 100)
QUICK_SIZES = (5, 20)
PARTS = 1000
_DERIVED = ("formatted", "documented", "renamed", "modular", "reordered")
_FIRST_LETTER = 0x4E00  # of more than 20,000 that are letters and need no escape

Ids = npt.NDArray[np.int64]


class Distribution(Struct, frozen=True):
    """Variants by their parts of 1,000."""

    name: str
    about: str
    parts: dict[str, int]

    def share(self, variant: str) -> Fraction:
        return Fraction(self.parts[variant], PARTS)


GRID = (
    Distribution("same", "always plain", {"plain": 1000}),
    Distribution("never twice", "plain with a comment that never repeats", {"marked": 1000}),
    Distribution("never twice, other trees", "plain with a constant that never repeats", {"tagged": 1000}),
    Distribution(
        "dominant",
        ".9 plain, .005 each of ten others, .05 programs that never repeat",
        {
            "plain": 900,
            "formatted": 5,
            "restyled": 5,
            "documented": 5,
            "renamed": 5,
            "modular": 5,
            "reordered": 5,
            "sweep": 5,
            "touching_apart": 5,
            "shrinks": 5,
            "unparseable": 5,
            "marked": 25,
            "tagged": 25,
        },
    ),
    Distribution(
        "rivals", ".6 plain, .2 each of two other programs", {"plain": 600, "sweep": 200, "modular": 200}
    ),
    Distribution("two equal", "two programs, half and half", {"plain": 500, "sweep": 500}),
    Distribution(
        "formatting",
        ".5 plain, .3 laid out otherwise, .2 with a comment that never repeats",
        {"plain": 500, "formatted": 300, "marked": 200},
    ),
    Distribution(
        "renamed",
        ".5 plain, .3 with other names, .2 with a docstring",
        {"plain": 500, "renamed": 300, "documented": 200},
    ),
    Distribution(
        "reordered", "one program, its definitions in two orders", {"modular": 600, "reordered": 400}
    ),
    Distribution(
        "everything",
        ".3 plain, .55 in other formatting or otherwise written, .1 wrong, .03 not Python, .02 never twice",
        {
            "plain": 300,
            "formatted": 100,
            "restyled": 100,
            "documented": 50,
            "renamed": 100,
            "modular": 50,
            "reordered": 50,
            "sweep": 100,
            "touching_apart": 50,
            "shrinks": 50,
            "unparseable": 30,
            "marked": 20,
        },
    ),
    Distribution(
        "mostly wrong",
        ".7 two wrong programs, .15 not Python, .15 two that pass",
        {"touching_apart": 400, "shrinks": 300, "unparseable": 150, "plain": 100, "sweep": 50},
    ),
    Distribution(
        "never passes",
        "wrong, not Python, or no program at all",
        {"touching_apart": 500, "shrinks": 300, "unparseable": 150, "prose": 50},
    ),
)


def calibration_contract() -> Contract:
    return shipped_contracts()[CONTRACT]


class Roster:
    """Every program that can be drawn, by number: each variant once, and of each family as many as a cell holds."""

    def __init__(self, contract: Contract, distributions: tuple[Distribution, ...], most: int) -> None:
        drawn = dict.fromkeys(variant for d in distributions for variant in d.parts)
        self.codes: list[str] = []
        self.first: dict[str, int] = {}
        for variant in drawn:
            self.first[variant] = len(self.codes)
            marks = max(most, 2) if variant in FAMILIES else 1
            self.codes += [_source(contract, variant, mark) for mark in range(marks)]


def _source(contract: Contract, variant: str, mark: int) -> str:
    named = {solution.name: solution.code for solution in contract.solutions}
    letter = chr(_FIRST_LETTER + mark)
    if variant == "prose":
        return PROSE
    if variant == "marked":
        return f"{named['plain']}# {letter}\n"
    if variant == "tagged":
        return f'{named["plain"]}\nTAG = "{letter}"\n'
    if variant == "unparseable":
        return next(solution.code for solution in contract.solutions if solution.kind == "unparseable")
    return derived(contract, variant) if variant in _DERIVED else named[variant]


def draw(distribution: Distribution, roster: Roster, n: int, runs: int) -> Ids:
    """Cells of n programs, one a row. Row r is the same whatever the number of runs."""
    key = f"calibrate repeatability {distribution.name} {n}"
    raw = np.stack([philox(key, run).random_raw(n) for run in range(runs)]).astype(np.uint64)
    # 53 bits of a fair draw; that 1,000 does not divide their number shifts no share by more than 1e-13.
    points = ((raw >> np.uint64(11)) % np.uint64(PARTS)).astype(np.int64)
    chosen = np.searchsorted(np.cumsum(list(distribution.parts.values())), points, side="right")
    ids = np.array([roster.first[variant] for variant in distribution.parts], dtype=np.int64)[chosen]
    for place, variant in enumerate(distribution.parts):
        if variant in FAMILIES:  # the first of a family in a cell has its first mark, the next the second …
            hit = chosen == place
            ids += np.where(hit, np.cumsum(hit, axis=1) - 1, 0)
    return ids
