"""Gates of tier 5 (12.8), each by the name of its rule: other agents, what modelling them gains, and why.

The text asks that the gain holds when partner behaviours are permuted, and its example that success falls when they
are. Both are asked for here, of two permutations: where policies belong to other partners *from beginning to end*, a
model of each partner gains as before; where they are dealt anew *at every meeting*, or labels are masked, it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from assay.instruments.agency.rubric.criteria import GateCriterion
from assay.instruments.agency.rubric.levels import compare, rate_status

from .comparison import ArmGain, arm_gain, gain_holds
from .judging import JudgedGate, TierFrame, enough_of, summed
from .tallies import OWN, ArmCounts

__all__ = ["SOCIAL_GATES"]

NON_SOCIAL, PERMUTED, SCRAMBLED, MASKED = "non_social", "permuted", "scrambled", "masked"
MULTI_AGENT = "multi-agent"
STRATEGIC = ("negotiation", "coordination", "competition")


def gap(frame: TierFrame, over: str, arm: str, names: Collection[str]) -> ArmGain:
    """Success in one slot less that in an arm, over the contents that were met in both, pooled over families."""
    upper: list[ArmCounts] = []
    lower: list[ArmCounts] = []
    gates = frame.tally.gates
    for key, counts in sorted(gates.arms.items()):
        if key.tier in frame.tier.asks and key.family in names and frame.counts(key.family, key.regime):
            if key.slot == over:
                upper.append(counts)
            elif key.slot == arm:
                pairs = counts.pairs if over == OWN else gates.between.get((key, over), ())
                lower.append(counts._replace(pairs=pairs))
    return arm_gain(summed(upper), summed(lower), frame.declaration.confidence)


def _pooled(gate: GateCriterion, frame: TierFrame, over: str, arm: str) -> tuple[bool | None, str]:
    """Over all families of the tier: one that lacks an arm leaves it open, so that none is picked."""
    families = frame.families()
    lacking = [name for name, arms in families.items() if not {over, arm} <= set(arms)]
    said = f"{over or 'as it is'} less {arm}"
    if not families or len(lacking) == len(families):
        return None, f"{said}: no family has outcomes of both"
    found = gap(frame, over, arm, families)
    because = f"{said}: {found.words(gate.gain)}"
    if lacking:
        return None, f"{because}; without outcomes of both: {', '.join(lacking)}"
    return gain_holds(found, gate.gain, frame.judged_by), because


def _undeclared(name: str, frame: TierFrame) -> list[str]:
    """What a multi-agent family has to declare (12.8.2, 12.8.4) and does not."""
    family = frame.declaration.family(name)
    return [part for part in ("mode", "roles", "interaction") if not getattr(family, part)]


def _lacking(gate: GateCriterion, name: str, n: int, frame: TierFrame) -> str:
    """Why a family is not the one that a gate asks for, which is one as the first gate describes it."""
    if bare := _undeclared(name, frame):
        return f"{name}: not declared (`{'`, `'.join(bare)}`)"
    return f"{name}: {n} instances, {gate.instances} needed" if n < gate.instances else ""


def _all_of(statuses: Collection[bool | None]) -> bool | None:
    return False if False in statuses else None if None in statuses else True


def _agents(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = (
        f"at least {gate.families} {MULTI_AGENT} families with declared mode, roles and interaction, "
        f"{gate.instances} instances each"
    )
    enough, words = 0, list[str]()
    for name, arms in frame.families().items():
        family, n = frame.declaration.family(name), arms.get(OWN, ArmCounts(0, 0)).n
        if bare := _undeclared(name, frame):
            words.append(f"{name}: not declared (`{'`, `'.join(bare)}`)")
        else:
            words.append(f"{name}: {family.mode}, {n} instances")
            enough += n >= gate.instances
    others = {key.family for key in frame.tally.gates.arms if key.tier in frame.tier.asks}
    for name in sorted(others):
        if (environment := frame.declaration.family(name).environment) != MULTI_AGENT:
            words.append(f"{name}: environment {environment or 'not declared'}, evidences no gate")
    because = "; ".join(words) or "no family has outcomes"
    if enough >= gate.families:
        return JudgedGate(rule, True, because)
    short = (
        f"{enough} {MULTI_AGENT} families with {gate.instances} instances, {gate.families} needed (12.8.2)"
    )
    return JudgedGate(rule, None, because, short)


def _over_non_social(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = f"success exceeds that in the {NON_SOCIAL} arm by {100 * gate.gain:g} points, all families pooled"
    return JudgedGate(rule, *_pooled(gate, frame, OWN, NON_SOCIAL))


def _attribution(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.8.2 (3) by partners permuted from beginning to end, its example by partners permuted at every meeting."""
    points = f"{100 * gate.gain:g} points"
    rule = (
        f"with partners permuted for the whole instance success still exceeds {NON_SOCIAL} by {points}; with policies "
        f"dealt anew at every meeting it falls by {points}"
    )
    still, rule_words = _pooled(gate, frame, PERMUTED, NON_SOCIAL)
    falls, example_words = _pooled(gate, frame, OWN, SCRAMBLED)
    return JudgedGate(rule, _all_of([still, falls]), f"{rule_words}; {example_words}")


def _masking(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = f"with masked identities success falls by {100 * gate.gain:g} points in {gate.families} family or more"
    found: list[bool | None] = []
    words: list[str] = []
    for name, arms in frame.families().items():
        if MASKED in arms and OWN in arms:
            if lacking := _lacking(gate, name, arms[OWN].n, frame):
                words.append(lacking)
                continue
            falls = gap(frame, OWN, MASKED, [name])
            found.append(gain_holds(falls, gate.gain, frame.judged_by))
            beside = gap(frame, MASKED, NON_SOCIAL, [name])
            left = (
                "not known" if beside.value is None else f"{100 * float(beside.value):.1f} points, not judged"
            )
            words.append(f"{name}: {falls.words(gate.gain)} ({MASKED} less {NON_SOCIAL}: {left})")
    if not found:
        return JudgedGate(rule, None, "; ".join(words) or f"no family has outcomes in the {MASKED} arm")
    return JudgedGate(rule, enough_of(found, gate.families), "; ".join(words))


def _strategic(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = (
        f"success in {gate.families} family of {', '.join(STRATEGIC[:-1])} or {STRATEGIC[-1]} under binding "
        f"constraints, under {' or '.join(frame.tier.regimes)} regimes"
    )
    found: list[bool | None] = []
    words: list[str] = []
    for name, arms in frame.families().items():
        family = frame.declaration.family(name)
        if family.kind not in STRATEGIC or OWN not in arms:
            continue
        if not family.constraints:
            words.append(f"{name}: constraints are not declared (`constraints`)")
            continue
        if lacking := _lacking(gate, name, arms[OWN].n, frame):
            words.append(lacking)
            continue
        own, line = arms[OWN], frame.rubric.threshold  # 12.8.2 has no other
        found.append(_meets(own, line, frame))
        words.append(f"{name} ({family.kind}): {compare(own.k, own.n, line, frame.declaration)}")
    because = "; ".join(words) or "no family of these kinds has outcomes (`kind`)"
    return JudgedGate(rule, enough_of(found, gate.families) if found else None, because)


def _meets(own: ArmCounts, line: float, frame: TierFrame) -> bool | None:
    status = rate_status(own.k, own.n, line, frame.declaration, frame.rubric.near)
    return {"satisfied": True, "failed": False}.get(status)


def _severe(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.3.3: without it a tier above 4 is capped there."""
    rule = (
        f"in {gate.families} family or more under a severe regime, of {gate.instances} instances: success, and "
        f"{100 * gate.gain:g} points over {NON_SOCIAL}; else Tier 4 at most"
    )
    under = frame._replace(tier=msgspec.structs.replace(frame.tier, regimes=("severe",)))
    found: list[bool | None] = []
    words: list[str] = []
    for name, arms in under.families().items():
        own, line = arms.get(OWN, ArmCounts(0, 0)), frame.rubric.threshold
        if own.n and (lacking := _lacking(gate, name, own.n, frame)):
            words.append(lacking)
        elif own.n:
            gain = gap(under, OWN, NON_SOCIAL, [name])
            found.append(_all_of([_meets(own, line, frame), gain_holds(gain, gate.gain, frame.judged_by)]))
            words.append(f"{name}: {compare(own.k, own.n, line, frame.declaration)}; {gain.words(gate.gain)}")
    if not found:
        none = "no family was met under a severe regime"
        return JudgedGate(rule, None, "; ".join(words) or none, f"{'; '.join(words) or none} (12.3.3)")
    return JudgedGate(rule, enough_of(found, gate.families), "; ".join(words))


SOCIAL_GATES: dict[str, Callable[[GateCriterion, TierFrame], JudgedGate]] = {
    "agents": _agents,
    "over_non_social": _over_non_social,
    "attribution": _attribution,
    "masking": _masking,
    "strategic": _strategic,
    "severe": _severe,
}
