"""One question a trial: the lightest thing a bench can carry, for measuring the bench itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from assay.bench import Plan, Probe
from assay.evidence import Evidence
from assay.measuring import Options as BaseOptions
from assay.study import Lock
from assay.vocabulary import Instance, Measure, Message, Result, Sampling, Trial

from .common import Plain


class Options(BaseOptions, frozen=True, kw_only=True):
    trials: int = 100


QUESTION = "Is anybody there? Answer in one word."


class Ping(Plain):
    name = "ping"
    version = "1"
    option_type = Options
    noun = "pings"
    quick: ClassVar[dict[str, Any]] = {"trials": 10}

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        if evidence.waves:
            return
        sampling = Sampling(temperature=0.7, max_tokens=64)
        subjects = [spec.title for spec in lock.study.specs]
        for number in range(lock.options(self.name, Options).trials):
            instance = Instance(self.name, "ping", number, lock.study.seed)
            for subject in subjects:
                yield Trial(instance=instance, version=self.version, subject=subject, sampling=sampling)

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        reply = await probe.ask((Message("user", QUESTION),))
        probe.conclude("success" if reply.text else "failure")

    def score(self, evidence: Evidence) -> Result:
        outcomes = [record.outcome for record in evidence]
        measure = Measure(
            name="answered", value=float(outcomes.count("success")), n=len(outcomes), units="trials"
        )
        return Result(instrument=self.name, version=self.version, source="ledger", measures=(measure,))

    def plan(self, lock: Lock) -> Plan:
        trials = lock.options(self.name, Options).trials * len(lock.study.specs)
        return Plan(trials=trials, calls=trials, input_tokens=10 * trials, output_tokens=64 * trials)
