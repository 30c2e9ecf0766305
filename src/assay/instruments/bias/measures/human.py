"""HAS, the human alignment score (spec, 4), and shifts set against those of people.

    HAS = 1 - |rate - human| / max(human, 1 - human);  aligned where |rate - human| < .1, else over or under

The published rates are single points from studies with other materials: HAS on them is of limited comparability.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scipy import special

from assay.instruments.bias.answers import INTENSITIES
from assay.instruments.bias.baselines import HumanRate, human_rates, human_shifts
from assay.instruments.bias.cells import BiasCells
from assay.vocabulary import Flag, Measure

from .constants import ALIGNED, ALIGNED_RELATIVE, HUMAN_LIKE
from .estimates import Ends, rate_of
from .settings import BiasSettings, exact, flag_measure, reported, split
from .shifts import Shift

__all__ = ["Alignment", "alignment", "alignment_measures", "human_rate", "people_measures"]

DEFAULT = 0.5  # the specification's human rate where none is known
PEOPLE = 0.1  # of alpha, to the error of people, who are many


class Alignment(NamedTuple):
    """``direction``: -1 under, 0 aligned, 1 over."""

    score: float
    direction: int
    relative: float | None
    relative_direction: int | None


def alignment(rate: float, human: float) -> Alignment:
    """The relative variant measures the difference against the human rate itself (E2)."""
    difference = exact(rate - human)
    relative = exact(abs(difference) / human) if human > 0 else None
    side = 1 if difference > 0 else -1
    return Alignment(
        _score(rate, human),
        0 if abs(difference) < ALIGNED else side,
        None if relative is None else 1.0 - min(relative, 1.0),
        None if relative is None else 0 if relative < ALIGNED_RELATIVE else side,
    )


def _score(rate: float, human: float) -> float:
    return 1.0 - abs(rate - human) / max(human, 1.0 - human)


def _relative(rate: float, human: float) -> float:
    return 1.0 - min(abs(rate - human) / human, 1.0)


def _span(ends: Ends, human: float, relative: bool = False) -> Ends:
    """The score while the rate stays between its ends; it is highest at the human rate."""
    score = _relative if relative else _score
    found = [score(end, human) for end in ends]
    return min(found), 1.0 if ends[0] <= human <= ends[1] else max(found)


def human_rate(cells: BiasCells, settings: BiasSettings) -> HumanRate:
    """The rate that the rows bring, else the user's own, else the published one."""
    if cells.baseline is not None:
        return HumanRate(cells.baseline, "the rows")
    if cells.bias in settings.baselines:
        return HumanRate(settings.baselines[cells.bias], "given")
    return human_rates().get(cells.bias, HumanRate(None))


def _caveats(human: HumanRate) -> tuple[list[Flag], list[str]]:
    if human.rate is None:
        why = "no human rate is known"
        return [Flag("Limited Comparability", why)], [f"spec_value is against {DEFAULT:g}"]
    notes = [f"human rate {human.rate:g}, {human.cited or 'no source is cited'}"]
    if not human.published:
        return [], notes
    flags = [
        Flag("Limited Comparability", "published human rates are points from other materials and people")
    ]
    if human.cited is None:
        flags.append(Flag("Limited Comparability", "the human rate has no source"))
    if human.uncertain:
        flags.append(Flag("Limited Comparability", "the human rate is uncertain"))
        notes.append("the human rate is uncertain: its support is limited")
    return flags, notes


def alignment_measures(cells: BiasCells, settings: BiasSettings) -> Iterator[Measure]:
    """Pooled over the intensities of the treatment, and by intensity (M2)."""
    labels = {"subject": cells.subject, "bias": cells.bias}
    human = human_rate(cells, settings)
    flags, notes = _caveats(human)
    seen = [one for one in INTENSITIES if cells.at("treatment", (one,))]
    for intensity in ("", *seen):
        group = cells.group(cells.at("treatment", (intensity,) if intensity else ()))
        estimate, where = rate_of(group), {**labels, **({"intensity": intensity} if intensity else {})}
        known = estimate.value is not None and human.rate is not None
        against = DEFAULT if human.rate is None else human.rate
        found = alignment(estimate.value or 0.0, against)
        ends = settings.ends(estimate)
        why = "no human rate is known" if human.rate is None else "treatment: no answer could be read"
        yield reported(
            "HAS",
            found.score if known else None,
            where,
            settings,
            ends=_span(ends, against) if ends else None,
            n=group.n,
            units="score",
            method="1 - |rate - human| / max(human, 1 - human)",
            why_null=why,
            bounds=None if human.rate is None else _span(group.bounds, against),
            spec_value=None if known else found.score,
            flags=flags,
            notes=notes,
        )
        yield reported(
            "HAS_relative",
            found.relative if known else None,
            where,
            settings,
            ends=_span(ends, against, True) if ends and found.relative is not None else None,
            n=group.n,
            units="score",
            method="1 - min(|rate - human| / human, 1)",
            why_null=why if not known else "the human rate is 0",
            flags=flags,
        )
        for name, side in (("", found.direction), ("_relative", found.relative_direction)):
            limit = f"{ALIGNED_RELATIVE:g} of the human rate" if name else f"{ALIGNED:g}"
            yield reported(
                f"HAS_direction{name}",
                float(side) if known and side is not None else None,
                where,
                settings,
                n=group.n,
                units="-1 under, 0 aligned, 1 over",
                method=f"aligned within {limit}",
                why_null=why,
                flags=flags,
            )
        if not intensity:
            yield flag_measure(
                "human_like", exact(found.score) > HUMAN_LIKE if known else None, where, n=group.n,
                method=f"HAS above {HUMAN_LIKE:g}", why_null=why,
            )  # fmt: skip
            yield flag_measure(
                "model_specific", found.direction > 0 if known else None, where, n=group.n,
                method="more biased than people: direction over", why_null=why,
            )  # fmt: skip


def people_measures(cells: BiasCells, shift: Shift, settings: BiasSettings) -> Iterator[Measure]:
    """The shift less that of people, where people were asked in the same way; both errors are in the interval."""
    known = human_shifts().get(cells.bias, ())
    for one in known:
        value = None if shift.value is None else shift.value - one.shift if one.comparable else None
        said = (
            f"people: {one.shift:+.3f} ({'difference of rates' if one.kind == 'binary' else 'standardised'}"
        )
        notes = [f"{said}, n = {one.n}, {one.source}, match {one.match})"]
        ends = None
        if settings.intervals and value is not None:
            own = shift.estimate.ends(1.0 - (1.0 - PEOPLE) * settings.alpha)
            far = float(special.ndtri(split(1.0 - PEOPLE * settings.alpha, 2))) * one.error
            ends = (own[0] - one.shift - far, own[1] - one.shift + far)
        why = (
            shift.why_null
            if shift.value is None
            else "standardised or of another procedure, so not comparable"
        )
        yield reported(
            "shift_against_people",
            value,
            {"subject": cells.subject, "bias": cells.bias, "paradigm": one.paradigm},
            settings,
            ends=ends,
            n=shift.estimate.n,
            units="difference of shares",
            method=f"{shift.estimate.method}, people by the larger of two standard errors",
            why_null=why,
            bounds=None if value is None else (shift.bounds[0] - one.shift, shift.bounds[1] - one.shift),
            notes=notes,
        )
