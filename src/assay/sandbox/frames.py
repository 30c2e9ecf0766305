"""From the bytes a program's process left behind to a `Run`. Nothing in these bytes is trusted.

The frames have to be exactly: ``loaded``, one ``case`` for each case in order, ``done``; or ``failed`` alone;
or the beginning of such a sequence when the program was ended. Every line starts with the run's nonce.
Anything else makes the whole run a ``protocol_error`` without values.
"""

from __future__ import annotations

import re
import signal
from typing import Any, Final, Literal

import msgspec

from assay.sandbox.inside.harness import MEMORY_EXIT
from assay.sandbox.inside.values import check
from assay.sandbox.model import (
    CaseResult,
    CommandJob,
    CommandRun,
    Job,
    Limits,
    Run,
    RunState,
    depends_on_environment,
)

__all__ = ["Report", "read_command", "read_run"]

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{6,}")
_TEXT: Final = 500


class Report(msgspec.Struct, frozen=True):
    """What the supervisor saw of a program's process, from outside."""

    stopped: str
    signal: int
    code: int
    cpu: float
    seconds: float
    nonce: str
    cut: bool = False


class _Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    frame: Literal["loaded", "failed", "case", "done"]
    index: int = -1
    state: Literal["value", "exception", "memory"] = "value"
    value: Any = None
    exception: str = ""
    message: str = ""
    bases: tuple[str, ...] = ()
    call: int | None = None


class _Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call of a class case: a value, or what was raised."""

    value: Any = msgspec.UNSET
    exception: str = ""
    message: str = ""
    bases: tuple[str, ...] = ()


class _ForgedError(Exception):
    """The result channel holds something the harness does not write."""


_decoder = msgspec.json.Decoder(_Frame)


def read_run(job: Job, report: Report, result: bytes, output: bytes) -> Run:
    """Classify a finished program. Never raises on account of what the program wrote."""
    state: RunState
    try:
        if report.stopped == "overflow":
            raise _ForgedError(f"more than {job.limits.result_bytes} bytes of results")
        values = max([1, *[len(case.get("calls", ())) for case in job.cases]])
        frames = _frames(report.nonce, result, values * job.limits.value_bytes + 10_000)
        _check_sequence(frames, job)
        cases = [_case_result(frame, job) for frame in frames if frame.frame == "case"]
    except (_ForgedError, RecursionError) as error:
        return _run(
            job, report, output, "protocol_error", f"the result channel was tampered with: {error}", []
        )
    last = frames[-1] if frames else None
    if last is not None and last.frame == "failed":
        state = "memory" if last.state == "memory" else "exception"
        parts = [_shown(text) for text in (last.exception, last.message) if text]
        return _run(job, report, output, state, ": ".join(parts), [])
    if last is not None and last.frame == "done":
        return _run(job, report, output, "ran", "", cases)
    state, detail = _end_of(job, report)
    if last is not None and len(cases) < len(job.cases):
        cases.append(CaseResult(state=state if state in ("timeout", "memory") else "killed", message=detail))
    return _run(job, report, output, state, detail, cases)


def _run(
    job: Job, report: Report, output: bytes, state: RunState, detail: str, cases: list[CaseResult]
) -> Run:
    missing = len(job.cases) - len(cases)
    full = (*cases, *[CaseResult(state="not_run")] * missing)
    return Run(
        state=state,
        detail=detail,
        cases=full,
        output=_ADDRESS.sub("0x", output.decode("utf-8", "replace")),
        seconds=report.seconds,
        environment_dependent=depends_on_environment(state, full),
    )


def _frames(nonce: str, result: bytes, longest: int) -> list[_Frame]:
    *lines, tail = result.split(b"\n")
    start = nonce.encode("ascii") + b" "
    if not (tail.startswith(start) or start.startswith(tail)):
        raise _ForgedError("a line without the run's nonce")
    frames = []
    for line in lines:
        if not line.startswith(start):
            raise _ForgedError("a line without the run's nonce")
        if len(line) > longest:
            raise _ForgedError("a frame longer than the values it may hold")
        try:
            frames.append(_decoder.decode(line[len(start) :]))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _ForgedError("a line that is no frame") from error
    return frames


def _check_sequence(frames: list[_Frame], job: Job) -> None:
    count = len(job.cases)
    wanted = [("loaded", -1), *[("case", index) for index in range(count)], ("done", -1)]
    seen = [(frame.frame, frame.index) for frame in frames]
    if seen != wanted[: len(seen)] and seen != [("failed", -1)]:
        raise _ForgedError("frames out of order")


def _case_result(frame: _Frame, job: Job) -> CaseResult:
    if frame.state != "value":
        return CaseResult(
            state=frame.state,
            exception=_shown(frame.exception),
            message=_shown(frame.message),
            bases=_names(frame.bases),
            call=frame.call,
        )
    try:
        if job.kind == "class":
            return CaseResult(
                state="value", value=_calls(frame.value, len(job.cases[frame.index].get("calls", ())))
            )
        check(frame.value)
    except ValueError as error:
        raise _ForgedError(f"a value that was not encoded by the harness ({error})") from error
    return CaseResult(state="value", value=frame.value)


def _calls(value: Any, expected: int) -> list[dict[str, Any]]:
    """What a script of calls came to: for each call its encoded value, or the name of what it raised."""
    told = msgspec.convert(value, list[_Told])  # a ValidationError is a ValueError
    if len(told) != expected:
        raise ValueError("not one result for each call")
    calls: list[dict[str, Any]] = []
    for one in told:
        if one.value is msgspec.UNSET:
            calls.append(
                {
                    "exception": _shown(one.exception),
                    "message": _shown(one.message),
                    "bases": _names(one.bases),
                }
            )
        else:
            check(one.value)
            calls.append({"value": one.value})
    return calls


def _names(bases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_shown(base) for base in bases[:12])


def _end_of(job: Job, report: Report) -> tuple[Literal["timeout", "memory", "killed"], str]:
    """Why a program ended before its results were complete."""
    ended = _ended(job.limits, report)
    if ended is not None:
        return ended
    if report.code == MEMORY_EXIT:
        return "memory", f"more than {job.limits.memory_bytes} bytes of memory"
    return "killed", f"ended with exit code {report.code} before its results were complete"


def _ended(limits: Limits, report: Report) -> tuple[Literal["timeout", "memory", "killed"], str] | None:
    """Why a process was ended; None if it ended by itself."""
    if report.stopped == "timeout":
        return "timeout", f"more than {limits.wall_seconds:g} s of wall time"
    if report.stopped == "memory":
        return "memory", f"more than {limits.memory_bytes} bytes of memory"
    over = report.signal == signal.SIGKILL and report.cpu >= limits.cpu_seconds
    if report.signal == signal.SIGXCPU or over:
        return "timeout", f"more than {limits.cpu_seconds} s of processor time"
    if report.signal:
        try:
            name = signal.Signals(report.signal).name
        except ValueError:
            name = str(report.signal)
        return "killed", f"ended by signal {name}"
    return None


def read_command(job: CommandJob, report: Report, output: bytes, errors: bytes) -> CommandRun:
    """What a finished command came to. What it printed is kept as it is, bytes that are no text replaced."""
    ended = _ended(job.limits, report)
    return CommandRun(
        state="ran" if ended is None else ended[0],
        detail="" if ended is None else ended[1],
        exit_code=report.code if ended is None else None,
        output=output.decode("utf-8", "replace"),
        errors=errors.decode("utf-8", "replace"),
        cut=report.cut,
        seconds=report.seconds,
        environment_dependent=ended is not None,
    )


def _shown(text: str) -> str:
    return _ADDRESS.sub("0x", text)[:_TEXT]
