"""The agency protocol: what can a subject bring about, closed-loop, under declared constraints?

One trial is one episode: a task in its world, under a regime. The subject observes and acts; the final state of the
world is read from outside and compared with a criterion that the lock fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from assay.bench import Item, Plan, Prepared, Probe
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence
from assay.measuring import (
    Bound,
    InstrumentBase,
    Labels,
    Target,
    flawless,
    option_error,
)
from assay.measuring.base import unlisted
from assay.measuring.comparison import FrameContents, Observation
from assay.measuring.rows import Rows
from assay.measuring.scored import ScoredRows
from assay.report.document import Document
from assay.report.presentation import Headline, Presentation
from assay.study import Lock, Source, Study, SubjectSpec
from assay.vocabulary import Measure, Result, Trial
from assay.worlds import FamilyFault, all_families, family_named, left_out, shipped_regimes
from assay.worlds.tiers import MODEL_FREE

from .declarations.outcome import APART, DIMENSIONS, PARTS, RATED
from .episodes.conduct import conduct_episode, first_view
from .episodes.interface import Interface, interface_of, opening, tools_of
from .episodes.locked import changed_criteria, check_families, criteria, materials_of
from .episodes.schedule import (
    PlannedCell,
    content_stream,
    instance_of,
    planned_cells,
    schedule,
    task_of,
)
from .gates.conduct import DELIBERATION, conduct_gate
from .gates.locked import check_gates, gate_materials
from .gates.outcomes import GATE_STAGES
from .gates.trials import GateTrial, all_strata, gate_strata, gate_trials, match_strata
from .intervention.conduct import conduct_intervention
from .intervention.locked import check_intervention, intervention_materials
from .intervention.sessions import (
    INTERVENTION_STAGES,
    InterventionTrial,
    intervention_sessions,
    next_interventions,
)
from .learning.conduct import conduct_learning
from .learning.locked import check_learning, learning_materials
from .learning.sessions import LearningTrial, item_of, next_trials, session_named, sessions_of
from .options import AgencyOptions, AgencyRowOptions, read_options, regimes_of
from .partners.conduct import conduct_meeting
from .partners.matches import MEETING, MatchMove, check_partners, next_moves, partner_materials
from .requirements import check_memory, check_scope, fixed_options, tier_required
from .rubric.criteria import rubric

if TYPE_CHECKING:
    from .calibration import AgencyGrid
    from .scoring import RunReadings

__all__ = ["Agency"]


class Agency(InstrumentBase):
    """What can it bring about?"""

    name = "agency"
    version = "6"
    title = "Agency"
    noun = "families"
    own_loops = True
    option_type = AgencyOptions
    row_option_type = AgencyRowOptions
    row_help = (
        '{"dimension": "S", "level": 1, "family": ID, "regime": ID, "instance": ID, "outcome": "success"}'
    )
    quick: ClassVar[dict[str, Any]] = {
        "levels": [1],
        "instances": 3,
        "robustness_families": ["inbox"],
        "robustness_instances": 2,
        "regimes": ["Baseline", "Moderate-Standard"],
        "max_tokens": 80,
    }

    selecting = (
        "dimensions", "levels", "tiers", "governance", "families", "instances", "robustness_families",
        "robustness_instances", "regimes", "purpose", "evaluated_by", "inclusion", "exclusion",
    )  # fmt: skip
    compared = (*DIMENSIONS, *PARTS, "tier")

    def runs_code(self, lock: Lock) -> bool:
        """Only some families run programs."""
        declared = lock.materials[self.name]
        parts = (declared, *(declared.get(part, {}) for part in ("gates", "intervention")))
        return any(family_named(name).runs_code for part in parts for name in part.get("families", ()))

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        chosen = read_options(options, source, at)
        self.check_required(chosen, source)
        parts = (schedule(chosen), sessions_of(chosen), gate_strata(chosen), intervention_sessions(chosen))
        if not any(parts):
            raise option_error(source, at, "no family evidences the levels and dimensions that are asked for")
        check_memory(study, chosen, source, at)
        check_scope(study, chosen, source, at)
        check_partners(study, chosen, source, at)
        materials: dict[str, Any] = {
            "written_calls": True,  # a tool call written as JSON in the text is read, and counted
            "families": materials_of(chosen, study.seed),
            "regimes": {id_: msgspec.to_builtins(regime) for id_, regime in regimes_of(chosen).items()},
            "criteria": criteria(chosen, study.seed),
            "left_out": left_out(),
        }
        if sessions_of(chosen):
            materials["learning"] = learning_materials(chosen, study.seed)
        if gate_strata(chosen):
            materials["gates"] = gate_materials(chosen, study.seed)
        if match_strata(chosen):
            materials["partners"] = partner_materials(study, chosen)
        if intervention_sessions(chosen):
            materials["intervention"] = intervention_materials(chosen, study.seed)
        return Prepared(msgspec.to_builtins(fixed_options(chosen, materials)), materials)

    def strata(self, lock: Lock) -> Iterable[str]:
        options, declared = self._options(lock), lock.materials[self.name]
        check_families(declared["families"])
        if changed := changed_criteria(declared["criteria"], options, lock.study.seed):
            raise InputError(
                f"the criteria are not those that the lock has fixed: {', '.join(changed)}; the families were changed "
                "under the same version: install them as they were, or lock the study anew"
            )
        check_learning(declared.get("learning"), options, lock.study.seed)
        check_gates(declared.get("gates"), options, lock.study.seed)
        check_intervention(declared.get("intervention"), options, lock.study.seed)
        return all_strata(options)

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """All levels of a dimension at once, in sequential sampling batches until they are decided; then robustness on
        the highest level that is satisfied.
        """
        from .episodes.waves import next_wave

        if evidence.stratum is None:
            return
        options = self._options(lock)
        if session := session_named(options, evidence.stratum):
            for spec in lock.study.specs:
                for one in next_trials(session, options, evidence, spec):
                    yield self._learning_trial(lock, spec, one)
            return
        if gates := next((one for one in gate_strata(options) if one.stratum == evidence.stratum), None):
            for spec in lock.study.specs if not evidence.waves else ():
                for trial in gate_trials(gates):
                    yield self._gate_trial(lock, spec, trial)
            return
        for match in (one for one in match_strata(options) if one.stratum == evidence.stratum):
            declared = lock.materials[self.name]["partners"]
            for move in next_moves(match, declared, evidence, lock.study.specs):
                yield self._match_trial(lock, move)
            return
        for own in (one for one in intervention_sessions(options) if one.stratum == evidence.stratum):
            for spec in lock.study.specs:
                for step in next_interventions(own, options, evidence, spec):
                    yield self._intervention_trial(lock, spec, step)
            return
        for spec in lock.study.specs:
            for cell, repetition in next_wave(lock, options, evidence, spec):
                yield self._trial(lock, spec, cell, repetition)

    def _trial(self, lock: Lock, spec: SubjectSpec, cell: PlannedCell, repetition: int) -> Trial:
        return self._regime_trial(lock, spec, f"{cell.family}/{cell.level}", repetition, cell.regime, {})

    def _learning_trial(self, lock: Lock, spec: SubjectSpec, one: LearningTrial) -> Trial:
        factors: dict[str, str | float] = {"arm": one.arm, "turn": one.turn}
        item = item_of(one.family, one.learner, one.variant)
        return self._regime_trial(
            lock, spec, item, one.number, one.regime, factors, stage=one.phase, inputs=one.inputs
        )

    def _gate_trial(self, lock: Lock, spec: SubjectSpec, one: GateTrial) -> Trial:
        most = DELIBERATION if one.arm == MODEL_FREE else None
        return self._regime_trial(
            lock, spec, one.item, one.number, one.regime, {"arm": one.arm}, most, stage=one.stage
        )

    def _match_trial(self, lock: Lock, one: MatchMove) -> Trial:
        return self._regime_trial(
            lock, one.spec, one.item, one.number, one.regime, one.factors, stage=MEETING, inputs=one.inputs
        )

    def _intervention_trial(self, lock: Lock, spec: SubjectSpec, one: InterventionTrial) -> Trial:
        factors: dict[str, str | float] = {"phase": one.phase}
        found = self._regime_trial(
            lock, spec, one.item, one.number, one.regime, factors, stage=one.stage, inputs=one.inputs
        )
        if one.temperature is None:
            return found
        sampling = msgspec.structs.replace(found.sampling, temperature=one.temperature)
        return msgspec.structs.replace(found, sampling=spec.sampled(sampling))

    def _regime_trial(
        self,
        lock: Lock,
        spec: SubjectSpec,
        item: str,
        repetition: int,
        regime: str,
        factors: dict[str, str | float],
        arm_tokens: int | None = None,
        **more: Any,
    ) -> Trial:
        options = self._options(lock)
        most = options.max_tokens or lock.study.sampling.max_tokens
        bounds = [bound for bound in (most, regimes_of(options)[regime].compute.tokens, arm_tokens) if bound]
        return self.trial(
            lock,
            spec,
            item,
            repetition,
            temperature=options.temperature,
            max_tokens=min(bounds, default=None),
            factors={"interface": interface_of(options.interface, spec.kind), **factors},
            regime=regime,
            **more,
        )

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        options = self._options(probe.lock)
        regime = regimes_of(options)[trial.regime]
        interface: Interface = "tools" if trial.factors["interface"] == "tools" else "text"
        if trial.stage in GATE_STAGES:
            await conduct_gate(trial, probe, options, interface)
            return
        if trial.stage == MEETING:
            await conduct_meeting(trial, probe, options, interface)
            return
        if trial.stage in INTERVENTION_STAGES:
            await conduct_intervention(trial, probe, options, interface)
            return
        if trial.stage:
            await conduct_learning(trial, probe, options, interface)
            return
        try:
            family, task = task_of(trial.instance, probe.random("task"), held_out=options.held_out)
            await conduct_episode(probe, family, task, regime, interface)
        except FamilyFault as fault:  # infrastructure, not the subject
            probe.conclude("excluded", fault.reason, {"detail": fault.detail})

    def score(self, evidence: Evidence) -> Result:
        from .scoring import score_run

        lock: Lock = evidence.lock
        return score_run(self._run(evidence), lock, self._options(lock), self.version)

    def with_requirements(self, lock: Lock, result: Result) -> Result:
        judged = super().with_requirements(lock, result)
        verdicts = tuple(tier_required(verdict, judged) for verdict in judged.verdicts)
        return msgspec.structs.replace(judged, verdicts=verdicts)

    def observations(self, evidence: Evidence) -> Iterator[Observation]:
        """The rates that levels rest on (10.3), and successes by regime. Levels themselves are stated, not tested.

        Where sampling went on until a level was decided (11.5.1), rates are no longer those of a fixed n: none here.
        """
        if self._options(evidence.lock).sequential is not None:
            return
        for mine in self._run(evidence).episodes:
            for one in mine.outcomes:
                # Tests before and after practice have no common rate, nor have the arms of a tier.
                if one.outcome == "excluded" or one.phase or one.dimension in APART:
                    continue
                at: dict[str, str | float] = {
                    "dimension": one.dimension,
                    "level": str(one.level),
                    "regime": one.regime,
                }
                found = Observation(
                    "level_rate",
                    mine.spec.title,
                    float(one.outcome == "success"),
                    one.instance,
                    one.family,
                    at,
                )
                yield found
                yield found._replace(measure="success", labels={"regime": one.regime})

    def contents(self, lock: Lock) -> FrameContents:
        found, party = lock.materials[self.name], self._options(lock).evaluated_by
        return FrameContents(
            families=found["families"],
            regimes=found["regimes"],
            vendor_evaluated=party.of_vendor,
            evaluator=party.organisation,
        )

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """One row for each episode, in the form that ``assay score agency`` reads."""
        for mine in self._run(evidence).episodes:
            for outcome in sorted(
                mine.outcomes, key=lambda o: (o.dimension, o.level, o.family, o.regime, o.instance)
            ):
                yield msgspec.to_builtins(outcome)

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        from .scoring import attachments

        return attachments(self._run(evidence), evidence)

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        from .present import present

        return present(self._run(evidence), result, self._options(evidence.lock))

    def documents(self, evidence: Evidence, result: Result) -> Sequence[Document]:
        from .documents.documents import documents_of
        from .documents.published import published_of_run

        return documents_of(published_of_run(*self._run(evidence)[:2], evidence), result)

    def plan(self, lock: Lock) -> Plan:
        from .episodes.planning import plan_run

        return plan_run(lock, self._options(lock))

    def grid(self) -> AgencyGrid:
        from .calibration import AgencyGrid

        return AgencyGrid()

    def items(self) -> list[Item]:
        regimes = list(shipped_regimes())
        dimensions = (*RATED, *APART)
        order = sorted(all_families().values(), key=lambda f: (dimensions.index(f.dimension), f.name))
        bad = [Item(name, "left out", why) for name, why in sorted(left_out().items())]
        return [
            Item(
                family.name,
                f"{family.dimension} {','.join(map(str, sorted(family.levels)))}  {family.environment}",
                f"{family.title}; {', '.join(regimes)}",
                {
                    "dimension": family.dimension,
                    "levels": sorted(family.levels),
                    "environment": family.environment,
                    "regimes": regimes,
                    "version": family.version,
                },
            )
            for family in order
        ] + bad

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """One instance in full. ``FAMILY`` is its lowest level; ``FAMILY/LEVEL`` another."""
        name, slash, text = item.partition("/")
        levels = family_named(name).levels
        if slash and text not in {str(level) for level in levels}:
            raise UnknownName(f"level of {name}", text, [str(level) for level in sorted(levels)])
        instance = instance_of((name, int(text) if slash else min(levels)), 0, seed)
        family, task = task_of(instance, content_stream(instance), held_out=False)
        seen, brief = first_view(family, task, content_stream(instance))
        return {
            "instance": instance.digest,
            "family": name,
            "version": family.version,
            "dimension": family.dimension,
            "level": task.level,
            "levels": {str(level): about for level, about in family.levels.items()},
            "environment": family.environment,
            "situation": task.situation,
            "goal": task.goal,
            "observation_schema": brief.observation,
            "action_schema": [tool["function"] for tool in tools_of(brief)],
            "first_observation": seen.observation,
            "criterion": task.criterion.text,
            "expected": task.criterion.expected,
            "verification": family.verification,
            "actions": brief.most,
            "queries": brief.queries,
            "messages": [{"role": m.role, "content": m.content} for m in opening(brief, seen, "text")],
        }

    def headline(self, result: Result) -> Headline:
        from .present import headline_of

        return headline_of(result)

    def accompanying(self, result: Result) -> list[str]:
        """No level is printed without its tuple (11.9.1)."""
        from .figures.readings import ShownReadings

        shown = ShownReadings(result)
        return [" ".join(f"{key.name}: {shown.tuple_of(key)}".split()) for key in shown.keys]

    def targets(self) -> dict[str, Target]:
        from .scoring import COUNTS

        levels: tuple[str, ...] = (*DIMENSIONS, *PARTS)
        found = {name: Target(measure=name, by="value", highest=5.0) for name in levels}
        found["tier"] = Target(measure="tier", by="value", highest=float(rubric().tiers[-1].tier))
        return {**found, **{name: Target(measure=name, side="at most") for name in COUNTS}}

    def planned_n(self, lock: Lock, target: Target) -> tuple[int, Callable[[int], float]] | None:
        """The episodes of one subject, of which the boundary-relevant counts are shares."""
        from .scoring import COUNTS

        options = self._options(lock)
        if target.measure not in COUNTS or target.measure == "touched_worlds":
            return None  # worlds that can be touched are known only where code of a subject ran
        return sum(cell.instances for cell in planned_cells(options)), flawless(options.confidence)

    def warnings(self, lock: Lock) -> list[str]:
        from .episodes.planning import never_reached

        options = self._options(lock)
        said = []
        for name, bound in options.require.items():
            level = bound.at_least if isinstance(bound, Bound) else bound
            if name not in (*DIMENSIONS, *PARTS) or level is None or level <= 0:
                continue
            if why := never_reached(name, math.ceil(level), options):
                said.append(
                    f"{name} is at least {level:g} can never hold, however good the subject is: {why}"
                )
        said += [
            f"every level of {spec.title} will be Invalid (Missing Inputs): what its extended boundary includes is "
            "not listed (11.2)"
            for spec in lock.study.specs
            if unlisted(spec)
        ]
        return [*said, *super().warnings(lock)]

    def cells(self, measures: Sequence[Measure]) -> list[Labels]:
        """A requirement is judged for every subject within its boundary."""
        whose = ((m.labels["subject"], m.labels["boundary"]) for m in measures if m.name in DIMENSIONS)
        return [{"subject": subject, "boundary": boundary} for subject, boundary in dict.fromkeys(whose)]

    def score_rows(self, rows: Rows, options: Any) -> ScoredRows:
        from .rows import published_rows

        given: AgencyRowOptions = options
        return published_rows(
            rows, Path(given.declaration) if given.declaration else None, version=self.version
        )

    def _options(self, lock: Lock) -> AgencyOptions:
        return lock.options(self.name, AgencyOptions)

    def _run(self, evidence: Evidence) -> RunReadings:
        """The episodes and readings of a run, worked out once."""
        from .scoring import read_run

        return self.memo(evidence, lambda: read_run(evidence, self._options(evidence.lock)))
