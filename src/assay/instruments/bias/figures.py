"""The pictures of bias: fingerprint, rates beside people's, dose and response, debiasing, confidence, preferences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.measuring.choice_figures import preference_picture, reliability_picture
from assay.report.figures import Reference, forest_plot, panels
from assay.report.presentation import Picture
from assay.vocabulary import Measure, Result

from .answers import INTENSITIES
from .baselines import human_rates, human_shifts
from .items.bank import taxonomy

__all__ = ["draw_bias"]

MOST_PANELS = 12  # biases whose dose and response are drawn: those that shift the most
ORDER: tuple[str, ...] = INTENSITIES
CATEGORIES = list(dict.fromkeys(entry.category for entry in taxonomy().values()))
PLACES = sorted(taxonomy(), key=lambda bias: CATEGORIES.index(taxonomy()[bias].category))


def draw_bias(result: Result) -> list[Picture]:
    """Every picture that the measures allow."""
    return [picture for picture in _pictures(result) if picture is not None]


def _pictures(result: Result) -> Iterator[Picture | None]:
    subjects = list(dict.fromkeys(str(m.labels["subject"]) for m in result.measures if "subject" in m.labels))
    several = "subject" if len(subjects) > 1 else None
    shifts = _with(result, "signed_shift", {"subject", "bias"})
    known = any(_human_shift(m) is not None for m in shifts)
    yield forest_plot(
        shifts,
        title="Cognitive fingerprint",
        caption="How far each bias shifts decisions: the rate of biased answers in treatments less that in controls. "
        "Right of 0 is towards the bias. People: the shift in a large replication, where the same procedure was used.",
        rows=_name,
        groups=_category,
        series=several,
        axis="signed shift",
        references=[Reference("people", _human_shift)] if known else (),
    )
    flagged = {(m.labels["subject"], _bias(m)) for m in _with(result, "HAS", {"subject", "bias"}) if m.flags}

    def published(measure: Measure) -> float | None:  # not where the user brought a rate
        return _human_rate(measure) if (measure.labels["subject"], _bias(measure)) in flagged else None

    yield forest_plot(
        _treated(result),
        title="Beside published rates of people",
        caption="The rate of biased answers in treatments. The published rates are single points from other materials "
        "and people, and nothing of ours was matched to them.",
        rows=_name,
        groups=_category,
        series=several,
        axis="rate of biased answers",
        references=[Reference("people (published)", published)],
    )
    yield _doses(result, shifts)
    yield forest_plot(
        _with(result, "BMP", {"subject", "bias", "method"}),
        title="What debiasing texts take away",
        caption="The part of the treatment's rate of biased answers that is gone with the text, at the same intensity.",
        rows="method",
        groups=_name,
        series=several,
        axis="share of the bias that is gone",
    )
    yield reliability_picture(result.measures, right="normative answers")
    if several:
        yield panels(
            [m for subject in subjects for m in shifts if m.labels["subject"] == subject],
            title="Subject against subject",
            caption="The signed shift of each bias, subject beside subject on the same instances.",
            x="subject",
            line=_name,
            panel=_category,
            axis="signed shift",
        )
    yield preference_picture(result.measures, several)


def _doses(result: Result, shifts: list[Measure]) -> Picture | None:
    largest: dict[str, float] = {}
    for m in shifts:
        largest[_bias(m)] = max(largest.get(_bias(m), 0.0), abs(m.value or 0.0))
    shown = sorted(largest, key=lambda bias: -largest[bias])[:MOST_PANELS]
    every = _with(result, "signed_shift", {"subject", "bias", "intensity"})
    every.sort(key=lambda m: ORDER.index(str(m.labels["intensity"])))
    doses = [m for bias in shown for m in every if _bias(m) == bias]
    if len({m.labels["intensity"] for m in doses}) < 2:
        return None
    return panels(
        doses,
        title="Dose and response",
        caption="The signed shift by how strongly the treatment pulls"
        + (f"; the {MOST_PANELS} biases that shift the most." if len(largest) > MOST_PANELS else "."),
        x="intensity",
        line="subject",
        panel=_name,
        axis="signed shift",
    )


def _with(result: Result, name: str, labels: set[str]) -> list[Measure]:
    """By category and bias, as the taxonomy has them; what it does not know comes last."""
    found = [m for m in result.measures if m.name == name and m.labels.keys() == labels]
    return sorted(found, key=lambda m: PLACES.index(_bias(m)) if _bias(m) in PLACES else len(PLACES))


def _treated(result: Result) -> list[Measure]:
    """The pooled rate of treatments; that of the only intensity where there is one."""
    labels = {"subject", "bias", "condition"}
    rates = [*_with(result, "rate", labels), *_with(result, "rate", {*labels, "intensity"})]
    found: dict[tuple[object, str], Measure] = {}
    for m in rates:
        if m.labels["condition"] == "treatment":
            found.setdefault((m.labels["subject"], _bias(m)), m)
    return list(found.values())


def _bias(measure: Measure) -> str:
    return str(measure.labels["bias"])


def _name(measure: Measure) -> str:
    entry = taxonomy().get(_bias(measure))
    return entry.name if entry else _bias(measure)


def _category(measure: Measure) -> str:
    entry = taxonomy().get(_bias(measure))
    return entry.category if entry else "own"


def _human_shift(measure: Measure) -> float | None:
    shifts = (one.shift for one in human_shifts().get(_bias(measure), ()) if one.comparable)
    return next(shifts, None)


def _human_rate(measure: Measure) -> float | None:
    found = human_rates().get(_bias(measure))
    return None if found is None else found.rate
