"""Conversations, a world, a clock, and waves that depend on each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, Struct

from assay.bench import Plan, Prepared, Probe
from assay.canonical import digest, real
from assay.evidence import Evidence, Record
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Exclusion, Instance, Measure, Message, Result, Sampling, Trial

from .common import Plain


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    trials: Annotated[int, Meta(ge=1)] = 40  # of the first wave, per stratum and subject
    turns: Annotated[int, Meta(ge=1, le=6)] = 6
    strata: tuple[str, ...] = ("north", "south")


class World:
    """A counter that is to reach a target; a seeded fault makes one step slip."""

    def __init__(self, target: int, slips_at: int) -> None:
        self.state, self.target, self._slips_at, self._steps = 0, target, slips_at, 0

    def step(self, amount: int) -> dict[str, int]:
        self._steps += 1
        if self._steps != self._slips_at:
            self.state += amount
        return {"state": self.state, "steps": self._steps}


class Drill(Plain):
    name = "drill"
    version = "1"
    title = "Drill"
    quick: ClassVar[dict[str, Any]] = {"trials": 4}

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        chosen = convert(options, Options, source, ("instruments", self.name))
        return Prepared(msgspec.to_builtins(chosen), {})

    def strata(self, lock: Lock) -> Iterable[str]:
        return lock.options(self.name, Options).strata

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        options = lock.options(self.name, Options)
        seed, stratum, wave = lock.study.seed, evidence.stratum, evidence.waves
        if wave == 0:
            for number in range(options.trials):
                for spec in lock.study.specs:
                    for condition in ("plain", "timed"):
                        yield self._trial(f"{stratum}/{number}", 0, seed, spec.title, condition, ())
        elif wave == 1:  # follows up every trial of the first wave, built from its last reply
            for record in evidence:
                inputs = (digest(record.replies[-1].text),) if record.replies else ()
                yield self._trial(
                    f"{stratum}/again", 1, seed, record.trial.subject, "plain", (record.id, *inputs)
                )
        elif wave == 2:  # one trial a subject, built from everything before
            everything = digest([[r.id, r.outcome, [reply.text for reply in r.replies]] for r in evidence])
            for spec in lock.study.specs:
                yield self._trial(f"{stratum}/last", 2, seed, spec.title, "timed", (everything,))

    def _trial(
        self, item: str, repetition: int, seed: int, subject: str, condition: str, inputs: tuple[str, ...]
    ) -> Trial:
        return Trial(
            instance=Instance(self.name, item, repetition, seed),
            version=self.version,
            subject=subject,
            condition=condition,
            sampling=Sampling(max_tokens=64),
            inputs=inputs,
        )

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        options = probe.lock.options(self.name, Options)
        draw = probe.random("turns")
        turns = 1 + draw.below(options.turns)
        world = World(target=10 * turns, slips_at=1 + probe.random_faults("slip").below(8))
        talk: list[Message] = [Message("system", "You are drilled. " + "All of this is only a drill. " * 10)]
        for turn in range(turns):
            seconds = probe.clock() if trial.condition == "timed" else 0.0
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
        records = list(evidence)
        lost = Counter((r.reason, r.trial.subject) for r in records if r.outcome == "excluded")
        return Result(
            instrument=self.name,
            version=self.version,
            source="ledger",
            measures=tuple(
                measure
                for subject in sorted({record.trial.subject for record in records})
                for measure in _measures(subject, [r for r in records if r.trial.subject == subject])
            ),
            excluded=tuple(
                Exclusion(why, count, {"subject": who}) for (why, who), count in sorted(lost.items())
            ),
        )

    def plan(self, lock: Lock) -> Plan:
        """Trials are exact; how many turns a trial takes is drawn."""
        options = lock.options(self.name, Options)
        trials = (4 * options.trials + 1) * len(options.strata) * len(lock.study.specs)
        calls = trials * (1 + options.turns) // 2
        return Plan(trials=trials, calls=calls, input_tokens=0, output_tokens=64 * calls)


def _measures(subject: str, records: list[Record]) -> Iterator[Measure]:
    content = digest([[r.id, r.outcome, r.report, [reply.text for reply in r.replies]] for r in records])
    yield Measure(
        name="trials",
        value=float(len(records)),
        n=len(records),
        labels={"subject": subject, "content": content},
    )
    kept = [r for r in records if r.outcome != "excluded"]
    wins = sum(r.outcome == "success" for r in kept)
    yield Measure(
        name="reached",
        value=real(wins / len(kept)) if kept else None,
        n=len(kept),
        units="share",
        labels={"subject": subject},
        notes=() if kept else ("no trial came to its end",),
    )
