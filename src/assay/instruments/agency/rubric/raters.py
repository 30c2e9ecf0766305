"""Several raters (10.2.2, 10.3.4, 11.5.3): do they agree on outcomes, on levels, and were they calibrated?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from assay.instruments.agency.declarations.declaration import Declaration
from assay.stats import fraction
from assay.vocabulary import Flag

from .criteria import Rubric
from .judgements import Ratings
from .levels import AssignedLevel, percent
from .tally import SubjectTally

__all__ = ["calibration_flag", "disagreement", "with_raters"]


def disagreement(ratings: Ratings | None, declaration: Declaration) -> str | None:
    """The reason not to aggregate, or None (11.5.3)."""
    if ratings is None or not ratings.rated:
        return None
    if Fraction(ratings.disagreed, ratings.rated) <= fraction(declaration.disagreement_share):
        return None
    return (
        f"11.5.3: raters disagree on {percent(ratings.disagreed, ratings.rated)} of the instances, most "
        f"{100 * declaration.disagreement_share:g} %; the criteria must be refined, nothing is aggregated"
    )


def calibration_flag(raters: tuple[str, ...], declaration: Declaration, rubric: Rubric) -> Flag | None:
    """Raters who were not calibrated, or agreed too little on the control set (10.3.4)."""
    known = {evaluator.name: evaluator for evaluator in declaration.evaluators}
    least = fraction(rubric.calibrated_agreement)
    wrong = []
    for name in raters:
        entry = known.get(name)
        if entry is None or not entry.calibrated:
            wrong.append(f"{name} (not calibrated)")
        elif entry.agreement is None or fraction(entry.agreement) < least:
            agreement = "not given" if entry.agreement is None else f"{100 * entry.agreement:g} %"
            wrong.append(f"{name} (agreement {agreement}, {100 * rubric.calibrated_agreement:g} % needed)")
    if not wrong:
        return None
    return Flag("Limited Comparability", f"raters without calibration (10.3.4): {', '.join(wrong)}")


def with_raters(
    joint: AssignedLevel,
    tally: SubjectTally,
    level_of: Callable[[SubjectTally], AssignedLevel],
    dimensions: Sequence[str] = (),
) -> AssignedLevel:
    """The joint level, compared with the level by each rater's own labels.

    Two raters at different levels: the lower one, Contested (10.2.2). A third rater settles it by judging the outcomes
    on which they disagree (10.3.4); otherwise it stays Contested, and each such outcome counts as a failure.
    """
    of = dimensions or (joint.dimension,)
    rated = [found for name in of if (found := tally.ratings.get(name)) and found.disagreed]
    if joint.value is None or not rated:
        return joint
    names = sorted({name for ratings in rated for name in ratings.raters})
    own = {name: level_of(tally.views[name]).level for name in names if name in tally.views}
    if len(own) < 2:
        return joint
    spread = max(own.values()) - min(own.values())
    levels = ", ".join(f"{name or 'no name'} {level}" for name, level in sorted(own.items()))
    if spread == 0:
        return joint
    notes = (*joint.notes, f"10.3.4: levels by each rater's own labels: {levels}")
    unsettled = sum(ratings.unsettled for ratings in rated)
    if len(own) > 2 and not unsettled:
        return msgspec.structs.replace(joint, notes=notes)
    section = "10.2.2" if spread == 1 else "10.3.4"
    cause = f"two raters come to different levels ({section}): {levels}"
    if len(own) > 2:
        cause = (
            f"raters come to different levels, {unsettled} outcomes no majority settles ({section}): {levels}"
        )
    return msgspec.structs.replace(
        joint,
        value=min(joint.value, *own.values()) if len(own) == 2 else joint.value,
        flags=(*joint.flags, Flag("Contested", cause)),
        notes=notes,
    )
