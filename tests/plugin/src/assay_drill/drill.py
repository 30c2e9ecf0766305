"""Conversations, a world, a clock, and waves that depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from assay.bench import Plan, Probe
from assay.canonical import digest
from assay.evidence import Evidence, Record
from assay.measuring import (
    InstrumentBase,
    Rows,
    ScoredRows,
    Target,
    exclusion_flags,
    flawless,
    plain_measure,
    read_trials,
    share_of_outcomes,
    trial_records,
)
from assay.measuring import Options as BaseOptions
from assay.report.presentation import Headline, number_of
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Exclusion, Measure, Message, Result, Trial

from .calibration import DrillGrid

CLOCKS = ("plain", "timed")


class Options(BaseOptions, frozen=True, kw_only=True):
    trials: Annotated[int, Meta(ge=1, description="Of the first wave, a stratum, subject and clock.")] = 40
    turns: Annotated[int, Meta(ge=1, le=6, description="The longest conversation.")] = 6
    strata: Annotated[tuple[str, ...], Meta(description="Whose waves are kept apart.")] = ("north", "south")


class World:
    """A counter that is to reach a target; a seeded fault makes one step slip."""

    def __init__(self, target: int, slips_at: int) -> None:
        self.state, self.target, self._slips_at, self._steps = 0, target, slips_at, 0

    def step(self, amount: int) -> dict[str, int]:
        self._steps += 1
        if self._steps != self._slips_at:
            self.state += amount
        return {"state": self.state, "steps": self._steps}


class Drill(InstrumentBase):
    """Does a counter reach its target, by the length of what the subject says?"""

    name = "drill"
    noun = "drills"
    option_type = Options
    quick: ClassVar[dict[str, Any]] = {"trials": 4}

    def strata(self, lock: Lock) -> Iterable[str]:
        return lock.options(self.name, Options).strata

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        stratum, wave = evidence.stratum, evidence.waves
        specs = {spec.title: spec for spec in lock.study.specs}
        if wave == 0:
            for number in range(lock.options(self.name, Options).trials):
                for spec in specs.values():
                    for clock in CLOCKS:
                        yield self._trial(lock, spec, f"{stratum}/{number}", wave, clock)
        elif wave == 1:  # follows up every trial of the first wave, built from its last reply
            for record in evidence:
                said = (digest(record.replies[-1].text),) if record.replies else ()
                spec = specs[record.trial.subject]
                yield self._trial(lock, spec, f"{stratum}/again", wave, "plain", record.id, *said)
        elif wave == 2:  # one trial a subject, built from everything before
            everything = digest([_happened(record) for record in evidence])
            for spec in specs.values():
                yield self._trial(lock, spec, f"{stratum}/last", wave, "timed", everything)

    def _trial(self, lock: Lock, spec: SubjectSpec, item: str, wave: int, clock: str, *inputs: str) -> Trial:
        factors = {"clock": clock}
        return self.trial(lock, spec, item, wave, max_tokens=64, factors=factors, inputs=inputs)

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        options = probe.lock.options(self.name, Options)
        draw = probe.random("turns")
        turns = 1 + draw.below(options.turns)
        world = World(target=10 * turns, slips_at=1 + probe.random_faults("slip").below(8))
        talk: list[Message] = [Message("system", "You are drilled. " + "All of this is only a drill. " * 10)]
        for turn in range(turns):
            seconds = probe.clock() if trial.factors["clock"] == "timed" else 0.0
            assert seconds >= 0
            talk.append(
                Message("user", f"Turn {turn} of {trial.instance.item}: {draw.below(1000)} {trial.inputs}?")
            )
            reply = await probe.ask(talk)
            talk.append(Message("assistant", reply.text))
            amount = len(reply.text) % 20

            async def step(amount: int = amount) -> dict[str, int]:
                return world.step(amount)

            await probe.compute("world.step", {"amount": amount}, step)
        reached = world.state >= world.target
        probe.conclude("success" if reached else "failure", report={"state": world.state, "turns": turns})

    def score(self, evidence: Evidence) -> Result:
        measures: list[Measure] = []
        excluded: list[Exclusion] = []
        for spec in evidence.lock.study.specs:
            labels: dict[str, str | float] = {"subject": spec.title}
            mine = [record for record in evidence if record.trial.subject == spec.title]
            lost = [record.reason for record in mine if record.outcome == "excluded"]
            excluded += [Exclusion(why, lost.count(why), labels) for why in sorted(set(lost))]
            content = f"content {digest([_happened(record) for record in mine])}"
            measures.append(
                plain_measure(
                    "trials", len(mine), labels, n=len(mine), units="count", method="", notes=(content,)
                )
            )
            won = sum(record.outcome == "success" for record in mine)
            flags = exclusion_flags(len(lost), len(mine), evidence.lock.study.limits.excluded_share, "trials")
            measures.append(
                share_of_outcomes("reached", labels, won, len(mine) - len(lost) - won, flags=flags)
            )
        return self.result(evidence, measures, excluded=excluded)

    def score_rows(self, rows: Rows, options: Any) -> ScoredRows:
        """A row is a trial with its outcome, as in the records of a run."""
        trials, counts = read_trials(rows)
        result = self.rows_result(counts.shares("reached"), excluded=counts.excluded)
        return self.scored_rows(result, lambda: trial_records(trials))

    def targets(self) -> dict[str, Target]:
        return {"reached": Target(measure="reached")}

    def planned_n(self, lock: Lock, target: Target) -> tuple[int, Callable[[int], float]] | None:
        return self.plan(lock).trials // len(lock.study.specs), flawless(0.95)

    def headline(self, result: Result) -> Headline:
        rows = [
            (str(measure.labels["subject"]), number_of(measure))
            for measure in result.measures
            if measure.name == "reached"
        ]
        return Headline("Targets reached in the drill", ("subject", "reached"), tuple(rows))

    def grid(self) -> DrillGrid:
        return DrillGrid()

    def plan(self, lock: Lock) -> Plan:
        """Every trial is followed up once, and each stratum ends with one trial a subject."""
        first = super().plan(lock)
        last = len(list(self.strata(lock))) * len(lock.study.specs)
        trials = 2 * first.trials + last
        return msgspec.structs.replace(
            first, trials=trials, calls=first.calls * trials // first.trials, output_tokens=64 * trials * 6
        )


def _happened(record: Record) -> Sequence[Any]:
    return [record.id, record.outcome, record.report, [reply.text for reply in record.replies]]
