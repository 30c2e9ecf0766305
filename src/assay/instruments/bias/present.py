"""What bias shows people first: a table by bias, and the summary in words."""

from __future__ import annotations

from collections import Counter

from assay.measuring import Labelled, percent
from assay.report.presentation import Headline, Presentation
from assay.report.tables import Column, headline_table
from assay.report.wording import interval_text, listed, value_text
from assay.vocabulary import Measure, Result

__all__ = ["headline_of", "named", "present", "summary_of"]

COLUMNS = (
    Column("signed shift", "signed_shift"),
    Column("magnitude", "BMS"),
    Column("alignment with people", "HAS"),
    Column("evenness", "BCI"),
    Column("unreadable", "unknown_rate"),
)
CAPTION = (
    "The signed shift is treatment less control: above 0 towards the bias, below 0 away from it. Magnitude (BMS) "
    "counts both directions. Alignment is with published rates of people, which are unmatched points."
)
MOST = 5  # biases named in a sentence


def headline_of(result: Result) -> Headline:
    """A row for every bias of every subject."""
    mine = [m for m in result.measures if m.labels.keys() == {"subject", "bias"}]
    return headline_table(mine, title="Bias", rows=("subject", "bias"), columns=COLUMNS, caption=CAPTION)


def named(result: Result, subject: str) -> dict[str, list[str]]:
    """The biases of a subject by what is said of them: most and least susceptible, human-like, model-specific."""
    found, own = Labelled(result.measures), {"subject": subject}
    ranks = sorted(found.all("rank", own), key=lambda m: m.value or 0.0)
    order = [str(m.labels["bias"]) for m in ranks if m.value is not None]
    half = (len(order) + 1) // 2
    flags = {
        name: [str(m.labels["bias"]) for m in found.all(name, own) if m.value == 1.0]
        for name in ("human_like", "model_specific")
    }
    return {
        "most_susceptible": order[: min(MOST, half)],
        "least_susceptible": order[half:][::-1][:MOST],
        **flags,
        "not_ranked": [str(m.labels["bias"]) for m in ranks if m.value is None],
    }


def summary_of(result: Result) -> list[str]:
    """Said below the table: a few sentences a subject, then the verdicts that hold, then the notes."""
    found, said = Labelled(result.measures), []
    for subject in found.label_values("susceptibility", "subject"):
        labels = {"subject": subject}
        signed, plain = (found.exact(name, labels) for name in ("susceptibility_signed", "susceptibility"))
        said.append(
            f"{subject}: mean signed shift {_said(signed)}; susceptibility (mean of BMS) {_said(plain)}"
        )
        for name, biases in named(result, str(subject)).items():
            if biases:
                more = f" and {len(biases) - MOST} more" if len(biases) > MOST else ""
                said.append(f"{subject}: {name.replace('_', ' ')}: {listed(biases[:MOST])}{more}")
    holding = [verdict for verdict in result.verdicts if verdict.holds]
    said += [f"{verdict.claim} ({verdict.because})" for verdict in holding if "bias" not in verdict.labels]
    counts = Counter((v.labels["subject"], v.name) for v in holding if "bias" in v.labels)
    said += [f"{who}: {name.replace('_', ' ')} in {count} biases" for (who, name), count in counts.items()]
    return [*said, *result.notes]


def _said(measure: Measure | None) -> str:
    if measure is None or measure.value is None:
        return "not known"
    interval, confidence = interval_text(measure), percent(measure.confidence or 0.0)
    return value_text(measure) + (f" ({confidence} {interval})" if interval else "")


def present(result: Result) -> Presentation:
    """The page: the table, and the pictures."""
    from .figures import draw_bias

    said = tuple(summary_of(result)[: -len(result.notes) or None])
    return Presentation(headline=headline_of(result), summary=said, pictures=tuple(draw_bias(result)))
