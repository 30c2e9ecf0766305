"""Scenarios and outcomes made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.canonical import sha256_hex
from assay.instruments.consistency.judging.judgement import Check, ReplyJudgement
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.scenarios.scenario import Expected, Kind, Scenario, Turn
from assay.instruments.consistency.scenarios.thread import Thread
from assay.instruments.consistency.scoring import score_judgements
from assay.vocabulary import Exclusion, Measure, Result

__all__ = ["THREAD", "Made", "checked", "exchange", "measure", "scored"]

ARTIFACT = "The lantern was cleaned and hung back on its hook."
THREAD = Thread(
    label="lantern-7",
    last_artifact_digest=sha256_hex(ARTIFACT.encode()),
    boundaries=("no medical diagnosis",),
    lexicon=("kept-light",),
    artifact=ARTIFACT,
)
KINDS: dict[str, Kind] = {"M1": "return", "M2": "refusal", "M3": "repair", "M4": "artifact", "P": "promise"}


class Made:
    """Outcomes with a scenario each, as they are added."""

    def __init__(self) -> None:
        self.scenarios: list[Scenario] = []
        self.outcomes: list[ReplyJudgement] = []

    def add(
        self,
        measure: str,
        *successes: bool,
        subject: str = "a",
        variant: str = "",
        where: Any = "",
        **more: Any,
    ) -> Made:
        """One scenario with so many outcomes."""
        name = f"{subject}/{measure}/{len(self.scenarios)}"
        self.scenarios.append(
            Scenario(
                id=name,
                subject=subject,
                kind=KINDS.get(measure, "exchange"),
                variant=variant,
                thread=THREAD,
                turns=(Turn("user", "?"), Turn("assistant", "!", "reply")),
                expected=Expected(where=where),
            )
        )
        for place, success in enumerate(successes):
            self.outcomes.append(
                ReplyJudgement(measure=measure, scenario=name, place=2 * place + 1, success=success, **more)
            )
        return self

    def share(self, measure: str, good: int, n: int, *, subject: str = "a", **more: Any) -> Made:
        """n scenarios with one outcome each."""
        for number in range(n):
            self.add(measure, number < good, subject=subject, **more)
        return self

    def exchanges(self, order: int, lexicon: int, n: int, *, subject: str = "a") -> Made:
        """n exchanges, each scored for order and for lexicon."""
        for number in range(n):
            self.add("O", number < order, subject=subject)
            last = self.outcomes[-1]
            self.outcomes.append(
                ReplyJudgement(measure="L", scenario=last.scenario, place=1, success=number < lexicon)
            )
        return self

    def whole(self, n: int, *, subject: str = "a", failing: int = 0) -> Made:
        """Every component with n scenarios, of which ``failing`` fail."""
        self.exchanges(n - failing, n - failing, n, subject=subject)
        for name in ("M2", "M3", "P"):
            self.share(name, n - failing, n, subject=subject)
        return self

    def score(self, settings: ConsistencySettings | None = None, **more: Any) -> Result:
        return scored(self.outcomes, self.scenarios, settings or ConsistencySettings(), **more)


def scored(
    judgements: Sequence[ReplyJudgement],
    scenarios: Sequence[Scenario],
    settings: ConsistencySettings,
    excluded: Sequence[Exclusion] = (),
    **more: Any,
) -> Result:
    """What is scored, as the result of plain rows."""
    scores = score_judgements(judgements, scenarios, settings, excluded=excluded, **more)
    return Result(
        instrument="consistency", version="1", source="rows", excluded=tuple(excluded), **scores._asdict()
    )


def measure(result: Result, name: str, **labels: str) -> Measure:
    """The one measure of that name with exactly these labels; the subject is ``a`` unless told."""
    wanted = {"subject": "a", **labels}
    (found,) = [m for m in result.measures if m.name == name and m.labels == wanted]
    return found


def exchange(name: str, reply: str, **more: Any) -> Scenario:
    turns = Turn("user", "Please clean the old lantern today"), Turn("assistant", reply, "reply")
    return Scenario(id=name, subject="a", kind="exchange", thread=THREAD, turns=turns, **more)


def checked(**holds: bool) -> tuple[Check, ...]:
    return tuple(Check(name, value) for name, value in holds.items())
