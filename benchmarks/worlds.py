"""How fast worlds step: the families' own solvers, no model, verification included, one core.

``python benchmarks/worlds.py [--seconds 1.0]``. In-memory families together, and real-state families (files, database,
repository) each apart. Steps are decisions; an episode is drawn, opened, played and verified.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import NamedTuple

from assay.instruments.agency.programs import Programs
from assay.streams import Stream
from assay.worlds import Family, Runs, all_families, draw_task, play, shipped_regimes

REPETITIONS = 3


class Speed(NamedTuple):
    episodes: float
    steps: float


def one(family: Family, level: int, seconds: float, run: Runs) -> tuple[int, int, float]:
    """Episodes, steps and processor time of one family and level at Baseline."""
    regime = shipped_regimes()["Baseline"]
    episodes = steps = 0
    begin = time.process_time() if not family.real else time.perf_counter()
    clock = time.process_time if not family.real else time.perf_counter
    while (spent := clock() - begin) < seconds:
        key = str(episodes)
        task = draw_task(family, level, Stream("bench", family.name, str(level), key))
        steps += play(family, task, regime, Stream("faults", key), family.oracle, run).turns
        episodes += 1
    return episodes, steps, spent


def measure(family: Family, seconds: float, run: Runs) -> dict[int, Speed]:
    found = {}
    for level in sorted(family.levels):
        tries = [one(family, level, seconds / REPETITIONS, run) for _ in range(REPETITIONS)]
        found[level] = Speed(
            statistics.median(e / t for e, _, t in tries), statistics.median(s / t for _, s, t in tries)
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.6, help="for each family and level")
    seconds = parser.parse_args().seconds
    chosen = sorted(all_families().values(), key=lambda f: (f.real, "SMDE".index(f.dimension), f.name))
    times: list[float] = []  # seconds an episode of each in-memory family and level
    per_step: list[float] = []
    print(f"{'family':<18} {'level':>5} {'episodes/s':>11} {'steps/s':>9}  state")
    with Programs() as run:
        _table(chosen, seconds, run, times, per_step)
    episodes, steps = len(times) / sum(times), sum(per_step) / sum(times)
    print(
        f"\nin memory, an equal number of episodes of each: {episodes:,.0f} episodes/s, {steps:,.0f} steps/s"
    )


def _table(
    chosen: list[Family], seconds: float, run: Runs, times: list[float], per_step: list[float]
) -> None:
    for family in chosen:
        for level, speed in measure(family, seconds, run).items():
            state = "files, database or repository" if family.real else "in memory"
            print(f"{family.name:<18} {level:>5} {speed.episodes:>11,.0f} {speed.steps:>9,.0f}  {state}")
            if not family.real:
                times.append(1 / speed.episodes)
                per_step.append(speed.steps / speed.episodes)
    episodes, steps = len(times) / sum(times), sum(per_step) / sum(times)
    print(
        f"\nin memory, an equal number of episodes of each: {episodes:,.0f} episodes/s, {steps:,.0f} steps/s"
    )


if __name__ == "__main__":
    main()
