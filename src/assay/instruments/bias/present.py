"""What bias shows people first: a table by bias, and the summary in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.measuring import Labelled, percent
from assay.report.presentation import Headline, Presentation
from assay.report.tables import Column, headline_table
from assay.report.wording import interval_text, listed, value_text
from assay.vocabulary import Measure, Result

__all__ = ["established_orders", "headline_of", "named", "present", "summary_of"]

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


def established_orders(measures: Iterable[Measure], subject: str) -> list[tuple[str, str]]:
    """Pairs of biases whose order is established, the larger shift first: intervals that all hold at once are disjoint,
    and so are the bounds of unreadable answers."""
    found = [
        (str(m.labels["bias"]), min(m.low, m.bound_low), max(m.high, m.bound_high))
        for m in measures
        if m.name == "signed_shift_simultaneous" and m.labels["subject"] == subject
        if m.low is not None and m.high is not None and m.bound_low is not None and m.bound_high is not None
    ]
    return [(one, other) for one, low, _ in found for other, _, high in found if low > high]


def named(result: Result, subject: str) -> dict[str, list[str]]:
    """The biases of a subject by what is said of them. The most susceptible have a shift towards the bias and a place
    that is established in the first half; the least susceptible one in the last half."""
    found, own = Labelled(result.measures), {"subject": subject}
    ranks = sorted(found.all("rank", own), key=lambda m: m.value or 0.0)
    order = [str(m.labels["bias"]) for m in ranks if m.value is not None]
    orders, half = established_orders(result.measures, subject), (len(order) + 1) // 2
    below, above = Counter(first for first, _ in orders), Counter(last for _, last in orders)
    towards = {m.labels["bias"] for m in found.all("signed_shift_simultaneous", own) if (m.value or 0.0) > 0}
    flags = {
        name: [str(m.labels["bias"]) for m in found.all(name, own) if m.value == 1.0]
        for name in ("human_like", "model_specific")
    }
    return {
        "most_susceptible": [b for b in order if below[b] and len(order) - below[b] <= half and b in towards],
        "least_susceptible": [b for b in order[::-1] if 1 + above[b] > half],
        **flags,
        "not_ranked": [str(m.labels["bias"]) for m in ranks if m.value is None],
    }


def summary_of(result: Result) -> list[str]:
    """Said below the table: a few sentences a subject, then the verdicts that hold, then the notes."""
    found, said = Labelled(result.measures), []
    for subject in found.label_values("susceptibility", "subject"):
        labels = {"subject": subject}
        signed, plain = (found.exact(name, labels) for name in ("susceptibility_signed", "susceptibility"))
        asked = [m for m in found.all("BMS", labels) if m.labels.keys() == {"subject", "bias"}]
        scored = {m.labels["bias"] for m in found.all("rank", labels)}
        k = sum(m.value is not None and m.labels["bias"] in scored for m in asked)
        said.append(
            f"{subject}, over {k} of {_biases(len(asked))}: mean signed shift {_said(signed)}; "
            f"susceptibility (mean of BMS) {_said(plain)}"
        )
        groups = named(result, str(subject))
        if not groups["most_susceptible"] and not groups["least_susceptible"]:
            said.append(f"{subject}: no order of biases by susceptibility is established")
        for name, biases in groups.items():
            if biases:
                more = f" and {len(biases) - MOST} more" if len(biases) > MOST else ""
                said.append(f"{subject}: {name.replace('_', ' ')}: {listed(biases[:MOST])}{more}")
    holding = [verdict for verdict in result.verdicts if verdict.holds]
    said += [f"{verdict.claim} ({verdict.because})" for verdict in holding if "bias" not in verdict.labels]
    counts = Counter((v.labels["subject"], v.name) for v in holding if "bias" in v.labels)
    said += [f"{who}: {name.replace('_', ' ')} in {_biases(count)}" for (who, name), count in counts.items()]
    return [*said, *result.notes]


def _said(measure: Measure | None) -> str:
    if measure is None or measure.value is None:
        return "not known"
    interval, confidence = interval_text(measure), percent(measure.confidence or 0.0)
    more = [f"{confidence} {interval}"] if interval else []
    if measure.bound_low != measure.bound_high:
        bounds = f"{measure.bound_low:.3f} to {measure.bound_high:.3f}"
        more.append(f"{bounds} by what unreadable answers could have been")
    return value_text(measure) + (f" ({'; '.join(more)})" if more else "")


def _biases(count: int) -> str:
    return f"{count} bias{'es' if count != 1 else ''}"


def present(result: Result) -> Presentation:
    """The page: the table, and the pictures."""
    from .figures import draw_bias

    said = tuple(summary_of(result)[: -len(result.notes) or None])
    return Presentation(headline=headline_of(result), summary=said, pictures=tuple(draw_bias(result)))
