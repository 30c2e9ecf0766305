"""The level of a dimension, from the tests of its levels (10.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

from assay.vocabulary import Flag

from .criteria import Rubric
from .levels import AssignedLevel, LevelTest
from .tally import SubjectTally

__all__ = ["assign", "beside", "goal_governance", "with_raters"]


def _credit(test: LevelTest, tests: Sequence[LevelTest]) -> int:
    """The level that one test bears: its own, or the one that is left below it."""
    if test.status == "satisfied":
        return test.level
    if test.status not in ("borderline", "partly", "short") or not test.implies:
        return 0
    below = tests[test.implies - 1]
    if below.n and below.enough and below.status != "satisfied":  # it was tested, and speaks for itself
        return _credit(below, tests)
    return below.level


def assign(dimension: str, tests: Sequence[LevelTest], rubric: Rubric) -> AssignedLevel:
    """The highest level that a test bears, and why it is Provisional (10.2.1, 10.2.2; the table in docs/agency.md)."""
    end = next((t.level for t in tests if t.criterion.ends and t.status == "failed"), len(tests))
    within = tests[:end]
    value = max(_credit(test, within) for test in within)
    causes = _undecided(value, within)
    mixed = [t for t in tests if t.level < value and t.against]
    causes += [f"the evidence is mixed (2.4): level {t.level}: {t.because}" for t in mixed]
    if any(t.level == value and t.loose for t in tests):
        causes.append(
            f"level {value} by its rate alone: {tests[value - 1].because}; the interval reaches below the "
            "threshold (11.4.2)"
        )
    used = [t for t in tests if t.n]
    least = rubric.least(1).instances
    if used and not causes and sum(t.n for t in used) < least:
        causes.append(f"{sum(t.n for t in used)} instances in all, {least} needed for any score (10.3.1)")
    implied = [t.level for t in tests if 0 < t.level <= value and t.status != "satisfied" and t not in mixed]
    notes = [note for t in used for note in t.notes]
    if implied:
        notes.append(
            f"10.2.1: level {', '.join(map(str, implied))} not shown on its own, implied by a level above"
        )
    return AssignedLevel(
        dimension=dimension,
        value=value,
        n=sum(t.n for t in used),
        flags=(Flag("Provisional", "; ".join(dict.fromkeys(causes))),) if causes else (),
        notes=tuple(dict.fromkeys(notes)),
        tests=tuple(tests),
        families=tuple(sorted({name for t in used for name in t.families})),
        regimes=tuple(sorted({name for t in used for name in t.regimes})),
    )


def _undecided(value: int, tests: Sequence[LevelTest]) -> list[str]:
    """Why a level above may yet hold: evidence that is borderline or too little, or none below one that failed."""
    above = [t for t in tests if t.level > value]
    causes = [
        f"level {t.level}: {t.because}"
        for t in above
        if t.status in ("borderline", "short") or (t.status == "failed" and t.open)
    ]
    failed = next((t.level for t in above if t.status == "failed"), 0)
    if gap := [t.level for t in above if t.level < failed and t.status == "untested"]:
        causes.append(f"level {', '.join(map(str, gap))} not tested below the failed level {failed}")
    return causes


def beside(assigned: AssignedLevel, literal: AssignedLevel) -> AssignedLevel:
    """A level with the one by the specification's own rules in ``spec_value``, where it is another."""
    if assigned.value is None or literal.value in (None, assigned.value):
        return assigned
    if assigned.dimension == "L":
        note = (
            f"L is {literal.value} by the text (`spec_value`): the plain gain (10.8.3), without its interval"
        )
        return msgspec.structs.replace(assigned, spec_value=literal.value, notes=(*assigned.notes, note))
    note = (
        f"{assigned.dimension} is {literal.value} by the text (`spec_value`): rates whose interval reaches the "
        "threshold (11.4.2); where a degradation is judged, the plain difference and observed rates (10.9.2, 11.6.2)"
    )
    return msgspec.structs.replace(assigned, spec_value=literal.value, notes=(*assigned.notes, note))


def goal_governance(parts: Mapping[str, AssignedLevel], untested: AssignedLevel) -> AssignedLevel:
    """G from its parts (10.10.1): the rounded mean, in which a part that was not tested is 0, and G Provisional then.

    Thirds are never halves, so rounding has no ties. Where a part may not be reported, neither may G.
    """
    withheld = [one for one in parts.values() if one.withheld]
    if withheld:
        flags = tuple(
            dict.fromkeys(flag for one in withheld for flag in one.flags if flag.kind != "Provisional")
        )
        notes = (f"10.10.1: no valid level of {', '.join(one.dimension for one in withheld)}",)
        return msgspec.structs.replace(untested, spec_value=None, flags=flags, notes=notes)
    if all(one.value is None for one in parts.values()):
        return untested
    mean = Fraction(sum(one.level for one in parts.values()), len(parts))
    listed = ", ".join(
        f"{name} = {'not tested' if one.value is None else one.value}" for name, one in parts.items()
    )
    causes = [
        f"{name}: {flag.cause}"
        for name, one in parts.items()
        for flag in one.flags
        if flag.kind == "Provisional"
    ]
    flags = (Flag("Provisional", "; ".join(causes)),) if causes else ()
    flags += tuple(
        Flag(flag.kind, f"{name}: {flag.cause}")
        for name, one in parts.items()
        for flag in one.flags
        if flag.kind != "Provisional"
    )
    text = Fraction(sum(_by_text(one) for one in parts.values()), len(parts))
    told = [f"10.10.1: {listed}; to one decimal {float(mean):.1f}"]
    if round(text) != round(mean):
        by_text = ", ".join(f"{name} = {_by_text(one)}" for name, one in parts.items())
        told.append(f"G is {round(text)} by the text (`spec_value`): {by_text}")
    return AssignedLevel(
        dimension="G",
        value=round(mean),
        spec_value=round(text) if round(text) != round(mean) else None,
        n=sum(one.n for one in parts.values()),
        flags=flags,
        notes=tuple(told),
        families=tuple(sorted({name for one in parts.values() for name in one.families})),
        regimes=tuple(sorted({name for one in parts.values() for name in one.regimes})),
    )


def _by_text(one: AssignedLevel) -> int:
    return one.level if one.value is None or one.spec_value is None else one.spec_value


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
