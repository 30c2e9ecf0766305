"""Runs Python programs nobody trusts. Linux only.

One fresh process a program, in namespaces of its own with Landlock and a system call filter; expected values
never enter it; results come out as plain data and are compared outside. See docs/sandbox.md.
"""

from __future__ import annotations

from assay.sandbox.confinement import Confinement, find_confinement, sandbox_report
from assay.sandbox.inside.values import Opaque, thaw
from assay.sandbox.model import CaseResult, Job, Limits, Run, freeze
from assay.sandbox.pool import Sandbox, run_all

__all__ = [
    "CaseResult",
    "Confinement",
    "Job",
    "Limits",
    "Opaque",
    "Run",
    "Sandbox",
    "find_confinement",
    "freeze",
    "run_all",
    "sandbox_report",
    "thaw",
]
