"""The environment of a run: recorded, never locked. No host name, no user, no environment variable."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from assay import __version__
from assay.errors import SandboxUnavailable
from assay.sandbox import sandbox_report

__all__ = ["environment"]

_PACKAGES = ("httptools", "msgspec", "numpy", "rapidfuzz", "scipy", "xllamacpp")


def _sandbox(allow_unconfined_code: bool) -> dict[str, Any]:
    try:
        return sandbox_report(allow_unconfined_code=allow_unconfined_code)
    except SandboxUnavailable:
        return {"confinement": "unavailable"}  # the run was let begin, so nothing in it runs programs


def environment(*, allow_unconfined_code: bool = False) -> dict[str, Any]:
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "sandbox": _sandbox(allow_unconfined_code),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
