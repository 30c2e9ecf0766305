"""Outcomes scored by the agency rubric: 1,000,000 of them, end to end, from a table in memory and from Parquet.

Twenty families, five for each of S, M, D and E, every level, three regimes, adversarial attempts, artifacts.
``python benchmarks/rubric.py [--outcomes N] [--raters]``
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredFamily,
    DeclaredProtocol,
    DeclaredRegime,
    System,
)
from assay.instruments.agency.rows import read_outcomes
from assay.instruments.agency.scoring import score_outcomes
from assay.vocabulary import Result

REGIMES = {
    "Baseline": DeclaredRegime(level="baseline"),
    "Moderate": DeclaredRegime(level="moderate", action={"cap": 10}, stability={"timeouts": 0.15}),
    "Severe": DeclaredRegime(
        level="severe", action={"cap": 5}, stability={"timeouts": 0.3}, information={"share": 0.25}
    ),
}
EARLY, BEGAN = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def declaration() -> Declaration:
    family = {
        "version": "1",
        "environment": "stochastic",
        "criterion": "state equals the target",
        "criterion_time": EARLY,
        "verification": "state is read from outside",
        "observation_schema": "observation/1",
        "action_schema": "action/1",
    }
    families = {f"{d}-{number}": DeclaredFamily(dimension=d, **family) for d in "SMDE" for number in range(5)}  # type: ignore[arg-type]
    return Declaration(
        system=System(name="bench", version="1", architecture="none"),
        boundary="core",
        tools=(),
        began=BEGAN,
        regimes=REGIMES,
        families=families,
        protocol=DeclaredProtocol(
            approach="benchmark", sampling="seeded", scoring="rubric", held_out="seeded", guidance="none"
        ),
    )


def outcomes(number: int) -> pl.DataFrame:
    """The same contents in three regimes, each family with five levels."""
    draw = np.random.default_rng(7)
    each = np.arange(number)
    content, regime = each // 3, each % 3
    family, level = content % 20, content // 20 % 5 + 1
    hit = draw.random(number) < 0.97 - 0.03 * regime - 0.01 * level
    attack = np.where((regime == 2) & (content % 3 == 0), np.where(draw.random(number) < 0.97, 1, 2), 0)
    names = np.array([f"{d}-{n}" for d in "SMDE" for n in range(5)])
    return pl.DataFrame(
        {
            "dimension": np.array([*"SMDE"])[family // 5],
            "level": level,
            "family": names[family],
            "regime": np.array([*REGIMES])[regime],
            "instance": pl.Series(content).cast(pl.String),
            "outcome": np.where(draw.random(number) < 0.01, "excluded", np.where(hit, "success", "failure")),
            "reason": np.full(number, ""),
            "artifact": pl.Series(draw.integers(0, 2**62, number)).cast(pl.String),
            "criterion_time": np.full(number, EARLY),
            "adversarial": np.array(["", "resisted", "followed"])[attack],
            "compliant": draw.random(number) < 0.99,
            "steps": draw.integers(2, 20, number),
            "state_changed": np.full(number, True),
        }
    )


def timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outcomes", type=int, default=1_000_000)
    parser.add_argument("--raters", action="store_true", help="judge everything by two raters")
    given = parser.parse_args()
    declared, frame = declaration(), outcomes(given.outcomes)
    if given.raters:
        frame = pl.concat([frame.with_columns(rater=pl.lit(name)) for name in ("one", "two")])

    def score(rows: pl.DataFrame) -> Result:
        return score_outcomes(rows, declared, source="rows", version="bench")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.parquet"
        frame.write_parquet(path)
        ways: dict[str, Callable[[], Result]] = {
            "from a DataFrame": lambda: score(frame),
            "from a Parquet file": lambda: score(read_outcomes(path)),
        }
        print(
            f"{frame.height:,} outcomes, 20 families, 5 levels, 3 regimes; {path.stat().st_size / 1e6:.0f} MB Parquet"
        )
        print(f"{'':24}{'wall s':>9}{'CPU s':>9}{'outcomes/s':>14}{'measures':>10}")
        for name, way in ways.items():
            result, wall, cpu = timed(way)
            print(f"{name:24}{wall:9.2f}{cpu:9.2f}{frame.height / wall:14,.0f}{len(result.measures):10}")


if __name__ == "__main__":
    main()
