"""The repeatability protocol: ask for the same program again and again, and see what comes.

One trial is one request for one contract: no history, no examples. The reply's program is run against the
contract's tests; everything else is scoring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from assay.bench import Item, Plan, Prepared, Probe
from assay.errors import InputError, UnknownName
from assay.evidence.records import Evidence, Record
from assay.instruments.presentation import Presentation
from assay.study import Lock, Source, Study, convert
from assay.vocabulary import Exclusion, Flag, Instance, Message, Result, Sampling, Trial

from .canons import canon_bytes, load_canons
from .cells import Anchor, Canon, Cell, CellKey, Output, record_rows, sorted_cells
from .contracts import Contract, choose, load_contracts, shipped_contracts
from .extraction import extract_code
from .oracle import job_for, judge
from .scoring import Settings, find_anchors, score_cells

__all__ = ["Options", "Repeatability"]

QUICK = ("add", "is_even", "square")


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The instrument's part of a study."""

    contracts: Literal["all", "quick"] | tuple[str, ...] = "all"
    contracts_file: str | None = None
    temperatures: tuple[Annotated[float, Meta(ge=0, le=2)], ...] = (0.0, 0.7)
    repetitions: Annotated[int, Meta(ge=1, le=1_000_000)] = 20
    tau: Annotated[float, Meta(ge=0, le=1)] = 0.1
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.95
    canon_scope: Literal["cell", "subject", "contract"] = "cell"
    canons_file: str | None = None
    system: str = ""


class _WorkedOut(NamedTuple):
    cells: list[Cell]
    anchors: list[Anchor]
    settings: Settings
    excluded: list[Exclusion]
    notes: list[str]


class Repeatability:
    """Does the same request give the same program?"""

    name = "repeatability"
    version = "1"
    title = "Repeatability"
    noun = "contracts"
    runs_code = True
    quick: ClassVar[dict[str, Any]] = {"contracts": "quick", "repetitions": 8, "temperatures": [0.0, 0.8]}

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        at = ("instruments", self.name)
        chosen = convert(options, Options, source, at)
        if not chosen.temperatures:
            raise _error(source, (*at, "temperatures"), "give at least one temperature")
        if len(set(chosen.temperatures)) < len(chosen.temperatures):
            raise _error(source, (*at, "temperatures"), "a temperature is given twice")
        if chosen.contracts_file:
            contracts = load_contracts(base / chosen.contracts_file)
            if chosen.contracts == "quick":
                raise _error(
                    source, (*at, "contracts"), "'quick' names shipped contracts; leave contracts_file out"
                )
        else:
            contracts = shipped_contracts()
        if isinstance(chosen.contracts, tuple):
            try:
                contracts = choose(contracts, chosen.contracts)
            except InputError as error:
                raise _error(source, (*at, "contracts"), str(error)) from None
        elif chosen.contracts == "quick":
            contracts = choose(contracts, QUICK)
        canons = load_canons(base / chosen.canons_file, contracts) if chosen.canons_file else {}
        # Solutions are ours, for reference subjects; they are no part of what is put to a subject.
        plain = {key: msgspec.structs.replace(c, solutions=()) for key, c in contracts.items()}
        materials = {"contracts": msgspec.to_builtins(plain), "canons": msgspec.to_builtins(canons)}
        return Prepared(msgspec.to_builtins(chosen), materials)

    def strata(self, lock: Lock) -> Iterable[str]:
        chosen = lock.options(self.name, Options).contracts
        # Materials are kept sorted; contracts named one by one are begun in the order of their naming.
        return list(
            dict.fromkeys(chosen) if isinstance(chosen, tuple) else lock.materials[self.name]["contracts"]
        )

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """One wave a contract: every subject, every temperature, every repetition."""
        if evidence.waves or evidence.stratum is None:
            return
        options = lock.options(self.name, Options)
        defaults = lock.study.sampling
        for repetition in range(options.repetitions):
            instance = Instance(self.name, evidence.stratum, repetition, lock.study.seed)
            for spec in lock.study.specs:
                for temperature in options.temperatures:
                    yield Trial(
                        instance=instance,
                        version=self.version,
                        subject=spec.title,
                        boundary=spec.boundary,
                        condition=f"T={temperature:g}",
                        sampling=Sampling(temperature, defaults.top_p, defaults.max_tokens, defaults.seed),
                    )

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        contract = _contract(probe.lock, trial.instance.item)
        options = probe.lock.options(self.name, Options)
        messages = [Message("user", contract.prompt)]
        if options.system:
            messages.insert(0, Message("system", options.system))
        reply = await probe.ask(messages)
        code = extract_code(reply.text, contract.entry_point)
        run = await probe.execute(job_for(contract, code))
        judgement = judge(contract, run)
        probe.conclude("success" if judgement.state == "pass" else "failure", judgement.state)

    def score(self, evidence: Evidence) -> Result:
        lock: Lock = evidence.lock
        found = self._worked_out(evidence)
        flags = [Flag("Limited Comparability", cause) for cause in _caveats(lock)]
        if unfinished := evidence.unfinished(self.strata(lock)):
            flags.append(Flag("Provisional", f"not finished: {', '.join(unfinished)}"))
        return score_cells(
            found.cells,
            found.anchors,
            found.settings,
            source="ledger",
            version=self.version,
            excluded=found.excluded,
            flags=flags,
            notes=found.notes,
        )

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        found = self._worked_out(evidence)
        return record_rows(found.cells, found.anchors)

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        anchors = self._worked_out(evidence).anchors
        return {f"canons/{a.canon.digest}.json": canon_bytes(a.canon) for a in anchors if a.canon is not None}

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        from .figures import present

        found = self._worked_out(evidence)
        return present(result, found.cells, found.anchors)

    def _worked_out(self, evidence: Evidence) -> _WorkedOut:
        """Cells and canons, worked out of the evidence once."""
        if "repeatability" not in evidence.memo:
            lock: Lock = evidence.lock
            options = lock.options(self.name, Options)
            contracts = {key: _contract(lock, key) for key in lock.materials[self.name]["contracts"]}
            cells, excluded, notes = _cells(evidence, contracts, options.repetitions)
            canons = msgspec.convert(lock.materials[self.name]["canons"], dict[str, Canon])
            chosen = settings(options, lock.study.limits.excluded_share)
            anchors = find_anchors(cells, contracts, chosen, canons)
            evidence.memo["repeatability"] = _WorkedOut(cells, anchors, chosen, excluded, notes)
        found: _WorkedOut = evidence.memo["repeatability"]
        return found

    def plan(self, lock: Lock) -> Plan:
        from assay.stats import clopper_pearson, detectable_two

        options = lock.options(self.name, Options)
        contracts = [_contract(lock, key) for key in lock.materials[self.name]["contracts"]]
        n, arms = options.repetitions, len(options.temperatures) * len(lock.study.specs)
        trials = n * arms * len(contracts)
        words = sum(len(c.prompt) + len(options.system) for c in contracts)
        half = clopper_pearson(n // 2, n, options.confidence)
        widest = half.high - half.low
        found = detectable_two(0.5, n)
        return Plan(
            trials=trials,
            calls=trials,
            input_tokens=words // 4 * n * arms,  # four characters a token, roughly
            output_tokens=trials * lock.study.sampling.max_tokens,
            detectable=(
                f"a share in one cell of {n} outputs is known to within {widest:.2f} at worst "
                f"({options.confidence:.0%} Clopper-Pearson)",
                _two_cells(n, found.effect),
            ),
        )

    def items(self) -> list[Item]:
        return [
            Item(c.id, c.title, f"{c.kind}, {len(c.test_cases)} tests, {c.difficulty}")
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
            "criterion": f"every test passes when the program is called as {contract.entry_point}",
            "contract": msgspec.to_builtins(contract),
            "snapshot": contract.snapshot,
        }


def settings(options: Options, excluded_share: float) -> Settings:
    return Settings(
        tau=Fraction(str(options.tau)),
        confidence=options.confidence,
        scope=options.canon_scope,
        excluded_share=Fraction(str(excluded_share)),
    )


def _two_cells(n: int, effect: float | None) -> str:
    if effect is None:
        return f"two cells of {n} outputs are too few to show any difference from a share of .5 with power .8"
    return f"between two cells of {n}, a share of .5 can be told from {0.5 + effect:.2f} (power .8)"


def _error(source: Source | None, at: tuple[str | int, ...], message: str) -> InputError:
    return (
        source.error(at, message)
        if source is not None
        else InputError(f"{'.'.join(map(str, at))}: {message}")
    )


def _contract(lock: Lock, key: str) -> Contract:
    return msgspec.convert(lock.materials["repeatability"]["contracts"][key], Contract)


def _caveats(lock: Lock) -> list[str]:
    from assay.subjects import make_subject

    return [cause for spec in lock.study.specs for cause in make_subject(spec).caveats]


def _cells(
    evidence: Evidence, contracts: dict[str, Contract], planned: int
) -> tuple[list[Cell], list[Exclusion], list[str]]:
    """Finished trials as cells; what infrastructure lost is counted by its own name."""
    outputs: dict[CellKey, list[Output]] = {}
    lost: dict[tuple[str, CellKey], int] = {}
    cut = 0
    for record in evidence:
        key = CellKey(record.trial.instance.item, record.trial.subject, record.trial.sampling.temperature)
        outputs.setdefault(key, [])
        if record.outcome == "excluded":
            lost[record.reason, key] = lost.get((record.reason, key), 0) + 1
            continue
        reply = record.replies[0]
        cut += reply.finish == "length"
        outputs[key].append(_output(record, reply.text, contracts[key.contract]))
    cells = sorted_cells(Cell(key, found, planned=planned) for key, found in outputs.items())
    excluded = [Exclusion(reason, count, key.labels) for (reason, key), count in sorted(lost.items())]
    notes = [f"{cut} replies were cut by their length limit; they are scored as they came"] if cut else []
    return cells, excluded, notes


def _output(record: Record, text: str, contract: Contract) -> Output:
    code = extract_code(text, contract.entry_point)
    judgement = judge(contract, record.computed("execute")[0])
    return Output(
        repetition=record.trial.instance.repetition,
        code=code,
        state=judgement.state,
        tests_passed=judgement.passed,
        tests=judgement.tests,
        reply=None if code == text else text,
        trial=record.id,
    )
