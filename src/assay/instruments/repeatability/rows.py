"""Scoring outputs that somebody already has: rows in, a result out.

A row is a cell, ``{"contract": …, "subject": …, "temperature": …, "outputs": […]}``, or one output of it,
``{"contract": …, "subject": …, "temperature": …, "output": …}``; outputs are in the order in which they were made.
They are taken as they are: nothing is extracted unless asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from assay.canonical import clean_text
from assay.errors import nearest
from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey, Due, Output, due, sorted_cells
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts, shipped_contracts
from assay.instruments.repeatability.programs.extraction import extract_code
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.languages import check_commands
from assay.instruments.repeatability.programs.oracle import behaviour_of, job_for, judge, read_run
from assay.instruments.repeatability.programs.repair import Repair, repair_program
from assay.measuring.rows import RowData, Rows, open_rows, refuse_duplicates
from assay.sandbox import Sandbox
from assay.vocabulary import Flag, Result

from .protocol import Repeatability
from .scoring import Settings, find_anchors, score_cells

__all__ = ["InputRow", "read_rows", "score_rows"]


AT_ONCE = 64
SEED = 1  # of the generated inputs: rows have no study


Inputs = Sequence[dict[str, Any]]


Name = Annotated[str, Meta(min_length=1)]
Temperature = Annotated[float, Meta(ge=0)] | None
TopP = Annotated[float, Meta(ge=0, le=1)] | None
Wording = Annotated[int, Meta(ge=0)] | None


class InputRow(Struct, frozen=True):
    """A cell."""

    contract: Name
    subject: Name
    outputs: tuple[str, ...]
    temperature: Temperature = None
    top_p: TopP = None
    wording: Wording = None

    @property
    def key(self) -> CellKey:
        return CellKey(self.contract, self.subject, self.temperature, self.top_p, self.wording)


class FlatRow(Struct, frozen=True):
    """One output of a cell."""

    contract: Name
    subject: Name
    output: str
    temperature: Temperature = None
    top_p: TopP = None
    wording: Wording = None

    def cell(self, outputs: Sequence[str]) -> InputRow:
        return InputRow(
            self.contract, self.subject, tuple(outputs), self.temperature, self.top_p, self.wording
        )


def read_rows(data: RowData) -> list[InputRow]:
    """The cells of rows, nested or flat."""
    return [row for _, row in _read_cells(open_rows(data))]


def _read_cells(rows: Rows) -> list[tuple[int, InputRow]]:
    """Every cell with the number of its first row, from rows of one kind."""
    seen: dict[type[InputRow | FlatRow], int] = {}
    nested: list[tuple[int, InputRow]] = []
    flat: list[tuple[int, FlatRow]] = []
    for number, row in rows:
        kind = _kind(rows, number, row)
        seen.setdefault(kind, number)
        if len(seen) == 2:
            places = f"'outputs' in {rows.place} {seen[InputRow]}, 'output' in {rows.place} {seen[FlatRow]}"
            field = "output" if kind is FlatRow else "outputs"
            raise rows.error(number, field, f"{places}; write all rows of a file in one way")
        if kind is FlatRow:
            flat.append((number, rows.convert(number, row, FlatRow)))
        else:
            nested.append((number, rows.convert(number, row, InputRow)))
    advice = "; put the outputs of a cell into one row"
    refuse_duplicates(rows, nested, lambda row: row.key, message=_second, advice=advice)
    return nested or _put_together(flat)


def _second(row: InputRow) -> str:
    where = ", ".join(f"{name} {value}" for name, value in row.key.labels.items())
    return f"a second row for {where}"


def _put_together(flat: Iterable[tuple[int, FlatRow]]) -> list[tuple[int, InputRow]]:
    """Flat rows as cells: the outputs of a cell in the order of their rows, wherever these stand."""
    cells: dict[CellKey, tuple[int, FlatRow, list[str]]] = {}
    for number, row in flat:
        cells.setdefault(row.cell(()).key, (number, row, []))[2].append(row.output)
    return [(number, row.cell(outputs)) for number, row, outputs in cells.values()]


def _kind(rows: Rows, number: int, row: dict[str, Any]) -> type[InputRow | FlatRow]:
    if "output" in row and "outputs" in row:
        raise rows.error(number, "output", "a row has either 'outputs', a list, or 'output', one text")
    return FlatRow if "output" in row else InputRow


def score_rows(
    data: RowData,
    contracts_path: Path | None,
    *,
    settings: Settings | None = None,
    workers: int = 2,
    extract: bool = False,
    allow_unconfined_code: bool = False,
) -> Result:
    """Run every output against its contract's tests, repair what can be, then score the cells."""
    source = open_rows(data)
    numbered = _read_cells(source)
    contracts = load_contracts(contracts_path) if contracts_path else shipped_contracts()
    for number, row in numbered:
        if row.contract not in contracts:
            message = f"unknown contract {row.contract!r}{nearest(row.contract, contracts)}"
            raise source.error(number, "contract", message)
    rows = [row for _, row in numbered]
    check_commands(contracts[row.contract] for row in rows)
    chosen = settings or Settings(repair=True)
    cells, anchors = asyncio.run(
        cells_from_rows(
            rows,
            contracts,
            chosen,
            extract,
            Sandbox(workers=workers, allow_unconfined_code=allow_unconfined_code),
        )
    )
    return score_cells(
        cells,
        anchors,
        chosen,
        source="rows",
        version=Repeatability.version,
        extracted=extract,
        flags=[Flag("Limited Comparability", "not declared first")],
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
    codes = [
        extract_code(text, contract.entry_point, contract.language) if extract else text for text in texts
    ]
    inputs = generated_inputs(contract, SEED)
    runs = await asyncio.gather(*(oracle.run(contract, code) for code in codes))
    explored: dict[str, dict[str, Any]] = {}
    ran = [code for code, run in zip(codes, runs, strict=True) if run["state"] == "ran" and inputs]
    different = list(dict.fromkeys(ran))
    found = await asyncio.gather(*(oracle.run(contract, code, inputs) for code in different))
    explored = dict(zip(different, found, strict=True))
    outputs = []
    for number, (code, text, run) in enumerate(zip(codes, texts, runs, strict=True)):
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
