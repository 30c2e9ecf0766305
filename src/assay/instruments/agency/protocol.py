"""The agency protocol: what can a subject bring about, closed-loop, under declared constraints?

One trial is one episode: a task in its world, under a regime. The subject observes and acts; what came about is read
from the world's state and held against a criterion that was fixed in the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from assay.bench import Item, Plan, Prepared, Probe
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence
from assay.measuring import InstrumentBase, Labels, Target, option_error
from assay.report.presentation import Headline, Presentation
from assay.study import Lock, Source, Study, SubjectSpec
from assay.vocabulary import Measure, Result, Sampling, Trial
from assay.worlds import FamilyFault, all_families, family_named, left_out, shipped_regimes

from .conduct import begun, conduct_episode
from .gathering import Episodes, gather, materials_of
from .interface import Interface, opening, tools_of
from .options import Options, RowOptions, read_options, regimes_of
from .outcome import DIMENSIONS
from .schedule import (
    Cell,
    changed_criteria,
    check_families,
    content_stream,
    criteria,
    instance_of,
    schedule,
    task_of,
)

if TYPE_CHECKING:
    from assay.measuring.calibration import Calibration

__all__ = ["Agency"]

TEXT_KINDS = ("local", "reference")  # subjects that are offered the text form unless told otherwise


class Agency(InstrumentBase):
    """What can it bring about?"""

    name = "agency"
    version = "3"
    title = "Agency"
    noun = "families"
    option_type = Options
    row_option_type = RowOptions
    row_help = (
        '{"dimension": "S", "level": 1, "family": ID, "regime": ID, "instance": ID, "outcome": "success"}'
    )
    quick: ClassVar[dict[str, Any]] = {
        "levels": [1],
        "instances": 3,
        "robustness_families": ["inbox"],
        "robustness_instances": 2,
        "regimes": ["Baseline", "Moderate-Standard"],
        "max_tokens": 40,
    }

    def runs_code(self, lock: Lock) -> bool:
        """Only some families want programs run."""
        return any(family_named(name).runs_code for name in lock.materials[self.name]["families"])

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        chosen = read_options(options, source, at)
        self.check_required(chosen, source)
        if not schedule(chosen):
            raise option_error(source, at, "no family evidences the levels and dimensions that are asked for")
        materials = {
            "families": materials_of(chosen, study.seed),
            "regimes": {id_: msgspec.to_builtins(regime) for id_, regime in regimes_of(chosen).items()},
            "criteria": criteria(chosen, study.seed),
            "left_out": left_out(),
        }
        if not chosen.families:  # what is installed later, or elsewhere, is no part of this study
            chosen = msgspec.structs.replace(chosen, families=tuple(materials["families"]))
        return Prepared(msgspec.to_builtins(chosen), materials)

    def strata(self, lock: Lock) -> Iterable[str]:
        options, declared = self._options(lock), lock.materials[self.name]
        check_families(declared["families"])
        if changed := changed_criteria(declared["criteria"], options, lock.study.seed):
            raise InputError(
                f"the criteria are not those that the lock has fixed: {', '.join(changed)}; the families were changed "
                "under the same version: install them as they were, or lock the study anew"
            )
        return list(schedule(options))

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """All of a level at once; in sequential sampling batch after batch, until it is decided."""
        options = self._options(lock)
        if evidence.stratum is None:
            return
        cells = schedule(options)[evidence.stratum]
        for spec in lock.study.specs:
            for cell, repetition in self._next(cells, options, evidence, spec):
                yield self._trial(lock, spec, cell, repetition)

    def _next(
        self, cells: list[Cell], options: Options, evidence: Evidence, spec: SubjectSpec
    ) -> Iterator[tuple[Cell, int]]:
        if options.sequential is None:
            if not evidence.waves:
                yield from ((cell, number) for cell in cells for number in range(cell.instances))
            return
        from .sampling import next_batch

        yield from next_batch(cells, options, evidence, spec)

    def _trial(self, lock: Lock, spec: SubjectSpec, cell: Cell, repetition: int) -> Trial:
        options, defaults = self._options(lock), lock.study.sampling
        most = options.max_tokens or defaults.max_tokens
        tokens = regimes_of(options)[cell.regime].compute.tokens
        return Trial(
            instance=instance_of(cell, repetition, lock.study.seed),
            version=self.version,
            subject=spec.title,
            boundary=spec.boundary,
            factors={"interface": self._interface(options, spec)},
            regime=cell.regime,
            sampling=Sampling(
                options.temperature,
                defaults.top_p,
                most if tokens is None else min(most, tokens),
                defaults.seed,
            ),
        )

    def _interface(self, options: Options, spec: SubjectSpec) -> Interface:
        if options.interface != "auto":
            return options.interface
        return "text" if spec.kind in TEXT_KINDS else "tools"

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        options = self._options(probe.lock)
        regime = regimes_of(options)[trial.regime]
        interface: Interface = "tools" if trial.factors["interface"] == "tools" else "text"
        try:
            family, task = task_of(trial.instance, probe.random("task"), held_out=options.held_out)
            await conduct_episode(probe, family, task, regime, interface)
        except FamilyFault as fault:  # infrastructure, not the subject
            probe.conclude("excluded", fault.reason, {"detail": fault.detail})

    def score(self, evidence: Evidence) -> Result:
        from .reading import score_run

        options = self._options(evidence.lock)
        result = score_run(evidence, options, self._episodes(evidence), self.version)
        required = self.required(evidence.lock, result.measures)
        return msgspec.structs.replace(result, verdicts=(*result.verdicts, *required)) if required else result

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """One row an episode, in the form that ``assay score agency`` reads."""
        for mine in self._episodes(evidence):
            for outcome in sorted(
                mine.outcomes, key=lambda o: (o.dimension, o.level, o.family, o.regime, o.instance)
            ):
                yield msgspec.to_builtins(outcome)

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        from .reading import attachments

        return attachments(evidence, self._options(evidence.lock), self._episodes(evidence), self.version)

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        from .figures import present

        return present(evidence, result, self._episodes(evidence), self._options(evidence.lock))

    def plan(self, lock: Lock) -> Plan:
        from .planning import plan_run

        return plan_run(lock, self._options(lock))

    def calibrate(
        self, runs: int, workers: int, quick: bool, progress: Callable[[int, int], None]
    ) -> Calibration:
        """Truth beside reading for subjects of graded competence."""
        from .calibration import calibrate

        return calibrate(runs, workers, quick, progress, version=self.version)

    def items(self) -> list[Item]:
        regimes = list(shipped_regimes())
        order = sorted(all_families().values(), key=lambda f: ("SMDE".index(f.dimension), f.name))
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
        seen, brief = begun(family, task, content_stream(instance))
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
            "messages": [
                {"role": m.role, "content": m.content} for m in opening(brief, brief.goal, seen, "text")
            ],
        }

    def headline(self, result: Result) -> Headline:
        from .headline import headline_of

        return headline_of(result)

    def accompanying(self, result: Result) -> list[str]:
        """A level is nothing without its tuple (11.9.1): whoever prints one prints the other."""
        from .headline import Found

        found = Found(result)
        return [" ".join(f"{key.name}: {found.tuple_of(key)}".split()) for key in found.readings]

    def targets(self) -> dict[str, Target]:
        from .reading import COUNTS

        found: dict[str, Target] = {
            name: Target(measure=name, by="value", highest=5.0) for name in DIMENSIONS
        }
        found["tier"] = Target(measure="tier", by="value", highest=6.0)
        return {**found, **{name: Target(measure=name, side="at most") for name in COUNTS}}

    def cells(self, measures: Sequence[Measure]) -> list[Labels]:
        """A requirement is judged for every subject within its boundary."""
        whose = ((m.labels["subject"], m.labels["boundary"]) for m in measures if m.name in DIMENSIONS)
        return [{"subject": subject, "boundary": boundary} for subject, boundary in dict.fromkeys(whose)]

    def score_rows(self, file: Path, options: Any) -> Result:
        from .rows import score_rows

        given: RowOptions = options
        return score_rows(file, Path(given.declaration) if given.declaration else None)

    def _options(self, lock: Lock) -> Options:
        return lock.options(self.name, Options)

    def _episodes(self, evidence: Evidence) -> list[Episodes]:
        """The episodes, put together out of the evidence once."""
        return self.memo(evidence, lambda: gather(evidence))
