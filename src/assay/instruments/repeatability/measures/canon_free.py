"""Measures that need no canon: how often the same output, at every rung of the ladder, and how many there are."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from assay.canonical import real
from assay.instruments.repeatability.cells.cell import Cell
from assay.measuring import plain_measure
from assay.stats import (
    Entropy,
    Interval,
    Unseen,
    clopper_pearson,
    distinct,
    modal_share,
    novelty,
    pairwise_agreement,
    pairwise_mean,
    shannon_entropy,
    unseen_chao1,
)
from assay.vocabulary import Flag, Measure

from .pairs import mean_distance
from .settings import NO_OUTPUTS, Settings, cell_measure
from .unseen_behaviour import BEHAVIOUR, NOT_LOADED, UNSEEN_BOUNDS, UnseenBehaviour, unseen_behaviour

__all__ = ["canon_free_measures"]

UNBOUNDED = "no upper end holds without assuming what the programs that were not seen are like"
ONE_OUTPUT = "a pair needs two outputs"


def canon_free_measures(
    cell: Cell, settings: Settings, flags: tuple[Flag, ...], *, whole_replies: bool
) -> list[Measure]:
    confidence = settings.confidence

    def modal(name: str, counts: list[int], labels: dict[str, str | float] | None = None) -> Measure:
        # spec, R_raw: "Empty output set: R_raw = 0.0"
        found = modal_share(counts, confidence)
        return cell_measure(name, found, cell, flags, spec_value=0.0, labels=labels or {})

    def of_rung(rung: str) -> list[Measure]:
        found = [
            modal("R", cell.rung_counts(rung), {"rung": rung}),
            *_diversity(cell, rung, settings, flags),
        ]
        if rung == BEHAVIOUR and cell.n and not cell.loaded:
            return [_without_value(measure) for measure in found]
        unseen = unseen_behaviour(cell, rung)
        return found if unseen is None else [_bounded(measure, unseen) for measure in found]

    measures = [modal("R_raw", cell.raw_counts())]
    if "ast" in cell.levels:
        measures.append(modal("R_ast", cell.same_counts()))
    if whole_replies:
        measures.append(modal("R_reply", cell.reply_counts()))
    passed = sum(output.passed for output in cell.outputs)
    measures.append(cell_measure("pass_rate", clopper_pearson(passed, cell.n, confidence), cell, flags))
    for rung in cell.rungs:
        measures += of_rung(rung)
    measures += [_field(cell, name, settings, flags) for name in cell.kind.fields]
    return [*measures, _pairwise_distance(cell, settings, flags)]


def _diversity(cell: Cell, rung: str, settings: Settings, flags: tuple[Flag, ...]) -> list[Measure]:
    confidence = settings.confidence
    labels: dict[str, str | float] = {"rung": rung}
    counts = tuple(cell.rung_counts(rung))
    agreement, entropy, unseen, novel = _spread(counts, confidence)

    def without_interval(name: str, value: float | None, units: str, method: str) -> Measure:
        return plain_measure(
            name,
            value,
            {**cell.key.labels, **labels},
            n=cell.n,
            units=units,
            method=method,
            why_null=NO_OUTPUTS,
            flags=flags,
        )

    return [
        cell_measure("pairwise_agreement", agreement, cell, flags, labels=labels, why_null=_few(cell)),
        msgspec.structs.replace(
            without_interval("entropy", entropy.value, "bits", entropy.method),
            low=real(entropy.low) if cell.n else None,
            confidence=confidence if cell.n else None,
            notes=(UNBOUNDED,) if cell.n else (NO_OUTPUTS,),
        ),
        without_interval("distinct", float(distinct(counts)) if cell.n else None, "programs", "count"),
        without_interval("unseen", unseen.value, "programs", f"{unseen.method}: at least, by estimate"),
        cell_measure("novelty", novel, cell, flags, labels=labels),
    ]


def _without_value(measure: Measure) -> Measure:
    return plain_measure(
        measure.name,
        None,
        measure.labels,
        n=measure.n,
        units=measure.units,
        method=measure.method,
        why_null=NOT_LOADED,
        flags=measure.flags,
    )


def _bounded(measure: Measure, unseen: UnseenBehaviour) -> Measure:
    """With what it would be if unseen programs behaved like as many others as possible, or like none."""
    n, joined = measure.n, unseen.joined
    other = {
        "R": max(joined) / n,
        "pairwise_agreement": sum(c * (c - 1) for c in joined) / (n * (n - 1)) if n > 1 else None,
        "entropy": shannon_entropy(joined).value,
        "distinct": float(len(joined)),
        "novelty": unseen.fewest_single / n,
    }.get(measure.name)
    notes = (*measure.notes, unseen.note)
    if measure.value is None or other is None:
        more = (UNSEEN_BOUNDS,) if measure.name == "unseen" else ()
        return msgspec.structs.replace(measure, notes=(*notes, *more))
    low, high = sorted((measure.value, other))
    return msgspec.structs.replace(measure, bound_low=real(low), bound_high=real(high), notes=notes)


@lru_cache(maxsize=4096)  # rungs of a cell, and cells, often have the same counts
def _spread(counts: tuple[int, ...], confidence: float) -> tuple[Interval, Entropy, Unseen, Interval]:
    return (
        pairwise_agreement(counts, confidence),
        shannon_entropy(counts, confidence),
        unseen_chao1(counts),
        novelty(counts, confidence),
    )


def _field(cell: Cell, name: str, settings: Settings, flags: tuple[Flag, ...]) -> Measure:
    """The share of pairs of outputs that have the same at a field."""
    found = pairwise_agreement(cell.field_counts(name), settings.confidence)
    return cell_measure("field_agreement", found, cell, flags, labels={"field": name}, why_null=_few(cell))


def _few(cell: Cell) -> str:
    return NO_OUTPUTS if cell.n == 0 else ONE_OUTPUT


def _pairwise_distance(cell: Cell, settings: Settings, flags: tuple[Flag, ...]) -> Measure:
    level = cell.levels[-1]
    found = mean_distance([cell.form(output.code, level) for output in cell.outputs])
    interval = pairwise_mean(found.mean or 0.0, found.n, settings.confidence)
    measure = cell_measure(
        "pairwise_distance",
        interval,
        cell,
        flags,
        labels={"level": level},
        units="distance",
        why_null=_few(cell),
    )
    if found.n == cell.n:
        return measure
    return msgspec.structs.replace(measure, notes=(*measure.notes, f"of the first {found.n} outputs"))
