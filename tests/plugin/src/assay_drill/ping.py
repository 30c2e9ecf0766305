"""One question a trial: the lightest thing a bench can carry, for measuring the bench itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assay.bench import Probe
from assay.evidence import Evidence
from assay.measuring import InstrumentBase
from assay.measuring import Options as BaseOptions
from assay.study import Lock
from assay.vocabulary import Message, Trial

QUESTION = "Is anybody there? Answer in one word."


class Options(BaseOptions, frozen=True, kw_only=True):
    trials: Annotated[int, Meta(ge=1, description="Questions to each subject.")] = 100


class Ping(InstrumentBase):
    """Is anybody there?"""

    name = "ping"
    noun = "pings"
    option_type = Options
    quick: ClassVar[dict[str, Any]] = {"trials": 10}

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        if not evidence.waves:
            for number in range(lock.options(self.name, Options).trials):
                for spec in lock.study.specs:
                    yield self.trial(lock, spec, "ping", number, temperature=0.7, max_tokens=64)

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        reply = await probe.ask((Message("user", QUESTION),))
        probe.conclude("success" if reply.text else "failure")
