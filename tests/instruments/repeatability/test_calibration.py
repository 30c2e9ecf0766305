"""Calibration: the truths are right, the numbers are those of the scoring, and a bad interval is caught."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from assay.canonical import encode, real
from assay.errors import SandboxUnavailable
from assay.instruments.repeatability.calibration import Place, RepeatabilityGrid, Simulated
from assay.instruments.repeatability.programs.repair import LEVELS
from assay.instruments.repeatability.rows import score_rows
from assay.instruments.repeatability.simulation import outputs as simulated_outputs
from assay.instruments.repeatability.simulation import readings
from assay.instruments.repeatability.simulation.distributions import (
    GRID,
    PARTS,
    SIZES,
    Distribution,
    draw,
)
from assay.instruments.repeatability.simulation.readings import (
    anchored_readings,
    canon_free_readings,
    canons_of,
)
from assay.instruments.repeatability.simulation.truth import (
    Key,
    anchored_truths,
    canon_free_truths,
    kinds_of,
)
from assay.measuring.calibration import Calibration, Point, Readings, calibrate, in_processes, point_of
from assay.stats import wilson_array
from assay.vocabulary import Measure

NAMED = {distribution.name: distribution for distribution in GRID}
MIXED = ("never twice", "never twice, other trees", "dominant", "rivals", "everything", "mostly wrong")
N, RUNS = 9, 8


def nothing(done: int, total: int) -> None:
    pass


def bench_for(places: Sequence[Place], runs: int, workers: int = 1) -> Simulated:
    """Of one contract."""
    (contract,) = {member.contract for member, _ in places}
    return RepeatabilityGrid().prepared(places, runs, workers, nothing).simulated(contract)


@pytest.fixture(scope="module")
def bench() -> Simulated:
    return bench_for([(NAMED[name], N) for name in MIXED], RUNS, workers=2)


def every_reading(bench: Simulated, ids: npt.NDArray[np.int64]) -> dict[Key, Readings]:
    confidence = bench.settings.confidence
    return {
        **canon_free_readings(ids, bench.outputs, confidence),
        **anchored_readings(ids, bench.outputs, bench.canons, confidence),
    }


# The numbers are those of the instrument.


def key_of(measure: Measure) -> Key:
    where = [measure.labels[name] for name in ("rung", "level", "field") if name in measure.labels]
    return measure.name, str(where[0] if where else "")


def compared(
    bench: Simulated, drawn: dict[str, npt.NDArray[np.int64]], file: Path, contract: str = "merge_intervals"
) -> int:
    """Every number of these cells beside what ``assay score`` makes of the same outputs, from the sandbox on."""
    codes = bench.roster.codes
    rows = [
        {"contract": contract, "subject": f"{name}/{run}", "outputs": [codes[i] for i in row]}
        for name, ids in drawn.items()
        for run, row in enumerate(ids.tolist())
    ]
    file.write_bytes(b"\n".join(msgspec.json.encode(row) for row in rows))
    scored = {
        (m.labels["subject"], *key_of(m)): m
        for m in score_rows(file, None).measures
        if m.confidence and "subject" in m.labels  # comparisons are between models
    }
    count = 0
    for name, ids in drawn.items():
        for key, found in every_reading(bench, ids).items():
            for run in range(len(ids)):
                measure = scored.pop((f"{name}/{run}", *key), None)
                numbers = [float(x[run]) for x in (found.value, found.low, found.high) if x is not None]
                if measure is None:
                    assert np.isnan(numbers).all()
                    continue
                ends = [None if math.isinf(x) else real(x) for x in numbers]
                assert ends == [measure.value, measure.low, measure.high], (name, run, key)
                count += 1
    assert scored == {}  # there is no measure with an interval that is not calibrated
    return count


@pytest.mark.slow
def test_every_number_is_that_of_scoring_the_same_outputs(bench: Simulated, tmp_path: Path) -> None:
    drawn = {name: draw(NAMED[name], bench.roster, N, RUNS)[:2] for name in MIXED}
    assert compared(bench, drawn, tmp_path / "rows.jsonl") > 500


@pytest.mark.parametrize("contract", ["invoice", "review_sentiment"])
def test_every_number_of_json_and_texts_is_that_of_scoring(contract: str, tmp_path: Path) -> None:
    members = [member for member in GRID if member.contract == contract]
    bench = bench_for([(member, N) for member in members], RUNS)
    drawn = {member.name: draw(member, bench.roster, N, RUNS)[:3] for member in members}
    assert compared(bench, drawn, tmp_path / "rows.jsonl", contract) > 300


@pytest.mark.proof
@pytest.mark.parametrize("contract", ["merge_intervals", "invoice", "review_sentiment"])
def test_every_number_is_that_of_scoring_for_large_cells_of_the_whole_grid(
    contract: str, tmp_path: Path
) -> None:
    members = [member for member in GRID if member.contract == contract]
    bench = bench_for([(member, 50) for member in members], 3, workers=2)
    drawn = {member.name: draw(member, bench.roster, 50, 3) for member in members}
    assert compared(bench, drawn, tmp_path / "rows.jsonl", contract) > 500


# The truths.


def enumerated(bench: Simulated, name: str, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Every cell that can be drawn, and its probability."""
    parts = NAMED[name].parts
    cells = list(itertools.product(parts, repeat=n))
    ids = np.array([[bench.roster.first[variant] for variant in cell] for cell in cells])
    return ids, np.array([math.prod(parts[v] / PARTS for v in cell) for cell in cells])


@pytest.mark.parametrize("name", ["rivals", "mostly wrong"])
@pytest.mark.parametrize("n", [2, 4])
def test_unbiased_measures_average_to_their_truth_over_every_cell_there_is(
    bench: Simulated, name: str, n: int
) -> None:
    ids, chance = enumerated(bench, name, n)
    truths = canon_free_truths(kinds_of(NAMED[name], bench.roster), bench.outputs, n)
    found = canon_free_readings(ids, bench.outputs, 0.95)
    for key in truths:
        if key[0] in ("pairwise_agreement", "novelty", "pairwise_distance", "pass_rate"):
            assert float((found[key].value * chance).sum()) == pytest.approx(truths[key], abs=1e-12), key


def test_given_the_canon_the_output_after_it_averages_to_the_truth(bench: Simulated) -> None:
    ids, chance = enumerated(bench, "rivals", 2)
    found = anchored_readings(ids, bench.outputs, bench.canons, 0.95)
    _, canon = canons_of(ids, bench.outputs)
    for number in np.unique(canon).tolist():
        here = canon == number
        truths = anchored_truths(kinds_of(NAMED["rivals"], bench.roster), bench.canons, number)
        for (name, level), truth in truths.items():
            # The canon itself is at distance 0, nearest, and never rescued: half of the value is the other output.
            own = (
                1.0
                if name in ("R_anchor_pre", "P_tau_pre", "R_anchor", "P_tau_post", "delta_R_anchor")
                else 0.0
            )
            others = 2.0 * found[name, level].value[here] - own
            mean = float((others * chance[here]).sum() / chance[here].sum())
            assert mean == pytest.approx(truth, abs=1e-12), (name, level)


def test_truths_worked_out_by_hand(bench: Simulated) -> None:
    rivals = canon_free_truths(kinds_of(NAMED["rivals"], bench.roster), bench.outputs, 5)
    assert rivals["R_raw", ""] == 0.6
    assert rivals["R", "names"] == 0.6
    assert rivals["R", "behaviour"] == pytest.approx(1.0)
    assert rivals["pairwise_agreement", "bytes"] == pytest.approx(0.36 + 0.04 + 0.04)
    assert rivals["entropy", "bytes"] == pytest.approx(1.3709505944546687)
    assert rivals["novelty", "bytes"] == pytest.approx(0.6 * 0.4**4 + 2 * 0.2 * 0.8**4)
    mixed = canon_free_truths(kinds_of(NAMED["everything"], bench.roster), bench.outputs, 5)
    assert mixed["R", "bytes"] == 0.3
    assert mixed["R", "layout"] == pytest.approx(0.3 + 0.1 + 0.02)  # plain, formatted, marked
    assert mixed["R_ast", ""] == pytest.approx(0.42)
    assert mixed["R", "names"] - mixed["R", "ast"] == pytest.approx(0.1)  # renamed
    assert mixed["pass_rate", ""] == pytest.approx(0.87)
    assert mixed["entropy", "text"] == math.inf
    assert mixed["entropy", "layout"] < math.inf


def test_programs_that_never_repeat_have_no_mode_no_agreement_and_no_end_of_entropy(bench: Simulated) -> None:
    comments = canon_free_truths(kinds_of(NAMED["never twice"], bench.roster), bench.outputs, 50)
    trees = canon_free_truths(kinds_of(NAMED["never twice, other trees"], bench.roster), bench.outputs, 50)
    for truths, rung in ((comments, "text"), (trees, "names")):
        found = [truths[name, rung] for name in ("R", "pairwise_agreement", "entropy", "novelty")]
        assert found == [0.0, 0.0, math.inf, 1.0]
    assert comments["R", "layout"] == trees["R", "behaviour"] == 1.0
    assert comments["pairwise_distance", "ast"] == 0.0 < trees["pairwise_distance", "ast"]


def test_all_marks_are_alike_in_everything_but_which_they_are(bench: Simulated) -> None:
    for name in ("marked", "tagged"):
        first = bench.roster.first[name]
        row = bench.canons.row[first]
        others = slice(first + 1, first + N)
        for level in LEVELS:
            for table in bench.canons.tables[level].values():
                assert len(set(table[row, others].tolist())) == 1
    marked, tagged = (bench.roster.first[name] for name in ("marked", "tagged"))
    post = {m: bench.canons.tables["text"]["mu_post"][bench.canons.row[m], m + 1] for m in (marked, tagged)}
    assert post[marked] == 0.0  # repair takes comments off
    assert post[tagged] > 0.0  # a constant is not


def test_a_program_that_is_cut_off_stops_the_calibration_and_is_not_taken_for_a_wrong_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = simulated_outputs._run

    async def cut(*args: Any) -> dict[str, Any]:
        return {**await honest(*args), "state": "timeout"}

    monkeypatch.setattr(simulated_outputs, "_run", cut)
    with pytest.raises(SandboxUnavailable, match=r"a program of known make was cut off \(timeout\)"):
        bench_for([(NAMED["same"], 5)], 2)


# The draws.


def test_the_declared_parts_add_up_and_are_drawn(bench: Simulated) -> None:
    for distribution in GRID:
        assert sum(distribution.parts.values()) == PARTS
        assert distribution.name not in distribution.about
    ids = draw(NAMED["rivals"], bench.roster, N, 1000)
    for variant, part in NAMED["rivals"].parts.items():
        share = float((ids == bench.roster.first[variant]).mean())
        assert abs(share - part / PARTS) < 5 * math.sqrt(0.25 / ids.size)


def test_a_cell_is_the_same_whatever_the_number_of_runs_and_marks_never_come_twice(bench: Simulated) -> None:
    few, many = (draw(NAMED["dominant"], bench.roster, N, runs) for runs in (3, 20))
    assert (few == many[:3]).all()
    apart = draw(NAMED["never twice"], bench.roster, N, 5)
    assert all(len(set(row)) == N for row in apart.tolist())


# What is made of them.


def test_a_point_counts_cells_without_the_measure_and_tells_the_end_that_misses() -> None:
    nan = math.nan
    readings = Readings(
        *(np.array(x) for x in ([0.5, nan, 0.2, 0.9], [0.4, nan, 0.1, 0.8], [0.6, nan, 0.3, 1.0]))
    )
    point = point_of("d", 5, "R", {"rung": "text"}, np.array([0.5, nan, 0.5, 0.5]), readings)
    assert (point.cells, point.absent, point.title) == (3, 1, "R text")
    assert (point.too_high, point.too_low) == (1 / 3, 1 / 3)
    assert point.coverage == pytest.approx(1 / 3)
    assert point.truth == 0.5
    assert point.width == pytest.approx(0.2)
    assert point.bias == pytest.approx((0.5 + 0.2 + 0.9) / 3 - 0.5)
    none = point_of("d", 5, "R", {}, np.full(2, nan), Readings(*[np.full(2, nan)] * 3))
    assert (none.cells, none.absent, none.coverage, none.truth) == (0, 2, None, None)


def test_an_infinite_truth_has_no_bias_and_a_bound_without_end_no_width() -> None:
    readings = Readings(np.array([2.0]), np.array([1.0]), np.array([math.inf]))
    point = point_of("d", 5, "entropy", {}, np.array([math.inf]), readings)
    assert (point.infinite, point.truth, point.bias, point.width, point.coverage) == (
        True,
        None,
        None,
        None,
        1.0,
    )


def small(workers: int, names: Sequence[str] = ("same", "rivals"), runs: int = 20) -> Calibration:
    grid: list[Distribution] = [NAMED[name] for name in names]
    return calibrate("repeatability", "t", RepeatabilityGrid(grid), runs, workers, True, nothing)


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bytes() -> None:
    one, two, three = (encode(small(workers)) for workers in (1, 2, 3))
    assert one == two == three


def test_results_come_in_the_order_of_the_tasks_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    assert in_processes(abs, [-3, 2, -1], 1, lambda a, b: told.append((a, b))) == [3, 2, 1]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert in_processes(abs, [-3, 2, -1], 2, nothing) == [3, 2, 1]


def test_a_binomial_interval_around_the_modal_share_is_caught(
    bench: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, member = RepeatabilityGrid(GRID, {"merge_intervals": bench}), NAMED["never twice"]

    def measured() -> list[Point]:
        drawn = grid.draw(member, N, RUNS)
        truths = grid.truth(member, N, drawn)
        return [
            point_of(member.name, N, key.measure, dict(key.labels), truths[key], found)
            for key, found in grid.read(member, N, drawn).items()
        ]

    proper = {point.title: point.coverage for point in measured()}
    assert proper["R_raw"] == 1.0
    monkeypatch.setattr(readings, "modal_share_array", wilson_array)
    planted = measured()
    (point,) = [point for point in planted if point.title == "R_raw"]
    assert (point.coverage, point.too_high) == (0.0, 1.0)
    found = msgspec.structs.replace(EMPTY, points=tuple(planted))
    assert not found.holds
    assert point in found.failing


EMPTY = Calibration(
    instrument="i",
    version="1",
    runs=RUNS,
    confidence=0.95,
    required=0.935,
    quick=True,
    distributions={},
    points=(),
)


def test_a_calibration_without_a_point_proves_nothing() -> None:
    assert not EMPTY.holds


@pytest.mark.proof
def test_every_interval_holds_at_every_point_of_the_grid() -> None:
    found = calibrate("repeatability", "proof", RepeatabilityGrid(), 1000, 2, False, nothing)
    assert {point.n for point in found.points} == set(SIZES)
    assert {point.distribution for point in found.points} == set(NAMED)
    assert [f"{point.coverage} {point.where}" for point in found.failing] == []
    assert found.holds
