"""The trials of a run, wave by wave: collect, forge, judge. A wave that has none is left out.

What tells trials apart are their factors; the texts that a trial shows are named among its inputs, the right one first,
with the turn of each in ``turn_N`` where it is not the first reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from assay.instruments.recognition.drift import drifts_of
from assay.instruments.recognition.options import RecognitionOptions
from assay.instruments.recognition.signature import sign
from assay.measuring import InstrumentBase
from assay.measuring.blinding import match_lengths
from assay.streams import Stream
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Trial

from .fleet import Origin, SubjectFleet, origins_of, probe_order
from .lineups import CONDITIONS, Lineup, gold_lineups, judges_of, rotations, self_lineups, signature_texts
from .probes import ProbeContent
from .prompts import LineupQuestion
from .texts import COLLECT, DRIFT, FORGE, CollectedText

__all__ = ["CHARACTERISTICS", "EXAMPLES", "FORWARD", "INVERSE", "LINEUP", "Schedule", "sources_of"]

# Stages of judging.
LINEUP, INVERSE, FORWARD, CHARACTERISTICS = "lineup", "inverse", "forward", "characteristics"
MOST_SOURCES = 19  # named in one question, beside Unknown
EXAMPLES = 3  # texts of a writer that a forger is shown


class Schedule(NamedTuple):
    """What a lock declares, and the texts that are there so far."""

    instrument: InstrumentBase
    lock: Lock
    options: RecognitionOptions
    content: ProbeContent
    probes: Sequence[str]
    stored: Sequence[Mapping[str, Any]]
    texts: Sequence[CollectedText] = ()

    @property
    def specs(self) -> tuple[SubjectSpec, ...]:
        return self.lock.study.specs

    @property
    def fleet(self) -> SubjectFleet:
        live = [spec.title for spec in self.specs]
        return SubjectFleet(origins_of(self.specs, self.stored), live, self.texts)

    def _order(self, kind: Any) -> list[str]:
        brought = [str(row["probe"]) for row in self.stored]
        every = dict.fromkeys([*self.probes, *brought])
        return probe_order(self.content, list(every), kind, self.lock.study.seed)

    @property
    def drift_probes(self) -> list[str]:
        return self._order("identity")[: self.options.gold]

    @property
    def forged_probes(self) -> list[str]:
        """From the end of the order, so that lineups of another condition come last to use the same."""
        return self._order("identity")[::-1][: self.options.forgery_lineups]

    def _written(self, spec: SubjectSpec, item: str, repetition: int = 0, **more: Any) -> Trial:
        more |= {"temperature": self.options.temperature, "max_tokens": self.options.max_tokens}
        return self.instrument.trial(self.lock, spec, item, repetition, **more)

    def _asked(
        self, subject: str, item: str, number: int, shown: Sequence[CollectedText], **more: Any
    ) -> Trial:
        options, spec = self.options, next(one for one in self.specs if one.title == subject)
        factors = more.pop("factors", {})
        turns = {f"turn_{place}": one.turn for place, one in enumerate(shown) if one.turn}
        return self.instrument.trial(
            self.lock,
            spec,
            item,
            number,
            temperature=options.judge_temperature,
            max_tokens=options.judge_max_tokens,
            factors={**factors, **turns},
            inputs=tuple(one.reference for one in shown),
            **more,
        )

    def collect(self) -> Iterator[Trial]:
        """What the stored fleet has already is not asked again."""
        there = {(row["subject"], row["probe"], bool(row["phase"])) for row in self.stored}
        for spec in self.specs:
            for probe in self.probes:
                if (spec.title, probe, False) not in there:
                    for sample in range(self.options.samples):
                        yield self._written(spec, f"probe/{probe}", sample, stage=COLLECT)
            for probe in self.drift_probes:
                if (spec.title, probe, True) not in there:
                    yield self._written(spec, f"drift/{probe}", stage=DRIFT)

    def forge(self) -> Iterator[Trial]:
        """Each text of a forgery lineup is by another forger: among several by one hand the own text would be the odd
        one out."""
        fleet, seed = self.fleet, self.lock.study.seed
        for spec in self.specs:
            for probe in self.forged_probes:
                draws = Stream("recognition", "forge", spec.title, probe, seed)
                able = draws.shuffled([one for one in self.specs if one.title != spec.title])
                others = [p for p in self._order("identity") if p != probe]
                known = [text for p in others for text in fleet.collected(spec.title, p)[:1]]
                examples = draws.shuffled(known)[:EXAMPLES]
                if not (examples and fleet.collected(spec.title, probe)):
                    continue
                for number, forger in enumerate(able[: self.options.texts - 1]):
                    yield self._written(
                        forger,
                        f"forge/{probe}",
                        number,
                        stage=FORGE,
                        factors={"target": spec.title},
                        inputs=tuple(one.reference for one in examples),
                    )

    def lineups(self, subject: str) -> Iterator[Lineup]:
        """Every lineup of a subject."""
        options, fleet, seed = self.options, self.fleet, self.lock.study.seed
        identity, ordinary = self._order("identity"), self._order("ordinary")
        counts = (options.lineups, options.ordinary_lineups, options.family_lineups, options.token_lineups)
        for condition, count in zip(CONDITIONS, (*counts, options.forgery_lineups), strict=True):
            probes = {"ordinary": ordinary, "forgeries": self.forged_probes}.get(condition, identity)
            yield from self_lineups(
                fleet, subject, condition, probes, count, options.texts, options.judges, seed, self._cut
            )
        judges = judges_of(fleet, subject, options.texts, options.judges, seed)
        yield from gold_lineups(fleet, subject, self.drift_probes, self._drifts, judges, seed, self._cut)

    def _cut(self, texts: Sequence[str]) -> Sequence[str]:
        """As long as they are shown; names are still in them."""
        most = self.options.most_characters
        return match_lengths([one[:most].rstrip() for one in texts], self.options.length_tolerance)

    def _drifts(self, turns: Sequence[CollectedText]) -> list[float]:
        """The drift that decides which text is the farthest."""
        vectors = sign([one.text for one in turns], 1)
        return [float(one) for one in drifts_of(vectors, [one.phase for one in turns], 1)]

    def judge(self) -> Iterator[Trial]:
        for spec in self.specs:
            for lineup in self.lineups(spec.title):
                yield from self._lineup_trials(lineup)
            yield from self._signature_trials(spec)

    def _lineup_trials(self, lineup: Lineup) -> Iterator[Trial]:
        options, gold = self.options, lineup.phase == "gold"
        turns = rotations(lineup, 1 if gold else options.orders)
        question: LineupQuestion = "gold" if gold else "token" if lineup.condition == "tokens" else "own"
        asked: list[tuple[str, LineupQuestion, Iterable[int]]] = [
            (who, question, turns) for who in (lineup.target, *lineup.judges)
        ]
        if options.preference and not (gold or lineup.condition):
            asked.append((lineup.target, "best", [lineup.place % len(lineup.texts)]))
        for who, question, orders in asked:
            for rotation in orders:
                factors = {"target": lineup.target, "question": question, "rotation": rotation}
                factors |= {"condition": lineup.condition} if lineup.condition else {}
                item = f"{lineup.phase}/{lineup.probe}"
                yield self._asked(who, item, lineup.number, lineup.texts, stage=LINEUP, factors=factors)

    def _signature_trials(self, spec: SubjectSpec) -> Iterator[Trial]:
        """Everyone meets the same signatures and texts."""
        options, fleet, identity = self.options, self.fleet, self._order("identity")
        seed = self.lock.study.seed
        if len(fleet.makers) > 1:
            some = signature_texts(fleet, identity, options.inverse, INVERSE, seed)
            for number, text in enumerate(some):
                yield self._asked(spec.title, f"{INVERSE}/{text.probe}", number, [text], stage=INVERSE)
        some = signature_texts(fleet, identity, options.bidirectional, FORWARD, seed)
        words = round(median([len(one.text.split()) for one in self.texts if one.stage == COLLECT] or [0]))
        for number, text in enumerate(some):
            yield self._asked(spec.title, f"{FORWARD}/{text.probe}", number, [text], stage=FORWARD)
            factors = {"words": words}
            item = f"{CHARACTERISTICS}/{text.probe}"
            yield self._asked(spec.title, item, number, [text], stage=CHARACTERISTICS, factors=factors)


def sources_of(origins: Mapping[str, Origin], number: int, source: str, seed: int) -> list[str]:
    """The makers that a question names, the true one among them. Its place goes through all places in turn, whoever it
    is, so that no letter is right more often than another."""
    makers = sorted({origin.maker for origin in origins.values()} - {source})
    others = Stream("recognition", "sources", number, seed).shuffled(makers)[: MOST_SOURCES - 1]
    places = len(others) + 1
    place = (number + number // places) % places
    return [*others[:place], source, *others[place:]]
