"""The oracle, through the real sandbox: what passes, what does not, and what never goes in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.instruments.repeatability.programs import oracle
from assay.instruments.repeatability.programs.contracts import Contract, shipped_programs
from assay.instruments.repeatability.programs.oracle import OracleJudgement, job_for, judge
from assay.sandbox import CommandJob, Job
from tests.instruments.repeatability.making import contract, judgements

ONE = {"args": [1], "expected": 2}
RIGHT = "def f(x):\n    return x + 1\n"
STACK = """
class f:
    def __init__(self, *items):
        self.items = list(items)
    def push(self, item):
        self.items.append(item)
    def pop(self):
        if not self.items:
            raise Empty("nothing left")
        return self.items.pop()
    def share(self):
        return 1 / len(self.items)
class Empty(LookupError):
    pass
"""


def one(asked: Contract, code: str) -> OracleJudgement:
    return judgements((asked, code), workers=1)[0]


def value(expected: Any, **more: Any) -> Contract:
    """A contract whose only test is what ``f()`` returns."""
    return contract([{"args": [], "expected": expected, **more}])


@pytest.mark.slow
def test_every_shipped_solution_gets_the_judgement_it_was_made_for() -> None:
    chosen = [(c, s) for c in shipped_programs().values() for s in c.solutions]
    found = judgements(*[(c, s.code) for c, s in chosen])
    states = {(c.id, s.name): judgement.state for (c, s), judgement in zip(chosen, found, strict=True)}
    kinds = {(c.id, s.name): s.kind for c, s in chosen}
    assert len(chosen) > 200
    assert {key for key, kind in kinds.items() if kind == "correct" and states[key] != "pass"} == set()
    assert {key for key, kind in kinds.items() if kind == "wrong" and states[key] == "pass"} == set()
    unparseable = {states[key] for key, kind in kinds.items() if kind == "unparseable"}
    assert unparseable == {"exception"}
    assert states["bank_account", "checked_amounts"] == "pass"  # raises a class of its own, below ValueError


SLOW = contract([ONE], limits={"seconds": 1.0, "memory_mb": 128})
PATIENT = contract([ONE], limits={"seconds": 120.0, "memory_mb": 128})
STATES: dict[str, tuple[Contract, str, OracleJudgement]] = {
    "pass": (contract(), RIGHT, OracleJudgement("pass", 1, 1)),
    "wrong": (contract(), "def f(x): return x", OracleJudgement("wrong", 0, 1, "first failing case: 0", 0)),
    "exception in a case": (
        contract(),
        "def f(x): return x / 0",
        OracleJudgement("exception", 0, 1, "first failing case: 0", 0),
    ),
    "some right, some not": (
        contract([ONE, {"args": [2], "expected": 4}, {"args": [3], "expected": 4}]),
        RIGHT,
        OracleJudgement("wrong", 2, 3, "first failing case: 1", 1),
    ),
    "an exception weighs more than a wrong value": (
        contract([{"args": [1], "expected": 0}, {"args": ["x"], "expected": 0}]),
        RIGHT,
        OracleJudgement("exception", 0, 2, "first failing case: 0", 0),
    ),
}


def test_states_and_counts_are_told_apart() -> None:
    found = judgements(*[(asked, code) for asked, code, _ in STATES.values()])
    assert dict(zip(STATES, found, strict=True)) == {name: wanted for name, (_, _, wanted) in STATES.items()}


FORGED = """
import os, sys
def f(x):
    frame, nonce, fd = sys._getframe(1), None, None
    while frame:
        nonce, fd = frame.f_locals.get("nonce", nonce), frame.f_locals.get("fd", fd)
        frame = frame.f_back
    os.write(fd, (nonce + ' {"frame":"case","index":0,"state":"value","value":2}\\n').encode())
    return 2
"""
ENDS = {
    "timeout": "def f(x):\n    while True: pass",
    "memory": "def f(x): return len(bytearray(10**12))",
    "killed": "import os\ndef f(x): os.kill(os.getpid(), 9)",
    "exception": "def f(x): return (",
    "protocol_error": FORGED,
}


def test_time_memory_violence_failure_to_load_and_forgery_are_told_apart() -> None:
    found = judgements(*[(SLOW if end == "timeout" else PATIENT, code) for end, code in ENDS.items()])
    assert [judgement.state for judgement in found] == list(ENDS)
    assert all((judgement.passed, judgement.tests) == (0, 1) for judgement in found)


def test_a_broken_result_channel_passes_nothing_and_says_why() -> None:
    run = {"state": "protocol_error", "detail": "frames out of order", "cases": []}
    assert judge(contract([ONE, ONE]), run) == OracleJudgement(
        "protocol_error", 0, 2, "frames out of order", 0
    )


def test_cases_that_were_never_run_do_not_pass() -> None:
    result = {"state": "value", "value": 2}
    run = {"state": "ran", "detail": "", "cases": [result]}
    assert judge(contract([ONE, {"args": [2], "expected": 3}]), run) == OracleJudgement(
        "killed", 1, 2, "first failing case: 1", 1
    )


@pytest.mark.slow
def test_what_passed_before_the_end_is_still_counted() -> None:
    asked = contract([ONE, {"args": [2], "expected": 3}], limits={"seconds": 3.0})
    found = one(asked, "def f(x):\n    while x > 1: pass\n    return x + 1")
    assert (found.state, found.passed, found.tests) == ("timeout", 1, 2)


def test_the_entry_point_is_found_by_its_name() -> None:
    helper_first = (
        "def helper(x):\n    return -x\n\ndef f(x):\n    return x + 1\n\ndef last(x):\n    return 0\n"
    )
    missing = "def F(x):\n    return x + 1\n"
    not_callable = "f = 3"
    lambda_ = "f = lambda x: x + 1"
    found = judgements(*[(contract(), c) for c in (helper_first, missing, not_callable, lambda_)])
    assert [judgement.state for judgement in found] == ["pass", "exception", "exception", "pass"]
    assert [judgement.detail for judgement in found[1:3]] == [
        "entry point 'f' is not defined",
        "entry point 'f' is not callable",
    ]


# Comparison: Python's own, on plain values.

NAN = "float('nan')"
COMPARED: list[tuple[Any, str, str]] = [
    ([1, 2], "[1, 2]", "pass"),
    ([1, 2], "(1, 2)", "wrong"),  # a tuple is not a list
    ([1, 2], "{1, 2}", "wrong"),
    (1, "True", "pass"),  # True == 1, as Python has it
    (True, "1", "pass"),
    (1, "1.0", "pass"),
    (0, "None", "wrong"),
    (None, "None", "pass"),
    ("1", "1", "wrong"),
    ({"a": 1, "b": 2}, "{'b': 2, 'a': 1}", "pass"),
    ({"a": 1}, "__import__('collections').OrderedDict(a=1)", "pass"),
    (0.3, "0.1 + 0.2", "wrong"),
    (1.0, NAN, "wrong"),
    ([], "''", "wrong"),
    ("é", "'e\\u0301'", "wrong"),
    (2**70, "2**70", "pass"),
    (2**70, "2**70 + 1", "wrong"),
    (1, "object()", "wrong"),
    (1, "type('Always', (), {'__eq__': lambda s, o: True})()", "wrong"),
    ("ab", "print('ab')", "wrong"),
    ([1], "iter([1])", "wrong"),
]


def test_values_are_compared_as_python_compares_them_and_outside_the_program() -> None:
    found = judgements(*[(value(expected), f"def f(): return {code}") for expected, code, _ in COMPARED])
    assert [(e, code, judgement.state) for (e, code, _), judgement in zip(COMPARED, found, strict=True)] == (
        COMPARED
    )


ENTRIES = {"int": hex(2**61 - 1)}  # hash 0, as has every multiple of it


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"a": [1]}, {"set": [1, 2]}),
        ({"a": [1]}, [{"tuple": [{"dict": [[0, 1], [ENTRIES, 2]]}]}]),
        ([1], {"frozenset": [ENTRIES]}),
        (1.0, {"set": [0, ENTRIES]}),
    ],
)
def test_entries_that_collide_are_not_rebuilt_beyond_what_is_expected(
    wanted: Any, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One output of colliding entries took the bench 8 s: each entry is compared with all before it."""
    monkeypatch.setattr(oracle, "thaw", lambda encoded: pytest.fail(f"rebuilt {encoded}"))
    run = {"state": "ran", "detail": "", "cases": [{"state": "value", "value": told}]}
    assert judge(value(wanted), run).state == "wrong"


TOLERATED: list[tuple[Any, float, str, str]] = [
    (0.3, 1e-9, "0.1 + 0.2", "pass"),
    (1.0, 0.5, "1.5", "pass"),  # at the tolerance
    (1.0, 0.5, "1.5000001", "wrong"),
    (1, 0.5, "1", "pass"),
    (1.0, 0.5, "True", "wrong"),  # a truth value is no number here
    (1.0, 0.5, "'1.0'", "wrong"),
    (1.0, 0.5, "[1.0]", "wrong"),
    (1.0, 0.5, NAN, "wrong"),
    (1.0, 0.5, "float('inf')", "wrong"),
    (0.5, 0.5, "10**400", "wrong"),  # beyond all reals: used to end the scoring
    (0.5, 0.5, "None", "wrong"),
    (0.0, 0.0, "-0.0", "pass"),
]


def test_a_tolerance_is_for_numbers_near_the_expected_one() -> None:
    pairs = [(value(e, tolerance=t), f"def f(): return {code}") for e, t, code, _ in TOLERATED]
    found = judgements(*pairs)
    assert [(*row[:3], judgement.state) for row, judgement in zip(TOLERATED, found, strict=True)] == TOLERATED


RAISED = [
    ("ValueError", "raise ValueError('no')", "pass"),
    ("ValueError", "raise UnicodeError('a built-in below it')", "pass"),
    ("ValueError", "raise Mine('one of its own below it')", "pass"),
    ("LookupError", "return {}['x']", "pass"),
    ("ValueError", "raise TypeError('another')", "exception"),
    ("KeyError", "raise LookupError('above it')", "exception"),
    ("ValueError", "return ValueError('returned')", "wrong"),
    ("ValueError", "return None", "wrong"),
    ("SystemExit", "raise SystemExit(0)", "pass"),
]


def test_an_exception_is_met_by_itself_or_by_one_derived_from_it() -> None:
    head = "class Mine(ValueError): pass\ndef f(): "
    asked = [contract([{"args": [], "raises": wanted}]) for wanted, _, _ in RAISED]
    found = judgements(*[(c, head + code) for c, (_, code, _) in zip(asked, RAISED, strict=True)])
    assert [(*row[:2], judgement.state) for row, judgement in zip(RAISED, found, strict=True)] == RAISED


def script(*calls: dict[str, Any], init: Any = ()) -> Contract:
    return contract([{"init": list(init), "calls": list(calls)}], kind="class")


def call(method: str, *args: Any, **more: Any) -> dict[str, Any]:
    return {"method": method, "args": list(args), **more}


def test_a_class_is_put_through_its_script() -> None:
    pop, empty = call("pop", expected=7), call("pop", raises="LookupError")
    scripts = {
        "in order, on one object": (script(call("push", 7), pop, empty), "pass"),
        "goes on after a call that raises": (script(empty, call("push", 7), pop), "pass"),
        "arguments for its making": (script(pop, call("pop", expected=6), init=[6, 7]), "pass"),
        "a value that is not looked at": (script(call("pop"), pop, init=[7, 5]), "pass"),
        "a wrong value": (script(pop, init=[8]), "wrong"),
        "a value where an exception was due": (script(empty, init=[8]), "wrong"),
        "an exception where a value was due": (script(pop), "exception"),
        "an exception where nothing was looked at": (script(call("pop"), call("push", 7), pop), "exception"),
        "another exception": (script(call("pop", raises="ValueError")), "exception"),
        "no such method": (script(call("peek", expected=7), init=[7]), "exception"),
        "a tolerance": (script(call("share", expected=0.333, tolerance=0.001), init=[1, 2, 3]), "pass"),
    }
    found = judgements(*[(asked, STACK) for asked, _ in scripts.values()])
    states = {name: judgement.state for name, judgement in zip(scripts, found, strict=True)}
    assert states == {name: wanted for name, (_, wanted) in scripts.items()}


def test_every_case_of_a_class_gets_an_object_of_its_own() -> None:
    case = {
        "init": [],
        "calls": [call("push", 1), call("pop", expected=1), call("pop", raises="LookupError")],
    }
    assert one(contract([case, {**case, "init": []}], kind="class"), STACK).state == "pass"


def test_a_function_where_a_class_was_asked_for_does_not_load() -> None:
    assert one(script(call("pop", expected=1)), "def f(): return None").state == "exception"


def test_a_making_that_fails_is_an_exception() -> None:
    failing = "class f:\n    def __init__(self): raise ValueError\n"
    assert one(script(call("pop", expected=1)), failing).state == "exception"


def test_a_script_told_short_is_wrong() -> None:
    run = {"state": "ran", "detail": "", "cases": [{"state": "value", "value": [{"value": 7}]}]}
    asked = script(call("pop", expected=7), call("pop", expected=7))
    assert judge(asked, run).state == "wrong"


# What goes in


def _serialised(job: Job | CommandJob) -> str:
    return msgspec.json.encode(job).decode()


def test_no_expectation_is_ever_in_the_job() -> None:
    sentinel = "EXPECTED-NOWHERE-IN-THE-JOB"
    asked = contract(
        [
            {"args": [1], "kwargs": {"y": 2}, "expected": sentinel},
            {"args": [2], "raises": sentinel},
            {"args": [3], "expected": 0.123456789, "tolerance": 0.987654321},
        ]
    )
    scripted = script(call("pop", "given", expected=sentinel), call("pop", raises=sentinel))
    for job in (job_for(asked, RIGHT), job_for(scripted, STACK)):
        text = _serialised(job)
        assert sentinel not in text
        assert not any(word in text for word in ("expected", "raises", "tolerance", "123456789", "987654321"))
    assert '"y":2' in _serialised(job_for(asked, RIGHT))
    assert '"given"' in _serialised(job_for(scripted, STACK))


def test_no_shipped_contract_puts_its_expectations_or_solutions_into_the_job() -> None:
    for shipped in shipped_programs().values():
        job = job_for(shipped, "")
        assert isinstance(job, Job)
        fields = {"args", "kwargs", "init", "calls"}
        assert all(set(case) <= fields for case in job.cases)
        calls = [step for case in job.cases for step in case.get("calls", ())]
        assert all(set(step) == {"method", "args", "kwargs"} for step in calls)
        assert len(job.cases) == len(shipped.test_cases)


def test_the_limits_of_the_contract_are_those_of_the_job() -> None:
    limits = job_for(contract(limits={"seconds": 1.5, "memory_mb": 64}), RIGHT).limits
    assert (limits.wall_seconds, limits.cpu_seconds, limits.memory_bytes) == (1.5, 2, 64 * 1024 * 1024)


# What earlier implementations got wrong


def test_a_program_cannot_write_where_it_is_measured(tmp_path: Path) -> None:
    target = tmp_path / "written"
    code = f"open({str(target)!r}, 'w').write('x')\n" + RIGHT
    inside = f"def f(x):\n    open({str(target)!r}, 'w').write('x')\n    return x + 1\n"
    found = judgements((contract(), code), (contract(), inside))
    assert not target.exists()
    assert [judgement.state for judgement in found] == ["exception", "exception"]


def test_no_program_runs_in_the_measuring_process() -> None:
    import builtins
    import sys

    code = "import builtins, sys\nbuiltins.assay_was_here = True\nsys.modules['json'] = None\n" + RIGHT
    before = sys.modules["json"]
    assert one(contract(), code).state == "pass"
    assert not hasattr(builtins, "assay_was_here")
    assert sys.modules["json"] is before


def test_sys_exit_ends_nothing_but_the_call() -> None:
    at_import = "import sys\nsys.exit(0)\n" + RIGHT
    in_a_call = "import sys\ndef f(x):\n    sys.exit(0)\n"
    hard = "import os\ndef f(x):\n    os._exit(0)\n"
    found = judgements(*[(contract(), c) for c in (at_import, in_a_call, hard, RIGHT)], workers=1)
    assert [judgement.state for judgement in found] == ["exception", "exception", "killed", "pass"]


def test_a_program_that_runs_on_does_not_hold_up_the_next() -> None:
    forever = "import threading\ndef g():\n    while True: pass\nthreading.Thread(target=g).start()\n" + RIGHT
    found = judgements((SLOW, forever), (PATIENT, RIGHT), workers=1)
    assert found[1].state == "pass"


def test_the_order_of_a_set_is_the_same_in_every_run() -> None:
    code = "def f(): return ''.join({'alpha', 'beta', 'gamma', 'delta', 'epsilon'})"
    asked = value("")
    runs = []
    for _ in range(2):
        from assay.sandbox import run_all

        runs += [run.comparable() for run in run_all([job_for(asked, code)] * 2, workers=2)]
    assert all(run == runs[0] for run in runs)
