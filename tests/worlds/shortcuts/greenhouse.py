"""Shortcuts to `greenhouse`: goals that are set by a rule of thumb, or only said."""

from __future__ import annotations

from collections.abc import Callable

from assay.worlds import Brief, Policy
from assay.worlds.families.autonomy.greenhouse import Gardener, Greenhouse
from tests.worlds.families.autonomy import acting, picking, shortcuts

__all__ = ["SHORTCUTS"]

BY_SEEDS: dict[str, Callable[[Brief], Policy]] = {
    "the most seeds": acting(Gardener, picking(lambda row, at: -row["seeds"])),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: shortcuts(Gardener, level) | BY_SEEDS for level in Greenhouse.levels
}
