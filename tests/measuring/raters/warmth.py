"""Warmth: how do subjects greet? One subject of the study rates the greetings of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.bench import Probe
from assay.evidence import Evidence
from assay.measuring import InstrumentBase, Options, share_of_outcomes
from assay.measuring import raters as kit
from assay.study import Lock
from assay.vocabulary import Message, Result, Trial

TONE = kit.Question.among("tone", "What is the tone of the greeting?", "warm", "neutral", "cold")
GOLD = (
    kit.GoldItem("friend", "tone", "warm", parts={"greeting": "Welcome! How good to see you."}),
    kit.GoldItem("clerk", "tone", "neutral", parts={"greeting": "Hello. Number four, please."}),
    kit.GoldItem("foe", "tone", "cold", parts={"greeting": "You again. Leave."}),
)


class WarmthOptions(Options, frozen=True, kw_only=True):
    greetings: int = 3
    rater: str


class Warmth(InstrumentBase):
    name = "warmth"
    option_type = WarmthOptions

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        options = lock.options(self.name, WarmthOptions)
        rater = next(spec for spec in lock.study.specs if spec.title == options.rater)
        if evidence.waves == 0:
            for spec in lock.study.specs:
                for number in range(options.greetings if spec != rater else 0):
                    yield self.trial(lock, spec, "greeting", number)
        elif evidence.waves == 1:
            yield from kit.rating_trials(evidence, rater, lambda record: [(0, TONE.id)])
            yield from kit.gold_trials(self, lock, rater, GOLD)

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        if trial.stage == kit.RATING:
            gold = kit.gold_of(trial, GOLD)
            shown = gold.parts if gold else {"greeting": probe.earlier(trial.inputs[0]).replies[-1].text}
            await kit.rate(probe, TONE, {**shown})
        else:
            await probe.ask([Message("user", "Greet a new neighbour.")])
            probe.conclude("success")

    def score(self, evidence: Evidence) -> Result:
        rated = kit.ratings_of(evidence)
        gold = kit.score_on_gold(rated.ratings, GOLD, 0.8, unread=rated.unread, lost=rated.lost)
        tone = {rating.item: rating.label for rating in gold.ratings}
        found: dict[str, Counter[str]] = {}
        for record in evidence:
            if record.trial.stage != kit.RATING and record.outcome != "excluded":
                counts = found.setdefault(record.trial.subject, Counter(warm=0, other=0, none=0))
                label = tone.get(record.id)
                counts["none" if label is None else "warm" if label == "warm" else "other"] += 1
        measures = [share_of_outcomes("warm", {"subject": who}, *c.values()) for who, c in found.items()]
        notes = rated.notes(TONE.labels)
        return self.result(evidence, [*measures, *gold.measures], flags=gold.flags, notes=notes)
