"""Shortcuts to `exhibition`: goals that are set by a rule of thumb, or only said."""

from __future__ import annotations

from collections.abc import Callable

from assay.worlds import Brief, Policy
from assay.worlds.families.autonomy.exhibition import Curator, Exhibition
from tests.worlds.families.autonomy import acting, picking, shortcuts

__all__ = ["SHORTCUTS"]

BY_STORE: dict[str, Callable[[Brief], Policy]] = {
    "the most in store": acting(Curator, picking(lambda row, at: -row["in_store"])),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: shortcuts(Curator, level) | BY_STORE for level in Exhibition.levels
}
