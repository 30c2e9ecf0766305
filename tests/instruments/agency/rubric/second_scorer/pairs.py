"""The same content under baseline and under a harder regime (10.9.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from .design import Design, Row

__all__ = ["paired"]


def paired(rows: Iterable[Row], target: str, design: Design) -> tuple[list[tuple[bool, bool]], list[bool]]:
    """(Under baseline, under the target) of every content that has both; the rest of the levels that have pairs."""
    met: dict[tuple[Any, ...], dict[str, bool]] = defaultdict(dict)
    for r in rows:
        met[r["dimension"], r["level"], r["family"], r["pair"]][design.intensity(r)] = r["hit"]
    both = {key: one for key, one in met.items() if "b" in one and target in one}
    compared = {key[:3] for key in both}
    alone = [
        one[target] for key, one in met.items() if key[:3] in compared and target in one and "b" not in one
    ]
    return [(one["b"], one[target]) for one in both.values()], alone
