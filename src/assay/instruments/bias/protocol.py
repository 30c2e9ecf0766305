"""The bias protocol: matched prompts with and without a manipulation, asked again and again.

One trial is one question. Control, every intensity and every debiased prompt of an instance have the same numbers,
names and layout, because these are drawn from the instance; what tells its trials apart are factors. A trial ends
as ``success`` where the normative answer was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

from assay.bench import Item, Prepared, Probe
from assay.errors import UnknownName
from assay.evidence.records import Evidence, Record
from assay.instruments.bias.items.bank import pools, shipped_item, shipped_items, taxonomy
from assay.instruments.bias.items.instance import BiasInstance, CompiledItem, Condition, conditions_of
from assay.instruments.bias.items.model import DOMAINS, Domain, ItemModel
from assay.measuring import InstrumentBase, LostTrials, Rows, ScoredRows, Target, option_error, plain_measure
from assay.measuring.calibration import Grid
from assay.measuring.comparison import FrameContents, Observation
from assay.report.presentation import Headline, Presentation
from assay.stats import detectable_paired
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Flag, Instance, Message, Outcome, Result, Trial

from .item_answers import CHOICE, read_item_answer
from .options import BiasOptions, chosen_items
from .present import headline_of, present, summary_of
from .row_options import ROW_HELP, BiasRowOptions

__all__ = ["Bias", "condition_of"]

T = TypeVar("T")
LOST = "every trial was lost"
MOST_KEPT = 4096  # items, instances and prompts


def condition_of(trial: Trial) -> Condition:
    """What a trial shows, from its factors."""
    varied = {name: value for name, value in trial.factors.items() if name != "trial"}
    condition = "debias" if "method" in varied else "treatment" if varied else "control"
    return msgspec.convert({"condition": condition, **varied}, Condition)


class Bias(InstrumentBase):
    """Which human-like biases shift a subject's decisions, how strongly, and do they yield to debiasing?"""

    name = "bias"
    version = "1"
    noun = "biases"
    option_type = BiasOptions
    row_option_type = BiasRowOptions
    row_help = ROW_HELP
    quick: ClassVar[dict[str, Any]] = {
        "domains": ["individual", "professional", "risk"],
        "intensities": ["strong"],
        "instances": 1,
        "trials": 1,
        "debias": "none",
        "ask_confidence": False,
        "max_tokens": 16,
    }

    selecting = (
        "biases", "intensities", "instances", "trials", "debias", "debias_intensities", "method", "unscored",
        "items_files", "baselines_file",
    )  # fmt: skip
    compared = ("susceptibility",)

    def __init__(self) -> None:
        self._memory: dict[tuple[Any, ...], Any] = {}

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        chosen = convert(options, BiasOptions, source, at)
        for name in ("domains", "intensities", "debias", "debias_intensities"):
            given = getattr(chosen, name)
            if not isinstance(given, str) and len(set(given)) < len(given):
                raise option_error(source, (*at, name), "names something twice")
        if chosen.methods and "debias_intensities" not in options and "strong" not in chosen.intensities:
            options = {**options, "debias_intensities": chosen.intensities[-1:]}
        elif chosen.methods and not set(chosen.debias_intensities) <= set(chosen.intensities):
            wrong = "must be among intensities: a debiased prompt is compared with its own treatment"
            raise option_error(source, (*at, "debias_intensities"), wrong)
        try:
            prepared = super().prepare(study, options, base, source)
        except UnknownName as error:
            raise option_error(source, (*at, "biases"), str(error)) from None
        for name in chosen.require:
            if (bias := name.partition(" ")[2]) and bias not in prepared.materials["items"]:
                raise option_error(source, (*at, "require"), f"{name}: {bias} is not asked")
        return prepared

    def materials(self, study: Study, options: BiasOptions, base: Path) -> Any:
        found = msgspec.to_builtins({"items": chosen_items(options, base), "words": pools()})
        if options.baselines_file:
            from .baselines import read_baselines

            found["baselines"] = read_baselines(base / options.baselines_file)
        return found

    def strata(self, lock: Lock) -> Iterable[str]:
        return list(lock.materials[self.name]["items"])

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """One wave a bias; all subjects meet the same instances."""
        if evidence.stratum is None or evidence.waves:
            return
        options, bias = self._options(lock), evidence.stratum
        model, debiased = self._item(lock, bias).model, options.debias_intensities
        conditions = list(conditions_of(model, options.intensities, debiased, options.methods))
        numbers, trials = range(options.instances), range(options.trials)
        for spec, domain, number, shown, again in product(
            lock.study.specs, options.domains, numbers, conditions, trials
        ):
            yield self.trial(
                lock,
                spec,
                f"{bias}/{domain}",
                number,
                temperature=options.temperature,
                max_tokens=options.max_tokens,
                factors={"trial": again, **shown.factors},
            )

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        lock, shown = probe.lock, condition_of(trial)
        instance = self.instance_of(lock, trial.instance)
        prompt = self._kept(
            (lock.digest, trial.instance.digest, shown),
            lambda: instance.prompt(shown, confidence=self._options(lock).ask_confidence),
        )
        reply = await probe.ask([Message("user", prompt)])
        found = read_item_answer(reply.text, instance)
        outcome: Outcome = "unknown" if found.correct is None else "success" if found.correct else "failure"
        probe.conclude(outcome, "" if found.correct is not None else found.path, msgspec.to_builtins(found))

    def instance_of(self, lock: Lock, instance: Instance) -> BiasInstance:
        bias, domain = _parts(instance.item)
        item = self._item(lock, bias)
        return self._kept((lock.digest, instance.digest), lambda: item.instance(instance, domain))

    def _item(self, lock: Lock, bias: str) -> CompiledItem:
        def compiled() -> CompiledItem:
            materials = lock.materials[self.name]
            words = {name: tuple(some) for name, some in materials["words"].items()}
            return CompiledItem(msgspec.convert(materials["items"][bias], ItemModel), words)

        return self._kept((lock.digest, bias), compiled)

    def _options(self, lock: Lock) -> BiasOptions:
        return self._kept((lock.digest,), lambda: lock.options(self.name, BiasOptions))

    def _kept(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """What several trials need alike is worked out once; all is let go when it is too much."""
        if key not in self._memory:
            if len(self._memory) >= MOST_KEPT:
                self._memory.clear()
            self._memory[key] = make()
        found: T = self._memory[key]
        return found

    def score(self, evidence: Evidence) -> Result:
        from .answers import answer_table
        from .measures.settings import BiasSettings
        from .scoring import score_answers

        lock: Lock = evidence.lock
        options, materials = self._options(lock), lock.materials[self.name]
        unscored = {bias: why for bias, item in materials["items"].items() if (why := item.get("unscored"))}
        settings = BiasSettings(
            confidence=options.confidence, baselines=materials.get("baselines", {}), unscored=unscored
        )
        lost, there, share = LostTrials("subject", "bias"), [], lock.study.limits.excluded_share
        for record, row in self._answers(evidence):
            lost.add(row, record.outcome, record.reason)
            there += [row] if record.outcome != "excluded" else []
        scores = score_answers(answer_table(there), settings)
        absent = [
            plain_measure(name, None, labels, n=0, units="", method="", why_null=LOST)
            for labels in lost.wholly
            for name in ("signed_shift", "BMS", "BCI", "BMP", "HAS", "RCI", "CAS")
        ]
        return self.result(
            evidence,
            [lost.flagged(measure, share) for measure in (*scores.measures, *absent)],
            scores.verdicts,
            excluded=lost.excluded,
            flags=[Flag("Limited Comparability", f"{bias}: {why}") for bias, why in unscored.items()],
            notes=scores.notes,
        )

    def _answers(self, evidence: Evidence) -> Iterator[tuple[Record, dict[str, Any]]]:
        """Every trial with its answer, in the columns that ``assay score bias`` takes and those of a choice."""
        for record in evidence:
            trial, shown, found = record.trial, condition_of(record.trial), record.report or {}
            bias, domain = _parts(trial.instance.item)
            row = {
                "subject": trial.subject,
                "bias": bias,
                "domain": domain,
                "condition": shown.condition,
                "intensity": shown.intensity,
                "method": shown.method,
                "kind": shown.method,
                "instance": str(trial.instance.repetition),
                "trial": str(int(trial.factors["trial"])),
            }
            given = {name: found.get(name) for name in ("score", "confidence", "correct", *CHOICE)}
            yield record, row | given

    def observations(self, evidence: Evidence) -> Iterator[Observation]:
        """Treatment less control of every instance, for every bias, and in the mean over those that are scored."""
        unscored = {
            bias for bias, item in evidence.lock.materials[self.name]["items"].items() if item.get("unscored")
        }
        for record, row in self._answers(evidence):
            sign = {"treatment": 1.0, "control": -1.0}.get(row["condition"])
            if record.outcome == "excluded" or sign is None:
                continue
            bias, unit = row["bias"], record.trial.instance.digest
            one = Observation(
                "signed_shift", row["subject"], row["score"], unit, bias, {"bias": bias}, sign=sign
            )
            yield one
            if bias not in unscored:
                yield one._replace(measure="susceptibility_signed", labels={}, part=bias)

    def contents(self, lock: Lock) -> FrameContents:
        found = lock.materials[self.name]
        return FrameContents(families=found["items"], common=found["words"])

    def plain_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        for record, row in self._answers(evidence):
            if record.outcome != "excluded":
                yield {name: value for name, value in row.items() if name not in CHOICE}

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        for record, row in self._answers(evidence):
            found, replies = record.report or {}, record.replies
            more = {name: found.get(name) for name in ("answer", "path", "option", "raw")}
            more |= {"outcome": record.outcome, "reason": record.reason}
            yield {"id": record.id, **row, **more, "reply": replies[-1].text if replies else None}

    def score_rows(self, rows: Rows, options: BiasRowOptions) -> ScoredRows:
        from .rows import answer_records, score_rows

        scores, answers = score_rows(rows, options)
        result = self.rows_result(scores.measures, scores.verdicts, notes=scores.notes)
        return ScoredRows(result, lambda: answer_records(rows, answers), lambda: present(result))

    def headline(self, result: Result) -> Headline:
        return headline_of(result)

    def summary(self, result: Result) -> list[str]:
        return summary_of(result)

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        return present(result)

    def targets(self) -> dict[str, Target]:
        """By subject, over all biases asked, and of every bias by itself: ``signed_shift anchoring_effect``."""
        found = {
            "susceptibility": Target(measure="susceptibility", side="at most"),
            "susceptibility_signed": Target(measure="susceptibility_signed", side="at most", lowest=-1.0),
        }
        for bias in taxonomy():
            labels = {"bias": bias}
            for name, lowest in (("signed_shift", -1.0), ("BMS", 0.0)):
                found[f"{name} {bias}"] = Target(measure=name, labels=labels, side="at most", lowest=lowest)
        return found

    def grid(self) -> Grid[Any]:
        from .calibration import BiasGrid

        return BiasGrid()

    def detectable(self, lock: Lock, trials: Sequence[Trial]) -> tuple[str, ...]:
        """The smallest shift that one bias would show, an instance being one observation."""
        options = self._options(lock)
        n = len(options.domains) * options.instances
        biases = len(list(self.strata(lock)))
        found = detectable_paired(0.5, n, alpha=(1.0 - options.confidence) / biases)
        asked = f"{biases} biases, {n} instances of each, {options.trials} trials of each in every condition"
        if found.effect is None:
            return (f"{asked}: too few to show a shift of one bias at any size; raise instances",)
        return (
            f"{asked}: a shift of {found.effect:.2f} of one bias is found with probability .8, judged among all, where "
            "half of the instances are answered alike with and without it (exact McNemar test, Bonferroni)",
        )

    def items(self) -> list[Item]:
        return [_listed(bias) for bias in shipped_items()]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """One instance in full; a bias without a domain gets one by the seed."""
        bias, slash, named = item.partition("/")
        if bias not in shipped_items():
            raise UnknownName("bias", bias, shipped_items())
        model = shipped_item(bias)
        there = [domain for domain in DOMAINS if domain in model.domains]
        if slash and named not in there:
            raise UnknownName("domain", named, there)
        domain = _parts(item)[1] if slash else there[seed % len(there)]
        instance = Instance(self.name, f"{bias}/{domain}", 0, seed)
        found = CompiledItem(model, pools()).instance(instance, domain)
        return {"instance": instance.digest, **found.described()}


def _listed(bias: str) -> Item:
    entry, model = taxonomy()[bias], shipped_item(bias)
    rate = "no baseline" if entry.human_baseline is None else f"people {entry.human_baseline:g}"
    more = {
        "name": entry.name,
        "category": entry.category,
        "core": entry.core,
        "paradigm": model.paradigm,
        "answer": model.answer,
        "scored": not model.unscored,
        "not_scored_because": model.unscored or None,
        "human_baseline": entry.human_baseline,
        "baseline_cited": entry.cited,
        "baseline_uncertain": entry.baseline_uncertain,
        "scenarios": {domain: len(some) for domain, some in model.domains.items()},
    }
    group = f"{entry.category}{', core' if entry.core else ''}"
    return Item(
        bias, group, f"{model.paradigm}; {'not scored' if model.unscored else 'scored'}; {rate}", more
    )


def _parts(item: str) -> tuple[str, Domain]:
    bias, _, domain = item.partition("/")
    return bias, msgspec.convert(domain, Domain)
