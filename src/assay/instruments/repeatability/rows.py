"""Scoring outputs that somebody already has: JSON Lines in, a result out.

A row is ``{"contract": …, "subject": …, "temperature": …, "outputs": […]}``, the outputs in the order in which they
were made. They are taken as they are: nothing is extracted unless asked for.
"""

from __future__ import annotations

import asyncio
import difflib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct, convert

from assay.canonical import clean_text
from assay.errors import InputError, UnknownName
from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey, Due, Output, due, sorted_cells
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts, shipped_contracts
from assay.instruments.repeatability.programs.extraction import find_code
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.languages import check_commands
from assay.instruments.repeatability.programs.oracle import behaviour_of, job_for, judge, read_run
from assay.instruments.repeatability.programs.repair import Repair, repair_program
from assay.measuring.outcomes import NOT_DECLARED
from assay.measuring.rows import decode_row, rows_of, with_old_names
from assay.sandbox import Sandbox
from assay.vocabulary import Result

from .protocol import Repeatability
from .scoring import Settings, find_anchors, score_cells

__all__ = ["InputRow", "ScoredCells", "read_rows", "score_rows", "scored_cells"]


AT_ONCE = 64
SEED = 1  # of the generated inputs: rows have no study


Inputs = Sequence[dict[str, Any]]


class InputRow(Struct, frozen=True):
    contract: Annotated[str, Meta(min_length=1)]
    subject: Annotated[str, Meta(min_length=1)]
    outputs: tuple[str, ...]
    temperature: float | None = None
    top_p: float | None = None
    wording: Annotated[int, Meta(ge=0)] | None = None

    @property
    def key(self) -> CellKey:
        return CellKey(self.contract, self.subject, self.temperature, self.top_p, self.wording)


def read_rows(path: Path) -> list[InputRow]:
    """JSON Lines, plain or gzipped; a line that cannot be read is named."""
    return [row for _, row in rows_of(path, _decode_row)]


def _decode_row(line: bytes) -> InputRow:
    value = with_old_names(decode_row(line, dict[str, Any]))
    for name in value:  # a row may have fields of its own; a near miss of one of ours is a typo
        close = difflib.get_close_matches(name.lower(), InputRow.__struct_fields__, n=1, cutoff=0.85)
        if close and close[0] not in value:
            raise ValueError(f"unknown field {name}; did you mean {close[0]}?")
    row = convert(value, InputRow)
    for name, number, most in (("temperature", row.temperature, math.inf), ("top_p", row.top_p, 1.0)):
        if number is not None and not math.isfinite(number):
            raise ValueError(f"{name} {number} is not a finite number")
        if number is not None and not 0 <= number <= most:
            raise ValueError(f"{name} {number:g} is {'below 0' if number < 0 else 'above 1'}")
    return row


def score_rows(
    path: Path,
    contracts_path: Path | None,
    *,
    settings: Settings | None = None,
    workers: int = 2,
    extract: bool = False,
    allow_unconfined_code: bool = False,
) -> Result:
    """The result alone."""
    chosen = settings or Settings(repair=True)
    return scored_cells(
        path,
        contracts_path,
        settings=chosen,
        workers=workers,
        extract=extract,
        allow_unconfined_code=allow_unconfined_code,
    ).result


class ScoredCells(NamedTuple):
    """A result with what it was scored from. ``rows`` are the numbers of the rows that a cell's outputs stand in."""

    result: Result
    cells: list[Cell]
    anchors: list[Anchor]
    rows: dict[CellKey, list[int]]


def scored_cells(
    path: Path,
    contracts_path: Path | None,
    *,
    settings: Settings,
    workers: int = 2,
    extract: bool = False,
    allow_unconfined_code: bool = False,
) -> ScoredCells:
    """Run every output against its contract's tests, repair what can be, then score the cells."""
    numbered = list(rows_of(path, _decode_row))
    contracts = load_contracts(contracts_path) if contracts_path else shipped_contracts()
    _check_rows(numbered, contracts, str(path))
    rows = [row for _, row in numbered]
    check_commands(contracts[row.contract] for row in rows)
    cells, anchors = asyncio.run(
        cells_from_rows(
            rows,
            contracts,
            settings,
            extract,
            Sandbox(workers=workers, allow_unconfined_code=allow_unconfined_code),
        )
    )
    result = score_cells(
        cells,
        anchors,
        settings,
        source="rows",
        version=Repeatability.version,
        extracted=extract,
        flags=[NOT_DECLARED],
    )
    return ScoredCells(result, cells, anchors, {row.key: [n] * len(row.outputs) for n, row in numbered})


def _check_rows(rows: Sequence[tuple[int, InputRow]], contracts: dict[str, Contract], file: str) -> None:
    seen: dict[CellKey, int] = {}
    for number, row in rows:
        if row.contract not in contracts:
            raise UnknownName("contract", row.contract, contracts, file=file, line=number)
        first = seen.setdefault(row.key, number)
        if first != number:
            where = ", ".join(f"{name} {value}" for name, value in row.key.labels.items())
            raise InputError(
                f"a second row for {where}, after line {first}; put the outputs of a cell into one row",
                file=file,
                line=number,
            )


async def cells_from_rows(
    rows: Sequence[InputRow],
    contracts: dict[str, Contract],
    settings: Settings,
    extract: bool,
    sandbox: Sandbox,
) -> tuple[list[Cell], list[Anchor]]:
    async with sandbox:
        oracle = _Oracle(sandbox)
        cells = sorted_cells(
            await asyncio.gather(*(_cell(row, contracts[row.contract], oracle, extract) for row in rows))
        )
        anchors = find_anchors(cells, contracts, settings)
        if settings.repair:
            found = due(cells, anchors)
            repairs = await asyncio.gather(
                *(_repair(d, contracts[d.cell.key.contract], oracle) for d in found)
            )
            for (cell, _, output), repair in zip(found, repairs, strict=True):
                cell.repairs[output.code] = repair
    return cells, anchors


class _Oracle:
    """The sandbox for many at once: a few wait at its door, the others have not been begun."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox, self._gate = sandbox, asyncio.Semaphore(AT_ONCE)

    async def run(self, contract: Contract, code: str, inputs: Inputs | None = None) -> dict[str, Any]:
        async with self._gate:
            run = await self._sandbox.run(job_for(contract, code, inputs))
        return read_run(contract, code, run.comparable(), inputs)


async def _cell(row: InputRow, contract: Contract, oracle: _Oracle, extract: bool) -> Cell:
    texts = [clean_text(text)[0] for text in row.outputs]
    spans = [
        find_code(text, contract.entry_point, contract.language) if extract else (0, len(text))
        for text in texts
    ]
    codes = [text[start:end] for text, (start, end) in zip(texts, spans, strict=True)]
    inputs = generated_inputs(contract, SEED)
    runs = await asyncio.gather(*(oracle.run(contract, code) for code in codes))
    explored: dict[str, dict[str, Any]] = {}
    ran = [code for code, run in zip(codes, runs, strict=True) if run["state"] == "ran" and inputs]
    different = list(dict.fromkeys(ran))
    found = await asyncio.gather(*(oracle.run(contract, code, inputs) for code in different))
    explored = dict(zip(different, found, strict=True))
    outputs = []
    for number, (code, text, run, (start, _)) in enumerate(zip(codes, texts, runs, spans, strict=True)):
        judged = judge(contract, run)
        outputs.append(
            Output(
                number,
                code,
                judged.state,
                judged.passed,
                judged.tests,
                reply=None if code == text else text,
                behaviour=behaviour_of(run, explored.get(code)),
                start=start,
                failing=judged.failing,
                detail=judged.detail,
            )
        )
    return Cell(row.key, outputs, keep=contract.keep, language=contract.language)


async def _repair(due: Due, contract: Contract, oracle: _Oracle) -> Repair:
    assert due.anchor.canon is not None
    steps = repair_program(due.output.code, due.anchor.canon.code, contract.keep)
    passes: bool | None = None
    while True:
        try:
            proposal = next(steps) if passes is None else steps.send(passes)
        except StopIteration as stop:
            repair: Repair = stop.value
            return repair
        run = await oracle.run(contract, proposal.source)
        passes = judge(contract, run).state == "pass"
