"""The declared grid of the calibration: what is drawn, how often, and how many at a time.

All variants of a distribution answer one contract, so that every two of them can be compared. Weights are parts of
1,000: truths follow from them exactly. ``marked`` and ``tagged`` stand for infinitely many outputs: a comment, or a
constant, that never comes twice. Marks are single letters, so that any two marked outputs lie equally far apart.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.instruments.repeatability.kinds.variants import marked
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.reference import PROSE, TALK, derived
from assay.stats import philox

__all__ = [
    "FAMILIES",
    "GRID",
    "PARTS",
    "QUICK_SIZES",
    "SIZES",
    "Distribution",
    "Roster",
    "draw",
]

JSON, TEXT = "invoice", "review_sentiment"
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
    contract: str = "merge_intervals"

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
    Distribution("json: never twice", "plain before blanks that never repeat", {"marked": 1000}, JSON),
    Distribution(
        "json: other values",
        "plain, and a customer that never comes twice",
        {"plain": 500, "tagged": 500},
        JSON,
    ),
    Distribution(
        "json: form",
        ".4 plain, .2 laid out otherwise, .2 keys reversed, .2 numbers otherwise written",
        {"plain": 400, "formatted": 200, "reordered": 200, "renamed": 200},
        JSON,
    ),
    Distribution(
        "json: everything",
        ".3 plain, .4 in other forms, .15 wrong, .05 not JSON, .05 no answer, .05 never twice",
        {
            "plain": 300,
            "formatted": 100,
            "reordered": 150,
            "renamed": 150,
            "one_lamp": 100,
            "american_date": 50,
            "unparseable": 50,
            "prose": 50,
            "marked": 50,
        },
        JSON,
    ),
    Distribution(
        "json: never passes",
        "wrong, not JSON, or no answer",
        {"one_lamp": 500, "no_currency": 300, "unparseable": 150, "prose": 50},
        JSON,
    ),
    Distribution("text: never twice", "plain with a remark that never repeats", {"marked": 1000}, TEXT),
    Distribution(
        "text: form",
        ".4 plain, .2 with white space around it, .2 in capitals, .2 said otherwise",
        {"plain": 400, "formatted": 200, "renamed": 200, "reasons": 200},
        TEXT,
    ),
    Distribution(
        "text: rivals",
        ".5 one answer, .3 another, .2 a third",
        {"plain": 300, "sentence": 200, "negative": 300, "neutral": 200},
        TEXT,
    ),
    Distribution(
        "text: everything",
        ".3 plain, .3 in other forms, .2 wrong, .1 that cannot be read, .05 another each time, .05 never twice",
        {
            "plain": 300,
            "formatted": 100,
            "renamed": 100,
            "reasons": 100,
            "negative": 150,
            "neutral": 50,
            "unparseable": 50,
            "prose": 50,
            "tagged": 50,
            "marked": 50,
        },
        TEXT,
    ),
    Distribution(
        "text: never passes",
        "wrong, or cannot be read",
        {"negative": 500, "neutral": 300, "unparseable": 150, "tagged": 50},
        TEXT,
    ),
)


class Roster:
    """Every output that can be drawn, by number: each variant once, and of each family as many as a cell holds."""

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
        return PROSE if contract.is_program else TALK
    if variant in FAMILIES and not contract.is_program:
        return _never_twice(contract, variant, mark)
    if variant == "marked":
        return f"{named['plain']}# {letter}\n"
    if variant == "tagged":
        return f'{named["plain"]}\nTAG = "{letter}"\n'
    if variant == "unparseable":
        return next(solution.code for solution in contract.solutions if solution.kind == "unparseable")
    return derived(contract, variant) if variant in _DERIVED else named[variant]


def _never_twice(contract: Contract, variant: str, mark: int) -> str:
    """Of JSON: blanks behind the value, or a customer that is not the one. Of a text: a remark, or no answer."""
    plain, letter = contract.solutions[0].code, chr(_FIRST_LETTER + mark)
    if contract.kind == "json":
        return (
            marked(contract, f"{mark:x}")
            if variant == "marked"
            else plain.replace("Ada King", f"Ada {letter}")
        )
    return f"{plain.rstrip()} (note {letter})\n" if variant == "marked" else f"I would call it {letter}.\n"


def draw(distribution: Distribution, roster: Roster, n: int, runs: int) -> Ids:
    """Cells of n outputs, one a row. Row r is the same whatever the number of runs."""
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
