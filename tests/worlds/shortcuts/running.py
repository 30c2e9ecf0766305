"""Programs that families want run. Those of the policies here are our own, so no sandbox is started for them."""

from __future__ import annotations

from typing import Any

from assay.worlds import Program

__all__ = ["run_program"]


def run_program(program: Program) -> dict[str, Any]:
    """What the sandbox says of a program, in the form that `World.settle` and `Family.judge` get."""
    scope: dict[str, Any] = {}
    exec(program.source, scope)
    if program.entry_point not in scope:
        return {"state": "no entry point", "detail": "", "cases": []}
    return {
        "state": "ran",
        "detail": "",
        "cases": [
            {"state": "value", "value": scope[program.entry_point](*case["args"])} for case in program.cases
        ],
    }
