"""The table of families for docs/families.md: `python -m tests.worlds.shortcuts [INSTANCES [INSTANCES_OF_REAL]]`."""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from msgspec import Struct

import tests.worlds.shortcuts as folder
from assay.streams import Stream
from assay.worlds import Brief, Policy, all_families, shipped_regimes
from assay.worlds.conformance import DIMENSIONS, EVIDENCED
from assay.worlds.rollout import draw_task, play
from assay.worlds.structure import StructuralFamily
from tests.worlds.shortcuts.blind import kept_from_passing, passing
from tests.worlds.shortcuts.running import run_program

INSTANCES, INSTANCES_OF_REAL = 60, 20
HEAD = (
    "family",
    "level",
    "regime",
    "n",
    "null",
    "novice",
    "best shortcut",
    "its success",
    "solver",
    "failed calls",
    "declared",
)


class _Tally(Struct):
    success: float
    failed: float | None  # share of calls that timed out or whose answer was lost; None: no call was tried


def shortcuts_of(family: str, level: int) -> dict[str, Callable[[Brief], Policy]]:
    """The shortcuts that are tested, by name; of those that pass, not what does the whole task as the goal puts it."""
    found: dict[str, Callable[[Brief], Policy]] = {}
    name = family.replace("-", "_")
    if name in {module.name for module in pkgutil.iter_modules(folder.__path__)}:
        found |= import_module(f"tests.worlds.shortcuts.{name}").SHORTCUTS.get(level, {})
    blind = dict(kept_from_passing().get(family, {}).get(level, {}))
    blind |= {
        n: made for f, lv, n, made, _, kind in passing() if (f, lv) == (family, level) and kind != "task"
    }
    return found | {f"blind: {n}": made for n, made in blind.items()}


def _tally(family: str, level: int, policy: Callable[[Brief], Policy], count: int) -> _Tally:
    """The same instances and faults as in the test of shortcuts."""
    made = all_families()[family]
    regime = shipped_regimes()[EVIDENCED.get((made.dimension, level), "Baseline")]
    won = calls = failed = 0
    for number in range(count):
        task = draw_task(made, level, Stream("shortcut", family, str(level), str(number)))
        if isinstance(made, StructuralFamily):  # with its bottleneck removed
            task = made.restructured(task, made.remedy)
        faults = Stream("shortcut faults", family, str(level), str(number))
        played = play(made, task, regime, faults, policy, run_program)
        won += played.judgement.success
        calls += played.calls
        failed += played.faults.get("timeout", 0) + played.faults.get("lost", 0)
    return _Tally(won / count, failed / calls if calls else None)


def row(case: tuple[str, int, int]) -> tuple[str, ...]:
    """One line of the table: family, level and number of instances."""
    family, level, count = case
    made = all_families()[family]
    regime = shipped_regimes()[EVIDENCED.get((made.dimension, level), "Baseline")]
    null, novice, solver = (
        _tally(family, level, player, count) for player in (made.null, made.novice, made.oracle)
    )
    tried = {
        name: _tally(family, level, player, count) for name, player in shortcuts_of(family, level).items()
    }
    best = max(tried, key=lambda name: tried[name].success, default="")
    return (
        f"`{family}`", str(level), f"`{regime.id}`", str(count), _share(null.success), _share(novice.success),
        best or "none written", _share(tried[best].success) if best else "", _share(solver.success),
        "" if solver.failed is None else _share(solver.failed),
        _share(regime.stability.timeouts + regime.stability.lost),
    )  # fmt: skip


def _share(value: float) -> str:
    return f"{value:.2f}"


def cases(instances: int, of_real: int) -> list[tuple[str, int, int]]:
    return [
        (name, level, of_real if family.real else instances)
        for dimension in DIMENSIONS
        for name, family in sorted(all_families().items())
        if family.dimension == dimension
        for level in sorted(family.levels)
    ]


def main() -> None:
    given = [int(argument) for argument in sys.argv[1:]]
    instances, of_real = [*given, *(INSTANCES, INSTANCES_OF_REAL)[len(given) :]]
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for found in pool.map(row, cases(instances, of_real)):
            print(f"| {' | '.join(found)} |", flush=True)


if __name__ == "__main__":
    main()
