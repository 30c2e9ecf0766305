"""Differences across a sweep: temperature, top_p, wording, subject.

The unit is the contract: each gives one difference, to − from, of two cells that are alike in everything but the
swept axis. Repetitions are not paired. Compared are quantities whose expectation does not depend on how many outputs
a cell has: the share that passes, and the share of pairs of outputs that agree. (The modal share R is larger in a
smaller cell of the same subject.) ``R_anchor`` is compared where both cells have a canon of their own, or a declared
one.

If a value makes no difference, the two cells of a contract could as well be exchanged, and each difference could as
well have the other sign. That is what is tested, exactly: Fisher's sign flips (1935), counted by the sums they give
(Pagano and Tritchler 1983), not by listing them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import NamedTuple

import msgspec
import numpy as np

from assay.instruments.repeatability.cells.cell import Cell, CellKey, key_of
from assay.instruments.repeatability.programs.ladder import RUNGS as PROGRAM_RUNGS
from assay.measuring import measure_of
from assay.stats import holm, paired_difference, paired_permutation
from assay.vocabulary import Flag, Measure, Verdict

from .settings import DECLARED, NO_CANON, NO_OUTPUTS
from .unseen_behaviour import BEHAVIOUR, NOT_LOADED, unseen_behaviour

__all__ = ["Compared", "Finding", "compare_cells", "corrected"]

AXES = ("temperature", "top_p", "wording", "subject")
RUNGS = ("bytes", "ast", "names", "behaviour", "value", "case", "answer")
MOST_SUMS = 2_000_000  # beyond, flips are listed where there are few, and drawn where there are many
ONE_OUTPUT = "a pair needs two outputs"
NOT_READ = "not in Python, so not read as a program"
OTHER_KIND = "outputs of another kind, which have no such rung"
NO_CELL = "not asked on both sides"
UNPAIRED = "no contract has a value on both sides"
SHARED = "one of the two cells, or both, is held against a canon that another cell gave"

_Value = Fraction | str  # a number, or why there is none
_Ends = tuple[Fraction, Fraction]  # the least and the most that a value can be where something is unknown


class Compared(NamedTuple):
    measures: list[Measure]
    verdicts: list[Verdict]


class Finding(NamedTuple):
    """One test before correction for the others."""

    claim: str
    labels: dict[str, str | float]
    test: str
    shown: str  # the numbers in words; without data, the reason
    p: float | None
    floor: float  # the smallest p that so much data can give
    data: str  # how much there is


class _Quantity(NamedTuple):
    name: str
    labels: dict[str, str | float]
    of: Callable[[Cell], _Value]
    barred: Callable[[Cell, Cell], str | None] = lambda _, __: None  # why two cells cannot be compared in it
    ends: Callable[[Cell], _Ends | None] = lambda _: None  # None: nothing is unknown

    @property
    def title(self) -> str:
        return " ".join([self.name, *(f"({value})" for value in self.labels.values())])


class _Test(NamedTuple):
    p: float | None
    floor: float
    method: str


class _Pairing(NamedTuple):
    """Two values of an axis, all else equal: which, and the cells of every contract."""

    axis: str
    values: tuple[str | float, str | float]
    fixed: dict[str, str | float]
    cells: list[tuple[str, Cell | None, Cell | None]]  # contract, from, to


def compare_cells(
    cells: Sequence[Cell], measures: Sequence[Measure], confidence: float, subjects: Sequence[str]
) -> Compared:
    """Every value of every axis against the first: the lowest, the prompt itself, the first of ``subjects``.

    ``measures`` are those of the same cells; ``R_anchor``, canons and flags are taken from them. Where all
    cells are alike in an axis nothing is compared along it.
    """
    flags = {key_of(m): m.flags for m in measures if m.name == "pass_rate"}
    quantities = _quantities(cells, measures)
    found: list[Measure] = []
    findings: list[Finding] = []
    for pairing in _pairings(cells, subjects):
        for quantity in quantities:
            measure, finding = _compare(pairing, quantity, flags, confidence)
            found.append(measure)
            findings.append(finding)
    return Compared(found, corrected(findings, confidence, "comparisons"))


# Which cells are compared.


def _pairings(cells: Sequence[Cell], subjects: Sequence[str]) -> list[_Pairing]:
    by_key = {cell.key: cell for cell in cells}
    assert len(by_key) == len(cells), "a cell is given twice"
    assert {key.subject for key in by_key} <= set(subjects), "a subject has no place in the declared order"
    places = {subject: place for place, subject in enumerate(subjects)}
    contracts = sorted({key.contract for key in by_key})
    found = []
    for axis in AXES:
        values = _values(by_key, axis, subjects)
        settings = {_without(key, axis) for key in by_key}
        for setting in sorted(settings, key=lambda key: (places.get(key.subject, -1), key.condition)):
            for value in values[1:]:
                first, second = (msgspec.structs.replace(setting, **{axis: v}) for v in (values[0], value))
                pairs = [(c, _cell(by_key, first, c), _cell(by_key, second, c)) for c in contracts]
                if any(one for _, one, _ in pairs) and any(two for _, _, two in pairs):
                    fixed = {k: v for k, v in setting.labels.items() if k != "contract" and v != ""}
                    found.append(_Pairing(axis, (values[0], value), fixed, pairs))
    return found


def _cell(cells: dict[CellKey, Cell], setting: CellKey, contract: str) -> Cell | None:
    return cells.get(msgspec.structs.replace(setting, contract=contract))


def _values(keys: dict[CellKey, Cell], axis: str, subjects: Sequence[str]) -> list[str | float]:
    """What an axis was swept over, in order. A temperature that nobody stated is no value of it."""
    given = {getattr(key, axis) for key in keys} - {None}
    return sorted(given, key=subjects.index if axis == "subject" else None)


def _without(key: CellKey, axis: str) -> CellKey:
    """The setting of a cell, whatever its contract and its place on the axis."""
    return msgspec.structs.replace(key, contract="", **{axis: "" if axis == "subject" else None})


# What is compared.


def _quantities(cells: Sequence[Cell], measures: Sequence[Measure]) -> list[_Quantity]:
    """Values are taken from the cells, as fractions: rounded ones would make ties that are none, and undo others."""
    found = [_Quantity("pass_rate", {}, _pass_rate)]
    for rung in RUNGS:
        if any(rung in cell.rungs for cell in cells):
            agreement = partial(_agreement, rung=rung)
            ends = partial(_agreement_ends, rung=rung)
            found.append(_Quantity("pairwise_agreement", {"rung": rung}, agreement, ends=ends))
    anchored = {key_of(m): m for m in measures if m.name == "R_anchor" and m.labels.get("level") == "ast"}
    if anchored:
        indices = [m for m in measures if m.name == "canon_index"]
        holders = frozenset(key_of(m) for m in indices if m.value is not None)
        declared = frozenset(key_of(m) for m in indices if DECLARED in m.notes)
        found.append(
            _Quantity(
                "R_anchor",
                {"level": "ast"},
                partial(_anchored, anchored=anchored),
                partial(_shared, holders=holders, declared=declared),
                partial(_anchored_ends, anchored=anchored),
            )
        )
    return found


def _pass_rate(cell: Cell) -> _Value:
    return Fraction(sum(output.passed for output in cell.outputs), cell.n) if cell.n else NO_OUTPUTS


def _agreement(cell: Cell, *, rung: str) -> _Value:
    """Σ c (c − 1) / n (n − 1) over the classes of a rung: pairs that agree among all pairs."""
    if rung not in cell.rungs:
        return NOT_READ if rung in PROGRAM_RUNGS and "behaviour" in cell.rungs else OTHER_KIND
    if cell.n < 2:
        return ONE_OUTPUT
    if rung == BEHAVIOUR and not cell.loaded:
        return NOT_LOADED
    return _pairs_that_agree(cell.rung_counts(rung))


def _agreement_ends(cell: Cell, *, rung: str) -> _Ends | None:
    unseen = unseen_behaviour(cell, rung) if rung in cell.rungs and cell.n > 1 else None
    return None if unseen is None else (_pairs_that_agree(unseen.apart), _pairs_that_agree(unseen.joined))


def _pairs_that_agree(counts: Sequence[int]) -> Fraction:
    n = sum(counts)
    return Fraction(sum(c * (c - 1) for c in counts), n * (n - 1))


def _anchored(cell: Cell, *, anchored: dict[CellKey, Measure]) -> _Value:
    measure = anchored.get(cell.key)
    if measure is None or measure.value is None:
        return NO_CANON
    return Fraction(round(measure.value * cell.n), cell.n)


def _anchored_ends(cell: Cell, *, anchored: dict[CellKey, Measure]) -> _Ends | None:
    measure = anchored.get(cell.key)
    if measure is None or measure.bound_low is None or measure.bound_high is None:
        return None
    return Fraction(round(measure.bound_low * cell.n), cell.n), Fraction(
        round(measure.bound_high * cell.n), cell.n
    )


def _shared(one: Cell, two: Cell, *, holders: frozenset[CellKey], declared: frozenset[CellKey]) -> str | None:
    """A cell is nearer to a canon of its own than its equal is. Alike are two own canons, or two declared."""
    keys = {one.key, two.key}
    return None if keys <= holders or keys <= declared else SHARED


# One comparison.


def _compare(
    pairing: _Pairing, quantity: _Quantity, flags: dict[CellKey, tuple[Flag, ...]], confidence: float
) -> tuple[Measure, Finding]:
    pairs = _gather(pairing, quantity, flags)
    interval = paired_difference(pairs.before, pairs.after, confidence)
    differences = [two - one for one, two in zip(pairs.before, pairs.after, strict=True)]
    claim = f"{quantity.title} differs between {_ends(pairing)}"
    test = _sign_flips(differences, f"repeatability/{claim}")
    empty = interval.value is None
    labels: dict[str, str | float] = {
        "of": quantity.name,
        **quantity.labels,
        "axis": pairing.axis,
        "from": pairing.values[0],
        "to": pairing.values[1],
        **pairing.fixed,
    }
    measure = measure_of(
        "difference",
        interval,
        labels,
        units="difference",
        why_null=UNPAIRED,
        bounds=pairs.bounds,
        flags=pairs.flags,
        notes=pairs.notes,
    )
    shown = f"mean difference {_signed(measure.value)}"
    shown += f" ({confidence:.3g} interval {_signed(measure.low)} to {_signed(measure.high)})"
    finding = Finding(
        claim,
        labels,
        test.method,
        UNPAIRED if empty else shown,
        test.p,
        test.floor,
        f"{interval.n} contract{'' if interval.n == 1 else 's'}",
    )
    return measure, finding


class _Gathered(NamedTuple):
    before: list[Fraction]
    after: list[Fraction]
    flags: tuple[Flag, ...]
    notes: tuple[str, ...]
    bounds: tuple[float | None, float | None]  # of the mean difference


def _gather(pairing: _Pairing, quantity: _Quantity, flags: dict[CellKey, tuple[Flag, ...]]) -> _Gathered:
    """One pair of values a contract; who is left out, and what the test takes for granted, is noted."""
    before: list[Fraction] = []
    after: list[Fraction] = []
    unequal: list[str] = []
    ends: list[_Ends] = []  # of the differences
    unknown = provisional = 0
    left_out: dict[str, list[str]] = {}
    for contract, one, two in pairing.cells:
        values = _pair(one, two, quantity, flags)
        if isinstance(values, str):
            left_out.setdefault(values, []).append(contract)
            continue
        assert one is not None
        assert two is not None
        before.append(values[0])
        after.append(values[1])
        each = quantity.ends(one), quantity.ends(two)
        unknown += sum(end is not None for end in each)
        (low1, high1), (low2, high2) = (end or (at, at) for end, at in zip(each, values, strict=True))
        ends.append((low2 - high1, high2 - low1))
        if one.n != two.n:
            unequal.append(contract)
        provisional += sum(bool(flags.get(cell.key)) for cell in (one, two))
    notes = [f"left out ({why}): {', '.join(names)}" for why, names in sorted(left_out.items())]
    if unequal:
        notes.append(f"exact for equal numbers of outputs only; they differ in {', '.join(unequal)}")
    bounds: tuple[float | None, float | None] = (None, None)
    if unknown:
        notes.append(f"something is unknown in {unknown} of {2 * len(before)} cells")
        lows, highs = zip(*ends, strict=True)
        bounds = (float(sum(lows, Fraction(0)) / len(ends)), float(sum(highs, Fraction(0)) / len(ends)))
    cause = f"{provisional} of {2 * len(before)} cells are"
    flagged = (Flag("Provisional", cause),) if provisional else ()
    return _Gathered(before, after, flagged, tuple(notes), bounds)


def _pair(
    one: Cell | None, two: Cell | None, quantity: _Quantity, flags: dict[CellKey, tuple[Flag, ...]]
) -> tuple[Fraction, Fraction] | str:
    """The two values of a contract, or why it is left out."""
    if one is None or two is None:
        return NO_CELL
    if any(flag.kind == "Invalid" for cell in (one, two) for flag in flags.get(cell.key, ())):
        return "Invalid: too many outputs were excluded"
    first, second = quantity.of(one), quantity.of(two)
    if isinstance(first, str):
        return first
    return second if isinstance(second, str) else quantity.barred(one, two) or (first, second)


def _ends(pairing: _Pairing) -> str:
    """``temperature 0 and 0.7 for M, wording 1``: the two values, and all that is equal."""
    first, second = (v if isinstance(v, str) else f"{v:g}" for v in pairing.values)
    subject = pairing.fixed.get("subject")
    rest = [f"{k} {v:g}" for k, v in pairing.fixed.items() if not isinstance(v, str)]
    text = f"{'subjects' if pairing.axis == 'subject' else pairing.axis} {first} and {second}"
    return text + (f" for {subject}" if subject else "") + (f" at {', '.join(rest)}" if rest else "")


def _signed(value: float | None) -> str:
    return "none" if value is None else f"{value:+.3f}"


# The tests.


def _sign_flips(differences: Sequence[Fraction], key: str) -> _Test:
    """Two-sided: the share of all sign flips whose sum is at least as far from 0 as the observed one."""
    moving = [difference for difference in differences if difference]
    floor = 2.0 / 2.0 ** len(differences) if differences else 1.0
    whole = "exact sign-flip permutation over contracts"
    if not differences:
        return _Test(None, 1.0, whole)
    if not moving:
        return _Test(1.0, floor, whole)
    scale = lcm(*(difference.denominator for difference in moving))
    steps = [int(difference * scale) for difference in moving]
    unit = gcd(*steps)
    steps = [step // unit for step in steps]
    total = sum(map(abs, steps))
    if total > MOST_SUMS:
        found = paired_permutation(differences, [0] * len(differences), key=key)
        if found.enumerated:
            return _Test(found.p_value, floor, whole)
        drawn = f"sign-flip permutation over contracts ({found.flips:,} seeded flips)"
        return _Test(found.p_value, 1.0 / (1 + found.flips), drawn)
    # chance[s]: that the steps which keep their sign add up to s. Sums of positive halves: no cancellation.
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for step in map(abs, steps):
        chance *= 0.5
        chance[step:] += chance[:-step].copy()
    upper = (total + abs(sum(steps))) // 2  # |2 s - total| >= |observed| from here up, and as often below
    p = 2.0 * float(chance[upper:].sum()) if sum(steps) else 1.0
    return _Test(p, floor, whole)


def corrected(findings: Sequence[Finding], confidence: float, what: str) -> list[Verdict]:
    """Holm over all findings. A difference is shown or not established; that there is none is never claimed."""
    alpha = float(1 - Fraction(str(confidence)))
    adjusted = holm([finding.p for finding in findings], missing="drop")
    level = f"{alpha:.3g}".removeprefix("0")
    verdicts = []
    for finding, p in zip(findings, adjusted.adjusted, strict=True):
        because = finding.shown
        if p is not None:
            because += f", p = {finding.p:.3g}, {p:.3g} after Holm; {finding.data}"
            if finding.floor > alpha:
                because += f": too few, no p below {finding.floor:.3g} is possible"
            elif finding.floor * adjusted.tests > alpha:
                because += f": no p below {finding.floor:.3g} is possible, before Holm"
        rule = f"{finding.test}, Holm over {adjusted.tests} {what} at {level}"
        verdicts.append(
            Verdict(
                name="difference",
                kind="comparison",
                labels=finding.labels,
                claim=finding.claim,
                rule=rule,
                holds=True if p is not None and p <= alpha else None,
                because=because,
            )
        )
    return verdicts
