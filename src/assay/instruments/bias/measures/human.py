"""HAS, the human alignment score (spec, 4), and shifts set against those of people.

    HAS = 1 - |rate - human| / max(human, 1 - human);  aligned where |rate - human| < .1, else over or under

The published rates are single points from studies with other materials: HAS on them is of limited comparability.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scipy import special

from assay.instruments.bias.baselines import HumanRate, human_rates, human_shifts
from assay.instruments.bias.cells import BiasCells
from assay.measuring.building import Ends, MeasureBuilder, exact, split
from assay.vocabulary import Flag, Measure

from .constants import ALIGNED, ALIGNED_RELATIVE, HUMAN_LIKE
from .shifts import SHIFT, UNREADABLE, Shift

__all__ = ["Alignment", "alignment", "alignment_measures", "human_rate", "people_measures"]

DEFAULT = 0.5  # the specification's human rate where none is known
PEOPLE = 0.1  # of alpha, to the error of people, who are many


class Alignment(NamedTuple):
    """``direction``: -1 under, 0 aligned, 1 over. The relative variant divides by the human rate itself (E2)."""

    score: float
    direction: int
    relative: float | None
    relative_direction: int | None


def alignment(rate: float, human: float) -> Alignment:
    difference = exact(rate - human)
    relative = exact(abs(difference) / human) if human > 0 else None
    side = 1 if difference > 0 else -1
    return Alignment(
        1.0 - abs(rate - human) / max(human, 1.0 - human),
        0 if abs(difference) < ALIGNED else side,
        None if relative is None else 1.0 - min(relative, 1.0),
        None if relative is None else 0 if relative < ALIGNED_RELATIVE else side,
    )


def _span(ends: Ends | None, human: float, relative: bool = False) -> Ends | None:
    """The score while the rate stays between its ends; it is highest at the human rate."""
    if ends is None or (relative and human == 0):
        return None
    at = [alignment(end, human) for end in ends]
    found = [one.relative or 0.0 if relative else one.score for one in at]
    return min(found), 1.0 if ends[0] <= human <= ends[1] else max(found)


def human_rate(cells: BiasCells, given: Mapping[str, float | None]) -> HumanRate:
    """The rate that the rows bring, else the user's own, else the published one."""
    if cells.baseline is not None:
        return HumanRate(cells.baseline, "the rows")
    if cells.bias in given:
        return HumanRate(given[cells.bias], "given")
    return human_rates().get(cells.bias, HumanRate(None))


def _caveats(human: HumanRate) -> tuple[list[Flag], list[str]]:
    """Why HAS is of limited comparability, and which rate it was set against."""
    if human.rate is None:
        causes, note = ["no human rate is known"], f"spec_value is against {DEFAULT:g}"
    else:
        causes, note = [], f"human rate {human.rate:g}, {human.cited or 'no source is cited'}"
        if human.published:
            causes.append("published human rates are points from other materials and people")
            causes += ["the human rate has no source"] if not human.cited else []
            causes += ["the human rate is uncertain"] if human.uncertain else []
    return [Flag("Limited Comparability", cause) for cause in causes], [note]


def alignment_measures(
    cells: BiasCells, given: Mapping[str, float | None], say: MeasureBuilder
) -> Iterator[Measure]:
    """Pooled over the intensities of the treatment, and by intensity (M2)."""
    human = human_rate(cells, given)
    flags, notes = _caveats(human)
    against = DEFAULT if human.rate is None else human.rate
    for intensity in ("", *cells.intensities):
        group, at = cells.treatment(intensity), {"intensity": intensity}
        known = group.rate is not None and human.rate is not None
        found, ends, n = alignment(group.rate or 0.0, against), say.ends(group.estimate), group.n
        why = "no human rate is known" if human.rate is None else f"treatment: {UNREADABLE}"
        yield say(
            "HAS",
            found.score if known else None,
            at,
            ends=_span(ends, against),
            n=n,
            units="score",
            method="1 - |rate - human| / max(human, 1 - human)",
            why=why,
            bounds=_span(group.bounds, against) if human.rate is not None else None,
            spec=None if known else found.score,
            flags=flags,
            notes=[*notes, f"direction: {('aligned', 'over', 'under')[found.direction]}"] if known else notes,
        )
        why = why if not known else "the human rate is 0"
        score, sides = "1 - min(|rate - human| / human, 1)", "-1 under, 0 aligned, 1 over"
        limit, relative = (
            f"aligned below {ALIGNED:g}",
            f"aligned below {ALIGNED_RELATIVE:g} of the human rate",
        )
        for name, value, units, method in (
            ("HAS_relative", found.relative, "score", score),
            ("HAS_direction", found.direction, sides, limit),
            ("HAS_direction_relative", found.relative_direction, sides, relative),
        ):
            spans = _span(ends, against, relative=True) if units == "score" else None
            shown = float(value) if known and value is not None else None
            yield say(name, shown, at, ends=spans, n=n, units=units, method=method, why=why, flags=flags)
        if not intensity:
            like, over = (exact(found.score) > HUMAN_LIKE, found.direction > 0) if known else (None, None)
            yield say.flag("human_like", like, n, f"HAS above {HUMAN_LIKE:g}", why=why)
            yield say.flag("model_specific", over, n, "more biased than people: direction over", why=why)


def people_measures(shift: Shift, say: MeasureBuilder) -> Iterator[Measure]:
    """The shift less that of people, where people were asked in the same way; both errors are in the interval."""
    for one in human_shifts().get(say.labels["bias"], ()):
        kind = "difference of rates" if one.kind == "binary" else "standardised difference"
        value, why = shift.value, shift.why_null
        if value is not None:
            value = value - one.shift if one.comparable else None
            why = "standardised or of another procedure, so not comparable"
        ends = None
        if say.confidence and value is not None:
            own = shift.estimate.ends(1.0 - (1.0 - PEOPLE) * say.alpha)
            far = float(special.ndtri(split(1.0 - PEOPLE * say.alpha, 2))) * one.error
            ends = (own[0] - one.shift - far, own[1] - one.shift + far)
        yield say(
            "shift_against_people",
            value,
            {"paradigm": one.paradigm},
            ends=ends,
            n=shift.estimate.n,
            units=SHIFT,
            method=f"{say.method(shift.estimate)}, people by the larger of two standard errors",
            why=why,
            bounds=None if value is None else (shift.bounds[0] - one.shift, shift.bounds[1] - one.shift),
            notes=[f"people: {one.shift:+.3f} ({kind}), n = {one.n}, {one.source}, match {one.match}"],
        )
