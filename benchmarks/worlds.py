"""How fast worlds step: the families' own solvers, no model, verification included, one core.

``python benchmarks/worlds.py [--seconds 1.0]``. In-memory families together, and real-state families (files, database,
repository) each apart. Steps are decisions; an episode is drawn, opened, played and verified, the solver's thinking
included. ``acts/s`` is the worlds alone: recorded decisions done again in worlds that are opened for them.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import NamedTuple

from assay.instruments.agency.episodes.programs import ProgramRunner
from assay.streams import Stream
from assay.worlds import Episode, Family, Runs, all_families, draw_task, play, shipped_regimes

REPETITIONS = 3


class Speed(NamedTuple):
    episodes: float
    steps: float
    acts: float | None


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


def acting(family: Family, level: int, seconds: float) -> float | None:
    """Recorded decisions a second, without drawing, deciding and verifying."""
    if family.real:
        return None
    regime, recorded = shipped_regimes()["Baseline"], []
    for number in range(50):
        task = draw_task(family, level, Stream("bench", family.name, str(level), str(number)))
        recorded.append((task, play(family, task, regime, Stream("f"), family.oracle).acts))
    begin, done = time.process_time(), 0
    while (spent := time.process_time() - begin) < seconds:
        for task, acts in recorded:
            episode = Episode(family, task, regime, Stream("f"))
            episode.begin()
            for act in acts:
                episode.act(act.name, act.arguments)
            done += len(acts)
    return done / spent


def measure(family: Family, seconds: float, run: Runs) -> dict[int, Speed]:
    found = {}
    for level in sorted(family.levels):
        tries = [one(family, level, seconds / REPETITIONS, run) for _ in range(REPETITIONS)]
        found[level] = Speed(
            statistics.median(e / t for e, _, t in tries),
            statistics.median(s / t for _, s, t in tries),
            acting(family, level, seconds / REPETITIONS),
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.6, help="for each family and level")
    seconds = parser.parse_args().seconds
    chosen = sorted(all_families().values(), key=lambda f: (f.real, f.dimension, f.name))
    in_memory: list[Speed] = []
    print(f"{'family':<18} {'level':>5} {'episodes/s':>11} {'steps/s':>9} {'acts/s':>9}  state")
    with ProgramRunner() as run:
        for family in chosen:
            found = measure(family, seconds, run)
            _print(family, found)
            in_memory += found.values() if not family.real else ()
    whole = sum(1 / speed.episodes for speed in in_memory)  # seconds of one episode of each
    steps = sum(speed.steps / speed.episodes for speed in in_memory)
    told = f"{len(in_memory) / whole:,.0f} episodes/s, {steps / whole:,.0f} steps/s"
    print(f"\nin memory, an equal number of episodes of each: {told}")


def _print(family: Family, found: dict[int, Speed]) -> None:
    state = "files, database or repository" if family.real else "in memory"
    for level, speed in found.items():
        acts = "–" if speed.acts is None else f"{speed.acts:,.0f}"
        numbers = f"{speed.episodes:>11,.0f} {speed.steps:>9,.0f} {acts:>9}"
        print(f"{family.name:<18} {level:>5} {numbers}  {state}")


if __name__ == "__main__":
    main()
