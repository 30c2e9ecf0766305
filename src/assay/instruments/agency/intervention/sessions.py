"""The sessions of Tier 6 and which trials of them come next (12.9.2, 12.9.5).

A session is a stratum ``T6/FAMILY``, a wave follows the other: tests on held-out instances with the clean structure
(``pre``); one episode in which the subject changes the structure (``modify``); the same tests with what it left
(``post``), and beside them the same intervention once more from the clean structure; the same tests with what that left
(``reapplied``). Every trial begins from the clean files, so that nothing outlasts the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from assay.evidence.records import Evidence, Record
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.study import SubjectSpec
from assay.worlds import all_families

__all__ = [
    "INTERVENTION_STAGES",
    "MODIFY",
    "TEST",
    "InterventionPhase",
    "InterventionSession",
    "InterventionTrial",
    "intervention_item",
    "intervention_sessions",
    "next_interventions",
    "read_intervention_item",
]

InterventionPhase = Literal["pre", "modify", "post", "reapplied"]
TIER = 6
TEST, MODIFY = "intervention", "modify"
INTERVENTION_STAGES = frozenset({TEST, MODIFY})
SEVERE_FAMILIES = 2  # these are tested under a severe regime, too (12.3.3)
LOGGED = 12  # tests whose log is shown


class InterventionSession(NamedTuple):
    """``regimes``: those of the tests. ``quiet``: the baseline, of the modification and its demonstration."""

    stratum: str
    family: str
    level: int
    regimes: tuple[str, ...]
    quiet: str


class InterventionTrial(NamedTuple):
    """One trial, of any subject. ``inputs``: the modification whose structure is tested, or what one is built from."""

    stage: str
    phase: InterventionPhase
    item: str
    number: int
    regime: str
    inputs: tuple[str, ...] = ()
    temperature: float | None = None


def intervention_item(stage: str, family: str, level: int) -> str:
    return f"{stage}/{family}/{level}"


def read_intervention_item(item: str) -> tuple[str, int]:
    _, family, level = item.split("/")
    return family, int(level)


def intervention_sessions(options: AgencyOptions) -> list[InterventionSession]:
    """The declared ones. Without a regime of at least moderate intensity there are none (12.3.3)."""
    if TIER not in options.tiers:
        return []
    by_intensity: dict[str, str] = {}
    for name, regime in regimes_of(options).items():
        if not regime.adversarial:
            by_intensity.setdefault(regime.level, name)
    chosen = options.intervention.families or tuple(
        name for name, family in sorted(all_families().items()) if family.dimension == f"T{TIER}"
    )
    found: list[InterventionSession] = []
    for place, name in enumerate(chosen):
        asked = ("moderate", "severe") if place < SEVERE_FAMILIES else ("moderate",)
        regimes = tuple(by_intensity[word] for word in asked if word in by_intensity)
        if regimes and "baseline" in by_intensity:
            level = min(all_families()[name].levels)
            found.append(
                InterventionSession(f"T{TIER}/{name}", name, level, regimes, by_intensity["baseline"])
            )
    return found


def next_interventions(
    session: InterventionSession, options: AgencyOptions, evidence: Evidence, spec: SubjectSpec
) -> Iterator[InterventionTrial]:
    """The next wave of a session for one subject. Where a modification was lost, nothing comes after it."""
    done = [
        record for record in evidence if record.trial.subject == spec.title and record.outcome != "excluded"
    ]
    made = {record.trial.instance.repetition: record for record in done if record.trial.stage == MODIFY}
    logged = _logged(done)
    item = intervention_item(MODIFY, session.family, session.level)
    if evidence.waves == 0:
        yield from _tests(session, options, "pre", None)
    elif evidence.waves == 1:
        yield InterventionTrial(MODIFY, "modify", item, 0, session.quiet, logged)
    elif evidence.waves == 2 and 0 in made:
        yield from _tests(session, options, "post", made[0])
        yield InterventionTrial(MODIFY, "modify", item, 1, session.quiet, (*logged, made[0].said))
    elif evidence.waves == 3 and 1 in made:
        yield from _tests(session, options, "reapplied", made[1])


def _tests(
    session: InterventionSession, options: AgencyOptions, phase: InterventionPhase, made: Record | None
) -> Iterator[InterventionTrial]:
    inputs = () if made is None else (made.said,)
    temperature: float | None = None if made is None else made.report.get("temperature")
    item = intervention_item(TEST, session.family, session.level)
    for regime in session.regimes:
        for number in range(options.intervention.tests):
            yield InterventionTrial(TEST, phase, item, number, regime, inputs, temperature)


def _logged(done: Sequence[Record]) -> tuple[str, ...]:
    """The tests before any change whose log is shown: the first of each regime, in turn."""
    tests = [record for record in done if record.trial.factors.get("phase") == "pre"]
    tests.sort(key=lambda record: (record.trial.instance.repetition, record.trial.regime))
    return tuple(record.said for record in tests[:LOGGED])
