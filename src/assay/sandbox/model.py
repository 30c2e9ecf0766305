"""What goes into the sandbox and what comes out: plain, frozen, JSON-able."""

from __future__ import annotations

import json
import marshal
import re
from typing import Any, Final, Literal

import msgspec

from assay.errors import InputError
from assay.sandbox.inside.values import TooLarge, encode

__all__ = [
    "CaseResult",
    "CaseState",
    "CommandJob",
    "CommandRun",
    "CommandState",
    "Job",
    "Limits",
    "Run",
    "RunState",
    "freeze",
]

RunState = Literal["ran", "exception", "timeout", "memory", "killed", "protocol_error", "lost"]
CommandState = Literal["ran", "timeout", "memory", "killed", "unavailable", "lost"]
CaseState = Literal["value", "exception", "timeout", "memory", "killed", "not_run"]
_ENVIRONMENT = frozenset({"timeout", "memory", "killed", "lost"})
_FIELDS = {"function": ("args", "kwargs"), "class": ("init", "calls")}
_JOB_BYTES = 64_000_000
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
_PAGE: Final = 4096


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one program may use.

    ``memory_bytes`` is the address space of a Python program and the resident memory of a command, the
    interpreter's own included.
    """

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * 1024 * 1024
    processes: int = 16
    scratch_bytes: int = 16 * 1024 * 1024
    output_bytes: int = 64 * 1024
    value_bytes: int = 256_000
    result_bytes: int = 16_000_000

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0:
                raise InputError(f"limit {name!r} must be above zero, not {getattr(self, name)!r}")


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One program and the cases to put to it. There is no field for expected values, on purpose.

    A case of a function is ``{"args": [...], "kwargs": {...}}``; a case of a class is
    ``{"init": [...], "calls": [{"method": "push", "args": [...]}]}`` and gets an object of its own.
    Arguments are plain values as `thaw` knows them, tuples and sets included; each case gets fresh copies.
    """

    source: str
    entry_point: str
    kind: Literal["function", "class"] = "function"
    cases: tuple[dict[str, Any], ...] = ()
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.kind not in _FIELDS:
            raise InputError(f"kind must be 'function' or 'class', not {self.kind!r}")


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one case came to. ``value`` is encoded (see `thaw`).

    Of a class it is a list with one entry a call: ``{"value": encoded}``, or ``{"exception": name, "message":
    …, "bases": […]}`` for a call that raised; the script goes on after it. ``bases`` are the names of the
    exception's ancestors. ``call`` is the call that ran out of memory.
    """

    state: CaseState
    value: Any = None
    exception: str = ""
    message: str = ""
    bases: tuple[str, ...] = ()
    call: int | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What one program came to. `comparable` is the part that must be the same on replay."""

    state: RunState
    detail: str = ""
    cases: tuple[CaseResult, ...] = ()
    output: str = ""
    seconds: float = 0.0
    environment_dependent: bool = False

    def comparable(self) -> dict[str, Any]:
        """State, detail and cases as JSON-able data: no timings, and not what the program printed."""
        return {
            "state": self.state,
            "detail": self.detail,
            "cases": [msgspec.to_builtins(case) for case in self.cases],
        }


class CommandJob(msgspec.Struct, frozen=True, kw_only=True):
    """One program in another language, run by a command of this machine: ``("node", "main.js")``.

    ``files`` are plain names and their texts, written into the folder the command is started in. There is no
    field for expected values: what the program prints comes out and is compared outside.
    """

    command: tuple[str, ...]
    files: dict[str, str] = {}
    stdin: str = ""
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise InputError("a command names at least the program to run, for example ('node', 'main.js')")
        program = self.command[0]
        if "/" in program and not program.startswith("/"):
            raise InputError(f"command {program!r} must be a name found on PATH or an absolute path")
        for name in self.files:
            if not _PLAIN_NAME.fullmatch(name):
                why = "letters, digits and _ . + -, not starting with a dot or a dash, without any folder"
                raise InputError(f"file name {name!r} is not plain ({why})")
        for where, text in self._texts():
            if "\0" in text and where.startswith("argument"):
                raise InputError(f"{where} of command {program!r} holds a null character")
            try:
                text.encode()
            except UnicodeEncodeError:
                raise InputError(f"{where} of command {program!r} is no text that UTF-8 can hold") from None
        # Every file takes whole pages of the scratch folder, and one for its entry there.
        needed = sum(len(text.encode()) // _PAGE * _PAGE + 2 * _PAGE for text in self.files.values())
        if needed > self.limits.scratch_bytes:
            raise InputError(f"the files need {needed} bytes; scratch_bytes is {self.limits.scratch_bytes}")

    def _texts(self) -> list[tuple[str, str]]:
        arguments = [(f"argument {number}", text) for number, text in enumerate(self.command)]
        return [
            *arguments,
            *[(f"file {name!r}", text) for name, text in self.files.items()],
            ("stdin", self.stdin),
        ]


class CommandRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a command came to. ``ran`` means that it ended by itself, with whatever exit code.

    ``output`` and ``errors`` are what it wrote to stdout and stderr, each up to ``output_bytes``; ``cut``
    tells that there was more. ``exit_code`` is None when it was ended or could not be started.
    """

    state: CommandState
    detail: str = ""
    exit_code: int | None = None
    output: str = ""
    errors: str = ""
    cut: bool = False
    seconds: float = 0.0
    environment_dependent: bool = False

    def comparable(self) -> dict[str, Any]:
        """Everything but the timing, as JSON-able data: what was printed is the result."""
        return {
            "state": self.state,
            "detail": self.detail,
            "exit_code": self.exit_code,
            "output": self.output,
            "errors": self.errors,
            "cut": self.cut,
        }


def depends_on_environment(state: str, cases: tuple[CaseResult, ...]) -> bool:
    """Time, memory and violent ends fall differently on another machine."""
    return state in _ENVIRONMENT or any(case.state in _ENVIRONMENT for case in cases)


def freeze(value: object) -> Any:
    """A plain Python value in its encoded, JSON-able form. Raises InputError for anything else."""
    return msgspec.json.decode(_text(value, "value"))


def job_message(job: Job | CommandJob) -> bytes:
    """The job as a worker reads it: arguments encoded, everything checked."""
    if isinstance(job, CommandJob):
        message = msgspec.json.encode(job)
        if len(message) > _JOB_BYTES:
            raise InputError(f"the job of command {job.command[0]!r} has more than {_JOB_BYTES} bytes")
        return marshal.dumps(msgspec.json.decode(message))
    cases = ",".join(_case(job, index, case) for index, case in enumerate(job.cases))
    fields = {
        "source": json.dumps(job.source),
        "entry_point": json.dumps(job.entry_point),
        "kind": json.dumps(job.kind),
        "limits": msgspec.json.encode(job.limits).decode(),
        "cases": f"[{cases}]",
    }
    body = ",".join(f'"{name}":{text}' for name, text in fields.items())
    return marshal.dumps(json.loads("{" + body + "}"))


def _case(job: Job, index: int, case: dict[str, Any]) -> str:
    where = f"case {index} of {job.entry_point!r}"
    known = _FIELDS[job.kind]
    for name in case:
        if name not in known:
            why = "a case holds arguments only, expected values never enter the sandbox"
            raise InputError(f"{where}: unknown field {name!r}; known: {', '.join(known)} ({why})")
    if job.kind == "function":
        args, kwargs = list(case.get("args", [])), dict(case.get("kwargs", {}))
        return '{"args":' + _text(args, where) + ',"kwargs":' + _text(kwargs, where) + "}"
    calls = ",".join(_call(where, number, call) for number, call in enumerate(case.get("calls", [])))
    return '{"init":' + _text(list(case.get("init", [])), where) + ',"calls":[' + calls + "]}"


def _call(where: str, number: int, call: dict[str, Any]) -> str:
    where = f"{where}, call {number}"
    unknown = set(call) - {"method", "args", "kwargs"}
    if unknown or not isinstance(call.get("method"), str):
        raise InputError(f"{where}: a call is method, args and kwargs, not {sorted(map(str, call))}")
    args, kwargs = list(call.get("args", [])), dict(call.get("kwargs", {}))
    method, args_text, kwargs_text = json.dumps(call["method"]), _text(args, where), _text(kwargs, where)
    return '{"method":' + method + ',"args":' + args_text + ',"kwargs":' + kwargs_text + "}"


def _text(value: object, where: str) -> str:
    try:
        return encode(value, max_bytes=_JOB_BYTES, opaque=False)
    except (TooLarge, TypeError) as error:
        raise InputError(f"{where}: {error}") from error
