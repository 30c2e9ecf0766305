"""The oracle: does a program keep its contract?

Version ``oracle/1``. The program is called by the contract's entry point in the sandbox, with inputs only; what it
returns comes out as plain data and is compared here with Python's ``==``, or within the declared tolerance. It
passes when every case does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from msgspec import UNSET

from assay.canonical import digest
from assay.sandbox import CommandJob, Job, thaw
from assay.sandbox import Limits as SandboxLimits
from assay.sandbox.inside.values import most_entries

from .contracts import CallStep, Case, Contract
from .inputs import plain_case
from .languages import command_job, command_run

__all__ = ["OracleJudgement", "behaviour_of", "job_for", "judge", "read_run", "was_loaded"]


class OracleJudgement(NamedTuple):
    """``state`` is pass, wrong, exception, timeout, memory, killed or protocol_error.

    ``failing`` is the number of the first case that did not pass, from 0; ``detail`` is what the sandbox said.
    """

    state: str
    passed: int
    tests: int
    detail: str = ""
    failing: int | None = None


Inputs = Sequence[dict[str, Any]]


def job_for(contract: Contract, code: str, inputs: Inputs | None = None) -> Job | CommandJob:
    """What enters the sandbox: the program and the tests' inputs, or other ones. No expectation."""
    cases = _cases(contract, inputs)
    seconds = contract.limits.seconds
    limits = SandboxLimits(
        wall_seconds=seconds,
        cpu_seconds=max(1, math.ceil(seconds)),
        memory_bytes=contract.limits.memory_mb << 20,
    )
    if contract.language != "python":
        return command_job(contract, code, cases, limits)
    kind: Literal["function", "class"] = "class" if contract.kind == "class" else "function"
    return Job(source=code, entry_point=contract.entry_point, kind=kind, cases=cases, limits=limits)


def read_run(
    contract: Contract, code: str, run: dict[str, Any], inputs: Inputs | None = None
) -> dict[str, Any]:
    """A run in the one shape that is judged: of a command, what it printed is read."""
    if contract.language == "python":
        return run
    return command_run(contract, code, run, len(_cases(contract, inputs)))


def _cases(contract: Contract, inputs: Inputs | None) -> tuple[dict[str, Any], ...]:
    if inputs is not None:
        return tuple(inputs)
    return tuple(plain_case(contract, case) for case in contract.test_cases)


def behaviour_of(tests: dict[str, Any], explored: dict[str, Any] | None) -> str | None:
    """A digest of everything a program returned or raised; None where that was not seen to its end.

    A value that is not plain data is not seen: of two of them nobody can say whether they are the same. Nor does a
    program behave in any way that was not loaded.
    """
    seen = [_seen(run) for run in (tests, explored) if run is not None]
    return None if None in seen else digest(seen)


def was_loaded(tests: dict[str, Any]) -> bool:
    """Whether there was a program to call, by the contract's entry point."""
    return bool(tests["state"] != "exception")


def _seen(run: dict[str, Any]) -> list[Any] | None:
    if run["state"] != "ran":
        return None
    results: list[Any] = []
    for case in run["cases"]:
        if case["state"] == "value" and not _opaque(case["value"]):
            results.append(_without_messages(case["value"]))
        elif case["state"] == "exception":
            results.append({"exception": case["exception"]})
        else:
            return None
    return results


def _opaque(value: Any) -> bool:
    rest = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, dict):
            if "opaque" in item:
                return True
            rest.extend(item.values())
        elif isinstance(item, list):
            rest.extend(item)
    return False


def _without_messages(value: Any) -> Any:
    """What an exception says differs between versions of Python; that it was raised does not."""
    if isinstance(value, list):
        return [
            {"exception": step["exception"]} if isinstance(step, dict) and "message" in step else step
            for step in value
        ]
    return value


def judge(contract: Contract, run: dict[str, Any]) -> OracleJudgement:
    """Compare what came out with what the contract expects."""
    tests = len(contract.test_cases)
    if not was_loaded(run):
        return OracleJudgement("exception", 0, tests, run["detail"], 0 if tests else None)
    results = run["cases"]
    states = [
        _case_state(contract, case, results[number]) if number < len(results) else "not_run"
        for number, case in enumerate(contract.test_cases)
    ]
    passed = states.count("pass")
    failing = next((number for number, state in enumerate(states) if state != "pass"), None)
    if run["state"] != "ran":
        return OracleJudgement(run["state"], passed, tests, run["detail"], failing)
    if passed == tests:
        return OracleJudgement("pass", passed, tests)
    worst = next(s for s in ("killed", "memory", "timeout", "exception", "wrong", "not_run") if s in states)
    return OracleJudgement(
        "killed" if worst == "not_run" else worst, passed, tests, f"first failing case: {failing}", failing
    )


def _case_state(contract: Contract, case: Case, result: dict[str, Any]) -> str:
    state = result["state"]
    if contract.kind == "class" and state == "value":
        steps = [_step_state(s, r) for s, r in zip(case.calls, result["value"], strict=False)]
        if len(steps) < len(case.calls):
            return "wrong"
        return next((step for step in steps if step != "pass"), "pass")
    if case.raises is not None and state in ("exception", "value"):
        return _raised(case.raises, result)
    if state == "value":
        return "pass" if _equal(result["value"], case) else "wrong"
    return str(state)


def _step_state(step: CallStep, result: dict[str, Any]) -> str:
    if step.raises is not None:
        return _raised(step.raises, result)
    if "exception" in result:
        return "exception"
    if step.expected is UNSET:
        return "pass"
    return "pass" if _equal(result["value"], step) else "wrong"


def _raised(wanted: str, result: dict[str, Any]) -> str:
    """The exception itself or a subclass of it: a program may derive its own."""
    if not result.get("exception"):
        return "wrong"
    return "pass" if wanted in (result["exception"], *result.get("bases", ())) else "exception"


def _equal(encoded: Any, case: Case | CallStep) -> bool:
    """Compare as Python does, at a cost that the expected value bounds.

    Keys may be made to collide, and then a set or a dict is rebuilt in quadratic time. Equal values have sets and
    dicts of equal sizes, so one with a larger one than is expected is not equal, and is not rebuilt.
    """
    if most_entries(encoded) > _most_entries_expected(case.expected):
        return False
    value = thaw(encoded)
    if case.tolerance is not None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        assert isinstance(case.expected, int | float)
        try:
            return abs(value - case.expected) <= case.tolerance
        except OverflowError:  # a whole number beyond all reals: far from anything expected
            return False
    return bool(value == case.expected)


def _most_entries_expected(value: Any) -> int:
    if isinstance(value, dict):
        return max([len(value), *map(_most_entries_expected, [*value.keys(), *value.values()])])
    if isinstance(value, set | frozenset):
        return max([len(value), *map(_most_entries_expected, value)])
    if isinstance(value, list | tuple):
        return max(map(_most_entries_expected, value), default=0)
    return 0
