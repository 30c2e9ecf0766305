"""The outputs of the calibration, worked out once by the instrument itself: oracle, normal forms, ladder,
distances, repair. What comes out are tables of numbers, which is all that a simulated cell needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.errors import SandboxUnavailable
from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import OutputKind, SandboxRun, examined_by, kind_of
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.oracle import job_for, judge
from assay.instruments.repeatability.programs.repair import Proposal, Repair, repair_program
from assay.sandbox import CommandJob, Job, Sandbox

__all__ = ["MEANS", "SHARES", "CanonTables", "SimulatedOutputs", "judged", "tables_of"]

SEED = 1  # of the generated inputs
SHARES = ("R_anchor_pre", "P_tau_pre", "R_anchor", "rescue_rate", "P_tau_post", "delta_P_tau")
MEANS = ("mu_pre", "mu_post", "gain")
AT_ONCE = 64

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Pair = tuple[int, int]  # of an output and a canon, by number


class CanonTables(Struct, frozen=True):
    """For each canon (a row) and output (a column) what it counts for; NaN where they do not meet.

    ``tables`` are by level and name: 0 or 1 for a share, a distance for a mean.
    """

    row: dict[int, int]
    tables: dict[str, dict[str, Floats]]


class SimulatedOutputs(Struct, frozen=True):
    """Outputs of one contract by number, as the oracle judged them, with their classes at every rung."""

    kind: OutputKind
    outputs: tuple[Output, ...]
    forms: tuple[str, ...]  # normal form of the widest level, over which outputs are compared pair by pair
    passed: npt.NDArray[np.bool_]
    classes: dict[str, Ids]  # rung → class of each output; "raw" and "tree" for R_raw and R_ast; fields

    @property
    def rungs(self) -> tuple[str, ...]:
        return self.kind.rungs

    @property
    def levels(self) -> tuple[str, ...]:
        return self.kind.levels

    @property
    def modal(self) -> tuple[tuple[str, str], ...]:
        """Measures of the most frequent output that no rung has, and their classes."""
        trees = (("R_ast", "tree"),) if "ast" in self.levels else ()
        return (("R_raw", "raw"), *trees)


async def _run(job: Job | CommandJob, sandbox: Sandbox) -> dict[str, Any]:
    return (await sandbox.run(job)).comparable()


async def judged(contract: Contract, codes: Sequence[str], sandbox: Sandbox) -> SimulatedOutputs:
    """Every output through the oracle, each once."""
    kind, inputs = kind_of(contract), generated_inputs(contract, SEED)
    gate = asyncio.Semaphore(AT_ONCE)

    async def run(wanted: SandboxRun) -> dict[str, Any]:
        async with gate:
            found = await _run(wanted.job, sandbox)
        if found["state"] not in ("ran", "exception"):
            raise SandboxUnavailable(
                f"a program of known make was cut off ({found['state']}): "
                "the machine is too busy to calibrate on; try again with fewer workers"
            )
        return found

    different = list(dict.fromkeys(codes))
    found = await asyncio.gather(
        *(examined_by(code, kind.examine(code, contract, inputs), run) for code in different)
    )
    known = dict(zip(different, found, strict=True))
    outputs = []
    for number, code in enumerate(codes):
        judgement, behaviour, loaded = known[code]
        outputs.append(
            Output(
                number,
                code,
                judgement.state,
                judgement.passed,
                judgement.tests,
                behaviour=behaviour,
                loaded=loaded,
            )
        )
    cell = Cell(CellKey(contract.id, "calibration"), outputs, kind=kind)
    classes = {rung: _numbered(found) for rung, found in cell.ladder.items()}
    return SimulatedOutputs(
        kind=kind,
        outputs=tuple(outputs),
        forms=tuple(cell.form(code, kind.levels[-1]) for code in codes),
        passed=np.array([output.passed for output in outputs]),
        classes={
            **classes,
            "raw": classes["bytes"],
            "tree": _numbered([kind.same(cell.forms(code)) for code in codes]),
            **{name: _numbered(cell.field_classes(name)) for name in kind.fields},
        },
    )


def _numbered(found: Sequence[Hashable]) -> Ids:
    numbers = {one: number for number, one in enumerate(dict.fromkeys(found))}
    return np.array([numbers[one] for one in found], dtype=np.int64)


async def tables_of(
    contract: Contract,
    simulated: SimulatedOutputs,
    pairs: Sequence[Pair],
    settings: Settings,
    sandbox: Sandbox,
) -> CanonTables:
    """Distances of all pairs that can meet, before and after repair against the oracle."""
    outputs, levels = simulated.outputs, simulated.levels
    cell = Cell(CellKey(contract.id, "calibration"), list(outputs), kind=simulated.kind)
    far = {
        (level, pair): cell.distance(outputs[pair[0]].code, outputs[pair[1]].code, level)
        for level in levels
        for pair in pairs
    }
    due = [
        p
        for p in pairs
        if simulated.kind.repairs and simulated.passed[p[0]] and any(far[level, p] for level in levels)
    ]
    repairs = await _repaired(contract, {p: (outputs[p[0]].code, outputs[p[1]].code) for p in due}, sandbox)
    canons = sorted({canon for _, canon in pairs})
    row = {canon: number for number, canon in enumerate(canons)}
    shape = (len(canons), len(outputs))
    tables = {level: {name: np.full(shape, np.nan) for name in (*SHARES, *MEANS)} for level in levels}
    for level in levels:
        for pair in pairs:
            program, canon = pair
            pre = post = far[level, pair]
            if pair in repairs:
                post = cell.distance(repairs[pair].source, outputs[canon].code, level)
            for name, value in _counts_for(pre, post, settings.tau).items():
                tables[level][name][row[canon], program] = value
    return CanonTables(row=row, tables=tables)


def _counts_for(pre: Fraction, post: Fraction, tau: Fraction) -> dict[str, float]:
    """One output's part in every share and mean; thresholds are decided exactly."""
    return {
        "R_anchor_pre": float(pre == 0),
        "P_tau_pre": float(pre <= tau),
        "R_anchor": float(post == 0),
        "rescue_rate": float(pre > 0 and post == 0),
        "P_tau_post": float(post <= tau),
        "delta_P_tau": float(pre > tau >= post),
        "mu_pre": float(pre),
        "mu_post": float(post),
        "gain": float(pre - post),
    }


async def _repaired(
    contract: Contract, pairs: dict[Pair, tuple[str, str]], sandbox: Sandbox
) -> dict[Pair, Repair]:
    """All repairs side by side: each round puts what they propose to the oracle, every source once."""
    found: dict[Pair, Repair] = {}
    searches = {p: repair_program(code, canon, contract.keep) for p, (code, canon) in pairs.items()}
    known: dict[str, bool] = {}
    waiting: dict[Pair, Proposal] = {}
    gate = asyncio.Semaphore(AT_ONCE)

    async def gated(source: str) -> dict[str, Any]:
        async with gate:
            return await _run(job_for(contract, source), sandbox)

    for pair, search in searches.items():
        _advance(search, None, pair, waiting, found)
    while waiting:
        new = list(dict.fromkeys(p.source for p in waiting.values() if p.source not in known))
        runs = await asyncio.gather(*(gated(source) for source in new))
        known.update({s: judge(contract, run).state == "pass" for s, run in zip(new, runs, strict=True)})
        asked, waiting = waiting, {}
        for pair, proposal in asked.items():
            _advance(searches[pair], known[proposal.source], pair, waiting, found)
    return found


def _advance(
    search: Generator[Proposal, bool, Repair],
    passes: bool | None,
    pair: Pair,
    waiting: dict[Pair, Proposal],
    found: dict[Pair, Repair],
) -> None:
    try:
        waiting[pair] = next(search) if passes is None else search.send(passes)
    except StopIteration as stop:
        found[pair] = stop.value
