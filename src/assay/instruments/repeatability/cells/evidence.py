"""From evidence to cells: finished trials of a run as outputs, with their canons and repairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec

from assay.evidence.records import Evidence, Record
from assay.instruments.repeatability.kinds import examined_from, kind_of
from assay.instruments.repeatability.measures.drift import Earlier, canon_for
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.options import RepeatabilityOptions
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.repair import Repair
from assay.instruments.repeatability.scoring import find_anchors
from assay.study import Lock
from assay.vocabulary import Exclusion, Trial

from .cell import Anchor, Canon, Cell, CellKey, Output, due, sorted_cells

__all__ = [
    "REPAIR",
    "REQUEST",
    "RunCells",
    "cell_key",
    "cells_from_evidence",
    "declared_canon",
    "output_of",
    "settings_of",
    "wording_of",
]

REQUEST, REPAIR = "request", "repair"  # stages: an output is asked for, or repaired


class RunCells(NamedTuple):
    cells: list[Cell]
    anchors: list[Anchor]
    settings: Settings
    excluded: list[Exclusion]
    notes: list[str]
    unrepaired: int  # passing outputs that differ from their canon and have not been repaired yet
    earlier: list[tuple[Cell, Earlier | None]]  # where drift is declared: each cell, as an earlier run had it


def cells_from_evidence(lock: Lock, evidence: Evidence, options: RepeatabilityOptions) -> RunCells:
    """Finished trials as cells; what infrastructure lost is counted by its own name."""
    materials = lock.materials["repeatability"]
    contracts = msgspec.convert(materials["contracts"], dict[str, Contract])
    inputs = {key: generated_inputs(contract, lock.study.seed) for key, contract in contracts.items()}
    outputs: dict[CellKey, list[Output]] = {}
    lost: dict[tuple[str, CellKey], int] = {}
    repairs: list[Record] = []
    cut = 0
    for record in evidence:
        if record.trial.stage == REPAIR:
            repairs.append(record)
            continue
        key = cell_key(record.trial, options)
        outputs.setdefault(key, [])
        if record.outcome == "excluded":
            lost[record.reason, key] = lost.get((record.reason, key), 0) + 1
            continue
        cut += record.replies[0].finish == "length"
        outputs[key].append(_output(record, contracts[key.contract], inputs[key.contract]))
    cells = sorted_cells(
        _cell(key, found, contracts[key.contract], options.repetitions) for key, found in outputs.items()
    )
    settings = settings_of(options, lock.study.limits.excluded_share)
    order = sorted((cell.key for cell in cells), key=lambda key: _place(key, lock, options))
    anchors = find_anchors(cells, contracts, settings, lambda key: declared_canon(lock, key), order)
    earlier = [(cell, earlier_cell(lock, cell.key)) for cell in cells] if options.drift_from else []
    gone = _take_repairs(cells, repairs)
    unrepaired = 0
    if options.repair:
        unrepaired = sum(output.code not in cell.repairs for cell, _, output in due(cells, anchors)) - gone
    excluded = [Exclusion(reason, count, key.labels) for (reason, key), count in sorted(lost.items())]
    notes = _notes(cut, gone, contracts, options)
    missing = [
        ", ".join(f"{name} {value}" for name, value in cell.key.labels.items())
        for cell, then in earlier
        if then is None
    ]
    if missing:
        notes.append(f"no earlier canon for {'; '.join(missing)}: held against canons of this run")
    return RunCells(cells, anchors, settings, excluded, notes, unrepaired, earlier)


def _place(key: CellKey, lock: Lock, options: RepeatabilityOptions) -> tuple[int, ...]:
    """Where the study declares a cell: subjects first, then wordings, then what else is varied."""
    return (
        [spec.title for spec in lock.study.specs].index(key.subject),
        key.wording or 0,
        options.top_ps.index(key.top_p) if key.top_p is not None else 0,
        options.temperatures.index(key.temperature) if key.temperature is not None else 0,
    )


def _notes(cut: int, gone: int, contracts: dict[str, Contract], options: RepeatabilityOptions) -> list[str]:
    notes = [f"{cut} replies were cut by their length limit; they are scored as they came"] if cut else []
    notes += [
        f"{name} has {len(contract.paraphrases)} of {options.paraphrases} paraphrases asked for"
        for name, contract in contracts.items()
        if len(contract.paraphrases) < options.paraphrases
    ]
    if gone:
        notes.append(
            f"{gone} repairs were not finished in the time of a trial; those outputs stay as they came"
        )
    return notes


def declared_canon(lock: Lock, key: CellKey) -> Canon | None:
    """The canon that the study names for a cell: of a file of canons, or of an earlier run."""
    given = lock.materials["repeatability"]["canons"].get(key.contract)
    if given is not None:
        return msgspec.convert(given, Canon)
    then = earlier_cell(lock, key)
    return None if then is None else then.canon


def earlier_cell(lock: Lock, key: CellKey) -> Earlier | None:
    earlier = lock.materials["repeatability"]["earlier"]
    return canon_for(key, msgspec.convert(earlier, list[Earlier])) if earlier else None


def settings_of(options: RepeatabilityOptions, excluded_share: float) -> Settings:
    return Settings(
        tau=Fraction(str(options.tau)),
        confidence=options.confidence,
        scope=options.canon_scope,
        excluded_share=Fraction(str(excluded_share)),
        repair=options.repair,
        drift_at_most=options.drift_at_most,
        require=options.require,
    )


def output_of(record: Record, contract: Contract) -> str:
    """What stands in the reply of a request."""
    text = record.replies[0].text
    start, end = kind_of(contract).find(text, contract)
    return text[start:end]


def wording_of(factors: Mapping[str, str | float]) -> int:
    """Which of the contract's prompts is asked by."""
    return int(factors.get("wording", 0))


def cell_key(trial: Trial, options: RepeatabilityOptions) -> CellKey:
    return CellKey(
        trial.instance.item,
        trial.subject,
        trial.sampling.temperature,
        trial.sampling.top_p if options.top_ps else None,
        wording_of(trial.factors) if options.paraphrases else None,
    )


def _cell(key: CellKey, outputs: list[Output], contract: Contract, planned: int) -> Cell:
    return Cell(key, outputs, planned=planned, kind=kind_of(contract))


def _output(record: Record, contract: Contract, inputs: Sequence[dict[str, Any]]) -> Output:
    text = record.replies[0].text
    kind = kind_of(contract)
    start, end = kind.find(text, contract)
    code = text[start:end]
    examined = examined_from(kind.examine(code, contract, inputs), record.computed("execute"))
    judgement = examined.judgement
    return Output(
        repetition=record.trial.instance.repetition,
        code=code,
        state=judgement.state,
        tests_passed=judgement.passed,
        tests=judgement.tests,
        reply=None if code == text else text,
        trial=record.id,
        behaviour=examined.behaviour,
        start=start,
        failing=judgement.failing,
        detail=judgement.detail,
        loaded=examined.loaded,
    )


def _take_repairs(cells: list[Cell], records: list[Record]) -> int:
    """Give every cell what repair made of its outputs; how many repairs came to no end is returned."""
    places = {output.trial: (cell, output) for cell in cells for output in cell.outputs}
    gone = 0
    for record in records:
        cell, output = places[record.trial.inputs[0].partition(":")[0]]
        if record.outcome == "excluded":
            gone += 1
        else:
            cell.repairs[output.code] = msgspec.convert(record.report, Repair)
    return gone
