"""What the counts of a study can show, computed before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from assay.measuring import percent
from assay.stats import clopper_pearson

from .platforms import planned_power
from .shares import COMPONENTS, ConsistencySettings

__all__ = ["what_counts_show"]

AT = Fraction(9, 10)  # the share at which half widths are given
BOTH = (Fraction(1), Fraction(98, 100))  # how good the two subjects are that a comparison is planned for
SIMULATIONS = 1000


def what_counts_show(counts: Mapping[str, int], settings: ConsistencySettings) -> Iterator[str]:
    """In words: how well each share will be known, and whether two equal subjects can be shown to be equal.

    ``counts`` are scenarios by measure: the components of M5, and others whose half width is of interest.
    """
    confidence = settings.confidence
    widths = [f"{name} ±{_half_width(n, confidence):.2f} (n={n})" for name, n in counts.items() if n]
    yield f"half widths at a share of {float(AT):g} ({percent(confidence)} Clopper-Pearson): {', '.join(widths)}"
    if untested := [name for name, n in counts.items() if not n]:
        yield f"not tested: {', '.join(untested)}"
    components = {name: counts[name] for name in COMPONENTS}
    if not all(components.values()):
        yield "M5 is over what is tested, Provisional, and cannot pass"
        return
    margin = f"{float(settings.tolerance):g}"
    for share in BOTH:
        found = planned_power(components, settings, share=share, simulations=SIMULATIONS)
        yield (
            f"two subjects that do everything right with probability {float(share):g}: their M5 are shown to differ "
            f"by less than {found.reach:.3f} with power .8, and to be equivalent at {margin} with power "
            f"{found.power:.2f} (simulated, {SIMULATIONS} pairs)"
        )


def _half_width(n: int, confidence: float) -> float:
    found = clopper_pearson(round(AT * n), n, confidence)
    return (found.high - found.low) / 2
