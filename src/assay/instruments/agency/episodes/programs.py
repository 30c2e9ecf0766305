"""Runs a world's programs in the sandbox without an event loop: for calibration, benchmarks and checks."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from assay.sandbox import Job, Sandbox
from assay.worlds import Program

__all__ = ["ProgramRunner", "job_of"]


def job_of(program: Program) -> Job:
    return Job(source=program.source, entry_point=program.entry_point, cases=program.cases)


class ProgramRunner:
    """``with ProgramRunner() as run: run(program)``. The sandbox is opened by the first program, and used for all."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._sandbox: Sandbox | None = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, program: Program) -> dict[str, Any]:
        if self._sandbox is None:
            sandbox = Sandbox(workers=1)
            self._runner.run(sandbox.__aenter__())
            self._sandbox = sandbox
        return self._runner.run(self._sandbox.run(job_of(program))).comparable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._sandbox is not None:
            self._runner.run(self._sandbox.__aexit__(None, None, None))
        self._runner.close()
