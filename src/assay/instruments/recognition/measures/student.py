"""Means of values without known limits: Student's interval over clusters, as values of one cluster are not independent.

    mean = Σ s / N;  variance = m / (m - 1) · Σ (s - n · mean)² / N²;  m - 1 degrees of freedom

over the sums s and numbers n of m clusters. The intervals of `assay.stats` need limits, which drifts and rates of words
do not have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scipy import special

from assay.measuring.building import MeasureBuilder
from assay.vocabulary import Measure

__all__ = ["student_measure"]


def student_measure(
    say: MeasureBuilder,
    name: str,
    clusters: Sequence[Sequence[float]],
    notes: Sequence[str] = (),
    **more: Any,
) -> Measure:
    """No interval with one cluster, nor where all say the same: a spread that was not seen may still be there."""
    found = sorted(sorted(one) for one in clusters if one)
    m, n, ends = len(found), sum(map(len, found)), None
    mean = math.fsum(value for one in found for value in one) / n if n else None
    if mean is not None and m > 1:
        square = math.fsum((math.fsum(one) - len(one) * mean) ** 2 for one in found)
        reach = math.sqrt(square * m / (m - 1)) / n
        reach *= float(special.stdtrit(m - 1, (1.0 + (say.confidence or 0.0)) / 2.0))
        ends = (mean - reach, mean + reach) if reach > 1e-12 * abs(mean) else None
    if mean is not None and ends is None:
        notes = [*notes, f"no interval: {m} of {say.things}" + (", all the same" if m > 1 else "")]
    return say(name, mean, ends=ends, n=n, method=f"student over {m} {say.things}", notes=notes, **more)
