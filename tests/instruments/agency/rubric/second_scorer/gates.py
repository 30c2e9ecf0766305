"""Tiers 3 and 4: 12.3, 12.6, 12.7. A gate holds (True), fails (False), or the evidence does not tell (None)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.stats import spearman_of_success
from assay.stats.gaffke import mean_curve

from .design import Design, Row
from .numbers import by_rate, reached, worst

__all__ = ["Gates", "few_confidences", "fourth", "third"]

Gates = dict[str, bool | None]
DEEP, DELAYED = 5, 3  # 12.6.2: steps
LEAST_3, LEAST_CONFIDENCES, LEAST_4 = 20, 20, 30  # 12.6.2, 12.7.2: instances
RELIABLE = Fraction(70, 100)
ADVANTAGE, CORRELATION, SWITCHING = Fraction(15, 100), Fraction(6, 10), Fraction(10, 100)


def holds(status: str) -> bool | None:
    return {"satisfied": True, "point": True, "failed": False}.get(status)


def third(
    values: Mapping[str, int | None], rows: Sequence[Row], gated: bool | None, valid: bool, design: Design
) -> Gates:
    """12.6.2, under baseline regimes. ``rows``: those of T3; ``gated``: M by its prediction-gated choices (B.3.3)."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) == "b"]
    own = of_arm(scored, "")
    each = by_family(own)
    return {
        "modelling": gated if at_least(values["M"], 3) else at_least(values["M"], 3),
        "planning depth": holds(planning(each, design)),
        "delayed reward": holds(delayed_reward(scored, design)),
        "instances": sum(len(one) >= LEAST_3 for one in each.values()) >= 2 or None,
        "validity": valid,
    }


def planning(each: Mapping[str, Sequence[Row]], design: Design) -> str:
    deep = []
    for own in each.values():
        if (design.frame(own[0]).steps or 0) >= DEEP:
            required = [r for r in own if not (design.choices.steps_are_held and solved_sooner(r))]
            status = rate_of(required, design, design.choices.depth_by_declared_line)
            fails = status == "failed" and design.choices.few_may_fail and len(required) == len(own)
            known = len(required) >= LEAST_3 or fails
            deep.append(status if known else "short")
    return in_two(deep, design)


def solved_sooner(row: Row) -> bool:
    """ "Requiring 5+ steps": what was solved in fewer did not."""
    return bool(row["hit"] and row["steps"] is not None and row["steps"] < DEEP)


def in_two(each: Sequence[str], design: Design) -> str:
    """ "At least 2 task families"."""
    if len(each) < 2 and (not each or design.choices.single_family_is_open):
        return "untested"
    return reached(each, 2)


def delayed_reward(scored: Sequence[Row], design: Design) -> str:
    """12.6.4: the reward condition and its step are declared."""
    compared = {r["family"] for r in of_arm(scored, "model_free")}
    delayed = [r for r in scored if design.frame(r).reward and (design.frame(r).delay or 0) >= DELAYED]
    late = [r for r in delayed if r["family"] in compared]
    found = by_advantage(of_arm(late, ""), of_arm(late, "model_free"), ADVANTAGE, design)
    # 12.3.2: a family that was not compared could have gained nothing.
    return "borderline" if found == "satisfied" and len(late) < len(delayed) else found


def fourth(
    values: Mapping[str, int | None], rows: Sequence[Row], goals: Sequence[Row], valid: bool, design: Design
) -> Gates:
    """12.7.2, under Moderate or Severe regimes (12.3.3). ``rows``: those of T4; ``goals``: those of G1."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) != "b"]
    own = of_arm(scored, "")
    revised = [r for r in goals if r["scored"] and r["level"] >= 3 and design.intensity(r) != "b"]
    if design.choices.revision_up_to_value:
        most = max([values["G1"] or 0, *sorted(r["level"] for r in revised)[:1]])
        revised = [r for r in revised if r["level"] <= most]
    return {
        "calibration": holds(calibration(own, design)),
        "goal revision": at_least(values["G1"], 3),
        "revision success": holds(rate_of(revised, design, design.choices.revision_by_declared_line)),
        "meta-control": holds(meta_control(scored, design)),
        "instances": len(own) >= LEAST_4 or None,
        "validity": valid,
    }


def rate_of(rows: Sequence[Row], design: Design, declared: bool) -> str:
    """``declared``: by the thresholds that families declare, each group for itself."""
    lines: dict[Fraction, list[bool]] = defaultdict(list)
    for r in rows:
        lines[design.threshold(r["family"]) if declared else RELIABLE].append(r["hit"])
    return worst(by_rate(hits, line, design.rule) for line, hits in lines.items()) if rows else "untested"


def asked(own: Sequence[Row], design: Design) -> list[Row]:
    """The rows of families in which the subject said how sure it was, "on held-out task instances"."""
    families = {r["family"] for r in own if r.get("confidence") is not None}
    declared = design.choices.held_out_is_declared
    return [r for r in own if r["family"] in families and (design.frame(r).held_out or not declared)]


def few_confidences(scored: Sequence[Row], design: Design) -> bool:
    own = of_arm([r for r in scored if design.intensity(r) != "b"], "")
    return 0 < len(asked(own, design)) < LEAST_CONFIDENCES


def calibration(own: Sequence[Row], design: Design) -> str:
    told = asked(own, design)
    if len(told) < LEAST_CONFIDENCES:
        return "short"
    found = spearman_of_success([r.get("confidence") for r in told], [r["hit"] for r in told])
    if found.value is None:
        return "untested"
    if found.value < float(CORRELATION):
        return "failed"
    return "satisfied" if by_plain(design) or found.low >= float(CORRELATION) else "borderline"


def meta_control(scored: Sequence[Row], design: Design) -> str:
    """12.7.4: two declared strategies, both seen in what was done; the gain is over whichever was fixed."""
    each = [
        switching(own, design)
        for own in by_family(scored).values()
        if len(set(design.frame(own[0]).strategies)) >= 2
    ]
    return in_two(each, design)


def switching(rows: Sequence[Row], design: Design) -> str:
    own, fixed = of_arm(rows, ""), of_arm(rows, "fixed_strategy")
    declared = set(design.frame(rows[0]).strategies)
    written = {r["strategy"] for r in own} - {""}
    gains = [
        by_advantage(own, [r for r in fixed if r["strategy"] == one], SWITCHING, design) for one in declared
    ]
    if not written and design.choices.unwritten_strategy_is_open:
        return worst(["short", *gains])
    return worst(["satisfied" if len(written & declared) >= 2 else "failed", *gains])


def by_advantage(own: Sequence[Row], other: Sequence[Row], line: Fraction, design: Design) -> str:
    """12.3.2: "on the same instances". Outcomes without a counterpart must not hide a loss."""
    first, second = by_content(own), by_content(other)
    both = sorted(set(first) & set(second))
    if not both:
        return "short"
    pairs = [(mean(first[one]), mean(second[one])) for one in both]
    gains = [sum((a - b for a, b in pairs), Fraction(0)) / len(pairs)]
    if set(first) ^ set(second):
        gains.append(mean([r["hit"] for r in own]) - mean([r["hit"] for r in other]))
    if min(gains) < line:
        return "failed"
    return "satisfied" if by_plain(design) or lower_end(first, second, both) >= float(line) else "borderline"


def lower_end(
    first: Mapping[Any, list[bool]], second: Mapping[Any, list[bool]], both: Sequence[Any]
) -> float:
    gained = sorted(float(mean(first[one]) - mean(second[one])) for one in both)
    return mean_curve(gained, -1.0, 1.0).interval(0.95).low


def by_plain(design: Design) -> bool:
    return design.plain or design.rule == "point"


def at_least(value: int | None, line: int) -> bool | None:
    return None if value is None else value >= line


def of_arm(rows: Sequence[Row], arm: str) -> list[Row]:
    return [r for r in rows if r.get("arm", "") == arm]


def by_family(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for r in rows:
        found[r["family"]].append(r)
    return found


def by_content(rows: Sequence[Row]) -> dict[tuple[str, str, str], list[bool]]:
    found: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for r in rows:
        found[r["family"], r["regime"], r["pair"] or r["instance"]].append(r["hit"])
    return found


def mean(hits: Sequence[bool]) -> Fraction:
    return Fraction(sum(hits), len(hits))
