"""Scoring outputs that somebody already has: rows in, a result out.

A row is a cell, ``{"contract": …, "subject": …, "temperature": …, "outputs": […]}``, or one output of it,
``{"contract": …, "subject": …, "temperature": …, "output": …}``; outputs are in the order in which they were made.
They are taken as they are: nothing is extracted unless asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from assay.canonical import clean_text
from assay.errors import SandboxUnavailable, nearest
from assay.instruments.repeatability.cells.cell import Anchor, Cell, CellKey, Due, Output, due, sorted_cells
from assay.instruments.repeatability.kinds import Examined, SandboxRun, examined_by, kind_of
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts, shipped_contracts
from assay.instruments.repeatability.programs.extraction import holds_block
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.languages import check_commands
from assay.instruments.repeatability.programs.oracle import job_for, judge
from assay.instruments.repeatability.programs.repair import Repair, repair_program
from assay.measuring.outcomes import NOT_DECLARED
from assay.measuring.rows import RowData, Rows, open_rows, refuse_duplicates
from assay.sandbox import CommandJob, Job, Sandbox
from assay.vocabulary import Result

from .protocol import Repeatability
from .scoring import Settings, find_anchors, score_cells

__all__ = ["InputRow", "ScoredCells", "read_rows", "score_rows", "scored_cells"]


AT_ONCE = 64
SEED = 1  # of the generated inputs: rows have no study


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


class NumberedCell(NamedTuple):
    """A cell with the number of its first row, and of the row of each output."""

    number: int
    row: InputRow
    rows: list[int]


def read_rows(data: RowData) -> list[InputRow]:
    """The cells of rows, nested or flat."""
    return [cell.row for cell in _read_cells(open_rows(data))]


def _read_cells(rows: Rows) -> list[NumberedCell]:
    """Every cell, from rows of one kind."""
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
    cells = [NumberedCell(number, row, [number] * len(row.outputs)) for number, row in nested]
    return cells or _put_together(flat)


def _second(row: InputRow) -> str:
    where = ", ".join(f"{name} {value}" for name, value in row.key.labels.items())
    return f"a second row for {where}"


def _put_together(flat: Iterable[tuple[int, FlatRow]]) -> list[NumberedCell]:
    """Flat rows as cells: the outputs of a cell in the order of their rows, wherever these stand."""
    cells: dict[CellKey, list[tuple[int, FlatRow]]] = {}
    for number, row in flat:
        cells.setdefault(row.cell(()).key, []).append((number, row))
    return [
        NumberedCell(
            rows[0][0], rows[0][1].cell([row.output for _, row in rows]), [number for number, _ in rows]
        )
        for rows in cells.values()
    ]


def _kind(rows: Rows, number: int, row: dict[str, Any]) -> type[InputRow | FlatRow]:
    given = [name for name in ("output", "outputs") if name in row]
    if len(given) != 1:
        message = "a row has either 'outputs', a list, or 'output', one text"
        raise rows.error(number, "output", message if given else f"is missing; {message}")
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
    """The result alone."""
    chosen = settings or Settings(repair=True)
    return scored_cells(
        data,
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
    data: RowData,
    contracts_path: Path | None,
    *,
    settings: Settings,
    workers: int = 2,
    extract: bool = False,
    allow_unconfined_code: bool = False,
) -> ScoredCells:
    """Run every output against its contract's tests, repair what can be, then score the cells."""
    source = open_rows(data)
    numbered = _read_cells(source)
    contracts = load_contracts(contracts_path) if contracts_path else shipped_contracts()
    for number, row, _ in numbered:
        if row.contract not in contracts:
            message = f"unknown contract {row.contract!r}{nearest(row.contract, contracts)}"
            raise source.error(number, "contract", message)
    rows = [cell.row for cell in numbered]
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
    places = {cell.row.key: cell.rows for cell in numbered}
    result = score_cells(
        cells,
        anchors,
        settings,
        source="rows",
        version=Repeatability.version,
        extracted=extract,
        flags=[NOT_DECLARED],
        notes=() if extract else _not_read(cells, places),
    )
    return ScoredCells(result, cells, anchors, places)


def _not_read(cells: Sequence[Cell], rows: Mapping[CellKey, Sequence[int]]) -> list[str]:
    """Outputs that are no programs, or no JSON, as they are: most likely whole replies."""
    programs = [cell for cell in cells if cell.kind.noun == "program"]
    values = [cell for cell in cells if cell.kind.name == "json"]
    lost = [(cell.key, output) for cell in programs for output in cell.outputs if not output.loaded]
    unread = [(c.key, output) for c in values for output in c.outputs if c.forms(output.code).fallback]
    found = []
    for which, many, what, part in (
        (lost, programs, "no programs that can be loaded", "program"),
        (unread, values, "not JSON", "JSON"),
    ):
        if not which:
            continue
        note = f"{len(which)} of {sum(cell.n for cell in many)} outputs are {what}"
        fenced = {rows[key][output.repetition] for key, output in which if holds_block(output.code)}
        if fenced:
            places = "1 row has" if len(fenced) == 1 else f"{len(fenced)} rows have"
            note += f"; {places} fenced blocks: --extract takes the {part} out of a whole reply"
        found.append(note)
    return found


async def cells_from_rows(
    rows: Sequence[InputRow],
    contracts: dict[str, Contract],
    settings: Settings,
    extract: bool,
    sandbox: Sandbox,
) -> tuple[list[Cell], list[Anchor]]:
    runs_code = any(contracts[row.contract].is_program for row in rows)
    async with sandbox if runs_code else nullcontext():
        oracle = _Oracle(sandbox)
        cells = sorted_cells(
            await asyncio.gather(*(_cell(row, contracts[row.contract], oracle, extract) for row in rows))
        )
        anchors = find_anchors(cells, contracts, settings, order=[row.key for row in rows])
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

    async def run(self, job: Job | CommandJob) -> dict[str, Any]:
        async with self._gate:
            run = await self._sandbox.run(job)
        if run.state == "lost":  # there is no trial to exclude
            raise SandboxUnavailable(f"two sandbox workers died under one program: {run.detail}")
        return run.comparable()


async def _cell(row: InputRow, contract: Contract, oracle: _Oracle, extract: bool) -> Cell:
    kind = kind_of(contract)
    inputs = generated_inputs(contract, SEED)
    texts = [clean_text(text)[0] for text in row.outputs]
    spans = [kind.find(text, contract) if extract else (0, len(text)) for text in texts]
    codes = [text[start:end] for text, (start, end) in zip(texts, spans, strict=True)]
    once: dict[str, asyncio.Task[dict[str, Any]]] = {}  # runs that equal outputs share

    async def examined(code: str) -> Examined:
        async def run(wanted: SandboxRun) -> dict[str, Any]:
            if not wanted.shared:
                return await oracle.run(wanted.job)
            if code not in once:
                once[code] = asyncio.create_task(oracle.run(wanted.job))
            return await once[code]

        return await examined_by(kind.examine(code, contract, inputs), run)

    found = await asyncio.gather(*map(examined, codes))
    outputs = [
        Output(
            number,
            code,
            judged.state,
            judged.passed,
            judged.tests,
            reply=None if code == text else text,
            behaviour=behaviour,
            start=start,
            failing=judged.failing,
            detail=judged.detail,
            loaded=loaded,
        )
        for number, (code, text, (start, _), (judged, behaviour, loaded)) in enumerate(
            zip(codes, texts, spans, found, strict=True)
        )
    ]
    return Cell(row.key, outputs, kind=kind)


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
        run = await oracle.run(job_for(contract, proposal.source))
        passes = judge(contract, run).state == "pass"
