"""What the outputs amount to. Pure: the same cells give the same measures, byte for byte.

Shares count the canon itself, as the spec defines them; their intervals come from the outputs after the canon,
because those before it were looked at to find it. The interval of a modal share holds although the mode was
picked after seeing the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from msgspec import Struct

from assay.canonical import real
from assay.errors import IntegrityError
from assay.stats import Interval, bounded_mean, clopper_pearson, modal_share
from assay.vocabulary import Exclusion, Flag, Measure, Result

from .cells import Anchor, Canon, Cell, versions
from .contracts import Contract

__all__ = ["LEVEL_NAMES", "Settings", "find_anchors", "score_cells"]

LEVEL_NAMES = ("text", "ast")
OUTSIDE = "the value counts the canon and the outputs before it, the interval is of those after it"
NO_CANON = "no output passed the oracle, so there is no canon"


class Settings(Struct, frozen=True):
    tau: Fraction = Fraction(1, 10)
    confidence: float = 0.95
    scope: str = "cell"  # cell, subject or contract
    excluded_share: Fraction = Fraction(1, 10)


def find_anchors(
    cells: Sequence[Cell], contracts: dict[str, Contract], settings: Settings, declared: dict[str, Canon]
) -> list[Anchor]:
    """The canon of every cell, by the declared scope. A declared older canon comes before all others."""
    found: dict[tuple[object, ...], tuple[int, Canon]] = {}
    for position, cell in enumerate(cells):
        index = cell.first_passing()
        if index is not None:
            code = cell.outputs[index].code
            canon = Canon(
                contract=cell.key.contract, snapshot=contracts[cell.key.contract].snapshot, code=code
            )
            found.setdefault(_scope(cell, settings.scope), (position, canon))
    anchors = []
    for position, cell in enumerate(cells):
        if cell.key.contract in declared:
            anchors.append(Anchor(declared[cell.key.contract], None, "declared"))
            continue
        holder, canon_ = found.get(_scope(cell, settings.scope), (-1, None))
        if canon_ is None:
            anchors.append(Anchor(None, None, "none"))
        elif holder == position:
            anchors.append(Anchor(canon_, cell.first_passing(), "this cell"))
        else:
            anchors.append(Anchor(canon_, None, "another cell"))
    return anchors


def _scope(cell: Cell, scope: str) -> tuple[object, ...]:
    key = cell.key
    return {
        "cell": (key.contract, key.model, key.temperature),
        "subject": (key.contract, key.model),
        "contract": (key.contract,),
    }[scope]


def score_cells(
    cells: Sequence[Cell],
    anchors: Sequence[Anchor],
    settings: Settings,
    *,
    source: str,
    version: str,
    extracted: bool | None = None,  # by default as the source has it: a ledger holds whole replies
    excluded: Sequence[Exclusion] = (),
    flags: Sequence[Flag] = (),
    notes: Sequence[str] = (),
) -> Result:
    """The Reading's result for a set of cells and their canons, in the order given."""
    measures: list[Measure] = []
    for cell, anchor in zip(cells, anchors, strict=True):
        measures += _cell_measures(cell, anchor, settings, whole_replies=source == "ledger")
    check_consistency(measures)
    return Result(
        instrument="repeatability",
        version=version,
        source="ledger" if source == "ledger" else "rows",
        measures=tuple(measures),
        excluded=tuple(excluded),
        flags=tuple(flags),
        notes=tuple(notes),
        versions=versions(extracted=source == "ledger" if extracted is None else extracted),
    )


def _cell_measures(cell: Cell, anchor: Anchor, settings: Settings, *, whole_replies: bool) -> list[Measure]:
    flags = _cell_flags(cell, settings)
    measures = [
        _modal("R_raw", cell.raw_counts(), cell, settings, flags),
        _modal("R_ast", cell.ast_counts(), cell, settings, flags),
    ]
    if whole_replies:
        measures.append(_modal("R_reply", cell.reply_counts(), cell, settings, flags))
    passed = sum(output.passed for output in cell.outputs)
    measures.append(
        _measure("pass_rate", clopper_pearson(passed, cell.n, settings.confidence), cell, flags, "no outputs")
    )
    measures.append(_canon_index(cell, anchor, flags))
    for level in LEVEL_NAMES:
        measures += _anchored(cell, anchor, level, settings, flags)
    return measures


def _cell_flags(cell: Cell, settings: Settings) -> tuple[Flag, ...]:
    lost = cell.planned - cell.n
    if lost <= 0:
        return ()
    cause = f"{lost} of {cell.planned} outputs excluded"
    if Fraction(lost, cell.planned) > settings.excluded_share:
        return (Flag("Invalid", f"{cause}, more than the declared share"),)
    return (Flag("Provisional", cause),)


def _modal(name: str, counts: list[int], cell: Cell, settings: Settings, flags: tuple[Flag, ...]) -> Measure:
    return _measure(
        name,
        modal_share(counts, settings.confidence),
        cell,
        flags,
        "no outputs",
        spec_value=0.0,  # spec, R_raw: "Empty output set"
    )


def _measure(
    name: str,
    interval: Interval,
    cell: Cell,
    flags: tuple[Flag, ...],
    why_null: str,
    *,
    spec_value: float | None = None,
) -> Measure:
    empty = interval.value is None
    return Measure(
        name=name,
        value=real(interval.value),
        low=None if empty else real(interval.low),
        high=None if empty else real(interval.high),
        confidence=interval.confidence,
        spec_value=spec_value if empty else None,
        n=interval.n,
        units="share",
        method=interval.method,
        labels=cell.key.labels,
        flags=flags,
        notes=(why_null,) if empty else (),
    )


def _canon_index(cell: Cell, anchor: Anchor, flags: tuple[Flag, ...]) -> Measure:
    notes: tuple[str, ...] = ()
    if anchor.canon is None:
        notes = (NO_CANON,)
    elif anchor.index is None:
        notes = (
            f"the canon comes from {anchor.source}"
            if anchor.source != "declared"
            else "the canon was declared",
        )
    labels = dict(cell.key.labels)
    if anchor.canon is not None:
        labels["canon"] = anchor.canon.digest
    return Measure(
        name="canon_index",
        value=None if anchor.index is None else float(anchor.index),
        n=cell.n,
        units="position",
        method="first output by repetition number that passes every test",
        labels=labels,
        flags=flags,
        notes=notes,
    )


def _anchored(
    cell: Cell, anchor: Anchor, level: str, settings: Settings, flags: tuple[Flag, ...]
) -> list[Measure]:
    labels = {**cell.key.labels, "level": level}
    labelled = {"P_tau_pre": {**labels, "tau": float(settings.tau)}}
    if anchor.canon is None or not cell.n:
        why = NO_CANON if anchor.canon is None else "no outputs"
        conventional = {"R_anchor_pre": 0.0, "mu_pre": 1.0, "P_tau_pre": 0.0}  # spec, "Missing canon"
        return [
            Measure(
                name=name,
                value=None,
                spec_value=value,
                n=cell.n,
                units="distance" if name == "mu_pre" else "share",
                labels=labelled.get(name, labels),
                flags=flags,
                notes=(why,),
            )
            for name, value in conventional.items()
        ]
    distances = [cell.distance(output.code, anchor.canon.code, level) for output in cell.outputs]
    later = distances if anchor.index is None else distances[anchor.index + 1 :]
    confidence, basis = settings.confidence, f"{len(later)} outputs after the canon"
    if anchor.index is None:
        basis = "all outputs; the canon is not one of them"
    same = clopper_pearson(sum(d == 0 for d in later), len(later), confidence)
    near = clopper_pearson(sum(d <= settings.tau for d in later), len(later), confidence)
    mean = bounded_mean([float(d) for d in later], confidence)

    def measure(name: str, value: Fraction, interval: Interval, units: str) -> Measure:
        return Measure(
            name=name,
            value=real(float(value)),
            low=real(interval.low),
            high=real(interval.high),
            confidence=confidence,
            n=cell.n,
            units=units,
            method=f"{interval.method}; interval from {basis}",
            labels=labelled.get(name, labels),
            flags=flags,
            notes=() if interval.low <= value <= interval.high else (OUTSIDE,),
        )

    n = cell.n
    return [
        measure("R_anchor_pre", Fraction(sum(d == 0 for d in distances), n), same, "share"),
        measure("mu_pre", sum(distances, Fraction(0)) / n, mean, "distance"),
        measure("P_tau_pre", Fraction(sum(d <= settings.tau for d in distances), n), near, "share"),
    ]


def check_consistency(measures: Iterable[Measure]) -> None:
    """The spec's validation rules. A breach is a fault of ours, and nothing is reported."""
    by_cell: dict[tuple[object, ...], dict[str, float]] = {}
    for measure in measures:
        if measure.value is None:
            continue
        if measure.units in ("share", "distance") and not 0.0 <= measure.value <= 1.0:
            raise IntegrityError(f"{measure.name} = {measure.value} is outside [0, 1]")
        where: tuple[object, ...] = tuple(
            measure.labels.get(k) for k in ("contract", "model", "temperature", "level")
        )
        by_cell.setdefault(where, {})[measure.name] = measure.value
    for where, values in by_cell.items():
        for name in ("R_raw", "R_ast"):
            if name in values and values[name] <= 0:
                raise IntegrityError(f"{name} of {where} is zero although there are outputs")
        if "P_tau_pre" in values and values["P_tau_pre"] < values["R_anchor_pre"]:
            raise IntegrityError(f"fewer outputs of {where} are near the canon than equal to it")
