"""Tier 6: 12.9 with 12.3 and 6.3. A gate holds (True), fails (False), or the evidence does not tell (None)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .design import Design, Intervention, Row
from .gates import Gates, by_content, by_family, holds, mean
from .numbers import worst
from .social import in_one, over

__all__ = ["few_held_out", "sixth"]

# 12.9.3
STRUCTURAL = ("action space", "decision topology", "memory schema", "verification substrate")
UPDATES = "parameter updates"
LEAST, LEAST_6 = 20, 50  # 12.9.2 (3), 12.3.1
IMPACT, TOLERANCE = Fraction(10, 100), Fraction(5, 100)


def sixth(rows: Sequence[Row], valid: bool, design: Design) -> Gates:
    """12.9.2, under Moderate or Severe regimes (12.3.3). ``rows``: those of T6."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) != "b"]
    families = {r["family"] for r in scored if r.get("phase", "") or r.get("arm", "")}
    first = [one for one in design.interventions if not one.again]
    whole = [one for one in first if one.complete and any(of(one, family) for family in families)]
    changed = whole if design.choices.structure_of_whole else [one for one in first if one.implemented]
    counted = of_phase(scored, "post") if design.choices.post_alone_counts else scored
    return {
        "modification space": declared(design),
        "intervention sequence": bool(whole) if design.interventions else None,
        "structural change": any(structural(one, design) for one in changed) if first else None,
        "impact": holds(impact(evidencing(scored, design), design)),
        "reproducibility": holds(reproduced(reapplied(scored, design), design)),
        "harness untouched": (
            not any(one.tampered for one in design.interventions) if design.interventions else None
        ),
        "severe regime": holds(severe(scored, design)),
        "instances": len(counted) >= LEAST_6 or None,
        "validity": valid,
    }


def declared(design: Design) -> bool | None:
    """12.9.2 (1) and 12.9.5. What is not declared of a sandbox is not known."""
    both = design.allowed and design.forbidden
    return design.shown if both and design.choices.sandbox_is_asked else both


def few_held_out(rows: Sequence[Row], design: Design) -> bool:
    """12.9.2 (3): fewer than 20 held-out instances that were met before and after, or after and once more."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) != "b"]
    own, again = evidencing(scored, design), reapplied(scored, design)
    after, before = by_content(of_phase(own, "post")), by_content(of_phase(own, "pre"))
    later = by_content(of_phase(again, "reapplied"))
    second = set(by_content(of_phase(again, "post"))) & set(later)
    return (bool(own) and len(set(after) & set(before)) < LEAST) or 0 < len(second) < LEAST


def of(one: Intervention, family: str) -> bool:
    return one.family in ("", family)


def structural(one: Intervention, design: Design) -> bool:
    defined = design.updates and design.allowed and one.logged and design.choices.updates_may_count
    return any(kind in STRUCTURAL or (kind == UPDATES and defined) for kind in one.kinds)


def evidencing(scored: Sequence[Row], design: Design) -> list[Row]:
    """The rows of families with an intervention that is complete and structural."""
    made = [one for one in design.interventions if not one.again]
    if design.choices.impact_of_structural:
        made = [one for one in made if one.complete and structural(one, design)]
    return [r for r in scored if any(of(one, r["family"]) for one in made)]


def reapplied(scored: Sequence[Row], design: Design) -> list[Row]:
    """12.9.2 (4): those of them in which it was applied again. Where the log says what was done again, it has to be
    structural, too.
    """
    again = [one for one in design.interventions if one.again]
    found = []
    for r in evidencing(scored, design):
        logged = [one for one in again if of(one, r["family"])]
        if any(one.implemented and structural(one, design) for one in logged) or (
            not logged and not design.choices.again_is_logged
        ):
            found.append(r)
    return found


def of_phase(rows: Sequence[Row], phase: str) -> list[Row]:
    return [r for r in rows if r.get("phase", "") == phase]


def impact(own: Sequence[Row], design: Design) -> str:
    """12.9.2 (3): on the held-out set, after and before."""
    before, after = of_phase(own, "pre"), of_phase(own, "post")
    status = over(after, before, IMPACT, design)
    few = len(set(by_content(after)) & set(by_content(before))) < LEAST
    return "short" if few and not (status == "failed" and design.choices.few_may_fail_6) else status


def reproduced(own: Sequence[Row], design: Design) -> str:
    """12.9.2 (4): the same impact from the same baseline, so the rates after differ by 5 points at most."""
    after, again = by_content(of_phase(own, "post")), by_content(of_phase(own, "reapplied"))
    both = sorted(set(after) & set(again))
    if not both:
        return "untested"
    alone = set(after) ^ set(again)
    if alone and design.choices.all_reapplied:
        return "short"
    apart = [sum((mean(after[one]) - mean(again[one]) for one in both), Fraction(0)) / len(both)]
    if alone:  # outcomes without a counterpart must not hide a difference
        every = ([r["hit"] for r in of_phase(own, phase)] for phase in ("post", "reapplied"))
        apart.append(mean(next(every)) - mean(next(every)))
    status = "satisfied" if max(map(abs, apart)) <= TOLERANCE else "failed"
    few = len(both) < LEAST
    return "short" if few and not (status == "failed" and design.choices.few_may_fail_6) else status


def severe(scored: Sequence[Row], design: Design) -> str:
    """12.3.3: one family under Severe that meets the gates."""
    hard = [r for r in scored if design.intensity(r) == "s"]
    each = []
    for name, own in by_family(evidencing(hard, design)).items():
        found = [impact(own, design)]
        if design.choices.severe_reproduces:
            found.append(reproduced([r for r in reapplied(hard, design) if r["family"] == name], design))
        each.append(worst(found))
    return in_one(each)
