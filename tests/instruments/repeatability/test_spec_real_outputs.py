"""Repair on outputs of real models: none moves away from its canon, none that passed stops passing.

The same 90 cells as in ``test_real_outputs``; where they are absent the tests say so and are skipped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.instruments.repeatability.cells.cell import Anchor, Cell
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts
from assay.instruments.repeatability.programs.oracle import job_for, judge
from assay.instruments.repeatability.programs.repair.search import MOST_CHECKS, MOST_PROPOSALS
from assay.instruments.repeatability.rows import InputRow, cells_from_rows, read_rows
from assay.instruments.repeatability.scoring import Settings, score_cells
from assay.sandbox import Sandbox, run_all
from assay.vocabulary import Result
from tests.support import SHARED, command, environment

ROWS, CONTRACTS = SHARED / "skyt.jsonl.gz", SHARED / "skyt_contracts.json"
SETTINGS = Settings(repair=True)
pytestmark = pytest.mark.skipif(
    not (ROWS.exists() and CONTRACTS.exists()), reason=f"the real outputs are not at {SHARED}"
)

Found = tuple[list[Cell], list[Anchor], dict[str, Contract]]


def repaired(rows: Sequence[InputRow]) -> Found:
    contracts = load_contracts(CONTRACTS)
    cells, anchors = asyncio.run(cells_from_rows(rows, contracts, SETTINGS, False, Sandbox(workers=2)))
    return cells, anchors, contracts


def some_rows(cells: int) -> list[InputRow]:
    """The first cell of each of the first contracts that has a canon and something to repair, hottest first."""
    found: dict[str, InputRow] = {}
    for row in sorted(read_rows(ROWS), key=lambda row: (row.contract, -(row.temperature or 0), row.subject)):
        if row.contract != "slugify" and len(set(row.outputs)) > 5:  # slugify has no canon in any cell
            found.setdefault(row.contract, row)
    return list(found.values())[:cells]


def no_output_moves_away_and_only_passing_ones_move(found: Found) -> int:
    moved = 0
    for cell, anchor in zip(found[0], found[1], strict=True):
        if anchor.canon is None:
            assert cell.repairs == {}
            continue
        for output in cell.outputs:
            after = cell.repaired(output)
            moved += after != output.code
            assert output.passed or after == output.code
            for level in cell.levels:
                before = cell.distance(output.code, anchor.canon.code, level)
                assert cell.distance(after, anchor.canon.code, level) <= before
        for repair in cell.repairs.values():
            assert len(repair.tried) <= MOST_CHECKS
            assert repair.proposals <= MOST_PROPOSALS
    return moved


def every_repaired_program_passes_again(found: Found) -> int:
    """Every repaired source once more through the sandbox and the oracle."""
    wanted = [
        (found[2][cell.key.contract], repair.source) for cell in found[0] for repair in cell.repairs.values()
    ]
    runs = run_all([job_for(contract, source) for contract, source in wanted], workers=2)
    states = [
        judge(contract, run.comparable()).state for (contract, _), run in zip(wanted, runs, strict=True)
    ]
    assert set(states) <= {"pass"}
    return len(states)


def rescued(result: Result, level: str) -> float:
    """How many outputs were rescued, of all cells."""
    found = [m for m in result.measures if m.name == "rescue_rate" and m.labels["level"] == level]
    return sum(m.value * m.n for m in found if m.value is not None)


def scored(found: Found) -> Result:
    return score_cells(found[0], found[1], SETTINGS, source="rows", version="2")


@pytest.mark.slow
def test_repair_of_two_cells_moves_nothing_away_and_breaks_nothing() -> None:
    found = repaired(some_rows(2))
    assert no_output_moves_away_and_only_passing_ones_move(found) > 0
    assert every_repaired_program_passes_again(found) > 0
    assert rescued(scored(found), "text") > 0


@pytest.mark.proof
def test_repair_of_all_cells_moves_nothing_away_and_breaks_nothing() -> None:
    found = repaired(read_rows(ROWS))
    assert len(found[0]) == 90
    moved = no_output_moves_away_and_only_passing_ones_move(found)
    checked = every_repaired_program_passes_again(found)
    result = scored(found)
    print(
        f"\n{moved} outputs moved, {checked} repaired programs pass again, rescued "
        f"{rescued(result, 'text'):.0f} at text and {rescued(result, 'ast'):.0f} at ast"
    )
    assert moved > 100
    assert rescued(result, "ast") > 0


@pytest.mark.slow
def test_repair_gives_the_same_bytes_for_one_worker_or_two_and_any_hash_seed(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    lines = [
        {"contract": r.contract, "subject": r.subject, "temperature": r.temperature, "outputs": r.outputs[:8]}
        for r in some_rows(2)
    ]
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = set()
    for seed, workers in (("0", "1"), ("12345", "2")):
        done = command(
            "score", "repeatability", rows, "--contracts", CONTRACTS, "--json", "--workers", workers,
            cwd=tmp_path, env=environment(tmp_path, PYTHONHASHSEED=seed), timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert len(told) == 1
    assert '"rescue_rate"' in told.pop()
