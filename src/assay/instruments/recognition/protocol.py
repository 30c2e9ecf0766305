"""The recognition protocol: a fleet writes, then each subject is asked which texts are its own.

Waves: collect (answers to probes, and conversations that drift), forge (texts in the manner of others), judge (lineups
of phases 1 and 2, signatures of phases 3 and 4). A trial of judging ends as ``success`` where the answer is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

from assay.bench import Item, Plan, Prepared, Probe
from assay.canonical import digest, encode
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence, Record
from assay.measuring import InstrumentBase, LostTrials, Rows, ScoredRows, Target, option_error, plain_measure
from assay.measuring.calibration import Grid
from assay.measuring.comparison import Observation
from assay.measuring.rehearsal import CHARACTERS_PER_TOKEN
from assay.report.presentation import Headline, Presentation
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Instance, Result, Trial

from .design.asking import Conductor
from .design.fleet import names_of, origins_of
from .design.planning import expected_calls, limits_of, prompts_of
from .design.probes import ProbeContent, chosen_probes, shipped_content
from .design.prompts import UNKNOWN
from .design.schedule import Schedule
from .design.texts import COLLECT, FLEET, CollectedText, collected_texts, read_fleet
from .options import RecognitionOptions
from .present import headline_of, present, summary_of
from .row_options import ROW_HELP, RecognitionRowOptions

__all__ = ["Recognition"]

T = TypeVar("T")
MOST_KEPT = 64
NONE = "no lineup was answered"
NOT_SCORED = ("cut", "dimension", "error")  # of an answer: they are measured by themselves
COLUMNS = (
    *("id", "subject", "target", "phase", "condition", "asked", "lineup", "cluster", "turn", "options"),
    *("own", "choice", "chosen", "named", "source", "confidence", "outcome", "reason", "reply"),
)  # of the records file


class Recognition(InstrumentBase):
    """Does a subject know its own words, beyond what other judges see in them?"""

    name = "recognition"
    version = "2"
    noun = "probes"
    option_type = RecognitionOptions
    row_option_type = RecognitionRowOptions
    row_help = ROW_HELP
    quick: ClassVar[dict[str, Any]] = {
        "probes": ["cognitive_fingerprint", "impersonation", "inner_voice"],
        "samples": 1,
        "words": 40,
        "lineups": 1,
        "ordinary_lineups": 0,
        "family_lineups": 0,
        "token_lineups": 0,
        "forgery_lineups": 0,
        "judges": 1,
        "gold": 1,
        "inverse": 2,
        "bidirectional": 1,
        "baseline_turns": 2,
        "perturbation_turns": 1,
        "recovery_turns": 1,
        "max_tokens": 64,
        "judge_max_tokens": 32,
    }

    selecting = (
        "probes", "samples", "lineups", "ordinary_lineups", "family_lineups", "token_lineups", "forgery_lineups",
        "orders", "judges", "preference", "gold", "inverse", "bidirectional", "target", "question", "condition",
    )  # fmt: skip
    compared = ("self_advantage",)

    def __init__(self) -> None:
        self._memory: dict[tuple[str, str], Any] = {}

    # What is declared.

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        try:
            chosen_probes(shipped_content(), convert(options, RecognitionOptions, source, at).probes)
        except UnknownName as error:
            raise option_error(source, (*at, "probes"), str(error)) from None
        prepared = super().prepare(study, options, base, source)
        for name, origin in origins_of(study.specs, prepared.materials["fleet"]).items():
            if origin.maker.casefold() == UNKNOWN.casefold():
                raise InputError(
                    f"{name}: a maker cannot be called {origin.maker!r}, which is an answer of its own"
                )
        return prepared

    def materials(self, study: Study, options: RecognitionOptions, base: Path) -> Any:
        stored: list[dict[str, Any]] = []
        content = shipped_content()
        if options.fleet:
            stored, content = read_fleet(base / options.fleet, content)
        return {
            "content": msgspec.to_builtins(content),
            "probes": chosen_probes(shipped_content(), options.probes),
            "fleet": stored,
        }

    def strata(self, lock: Lock) -> Iterable[str]:
        return ("fleet",)

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """The waves that have trials, one after the other. Forgeries and lineups are built from what was collected."""
        if evidence.stratum is None or evidence.waves > 2:
            return
        wave, schedule = evidence.waves, self._schedule(lock)
        for stage in ("collect", "forge", "judge"):
            if stage != "collect":
                schedule = schedule._replace(texts=self._texts(evidence))
            found = getattr(schedule, stage)()
            first = next(found, None)
            if first is not None and wave == 0:
                yield first
                yield from found
                return
            wave -= first is not None

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        await self._conductor(probe.lock).conduct(trial, probe)

    def _options(self, lock: Lock) -> RecognitionOptions:
        return self._kept(lock, "options", lambda: lock.options(self.name, RecognitionOptions))

    def _content(self, lock: Lock) -> ProbeContent:
        return self._kept(
            lock, "content", lambda: msgspec.convert(lock.materials[self.name]["content"], ProbeContent)
        )

    def _schedule(self, lock: Lock) -> Schedule:
        found = lock.materials[self.name]
        return Schedule(self, lock, self._options(lock), self._content(lock), found["probes"], found["fleet"])

    def _conductor(self, lock: Lock) -> Conductor:
        def made() -> Conductor:
            stored = lock.materials[self.name]["fleet"]
            origins = origins_of(lock.study.specs, stored)
            return Conductor(
                self._options(lock),
                self._content(lock),
                names_of(lock.study.specs, origins),
                {f"{FLEET}{digest(row)}": row for row in stored},
                origins,
            )

        return self._kept(lock, "conductor", made)

    def _kept(self, lock: Lock, what: str, make: Callable[[], T]) -> T:
        key = (lock.digest, what)
        if key not in self._memory:
            if len(self._memory) >= MOST_KEPT:
                self._memory.clear()
            self._memory[key] = make()
        found: T = self._memory[key]
        return found

    def _texts(self, evidence: Evidence) -> list[CollectedText]:
        lock: Lock = evidence.lock
        return collected_texts(evidence, lock.materials[self.name]["fleet"], self._options(lock).turns)

    # What it amounts to.

    def _run(self, evidence: Evidence) -> tuple[list[CollectedText], list[tuple[Record, dict[str, Any]]]]:
        """The texts and the answers of a run, worked out once."""
        from .answers import answer_rows

        def made() -> tuple[list[CollectedText], list[tuple[Record, dict[str, Any]]]]:
            texts = self._texts(evidence)
            return texts, list(answer_rows(evidence, texts, self._conductor(evidence.lock).origins))

        return self.memo(evidence, made)

    def score(self, evidence: Evidence) -> Result:
        from .answers import answer_table
        from .fleet_scoring import fleet_scores
        from .scoring import score_lineups

        lock: Lock = evidence.lock
        options = self._options(lock)
        texts, answers = self._run(evidence)
        lost, there = LostTrials("subject"), []
        for record, row in answers:
            lost.add(row, record.outcome, record.reason)
            there += [row] if record.outcome != "excluded" else []
        for record in evidence:
            if record.trial.stage in (COLLECT, "drift", "forge"):
                lost.add({"subject": record.trial.subject}, record.outcome, record.reason)
        scores = score_lineups(answer_table(there), RecognitionRowOptions(confidence=options.confidence))
        fleet = fleet_scores(texts, scores.measures, there, self._conductor(lock), lock.digest)
        share = lock.study.limits.excluded_share
        own = (row for row in there if row["phase"] == "self" and row["subject"] == row["target"])
        never = sorted({one.title for one in lock.study.specs} - {row["subject"] for row in own})
        absent = [
            plain_measure(
                name, None, {"subject": who, "phase": "self"}, n=0, units="", method="", why_null=NONE
            )
            for who in never
            for name in ("accuracy", "accuracy_corrected", "self_advantage")
        ]
        return self.result(
            evidence,
            [lost.flagged(measure, share) for measure in (*scores.measures, *absent, *fleet.measures)],
            [*scores.verdicts, *fleet.verdicts],
            excluded=lost.excluded,
            notes=[*scores.notes, *self._shortfalls(evidence)],
            versions={"drift_signature": str(options.drift_signature)},
        )

    def _shortfalls(self, evidence: Evidence) -> list[str]:
        schedule = self._schedule(evidence.lock)._replace(texts=self._run(evidence)[0])
        return [] if self.unfinished(evidence) else limits_of(schedule)

    def observations(self, evidence: Evidence) -> Iterator[Observation]:
        """Whether a subject finds its own text, by phase; answers on one prompt, or on one text, go together."""
        seed = evidence.lock.study.seed
        for record, row in self._run(evidence)[1]:
            plain = not row["condition"] and row["asked"] != "best" and row["subject"] == row["target"]
            if record.outcome == "excluded" or not plain:
                continue
            value = None if row["choice"] is None else float(row["choice"] == row["own"])
            at, item = {"phase": row["phase"]}, record.trial.instance.item
            yield Observation("accuracy", row["subject"], value, f"{seed}/{row['cluster']}", item, at)

    def plain_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        for record, row in self._run(evidence)[1]:
            if record.outcome != "excluded":
                yield {name: value for name, value in row.items() if name not in NOT_SCORED}

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """An answer of a judge, or a text that was collected: then ``phase`` is where it was written."""
        texts, answers = self._run(evidence)
        for record, row in answers:
            reply = record.replies[-1].text if record.replies else None
            found = {
                "id": record.id,
                **row,
                "outcome": record.outcome,
                "reason": record.reason,
                "reply": reply,
            }
            yield {name: found.get(name) for name in COLUMNS}
        for one in texts:
            found = {"id": one.reference.partition(":")[0], "subject": one.author, "target": one.subject}
            found |= {"phase": one.phase or one.stage, "cluster": one.probe, "reply": one.text}
            found["turn"] = one.turn
            yield {name: found.get(name) for name in COLUMNS}

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        """What was collected, as a fleet that a later study can name."""
        origins, content = self._conductor(evidence.lock).origins, self._content(evidence.lock)
        lines = []
        for one in self._run(evidence)[0]:
            row = {"subject": one.subject, **origins[one.subject]._asdict(), "probe": one.probe}
            row |= {"prompt": content.by_id[one.probe], "kind": content.kind(one.probe), "sample": one.sample}
            row |= {"phase": one.phase, "turn": one.turn, "response": one.text}
            lines += [encode(row) + b"\n"] if one.stage != "forge" else []
        return {"fleet.jsonl": b"".join(lines)} if lines else {}

    def score_rows(self, rows: Rows, options: RecognitionRowOptions) -> ScoredRows:
        from assay.measuring.lineups import lineup_records

        from .scoring import score_rows

        scores, table = score_rows(rows, options)
        result = self.rows_result(scores.measures, scores.verdicts, notes=scores.notes)
        return ScoredRows(result, lambda: lineup_records(rows, table), partial(present, result))

    # What people see.

    def headline(self, result: Result) -> Headline:
        return headline_of(result)

    def summary(self, result: Result) -> list[str]:
        return summary_of(result)

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        return present(result)

    def targets(self) -> dict[str, Target]:
        own = {"phase": "self"}
        return {
            "accuracy": Target(measure="accuracy", labels=own),
            "accuracy_corrected": Target(measure="accuracy_corrected", labels=own),
            "self_advantage": Target(measure="self_advantage", labels=own, lowest=-1.0),
            "unknown_rate": Target(measure="unknown_rate", side="at most"),
        }

    def grid(self) -> Grid[Any]:
        from .calibration import RecognitionGrid

        return RecognitionGrid()

    def warnings(self, lock: Lock) -> list[str]:
        return [*super().warnings(lock), *limits_of(self._schedule(lock))]

    def plan(self, lock: Lock) -> Plan:
        schedule = self._schedule(lock)
        calls = expected_calls(schedule)
        return Plan(
            trials=calls.trials,
            calls=calls.calls,
            input_tokens=calls.characters // CHARACTERS_PER_TOKEN,
            output_tokens=calls.output_tokens,
            detectable=self.detectable(lock, ()),
        )

    def detectable(self, lock: Lock, trials: Sequence[Trial]) -> tuple[str, ...]:
        from .predictions import establishable

        options, subjects = self._options(lock), len(lock.study.specs)
        return establishable(prompts_of(self._schedule(lock)), subjects, 1.0 - options.confidence)

    def items(self) -> list[Item]:
        content = shipped_content()
        return [
            Item(one.id, content.kind(one.id), one.text) for one in (*content.identity, *content.ordinary)
        ]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """A probe as it is put to subjects: the same under every seed."""
        known = shipped_content().by_id
        if item not in known:
            raise UnknownName("probe", item, known)
        instance = Instance(self.name, f"probe/{item}", 0, seed)
        said = [{"role": "user", "content": known[item]}]
        criterion = "which of several answers is whose"
        return {"instance": instance.digest, "messages": said, "criterion": criterion}
