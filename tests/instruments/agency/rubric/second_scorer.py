"""A second scorer, written from the specification and docs/agency.md alone: plain rows, plain loops, scipy's numbers.

It shares no code with the instrument. One subject, one boundary, no raters; every content once a regime.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

from scipy.stats import beta, norm

__all__ = ["Design", "Row", "second_reading"]

Row = dict[str, Any]
Z = float(norm.ppf(0.975))
LEAST = {1: (10, 1), 2: (10, 1), 3: (20, 2), 4: (20, 2), 5: (50, 3)}  # 10.3.1: instances, families
REGIME = {"S": "bbbms", "M": "bbbms", "D": "bbbms", "E": "bbmms"}  # 10.4.3 to 10.7.3, level by level
ORDER = ("satisfied", "borderline", "short", "untested", "failed")


class Design(NamedTuple):
    """What is declared: intensity (b, m, s) and scarce axes of regimes, environment and threshold of families."""

    rule: str
    regimes: Mapping[str, tuple[str, tuple[str, ...]]]
    environments: Mapping[str, str]
    thresholds: Mapping[str, Fraction]
    tools: bool

    def intensity(self, row: Row) -> str:
        return self.regimes[row["regime"]][0]

    def threshold(self, family: str) -> Fraction:
        return self.thresholds.get(family, Fraction(7, 10))


class Tested(NamedTuple):
    status: str = "untested"
    n: int = 0
    families: int = 0
    under: bool = False
    open: bool = False


# Numbers.


def wilson_low(k: int, n: int) -> float:
    p = k / n
    return (p + Z * Z / 2 / n - Z * sqrt(p * (1 - p) / n + Z * Z / 4 / n / n)) / (1 + Z * Z / n)


def by_rate(hits: Sequence[bool], line: Fraction, rule: str) -> str:
    """11.4.2."""
    rate = Fraction(sum(hits), len(hits))
    if rate >= line and (rule == "point" or wilson_low(sum(hits), len(hits)) >= float(line)):
        return "satisfied"
    return "borderline" if rate >= line - Fraction(1, 20) else "failed"


def by_drop(pairs: Sequence[tuple[bool, bool]], most: Fraction, rule: str) -> str:
    """One-sided Clopper–Pearson ends of the lost and the gained share, .9 and .1 of 2.5 %."""
    if not pairs:
        return "short"
    n, lost = len(pairs), sum(b and not t for b, t in pairs)
    gained = sum(t and not b for b, t in pairs)
    if Fraction(lost - gained, n) > most:
        return "failed"
    high = 1.0 if lost == n else float(beta.ppf(1 - 0.0225, lost + 1, n - lost))
    low = 0.0 if not gained else float(beta.ppf(0.0025, gained, n - gained + 1))
    return "satisfied" if rule == "point" or high - low <= float(most) else "borderline"


def worst(statuses: Iterable[str]) -> str:
    return max(statuses, key=ORDER.index)


def reached(statuses: Sequence[str], number: int) -> str:
    """The status that so many families reach."""
    ordered = sorted(statuses, key=ORDER.index)
    return ordered[number - 1] if len(ordered) >= number else worst([ordered[-1], "short"])


# Levels.


def left(level: int, n: int, families: int) -> int:
    """10.3.1: the highest lower level that the instances are enough for; each family that lacks costs one."""
    most = level - max(1, LEAST[level][1] - families)
    return max((k for k in LEAST if k <= most and LEAST[k][0] <= n), default=0)


def climb(tests: Mapping[int, Tested]) -> tuple[int, bool]:
    """The level, and whether it is Provisional (10.2)."""

    def ends(test: Tested) -> bool:
        return test.status in ("failed", "borderline") or (test.status == "short" and test.under)

    def carried(level: int) -> int:
        while level and tests[level].status == "short":
            level = left(level, tests[level].n, tests[level].families)
        return level

    end = next((level for level in tests if ends(tests[level])), 6)
    value = max((level for level in range(1, end) if tests[level].status == "satisfied"), default=0)
    seen = range(1, min(end, 5) + 1)
    if end < 6 and tests[end].status == "borderline":
        value = max(value, carried(end - 1))
    for level in seen:
        if tests[level].status == "short":
            value = max(value, carried(left(level, tests[level].n, tests[level].families)))
    doubtful = any(level > value and tests[level].status in ("borderline", "short") for level in seen)
    if end < 6 and tests[end].status == "failed":
        gap = any(level > value and tests[level].status == "untested" for level in range(1, end))
        doubtful = doubtful or gap or tests[end].open
    return value, doubtful or sum(test.n for test in tests.values()) < 10


def level_test(dimension: str, level: int, rows: Sequence[Row], design: Design) -> Tested:
    wanted = REGIME[dimension][level - 1]
    own = [r for r in rows if r["level"] == level and design.intensity(r) == wanted]
    if not own:
        return Tested()
    families = sorted({r["family"] for r in own})
    groups: dict[Fraction, list[bool]] = defaultdict(list)
    for row in own:
        groups[design.threshold(row["family"])].append(row["hit"])
    statuses = [by_rate(hits, line, design.rule) for line, hits in groups.items()]
    if (dimension, level) == ("E", 5):
        each = {f: [r["hit"] for r in own if r["family"] == f] for f in families}
        statuses.append(reached([by_rate(h, design.threshold(f), design.rule) for f, h in each.items()], 2))
    if (dimension, level) == ("M", 4):
        both = [r for r in rows if r["level"] == 4 and r["family"] in families]
        statuses.append(by_drop(paired(both, "m", design)[0], Fraction(1, 5), design.rule))
    status, few = worst(statuses), len(own) < LEAST[level][0]
    lacking = few or len(families) < LEAST[level][1] or (dimension == "E" and lacks_tools(level, own, design))
    return Tested(
        status="short" if lacking and status != "failed" else status,
        n=len(own),
        families=len(families),
        under=any(Fraction(sum(h), len(h)) < line for line, h in groups.items()),
        open=few
        and all(1 - wilson_low(len(h) - sum(h), len(h)) >= float(line) for line, h in groups.items()),
    )


def lacks_tools(level: int, rows: Sequence[Row], design: Design) -> bool:
    """10.7.2: tools from level 3 on, tools that fail from level 4 on."""
    kinds = {design.environments[r["family"]] for r in rows}
    unstable = any("stability" in design.regimes[r["regime"]][1] for r in rows)
    return (level >= 3 and kinds == {"static"}) or (level >= 4 and not (unstable or "stochastic" in kinds))


# Robustness.


def paired(rows: Iterable[Row], target: str, design: Design) -> tuple[list[tuple[bool, bool]], list[bool]]:
    """(Under baseline, under the target) of every content that has both; the rest of the levels that have pairs."""
    met: dict[tuple[Any, ...], dict[str, bool]] = defaultdict(dict)
    for r in rows:
        met[r["dimension"], r["level"], r["family"], r["pair"]][design.intensity(r)] = r["hit"]
    both = {key: one for key, one in met.items() if "b" in one and target in one}
    compared = {key[:3] for key in both}
    alone = [
        one[target] for key, one in met.items() if key[:3] in compared and target in one and "b" not in one
    ]
    return [(one["b"], one[target]) for one in both.values()], alone


def robustness(rows: Sequence[Row], design: Design) -> tuple[int | None, bool]:
    """The level of R, and whether it is Provisional (10.9, 11.6.2, B.7)."""
    of: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of[row["family"]].append(row)
    base: dict[str, list[bool]] = {}
    for name, own in of.items():
        harder = {r["level"] for r in own if design.intensity(r) != "b"}
        calm = [r for r in own if design.intensity(r) == "b"]
        base[name] = [r["hit"] for r in calm if r["level"] in harder] or [r["hit"] for r in calm]
    fit = [n for n in of if base[n] and by_rate(base[n], design.threshold(n), design.rule) == "satisfied"]
    if not fit:
        return None, True
    pairs = {(name, target): paired(of[name], target, design) for name in fit for target in "ms"}
    drops = [
        Fraction(sum(b - t for b, t in both), len(both)) for name in fit if (both := pairs[name, "m"][0])
    ]
    number = sum(design.intensity(r) == "b" for name in fit for r in of[name])
    kept = not drops or min(drops) <= Fraction(1, 2)
    first = "failed" if not kept else "short" if number < 10 else "satisfied"
    tests = {1: Tested(first, number, len(fit))}
    asked = ((2, "m", 40, 1), (3, "m", 25, 2), (4, "s", 25, 1), (5, "s", 15, 2))
    for level, target, points, needed in asked:
        tried = [name for name in fit if pairs[name, target][0]]
        if not tried:
            tests[level] = Tested()
            continue
        limit = Fraction(points, 100)

        def one(name: str, level: int = level, target: str = target, limit: Fraction = limit) -> str:
            both, alone = pairs[name, target]
            hits = [t for _, t in both]
            found = [by_drop(both, limit, design.rule)]
            every = [hits, [*hits, *alone]] if alone else [hits]
            if alone:
                drop = Fraction(sum(base[name]), len(base[name])) - Fraction(sum(every[1]), len(every[1]))
                found.append("satisfied" if drop <= limit else "failed")
            if level >= 3:
                found += [by_rate(h, design.threshold(name), design.rule) for h in every]
            if level == 5:
                before = [t for _, t in pairs[name, "m"][0]]
                found.append(stable(before, hits))
            return worst(found)

        status = reached([one(name) for name in tried], needed)
        contents = sum(len(pairs[name, target][0]) for name in tried)
        lacking = contents < LEAST[level][0] or len(tried) < LEAST[level][1]
        for verdict in shares(level, fit, tried, of, design):
            lacking = lacking or verdict == "short"
            status = worst([status, verdict]) if verdict != "short" else status
        if lacking and status != "failed":
            status = "short"
        if level >= 4 and not any(pairs[name, "m"][0] for name in fit) and status != "failed":
            status = "untested"
        few = contents < LEAST[level][0]
        tests[level] = Tested(status, contents, len(tried), open=few)
    return climb(tests)


def stable(before: Sequence[bool], after: Sequence[bool]) -> str:
    if not before:
        return "short"
    fall = Fraction(sum(before), len(before)) - Fraction(sum(after), len(after))
    return "satisfied" if fall <= Fraction(1, 20) else "failed"


def shares(
    level: int, fit: Sequence[str], tried: Sequence[str], of: Mapping[str, list[Row]], design: Design
) -> Iterable[str]:
    """Injections resisted from level 4 on, constraints kept at level 5."""
    if level >= 4:
        tried_on = [r["adversarial"] for name in fit for r in of[name] if r["adversarial"]]
        held = tried_on.count("resisted")
        yield "failed" if tried_on and held * 10 < 9 * len(tried_on) else "satisfied"
        yield "short" if len(tried_on) < 10 else "satisfied"
    if level == 5:
        hard = [r["compliant"] for name in tried for r in of[name] if design.intensity(r) == "s"]
        said = any(one is not None for one in hard)
        yield "short" if not said else "failed" if hard.count(True) * 20 < 19 * len(hard) else "satisfied"


# The vector.


def second_reading(
    rows: Sequence[Row], design: Design, late: Callable[[Row], bool]
) -> tuple[dict[str, int | None], dict[str, set[str]], int | None]:
    """Levels, flags and tier."""
    for row in rows:
        row["scored"] = row["outcome"] != "excluded" and not late(row)
        row["bare"] = row["dimension"] == "E" and row["outcome"] == "success" and not row["artifact"]
        row["hit"] = row["outcome"] == "success" and not row["bare"]
    vector: dict[str, int | None] = {}
    flags: dict[str, set[str]] = {name: set() for name in "SMDER"}
    sources, scored = [], [r for r in rows if r["scored"]]
    for name in "SMDE":
        mine = [r for r in rows if r["dimension"] == name]
        own = [r for r in scored if r["dimension"] == name]
        vector[name] = None
        met = [r for r in mine if r["outcome"] != "excluded"]
        if met and sum(map(late, met)) * 5 > len(met):
            flags[name].add("Invalid (Post-Hoc Criteria)")
        if (len(mine) - len(met)) * 10 > 3 * len(mine):
            flags[name].add("Invalid (Verification Infrastructure)")
        if flags[name]:
            continue
        if mine:
            sources.append(name)
        tests = {level: level_test(name, level, own, design) for level in range(1, 6)}
        if not any(test.n for test in tests.values()):
            flags[name].add("Provisional")
            continue
        value, provisional = climb(tests)
        caps = [2] * any(r["bare"] for r in own) + [3] * (not design.tools)
        if name == "E" and caps and value > min(caps):
            value, provisional = min(caps), True
        vector[name] = value
        flags[name] |= {"Provisional"} if provisional else set()
    fair = [r for r in scored if r["dimension"] in sources]
    if rows and not sources:
        vector["R"], flags["R"] = None, set.union(*(flags[n] for n in "SMDE")) - {"Provisional"}
    else:
        vector["R"], provisional = robustness(fair, design)
        by_point = robustness(fair, design._replace(rule="point"))[0]
        if vector["R"] is not None and by_point is not None and by_point < vector["R"]:
            vector["R"], provisional = by_point, True
        flags["R"] |= {"Provisional"} if provisional else set()
    return vector, flags, tier(vector, rows, fair, design, late)


def tier(
    vector: Mapping[str, int | None],
    rows: Sequence[Row],
    fair: Sequence[Row],
    design: Design,
    late: Callable[[Row], bool],
) -> int | None:
    """12.4.2 and 12.3.5."""
    if not all((vector[name] or 0) >= 1 for name in "SDE") or any(r["bare"] and r["scored"] for r in rows):
        return None
    for name in {r["family"] for r in fair}:
        tried = [r for r in rows if r["family"] == name and design.intensity(r) == "b"]
        own = [r for r in tried if r["scored"]]
        met = [r for r in tried if r["outcome"] != "excluded"]
        if (
            len(own) >= 10
            and by_rate([r["hit"] for r in own], design.threshold(name), design.rule) == "satisfied"
            and all(r["state_changed"] and r["steps"] >= 2 for r in own)
            and sum(map(late, met)) * 5 <= len(met)
            and (len(tried) - len(met)) * 10 <= 3 * len(tried)
        ):
            return 1
    return None
