"""One question a trial: the lightest thing a bench can carry, for measuring the bench itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from assay.bench import Plan, Prepared, Probe
from assay.evidence import Evidence
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Exclusion, Instance, Measure, Message, Result, Sampling, Trial

from .common import Plain


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    trials: int = 100


QUESTION = "Is anybody there? Answer in one word."


class Ping(Plain):
    name = "ping"
    version = "1"
    title = "Ping"
    noun = "pings"
    quick: ClassVar[dict[str, Any]] = {"trials": 10}

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        return Prepared(
            msgspec.to_builtins(convert(options, Options, source, ("instruments", self.name))), {}
        )

    def strata(self, lock: Lock) -> Iterable[str]:
        return ["all"]

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
        outcomes: dict[str, list[str]] = {}
        lost: Counter[tuple[str, str]] = Counter()
        for record in evidence:
            outcomes.setdefault(record.trial.subject, []).append(record.outcome)
            if record.outcome == "excluded":
                lost[record.reason, record.trial.subject] += 1
        measures = tuple(
            Measure(
                name="answered",
                value=float(seen.count("success")),
                n=len(seen),
                units="trials",
                labels={"subject": subject},
            )
            for subject, seen in sorted(outcomes.items())
        )
        excluded = tuple(
            Exclusion(why, count, {"subject": who}) for (why, who), count in sorted(lost.items())
        )
        return Result(
            instrument=self.name, version=self.version, source="ledger", measures=measures, excluded=excluded
        )

    def plan(self, lock: Lock) -> Plan:
        trials = lock.options(self.name, Options).trials * len(lock.study.specs)
        return Plan(trials=trials, calls=trials, input_tokens=10 * trials, output_tokens=64 * trials)
