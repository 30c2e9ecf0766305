"""Runs programs nobody trusts: Python's, and those of a declared command. Linux only.

One fresh process a program, in namespaces of its own with Landlock and a system call filter; expected values
never enter it; results come out as plain data and are compared outside. See docs/sandbox.md.
"""

from __future__ import annotations

from assay.sandbox.confinement import Confinement, find_confinement, sandbox_report
from assay.sandbox.inside.values import Opaque, thaw
from assay.sandbox.model import CaseResult, CommandJob, CommandRun, Job, Limits, Run, freeze
from assay.sandbox.pool import Sandbox, run_all
from assay.sandbox.tools import find_command

__all__ = [
    "CaseResult",
    "CommandJob",
    "CommandRun",
    "Confinement",
    "Job",
    "Limits",
    "Opaque",
    "Run",
    "Sandbox",
    "find_command",
    "find_confinement",
    "freeze",
    "run_all",
    "sandbox_report",
    "thaw",
]
