"""Over biases: overall susceptibility, ranks, and what differs once all biases are looked at together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Claimed, Ends, MeasureBuilder, exact, mean_ends
from assay.stats import ClusterEstimate, cluster_average
from assay.vocabulary import Flag, Measure, Verdict

from .magnitude import Magnitude, magnitude_ends
from .shifts import SHIFT, Shift, unknown_shift

__all__ = ["BiasSummary", "established_orders", "summary_measures", "summary_verdicts"]

TOO_MANY = Flag("Provisional", "too many unreadable answers to be ranked")


class BiasSummary(NamedTuple):
    """What the summary needs of one bias of one subject."""

    cells: BiasCells
    magnitude: Magnitude
    shift: Shift

    @property
    def bias(self) -> str:
        return self.cells.bias

    def unreadable(self, threshold: float) -> bool:
        """Such a bias is in the overall and in no ranking (spec, 7 and 9)."""
        return exact(self.cells.unknown_rate) > threshold


def summary_measures(
    biases: Sequence[BiasSummary], threshold: float, say: MeasureBuilder
) -> Iterator[Measure]:
    """Of one subject: the specification's overall score, the signed one, and the rank of every bias."""
    scores = [one.magnitude for one in biases]
    read = [one for one in scores if one.value is not None]
    parts = sum(len(one.shifts) for one in read)
    spans = [magnitude_ends(one, say, parts - len(one.shifts)) for one in read]
    absent = [one.bias for one in biases if one.magnitude.value is None]
    conventional = [(one.value or 0.0) if one.spec_value is None else one.spec_value for one in scores]
    yield say(
        "susceptibility",
        sum(one.value or 0.0 for one in read) / len(read) if read else None,
        ends=mean_ends([span for span in spans if span]),
        n=sum(shift.estimate.n for one in read for shift in one.shifts.values()),
        units="score",
        method=f"mean of BMS over {len(read)} biases, from the intervals of their shifts",
        bounds=mean_ends([one.bounds for one in scores]),
        spec=None if all(one.spec_value is None for one in scores) else sum(conventional) / len(conventional),
        notes=[f"without a value: {', '.join(absent)}"] if absent else (),
    )
    signed = cluster_average([one.shift.estimate for one in biases])
    bounds, method = mean_ends([one.shift.bounds for one in biases]), "mean of the shifts of biases"
    yield say("susceptibility_signed", signed, units=SHIFT, method=method, bounds=bounds)
    yield from _ranks(biases, threshold, say)


def _ranks(biases: Sequence[BiasSummary], threshold: float, say: MeasureBuilder) -> Iterator[Measure]:
    """Rank 1 has the largest shift towards its bias. The interval of a rank counts the biases that lie above or below,
    by intervals which all hold at once."""
    ranked = [one for one in biases if one.shift.value is not None and not one.unreadable(threshold)]
    wide = {one.bias: say.ends(one.shift.estimate, len(ranked)) for one in ranked}
    spans = [span for span in wide.values() if span]
    for one in biases:
        own, ends, at = wide.get(one.bias), None, {"bias": one.bias}
        if own:
            above, below = sum(low > own[1] for low, _ in spans), sum(high < own[0] for _, high in spans)
            ends, method = (1.0 + above, float(len(ranked) - below)), f"all {len(ranked)} biases at once"
            found, bounds = one.shift.estimate, one.shift.bounds
            yield say(
                "signed_shift_simultaneous", found, at, ends=own, units=SHIFT, method=method, bounds=bounds
            )
        above = sum(exact(other.shift.value or 0.0) > exact(one.shift.value or 0.0) for other in ranked)
        flags: tuple[Flag, ...] = ()
        why = one.shift.why_null
        if one.unreadable(threshold):
            flags, why = (TOO_MANY,), f"{one.cells.unknown_rate:.0%} of the answers could not be read"
        yield say(
            "rank",
            1.0 + above if one in ranked else None,
            at,
            ends=ends,
            n=len(ranked),
            units="position",
            method="by signed shift, the largest first",
            why=why,
            flags=flags,
        )


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


def summary_verdicts(biases: Sequence[BiasSummary], say: MeasureBuilder) -> Iterator[Verdict]:
    """Which shifts differ from 0, and where unreadable answers depend on the condition; Holm over biases."""

    def claimed(
        one: BiasSummary, claim: str, estimate: ClusterEstimate, bounds: Ends | None = None
    ) -> Claimed:
        return Claimed(f"{one.bias}: {claim}", estimate, bounds, {"bias": one.bias})

    claim = "the shift differs from 0"
    shifts = [claimed(one, claim, one.shift.estimate, one.shift.bounds) for one in biases]
    yield from say.verdicts("shift_differs_from_0", shifts, "biases")
    claim = "answers are unreadable more often in one of control and treatment"
    unread = [claimed(one, claim, unknown_shift(one.cells)) for one in biases if one.cells.unknown_rate > 0]
    yield from say.verdicts("unknown_depends_on_condition", unread, "biases")
