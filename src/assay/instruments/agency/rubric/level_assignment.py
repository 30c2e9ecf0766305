"""The level of a dimension, from the tests of its levels (10.2)."""

from __future__ import annotations

from collections.abc import Sequence

from assay.vocabulary import Flag

from .criteria import Rubric
from .levels import AssignedLevel, LevelTest

__all__ = ["assign"]


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
