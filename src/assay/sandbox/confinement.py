"""Which confinement this machine gives, found by trying it rather than by asking for versions.

Each candidate is started, runs a program that tries what must not be possible, and is taken only if none of
it was. The order: bubblewrap with namespaces of its own for each program, the same namespaces made by Assay,
bubblewrap with one worker for each program (where it may not nest).
"""

from __future__ import annotations

import os
import platform
import sys
import threading
from typing import Any, Final

import msgspec

from assay.errors import SandboxUnavailable
from assay.sandbox.frames import Report, read_run
from assay.sandbox.inside import wire
from assay.sandbox.inside.values import thaw
from assay.sandbox.launch import Mode, launch
from assay.sandbox.model import Job, Run, job_message

__all__ = ["Confinement", "find_confinement", "sandbox_report"]

_PATIENCE: Final = 30.0
_HOW_TO: Final = """\
What would help, any one of these:
  - install bubblewrap (package 'bubblewrap', command 'bwrap')
  - allow user namespaces: sysctl user.max_user_namespaces=15000; on Debian kernels also
    kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 kernel.apparmor_restrict_unprivileged_userns=0
  - in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined
To run generated code without confinement all the same: --allow-unconfined-code
(allow_unconfined_code=True)."""

# Tries from inside what must not be possible; returns what was, and whether system calls are filtered.
_SELF_TEST: Final = """
import ctypes, os, socket

def check(folder, identity, nested):
    wrong = []
    for path in ("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/environ"):
        if os.path.exists(path):
            wrong.append(path + " can be seen")
    try:  # a folder of that name may be there, /tmp say, but it must be another one
        found = os.stat(folder)
        if [found.st_dev, found.st_ino] == identity:
            wrong.append("the caller's files can be seen")
    except OSError:
        pass
    for path in ("/assay-was-here", os.path.dirname(os.__file__) + "/assay-was-here"):
        try:
            open(path, "w").close()
            wrong.append("files can be written outside the scratch folder")
        except OSError:
            pass
    open("own", "w").close()
    if set(os.environ) - {"HOME", "TMPDIR", "PATH", "LANG", "LC_CTYPE"}:
        wrong.append("environment variables can be seen")
    try:
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.connect(("192.0.2.1", 9))
        wrong.append("there is a network")
    except OSError:
        pass
    if os.getuid() == 0:
        wrong.append("the program is root")
    if nested and os.getpid() != 2:
        wrong.append("there are other processes in sight")
    libc = ctypes.CDLL(None)
    if libc.prctl(39, 0, 0, 0, 0) != 1:
        wrong.append("privileges can be gained")
    return [wrong, libc.prctl(21, 0, 0, 0, 0) == 2]
"""


_ROOT: Final = "the program is root"


class Confinement(msgspec.Struct, frozen=True):
    """The confinement in force. ``name`` is ``none`` when code runs unconfined."""

    name: Mode
    landlock_abi: int
    seccomp: bool


_lock = threading.Lock()
_found: Confinement | None = None
_reasons: list[str] = []


def find_confinement(*, allow_unconfined_code: bool = False) -> Confinement:
    """The best confinement to be had here, tried once in a process's life.

    Raises SandboxUnavailable, with what is missing and how to get it, unless unconfined code is allowed.
    """
    global _found
    with _lock:
        if _found is None and not _reasons:
            _found = _search()
    if _found is not None:
        return _found
    if allow_unconfined_code and sys.platform == "linux":
        return _try("none")
    raise SandboxUnavailable("\n".join(["untrusted code cannot be confined here:", *_reasons, _HOW_TO]))


def sandbox_report(*, allow_unconfined_code: bool = False) -> dict[str, Any]:
    """What confinement is in force, for the record of the environment."""
    found = find_confinement(allow_unconfined_code=allow_unconfined_code)
    return {
        "confinement": found.name,
        "landlock_abi": found.landlock_abi,
        "seccomp": found.seccomp,
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }


def _candidates() -> list[Mode]:
    # Bubblewrap maps one user only; for root that would be root, whom the kernel's process limit excepts.
    if os.getuid() == 0:
        return ["namespaces"]
    return ["bubblewrap", "namespaces", "bubblewrap-once"]


def _search() -> Confinement | None:
    if sys.platform != "linux":
        _reasons.append(f"  - the sandbox is made for Linux; this is {sys.platform}")
        return None
    for mode in _candidates():
        try:
            return _try(mode)
        except (OSError, SandboxUnavailable) as error:
            _reasons.append(f"  - {mode}: {error}")
    return None


def _try(mode: Mode) -> Confinement:
    """Start a worker, look around from inside, and end it again."""
    launched = launch(mode)
    try:
        launched.line.settimeout(_PATIENCE)
        ready = wire.receive(launched.line)
        if ready is None:
            launched.process.wait(_PATIENCE)
            raise SandboxUnavailable(launched.complaint() or f"ended with code {launched.process.returncode}")
        if ready["event"] != "ready":
            raise SandboxUnavailable(ready["why"])
        nested = mode in ("namespaces", "bubblewrap")
        here = os.stat(".")
        case = {"args": [os.getcwd(), [here.st_dev, here.st_ino], nested]}
        job = Job(source=_SELF_TEST, entry_point="check", cases=(case,))
        run = _run_once(launched.line, job)
    finally:
        launched.close()
    result = run.cases[0]
    if run.state != "ran" or result.state != "value":
        raise SandboxUnavailable(f"the self-test did not run: {run.state} {run.detail} {result.message}")
    wrong, filtered = thaw(result.value)
    if wrong and (mode != "none" or _ROOT in wrong):
        raise SandboxUnavailable("; ".join(wrong))
    return Confinement(mode, int(ready["landlock"]), bool(filtered))


def _run_once(line: Any, job: Job) -> Run:
    wire.send_bytes(line, job_message(job))
    while True:
        message = wire.receive(line)
        if message is None or message["event"] in ("failed", "lost"):
            raise SandboxUnavailable((message or {}).get("why", "the worker ended"))
        if message.pop("event") == "report":
            result, output = wire.receive_bytes(line), wire.receive_bytes(line)
            return read_run(job, Report(**message), result or b"", output or b"")
