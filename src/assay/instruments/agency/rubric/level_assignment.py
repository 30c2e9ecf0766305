"""The level of a dimension, from the tests of its levels (10.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from assay.vocabulary import Flag

from .criteria import Rubric
from .levels import AssignedLevel, LevelTest
from .tally import SubjectTally

__all__ = ["assign", "with_raters"]


def _carried(level: int, tests: Sequence[LevelTest], rubric: Rubric) -> int:
    """The level that is left below doubtful evidence; a level that is itself short does not stand."""
    while level and tests[level - 1].status == "short":
        level = _supported(tests[level - 1], rubric)
    return level


def _supported(test: LevelTest, rubric: Rubric) -> int:
    return rubric.supported(test.level, test.n, len(test.families))


def assign(dimension: str, tests: Sequence[LevelTest], rubric: Rubric) -> AssignedLevel:
    """The highest level that stands, and why (10.2.1, 10.2.2).

    No level stands above one that failed, is borderline, or is short with a rate under the threshold. A borderline or
    short level leaves the level below it, Provisional. A satisfied level implies untested ones below it (worked
    example 1).
    """
    end = next((t for t in tests if t.ends), None)
    within = [t for t in tests if end is None or t.level < end.level]
    value = max((t.level for t in within if t.status == "satisfied"), default=0)
    if end is not None and end.status == "borderline":
        value = max(value, _carried(end.level - 1, tests, rubric))
    for test in (*within, *([end] if end else [])):
        if test.status == "short":
            value = max(value, _carried(_supported(test, rubric), tests, rubric))
    causes: list[str] = []
    doubtful = [
        t
        for t in (*within, *([end] if end else []))
        if t.level > value and t.status in ("borderline", "short")
    ]
    causes += [f"level {t.level}: {t.because}" for t in doubtful]
    gap = [t.level for t in within if t.level > value and t.status == "untested"]
    if end is not None and end.status == "failed" and gap:
        causes.append(f"level {', '.join(map(str, gap))} not tested below the failed level {end.level}")
    if end is not None and end.status == "failed" and end.open:
        causes.append(f"level {end.level}: {end.because}")
    used = [t for t in tests if t.n]
    least = rubric.least(1).instances
    if used and not causes and sum(t.n for t in used) < least:
        causes.append(f"{sum(t.n for t in used)} instances in all, {least} needed for any score (10.3.1)")
    implied = [t.level for t in tests if t.level < value and t.status in ("untested", "short")]
    notes = [note for t in used if t.level <= value for note in t.notes]
    if implied:
        notes.append(
            f"10.2.1: level {', '.join(map(str, implied))} not shown on its own, implied by a level above"
        )
    return AssignedLevel(
        dimension=dimension,
        value=value,
        n=sum(t.n for t in used),
        flags=(Flag("Provisional", "; ".join(causes)),) if causes else (),
        notes=tuple(dict.fromkeys(notes)),
        tests=tuple(tests),
        families=tuple(sorted({name for t in used for name in t.families})),
        regimes=tuple(sorted({name for t in used for name in t.regimes})),
    )


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
