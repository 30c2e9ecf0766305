"""Warmth: how do subjects greet? One subject of the study rates the greetings of the others."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from assay.bench import Plan, Probe
from assay.evidence import Evidence
from assay.measuring import InstrumentBase, Options, OutcomeCounts
from assay.measuring import raters as kit
from assay.study import Lock
from assay.vocabulary import Message, Outcome, Result, Trial

TONE = kit.Question.among("tone", "What is the tone of the greeting?", "warm", "neutral", "cold")
GOLD = (
    kit.GoldItem("friend", "tone", "warm", parts={"greeting": "Welcome! How good to see you."}),
    kit.GoldItem("clerk", "tone", "neutral", parts={"greeting": "Hello. Number four, please."}),
    kit.GoldItem("foe", "tone", "cold", parts={"greeting": "You again. Leave."}),
)


class WarmthOptions(Options, frozen=True, kw_only=True):
    greetings: int = 3
    rater: str = ""  # nothing is rated


class Warmth(InstrumentBase):
    name = "warmth"
    option_type = WarmthOptions

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        options = lock.options(self.name, WarmthOptions)
        rater = kit.rater_of(lock, options.rater)
        if evidence.waves == 0:
            for spec in lock.study.specs:
                for number in range(options.greetings if spec != rater else 0):
                    yield self.trial(lock, spec, "greeting", number)
        elif evidence.waves == 1 and rater is not None:
            yield from kit.rating_trials(evidence, rater, lambda record: [(0, TONE.id)])
            yield from kit.gold_trials(self, lock, rater, GOLD)

    def plan(self, lock: Lock) -> Plan:
        plan = super().plan(lock)
        asked = plan.trials + len(GOLD) if lock.options(self.name, WarmthOptions).rater else 0
        longest = plan.output_tokens + asked * kit.LONGEST_ANSWER
        return replace(plan, trials=plan.trials + asked, calls=plan.calls + asked, output_tokens=longest)

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        if trial.stage == kit.RATING:
            gold = kit.gold_of(trial, GOLD)
            shown = gold.parts if gold else {"greeting": probe.earlier(trial.inputs[0]).replies[-1].text}
            await kit.rate(probe, TONE, {**shown})
        else:
            await probe.ask([Message("user", "Greet a new neighbour.")])
            probe.conclude("success")

    def score(self, evidence: Evidence) -> Result:
        lock: Lock = evidence.lock
        rated = kit.ratings_of(evidence)
        gold = kit.score_on_gold(rated.ratings, GOLD, 0.8, unread=rated.unread, lost=rated.lost)
        tone = {rating.item: rating.label for rating in gold.ratings}
        rater = lock.options(self.name, WarmthOptions).rater
        counts = OutcomeCounts(spec.title for spec in lock.study.specs if spec.title != rater)
        for record in evidence:
            if record.trial.stage != kit.RATING:
                label = tone.get(record.id)
                outcome: Outcome = "unknown" if label is None else "success" if label == "warm" else "failure"
                lost = record.outcome == "excluded"
                counts.add(record.trial.subject, "excluded" if lost else outcome, record.reason)
        measures = [*counts.shares("warm", lock.study.limits.excluded_share), *gold.measures]
        notes = rated.notes(TONE.labels)
        return self.result(evidence, measures, excluded=counts.excluded, flags=gold.flags, notes=notes)
