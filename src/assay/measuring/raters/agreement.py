"""How far raters agree: four figures with their intervals, the exact share of disagreement, and what is contested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from assay.measuring.measures import Labels, measure_of, plain_measure
from assay.stats import Agreement, Interval, cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement
from assay.vocabulary import Flag, Measure

from .question import YES_NO, RatingLabel

__all__ = ["agreement_bounds", "agreement_measures", "contested_flag", "disagreement", "joint_label"]

NO_PAIRS = "nothing has two ratings"
Row = Mapping[str, RatingLabel]  # rater → label, of one rated thing


def agreement_measures(
    rows: Sequence[Row],
    labels: Labels,
    *,
    key: str,
    confidence: float = 0.95,
    categories: Sequence[RatingLabel] = tuple(YES_NO.values()),
    first: Sequence[str] = (),
    things: str = "items",
    unread: Sequence[int] = (),
) -> list[Measure]:
    """Percent agreement, Cohen's kappa (two raters), Fleiss' kappa (equally many each) and Krippendorff's alpha.

    ``rows`` are the labels of one question, one row a rated thing, in a fixed order. ``key`` is that of the bootstrap.
    Raters are listed by name, those in ``first`` before the others. ``unread`` counts, row by row, the answers of
    raters that could not be read: they are the bounds of the percent agreement, and in no figure.
    """
    bounds = agreement_bounds(rows, unread, categories) if any(unread) else (None, None)
    notes = (f"{sum(unread)} answers of raters are unknown",) if any(unread) else ()
    rows = [row for row in rows if len(row) > 1] if any(unread) else rows
    raters = [*first, *sorted({rater for row in rows for rater in row}.difference(first))]
    table = [[row.get(rater) for rater in raters] for row in rows]
    labels = {**labels, "raters": ", ".join(raters)}
    plain = percent_agreement(table, confidence)
    found = [measure_of("agreement", plain, labels, why_null=NO_PAIRS, bounds=bounds, notes=notes)]
    if len(raters) == 2 and table:
        one, other = zip(*table, strict=True)
        kappa = cohen_kappa(one, other, key=key, confidence=confidence, missing="drop")
        found.append(_coefficient("cohen_kappa", kappa, labels, things))
    sizes = {len(row) - row.count(None) for row in table}
    if len(sizes) == 1 and min(sizes) > 1:
        counts = [[row.count(label) for label in categories] for row in table]
        fleiss = fleiss_kappa(counts, categories=categories, key=key, confidence=confidence)
        found.append(_coefficient("fleiss_kappa", fleiss, labels, things))
    alpha = krippendorff_alpha(table, key=key, confidence=confidence)
    found.append(_coefficient("krippendorff_alpha", alpha, labels, things))
    return found


def agreement_bounds(
    rows: Sequence[Row], unread: Sequence[int], categories: Sequence[RatingLabel]
) -> tuple[float | None, float | None]:
    """The least and the greatest percent agreement, whatever the unread answers were."""
    lows, highs = [], []
    for row, number in zip(rows, unread, strict=True):
        if len(row) + number > 1:
            low, high = _extremes(row, number, categories)
            lows.append(low)
            highs.append(high)
    if not lows:
        return None, None
    return float(sum(lows, Fraction(0)) / len(lows)), float(sum(highs, Fraction(0)) / len(highs))


def _extremes(row: Row, unread: int, categories: Sequence[RatingLabel]) -> tuple[Fraction, Fraction]:
    """Agreeing pairs are fewest where each unread answer is the rarest label, most where all are the commonest."""
    times = Counter(dict.fromkeys(categories, 0))
    times.update(row.values())
    spread, heaped = Counter(times), Counter(times)
    for _ in range(unread):
        spread[min(spread, key=spread.__getitem__)] += 1
    heaped[max(heaped, key=heaped.__getitem__)] += unread
    return _agreeing(spread), _agreeing(heaped)


def _agreeing(times: Counter[RatingLabel]) -> Fraction:
    """The share of pairs with the same label."""
    total = times.total()
    return Fraction(sum(n * (n - 1) for n in times.values()), total * (total - 1))


def _coefficient(name: str, found: Agreement, labels: Labels, things: str) -> Measure:
    undefined = "every rating is the same, so nothing shows whether raters tell things apart"
    if found.n == 0:
        undefined = NO_PAIRS
    method = f"{found.method}, bootstrap over {things}"
    if found.low is None or found.high is None:  # fewer than two things
        bare = plain_measure(
            name, found.value, labels, n=found.n, units="coefficient", method=method, why_null=undefined
        )
        return msgspec.structs.replace(bare, confidence=found.confidence)
    interval = Interval(
        value=found.value,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        n=found.n,
        method=method,
    )
    return measure_of(name, interval, labels, units="coefficient", why_null=undefined)


def disagreement(rows: Sequence[Row]) -> Fraction | None:
    """The mean over rated things of the share of pairs of raters that differ, exactly; None without any pair."""
    shares = [1 - _agreeing(Counter(row.values())) for row in rows if len(row) > 1]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def contested_flag(rows: Sequence[Row], most: Fraction, what: str, *, things: str = "items") -> Flag | None:
    """Contested where raters differ in more than the declared share. ``what`` names them: "raters disagree on X"."""
    apart = disagreement(rows)
    if apart is None or apart <= most:
        return None
    number = sum(len(row) > 1 for row in rows)
    return Flag("Contested", f"{what} in {float(apart):.1%} of {number} {things}")


def joint_label(row: Row) -> RatingLabel | None:
    """What raters say together: two must agree, of three or more the majority counts. None is unsettled."""
    given = list(row.values())
    for label in dict.fromkeys(given):
        votes = given.count(label)
        if votes == len(given) or (len(given) > 2 and 2 * votes > len(given)):
            return label
    return None
