"""The repeatability protocol: ask for the same output again and again, and see what comes.

One trial is one request for one contract: no history, no examples. The output in the reply is put to the contract's
oracle; a program is run for that, and on further inputs to see how it behaves. When all outputs of a contract are in,
a second wave repairs the programs that pass and differ from their canon. Everything else is scoring.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from assay.bench import Item, Plan, Prepared, Probe
from assay.bench.worker_thread import read_text
from assay.canonical import sha256_hex
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence
from assay.instruments.repeatability.cells.canons import canon_bytes, load_canons
from assay.instruments.repeatability.cells.cell import due
from assay.instruments.repeatability.cells.evidence import (
    REPAIR,
    REQUEST,
    RunCells,
    cell_key,
    cells_from_evidence,
    declared_canon,
    output_of,
    wording_of,
)
from assay.instruments.repeatability.cells.records import record_rows, rule_versions
from assay.instruments.repeatability.kinds import OutputKind, examined_by, kind_of
from assay.instruments.repeatability.measures.drift import Earlier, never_judged, read_earlier
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.measures.targets import TARGETS
from assay.instruments.repeatability.programs.contracts import (
    Contract,
    choose,
    load_contracts,
    shipped_contracts,
)
from assay.instruments.repeatability.programs.inputs import generated_inputs
from assay.instruments.repeatability.programs.languages import check_commands
from assay.instruments.repeatability.programs.oracle import job_for, judge
from assay.instruments.repeatability.programs.repair import Repair, repair_program
from assay.measuring import InstrumentBase, Labels, Target, flawless, option_error, percent, word
from assay.measuring.comparison import FrameContents, Observation
from assay.measuring.rows import Rows
from assay.measuring.scored import ScoredRows
from assay.report.presentation import Headline, Presentation
from assay.stats import modal_share
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Flag, Instance, Measure, Message, Outcome, Result, Sampling, Trial

from .conditions import conditions, never_swept
from .options import RepeatabilityOptions, RepeatabilityRowOptions
from .scoring import score_cells

if TYPE_CHECKING:
    from .calibration import RepeatabilityGrid

__all__ = ["Repeatability"]

QUICK = ("add", "is_even", "square")


NO_EARLIER_RUN = "is a limit of drift from an earlier run; name it by drift_from"


class Repeatability(InstrumentBase):
    """Does the same request give the same output?"""

    name = "repeatability"
    version = "2"
    title = "Repeatability"
    noun = "contracts"
    option_type = RepeatabilityOptions
    row_option_type = RepeatabilityRowOptions
    row_help = (
        '{"contract": ID, "subject": NAME, "temperature": T, "outputs": [TEXT, ...]} or {..., "output": TEXT}'
    )
    quick: ClassVar[dict[str, Any]] = {"contracts": "quick", "repetitions": 8, "temperatures": [0.0, 0.8]}

    def __init__(self) -> None:
        self._drawn: dict[tuple[str, int], tuple[dict[str, Any], ...]] = {}

    def runs_code(self, lock: Lock) -> bool:
        """Only programs are run."""
        return any(_contract(lock, key).is_program for key in lock.materials[self.name]["contracts"])

    selecting = (
        "contracts", "contracts_file", "temperatures", "top_ps", "paraphrases", "repetitions", "canons_file",
        "drift_from",
    )  # fmt: skip

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        chosen = convert(options, RepeatabilityOptions, source, at)
        if not chosen.temperatures:
            raise option_error(source, (*at, "temperatures"), "give at least one temperature")
        if len(set(chosen.temperatures)) < len(chosen.temperatures):
            raise option_error(source, (*at, "temperatures"), "a temperature is given twice")
        if len(set(chosen.top_ps)) < len(chosen.top_ps):
            raise option_error(source, (*at, "top_ps"), "a top_p is given twice")
        if chosen.contracts_file:
            contracts = load_contracts(base / chosen.contracts_file)
            if chosen.contracts == "quick":
                raise option_error(
                    source, (*at, "contracts"), "'quick' names shipped contracts; leave contracts_file out"
                )
        else:
            contracts = shipped_contracts()
        if isinstance(chosen.contracts, tuple):
            try:
                contracts = choose(contracts, chosen.contracts)
            except InputError as error:
                raise option_error(source, (*at, "contracts"), str(error)) from None
        elif chosen.contracts == "quick":
            contracts = choose(contracts, QUICK)
        elif chosen.contracts != "all":
            contracts = {key: c for key, c in contracts.items() if c.group == chosen.contracts}
            if not contracts:
                what = f"no contract asks for {chosen.contracts}"
                raise option_error(source, (*at, "contracts"), what)
        check_commands(contracts.values())
        canons = load_canons(base / chosen.canons_file, contracts) if chosen.canons_file else {}
        earlier = read_earlier(base / chosen.drift_from, contracts) if chosen.drift_from else []
        if chosen.drift_at_most is not None and not chosen.drift_from:
            raise option_error(source, (*at, "drift_at_most"), NO_EARLIER_RUN)
        if earlier and canons:
            raise option_error(source, (*at, "drift_from"), "brings its own canons; leave canons_file out")
        self.check_required(chosen, source)
        # Solutions are ours, for reference subjects; they are no part of what is put to a subject.
        plain = {key: msgspec.structs.replace(c, solutions=()) for key, c in contracts.items()}
        materials = {
            "contracts": msgspec.to_builtins(plain),
            "canons": msgspec.to_builtins(canons),
            "earlier": msgspec.to_builtins(earlier),
            "versions": rule_versions(map(kind_of, contracts.values())),
        }
        return Prepared(msgspec.to_builtins(chosen), materials)

    def check_analysis(self, chosen: RepeatabilityOptions) -> None:
        if chosen.drift_at_most is not None and not chosen.drift_from:
            raise InputError(f"drift_at_most: {NO_EARLIER_RUN}")
        super().check_analysis(chosen)

    def strata(self, lock: Lock) -> Iterable[str]:
        chosen = lock.options(self.name, RepeatabilityOptions).contracts
        # Materials are kept sorted; contracts named one by one are begun in the order of their naming.
        return list(
            dict.fromkeys(chosen) if isinstance(chosen, tuple) else lock.materials[self.name]["contracts"]
        )

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """Two waves a contract: every request, and then the repair of what passes and differs from its canon."""
        if evidence.stratum is None or evidence.waves > 1:
            return
        if evidence.waves == 0:
            yield from self._requests(lock, evidence.stratum)
        elif lock.options(self.name, RepeatabilityOptions).repair:
            yield from self._repairs(lock, evidence)

    def _requests(self, lock: Lock, contract: str) -> Iterator[Trial]:
        options = lock.options(self.name, RepeatabilityOptions)
        defaults = lock.study.sampling
        asked = {
            spec.title: list(conditions(options, _contract(lock, contract), spec))
            for spec in lock.study.specs
        }
        for repetition in range(options.repetitions):
            instance = Instance(self.name, contract, repetition, lock.study.seed)
            for spec in lock.study.specs:
                for factors in asked[spec.title]:
                    sampling = Sampling(
                        factors.get("temperature"),
                        factors.get("top_p", defaults.top_p),
                        defaults.max_tokens,
                        defaults.seeding,
                    )
                    yield Trial(
                        instance=instance,
                        version=self.version,
                        subject=spec.title,
                        boundary=spec.boundary,
                        stage=REQUEST,
                        factors=dict(factors),
                        sampling=spec.sampled(sampling),
                    )

    def _repairs(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        found = cells_from_evidence(lock, evidence, self._options(lock))
        holders = {
            anchor.canon.digest: cell.outputs[anchor.index].trial
            for cell, anchor in zip(found.cells, found.anchors, strict=True)
            if anchor.canon is not None and anchor.index is not None
        }
        references = {record.id: record.reference for record in evidence}
        trials = {record.id: record.trial for record in evidence}
        for cell, anchor, output in due(found.cells, found.anchors):
            assert anchor.canon is not None
            inputs = [references[output.trial]]
            if anchor.index is not None:
                inputs.append(references[cell.outputs[anchor.index].trial])
            elif anchor.source != "declared":
                inputs.append(references[holders[anchor.canon.digest]])
            yield msgspec.structs.replace(trials[output.trial], stage=REPAIR, inputs=tuple(inputs))

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        contract = _contract(probe.lock, trial.instance.item)
        if trial.stage == REPAIR:
            await self._conduct_repair(trial, probe, contract)
            return
        options = self._options(probe.lock)
        messages = [Message("user", contract.prompts[wording_of(trial.factors)])]
        if options.system:
            messages.insert(0, Message("system", options.system))
        reply = await probe.ask(messages)
        kind = kind_of(contract)
        start, end = await read_text(reply.text, lambda text: kind.find(text, contract))
        output = reply.text[start:end]
        steps = kind.examine(output, contract, self._inputs(probe.lock, contract))
        found = await examined_by(output, steps, lambda run: probe.execute(run.job))
        judgement = found.judgement
        # Spec, Version Requirements: all logs record them. Those of everything that comes after stand in the lock.
        outcome: Outcome = "success" if judgement.state == "pass" else "failure"
        probe.conclude(outcome, judgement.state, _versions(kind, *kind.judged_by))

    async def _conduct_repair(self, trial: Trial, probe: Probe, contract: Contract) -> None:
        """Every proposal that lies nearer is put to the oracle, and what became of it is an event."""
        code = output_of(probe.earlier(trial.inputs[0]), contract)
        declared = declared_canon(probe.lock, cell_key(trial, self._options(probe.lock)))
        canon = declared.code if declared else output_of(probe.earlier(trial.inputs[1]), contract)
        steps = repair_program(code, canon, contract.keep)
        passes: bool | None = None
        while True:
            try:
                proposal = next(steps) if passes is None else steps.send(passes)
            except StopIteration as stop:
                repair: Repair = stop.value
                break
            run = await probe.execute(job_for(contract, proposal.source))
            judgement = judge(contract, run)
            passes = judgement.state == "pass"
            request = {"step": proposal.step, "source": sha256_hex(proposal.source.encode())}
            reach = [[d.numerator, d.denominator] for d in proposal.distances]
            await probe.compute("repair", request, _result({"kept": passes, "distances": reach}))
        probe.conclude(
            "success", "", {**msgspec.to_builtins(repair), **_versions(kind_of(contract), "oracle", "repair")}
        )

    def score(self, evidence: Evidence) -> Result:
        lock: Lock = evidence.lock
        found = self._run_cells(evidence)
        open_ = self.unfinished(evidence)
        if not open_ and found.unrepaired:
            open_ = [Flag("Provisional", f"not finished: {found.unrepaired} outputs are not repaired yet")]
        flags = [*self.caveats(lock), *open_]
        return score_cells(
            found.cells,
            found.anchors,
            found.settings,
            source="ledger",
            version=self.version,
            excluded=found.excluded,
            flags=flags,
            notes=found.notes,
            subjects=[spec.title for spec in lock.study.specs],
            earlier=found.earlier,
        )

    def observations(self, evidence: Evidence) -> Iterator[Observation]:
        from .measures.observations import cell_observations

        return cell_observations(self._run_cells(evidence).cells, self.name, evidence.lock.study.seed)

    def contents(self, lock: Lock) -> FrameContents:
        return FrameContents(families=lock.materials[self.name]["contracts"])

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        found = self._run_cells(evidence)
        return record_rows(found.cells, found.anchors, repaired=found.settings.repair)

    def plain_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """One row an output: the program as it was taken out of the reply."""
        for cell in self._run_cells(evidence).cells:
            for output in cell.outputs:
                yield {**msgspec.structs.asdict(cell.key), "output": output.code}

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        anchors = self._run_cells(evidence).anchors
        return {f"canons/{a.canon.digest}.json": canon_bytes(a.canon) for a in anchors if a.canon is not None}

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        from .present import present

        found = self._run_cells(evidence)
        return present(result, found.cells, found.anchors)

    def headline(self, result: Result) -> Headline:
        from .present import headline_of

        return headline_of(result)

    def summary(self, result: Result) -> list[str]:
        """Comparisons are many: those that hold, and how many there are; then the requirements."""
        compared = [v for v in result.verdicts if v.kind == "comparison"]
        said = [f"holds: {v.claim} ({v.because})" for v in compared if v.holds]
        if compared:
            said.append(f"{sum(v.holds is True for v in compared)} of {len(compared)} comparisons hold.")
        rest = [v for v in result.verdicts if v.kind != "comparison"]
        return [*said, *(f"{word(v.holds)}: {v.claim} ({v.because})" for v in rest), *result.notes]

    def accompanying(self, result: Result) -> list[str]:
        return list(result.notes) if result.source == "rows" else []

    def targets(self) -> dict[str, Target]:
        return TARGETS

    def cells(self, measures: Sequence[Measure]) -> list[Labels]:
        return [measure.labels for measure in measures if measure.name == "pass_rate"]

    def planned_n(self, lock: Lock, target: Target) -> tuple[int, Callable[[int], float]] | None:
        options = self._options(lock)
        if target.measure == "pass_rate":
            return options.repetitions, flawless(options.confidence)
        if target.measure in ("R", "R_raw", "R_ast", "R_reply"):
            return options.repetitions, lambda n: modal_share([n], options.confidence).low
        return None

    def score_rows(self, rows: Rows, options: Any) -> ScoredRows:
        from .present import present
        from .rows import scored_cells

        given: RepeatabilityRowOptions = options
        found = scored_cells(
            rows,
            Path(given.contracts) if given.contracts else None,
            settings=Settings(
                tau=Fraction(str(given.tau)),
                confidence=given.confidence,
                scope=given.canon_scope,
                repair=given.repair,
            ),
            workers=given.workers or len(os.sched_getaffinity(0)),
            extract=given.extract,
            allow_unconfined_code=given.allow_unconfined_code,
        )
        return ScoredRows(
            found.result,
            lambda: record_rows(found.cells, found.anchors, repaired=given.repair, rows=found.rows),
            lambda: present(found.result, found.cells, found.anchors),
        )

    def _options(self, lock: Lock) -> RepeatabilityOptions:
        return lock.options(self.name, RepeatabilityOptions)

    def _inputs(self, lock: Lock, contract: Contract) -> tuple[dict[str, Any], ...]:
        """Drawn once for all programs of a contract."""
        key = (contract.snapshot, lock.study.seed)
        if key not in self._drawn:
            self._drawn[key] = generated_inputs(contract, lock.study.seed)
        return self._drawn[key]

    def _run_cells(self, evidence: Evidence) -> RunCells:
        """Cells and canons, worked out of the evidence once."""
        lock: Lock = evidence.lock
        return self.memo(evidence, lambda: cells_from_evidence(lock, evidence, self._options(lock)))

    def plan(self, lock: Lock) -> Plan:
        from assay.stats import clopper_pearson

        from .figures.summary import two_cells

        options = lock.options(self.name, RepeatabilityOptions)
        contracts = [_contract(lock, key) for key in lock.materials[self.name]["contracts"]]
        n = options.repetitions
        asked = [
            [
                len(c.prompts[wording_of(f)]) + len(options.system)
                for c in contracts
                for f in conditions(options, c, s)
            ]
            for s in lock.study.specs
        ]
        trials = n * sum(map(len, asked))
        half = clopper_pearson(n // 2, n, options.confidence)
        widest = half.high - half.low
        return Plan(
            trials=trials,
            calls=trials,
            input_tokens=sum(sum(lengths) // 4 for lengths in asked) * n,  # four characters a token, roughly
            output_tokens=trials * lock.study.sampling.planned_tokens,
            detectable=(
                f"a share in one cell of {n} outputs is known to within {widest:.2f} at worst "
                f"({percent(options.confidence)} Clopper-Pearson)",
                two_cells(n),
            ),
        )

    def warnings(self, lock: Lock) -> list[str]:
        options = lock.options(self.name, RepeatabilityOptions)
        return [
            *super().warnings(lock),
            *self._never_judged(lock, options),
            *never_swept(options, lock.study.specs),
        ]

    def _never_judged(self, lock: Lock, options: RepeatabilityOptions) -> Iterator[str]:
        """Every cell has a first request."""
        if not options.drift_from:
            return
        firsts = (
            takewhile(lambda trial: trial.instance.repetition == 0, self._requests(lock, contract))
            for contract in lock.materials[self.name]["contracts"]
        )
        keys = [cell_key(trial, options) for trials in firsts for trial in trials]
        earlier = msgspec.convert(lock.materials[self.name]["earlier"], list[Earlier])
        yield from never_judged(keys, earlier, options.drift_at_most)

    def grid(self) -> RepeatabilityGrid:
        from .calibration import RepeatabilityGrid

        return RepeatabilityGrid()

    def items(self) -> list[Item]:
        return [
            Item(c.id, c.title, f"{c.kind}, {c.tests} tests, {c.difficulty}")
            for c in shipped_contracts().values()
        ]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        contracts = shipped_contracts()
        if item not in contracts:
            raise UnknownName("contract", item, contracts)
        contract = msgspec.structs.replace(contracts[item], solutions=())
        return {
            "instance": Instance(self.name, item, 0, seed).digest,
            "messages": [{"role": "user", "content": contract.prompt}],
            "criterion": _criterion(contract),
            "contract": msgspec.to_builtins(contract),
            "snapshot": contract.snapshot,
        }


def _criterion(contract: Contract) -> str:
    if contract.kind == "json":
        return "it is JSON, meets the schema, and its fields are as expected"
    if contract.kind == "text":
        return "the answer that is read from it, its words and its length are as expected"
    return f"every test passes when the program is called as {contract.entry_point}"


def _versions(kind: OutputKind, *names: str) -> dict[str, dict[str, str]]:
    present = rule_versions([kind])
    return {"versions": {name: present[name] for name in names}}


def _contract(lock: Lock, key: str) -> Contract:
    return msgspec.convert(lock.materials["repeatability"]["contracts"][key], Contract)


def _result(value: Any) -> Callable[[], Awaitable[Any]]:
    async def given() -> Any:
        return value

    return given
