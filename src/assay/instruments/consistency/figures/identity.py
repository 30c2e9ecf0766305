"""M5 and its components by subject, and how pairs of subjects differ in them."""

from __future__ import annotations

from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings
from assay.measuring import Labelled
from assay.report.figures import Reference, forest_plot
from assay.report.presentation import Picture
from assay.report.wording import percent, word
from assay.vocabulary import Measure, Result

__all__ = ["NAMES", "draw_components", "draw_differences", "draw_identities"]

NAMES = {"O": "order O", "F": "refusal F", "R": "repair R", "P": "promises P", "L": "lexicon L", "M5": "M5"}


def draw_components(result: Result, settings: ConsistencySettings) -> Picture | None:
    """The components of every subject whose M5 has a value."""
    found = Labelled(result.measures)
    subjects = [m.labels for m in found.all("M5") if m.value is not None]
    measures = [m for labels in subjects for name in COMPONENTS if (m := found.exact(name, labels))]
    return forest_plot(
        measures,
        title="What identity is made of",
        caption="The components of M5; the number beside a component's name is its weight.",
        rows=lambda m: f"{NAMES[m.name]} · {float(settings.weights[m.name]):.2f}",
        groups="subject",
        axis="share of scenarios",
    )


def draw_identities(result: Result, settings: ConsistencySettings) -> Picture | None:
    """M5 of every subject and the threshold, where there are several subjects."""
    measures = [m for m in result.measures if m.name == "M5"]
    verdicts = Labelled(v for v in result.verdicts if v.kind == "threshold")

    def outcome(measure: Measure) -> str:
        verdict = verdicts.exact("M5", measure.labels)
        return word(None if verdict is None else verdict.holds)

    line = float(settings.threshold)
    return forest_plot(
        measures if len(measures) > 1 else (),
        title="Identity by subject",
        caption="M5 of each subject and the threshold of the study.",
        rows="subject",
        series=outcome,
        axis="M5",
        references=[Reference(f"threshold {line:g}", line)],
    )


def draw_differences(result: Result, settings: ConsistencySettings) -> Picture | None:
    """By how much M5 and its components differ, and the band within which two subjects are equivalent."""
    found = Labelled(result.measures)
    pairs = [measure.labels for measure in found.all("M5_difference")]
    names = [f"{name}_difference" for name in ("M5", *COMPONENTS)]
    measures = [m for labels in pairs for name in names if (m := found.exact(name, labels))]
    whole = measures[0].confidence if measures else None
    tolerance = float(settings.tolerance)
    caption = (
        "Right of 0 the first-named subject is higher. Two subjects are equivalent where the interval of M5 "
        f"({'' if whole is None else f'{percent(whole)}, '}for a test from both sides) lies within the band and both "
        f"reach the threshold; the components' {percent(settings.confidence)} intervals show where a difference "
        "comes from."
    )
    return forest_plot(
        measures,
        title="How the subjects differ",
        caption=caption,
        rows=lambda m: NAMES[m.name.removesuffix("_difference")],
        groups=lambda m: f"{m.labels['subject']} minus {m.labels['against']}",
        axis="difference",
        references=[Reference(f"within ±{tolerance:g}", -tolerance, tolerance)],
    )
