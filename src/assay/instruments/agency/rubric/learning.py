"""Levels of learning (10.8.3): what success gains between two tests, and whether practice is the cause.

A gain is the share of successes after less the share before, over the same contents of the same learner where both are
there. Its interval is the wider of two: Student's over learners, because the rows of one learner are not independent,
and that of the contents by themselves, for learners may agree by chance. One learner has no interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.learning.comparisons import Comparison, LearningCounts, LearningKey
from assay.stats import fraction, share_difference
from assay.stats.clusters import ClusterTerm, cluster_contrast
from assay.stats.gaffke import mean_curve
from assay.stats.student import student_mean
from assay.vocabulary import Flag

from .criteria import LevelCriterion, Rubric
from .level_assignment import assign
from .levels import AssignedLevel, LevelTest, Status, literally, percent, worst
from .tally import Pairs, SubjectTally

__all__ = [
    "LASTING",
    "STORE",
    "Gain",
    "compared",
    "gain_of",
    "gain_status",
    "gain_words",
    "learning_level",
]

LASTING = frozenset({"conversation", "store"})  # memory that may be the cause of a gain (10.8.2)
STORE = "store"  # memory that outlasts a conversation (10.8.3)
Found = tuple[tuple[str, LearningCounts], ...]  # learner → counts


class Gain(Struct, frozen=True, kw_only=True):
    """``value`` is None where one side has no outcomes. ``n`` counts the contents of pairs, else the outcomes after."""

    value: Fraction | None
    low: float = -1.0
    high: float = 1.0
    confidence: float = 0.95
    k0: int = 0
    n0: int = 0
    k1: int = 0
    n1: int = 0
    n: int = 0
    learners: int = 0
    paired: bool = False
    apart: Fraction | None = None  # of all outcomes, where some have no counterpart
    families: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        return f"student-by-learner, {'paired' if self.paired else 'unpaired'}"

    @property
    def least(self) -> Fraction:
        """The gain by which the level is judged: contents without a counterpart must not hide a loss."""
        assert self.value is not None
        return self.value if self.apart is None else min(self.value, self.apart)


def compared(
    tally: SubjectTally,
    comparison: Comparison,
    level: int,
    intensity: str,
    declaration: Declaration,
    family: str | None = None,
) -> list[tuple[LearningKey, LearningCounts]]:
    """What was compared at a level, under regimes of one intensity, in families that are not left out."""
    return [
        (key, counts)
        for key, counts in sorted(tally.learning.compared.items())
        if (key.comparison, key.level) == (comparison, level)
        and declaration.level(key.regime) == intensity
        and declaration.family(key.family).included
        and family in (None, key.family)
    ]


def gain_of(found: Sequence[tuple[LearningKey, LearningCounts]], confidence: float) -> Gain:
    """The gain over pairs where there are pairs, else over all outcomes, in families that have both sides (10.8.2)."""
    before, after = ({key.family for key, counts in found if getattr(counts, n)} for n in ("n0", "n1"))
    found = [(key, counts) for key, counts in found if key.family in before & after or not before & after]
    k0, n0, k1, n1 = (sum(getattr(counts, name) for _, counts in found) for name in ("k0", "n0", "k1", "n1"))
    if not before & after:
        return Gain(value=None, k0=k0, n0=n0, k1=k1, n1=n1, confidence=confidence)
    paired = any(counts.pairs for _, counts in found)
    used = [(key, counts) for key, counts in found if counts.pairs or not paired]
    gain = _gain(tuple((key.learner, counts) for key, counts in used), paired, confidence)
    left = paired and (gain.n0, gain.n1) != (n0, n1)
    return msgspec.structs.replace(
        gain,
        apart=Fraction(k1, n1) - Fraction(k0, n0) if left else None,
        families=tuple(sorted({key.family for key, _ in used})),
        regimes=tuple(sorted({key.regime for key, _ in used})),
    )


@lru_cache(maxsize=4096)
def _gain(found: Found, paired: bool, confidence: float) -> Gain:
    if paired:
        pairs = [Pairs(*numbers) for _, counts in found for numbers in counts.pairs]
        k0, n0 = sum(p.k0 * p.number for p in pairs), sum(p.n0 * p.number for p in pairs)
        k1, n1 = sum(p.k1 * p.number for p in pairs), sum(p.n1 * p.number for p in pairs)
        n = every = sum(p.number for p in pairs)
        value = (
            sum(((Fraction(p.k1, p.n1) - Fraction(p.k0, p.n0)) * p.number for p in pairs), Fraction(0))
            / every
        )
        learners = list(_by_learner(found))
        contents = mean_curve([gain for own in learners for gain in own], -1.0, 1.0).interval(confidence)
    else:
        k0, n0, k1, n1 = (
            sum(getattr(counts, name) for _, counts in found) for name in ("k0", "n0", "k1", "n1")
        )
        value, n = Fraction(k1, n1) - Fraction(k0, n0), n1
        contents = share_difference(k0, n0, k1, n1, confidence)
        learners = [[added] for added in _added(found)]
    low, high = contents.low, contents.high
    if len(learners) < 2:
        low, high = -1.0, 1.0
    else:
        spread = student_mean(learners, confidence=confidence)
        if spread.low is not None and spread.high is not None:  # None: all learners gain the same
            low, high = max(-1.0, min(low, spread.low)), min(1.0, max(high, spread.high))
    return Gain(
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        k0=k0,
        n0=n0,
        k1=k1,
        n1=n1,
        n=n,
        learners=len(learners),
        paired=paired,
    )


def _by_learner(found: Found) -> Iterator[list[float]]:
    """The gain of every content, by learner; a content without a learner is by itself."""
    by_name: dict[str, list[float]] = {}
    for learner, counts in found:
        for k0, n0, k1, n1, number in counts.pairs:
            gains = [k1 / n1 - k0 / n0] * number
            if learner:
                by_name.setdefault(learner, []).extend(gains)
            else:
                yield from ([gain] for gain in gains)
    yield from by_name.values()


def _added(found: Found) -> list[float]:
    """What every learner adds to the difference of two shares; an outcome without a learner is by itself."""
    by_name: dict[str, list[int]] = {}
    rows: list[tuple[int, int, int, int]] = []
    for learner, (_, k0, n0, k1, n1) in found:
        if learner:
            mine = by_name.setdefault(learner, [0, 0, 0, 0])
            by_name[learner] = [a + b for a, b in zip(mine, (k0, n0, k1, n1), strict=True)]
        else:
            rows += [(int(i < k0), 1, 0, 0) for i in range(n0)] + [(0, 0, int(i < k1), 1) for i in range(n1)]
    table = np.array([*by_name.values(), *rows], float)
    before, after = ClusterTerm(table[:, 1], table[:, 0], -1.0), ClusterTerm(table[:, 3], table[:, 2])
    return [float(one) for one in cluster_contrast(after, before).parts.added]


# One level.


def gain_status(gain: Gain, line: float, declaration: Declaration) -> Status:
    """The rule of a gain: the lower end of its interval reaches the line; by rule ``point`` the gain itself does."""
    if gain.value is None:
        return "untested"
    if gain.least < fraction(line):
        return "failed"
    return (
        "satisfied" if declaration.rule == "point" or fraction(gain.low) >= fraction(line) else "borderline"
    )


def gain_words(gain: Gain, what: str, line: float) -> str:
    """A gain, its interval and its threshold, as text."""
    if gain.value is None:
        return f"{what}: nothing to compare"
    who = f"{gain.learners} learners" if gain.learners > 1 else "one learner, which has no interval"
    apart = "" if gain.apart is None else f", {100 * float(gain.apart):.1f} over all outcomes"
    return (
        f"{what} {100 * float(gain.value):.1f} points ({percent(gain.k0, gain.n0)} to {percent(gain.k1, gain.n1)})"
        f"{apart}, interval {100 * gain.low:.1f} to {100 * gain.high:.1f}, {who}, threshold {100 * line:g}"
    )


def learning_level(
    tally: SubjectTally, declaration: Declaration, rubric: Rubric, *, literal: bool = False
) -> AssignedLevel:
    """The level of L, with the test of every one. ``literal``: by the plain gains of the text."""
    tests = [
        _test(row, tally, literally(row, declaration) if literal else declaration, rubric)
        for row in rubric.of("L")
    ]
    return _with_cause(assign("L", tests, rubric), tally, declaration, rubric)


def _test(row: LevelCriterion, tally: SubjectTally, declaration: Declaration, rubric: Rubric) -> LevelTest:
    assert row.gain is not None
    kind: Comparison = "attempts" if row.within else "gain"
    gain = gain_of(compared(tally, kind, row.judged, row.regime, declaration), declaration.confidence)
    if why := _untestable(row, gain, rubric):
        return LevelTest(criterion=row, status="untested", because=why)
    status = own = gain_status(gain, row.gain, declaration)
    words = [gain_words(gain, "gain", row.gain)]
    for other, text in _others(row, tally, declaration):
        status, words = worst([status, other]), [*words, text]
    if status == "failed" and own != "failed":
        status = "partly"
    lacking = _lacking(row, gain, rubric)
    if lacking and status != "failed":
        status = "short"
    enough = gain.n >= rubric.least(row.level).instances
    below = rubric.supported(row.level, gain.n, len(gain.families)) if status == "short" else row.level - 1
    line = fraction(row.gain)
    return LevelTest(
        criterion=row,
        status=status,
        because="; ".join([*words, *lacking]),
        n=gain.n,
        k=gain.k1,
        families=gain.families,
        regimes=gain.regimes,
        under=gain.least < line,
        open=not enough and fraction(gain.high) >= line,
        enough=enough,
        loose=status == "satisfied" and fraction(gain.low) < line,
        implies=below,
    )


def _untestable(row: LevelCriterion, gain: Gain, rubric: Rubric) -> str:
    """Why there is nothing to judge; empty where there is."""
    first, later = (
        ("a first attempt", "a third one") if row.within else ("tests before practice", "tests after it")
    )
    if gain.value is None:
        if not gain.n0 and not gain.n1:
            return f"no outcomes of {first} and {later} under a {row.regime} regime"
        if gain.n0 and gain.n1:
            return f"no family has outcomes of both {first} and {later} under a {row.regime} regime (10.8.2)"
        return f"no outcomes of {later if gain.n0 else first} under a {row.regime} regime"
    if row.within and not gain.paired:
        return f"no instance has {first} and {later} (B.6.1)"
    if Fraction(gain.k0, gain.n0) > fraction(rubric.ceiling):
        most = f"{100 * rubric.ceiling:g} %"
        return f"not testable: success is {percent(gain.k0, gain.n0)} before, above {most} there is little to gain"
    return ""


def _others(
    row: LevelCriterion, tally: SubjectTally, declaration: Declaration
) -> Iterator[tuple[Status, str]]:
    """The cause (10.8.2), and what was lost on earlier families (10.8.3)."""
    assert row.gain is not None
    if not row.within and tally.learning.memories & LASTING:
        cause = gain_of(compared(tally, "wiped", row.judged, row.regime, declaration), declaration.confidence)
        if cause.value is not None:
            words = gain_words(cause, "over the wiped memory", row.gain)
            yield gain_status(cause, row.gain, declaration), words
    if row.regression is not None:
        after = gain_of(
            compared(tally, "retest", row.judged, row.regime, declaration), declaration.confidence
        )
        if after.value is None:
            yield "short", "no earlier family was tested again (10.8.3)"
            return
        lost, most = -after.least, fraction(row.regression)
        text = f"lost on earlier families {100 * float(lost):.1f} points, {100 * row.regression:g} allowed"
        yield "satisfied" if lost <= most else "failed", text


def _lacking(row: LevelCriterion, gain: Gain, rubric: Rubric) -> list[str]:
    """The instances after practice and the families that are missing (10.3.1)."""
    least, found = rubric.least(row.level), []
    if gain.n < least.instances:
        found.append(f"{gain.n} instances after, {least.instances} needed (10.3.1)")
    if len(gain.families) < least.families:
        found.append(f"{len(gain.families)} of {least.families} families needed (10.3.1)")
    return found


def _with_cause(
    assigned: AssignedLevel, tally: SubjectTally, declaration: Declaration, rubric: Rubric
) -> AssignedLevel:
    """The level with the cap of a memory that does not last or is not declared, and Provisional without a cause."""
    if assigned.value is None:
        return assigned
    value, flags, notes = assigned.value, list(assigned.flags), list(assigned.notes)
    memories = tally.learning.memories
    if memories and memories != {STORE}:
        listed = ", ".join(sorted(memory or "not declared" for memory in memories - {STORE}))
        why = (
            f"memory from one episode to the next: {listed}; L is capped at {rubric.memory_cap} without a declared one "
            "that outlasts the conversation (6.3, 10.8.3)"
        )
        notes.append(why)
        if value > rubric.memory_cap:
            value = rubric.memory_cap
            flags.append(Flag("Provisional", why))
    shown = [t for t in assigned.tests if t.level >= 2 and t.status in ("satisfied", "borderline", "short")]
    bare = [
        t.level
        for t in shown
        if not any(
            c.n0 for _, c in compared(tally, "wiped", t.criterion.judged, t.criterion.regime, declaration)
        )
    ]
    if value > 1 and bare and memories & LASTING:
        levels = ", ".join(map(str, bare))
        cause = f"the cause is not shown: no tests with a wiped memory at level {levels} (10.8.2)"
        flags.append(Flag("Provisional", cause))
    return msgspec.structs.replace(assigned, value=value, flags=tuple(flags), notes=tuple(notes))
