"""Over biases: overall susceptibility, ranks, and what differs once all biases are looked at together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.instruments.bias.cells import BiasCells
from assay.stats import holm
from assay.vocabulary import Flag, Measure, Verdict

from .estimates import Ends, Estimate, average
from .magnitude import Magnitude, magnitude_ends
from .settings import BiasSettings, exact, reported
from .shifts import Shift, unknown_shift

__all__ = ["BiasSummary", "established_orders", "summary_measures", "summary_verdicts"]


class BiasSummary(NamedTuple):
    """What the summary needs of one bias of one subject."""

    cells: BiasCells
    magnitude: Magnitude
    shift: Shift

    @property
    def bias(self) -> str:
        return self.cells.bias

    def ranked(self, settings: BiasSettings) -> bool:
        """A bias with too many unreadable answers is in the overall and in no ranking (spec, 7 and 9)."""
        return self.shift.value is not None and exact(self.cells.unknown_rate) <= settings.unknown_threshold


def summary_measures(
    subject: str, biases: Sequence[BiasSummary], settings: BiasSettings
) -> Iterator[Measure]:
    """Of one subject: the specification's overall score, the signed one, and the rank of every bias."""
    labels = {"subject": subject}
    read = [one for one in biases if one.magnitude.value is not None]
    parts = sum(len(one.magnitude.shifts) for one in read)
    spans = [magnitude_ends(one.magnitude, settings, parts - len(one.magnitude.shifts)) for one in read]
    conventional = [
        one.magnitude.value if one.magnitude.spec_value is None else one.magnitude.spec_value
        for one in biases
    ]
    absent = [one.bias for one in biases if one.magnitude.value is None]
    n = sum(shift.estimate.n for one in read for shift in one.magnitude.shifts.values())
    yield reported(
        "susceptibility",
        _mean(one.magnitude.value or 0.0 for one in read),
        labels,
        settings,
        ends=_mean_ends([span for span in spans if span]),
        n=n,
        units="score",
        method=f"mean of BMS over {len(read)} biases, from the intervals of their shifts",
        bounds=_mean_ends([_with(one.magnitude.bounds, one.magnitude.value) for one in biases]),
        spec_value=None
        if all(one.magnitude.spec_value is None for one in biases)
        else _mean(one or 0.0 for one in conventional),
        notes=(f"without a value: {', '.join(absent)}",) if absent else (),
    )
    signed = average([one.shift.estimate for one in biases])
    yield reported(
        "susceptibility_signed",
        signed.value,
        labels,
        settings,
        ends=settings.ends(signed),
        n=signed.n,
        units="difference of shares",
        method=f"mean of the shifts of {sum(b.shift.value is not None for b in biases)} biases, {signed.method}",
        bounds=_mean_ends([one.shift.bounds for one in biases]),
    )
    yield from _ranks(labels, biases, settings)


def _ranks(
    labels: dict[str, str], biases: Sequence[BiasSummary], settings: BiasSettings
) -> Iterator[Measure]:
    """Rank 1 has the largest shift towards its bias. The interval of a rank counts the biases that lie above or below,
    by intervals which all hold at once."""
    ranked = [one for one in biases if one.ranked(settings)]
    wide = {one.bias: settings.ends(one.shift.estimate, len(ranked)) for one in ranked}
    for one in biases:
        value, ends, here = one.shift.value, None, one in ranked
        own = wide.get(one.bias)
        if own:
            above = sum(span[0] > own[1] for span in wide.values() if span)
            below = sum(span[1] < own[0] for span in wide.values() if span)
            ends = (1.0 + above, float(len(ranked) - below))
            yield reported(
                "signed_shift_simultaneous",
                value,
                {**labels, "bias": one.bias},
                settings,
                ends=own,
                n=one.shift.estimate.n,
                units="difference of shares",
                method=f"{one.shift.estimate.method}, all {len(ranked)} biases at once",
                bounds=one.shift.bounds,
            )
        higher = sum(exact(other.shift.value or 0.0) > exact(value or 0.0) for other in ranked)
        high = exact(one.cells.unknown_rate) > settings.unknown_threshold
        yield reported(
            "rank",
            1.0 + higher if here else None,
            {**labels, "bias": one.bias},
            settings,
            ends=ends,
            n=len(ranked),
            units="position",
            method="by signed shift, the largest first",
            why_null=f"{one.cells.unknown_rate:.0%} of the answers could not be read"
            if high
            else one.shift.why_null,
            flags=[Flag("Provisional", "too many unreadable answers to be ranked")] if high else (),
        )


def established_orders(measures: Iterable[Measure], subject: str) -> list[tuple[str, str]]:
    """Pairs of biases whose order is established, the larger shift first: intervals that all hold at once are disjoint,
    and so are the bounds of unreadable answers."""
    found = [
        (str(m.labels["bias"]), min(m.low, m.bound_low or m.low), max(m.high, m.bound_high or m.high))
        for m in measures
        if m.name == "signed_shift_simultaneous" and m.labels["subject"] == subject
        if m.low is not None and m.high is not None
    ]
    return [(one, other) for one, low, _ in found for other, _, high in found if low > high]


def summary_verdicts(
    subject: str, biases: Sequence[BiasSummary], settings: BiasSettings
) -> Iterator[Verdict]:
    """Which shifts differ from 0, and where unreadable answers depend on the condition; Holm over biases."""
    p_shift = [one.shift.estimate.p_value() for one in biases]
    rule = (
        f"p by Holm over {{}} biases at most {exact(settings.alpha):g}, whatever the unreadable answers were"
    )
    yield from _differ(
        "shift_differs_from_0",
        subject,
        [(one.bias, one.shift.estimate, one.shift.bounds) for one in biases],
        p_shift,
        "the shift differs from 0",
        rule,
        settings,
    )
    unread = [(one.bias, unknown_shift(one.cells)) for one in biases if one.cells.unknown_rate > 0]
    yield from _differ(
        "unknown_depends_on_condition",
        subject,
        [(bias, estimate, None) for bias, estimate in unread],
        [estimate.p_value() for _, estimate in unread],
        "answers are unreadable more often in one of control and treatment",
        f"p by Holm over {{}} biases at most {exact(settings.alpha):g}",
        settings,
    )


def _differ(
    name: str,
    subject: str,
    found: Sequence[tuple[str, Estimate, Ends | None]],
    p_values: Sequence[float | None],
    claim: str,
    rule: str,
    settings: BiasSettings,
) -> Iterator[Verdict]:
    adjusted = holm(p_values, missing="drop")
    for (bias, estimate, bounds), p in zip(found, adjusted.adjusted, strict=True):
        holds, because = None, "no data"
        if p is not None and estimate.value is not None:
            open_ = bounds is not None and bounds[0] <= 0.0 <= bounds[1]
            holds = True if p <= exact(settings.alpha) and not open_ else None
            because = f"{estimate.value:+.3f}, p = {p:.3g} after Holm"
            because += (
                ", but unreadable answers could have undone it" if open_ and p <= settings.alpha else ""
            )
        yield Verdict(
            name=name,
            kind="comparison",
            labels={"subject": subject, "bias": bias},
            claim=f"{bias}: {claim}",
            rule=rule.format(adjusted.tests),
            holds=holds,
            because=because,
        )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _mean_ends(spans: Sequence[Ends]) -> Ends | None:
    return (
        (sum(low for low, _ in spans) / len(spans), sum(high for _, high in spans) / len(spans))
        if spans
        else None
    )


def _with(span: Ends, value: float | None) -> Ends:
    return span if value is None else (min(span[0], value), max(span[1], value))
