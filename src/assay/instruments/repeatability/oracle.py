"""The oracle: does a program keep its contract?

Version ``oracle/1``. The program is called by the contract's entry point in the sandbox, with inputs only; what it
returns comes out as plain data and is compared here with Python's ``==``, or within the declared tolerance. It
passes when every case does.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from msgspec import UNSET

from assay.sandbox import Job, thaw
from assay.sandbox import Limits as SandboxLimits

from .contracts import CallStep, Case, Contract

__all__ = ["Judgement", "job_for", "judge"]


class Judgement(NamedTuple):
    """``state`` is pass, wrong, exception, timeout, memory, killed or protocol_error."""

    state: str
    passed: int
    tests: int
    detail: str = ""


def job_for(contract: Contract, code: str) -> Job:
    """What enters the sandbox: the program and the inputs. No expectation."""
    cases: list[dict[str, Any]] = []
    for case in contract.test_cases:
        if contract.kind == "function":
            assert case.args is not UNSET
            cases.append({"args": list(case.args), "kwargs": case.kwargs})
        else:
            calls = [{"method": s.method, "args": list(s.args), "kwargs": s.kwargs} for s in case.calls]
            cases.append({"init": list(case.init), "calls": calls})
    seconds = contract.limits.seconds
    return Job(
        source=code,
        entry_point=contract.entry_point,
        kind=contract.kind,
        cases=tuple(cases),
        limits=SandboxLimits(
            wall_seconds=seconds,
            cpu_seconds=max(1, math.ceil(seconds)),
            memory_bytes=contract.limits.memory_mb << 20,
        ),
    )


def judge(contract: Contract, run: dict[str, Any]) -> Judgement:
    """Compare what came out with what the contract expects."""
    tests = len(contract.test_cases)
    if run["state"] == "exception":  # the program could not be loaded or has no such entry point
        return Judgement("exception", 0, tests, run["detail"])
    results = run["cases"]
    states = [
        _case_state(contract, case, results[number]) if number < len(results) else "not_run"
        for number, case in enumerate(contract.test_cases)
    ]
    passed = states.count("pass")
    if run["state"] != "ran":
        return Judgement(run["state"], passed, tests, run["detail"])
    if passed == tests:
        return Judgement("pass", passed, tests)
    worst = next(s for s in ("killed", "memory", "timeout", "exception", "wrong", "not_run") if s in states)
    first = next(number for number, state in enumerate(states) if state != "pass")
    return Judgement("killed" if worst == "not_run" else worst, passed, tests, f"first failing case: {first}")


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
        return "pass" if _equal(thaw(result["value"]), case) else "wrong"
    return str(state)


def _step_state(step: CallStep, result: dict[str, Any]) -> str:
    if step.raises is not None:
        return _raised(step.raises, result)
    if "exception" in result:
        return "exception"
    if step.expected is UNSET:
        return "pass"
    return "pass" if _equal(thaw(result["value"]), step) else "wrong"


def _raised(wanted: str, result: dict[str, Any]) -> str:
    """The exception itself or a subclass of it: a program may derive its own."""
    if not result.get("exception"):
        return "wrong"
    return "pass" if wanted in (result["exception"], *result.get("bases", ())) else "exception"


def _equal(value: Any, case: Case | CallStep) -> bool:
    if case.tolerance is not None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        assert isinstance(case.expected, int | float)
        try:
            return abs(value - case.expected) <= case.tolerance
        except OverflowError:  # a whole number beyond all reals: far from anything expected
            return False
    return bool(value == case.expected)
