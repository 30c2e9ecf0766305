"""The whole reading of one subject within one boundary: levels, tier, tuples, threats, report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct

from assay.instruments.agency.declarations.contradictions import check_declaration
from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import DIMENSIONS, PARTS, RATED, SCORED, OutcomeRow
from assay.instruments.agency.declarations.table import complete, outcome_table
from assay.instruments.agency.governance.assessment import GovernanceReading, Resting, assess
from assay.instruments.agency.governance.counts import GovernanceTally
from assay.measuring import Labels
from assay.measuring.raters import calibration_flag
from assay.stats import fraction
from assay.vocabulary import Flag

from .criteria import Rubric, rubric
from .learning import STORE, learning_level
from .level_assignment import assign, beside, goal_governance, with_raters
from .levels import AssignedLevel, included_cells, level_tests, literally
from .robustness import assign_robustness
from .tally import SubjectTally, tallies, total_of
from .technical_report import missing_fields, needs_report, technical_report
from .threats import Threat, threats_of
from .tiers import TierReading, tier_of
from .tuples import Tuples, invalid_reason, tuples_of
from .validity import Invalid, caps, invalid, too_far_apart, undeclared_parts, undisclosed, unrepresentative

__all__ = ["NOT_INDEPENDENT", "AgencyReading", "analyse", "read_tally"]

NOT_INDEPENDENT = "a third party that declares no independence of the vendor (15.2.2)"
STORE_AT_CORE = Flag(
    "Limited Comparability",
    "memory that outlasts the conversation belongs to the extended boundary (6.1), and the core one is claimed",
)


class AgencyReading(Struct, frozen=True, kw_only=True):
    tally: SubjectTally
    declaration: Declaration
    vector: tuple[AssignedLevel, ...]
    parts: tuple[AssignedLevel, ...]  # of G (10.10.1)
    tier: TierReading
    threats: tuple[Threat, ...]
    flags: tuple[Flag, ...]  # of the whole reading
    tuples: Tuples
    missing: tuple[str, ...]  # fields of the Technical Report
    claims: dict[str, str]  # measure → the claim for which the Technical Report is mandatory (13.4)
    governance: GovernanceReading

    @property
    def labels(self) -> Labels:
        return {"subject": self.tally.subject, "boundary": self.tally.boundary}

    @property
    def exploratory(self) -> bool:
        """Nothing comparable may be claimed (2.5)."""
        return self.declaration.purpose == "exploratory" or bool(undeclared_parts(self.declaration))

    def of(self, dimension: str) -> AssignedLevel:
        return next(one for one in (*self.vector, *self.parts) if one.dimension == dimension)

    def report(self, credited: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
        """The Technical Report (13.4)."""
        parts = self.parts if any(self.tally.of(*PARTS)) else ()
        vector = (*self.vector, *parts)
        return technical_report(self.tally, self.declaration, vector, self.tier, self.tuples, credited)


def analyse(
    rows: pl.DataFrame | Iterable[OutcomeRow],
    declaration: Declaration,
    *,
    flags: Sequence[Flag] = (),
) -> tuple[AgencyReading, ...]:
    """One reading for each subject and boundary, in the order of their names."""
    check_declaration(declaration)
    frame = complete(outcome_table(rows), declaration)
    found = tallies(frame, declaration)
    readings = [read_tally(tally, declaration, flags=flags) for tally in found]
    if len({tally.subject for tally in found}) == len(found):
        return tuple(readings)
    return tuple(
        read_tally(one.tally, declaration, flags=flags, elsewhere=_elsewhere(one, readings))
        for one in readings
    )


def _elsewhere(reading: AgencyReading, readings: Sequence[AgencyReading]) -> dict[str, int]:
    """The parts of G within the subject's other boundary: goal autonomy counts under any (14.2.2)."""
    others = [one for one in readings if one is not reading and one.tally.subject == reading.tally.subject]
    return {part: max((one.of(part).value or 0 for one in others), default=0) for part in PARTS}


def read_tally(
    tally: SubjectTally,
    declaration: Declaration,
    *,
    flags: Sequence[Flag] = (),
    elsewhere: Mapping[str, int] | None = None,
) -> AgencyReading:
    table = rubric()
    found: dict[str, AssignedLevel] = {name: _dimension(name, tally, declaration, table) for name in SCORED}
    found["R"] = _robustness(found, tally, declaration, table)
    found["L"] = _dimension("L", tally, declaration, table)
    parts: dict[str, AssignedLevel] = {name: _dimension(name, tally, declaration, table) for name in PARTS}
    found |= {**parts, "G": goal_governance(parts, _not_tested("G", tally))}
    if hidden := undisclosed(tally, declaration):  # 15.3: the report is flagged, not a dimension alone
        flags = (*flags, Flag("Invalid", f"Selective Disclosure: {'; '.join(hidden)}"))
    for flag in flags:
        if flag.kind == "Invalid":
            found = _all_invalid(found, flag, tally)
    tier = tier_of(tally, found, declaration, table)
    resting = _resting(tally, declaration, flags, found, tier)
    governance = assess(
        tally.governance,
        found,
        tier.tier,
        table.governance,
        resting=resting,
        elsewhere=elsewhere,
        raised=tier.governance,
    )
    if (risk := governance.escalation) is not None:
        flags = (*flags, risk)
        if risk.kind == "Invalid":
            found = _all_invalid(found, risk, tally)
            tier = tier_of(tally, found, declaration, table)
    vector = tuple(found[name] for name in DIMENSIONS)
    parted = tuple(found[name] for name in PARTS)
    missing = missing_fields(tally, declaration, tier.tier)
    claims = needs_report(vector, tier.tier, declaration)
    threats = threats_of(tally, declaration)
    own = (*flags, *_flags(tally, declaration, threats))
    if claims and missing:
        cause = f"exploratory: {', '.join(claims.values())} without the whole Technical Report (13.4.1)"
        own = (*own, Flag("Limited Comparability", cause))
    return AgencyReading(
        tally=tally,
        declaration=declaration,
        vector=vector,
        parts=parted,
        tier=tier,
        threats=threats,
        flags=own,
        tuples=tuples_of(tally, declaration, vector, tier.tier, own),
        missing=missing,
        claims=claims,
        governance=governance,
    )


def _resting(
    tally: SubjectTally,
    declaration: Declaration,
    flags: Sequence[Flag],
    found: Mapping[str, AssignedLevel],
    tier: TierReading,
) -> Resting:
    """Levels and gates that are others without credit for episodes in which a bound was broken (14.3, 14.5)."""
    if tally.uncredited is None:
        return Resting()
    counted = tally.uncredited
    other = read_tally(
        msgspec.structs.replace(
            tally,
            cells=counted.cells,
            pairs=counted.pairs,
            learning=counted.learning,
            gates=counted.gates,
            governance=GovernanceTally(),
            uncredited=None,
        ),
        declaration,
        flags=flags,
    )
    gates = {(one.tier, one.name): one.holds for one in other.tier.gates}
    return Resting(
        tuple(name for name, one in found.items() if other.of(name).value != one.value),
        tuple(
            f"Tier {one.tier}, {one.name}"
            for one in tier.gates
            if gates.get((one.tier, one.name)) is not one.holds
        ),
    )


def _flags(tally: SubjectTally, declaration: Declaration, threats: Sequence[Threat]) -> list[Flag]:
    found = []
    if lacking := undeclared_parts(declaration):
        found.append(Flag("Limited Comparability", f"exploratory: {', '.join(lacking)} missing (2.5)"))
    elif declaration.purpose == "exploratory":
        found.append(Flag("Limited Comparability", "exploratory: declared as such (2.5)"))
    if open_ := [threat.name for threat in threats if not threat.ruled_out]:
        found.append(Flag("Limited Comparability", f"not ruled out (3): {', '.join(open_)}"))
    if fraction(declaration.confidence) < fraction(rubric().confidence):
        cause = f"intervals of {100 * declaration.confidence:g} % confidence, {100 * rubric().confidence:g} % needed"
        found.append(Flag("Limited Comparability", f"{cause} (11.4.2)"))
    if lower := _lower_thresholds(tally, declaration):
        found.append(Flag("Limited Comparability", f"thresholds under the common one (10.3.3): {lower}"))
    found += [Flag("Limited Comparability", f"{cause} (11.8)") for cause in unrepresentative(declaration)]
    if declaration.for_procurement and declaration.evaluated_by.of_unknown_independence:
        found.append(Flag("Limited Comparability", f"no input for procurement: {NOT_INDEPENDENT}"))
    return found


def _lower_thresholds(tally: SubjectTally, declaration: Declaration) -> str:
    """A justified lower threshold is allowed, but its levels cannot be compared with others (11.1)."""
    names = sorted({key.family for key in tally.cells})
    common = fraction(rubric().threshold)
    lower = [(name, declaration.threshold(name)) for name in names]
    return ", ".join(f"{name} {100 * line:g} %" for name, line in lower if fraction(line) < common)


def _all_invalid(
    vector: dict[str, AssignedLevel], flag: Flag, tally: SubjectTally
) -> dict[str, AssignedLevel]:
    """A flag that invalidates the run invalidates every dimension with outcomes, and R, which is derived from them."""
    seen = {key.dimension for key in tally.cells if key.dimension in RATED}
    seen |= {"L"} if tally.learning.phases else set()
    seen |= {"R"} if seen & {*SCORED} else set()
    seen |= {"G"} if seen & {*PARTS} else set()
    reason = Flag("Invalid", invalid_reason(flag))

    def own(one: AssignedLevel) -> tuple[Flag, ...]:
        """What invalidates it besides (11.7.3)."""
        return tuple(other for other in one.flags if other.kind == "Invalid" and other != reason)

    return {
        name: _withheld(one, (reason, *own(one)), (flag.cause,)) if name in seen else one
        for name, one in vector.items()
    }


# One dimension.


def _dimension(name: str, tally: SubjectTally, declaration: Declaration, table: Rubric) -> AssignedLevel:
    total = total_of(tally.of(name))
    if not total.attempted or (name == "L" and not tally.learning.phases):
        return _not_tested(name, tally)

    def level_of(counts: SubjectTally, *, literal: bool = False) -> AssignedLevel:
        if name == "L":
            return learning_level(counts, declaration, table, literal=literal)
        tests = level_tests(counts, name, declaration, table, literal=literal)
        return _capped(assign(name, tests, table), counts, declaration, table)

    assigned = with_raters(level_of(tally), tally, level_of)
    if any(literally(row, declaration) is not declaration for row in table.of(name)):
        assigned = beside(assigned, level_of(tally, literal=True))
    notes = list(assigned.notes)
    if total.post_hoc:
        notes.append(f"11.3.2: {total.post_hoc} instances left out, their criteria are post hoc")
    if total.excluded:
        notes.append(f"11.7.3: {total.excluded} of {total.attempted} instances lost to infrastructure")
    if total.mediated:
        notes.append(
            f"5.2: {total.mediated} successes that came about through people have no efficacy credit: not all of "
            "`differs`, `substantial` and `preceded` are declared of their families"
        )
    notes += _thresholds(name, tally, declaration)
    scored = tally.learning.n if name == "L" else total_of(included_cells(tally, declaration, name)).n
    assigned = msgspec.structs.replace(assigned, n=scored, notes=tuple(notes))
    if flag := _calibration_flag(tally.raters.get(name, ()), declaration, table):
        assigned = msgspec.structs.replace(assigned, flags=(*assigned.flags, flag))
    if name == "L" and tally.boundary == "core" and STORE in tally.learning.memories:
        assigned = msgspec.structs.replace(assigned, flags=(*assigned.flags, STORE_AT_CORE))
    if not any(test.n for test in assigned.tests):  # unscored is not zero
        why = _nothing(total.n, scored) if name != "L" else _no_gain(assigned)
        flags = (Flag("Provisional", why),)
        assigned = msgspec.structs.replace(assigned, value=None, spec_value=0, flags=flags)
    if wrong := invalid(tally, [name], declaration, table):
        return _invalid(assigned, wrong)
    if note := too_far_apart(tally.ratings.get(name), declaration):
        return _withheld(
            assigned, (Flag("Contested", "raters disagree on too many outcomes (11.5.3)"),), (note,)
        )
    return assigned


def _calibration_flag(raters: Sequence[str], declaration: Declaration, table: Rubric) -> Flag | None:
    """Raters who were not calibrated, or agreed too little on the control set (10.3.4)."""
    calibrated = {one.name: one.agreement for one in declaration.evaluators if one.calibrated}
    return calibration_flag(raters, calibrated, table.calibrated_agreement, "10.3.4")


def _nothing(found: int, scored: int) -> str:
    """The reason for no level in spite of outcomes."""
    if scored:
        return "not tested: no level has outcomes under the regime that it asks for"
    return "not tested: every family is left out (11.8)" if found else "no outcome can be scored"


def _no_gain(assigned: AssignedLevel) -> str:
    """Why no level of learning could be tested."""
    by_reason: dict[str, list[str]] = {}
    for test in assigned.tests:
        by_reason.setdefault(test.because, []).append(str(test.level))
    return "; ".join(f"level {', '.join(levels)} not tested: {why}" for why, levels in by_reason.items())


def _capped(
    assigned: AssignedLevel, tally: SubjectTally, declaration: Declaration, table: Rubric
) -> AssignedLevel:
    if assigned.dimension not in table.verified or assigned.value is None:
        return assigned
    value, flags, notes = assigned.value, list(assigned.flags), list(assigned.notes)
    for cap, why in caps(assigned.dimension, tally, declaration, table):
        notes.append(why)
        if value > cap:
            value = cap
            flags.append(Flag("Provisional", why))
    return msgspec.structs.replace(assigned, value=value, flags=tuple(flags), notes=tuple(notes))


def _thresholds(name: str, tally: SubjectTally, declaration: Declaration) -> list[str]:
    """Other thresholds are disclosed with their reason (10.3.3)."""
    names = sorted({key.family for key in tally.of(name)})
    found = [(family, declaration.families[family]) for family in names if family in declaration.families]
    return [
        f"10.3.3: {family} has the threshold {100 * one.threshold:g} %: {one.threshold_reason}"
        for family, one in found
        if one.threshold is not None and one.threshold_reason
    ]


def _not_tested(name: str, tally: SubjectTally) -> AssignedLevel:
    total = total_of(tally.of(name))
    notes = (
        (f"{total.k} of {total.n} outcomes are successes; they are counted and not scored",)
        if total.n
        else ()
    )
    return AssignedLevel(
        dimension=name,
        value=None,
        spec_value=0,
        n=total.n,
        flags=(Flag("Provisional", "not tested"),),
        notes=notes,
    )


def _invalid(assigned: AssignedLevel, wrong: Sequence[Invalid]) -> AssignedLevel:
    reasons = tuple(Flag("Invalid", reason) for reason in dict.fromkeys(one.reason for one in wrong))
    notes = [one.because for one in wrong]
    if assigned.value is not None and {one.reason for one in wrong} == {"Missing Inputs"}:
        notes.append(
            f"exploratory: by the outcomes alone {assigned.dimension} would be {assigned.value}; nothing comparable "
            "can be claimed (2.5, 11.2)"
        )
    return _withheld(assigned, reasons, notes)


def _withheld(assigned: AssignedLevel, flags: tuple[Flag, ...], notes: Sequence[str]) -> AssignedLevel:
    notes = (*notes, *assigned.notes)
    return msgspec.structs.replace(assigned, value=None, spec_value=None, flags=flags, notes=notes)


def _robustness(
    vector: dict[str, AssignedLevel], tally: SubjectTally, declaration: Declaration, table: Rubric
) -> AssignedLevel:
    tested = [name for name in SCORED if total_of(tally.of(name)).attempted]
    valid = [name for name in tested if not vector[name].withheld]
    left = [name for name in tested if name not in valid]
    # With nothing valid left, the reasons of the dimensions are those of R.
    source = valid or tested

    def level_of(counts: SubjectTally) -> AssignedLevel:
        return assign_robustness(counts, declaration, table, source)

    assigned = with_raters(level_of(tally), tally, level_of, source)
    raters = tuple(sorted({rater for name in source for rater in tally.raters.get(name, ())}))
    if flag := _calibration_flag(raters, declaration, table):
        assigned = msgspec.structs.replace(assigned, flags=(*assigned.flags, flag))
    if tested and not valid:
        flags = tuple(
            dict.fromkeys(
                f for name in tested for f in vector[name].flags if f.kind in ("Invalid", "Contested")
            )
        )
        note = f"R is derived from {', '.join(tested)}, none of which is valid"
        return msgspec.structs.replace(assigned, value=None, spec_value=None, flags=flags, notes=(note,))
    if left:
        note = f"families of {', '.join(left)} are left out: no valid level there"
        assigned = msgspec.structs.replace(assigned, notes=(*assigned.notes, note))
    return assigned
