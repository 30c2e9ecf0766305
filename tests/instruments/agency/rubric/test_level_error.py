"""How often a level is read that is not there, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.instruments.agency.declarations.declaration import Decided
from assay.instruments.agency.episodes.sampling import decide
from assay.instruments.agency.options import AgencyOptions, Sequential
from assay.stats import paired_shares
from tests.instruments.agency.made_outcomes import level, made, score

RUNS = 600


def read_sequentially(draws: np.ndarray, of_level: int) -> float:
    """The level that is read where sampling stops as soon as the test says so."""
    options = AgencyOptions(sequential=Sequential())
    said = ["success" if hit else "failure" for hit in draws]
    found = decide(said, options, of_level)
    used = sorted(draws[: found.n], reverse=True)
    rows = made("S", of_level, sum(used), len(used))
    test = Decided(
        decision=found.decision, n=found.n, successes=found.successes, alternative=0.85, alpha=0.05
    )
    return level(score(rows, decided={f"S{of_level}": test}), "S").value or 0.0


@pytest.mark.proof
@pytest.mark.parametrize("of_level", [1, 3])
def test_a_share_at_the_threshold_is_read_as_the_level_in_one_run_of_twenty_at_most(of_level: int) -> None:
    draw = np.random.default_rng(of_level)
    high = sum(read_sequentially(draw.random(120) < 0.70, of_level) >= of_level for _ in range(RUNS)) / RUNS
    assert high <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)
    able = sum(read_sequentially(draw.random(120) < 0.90, of_level) >= of_level for _ in range(RUNS)) / RUNS
    assert able >= 0.95


@pytest.mark.proof
@pytest.mark.parametrize("n", [20, 50, 100, 300])
@pytest.mark.parametrize(("lost", "gained"), [(0.15, 0.0), (0.25, 0.0), (0.35, 0.1), (0.4, 0.0), (0.45, 0.2)])
def test_a_drop_is_read_too_low_in_one_of_forty_at_most(n: int, lost: float, gained: float) -> None:
    draw = np.random.default_rng(n)
    runs = 20_000
    counts, number = np.unique(
        draw.multinomial(n, (lost, gained, 1 - lost - gained), runs), axis=0, return_counts=True
    )
    too_low = sum(
        times
        for (down, up, _), times in zip(counts, number, strict=True)
        if paired_shares(int(down), int(up), n).high < lost - gained
    )
    assert too_low / runs <= 0.025 + 4 * math.sqrt(0.025 * 0.975 / runs)
