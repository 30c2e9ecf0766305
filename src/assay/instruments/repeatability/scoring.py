"""What the outputs amount to. Pure: the same cells give the same measures, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from assay.errors import IntegrityError
from assay.instruments.repeatability.cells.canons import make_canon
from assay.instruments.repeatability.cells.cell import Anchor, Canon, Cell, CellKey, due
from assay.instruments.repeatability.cells.records import versions
from assay.instruments.repeatability.measures.anchored import anchored_measures, canon_index
from assay.instruments.repeatability.measures.canon_free import canon_free_measures
from assay.instruments.repeatability.measures.comparisons import compare_cells
from assay.instruments.repeatability.measures.drift import Earlier, drift_measures
from assay.instruments.repeatability.measures.settings import Settings, cell_flags
from assay.instruments.repeatability.measures.targets import TARGETS
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.ladder import contradictions
from assay.instruments.repeatability.programs.repair import LONGEST
from assay.measuring.requirements import requirement_verdicts
from assay.vocabulary import Exclusion, Flag, Measure, Result, Verdict

__all__ = ["Settings", "find_anchors", "score_cells"]


def find_anchors(
    cells: Sequence[Cell],
    contracts: dict[str, Contract],
    settings: Settings,
    declared: Callable[[CellKey], Canon | None] = lambda _: None,
    order: Sequence[CellKey] = (),
) -> list[Anchor]:
    """The canon of every cell, by the declared scope. A declared older canon comes before all others.

    ``order`` is that in which cells were declared: of cells that share a canon the first with a passing output gives
    it (spec, Single Canon: "established by the first compliant output"). By default it is that of the cells.
    """
    found: dict[tuple[object, ...], tuple[int, Canon]] = {}
    places = {key: place for place, key in enumerate(order)}
    by_order = sorted(enumerate(cells), key=lambda pair: places.get(pair[1].key, len(places)))
    for position, cell in by_order:
        index = cell.first_passing()
        if index is not None:
            code = cell.outputs[index].code
            snapshot = contracts[cell.key.contract].snapshot
            canon = make_canon(cell.key.contract, snapshot, code, cell.kind)
            found.setdefault(_scope(cell, settings.scope), (position, canon))
    anchors = []
    for position, cell in enumerate(cells):
        older = declared(cell.key)
        if older is not None:
            anchors.append(Anchor(older, None, "declared"))
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
    return {"cell": (key,), "subject": (key.contract, key.subject), "contract": (key.contract,)}[scope]


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
    subjects: Sequence[str] = (),
    earlier: Sequence[tuple[Cell, Earlier | None]] = (),
) -> Result:
    """The Reading's result for a set of cells and their canons, in the order given.

    ``subjects`` is the order in which they were declared: by it the first is known, with which others are compared.
    """
    measures: list[Measure] = []
    for cell, anchor in zip(cells, anchors, strict=True):
        measures += _cell_measures(cell, anchor, settings, whole_replies=source == "ledger")
    check_consistency(measures)
    required = requirement_verdicts(measures, settings.require, TARGETS, [cell.key.labels for cell in cells])
    verdicts: list[Verdict] = []  # those of differences first, in the differences' order
    declared = subjects or list(dict.fromkeys(cell.key.subject for cell in cells))
    for found in (
        compare_cells(cells, measures, settings.confidence, declared),
        drift_measures(earlier, settings),
    ):
        measures += found.measures
        verdicts += found.verdicts
    return Result(
        instrument="repeatability",
        version=version,
        source="ledger" if source == "ledger" else "rows",
        measures=tuple(measures),
        verdicts=(*verdicts, *required),
        excluded=tuple(excluded),
        flags=tuple(flags),
        notes=(*notes, *_said(cells, anchors, settings)),
        versions=versions(
            cells,
            extracted=source == "ledger" if extracted is None else extracted,
            repaired=settings.repair,
        ),
    )


def _caveats(cells: Sequence[Cell]) -> list[str]:
    """Said plainly: what was not read as a program was not compared as one."""
    found = sorted({(c.kind.name, c.key.contract, c.kind.caveat) for c in cells if c.kind.caveat})
    return [f"{contract} {caveat}" for _, contract, caveat in found]


def _said(cells: Sequence[Cell], anchors: Sequence[Anchor], settings: Settings) -> list[str]:
    """What a reader of the numbers should know, and none of them shows."""
    said = _caveats(cells)
    if settings.repair:
        long = sum(len(output.code) > LONGEST for _, _, output in due(cells, anchors))
        if long:
            said.append(f"{long} programs of more than {LONGEST:,} characters were not repaired")
    apart = sum(
        contradictions([output.behaviour for output in cell.outputs], cell.ladder["names"])
        for cell in cells
        if "names" in cell.ladder
    )
    if apart:
        said.append(
            f"{apart} groups of programs that differ in names at most gave different results; they count as one: "
            "usually such a program differs from itself when it is run twice"
        )
    return said


def _cell_measures(cell: Cell, anchor: Anchor, settings: Settings, *, whole_replies: bool) -> list[Measure]:
    flags = cell_flags(cell, settings)
    measures = canon_free_measures(cell, settings, flags, whole_replies=whole_replies)
    measures.append(canon_index(cell, anchor, flags))
    for level in cell.levels:
        measures += anchored_measures(cell, anchor, level, settings, flags)
    return measures


_RANGES = {"share": (0.0, 1.0), "distance": (0.0, 1.0)}
_CELL = ("contract", "subject", "temperature", "top_p", "wording", "level")
# spec, Logical Consistency: what must not be less than what.
_ORDERED = (
    ("P_tau_pre", "R_anchor_pre"),
    ("P_tau_post", "R_anchor"),
    ("R_anchor", "R_anchor_pre"),
    ("P_tau_post", "P_tau_pre"),
    ("mu_pre", "mu_post"),
)


def check_consistency(measures: Iterable[Measure]) -> None:
    """The spec's validation rules. A breach is a fault of ours, and nothing is reported."""
    by_cell: dict[tuple[object, ...], dict[str, float]] = {}
    for measure in measures:
        if measure.value is None or measure.units not in _RANGES:
            continue
        low, high = (-1.0, 0.0) if measure.name == "delta_mu" else _RANGES[measure.units]
        if not low <= measure.value <= high:
            raise IntegrityError(f"{measure.name} = {measure.value} is outside [{low:g}, {high:g}]")
        cell: tuple[object, ...] = tuple(measure.labels.get(k) for k in _CELL)
        by_cell.setdefault(cell, {})[measure.name] = measure.value
    for labels, values in by_cell.items():
        where = ", ".join(str(label) for label in labels if label is not None)
        for name in ("R_raw", "R_ast"):
            if name in values and values[name] <= 0:
                raise IntegrityError(f"{name} of {where} is zero although there are outputs")
        for more, less in _ORDERED:
            if more in values and less in values and values[more] < values[less]:
                raise IntegrityError(f"{more} of {where} is less than its {less}")
