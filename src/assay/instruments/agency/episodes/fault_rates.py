"""How many calls failed under each regime, beside how many were declared to (8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from assay.canonical import real
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Flag, Measure
from assay.worlds.regimes import FAULT_TOLERANCE, Regime

from .finished import SubjectEpisodes

__all__ = ["fault_rates"]

KINDS = ("timeout", "lost")


def fault_rates(mine: SubjectEpisodes, regimes: Mapping[str, Regime], confidence: float) -> Iterator[Measure]:
    """The share of calls that failed, by regime. It is flagged where it cannot be the declared one."""
    say = MeasureBuilder({"subject": mine.spec.title, "boundary": mine.spec.boundary}, confidence, "episodes")
    for name, regime in regimes.items():
        declared = regime.stability.fault_rate
        reports = [one.report for one in mine.reports if one.regime == name and one.report.calls]
        if not declared or not reports:
            continue
        calls = np.array([float(report.calls) for report in reports])
        failed = np.array([float(sum(report.faults.get(kind, 0) for kind in KINDS)) for report in reports])
        found = cluster_contrast(ClusterTerm(calls, failed))
        low, high = found.ends(confidence)
        flags = []
        if low > declared + FAULT_TOLERANCE or high < declared - FAULT_TOLERANCE:
            cause = f"{found.value:.2f} of calls failed under {name}, where {declared:.2f} is declared (8.2)"
            flags.append(Flag("Limited Comparability", cause))
        yield say(
            "fault_rate",
            found,
            {"regime": name, "declared": real(declared) or 0.0},
            k=int(failed.sum()),
            flags=flags,
            notes=[f"{FAULT_TOLERANCE:g} more or less than declared is within the tolerance"],
        )
