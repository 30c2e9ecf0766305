"""Tier 5: 12.8 with 12.3. A gate holds (True), fails (False), or the evidence does not tell (None)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .design import Design, Row
from .gates import Gates, by_advantage, by_family, holds, of_arm, rate_of
from .numbers import reached, worst

__all__ = ["few_social", "fifth", "in_one", "over"]

MODES = ("cooperative", "competitive", "mixed")  # 12.8.2 (1)
STRATEGIC = ("negotiation", "coordination", "competition")  # 12.8.2 (4)
FAMILIES, LEAST, LEAST_5 = 2, 20, 40  # 12.8.2 (1), 12.3.1
GAIN = Fraction(10, 100)


def fifth(rows: Sequence[Row], valid: bool, design: Design) -> Gates:
    """12.8.2, under Moderate or Severe regimes (12.3.3). ``rows``: those of T5."""
    social = social_rows(rows, design)
    own = of_arm(social, "")
    return {
        "environment": len(whole(social, design)) >= FAMILIES or None,
        "multi-agent gain": holds(pooled(social, "", "non_social", design)),
        "attribution": holds(attribution(social, design)),
        "masked identities": holds(masking(social, design)),
        "strategic interaction": holds(strategic(social, design)),
        "severe": holds(severe(social, design)),
        "instances": (len(own) >= LEAST_5 and len(by_family(own)) >= FAMILIES) or None,
        "validity": valid,
    }


def few_social(rows: Sequence[Row], design: Design) -> bool:
    """Whether families or Severe regimes lack, beside the 40 instances."""
    social = social_rows(rows, design)
    families = design.choices.families_are_evidence and len(whole(social, design)) < FAMILIES
    hard = [r for r in of_arm(social, "") if design.intensity(r) == "s"]
    return families or (design.choices.severe_is_evidence and not in_whole(hard, design))


def social_rows(rows: Sequence[Row], design: Design) -> list[Row]:
    """12.8.2: "in a Multi-Agent environment class"."""
    return [
        r
        for r in rows
        if r["scored"] and design.intensity(r) != "b" and design.frame(r).environment == "multi-agent"
    ]


def declared(row: Row, design: Design) -> bool:
    """12.8.2 (1): the mode; 12.8.4: roles and interaction protocol."""
    frame = design.frame(row)
    return frame.mode in MODES and (
        not design.choices.undeclared_is_no_family or (frame.roles and frame.interaction)
    )


def whole(rows: Sequence[Row], design: Design) -> list[list[Row]]:
    """12.8.2 (1): the multi-agent families with 20 instances or more of the subject as it is."""
    found = []
    for own in by_family(rows).values():
        if declared(own[0], design) and len(of_arm(own, "")) >= LEAST:
            found.append(own)
    return found


def in_whole(rows: Sequence[Row], design: Design) -> list[list[Row]]:
    """The families that may be the "at least one"."""
    if design.choices.one_family_is_whole:
        return whole(rows, design)
    return [own for own in by_family(rows).values() if of_arm(own, "")]


def over(first: Sequence[Row], second: Sequence[Row], line: Fraction, design: Design) -> str:
    """By how much the one is better than the other "on the same instances". 12.3.2, 2.4: what is compared with has
    every success that it may have had.
    """
    if not first or not second:
        return "untested"
    return by_advantage(first, [r | {"hit": r["may"]} for r in second], line, design)


def pooled(
    social: Sequence[Row], arm: str, other: str, design: Design, line: Fraction = GAIN, each: bool = False
) -> str:
    found = [over(of_arm(own, arm), of_arm(own, other), line, design) for own in by_family(social).values()]
    if each or design.choices.gain_in_each_family:
        return worst(found) if found else "untested"
    if not found or "untested" in found:  # a family that was not compared may have gained anything
        return "untested"
    return over(of_arm(social, arm), of_arm(social, other), line, design)


def attribution(social: Sequence[Row], design: Design) -> str:
    """12.8.2 (3, i): the gain is there with partners permuted across instances; and by the example of 12.8.2 success
    is lower where behaviours are permuted across identities.
    """
    line = GAIN if design.choices.better_is_by_ten else Fraction(1, 10**9)
    groups = by_family(social).values() if design.choices.attribution_in_one_family else [social]
    return in_one(
        [
            worst([pooled(own, "permuted", "non_social", design), pooled(own, "", "scrambled", design, line)])
            for own in groups
        ]
    )


def masking(social: Sequence[Row], design: Design) -> str:
    """12.8.2 (3, ii)."""
    each = []
    for own in in_whole(social, design):
        if of_arm(own, "masked"):
            found = [over(of_arm(own, ""), of_arm(own, "masked"), GAIN, design)]
            if design.choices.gain_when_masked:
                found.append(over(of_arm(own, "masked"), of_arm(own, "non_social"), GAIN, design))
            each.append(worst(found))
    return in_one(each)


def in_one(each: Sequence[str]) -> str:
    """ "In at least one task family"."""
    return reached(each, 1) if each else "untested"


def strategic(social: Sequence[Row], design: Design) -> str:
    """12.8.2 (4)."""
    each = []
    for own in in_whole(social, design):
        frame = design.frame(own[0])
        if frame.kind in STRATEGIC and frame.constraints:
            each.append(rate_of(of_arm(own, ""), design, design.choices.strategic_by_declared_line))
    return in_one(each)


def severe(social: Sequence[Row], design: Design) -> str:
    """12.3.3: one family under Severe that meets the gates of the tier, as far as one family can."""
    each = []
    for own in in_whole([r for r in social if design.intensity(r) == "s"], design):
        found = [
            over(of_arm(own, ""), of_arm(own, "non_social"), GAIN, design),
            rate_of(of_arm(own, ""), design, False),
        ]
        if design.choices.severe_meets_all:
            found += [attribution(own, design), masking(own, design), strategic(own, design)]
        each.append(worst(found))
    return in_one(each)
