"""Tiers (12.2): stages of gates, one tier after the other. Those above the last of the rubric are not tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import msgspec
from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import SCORED, TIERS
from assay.instruments.agency.gates.judging import ARM_GATES, JudgedGate, TierFrame
from assay.instruments.agency.gates.social import SOCIAL_GATES
from assay.instruments.agency.gates.structure import STRUCTURE_GATES, governance_flags
from assay.stats import fraction
from assay.vocabulary import Flag

from .criteria import GateCriterion, Rubric, TierCriterion
from .learning import Gain, compared, gain_of, gain_status, gain_words
from .levels import AssignedLevel, compare, included_cells, rate_status
from .tally import CellCounts, SubjectTally, total_of
from .validity import invalid, lost_shares, too_far_apart

__all__ = ["TierGate", "TierReading", "tier_of"]


HELD_OUT = 2  # the level of L whose outcomes are of held-out variants under baseline


class TierGate(Struct, frozen=True):
    """One gate criterion: passed, failed, or not established."""

    tier: int
    name: str
    rule: str
    holds: bool | None
    because: str


class TierReading(Struct, frozen=True):
    tier: int | None  # None: the spec's "Tier None"
    gates: tuple[TierGate, ...]
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    governance: tuple[str, ...] = ()  # Governance Flags, which are no flags of a measure (13.2.2)
    spec_tier: int | None = None  # by plain gains (12.5.2), where it is another


def tier_of(
    tally: SubjectTally, vector: Mapping[str, AssignedLevel], declaration: Declaration, rubric: Rubric
) -> TierReading:
    """The highest tier whose gates, and all those below, are passed; with every gate of the tiers that are tested."""
    frame = _frame(tally, vector, declaration, rubric)
    reading, text_vector = _read(frame), dict(vector)
    for name in (
        "L",
        "M",
        "G1",
    ):  # the gates ask for these; the text judges gains and drops by their plain values
        one = vector[name]
        if one.value is not None and one.spec_value is not None:
            text_vector[name] = msgspec.structs.replace(one, value=one.spec_value)
    text = _read(frame._replace(vector=text_vector, plain=True)).tier
    if text in (None, reading.tier):
        return reading
    note = f"Tier {text} by the text (`spec_value`): plain gains (12.5.2) and correlations, without their intervals"
    return msgspec.structs.replace(reading, spec_tier=text, notes=(*reading.notes, note))


def _read(frame: TierFrame) -> TierReading:
    gates: list[TierGate] = []
    short: list[str] = []
    contested: list[Flag] = []
    numbers = [tier.tier for tier in frame.rubric.tiers]
    untested = [number for number in range(1, numbers[-1]) if number not in numbers]
    reached, open_ = 0, True
    for tier in frame.rubric.tiers:
        if tier.tier > 1 and not _is_tested(tier, frame.tally):
            untested.append(tier.tier)
            open_ = False
            continue
        open_ = open_ and tier.tier <= reached + 1  # nor is one jumped that the rubric does not have
        judged = [(gate, _GATES[gate.rule](gate, frame._replace(tier=tier))) for gate in tier.gates]
        gates += [
            TierGate(tier.tier, gate.name, f"{one.rule} ({gate.section})", one.holds, one.because)
            for gate, one in judged
        ]
        if open_:  # no jumps (12.2): what is missing counts for the next tier alone
            short += [one.short for _, one in judged if one.short]
            passed = all(one.holds for _, one in judged)
            contested += [
                flag for gate, one in judged if passed or not one.holds for flag in _contested(gate, frame)
            ]
        open_ = open_ and all(one.holds for _, one in judged)
        reached = tier.tier if open_ else reached
    last = frame.rubric.tiers[-1].tier
    lowest = min(untested, default=last + 1)
    if untested and max(untested) < last:
        note = f"12.2: no tier is jumped, and Tier {', '.join(map(str, sorted(untested)))} is not tested"
    else:
        note = f"12.{lowest + 3}: Tier {lowest} and above are not tested"
    flags = (*(Flag("Provisional", text) for text in short), *dict.fromkeys(contested))
    notes = (note,) if lowest <= 6 else ()
    return TierReading(
        reached or None, tuple(gates), flags, notes, governance=governance_flags(frame.declaration)
    )


def _contested(gate: GateCriterion, frame: TierFrame) -> list[Flag]:
    """10.2.2: what raters disagree on of the levels that a gate asks for; the tier that rests on them is so, too.

    It rests on the levels of gates that are passed, and on those that keep it from the next tier.
    """
    return [
        Flag(flag.kind, f"{name}: {flag.cause}")
        for name in gate.levels
        for flag in frame.vector[name].flags
        if flag.kind == "Contested"
    ]


def _is_tested(tier: TierCriterion, tally: SubjectTally) -> bool:
    if "L" in tier.asks:
        return bool(tally.learning.n)
    return any(cell.attempted for cell in tally.of(*tier.asks).values())


def _frame(
    tally: SubjectTally, vector: Mapping[str, AssignedLevel], declaration: Declaration, rubric: Rubric
) -> TierFrame:
    families = _baseline(tally, vector, declaration)
    gains = {
        name: gain_of(
            compared(tally, "gain", HELD_OUT, "baseline", declaration, name), declaration.confidence
        )
        for name in sorted({key.family for key in tally.learning.compared})
    }
    gains = {name: gain for name, gain in gains.items() if gain.n0 or gain.n1}
    frame = TierFrame(tally, vector, declaration, rubric, rubric.tiers[0], "", CellCounts(), gains)
    candidates = [frame._replace(family=name, cell=cell) for name, cell in families.items()]
    # The family that passes the most decides: one is enough (12.4.2).
    return max(candidates, key=_merit, default=frame)


def _baseline(
    tally: SubjectTally, vector: Mapping[str, AssignedLevel], declaration: Declaration
) -> dict[str, CellCounts]:
    """Families of valid dimensions under baseline."""
    valid = [name for name in SCORED if name in vector and not vector[name].withheld]
    cells: dict[str, list[CellCounts]] = {}
    for key, cell in sorted(included_cells(tally, declaration, *valid).items()):
        if declaration.level(key.regime) == "baseline":
            cells.setdefault(key.family, []).append(cell)
    pooled = {name: total_of(found) for name, found in cells.items()}
    return {name: cell for name, cell in pooled.items() if cell.n}


def _merit(frame: TierFrame) -> tuple[int, ...]:
    gates = {gate.rule: gate for gate in frame.rubric.tiers[0].gates}
    return (
        *(bool(_GATES[rule](gates[rule], frame).holds) for rule in ("rate", "feedback", "schemas")),
        not [*lost_shares(frame.cell, frame.declaration)],
        frame.cell.k,
    )


# Gates, each by the name of its rule.


def _vector(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    needed = gate.levels
    rule = ", ".join(f"{name} ≥ {level}" for name, level in needed.items())
    found = {name: frame.vector[name] for name in needed}
    because = ", ".join(
        f"{name} = {'none' if one.value is None else one.value}" for name, one in found.items()
    )
    if all(found[name].level >= level for name, level in needed.items()):
        if gate.shown and not frame.declaration.conducted:
            return _shown(gate, frame, because)
        return JudgedGate(rule, True, because)
    unknown = any(one.value is None for one in found.values()) and not any(
        one.value is not None and one.value < needed[name] for name, one in found.items()
    )
    return JudgedGate(rule, None if unknown else False, because)


def _shown(gate: GateCriterion, frame: TierFrame, because: str) -> JudgedGate:
    """12.6.2: "M ≥ 3 on prediction-gated choice tasks" are instances of level 3 (B.3.3), which a higher level implies
    and does not contain.
    """
    tests = [
        test
        for name, level in gate.levels.items()
        for test in frame.vector[name].tests
        if test.level == level
    ]
    rule = ", ".join(
        f"{one.criterion.dimension} ≥ {one.level}, by instances of level {one.level}" for one in tests
    )
    said = "; ".join(f"level {one.level} {one.status}: {one.because}" for one in tests)
    holds: bool | None = all(one.status == "satisfied" for one in tests)
    if not holds and not any(one.status == "failed" and one.enough for one in tests):
        holds = None
    return JudgedGate(rule, holds, f"{because}; {said}")


def _schemas(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    family = frame.declaration.family(frame.family)
    given = bool(family.observation_schema and family.action_schema)
    because = f"{frame.family or 'no family'}: {'declared' if given else 'not declared'}"
    return JudgedGate("input and output schema are declared", given, because)


def _rate(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    least, name, cell = gate.instances, frame.family, frame.cell
    # 12.4.2 has 70 %: a family's own threshold (10.3.3) may ask for more, and not for less.
    threshold = max(frame.rubric.threshold, frame.declaration.threshold(name))
    rule = f"success ≥ {100 * threshold:g} % on at least {least} baseline instances of a family"
    if not cell.n:
        return JudgedGate(rule, None, "no family has outcomes under baseline")
    because = f"{name}: {compare(cell.k, cell.n, threshold, frame.declaration)}"
    status = rate_status(cell.k, cell.n, threshold, frame.declaration, frame.rubric.near)
    if status == "satisfied" and cell.n >= least:
        return JudgedGate(rule, True, because)
    few = f"{cell.n} instances in {name}, {least} needed (12.3.1)" if cell.n < least else ""
    return JudgedGate(rule, False if status == "failed" else None, because, few)


def _feedback(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    rule = f"state changes in every instance, in episodes of at least {gate.steps} steps"
    cell = frame.cell
    if not cell.n:
        return JudgedGate(rule, None, "no family has outcomes under baseline")
    steps = "steps not recorded" if cell.fewest_steps is None else f"fewest steps {cell.fewest_steps}"
    because = f"{frame.family}: state changed in {cell.changed} of {cell.n}, {steps}"
    long = None if cell.fewest_steps is None else cell.fewest_steps >= gate.steps
    if cell.unchanged or long is False:
        return JudgedGate(rule, False, because)
    return JudgedGate(rule, True if long and cell.changed == cell.n else None, because)


def _enough(gain: Gain, least: int) -> bool:
    return (gain.n if gain.paired else min(gain.n0, gain.n1)) >= least


def _gain_instances(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    least, needed = gate.instances, gate.families
    rule = f"at least {least} instances before practice and {least} after in each of {needed} families"
    enough = [name for name, gain in frame.gains.items() if _enough(gain, least)]
    because = "; ".join(f"{name}: {gain.n0} before, {gain.n1} after" for name, gain in frame.gains.items())
    if len(enough) >= needed:
        return JudgedGate(rule, True, because)
    few = f"{len(enough)} families with {least} instances before and after practice, {needed} needed (12.3.1)"
    return JudgedGate(rule, None, because or "no family has tests before and after practice", few)


def _gain(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.5.2: in each of the families that evidence the tier, and in so many of them."""
    line = f"{100 * gate.gain:g} points on held-out variants"
    rule = f"success after practice exceeds that before by {line} in each of {gate.families} families"
    declaration, statuses = frame.judged_by, {}
    for name, gain in frame.gains.items():
        if gain.value is not None and _enough(gain, gate.instances):
            high = Fraction(gain.k0, gain.n0) > fraction(frame.rubric.ceiling)
            statuses[name] = "untested" if high else gain_status(gain, gate.gain, declaration)
    because = "; ".join(f"{name}: {gain_words(frame.gains[name], 'gain', gate.gain)}" for name in statuses)
    count = [*statuses.values()].count
    if count("satisfied") >= gate.families:
        return JudgedGate(rule, True, because)
    open_ = len(frame.gains) - count("failed") >= gate.families  # of families that did not fail
    return JudgedGate(rule, None if open_ else False, because or "no family has enough instances")


def _valid(gate: GateCriterion, frame: TierFrame) -> JudgedGate:
    """12.3.5. Post-hoc criteria and lost infrastructure are checked for the gating families, too: their share may be
    over the limit where that of the dimension is not.
    """
    wrong: list[str] = []
    if "E" in gate.dimensions and (bare := total_of(frame.tally.of("E")).unverified):
        wrong.append(f"{bare} outcomes of E without external verification")
    for evidence in frame.tier.asks if frame.tier.asks[0] in TIERS else ():
        if bare := total_of(frame.tally.of(evidence)).unverified:
            wrong.append(f"{bare} outcomes of {evidence} without external verification")
    for dimension in gate.dimensions:
        flags = frame.vector[dimension].flags
        wrong += [f"{dimension}: {flag}" for flag in flags if flag.kind == "Invalid"]
    cells = {frame.family: frame.cell} if frame.tier.tier == 1 else {}
    if "L" in gate.dimensions:
        cells = _learning_cells(frame)
    wrong += [
        f"{name}: {one.because}"
        for name, cell in cells.items()
        for one in lost_shares(cell, frame.declaration)
    ]
    for evidence in frame.tier.asks if frame.tier.asks[0] in TIERS else ():
        found = invalid(frame.tally, [evidence], frame.declaration, frame.rubric)
        wrong += [f"{one.reason}: {one.because}" for one in found]
        if apart := too_far_apart(frame.tally.ratings.get(evidence), frame.declaration):
            wrong.append(f"{evidence}: {apart}")
    return JudgedGate("nothing invalidates the claim", not wrong, "; ".join(wrong) or "nothing found")


def _learning_cells(frame: TierFrame) -> dict[str, CellCounts]:
    """The outcomes of families with tests before and after practice, at the level that gates (12.5.2)."""
    cells = {key: cell for key, cell in frame.tally.of("L").items() if key.level == HELD_OUT}
    return {
        name: total_of([cell for key, cell in cells.items() if key.family == name]) for name in frame.gains
    }


_GATES: dict[str, Callable[[GateCriterion, TierFrame], JudgedGate]] = {
    "vector": _vector,
    "schemas": _schemas,
    "rate": _rate,
    "feedback": _feedback,
    "gain": _gain,
    "gain_instances": _gain_instances,
    "valid": _valid,
    **ARM_GATES,
    **SOCIAL_GATES,
    **STRUCTURE_GATES,
}
