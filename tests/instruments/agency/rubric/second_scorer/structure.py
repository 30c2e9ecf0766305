"""Tier 6: 12.9 with 12.3 and 6.3. A gate holds (True), fails (False), or the evidence does not tell (None)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .design import Design, Intervention, Row
from .gates import Gates, by_content, by_family, holds, mean
from .numbers import worst
from .social import in_one, over

__all__ = ["sixth"]

# 12.9.3
STRUCTURAL = ("action space", "decision topology", "memory schema", "verification substrate")
UPDATES = "parameter updates"
LEAST, LEAST_6 = 20, 50  # 12.9.2 (3), 12.3.1
IMPACT, TOLERANCE = Fraction(10, 100), Fraction(5, 100)


def sixth(rows: Sequence[Row], valid: bool, design: Design) -> Gates:
    """12.9.2, under Moderate or Severe regimes (12.3.3). ``rows``: those of T6."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) != "b"]
    families = {r["family"] for r in scored}
    made = [one for one in design.interventions if not one.family or one.family in families]
    whole = [one for one in made if one.complete]
    structural = [one for one in whole if counts(one, design)]
    sources = structural if design.choices.impact_of_structural else made
    own = [r for r in scored if any(one.family in ("", r["family"]) for one in sources)]
    again = [r for r in own if any(one.reapplied and one.family in ("", r["family"]) for one in sources)]
    return {
        "modification space": design.allowed and design.forbidden,
        "intervention sequence": bool(whole) if made else None,
        "structural": bool(structural) if whole else None,
        "impact": holds(impact(own, design)),
        "reproducibility": holds(reproduced(again, design)),
        "harness": not any(one.tampered for one in design.interventions),
        "severe": holds(severe(own, design)),
        "instances": len(scored) >= LEAST_6 or None,
        "validity": valid,
    }


def counts(one: Intervention, design: Design) -> bool:
    return any(kind in STRUCTURAL or (kind == UPDATES and design.updates) for kind in one.kinds)


def of_phase(rows: Sequence[Row], phase: str) -> list[Row]:
    return [r for r in rows if r.get("phase", "") == phase]


def impact(own: Sequence[Row], design: Design) -> str:
    """12.9.2 (3): on the held-out set, after and before."""
    before, after = of_phase(own, "pre"), of_phase(own, "post")
    status = over(after, before, IMPACT, design)
    return "short" if len(by_content(after)) < LEAST and status != "failed" else status


def reproduced(own: Sequence[Row], design: Design) -> str:
    """12.9.2 (4): the same impact from the same baseline, so the rates after differ by 5 points at most, whichever
    way what is in doubt turns out.
    """
    after, again = by_content(of_phase(own, "post")), by_content(of_phase(own, "reapplied"))
    both = sorted(set(after) & set(again))
    if not both:
        return "untested"
    if design.choices.all_reapplied and set(after) - set(again):
        return "short"
    rows = [r for r in own if by_key(r) in both]
    ends = [(r["hit"], r["may"]) for r in of_phase(rows, "reapplied")]
    first = mean([r["hit"] for r in of_phase(rows, "post")])
    far = max(abs(mean([end[i] for end in ends]) - first) for i in (0, 1))
    status = "satisfied" if far <= TOLERANCE else "failed"
    return "short" if len(both) < LEAST and status != "failed" else status


def by_key(row: Row) -> tuple[str, str, str]:
    return row["family"], row["regime"], row["pair"] or row["instance"]


def severe(own: Sequence[Row], design: Design) -> str:
    """12.3.3: one family under Severe that meets the gates."""
    hard = [r for r in own if design.intensity(r) == "s"]
    return in_one([worst([impact(one, design), reproduced(one, design)]) for one in by_family(hard).values()])
