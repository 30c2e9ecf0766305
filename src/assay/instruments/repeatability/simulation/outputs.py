"""The programs of the calibration, worked out once by the instrument itself: oracle, normal forms, ladder,
distances, repair. What comes out are tables of numbers, which is all that a simulated cell needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.errors import SandboxUnavailable
from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import kind_of
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.oracle import behaviour_of, job_for, judge, was_loaded
from assay.instruments.repeatability.programs.repair import LEVELS, Proposal, Repair, repair_program
from assay.sandbox import Sandbox

__all__ = ["MEANS", "SHARES", "CanonTables", "SimulatedPrograms", "judged", "tables_of"]

SEED = 1  # of the generated inputs
SHARES = ("R_anchor_pre", "P_tau_pre", "R_anchor", "rescue_rate", "P_tau_post", "delta_P_tau")
MEANS = ("mu_pre", "mu_post", "gain")
AT_ONCE = 64

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Pair = tuple[int, int]  # of a program and a canon, by number


class CanonTables(Struct, frozen=True):
    """For each canon (a row) and program (a column) what it counts for; NaN where they do not meet.

    ``tables`` are by level and name: 0 or 1 for a share, a distance for a mean.
    """

    row: dict[int, int]
    tables: dict[str, dict[str, Floats]]


class SimulatedPrograms(Struct, frozen=True):
    """Outputs by number, as the oracle judged them, with their classes at every rung."""

    outputs: tuple[Output, ...]
    trees: tuple[str, ...]  # normal form ``ast``, over which outputs are compared pair by pair
    passed: npt.NDArray[np.bool_]
    classes: dict[str, Ids]  # rung → class of each program; "raw" and "tree" for R_raw and R_ast


async def _run(contract: Contract, sources: Iterable[str], sandbox: Sandbox, **more: Any) -> dict[str, Any]:
    """What running each came to; each source once."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(source: str) -> dict[str, Any]:
        async with gate:
            return (await sandbox.run(job_for(contract, source, **more))).comparable()

    different = list(dict.fromkeys(sources))
    return dict(zip(different, await asyncio.gather(*map(one, different)), strict=True))


async def judged(contract: Contract, codes: Sequence[str], sandbox: Sandbox) -> SimulatedPrograms:
    """Every program through the oracle, and on the generated inputs where it runs."""
    runs = await _run(contract, codes, sandbox)
    _check_that_all_ended(runs)
    ran = [code for code in codes if runs[code]["state"] == "ran"]
    explored = await _run(contract, ran, sandbox, inputs=generated_inputs(contract, SEED))
    _check_that_all_ended(explored)
    outputs = []
    for number, code in enumerate(codes):
        found = judge(contract, runs[code])
        behaviour = behaviour_of(runs[code], explored.get(code))
        outputs.append(
            Output(
                number,
                code,
                found.state,
                found.passed,
                found.tests,
                behaviour=behaviour,
                loaded=was_loaded(runs[code]),
            )
        )
    cell = Cell(CellKey(contract.id, "calibration"), outputs, kind=kind_of(contract))
    trees = [cell.kind.same(cell.forms(code)) for code in codes]
    numbers = {tree: number for number, tree in enumerate(dict.fromkeys(trees))}
    classes = {rung: np.array(found, dtype=np.int64) for rung, found in cell.ladder.items()}
    return SimulatedPrograms(
        outputs=tuple(outputs),
        trees=tuple(cell.form(code, "ast") for code in codes),
        passed=np.array([output.passed for output in outputs]),
        classes={
            **classes,
            "raw": classes["bytes"],
            "tree": np.array([numbers[tree] for tree in trees], dtype=np.int64),
        },
    )


def _check_that_all_ended(runs: dict[str, Any]) -> None:
    """Every program is known to end in no time; one that did not says something of the machine."""
    cut = [run for run in runs.values() if run["state"] not in ("ran", "exception")]
    if cut:
        raise SandboxUnavailable(
            f"{len(cut)} of {len(runs)} programs of known make were cut off ({cut[0]['state']}): "
            "the machine is too busy to calibrate on; try again with fewer workers"
        )


async def tables_of(
    contract: Contract,
    programs: SimulatedPrograms,
    pairs: Sequence[Pair],
    settings: Settings,
    sandbox: Sandbox,
) -> CanonTables:
    """Distances of all pairs that can meet, before and after repair against the oracle."""
    outputs = programs.outputs
    cell = Cell(CellKey(contract.id, "calibration"), list(outputs), kind=kind_of(contract))
    far = {
        (level, pair): cell.distance(outputs[pair[0]].code, outputs[pair[1]].code, level)
        for level in LEVELS
        for pair in pairs
    }
    due = [p for p in pairs if programs.passed[p[0]] and any(far[level, p] for level in LEVELS)]
    repairs = await _repaired(contract, {p: (outputs[p[0]].code, outputs[p[1]].code) for p in due}, sandbox)
    canons = sorted({canon for _, canon in pairs})
    row = {canon: number for number, canon in enumerate(canons)}
    shape = (len(canons), len(outputs))
    tables = {level: {name: np.full(shape, np.nan) for name in (*SHARES, *MEANS)} for level in LEVELS}
    for level in LEVELS:
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
    for pair, search in searches.items():
        _advance(search, None, pair, waiting, found)
    while waiting:
        runs = await _run(contract, (p.source for p in waiting.values() if p.source not in known), sandbox)
        known.update({source: judge(contract, run).state == "pass" for source, run in runs.items()})
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
