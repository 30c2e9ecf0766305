"""Equivalent forms do the same: on whatever is drawn, every rewrite by every rule; and on real outputs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.repair.forms import FORMS, MOST_PROPOSALS
from assay.instruments.repeatability.programs.repair.model import Program
from assay.sandbox import Job, run_all
from tests.instruments.repeatability.programs import grammar
from tests.support import SHARED

from .rewriting import body, every_rewrite

ROWS, CONTRACTS = SHARED / "skyt.jsonl.gz", SHARED / "skyt_contracts.json"


class Odd:
    """An object that answers oddly and tells what it was asked."""

    def __init__(self, log: list[object]) -> None:
        self.log = log

    def __repr__(self) -> str:
        return "odd"

    def _tell(self, asked: str, answer: object) -> Any:
        self.log.append(asked)
        return answer

    def __bool__(self) -> bool:
        return bool(self._tell("bool", len(self.log) % 2))

    def __eq__(self, other: object) -> Any:
        return self._tell("eq", "equal")

    __hash__ = None  # type: ignore[assignment]

    def __ne__(self, other: object) -> Any:
        return self._tell("ne", [])

    def __contains__(self, other: object) -> Any:
        return self._tell("contains", 5)

    def __add__(self, other: object) -> Any:
        return self._tell("add", "added")

    def __iadd__(self, other: object) -> Any:
        return self._tell("iadd", "in place")

    def __index__(self) -> int:
        return int(self._tell("index", 2))

    def __iter__(self) -> Iterator[int]:
        yield 1
        yield self._tell("iterated", 2)
        raise LookupError("no more")


def outcome(code: CodeType, make: Callable[[list[object]], tuple[object, ...]], fails: int) -> object:
    """What comes out, and everything that was asked on the way, in order."""
    log: list[object] = []

    def t(number: object) -> object:
        log.append(repr(number) if not callable(number) else "function")
        if number is fails:
            raise ValueError(number)
        return number

    space: dict[str, Any] = {"t": t, "__name__": "program"}
    try:
        exec(code, space)
        result = space["f"](*make(log))
        return "function" if callable(result) else repr(result), log
    except Exception as error:
        return type(error).__name__, str(error), log


def meaning(source: str) -> list[object]:
    code = compile(source, "<program>", "exec", dont_inherit=True)
    return [outcome(code, make, fails) for make in INPUTS for fails in (0, 1, 2)]


INPUTS: tuple[Callable[[list[object]], tuple[object, ...]], ...] = (
    lambda log: (0, [1, 2, 0]),
    lambda log: ([], "word"),
    lambda log: ("o", Odd(log)),
    lambda log: (Odd(log), Odd(log)),
)


def _list(text: str) -> list[str]:
    return text.split("|")


ATOMS = _list("a|b|x|y|0|1|2|'s'|''|None|True|t(1)|t(2)|t(3)|list()|[]|()|len(b)")
EXPRESSIONS = _list(
    "not {0}|({0} in {1})|({0} not in {1})|({0} is {1})|({0} == {1})|({0} and {1})|({0} if {1} else {2})|({0} + {1})|"
    "range({0})|range(0, {0})|range({0}, {1}, 1)|set([{0}, {1}])|{{{0}, {1}}}|dict(k={0})|{{'k': {0}}}|bool({0})|"
    "isinstance({0}, int)|[v for v in {0}]|(lambda: {0})()|f'{{x}} {{y}}'|({0}, {1})"
)
STATEMENTS = _list(
    "x = {0}|x, y = {0}, {1}|x = y = 1|x = 1¶y = {0}|x += 1|x = x + 1|x = 0|y = ''|y += 'q'|y = y + 'q'|"
    "t({0})|pass|...|"
    "if {0}:¶→{s}|if {0}:¶→{s}¶else:¶→{s}|if not {0}:¶→return {1}¶else:¶→{s}|if {0}:¶→return {1}¶return {2}|"
    "if {0}:¶→return True¶return False|if {0}:¶→return {1}¶elif {1}:¶→return 2|return {0}|x = {0}¶return x|return|"
    "return {0} if {1} else {2}|for i in {0}:¶→{s}|for i in range(0, 3):¶→if {0}:¶→→continue¶→else:¶→→{s}|"
    "r = []¶for i in {0}:¶→r.append({1})|r = []¶for i in {0}:¶→if i:¶→→r.append((i, {1}))¶t(len(r))|"
    "r = [i for i in {0}]|"
    "r = [(i, {1}) for i in {0} if i]¶x = r|try:¶→{s}¶except Exception:¶→t(x)¶finally:¶→y = {0}|g = lambda: (x, y)|"
    "while 1:¶→{s}¶→break|x = len(b)¶x -= 1|t(i)|t(r)|t((x, y))|del x|w = {0}¶return w|t(w)|"
    "global z¶z = 1|w = (x := {0})"
)
SIMPLE = [form for form in STATEMENTS if "{s}" not in form]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(ATOMS))
    parts = [draw(expressions(depth - 1)) for _ in range(3)]
    return draw(st.sampled_from(EXPRESSIONS)).format(*parts)


@st.composite
def statements(draw: st.DrawFn, depth: int = 2) -> str:
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        form = draw(st.sampled_from(STATEMENTS if depth else SIMPLE)).replace("¶", "\n").replace("→", "    ")
        form = form.replace("{s}", "«»").format(*(draw(expressions()) for _ in range(3)))
        while "«»" in form:
            place = form.index("«»")
            pad = " " * (place - form.rfind("\n", 0, place) - 1)
            form = form[:place] + draw(statements(depth - 1)).replace("\n", "\n" + pad) + form[place + 2 :]
        lines.append(form)
    return "\n".join(lines)


def compiles(source: str) -> bool:
    try:
        compile(source, "<program>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def functions() -> st.SearchStrategy[str]:
    return statements().map(lambda text: body("x = 1\n" + text)).filter(compiles)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=60)
@given(functions(), functions())
def test_every_rewrite_does_the_same_on_every_input(program: str, canon: str) -> None:
    expected = meaning(program)
    for made in every_rewrite(program, canon):
        assert meaning(made) == expected, made


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=40)
@given(functions(), functions())
def test_every_proposal_does_the_same_and_is_new(program: str, canon: str) -> None:
    expected = meaning(program)
    for step in FORMS:
        made = list(step.propose(Program(program), Program(canon)))
        assert len(set(made)) == len(made) <= MOST_PROPOSALS
        assert program not in made
        assert all(meaning(source) == expected for source in made)


@settings(max_examples=25)
@given(grammar.programs(), grammar.programs(), st.data())
def test_programs_of_the_grammar_keep_their_meaning_in_any_layout(
    sketch: grammar.Sketch, canon: grammar.Sketch, data: st.DataObject
) -> None:
    program = data.draw(grammar.dressed(sketch))
    for made in every_rewrite(program, canon.source):
        for number in (-1, 0, 3):
            args = (number,) * sketch.parameters
            assert grammar.run(made, "f", args) == grammar.run(program, "f", args)


# Real outputs


@pytest.mark.skipif(
    not (ROWS.exists() and CONTRACTS.exists()), reason=f"the real outputs are not at {SHARED}"
)
def test_proposals_for_real_outputs_give_the_same_results() -> None:
    contracts = json.loads(CONTRACTS.read_text())
    with gzip.open(ROWS, "rt") as file:
        rows = [json.loads(line) for line in file]
    jobs: dict[tuple[str, str], Job] = {}
    pairs: list[tuple[tuple[str, str], tuple[str, str]]] = []
    for row in rows[::6]:
        contract = row["contract"]
        first, *others = dict.fromkeys(row["outputs"])
        for program in others[:4]:
            for step in FORMS:
                for made in step.propose(Program(program), Program(first)):
                    pairs.append(((contract, program), (contract, made)))
    for contract, source in (key for pair in pairs for key in pair):
        jobs[contract, source] = _job(source, contracts[contract])
    assert pairs
    runs = dict(zip(jobs, run_all(jobs.values()), strict=True))
    for before, after in pairs:
        assert runs[before].state == runs[after].state
        assert runs[before].cases == runs[after].cases


def _job(source: str, contract: dict[str, Any]) -> Job:
    cases = []
    for one in contract["test_cases"]:
        case = {name: one[name] for name in ("args", "kwargs", "init", "calls") if name in one}
        if "calls" in case:
            fields = ("method", "args", "kwargs")
            case["calls"] = [{name: call[name] for name in fields if name in call} for call in case["calls"]]
        cases.append(case)
    return Job(source=source, entry_point=contract["entry_point"], kind=contract["kind"], cases=tuple(cases))
