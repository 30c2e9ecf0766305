"""Programs that families want run, run in the sandbox."""

from __future__ import annotations

from typing import Any

from assay.sandbox import Job, run_all
from assay.worlds import Program

__all__ = ["run_program"]


def run_program(program: Program) -> dict[str, Any]:
    job = Job(source=program.source, entry_point=program.entry_point, cases=program.cases)
    return run_all([job])[0].comparable()
