"""The kind of an output: where it stands in a reply, when two are the same, how far apart they lie, whether one passes.

Programs, JSON and texts are measured by the same machinery; everything in which they differ is an ``OutputKind``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from assay.bench.worker_thread import read_text
from assay.instruments.repeatability.programs.distance import distance
from assay.instruments.repeatability.programs.oracle import OracleJudgement
from assay.sandbox import CommandJob, Job

if TYPE_CHECKING:
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = [
    "LINES",
    "Examination",
    "Examined",
    "Inputs",
    "NormalForms",
    "OutputKind",
    "SandboxRun",
    "examined_by",
    "examined_from",
    "plain_lines",
]

LINES = "lines/1"

Inputs = Sequence[dict[str, Any]]


class NormalForms(Protocol):
    """The normal forms of an output, one attribute a rung. ``fallback``: it cannot be read, and all are its text."""

    @property
    def text(self) -> str: ...
    @property
    def fallback(self) -> bool: ...


class SandboxRun(NamedTuple):
    """A run that an examination asks for. ``shared``: equal outputs need it only once."""

    job: Job | CommandJob
    shared: bool = False


class Examined(NamedTuple):
    """What the oracle says of an output, and where it is run: how it behaves, and whether it could be loaded."""

    judgement: OracleJudgement
    behaviour: str | None = None
    loaded: bool = True


Examination = Generator[SandboxRun, dict[str, Any], Examined]


class OutputKind(ABC):
    """What a cell needs to know of the kind of its outputs."""

    name: str  # the language of programs; else json or text
    noun: str  # what one output is called
    rungs: tuple[str, ...]  # from the narrowest sense of "same" to the widest; bytes is the first
    levels: tuple[str, ...]  # at which distances to the canon are measured; text is the first
    oracle: str  # its version
    judged_by: tuple[str, ...]  # names of the versions that an output is found and judged with
    versions: Mapping[str, str]  # of everything that defines its numbers
    repairs: bool = False
    fields: tuple[str, ...] = ()  # parts whose agreement is measured one by one
    caveat: str = ""  # what follows the contract's id in a note

    @abstractmethod
    def forms(self, output: str) -> NormalForms: ...

    @abstractmethod
    def find(self, reply: str, contract: Contract) -> tuple[int, int]:
        """Where the output stands in the reply: from, to, in characters."""

    @abstractmethod
    def examine(self, output: str, contract: Contract, inputs: Inputs) -> Examination:
        """The oracle. It asks for runs in the sandbox, so that a record can answer in place of one."""

    def same(self, forms: NormalForms) -> str:
        """Outputs with the same are one in pictures of distinct outputs."""
        found: str = getattr(forms, self.levels[-1])
        return found

    def distance(self, one: NormalForms, other: NormalForms, level: str) -> Fraction:
        return distance(getattr(one, level), getattr(other, level))

    def field(self, output: str, name: str) -> str | None:
        """A part in a form that can be compared; None where the output cannot be read."""
        raise NotImplementedError


def plain_lines(text: str) -> str:
    """``lines/1``: CRLF and CR become LF; blanks and tabs at the ends of lines go, and empty lines at the end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).rstrip("\n")


async def examined_by(
    output: str, steps: Examination, run: Callable[[SandboxRun], Awaitable[dict[str, Any]]]
) -> Examined:
    """An examination whose runs are carried out now. A long output is read outside the event loop."""
    found = await read_text(output, lambda _: _next_step(steps, None))
    while not isinstance(found, Examined):
        found = await read_text(output, _answering(steps, await run(found)))
    return found


def _answering(steps: Examination, answer: dict[str, Any]) -> Callable[[str], SandboxRun | Examined]:
    return lambda _: _next_step(steps, answer)


def _next_step(steps: Examination, answer: dict[str, Any] | None) -> SandboxRun | Examined:
    """The next run that is asked for, or the end. (A StopIteration cannot be handed on by a thread.)"""
    try:
        return next(steps) if answer is None else steps.send(answer)
    except StopIteration as stop:
        found: Examined = stop.value
        return found


def examined_from(steps: Examination, recorded: Iterable[dict[str, Any]]) -> Examined:
    """An examination whose runs are on record, in the order in which they were asked for."""
    try:
        next(steps)
        for run in recorded:
            steps.send(run)
    except StopIteration as stop:
        found: Examined = stop.value
        return found
    raise ValueError("the record holds fewer runs than the examination asks for")
