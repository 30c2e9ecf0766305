"""Two subjects beside each other: every measure that both have, and whether it tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from assay.report.presentation import Number, number_of
from assay.report.wording import interval_text, value_text
from assay.stats import Interval, paired_difference, share_difference
from assay.vocabulary import Measure

__all__ = ["Difference", "differences", "number_text"]

CONFIDENCE = 0.95
ALONE = "at 95 % alone"
BINOMIAL = ("clopper-pearson", "wilson", "agresti", "exact")  # methods of a plain share of trials
UNITS = ("share", "distance")
SIGNED = "difference of shares"  # between -1 and 1; compared where it is named
SAID = ("boundary", "suite")  # labels that are the same throughout
Labels = tuple[tuple[str, str | float], ...]


class Difference(NamedTuple):
    """One measure of both subjects, how far apart they are, of how many, and whether that tells them apart."""

    measure: str
    first: str
    second: str
    apart: str
    n: str
    told: str
    one_by_one: str = ""


def number_text(number: Number) -> str:
    """A value with its interval; a star where it is flagged."""
    interval = interval_text(number)
    return value_text(number) + (f" ({interval})" if interval else "") + ("\\*" if number.flags else "")


def differences(
    runs: Mapping[str, Sequence[Measure]],
    first: str,
    second: str,
    *,
    over: str = "",
    names: Sequence[str] = (),
    without: Sequence[str] = (),
) -> list[Difference]:
    """Of all shares and distances, or of those named, differences of shares among them. Units (values of the label
    ``over``) of all runs are taken together; measures that have none are compared run by run. ``without`` are labels
    of parts that are left out.
    """
    cells: dict[tuple[str, str, Labels], dict[str | float, dict[str | float, Measure]]] = {}
    for name, measures in runs.items():
        for one in measures:
            units_compared = (*UNITS, SIGNED) if one.name in names else UNITS
            if one.value is None or one.units not in units_compared or "subject" not in one.labels:
                continue
            if one.name in (names or [one.name]) and not set(without) & one.labels.keys():
                rest = tuple((k, v) for k, v in one.labels.items() if k not in ("subject", over, *SAID))
                whose = "" if over in one.labels else name
                units = cells.setdefault((one.name, whose, rest), {})
                units.setdefault(one.labels.get(over, ""), {})[one.labels["subject"]] = one
    both = {
        key: pairs
        for key, units in cells.items()
        if (pairs := [(of[first], of[second]) for of in units.values() if first in of and second in of])
        and all(
            _least(one) <= (one.value or 0) <= 1 for pair in pairs for one in pair
        )  # a change can be below 0
    }
    found = []
    for (measure, whose, rest), pairs in both.items():
        labels = ", ".join(f"{key} {value}" for key, value in rest)
        title = f"`{measure}`" + (f" ({labels})" if labels else "")
        title += f", `{whose}`" if whose and len(runs) > 1 else ""
        found.append(
            _mean_difference(title, pairs, len(both))
            if over and not whose
            else _difference(title, *pairs[0], len(both))
        )
    return found


def _least(measure: Measure) -> int:
    return -1 if measure.units == SIGNED else 0


def _mean_difference(title: str, pairs: Sequence[tuple[Measure, Measure]], comparisons: int) -> Difference:
    """The mean over units, one value each; and in how many units the two are told apart, allowing for the units."""
    before, after = ([side.value or 0.0 for side in sides] for sides in zip(*pairs, strict=True))
    first, second = (f"{sum(values) / len(values):.3f}" for values in (before, after))
    least = _least(pairs[0][0])
    plain, strict = (_paired(before, after, level, least) for level in _levels(comparisons))
    alone = [_difference("", *pair, len(pairs)).told for pair in pairs]
    apart = f"{sum(told not in ('no', ALONE) for told in alone)} of {len(pairs)}"
    return Difference(title, first, second, _text(plain), str(len(pairs)), _told(plain, strict), apart)


def _paired(before: list[float], after: list[float], level: float, least: int) -> Interval:
    """The mean difference of values between ``least`` and 1; ``paired_difference`` takes shares."""
    if least == 0:
        return paired_difference(before, after, level)
    found = paired_difference([(v + 1) / 2 for v in before], [(v + 1) / 2 for v in after], level)
    ends = {end: 2 * (getattr(found, end) or 0.0) for end in ("value", "low", "high")}
    return msgspec.structs.replace(found, **ends)


def _difference(title: str, one: Measure, two: Measure, comparisons: int) -> Difference:
    """Of two plain shares the interval of their difference; of anything else whether the two intervals meet."""
    shown = (number_text(number_of(one)), number_text(number_of(two)))
    n = f"{one.n} and {two.n}"
    if one.k is not None and two.k is not None and all(m.method.startswith(BINOMIAL) for m in (one, two)):
        plain, strict = (
            share_difference(one.k, one.n, two.k, two.n, level) for level in _levels(comparisons)
        )
        return Difference(title, *shown, _text(plain), n, _told(plain, strict))
    apart = f"{(two.value or 0) - (one.value or 0):+.3f}"
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return Difference(title, *shown, apart, n, "no")
    meet = two.low <= one.high and one.low <= two.high
    return Difference(title, *shown, apart, n, "no" if meet else "intervals do not meet")


def _levels(comparisons: int) -> tuple[float, float]:
    """Of the interval that is shown, and of the one that allows for all comparisons (Bonferroni)."""
    return CONFIDENCE, 1 - (1 - CONFIDENCE) / comparisons


def _text(interval: Interval) -> str:
    return f"{interval.value:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def _told(plain: Interval, strict: Interval) -> str:
    if strict.low > 0 or strict.high < 0:
        return "yes"
    return ALONE if plain.low > 0 or plain.high < 0 else "no"
