"""Tier 1 (12.4): closed-loop operation that produces verified outcomes. Higher tiers are not tested."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import SCORED
from assay.vocabulary import Flag

from .criteria import Rubric
from .levels import AssignedLevel, compare, included_cells, rate_status
from .tally import CellCounts, SubjectTally, total_of
from .validity import lost_shares

__all__ = ["TierGate", "TierReading", "tier_of"]


class TierGate(Struct, frozen=True):
    """One gate criterion: passed, failed, or not established."""

    name: str
    rule: str
    holds: bool | None
    because: str


class TierReading(Struct, frozen=True):
    tier: int | None  # None: the spec's "Tier None"
    gates: tuple[TierGate, ...]
    family: str = ""  # the family that evidences it
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()


def tier_of(
    tally: SubjectTally, vector: Mapping[str, AssignedLevel], declaration: Declaration, rubric: Rubric
) -> TierReading:
    """Tier 1 or None, with every gate."""
    families = _baseline(tally, vector, declaration)
    # The family that passes the most decides: one is enough (12.4.2).
    best = max(families, key=lambda name: _merit(name, families[name], declaration, rubric), default="")
    cell = families.get(best, CellCounts())
    gates = (
        _prerequisites(vector, rubric),
        _schemas(best, declaration),
        _reliability(best, cell, declaration, rubric),
        _feedback(best, cell, rubric),
        _verified(tally, vector, best, cell, declaration),
    )
    passed = all(gate.holds for gate in gates)
    least, few = rubric.tier.instances, best and cell.n < rubric.tier.instances
    flags = (Flag("Provisional", f"{cell.n} instances in {best}, {least} needed (12.3.1)"),) if few else ()
    notes = ("12.5: Tier 2 and above are not tested",)
    return TierReading(1 if passed else None, gates, best, flags, notes)


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


def _merit(name: str, cell: CellCounts, declaration: Declaration, rubric: Rubric) -> tuple[int, ...]:
    return (
        bool(_reliability(name, cell, declaration, rubric).holds),
        bool(_feedback(name, cell, rubric).holds),
        bool(_schemas(name, declaration).holds),
        not [*lost_shares(cell, declaration)],
        cell.k,
    )


def _prerequisites(vector: Mapping[str, AssignedLevel], rubric: Rubric) -> TierGate:
    needed = rubric.tier.vector
    rule = ", ".join(f"{name} ≥ {level}" for name, level in needed.items())
    found = {name: vector[name] for name in needed}
    because = ", ".join(
        f"{name} = {'none' if one.value is None else one.value}" for name, one in found.items()
    )
    if all(found[name].level >= level for name, level in needed.items()):
        return TierGate("closed loop", f"{rule} (12.4.2)", True, because)
    unknown = any(one.value is None for one in found.values()) and not any(
        one.value is not None and one.value < needed[name] for name, one in found.items()
    )
    return TierGate("closed loop", f"{rule} (12.4.2)", None if unknown else False, because)


def _schemas(name: str, declaration: Declaration) -> TierGate:
    rule = "input and output schema are declared (6.3)"
    family = declaration.family(name)
    given = bool(family.observation_schema and family.action_schema)
    return TierGate(
        "schemas", rule, given, f"{name or 'no family'}: {'declared' if given else 'not declared'}"
    )


def _reliability(name: str, cell: CellCounts, declaration: Declaration, rubric: Rubric) -> TierGate:
    least, threshold = rubric.tier.instances, declaration.threshold(name)
    rule = f"success ≥ {100 * threshold:g} % on at least {least} baseline instances of a family (12.4.2)"
    if not cell.n:
        return TierGate("reliability", rule, None, "no family has outcomes under baseline")
    because = f"{name}: {compare(cell.k, cell.n, threshold, declaration)}"
    status = rate_status(cell.k, cell.n, threshold, declaration, rubric.near)
    if status == "satisfied" and cell.n >= least:
        return TierGate("reliability", rule, True, because)
    return TierGate("reliability", rule, False if status == "failed" else None, because)


def _feedback(name: str, cell: CellCounts, rubric: Rubric) -> TierGate:
    rule = (
        f"state changes in every instance, in episodes of at least {rubric.tier.steps} steps (12.4.2, 12.4.4)"
    )
    if not cell.n:
        return TierGate("feedback", rule, None, "no family has outcomes under baseline")
    steps = "steps not recorded" if cell.fewest_steps is None else f"fewest steps {cell.fewest_steps}"
    because = f"{name}: state changed in {cell.changed} of {cell.n}, {steps}"
    long = None if cell.fewest_steps is None else cell.fewest_steps >= rubric.tier.steps
    if cell.unchanged or long is False:
        return TierGate("feedback", rule, False, because)
    return TierGate("feedback", rule, True if long and cell.changed == cell.n else None, because)


def _verified(
    tally: SubjectTally,
    vector: Mapping[str, AssignedLevel],
    name: str,
    cell: CellCounts,
    declaration: Declaration,
) -> TierGate:
    """12.3.5. Post-hoc criteria and lost infrastructure are checked for the gating family, too: its share may be over
    the limit where that of the dimension is not.
    """
    bare = total_of(tally.of("E")).unverified
    rule = "nothing invalidates the claim (12.3.5)"
    wrong = [f"{bare} outcomes of E without external verification"] if bare else []
    for dimension in ("S", "D", "E"):
        wrong += [f"{dimension}: {flag}" for flag in vector[dimension].flags if flag.kind == "Invalid"]
    wrong += [f"{name}: {one.because}" for one in lost_shares(cell, declaration)]
    return TierGate("validity", rule, not wrong, "; ".join(wrong) or "nothing found")
