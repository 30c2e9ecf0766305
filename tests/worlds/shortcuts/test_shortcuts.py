"""What a reader of the prompts would script in ten lines does not pass a level."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

import pytest

import tests.worlds.shortcuts as folder
from assay.streams import Stream
from assay.worlds import Brief, Policy, all_families, shipped_regimes
from assay.worlds.conformance import EVIDENCED
from assay.worlds.rollout import draw_task, play
from assay.worlds.structure import StructuralFamily
from tests.worlds.shortcuts.blind import kept_from_passing, passing
from tests.worlds.shortcuts.running import run_program

MOST = 0.40
BLIND = "blind: "
NAMES = sorted(
    m.name
    for m in pkgutil.iter_modules(folder.__path__)
    if not m.name.startswith(("_", "test_", "running")) and not m.ispkg
)
SLOW = ("release",)  # every tag opens a repository
CASES = [
    (module.replace("_", "-") if module.replace("_", "-") in all_families() else module, level, name, policy)
    for module in NAMES
    for level, some in import_module(f"tests.worlds.shortcuts.{module}").SHORTCUTS.items()
    for name, policy in some.items()
] + [
    (family, level, f"{BLIND}{name}", policy)
    for family, levels in kept_from_passing().items()
    for level, some in levels.items()
    for name, policy in some.items()
]


def _is_slow(case: tuple[str, int, str, Callable[[Brief], Policy]]) -> bool:
    """One shortcut a level is in the ordinary run: there are hundreds."""
    family, level, name, _ = case
    if family in SLOW or name.startswith(BLIND):
        return True
    return bool(name != next(n for f, k, n, _ in CASES if (f, k) == (family, level)))


@pytest.mark.parametrize(
    ("family", "level", "name", "policy"),
    [pytest.param(*case, marks=pytest.mark.slow if _is_slow(case) else ()) for case in CASES],
    ids=lambda value: str(value)[:40] if not callable(value) else "",
)
def test_a_shortcut_does_not_pass(
    family: str, level: int, name: str, policy: Callable[[Brief], Policy]
) -> None:
    won, count = _won(family, level, policy)
    assert won <= MOST * count, f"{name} passes {won} of {count} of {family}/{level}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "level", "name", "policy", "rate"),
    [case[:5] for case in passing()],
    ids=lambda value: str(value)[:40] if isinstance(value, str | int) else "",
)
def test_what_passes_has_the_rate_that_is_noted(
    family: str, level: int, name: str, policy: Callable[[Brief], Policy], rate: float
) -> None:
    won, count = _won(family, level, policy)
    assert won > MOST * count, f"{name} no longer passes {family}/{level}: take it out of PASSES"
    assert won / count == pytest.approx(rate, abs=0.005), (
        f"{name} passes {won} of {count} of {family}/{level}"
    )


def _won(family: str, level: int, policy: Callable[[Brief], Policy]) -> tuple[int, int]:
    made = all_families()[family]
    regime = shipped_regimes()[EVIDENCED.get((made.dimension, level), "Baseline")]
    count = 20 if made.real else 60
    won = 0
    for number in range(count):
        task = draw_task(made, level, Stream("shortcut", family, str(level), str(number)))
        if isinstance(made, StructuralFamily):  # with its bottleneck removed
            task = made.restructured(task, made.remedy)
        faults = Stream("shortcut faults", family, str(level), str(number))
        won += play(made, task, regime, faults, policy, run_program).judgement.success
    return won, count
