"""How many units show a declared difference, paired and unpaired, by what a first run tells of the spread.

Without a run, values are yes/no and half of them yes: the widest spread. Pairs then need between the n of answers that
hang together as closely as the difference allows, and the n of independent ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from assay.canonical import real
from assay.errors import InputError
from assay.report.wording import labels_text
from assay.stats import required_n_paired, required_units

from .difference import ALPHA, grouped
from .observation import Observation

__all__ = ["POWER", "PlannedDifference", "plan_differences", "plan_without_run"]

POWER = 0.8
NO_ROOM = "no room for such a difference"


class PlannedDifference(Struct, frozen=True, kw_only=True):
    """Units of each subject that find the ``difference`` with the ``power``, at ``alpha`` for this one comparison.

    ``paired_least`` is the n of pairs that hang together as closely as can be; None where the spread was measured.
    """

    instrument: str
    measure: str
    labels: dict[str, str | float]
    difference: float
    power: float
    alpha: float
    first: float | None = None
    units: int = 0  # of the first run
    paired: int | None = None
    unpaired: int | None = None
    paired_least: int | None = None
    note: str = ""

    def __str__(self) -> str:
        of = f"{self.measure} ({labels_text(self.labels)})" if self.labels else self.measure
        known = "" if self.first is None else f", {self.first:.3f} of {self.units:,} units in the first run"
        if self.paired is None or self.unpaired is None:
            return f"{of}{known}: {self.note}"
        pairs = f"{self.paired:,}"
        if self.paired_least is not None:
            pairs = f"{self.paired_least:,} (as alike as can be) to {pairs} (independent)"
        return f"{of}{known}: {pairs} pairs, or {self.unpaired:,} units of each unpaired"


def plan_without_run(difference: float, power: float = POWER, comparisons: int = 1) -> PlannedDifference:
    """Of a yes/no measure of which nothing is known."""
    alpha = ALPHA / comparisons
    coin = [[0.0, 1.0]]
    independent, apart = (
        required_units(coin, difference, paired=paired, target=power, alpha=alpha) for paired in (True, False)
    )
    close = required_n_paired(difference, 0.0, target=power, alpha=alpha)
    return PlannedDifference(
        instrument="",
        measure="a share of a half",
        labels={},
        difference=difference,
        power=power,
        alpha=alpha,
        paired=independent.n,
        unpaired=apart.n,
        paired_least=close.n,
    )


def plan_differences(
    instrument: str,
    observations: Sequence[Observation],
    difference: float,
    power: float = POWER,
    comparisons: int | None = None,
) -> Iterator[PlannedDifference]:
    """Of every measure that one subject of a first run has; corrected as if all were compared and printed together."""
    cells = grouped(observations)
    alpha = ALPHA / (comparisons or len(cells) or 1)
    for (measure, labels), values in sorted(cells.items(), key=lambda cell: (len(cell[0][1]), str(cell[0]))):
        groups, parts, least = _units(values)
        known = [value for group in groups.values() for value in group]
        common: dict[str, Any] = {
            "instrument": instrument,
            "measure": measure,
            "labels": dict(labels),
            "difference": difference,
            "power": power,
            "alpha": alpha,
            "units": len(known),
        }
        if not known:
            yield PlannedDifference(**common, note="no value in the first run")
            continue
        means = [sum(group) / len(group) for group in groups.values()]
        first = sum(means) / len(means) if parts else sum(known) / len(known)
        try:
            paired, apart = (
                required_units(
                    [*groups.values()],
                    difference,
                    paired=pairs,
                    parts=parts,
                    least=least,
                    target=power,
                    alpha=alpha,
                )
                for pairs in (True, False)
            )
        except InputError:
            yield PlannedDifference(**common, first=real(first), note=NO_ROOM)
            continue
        yield PlannedDifference(**common, first=real(first), paired=paired.n, unpaired=apart.n)


def _units(values: Sequence[Observation]) -> tuple[dict[str, list[float]], bool, float]:
    """The value of every unit, by part, or by family where there are no parts; whether there are; and the least value.

    A unit without an answer of either sign has no value.
    """
    parts = any(one.part for one in values)
    signs = {one.sign for one in values}
    answers: dict[tuple[str, str], dict[float, list[float]]] = {}
    for one in values:
        if one.value is not None:
            unit = answers.setdefault((one.part if parts else one.family, one.unit), {})
            unit.setdefault(one.sign, []).append(one.value)
    groups: dict[str, list[float]] = {}
    for (group, _), found in sorted(answers.items()):
        if found.keys() == signs:
            groups.setdefault(group, []).append(sum(sign * sum(v) / len(v) for sign, v in found.items()))
    return groups, parts, -1.0 if -1.0 in signs else 0.0
