"""Gates that rest on comparison arms, on confidence, and on steps (12.6, 12.7), each by the name of its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.rubric.criteria import GateCriterion, Rubric, TierCriterion
from assay.instruments.agency.rubric.learning import Gain
from assay.instruments.agency.rubric.levels import AssignedLevel, compare, included_cells, rate_status
from assay.instruments.agency.rubric.tally import CellCounts, SubjectTally, total_of
from assay.stats import fraction

from .comparison import ArmGain, arm_gain, discrimination_of, gain_holds
from .tallies import OWN, ArmCounts

__all__ = ["ARM_GATES", "JudgedGate", "TierFrame"]

FIXED = "fixed_strategy:"


class TierFrame(NamedTuple):
    """What gates are judged on."""

    tally: SubjectTally
    vector: Mapping[str, AssignedLevel]
    declaration: Declaration
    rubric: Rubric
    tier: TierCriterion
    family: str  # the one that decides the gates of rates
    cell: CellCounts  # its outcomes under baseline
    gains: dict[str, Gain]  # family → its gain on held-out variants under baseline
    plain: bool = False  # gains and correlations without their interval

    @property
    def judged_by(self) -> Declaration:
        return msgspec.structs.replace(self.declaration, rule="point") if self.plain else self.declaration

    def families(self) -> dict[str, dict[str, ArmCounts]]:
        """Family → arm → outcomes that evidence the tier, under its regimes, in families that are not left out."""
        found: dict[str, dict[str, list[ArmCounts]]] = {}
        for key, counts in sorted(self.tally.gates.arms.items()):
            if key.tier in self.tier.asks and self.counts(key.family, key.regime):
                found.setdefault(key.family, {}).setdefault(key.slot, []).append(counts)
        return {name: {slot: summed(some) for slot, some in arms.items()} for name, arms in found.items()}

    def counts(self, family: str, regime: str) -> bool:
        declared, asked = self.declaration.family(family), self.tier.environment
        return (
            declared.included
            and self.declaration.level(regime) in self.tier.regimes
            and asked in ("", declared.environment)
        )


class JudgedGate(NamedTuple):
    rule: str
    holds: bool | None
    because: str
    short: str = ""  # the evidence that is missing (12.3.1)


def summed(some: Sequence[ArmCounts]) -> ArmCounts:
    return ArmCounts(
        sum(one.k for one in some),
        sum(one.n for one in some),
        tuple(pair for one in some for pair in one.pairs),
    )


def enough_of(statuses: Sequence[bool | None], needed: int) -> bool | None:
    """Do so many hold? None where so many may yet."""
    if statuses.count(True) >= needed:
        return True
    return None if len(statuses) - statuses.count(False) >= needed else False


def _depth(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """How many steps a task requires is declared. Of rows a success in fewer than the gate asks for shows that its
    instance required fewer: it is left out. The families of the bench are made to require them, and see to it.
    """
    rule = f"success on tasks of {gate.steps} steps or more, each of {gate.families} families by itself"
    found: list[bool | None] = []
    words: list[str] = []
    bare: list[str] = []
    for name, arms in frame.families().items():
        own, steps = arms.get(OWN, ArmCounts(0, 0)), frame.declaration.family(name).steps
        if steps is None:
            bare.append(name)
        elif steps >= gate.steps and own.n:
            quick = 0 if frame.declaration.conducted else _quick(name, gate.steps, frame)
            k, n = own.k - quick, own.n - quick
            line = frame.rubric.threshold  # 12.6.2 has no other
            status = rate_status(k, n, line, frame.declaration, frame.rubric.near)
            holds = {"satisfied": True, "failed": False}.get(status)
            found.append(None if n < gate.instances and (holds or quick) else holds)
            left = f"; {quick} successes took fewer than {gate.steps} steps and are left out" if quick else ""
            words.append(f"{name} ({steps} steps): {compare(k, n, line, frame.declaration)}{left}")
    if bare:
        words.append(f"steps not declared (`steps`): {', '.join(bare)}")
    holds = enough_of(found, gate.families)
    if holds is False and len(found) < gate.families:
        holds = None  # too few families were tested
    return JudgedGate(rule, holds, "; ".join(words) or "no family has outcomes")


def _quick(family: str, steps: int, frame: TierFrame) -> int:
    """Successes that took fewer steps."""
    paces = frame.tally.gates.paces
    return sum(
        number
        for (tier, name, regime), some in paces.items()
        if tier in frame.tier.asks and name == family and frame.counts(name, regime)
        for took, number in some.items()
        if took < steps
    )


def _family_instances(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = f"at least {gate.instances} instances in each of {gate.families} families"
    counts = {name: arms.get(OWN, ArmCounts(0, 0)).n for name, arms in frame.families().items()}
    enough = [name for name, n in counts.items() if n >= gate.instances]
    because = "; ".join(f"{name}: {n}" for name, n in counts.items()) or "no family has outcomes"
    if len(enough) >= gate.families:
        return JudgedGate(rule, True, because)
    few = f"{len(enough)} families with {gate.instances} instances, {gate.families} needed (12.3.1)"
    return JudgedGate(rule, None, because, few)


def _all_instances(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    over = f", in at least {gate.families} families" if gate.families > 1 else ""
    rule = f"at least {gate.instances} instances in all{over}"
    met = [arms[OWN].n for arms in frame.families().values() if OWN in arms]
    found = f"{sum(met)} instances" + (f" in {len(met)} families" if over else "")
    enough = sum(met) >= gate.instances and len(met) >= gate.families
    return JudgedGate(
        rule, True if enough else None, found, "" if enough else f"{found}, {rule} are needed (12.3.1)"
    )


def _over_arm(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.6.2: pooled over the families whose reward is declared to come late; they are all in it, not the best."""
    points = f"{100 * gate.gain:g} points"
    rule = (
        f"success exceeds that in the {gate.arm} arm by {points} where reward is delayed {gate.delay}+ steps"
    )
    late: dict[str, dict[str, ArmCounts]] = {}
    bare: list[str] = []
    for name, arms in frame.families().items():
        family = frame.declaration.family(name)
        if family.delay is None or not family.reward:
            bare.append(name)
        elif family.delay >= gate.delay:
            late[name] = arms
    undeclared = f"; reward and its step not declared (`reward`, `delay`): {', '.join(bare)}" if bare else ""
    met = {name: arms for name, arms in late.items() if gate.arm in arms}
    without = [name for name in late if name not in met]
    alone = f"; without that arm: {', '.join(without)}" if without else ""
    if not met:
        none = f"no family with delayed reward has outcomes in the {gate.arm} arm"
        return JudgedGate(rule, None, f"{none}{undeclared}{alone}")
    own = summed([arms[OWN] for arms in met.values() if OWN in arms])
    gain = arm_gain(own, summed([arms[gate.arm] for arms in met.values()]), frame.declaration.confidence)
    because = f"{', '.join(met)}: {gain.words(gate.gain)}{undeclared}{alone}"
    holds = gain_holds(gain, gate.gain, frame.judged_by)
    if without:
        holds = holds and None  # what was not compared could have gained nothing
    return JudgedGate(rule, holds, because)


def _over_strategies(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.7.2: over every declared strategy by itself, so over the best; and two of them show in what was done."""
    rule = f"success exceeds that of each fixed strategy by {100 * gate.gain:g} points in {gate.families} families"
    found: list[bool | None] = []
    words: list[str] = []
    for name, arms in frame.families().items():
        declared = tuple(dict.fromkeys(frame.declaration.family(name).strategies))
        if len(declared) < 2:
            if any(slot.startswith(FIXED) for slot in arms):
                words.append(f"{name}: two strategies are not declared (`strategies`)")
            continue
        gains = {one: _fixed(one, arms, frame) for one in declared}
        shown = [one for one in declared if _shown(name, frame).get(one)]
        judged = [gain_holds(gain, gate.gain, frame.judged_by) for gain in gains.values()]
        holds = False if False in judged else None if None in judged else True
        if len(shown) < 2:
            holds = False if _shown(name, frame) else None if holds else holds
        found.append(holds)
        listed = "; ".join(f"over {one} {gain.words(gate.gain)}" for one, gain in gains.items())
        words.append(f"{name}: {listed}; actions show {', '.join(shown) or 'no declared strategy'}")
    holds = enough_of(found, gate.families)
    if holds is False and len(found) < gate.families:
        holds = None
    return JudgedGate(rule, holds, "; ".join(words) or "no family has two declared strategies")


def _fixed(strategy: str, arms: Mapping[str, ArmCounts], frame: TierFrame) -> ArmGain:
    own, arm = arms.get(OWN, ArmCounts(0, 0)), arms.get(f"{FIXED}{strategy}", ArmCounts(0, 0))
    return arm_gain(own, arm, frame.declaration.confidence)


def _shown(family: str, frame: TierFrame) -> dict[str, int]:
    """Strategy → outcomes whose actions show it."""
    found: dict[str, int] = {}
    for (tier, name, regime), some in frame.tally.gates.shown.items():
        if tier in frame.tier.asks and name == family and frame.counts(name, regime):
            for strategy, number in some.items():
                found[strategy] = found.get(strategy, 0) + number
    return found


def _calibration(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = (
        f"Spearman's ρ of confidence and success ≥ {gate.correlation:g}, at least {gate.instances} instances"
    )
    asked = [
        (family, some)
        for (tier, family, regime), some in sorted(frame.tally.gates.sureness.items())
        if tier in frame.tier.asks and frame.counts(family, regime)
    ]
    sure = [one for family, some in asked if _held_out(family, frame) for one in some]
    open_ = ", ".join(dict.fromkeys(family for family, _ in asked if not _held_out(family, frame)))
    bare = f"not declared as held out (`held_out`): {open_}" if open_ else ""
    if not sure:
        return JudgedGate(rule, None, bare or "no outcome has a confidence")
    found = discrimination_of(sure, frame.declaration.confidence)
    few = (
        f"{found.n} instances with a confidence, {gate.instances} needed (12.7.2)"
        if found.n < gate.instances
        else ""
    )
    silent = sum(one.number for one in sure if one.confidence is None)
    said = f", {silent} without a confidence counted against it" if silent else ""
    bare = f"; {bare}" if bare else ""
    if found.value is None:
        why = "all succeed or all fail" if found.k in (0, found.n) else "all confidences are the same"
        return JudgedGate(rule, None, f"not defined: {why} ({found.k} of {found.n}{said}){bare}", few)
    because = (
        f"ρ = {found.value:.2f}, interval {found.low:.2f} to {found.high:.2f}, {found.k} of {found.n} succeed{said}; "
        f"with these confidences at most {found.attainable:.2f} can be reached{bare}"
    )
    line = fraction(gate.correlation)
    if fraction(found.value) < line:
        return JudgedGate(rule, False if not few else None, because, few)
    shown = frame.judged_by.rule == "point" or fraction(found.low) >= line
    return JudgedGate(rule, True if shown and not few else None, because, few)


def _held_out(family: str, frame: TierFrame) -> bool:
    """12.7.2: "on held-out task instances". The bench draws such; of rows the family is declared to have them."""
    return frame.declaration.conducted or frame.declaration.family(family).held_out


def _level_rate(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """Success at the levels of a part that its value claims, from one on, under the tier's regimes.

    12.7.2 asks it of "G1 ≥ 3 as defined", so of what G1 claims: a failure above its value is no part of the claim.
    Where no level up to the value was tested, the lowest above it is what the value rests on.
    """
    ((name, level),) = gate.levels.items()
    cells = {
        key: cell
        for key, cell in included_cells(frame.tally, frame.declaration, name).items()
        if key.level >= level and cell.n and frame.declaration.level(key.regime) in frame.tier.regimes
    }
    most = max([frame.vector[name].level, *sorted(key.level for key in cells)[:1]])
    total = total_of([cell for key, cell in cells.items() if key.level <= most])
    line = frame.rubric.threshold
    regimes = " or ".join(frame.tier.regimes)
    rule = f"success ≥ {100 * line:g} % at {name} {level} up to its value, under {regimes} regimes"
    if not total.n:
        return JudgedGate(rule, None, "no outcomes")
    status = rate_status(total.k, total.n, line, frame.declaration, frame.rubric.near)
    holds = {"satisfied": True, "failed": False}.get(status)
    return JudgedGate(rule, holds, compare(total.k, total.n, line, frame.declaration))


ARM_GATES: dict[str, Callable[[GateCriterion, TierFrame], JudgedGate]] = {
    "depth": _depth,
    "over_arm": _over_arm,
    "family_instances": _family_instances,
    "all_instances": _all_instances,
    "calibration": _calibration,
    "level_rate": _level_rate,
    "over_strategies": _over_strategies,
}
