"""Shortcuts to `greenhouse`: goals that are set by a rule of thumb, too late, not at all, or only said."""

from __future__ import annotations

from collections.abc import Callable

from assay.worlds import Brief, Policy
from assay.worlds.families.autonomy.greenhouse import Greenhouse
from tests.worlds.families.autonomy import acting, picking, shortcuts

__all__ = ["SHORTCUTS"]

SOLVER = Greenhouse.solver
MOST_SEEDS: dict[str, Callable[[Brief], Policy]] = {
    "the most seeds": acting(SOLVER, picking(lambda row, at: -row["seeds"])),
    "the fewest seeds": acting(SOLVER, picking(lambda row, at: row["seeds"])),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: shortcuts(SOLVER, level) | MOST_SEEDS for level in Greenhouse.levels
}
