"""Figures of success rates: by family and regime, and as regimes get harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import ORDER
from assay.report.figures import Reference, forest_plot, panels
from assay.report.presentation import Picture
from assay.vocabulary import Measure

from .readings import TITLES

__all__ = ["draw_degradation", "draw_families"]

HARDNESS = ("baseline", "moderate", "severe", "adversarial")
AXIS = "share of episodes that succeeded"


def draw_families(
    name: str, rates: Sequence[Measure], regimes: Mapping[str, str], declaration: Declaration
) -> Picture | None:
    """One row for each family and level, one mark for each regime, a tick at the threshold.

    ``regimes`` are the declared ones, each with its hardness.
    """
    place = _places(regimes)
    return forest_plot(
        sorted(
            rates, key=lambda m: (_dimension(m), int(m.labels["level"]), _row(m), place[m.labels["regime"]])
        ),
        title=f"Success by family and regime: {name}",
        caption="The number beside a family is the level that its episodes are made for.",
        rows=_row,
        groups=_group,
        series="regime",
        axis=AXIS,
        references=[Reference("threshold", lambda m: declaration.threshold(str(m.labels["family"])))],
    )


def draw_degradation(name: str, rates: Sequence[Measure], regimes: Mapping[str, str]) -> Picture | None:
    """One panel for each dimension, one line for each family and level that has a baseline and a harder regime."""
    place = _places(regimes)
    met: dict[str, set[bool]] = {}
    for rate in rates:
        if rate.value is not None:
            met.setdefault(_row(rate), set()).add(regimes[str(rate.labels["regime"])] == "baseline")
    kept = [rate for rate in rates if len(met.get(_row(rate), ())) == 2]

    def step(rate: Measure) -> str:
        regime = str(rate.labels["regime"])
        hardness = regimes[regime]
        return regime if hardness in regime.casefold() else f"{regime} ({hardness})"

    return panels(
        sorted(kept, key=lambda m: (place[m.labels["regime"]], _dimension(m), _row(m))),
        title=f"What constraints cost: {name}",
        caption=(
            "Success of a family as the regime gets harder, at the levels that were put under more than one regime. "
            "Robustness R is read from the falls, over the same contents."
        ),
        panel=_group,
        x=step,
        line=_row,
        axis=AXIS,
    )


def _places(regimes: Mapping[str, str]) -> dict[str | float, int]:
    """From the easiest to the hardest; the declared order within one hardness."""
    ordered = sorted(regimes, key=lambda regime: HARDNESS.index(regimes[regime]))
    return {regime: at for at, regime in enumerate(ordered)}


def _dimension(rate: Measure) -> int:
    return ORDER.index(str(rate.labels["dimension"]))


def _group(rate: Measure) -> str:
    dimension = str(rate.labels["dimension"])
    return f"{dimension}  {TITLES[dimension]}"


def _row(rate: Measure) -> str:
    return f"{rate.labels['family']} · {rate.labels['level']}"
