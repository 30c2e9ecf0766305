"""Contracts: what is asked for, and how it is tested.

A contract is data: a prompt and its oracle. Of a program that is an entry point, test cases and limits; tests are kept
apart from the program they test: only the inputs ever enter the sandbox. Of JSON and texts see ``expectations``.
"""

from __future__ import annotations

import difflib
import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from assay.canonical import decode, digest, encode
from assay.errors import InputError, UnknownName
from assay.instruments.repeatability.expectations import (
    NOT_OF_PROGRAMS,
    AnswerForm,
    FieldCheck,
    TextLength,
    check_expectations,
    check_expressions,
    refuse_misplaced,
)
from assay.sandbox import CommandJob
from assay.study.source import Source, convert, parse_source, read_file, read_source

__all__ = [
    "CallStep",
    "Case",
    "Contract",
    "ContractLimits",
    "LanguageRunner",
    "Solution",
    "choose",
    "load_contracts",
    "read_data",
    "shipped_contracts",
    "shipped_programs",
]

Text = Annotated[str, Meta(min_length=1)]
Tolerance = Annotated[float, Meta(ge=0)]


class ContractLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """For one program through its whole suite."""

    seconds: Annotated[float, Meta(gt=0, le=600)] = 5.0
    memory_mb: Annotated[int, Meta(ge=32, le=65536)] = 256


class LanguageRunner(Struct, frozen=True, forbid_unknown_fields=True):
    """How programs of another language are run: see ``languages``."""

    command: Annotated[tuple[Text, ...], Meta(min_length=1)]
    file: Text
    harness: Text


class CallStep(Struct, frozen=True, omit_defaults=True):
    """One call in the script of a class case. Without ``expected`` or ``raises`` its value is not looked at."""

    method: Text
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    expected: Any | UnsetType = UNSET
    raises: Text | None = None
    tolerance: Tolerance | None = None


class Case(Struct, frozen=True, omit_defaults=True):
    """One test: ``args`` for a function, ``init`` and ``calls`` for a class."""

    args: tuple[Any, ...] | UnsetType = UNSET
    kwargs: dict[str, Any] = field(default_factory=dict)
    expected: Any | UnsetType = UNSET
    raises: Text | None = None
    tolerance: Tolerance | None = None
    init: tuple[Any, ...] = ()
    calls: tuple[CallStep, ...] = ()


class Solution(Struct, frozen=True):
    """An output of known make, for reference subjects and tests. Never shown to a subject."""

    name: str
    kind: Literal["correct", "wrong", "unparseable"]
    code: str


class Contract(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request with its oracle: ``function`` and ``class`` ask for a program, ``json`` and ``text`` for none."""

    id: Text
    prompt: Text
    kind: Literal["function", "class", "json", "text"]
    entry_point: Text = ""
    test_cases: tuple[Case, ...] = ()
    version: int = 1
    title: str = ""
    difficulty: str = ""
    limits: ContractLimits = ContractLimits()
    language: Text = "python"
    runner: LanguageRunner | None = None
    inputs: tuple[
        Case, ...
    ] = ()  # calls without expectations, to compare behaviour on; generated where there are none
    paraphrases: tuple[Text, ...] = ()  # the same request in other words, for a study that sweeps the wording
    solutions: tuple[Solution, ...] = ()
    schema: dict[str, Any] | bool | None = None  # of kind json, as ``fields`` is
    fields: tuple[FieldCheck, ...] = ()
    expected: Any | UnsetType = UNSET  # of json the whole value, of a text the answer
    answer: AnswerForm | None = None  # of kind text, as the rest is
    must_match: tuple[Text, ...] = ()
    must_contain: tuple[Text | tuple[Text, ...], ...] = ()  # each, or one of several wordings of it
    length: TextLength | None = None

    @property
    def is_program(self) -> bool:
        return self.kind in ("function", "class")

    @property
    def group(self) -> str:
        """By which contracts can be chosen."""
        return "programs" if self.is_program else self.kind

    @property
    def tests(self) -> int:
        """How many things are checked."""
        if self.kind == "json":
            return 1 + (self.expected is not UNSET) + sum(check.decides for check in self.fields)
        if self.kind == "text":
            checks = len(self.must_match) + len(self.must_contain)
            return checks + (self.answer is not None) + (self.length is not None)
        return len(self.test_cases)

    @property
    def snapshot(self) -> str:
        """The digest of everything that defines it: what is asked, how it is called, tested and limited."""
        return digest(
            msgspec.structs.replace(self, solutions=(), title="", difficulty="", inputs=(), paraphrases=())
        )

    @property
    def keep(self) -> frozenset[str]:
        """Names that the contract's own calls use: they cannot be changed without being noticed."""
        cases = (*self.test_cases, *self.inputs)
        given = [case.kwargs for case in cases] + [step.kwargs for case in cases for step in case.calls]
        return frozenset({self.entry_point, *(name for kwargs in given for name in kwargs)})

    @property
    def prompts(self) -> tuple[str, ...]:
        """The request, and then its paraphrases."""
        return (self.prompt, *self.paraphrases)


@cache
def _names(struct: type[Struct]) -> list[str]:
    return [f.encode_name for f in msgspec.structs.fields(struct)]


# In JSON text: escaped halves of surrogate pairs and raw control characters, which YAML does not read.
_NOT_YAML = re.compile(
    r"\\(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.|(?P<control>[\x7f-\x9f\ufeff\ufffe\uffff])"
)


def read_data(path: Path) -> Source:
    """A file of plain data. JSON is read as JSON: YAML takes 1e-07 for text and knows no surrogate pairs."""
    if path.suffix.lower() != ".json":
        return read_source(path)
    data = read_file(path)
    try:
        value = decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        place = re.search(r" \(byte (\d+)\)$", str(error))
        line = data.count(b"\n", 0, int(place[1])) + 1 if place else None
        what = str(error).removesuffix(place[0]) if place else str(error)
        raise InputError(
            f"not valid JSON: {what.removeprefix('JSON is malformed: ')}", file=str(path), line=line
        ) from None
    blind = _NOT_YAML.sub(lambda m: "?" if m["half"] or m["control"] else m[0], data.decode("utf-8-sig"))
    source = parse_source(blind, str(path))  # for the lines, and to refuse keys that are given twice
    source.value = value
    return source


def shipped_contracts() -> dict[str, Contract]:
    """The contracts that come with Assay, by id: programs, JSON, texts."""
    return dict(_shipped())


def shipped_programs() -> dict[str, Contract]:
    return {key: contract for key, contract in _shipped().items() if contract.is_program}


@cache
def _shipped() -> dict[str, Contract]:
    folder = files("assay.instruments.repeatability") / "data" / "contracts"
    found = {}
    for place in (folder, folder / "json", folder / "text"):
        for entry in sorted(place.iterdir(), key=lambda e: e.name):
            if entry.name.endswith(".yaml"):
                source = parse_source(entry.read_text("utf-8"), entry.name)
                contract = _contract(source.value, source, (), None)
                found[contract.id] = contract
    return found


def load_contracts(path: Path) -> dict[str, Contract]:
    """A JSON or YAML file of contracts keyed by id, or a single contract with an ``id``."""
    source = read_data(path)
    value = source.value
    if not isinstance(value, dict) or not value:
        raise source.error((), "contracts are a mapping of ids to contracts")
    if "prompt" in value or "test_cases" in value:
        contract = _contract(value, source, (), None)
        return {contract.id: contract}
    return {str(key): _contract(entry, source, (key,), str(key)) for key, entry in value.items()}


def _contract(value: Any, source: Source, at: tuple[str | int, ...], key: str | None) -> Contract:
    if not isinstance(value, dict):
        raise source.error(at, "a contract is a mapping with prompt, entry_point, kind and test_cases")
    _refuse_typos(value, Contract, source, at)
    refuse_misplaced(value, source, at)
    if value.get("kind") in ("json", "text"):
        return _other_contract(value, source, at, key)
    for name in ("entry_point", "test_cases"):
        if name not in value and value.get("kind") in ("function", "class"):
            raise source.error(at, f"{name!r} is missing")
    value = {name: given for name, given in value.items() if name not in NOT_OF_PROGRAMS}
    contract = _converted(value, source, at, key)
    if not contract.test_cases:
        raise source.error((*at, "test_cases"), "a contract without tests has no oracle")
    _check_language(contract, source, at)
    seen: dict[str, tuple[int, bytes]] = {}
    for number, case in enumerate(contract.test_cases):
        where = (*at, "test_cases", number)
        _refuse_case_typos(value["test_cases"][number], source, where)
        _check_case(contract, case, source, where)
        for asked, wanted in _expectations(case):
            before = seen.setdefault(asked, (number, wanted))
            if before[1] != wanted:
                raise source.error(
                    where, f"contradicts test case {before[0]}: same call, another expectation"
                )
    for number, case in enumerate(contract.inputs):
        where = (*at, "inputs", number)
        _refuse_case_typos(value["inputs"][number], source, where)
        _check_input(contract, case, source, where)
    return contract


def _converted(value: dict[str, Any], source: Source, at: tuple[str | int, ...], key: str | None) -> Contract:
    contract = convert({"id": key, **value} if key else value, Contract, source, at)
    if key and contract.id != key:
        raise source.error((*at, "id"), f"the contract {key!r} calls itself {contract.id!r}")
    return contract


def _other_contract(
    value: dict[str, Any], source: Source, at: tuple[str | int, ...], key: str | None
) -> Contract:
    """Of JSON or text. Solutions are those of shipped contracts, whose expressions the tests compile."""
    contract = _converted(value, source, at, key)
    check_expectations(contract, value, source, at)
    if not contract.solutions:
        check_expressions(contract, source, at)
    return contract


def _check_language(contract: Contract, source: Source, at: tuple[str | int, ...]) -> None:
    name = contract.entry_point
    known = name.replace("$", "_") if contract.language == "javascript" else name
    if not known.isidentifier() or (contract.language == "python" and keyword.iskeyword(name)):
        raise source.error((*at, "entry_point"), f"{name!r} is not a {contract.language.capitalize()} name")
    if contract.language == "python":
        if contract.runner is not None:
            raise source.error((*at, "runner"), "Python programs need no runner")
        methods = {step.method for case in (*contract.test_cases, *contract.inputs) for step in case.calls}
        for called in sorted(contract.keep | methods):
            meant = unicodedata.normalize("NFKC", called)  # as the parser does with every name
            if meant != called:
                raise source.error(at, f"Python reads the name {called!r} as {meant!r}; write it so")
        return
    if contract.runner is None and contract.language != "javascript":
        raise source.error(
            (*at, "language"),
            f"programs in {contract.language} need a runner: command, file and harness "
            "(python and javascript need none)",
        )
    if contract.runner is not None:
        try:
            CommandJob(command=contract.runner.command, files={contract.runner.file: contract.runner.harness})
        except InputError as error:
            raise source.error((*at, "runner"), str(error)) from None
    for case in (*contract.test_cases, *contract.inputs):
        if case.kwargs or any(step.kwargs for step in case.calls):
            raise source.error(at, f"kwargs are Python's; {contract.language} has none")


def _check_input(contract: Contract, case: Case, source: Source, at: tuple[str | int, ...]) -> None:
    given: list[Case | CallStep] = [case, *case.calls]
    if any(c.expected is not UNSET or c.raises is not None or c.tolerance is not None for c in given):
        raise source.error(at, "an input has no expectation; with one it is a test case")
    if (contract.kind == "function") == (case.args is UNSET):
        raise source.error(at, "an input is a call as in test_cases, without its expectation")


def _refuse_case_typos(case: dict[str, Any], source: Source, at: tuple[str | int, ...]) -> None:
    _refuse_typos(case, Case, source, at)
    for number, step in enumerate(case.get("calls", ())):
        _refuse_typos(step, CallStep, source, (*at, "calls", number))


def _refuse_typos(
    value: dict[str, Any], struct: type[Struct], source: Source, at: tuple[str | int, ...]
) -> None:
    """Foreign contract files carry fields of their own; a near miss of one of ours is a typo."""
    known = _names(struct)
    for name in value:
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.85)
            if close:
                raise source.error((*at, name), f"unknown field; did you mean {close[0]!r}?")


def _expectations(case: Case) -> Iterator[tuple[str, bytes]]:
    """Every call of which something is expected, with all that was called on the object before it, and what."""
    if case.args is not UNSET:
        yield digest([case.args, case.kwargs]), _wanted(case)
    so_far = digest(case.init)
    for step in case.calls:
        so_far = digest([so_far, step.method, step.args, step.kwargs])
        if step.expected is not UNSET or step.raises is not None:
            yield so_far, _wanted(step)


def _wanted(case: Case | CallStep) -> bytes:
    return encode([[] if case.expected is UNSET else [case.expected], case.raises, case.tolerance])


def _check_case(contract: Contract, case: Case, source: Source, at: tuple[str | int, ...]) -> None:
    if contract.kind == "function":
        if case.args is UNSET or case.calls or case.init:
            raise source.error(at, "a function's test case has args and expected")
        _check_expectation(case, source, at, needed=True)
        return
    if case.args is not UNSET or case.expected is not UNSET or not case.calls:
        raise source.error(at, "a class's test case has init and a script of calls")
    if case.kwargs or case.raises is not None or case.tolerance is not None:
        raise source.error(at, "in a class's test case kwargs, raises and tolerance belong to its calls")
    for number, step in enumerate(case.calls):
        _check_expectation(step, source, (*at, "calls", number), needed=False)
    if all(step.expected is UNSET and step.raises is None for step in case.calls):
        raise source.error(at, "none of the calls expects anything")


def _check_expectation(
    case: Case | CallStep, source: Source, at: tuple[str | int, ...], *, needed: bool
) -> None:
    given = (case.expected is not UNSET) + (case.raises is not None)
    if given > 1 or (needed and not given):
        raise source.error(at, "give either expected or raises")
    if case.tolerance is not None and (
        isinstance(case.expected, bool) or not isinstance(case.expected, float | int)
    ):
        raise source.error(at, "a tolerance goes with an expected number")


def choose(contracts: dict[str, Contract], wanted: Iterable[str]) -> dict[str, Contract]:
    """The named ones, in the order given."""
    chosen = {}
    for name in wanted:
        if name not in contracts:
            raise UnknownName("contract", name, contracts)
        chosen[name] = contracts[name]
    if not chosen:
        raise InputError("no contract was chosen")
    return chosen
