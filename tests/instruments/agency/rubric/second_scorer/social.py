"""Tier 5: 12.8 with 12.3. A gate holds (True), fails (False), or the evidence does not tell (None)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .design import Design, Row
from .gates import Gates, by_advantage, by_family, holds, of_arm, rate_of
from .numbers import reached, worst

__all__ = ["fifth", "in_one", "possible"]

MODES = ("cooperative", "competitive", "mixed")  # 12.8.2 (1)
STRATEGIC = ("negotiation", "coordination", "competition")  # 12.8.2 (4)
FAMILIES, LEAST, LEAST_5 = 2, 20, 40  # 12.8.2 (1), 12.3.1
GAIN = Fraction(10, 100)


def fifth(rows: Sequence[Row], valid: bool, design: Design) -> Gates:
    """12.8.2, under Moderate or Severe regimes (12.3.3). ``rows``: those of T5."""
    scored = [r for r in rows if r["scored"] and design.intensity(r) != "b"]
    social = [r for r in scored if multi_agent(r, design)]
    each = by_family(social)
    return {
        "environment": enough_families(social) or None,
        "multi-agent gain": holds(gain(social, design)),
        "permutation": holds(in_one([permutation(own, design) for own in each.values()])),
        "masking": holds(in_one([masking(own, design) for own in each.values()])),
        "strategic interaction": holds(strategic(social, design)),
        "severe": holds(severe(social, design)),
        "declarations": declared(social, design),
        "instances": len(of_arm(social, "")) >= LEAST_5 or None,
        "validity": valid,
    }


def multi_agent(row: Row, design: Design) -> bool:
    """12.8.2: "in a Multi-Agent environment class", the mode declared."""
    frame = design.frame(row)
    return frame.environment == "multi-agent" and frame.mode in MODES


def enough_families(social: Sequence[Row]) -> bool:
    return sum(len(own) >= LEAST for own in by_family(of_arm(social, "")).values()) >= FAMILIES


def possible(rows: Sequence[Row]) -> list[Row]:
    """12.3.2, 2.4: what is compared with has every success that it may have had."""
    return [r | {"hit": r["may"]} for r in rows]


def over(first: Sequence[Row], second: Sequence[Row], line: Fraction, design: Design) -> str:
    """By how much the one is better than the other "on the same instances"."""
    if not first or not second:
        return "untested"
    return by_advantage(first, possible(second), line, design)


def gain(social: Sequence[Row], design: Design) -> str:
    """12.8.2 (2)."""
    each = [
        over(of_arm(own, ""), of_arm(own, "non_social"), GAIN, design) for own in by_family(social).values()
    ]
    if design.choices.gain_in_each_family:
        return worst(each) if each else "untested"
    compared = {r["family"] for r in of_arm(social, "non_social")}
    late = [r for r in social if r["family"] in compared]
    found = over(of_arm(late, ""), of_arm(late, "non_social"), GAIN, design)
    # 12.3.2: a family that was not compared could have gained nothing.
    return "borderline" if found == "satisfied" and len(late) < len(social) else found


def permutation(own: Sequence[Row], design: Design) -> str:
    """12.8.2 (3, i): the gain is there with partners permuted across instances; and by the example of 12.8.2 it is
    lost where behaviours are permuted across identities.
    """
    kept = over(of_arm(own, "permuted"), of_arm(own, "non_social"), GAIN, design)
    return few(own, [kept, lost(own, "scrambled", design)])


def masking(own: Sequence[Row], design: Design) -> str:
    """12.8.2 (3, ii)."""
    found = [over(of_arm(own, ""), of_arm(own, "masked"), GAIN, design)]
    if design.choices.gain_when_masked:
        found.append(over(of_arm(own, "masked"), of_arm(own, "non_social"), GAIN, design))
    return few(own, found)


def lost(own: Sequence[Row], arm: str, design: Design) -> str:
    """ "Must perform better"."""
    if design.choices.better_is_by_ten:
        return over(of_arm(own, ""), of_arm(own, arm), GAIN, design)
    return over(of_arm(own, ""), of_arm(own, arm), Fraction(1, 10**9), design)


def few(own: Sequence[Row], found: Sequence[str]) -> str:
    """12.8.2 (1): a family of fewer than 20 instances is none; what fails there has failed all the same."""
    status = worst(found)
    return "short" if len(of_arm(own, "")) < LEAST and status != "failed" else status


def in_one(each: Sequence[str]) -> str:
    """ "In at least one task family"."""
    return reached(each, 1) if each else "untested"


def strategic(social: Sequence[Row], design: Design) -> str:
    """12.8.2 (4)."""
    return in_one(
        [
            few(own, [rate_of(of_arm(own, ""), design, design.choices.strategic_by_declared_line)])
            for own in by_family(of_arm(social, "")).values()
            if binding(own[0], design)
        ]
    )


def binding(row: Row, design: Design) -> bool:
    frame = design.frame(row)
    return frame.kind in STRATEGIC and frame.constraints


def severe(social: Sequence[Row], design: Design) -> str:
    """12.3.3: one family under Severe that meets the gates of the tier, as far as one family can."""
    hard = [r for r in social if design.intensity(r) == "s"]
    return in_one([alone(own, design) for own in by_family(hard).values()])


def alone(own: Sequence[Row], design: Design) -> str:
    found = [over(of_arm(own, ""), of_arm(own, "non_social"), GAIN, design)]
    if design.choices.severe_meets_all:
        found += [permutation(own, design), masking(own, design), strategic(own, design)]
    return few(own, found)


def declared(social: Sequence[Row], design: Design) -> bool | None:
    """12.8.4: roles and interaction protocol, of every family."""
    frames = [design.frame(r) for r in social]
    return all(f.roles and f.interaction for f in frames) if frames else None
