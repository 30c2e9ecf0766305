"""`InstrumentBase`: everything an instrument need not say itself.

An instrument is three functions: which trials, how one is conducted, what they amount to. The rest (options,
strata, plan, rows, headline, pictures, requirements, commands) has a default here and is overridden where an
instrument has something of its own to say. Even ``score`` has one: the share of successes of every subject.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import Struct

from assay.bench import Item, Plan, Prepared, Probe
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence
from assay.report.document import Document
from assay.report.presentation import Headline, Presentation
from assay.report.tables import headline_table
from assay.stats import clopper_pearson
from assay.study import Lock, Source, Study, SubjectSpec, convert, make_lock
from assay.subjects import make_subject
from assay.vocabulary import Exclusion, Flag, Instance, Measure, Result, Sampling, Trial, Verdict

from .analysis import ANALYSIS
from .calibration import Calibration, Grid, calibrate
from .comparison.alignment import FrameContents
from .comparison.observation import Observation, outcome_observations
from .measures import Labels, percent
from .outcomes import NOT_DECLARED, ROW_HELP, OutcomeCounts, RowOptions, read_trials, trial_records
from .rehearsal import CHARACTERS_PER_TOKEN, characters_of, rehearse
from .requirements import Bound, Target, check_requirements, flawless, requirement_verdicts, warnings_of
from .rows import Rows
from .scored import ScoredRows
from .verdicts import word

__all__ = ["InstrumentBase", "Options", "caveats_of", "option_error"]

T = TypeVar("T")
REHEARSED = 50  # trials whose prompts are looked at for an estimate


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every instrument's part of a study may have. An instrument's own options are a subclass."""

    require: Annotated[dict[str, float | Bound], ANALYSIS] = {}


def option_error(source: Source | None, at: tuple[str | int, ...], message: str) -> InputError:
    """What is wrong with an option, with its line where the study came from a file."""
    if source is None:
        return InputError(f"{'.'.join(map(str, at))}: {message}")
    return source.error(at, message)


def caveats_of(spec: SubjectSpec) -> list[Flag]:
    """Why a subject limits comparability: what its adapter says, and a boundary that lists nothing."""
    causes = list(make_subject(spec).caveats)
    if unlisted(spec):
        causes.append(f"{spec.title}: what its extended boundary includes is not listed")
    return [Flag("Limited Comparability", cause) for cause in causes]


def unlisted(spec: SubjectSpec) -> bool:
    """Whether a subject is more than the model alone, and nothing says what."""
    return spec.boundary == "extended" and not spec.includes


class InstrumentBase:
    """Defaults for everything but ``name``, ``trials`` and ``conduct``."""

    name: str
    version: str = "1"
    title: str = ""
    noun: str = "items"  # what its items are called: contracts, biases, families ...
    quick: ClassVar[dict[str, Any]] = {}  # options of a run that takes a minute
    runs_code: bool | Callable[[Lock], bool] = False
    own_loops: bool = False  # whether it measures agents that run a loop of their own
    option_type: ClassVar[type[Options]] = Options
    row_option_type: ClassVar[type[Struct]] = RowOptions  # of ``assay score``
    row_help: str = ROW_HELP  # what a row looks like
    selecting: ClassVar[tuple[str, ...]] = ()  # options and factors: which trials there are, not how
    compared: ClassVar[
        tuple[str, ...]
    ] = ()  # published measures that a comparison prints beside the observed ones

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if not cls.title and hasattr(cls, "name"):
            cls.title = cls.name.capitalize()

    # What is declared.

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        """Check the options and gather what they refer to. ``check`` and ``materials`` are the parts to override."""
        at = ("instruments", self.name)
        chosen = convert(options, self.option_type, source, at)
        self.check_required(chosen, source)
        return Prepared(msgspec.to_builtins(chosen), self.materials(study, chosen, base))

    def check_required(self, chosen: Options, source: Source | None) -> None:
        """Refuse requirements of what is not measured."""
        try:
            check_requirements(chosen.require, self.targets())
        except InputError as error:
            raise option_error(source, ("instruments", self.name, "require"), str(error)) from None

    def check_analysis(self, chosen: Any) -> None:
        """Refuse options that were changed after the fact and cannot be together: what their types do not say."""
        self.check_required(chosen, None)

    def materials(self, study: Study, options: Any, base: Path) -> Any:
        """What the options draw in, as plain data; it becomes part of the lock."""
        return {}

    def strata(self, lock: Lock) -> Iterable[str]:
        return ("all",)

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        raise NotImplementedError

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        raise NotImplementedError

    def trial(
        self,
        lock: Lock,
        spec: SubjectSpec,
        item: str,
        repetition: int = 0,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        **more: Any,
    ) -> Trial:
        """A trial of this instrument with the study's seed and sampling; ``more`` are further fields of `Trial`."""
        defaults = lock.study.sampling
        return Trial(
            instance=Instance(self.name, item, repetition, lock.study.seed),
            version=self.version,
            subject=spec.title,
            boundary=spec.boundary,
            **{
                "sampling": spec.sampled(
                    Sampling(temperature, defaults.top_p, max_tokens or defaults.max_tokens, defaults.seeding)
                ),
                **more,
            },
        )

    # What it amounts to.

    def score(self, evidence: Evidence) -> Result:
        """The share of successes of every subject; unknown outcomes as bounds, lost trials as exclusions."""
        lock: Lock = evidence.lock
        counts = OutcomeCounts(spec.title for spec in lock.study.specs)
        for record in evidence:
            counts.add(record.trial.subject, record.outcome, record.reason)
        measures = counts.shares("success", lock.study.limits.excluded_share)
        return self.result(evidence, measures, excluded=counts.excluded)

    def result(
        self,
        evidence: Evidence,
        measures: Sequence[Measure],
        verdicts: Sequence[Verdict] = (),
        *,
        excluded: Sequence[Exclusion] = (),
        flags: Sequence[Flag] = (),
        notes: Sequence[str] = (),
        versions: Mapping[str, str] | None = None,
    ) -> Result:
        """The result of a run, flagged where it is not finished."""
        lock: Lock = evidence.lock
        return Result(
            instrument=self.name,
            version=self.version,
            source="ledger",
            measures=tuple(measures),
            verdicts=tuple(verdicts),
            excluded=tuple(excluded),
            flags=(*self.caveats(lock), *flags, *self.unfinished(evidence)),
            notes=tuple(notes),
            versions=dict(versions or {}),
        )

    def with_requirements(self, lock: Lock, result: Result) -> Result:
        """The result with a verdict on everything that the study requires; those that are there are left alone."""
        there = {verdict.name for verdict in result.verdicts if verdict.kind == "requirement"}
        require = lock.options(self.name, self.option_type).require
        open_ = {name: bound for name, bound in require.items() if name not in there}
        found = requirement_verdicts(result.measures, open_, self.targets(), self.cells(result.measures))
        return msgspec.structs.replace(result, verdicts=(*result.verdicts, *found)) if found else result

    def caveats(self, lock: Lock) -> list[Flag]:
        """Why the subjects of a study limit its comparability."""
        return [flag for spec in lock.study.specs for flag in caveats_of(spec)]

    def unfinished(self, evidence: Evidence) -> list[Flag]:
        """Provisional where a stratum has trials without an outcome."""
        open_ = evidence.unfinished(self.strata(evidence.lock))
        return [Flag("Provisional", f"not finished: {', '.join(open_)}")] if open_ else []

    def memo(self, evidence: Evidence, make: Callable[[], T]) -> T:
        """What is worked out of the evidence once, for score, rows, attachments and pictures alike."""
        if self.name not in evidence.memo:
            evidence.memo[self.name] = make()
        found: T = evidence.memo[self.name]
        return found

    # What can be required of it.

    def targets(self) -> dict[str, Target]:
        """The measures that a study may require something of, by the name it uses for them."""
        return {"success": Target(measure="success")}

    def cells(self, measures: Sequence[Measure]) -> list[Labels]:
        """What a requirement is judged on, one by one: every subject, unless an instrument has finer cells."""
        subjects = dict.fromkeys(m.labels["subject"] for m in measures if "subject" in m.labels)
        return [{"subject": subject} for subject in subjects]

    def planned_n(self, lock: Lock, target: Target) -> tuple[int, Callable[[int], float]] | None:
        """The n that a required share will have, and the lower end of its interval if all succeed, by n."""
        if target.measure != "success" or type(self).score is not InstrumentBase.score:
            return None
        return self.plan(lock).trials // len(lock.study.specs), flawless(0.95)

    def warnings(self, lock: Lock) -> list[str]:
        """What is declared and can never come true."""
        require = lock.options(self.name, self.option_type).require
        return warnings_of(require, self.targets(), lambda target: self.planned_n(lock, target))

    # What two runs are compared by.

    def observations(self, evidence: Evidence) -> Iterator[Observation]:
        """The values that a comparison sets side by side, each with the instance that it is paired by."""
        return outcome_observations(evidence)

    def contents(self, lock: Lock) -> FrameContents:
        """What is put to subjects: by family, by regime, and what all share. Families are items unless named here."""
        return FrameContents(common=lock.materials.get(self.name))

    # What people see.

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """One flat row a trial, for the records file."""
        factors = sorted({key for record in evidence for key in record.trial.factors})
        for record in evidence:
            trial = record.trial
            yield {
                "trial": record.id,
                "subject": trial.subject,
                "item": trial.instance.item,
                "repetition": trial.instance.repetition,
                "stage": trial.stage,
                **{key: trial.factors.get(key) for key in factors},
                "outcome": record.outcome,
                "reason": record.reason,
                "reply": record.replies[-1].text if record.replies else None,
            }

    def plain_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """The evidence as the rows that ``score_rows`` takes; a field may have parts."""
        return self.rows(evidence)

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        return {}

    def headline(self, result: Result) -> Headline:
        """The table that is read first, from a result alone: the same for a run and for plain rows."""
        return headline_table(result.measures, title=self.title)

    def summary(self, result: Result) -> list[str]:
        """What is said below the headline in a terminal: the verdicts, then the notes."""
        said = [f"{word(v.holds)}: {v.claim} ({v.because})" for v in result.verdicts]
        return [*said, *result.notes]

    def accompanying(self, result: Result) -> list[str]:
        """What must stand beside any number of this result, wherever it is shown."""
        return []

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        return Presentation(headline=self.headline(result))

    def documents(self, evidence: Evidence, result: Result) -> Sequence[Document]:
        """What is published of a run beside its page, each by its name."""
        return ()

    def score_rows(self, rows: Rows, options: Any) -> ScoredRows:
        """Score plain rows; ``options`` is a ``row_option_type``. By default a row is a trial with its outcome."""
        trials, counts = read_trials(rows)
        plain = type(self).score is InstrumentBase.score
        notes = (
            () if plain else (f"shares of successes: what {self.name} measures in a run is not in such rows",)
        )
        result = self.rows_result(counts.shares("success"), excluded=counts.excluded, notes=notes)
        return self.scored_rows(result, lambda: trial_records(trials))

    def calibrate(
        self, runs: int, workers: int, quick: bool, progress: Callable[[int, int], None]
    ) -> Calibration:
        """Truth beside reading on the instrument's ``grid``."""
        found = self.grid()
        if found is None:
            raise InputError(f"{self.name} has no calibration")
        return calibrate(self.name, self.version, found, runs, workers, quick, progress)

    def grid(self) -> Grid[Any] | None:
        """What the instrument is calibrated on: subjects of known truth, and how to draw, know and read them."""
        return None

    def rows_result(
        self,
        measures: Sequence[Measure],
        verdicts: Sequence[Verdict] = (),
        *,
        excluded: Sequence[Exclusion] = (),
        notes: Sequence[str] = (),
        versions: Mapping[str, str] | None = None,
    ) -> Result:
        """The result of plain rows, flagged: nothing of it was declared first."""
        return Result(
            instrument=self.name,
            version=self.version,
            source="rows",
            measures=tuple(measures),
            verdicts=tuple(verdicts),
            excluded=tuple(excluded),
            flags=(NOT_DECLARED,),
            notes=tuple(notes),
            versions=dict(versions or {}),
        )

    def scored_rows(self, result: Result, records: Callable[[], Iterable[dict[str, Any]]]) -> ScoredRows:
        """The result with its records, presented by its headline."""
        return ScoredRows(result, records, lambda: Presentation(headline=self.headline(result)))

    # What a run would ask.

    def plan(self, lock: Lock) -> Plan:
        """Every trial of the first waves, counted; their prompts by rehearsing some of them."""
        first = [
            trial
            for stratum in self.strata(lock)
            for trial in self.trials(lock, _nothing(self, lock, stratum))
        ]
        step = max(1, len(first) // REHEARSED)
        looked = first[::step]
        asked = [rehearse(self, trial, lock) for trial in looked]
        scale = len(first) / len(looked) if looked else 0.0
        calls = round(sum(map(len, asked)) * scale)
        characters = sum(map(characters_of, asked)) * scale
        longest = max(
            (t.sampling.max_tokens or lock.study.sampling.planned_tokens for t in looked), default=0
        )
        return Plan(
            trials=len(first),
            calls=calls,
            input_tokens=round(characters) // CHARACTERS_PER_TOKEN,
            output_tokens=calls * longest,
            detectable=self.detectable(lock, first),
        )

    def detectable(self, lock: Lock, trials: Sequence[Trial]) -> tuple[str, ...]:
        """What the declared n can show, in words."""
        n = len(trials) // max(len(lock.study.specs), 1)
        if not n:
            return ()
        half = clopper_pearson(n // 2, n)
        worst = f"a share of one subject's {n} trials is known to within {half.high - half.low:.2f} at worst"
        return (f"{worst} ({percent(half.confidence)} Clopper-Pearson)",)

    def items(self) -> list[Item]:
        return [Item(self.name, inspect.cleandoc(type(self).__doc__ or self.title).partition("\n")[0])]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """One instance in full: what would be asked in the first trial of the item."""
        lock = _standing_in(self, seed)
        first = [t for stratum in self.strata(lock) for t in self.trials(lock, _nothing(self, lock, stratum))]
        found = {trial.instance.item: trial for trial in reversed(first)}
        trial = found.get(item) or (next(iter(first), None) if item == self.name else None)
        if trial is None:
            raise UnknownName(f"one of the {self.noun}", item, found)
        asked = rehearse(self, trial, lock)
        last = asked[-1] if asked else ()
        return {
            "instance": trial.instance.digest,
            "messages": [{"role": m.role, "content": m.content} for m in last],
            "criterion": inspect.cleandoc(type(self).__doc__ or self.title),
        }


def _nothing(instrument: InstrumentBase, lock: Lock, stratum: str) -> Evidence:
    """The evidence of a run that has not begun."""
    return Evidence(None, instrument.name, stratum, lock=lock, upto=0)


def _standing_in(instrument: InstrumentBase, seed: int) -> Lock:
    """A lock of the default options, with a subject that is never asked."""
    study = Study(subjects=("nobody:nobody",), instruments={instrument.name: {}}, seed=seed)
    prepared = instrument.prepare(study, {}, Path(), None)
    declared = msgspec.structs.replace(study, instruments={instrument.name: prepared.options})
    return make_lock(declared, {instrument.name: prepared.materials}, {instrument.name: instrument.version})
