"""Pictures of the measures of `choices`: the reliability curve, and preferences for letters and places."""

from __future__ import annotations

from collections.abc import Iterable

from assay.report.figures import Reference, dose_response, forest_plot
from assay.report.presentation import Picture
from assay.vocabulary import Measure

from .measures import Labelled

__all__ = ["preference_picture", "reliability_picture"]


def reliability_picture(measures: Iterable[Measure], *, right: str) -> Picture | None:
    """``right`` are the answers that are right, in the words of the instrument."""
    found = Labelled(m for m in measures if m.labels.keys() == {"subject", "bin"})

    def stated(measure: Measure) -> float:
        mean = found.exact("reliability_confidence", measure.labels)
        return round((mean and mean.value) or 0.0, 2)

    return dose_response(
        found.all("reliability"),
        title="Stated confidence and being right",
        caption=f"The share of {right} among those given with about the same confidence; well calibrated is where "
        "both are the same.",
        x=stated,
        line="subject",
        axis=f"share of {right}",
        x_axis="stated confidence",
        references=[Reference("calibrated", stated)],
    )


def preference_picture(measures: Iterable[Measure], series: str | None) -> Picture | None:
    """``series`` is the label that tells marks of one row apart."""
    return forest_plot(
        [m for m in measures if m.name in ("letter_preference", "position_preference")],
        title="Letters and places",
        caption="How much more often than by chance the first letter, or the first option on the page, was taken. Both "
        "are balanced over instances, so neither can make a shift.",
        rows=lambda m: "first letter" if m.name == "letter_preference" else "first place",
        series=series,
        axis="share less chance",
    )
