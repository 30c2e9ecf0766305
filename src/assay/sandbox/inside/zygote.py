"""The worker: a warm interpreter that enters its namespaces once and is forked for every program.

Started by ``boot`` in ``python -S -s -P`` with a clean environment. Two processes under ``namespaces``:
one that waits outside, and the worker proper, which is process 1 of its own PID namespace, so that killing
either leaves nothing behind.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import importlib.util
import json
import os
import signal
import socket
import sys
from types import ModuleType
from typing import Any, Final

from . import confine, kernel, landlock, wire
from . import filter as syscall_filter

__all__ = ["EXTRA", "WARM", "main", "survey"]

# What programs commonly import: loaded once here, inherited by every fork.
WARM: Final = """
    abc array base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime decimal
    enum fractions functools hashlib heapq io itertools json math numbers operator os queue random re
    statistics string struct textwrap threading time traceback types typing unicodedata
""".split()  # noqa: SIM905
# Not loaded, but their shared libraries have to be where the loader looks.
EXTRA: Final = ["bz2", "ctypes", "lzma", "sqlite3", "ssl", "uuid", "zlib"]
_DONE, _FAILED, _ENDED = 0, 3, 4


def survey() -> None:
    """Print where this interpreter's own files are: all that a program may read."""
    import sysconfig

    for name in [*WARM, *EXTRA]:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    library = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line}
    folders = library | {os.path.dirname(path) for path in mapped if path.startswith("/")}
    outer = sorted(
        f for f in folders if not any(f != g and f.startswith(g.rstrip("/") + "/") for g in folders)
    )
    masked = [os.path.join(f, name) for f in sorted(folders) for name in ("site-packages", "dist-packages")]
    masked = [folder for folder in masked if os.path.isdir(folder)]
    print(json.dumps({"visible": outer, "masked": masked, "library": sorted(library)}))


def main(control: socket.socket, config: dict[str, Any]) -> None:
    """Enter the confinement named in the configuration, say hello, serve until the caller is gone."""
    try:
        for inherited in (control.fileno(), config["proc"]):
            if inherited is not None:
                os.set_inheritable(inherited, False)
        if config["mode"] in ("namespaces", "none"):
            kernel.die_with_parent()
            if os.getppid() != config["caller"]:
                os._exit(_FAILED)
        alone = os.getuid() == 0 and not _nobody_is_there()
        own = None
        if config["mode"] == "namespaces":
            own = _enter_namespaces(config, control)
        elif config["mode"] == "bubblewrap":
            own = kernel.own_pid_namespace()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        plan = _plan(config, own, alone=alone)
        supervisor = _warm_up(plan)
        wire.send(control, {"event": "ready", "landlock": plan["landlock"], "seccomp": plan["seccomp"]})
    except OSError as error:
        wire.send(control, {"event": "failed", "why": error.strerror or str(error)})
        os._exit(_FAILED)
    _serve(control, plan, supervisor)


def _plan(config: dict[str, Any], own: int | None, *, alone: bool) -> dict[str, Any]:
    """All that is known of every program's confinement before there is one. ``own`` is there where it nests."""
    kernel.drop_bounding_set()
    if own is not None:
        kernel.rejoin_pid_namespace(own)  # it is in it already: shows that the kernel can
    plan: dict[str, Any] = {
        "mode": config["mode"],
        "own": own,
        "nested": own is not None,
        "visible": config["visible"],
        "scratch_root": config["scratch_root"],
        "tool": config["tool"],
        "proc": config["proc"],
        "switch_user": os.getuid() == 0,
        "landlock": landlock.abi(),
        "seccomp": syscall_filter.supported(),
        "no_processes": alone,
        "children": kernel.child_signals(),
    }
    if alone and config["mode"] == "none":
        raise OSError(1, "root is alone in its user namespace, and programs could not run as anyone else")
    if alone and not plan["seccomp"]:
        raise OSError(1, "root is alone in its user namespace, and the number of processes cannot be limited")
    confine.prepare(plan)
    return plan


def _serve(control: socket.socket, plan: dict[str, Any], supervisor: ModuleType) -> None:
    """Fork first, read the job in the child: what this process never held, no program finds in its memory.

    The next supervisor is there before its job is.
    """
    while True:
        child = _fork(plan["own"])
        if child == 0:
            _supervise(control, plan, supervisor)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in (_DONE, _ENDED):
            with contextlib.suppress(OSError):
                wire.send(control, {"event": "lost"})
        if code != _DONE or plan["mode"] == "bubblewrap-once":
            os._exit(0)  # after a loss, what is left of its job on the line would be read as another one
        _reap()


def _fork(own: int | None) -> int:
    """A supervisor; where programs get PID namespaces of their own, it is process 1 of one."""
    if own is None:
        return os.fork()
    kernel.unshare(kernel.CLONE_NEWPID)
    child = os.fork()
    if child:
        kernel.rejoin_pid_namespace(own)
    return child


def _supervise(control: socket.socket, plan: dict[str, Any], supervisor: ModuleType) -> None:
    code = _FAILED
    try:
        kernel.die_with_parent()
        code = _DONE if supervisor.supervise(control, plan) else _ENDED
    except OSError as error:
        wire.send(control, {"event": "failed", "why": error.strerror or str(error)})
        code = _ENDED
    finally:
        os._exit(code)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _enter_namespaces(config: dict[str, Any], control: socket.socket) -> int:
    """Returns in the worker proper, with its PID namespace; the process that was started waits for it."""
    uid, gid = os.getuid(), os.getgid()
    asking, answering = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(answering)
        os.read(asking, 1)
        _write_maps(os.getppid(), uid, gid)
    os.close(asking)
    kernel.unshare(
        kernel.CLONE_NEWUSER
        | kernel.CLONE_NEWNS
        | kernel.CLONE_NEWNET
        | kernel.CLONE_NEWIPC
        | kernel.CLONE_NEWUTS
        | kernel.CLONE_NEWPID
        | kernel.CLONE_NEWCGROUP
    )
    os.write(answering, b"x")
    os.close(answering)
    _, status = os.waitpid(helper, 0)
    if status != 0:
        raise OSError(1, "the user namespace's uid_map could not be written")
    kernel.die_with_parent()  # a new user namespace undoes it
    worker = os.fork()
    if worker:
        control.close()
        os.waitpid(worker, 0)
        os._exit(0)
    kernel.die_with_parent()
    own = kernel.own_pid_namespace()  # while /proc can still be seen
    tool = config["tool"]
    confine.build_root(config["visible"], config["masked"], None if tool is None else tool["files"])
    return own


def _write_maps(process: int, uid: int, gid: int) -> None:
    """In a helper that stayed outside. Never returns.

    Root keeps itself, to set things up, and maps nobody, to run programs as: the kernel excepts root from
    the limit on processes. Anyone else can map only themselves, and so can a root that is alone in a user
    namespace of its own (``unshare -r``); its programs are then kept from starting processes at all.
    """
    code = 1
    try:
        if uid == 0 and _nobody_is_there():
            maps = {"uid_map": "0 0 1\n65534 65534 1\n", "gid_map": "0 0 1\n65534 65534 1\n"}
        else:
            maps = {"setgroups": "deny", "uid_map": f"65534 {uid} 1\n", "gid_map": f"65534 {gid} 1\n"}
        for name, text in maps.items():
            with open(f"/proc/{process}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        code = 0
    finally:
        os._exit(code)


def _nobody_is_there() -> bool:
    """Whether the user that programs run as exists in this user namespace."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file]
    return any(first <= 65534 < first + count for first, _, count in rows)


def _warm_up(plan: dict[str, Any]) -> ModuleType:
    """Load what programs import, and bring the process into the state that every program starts from.

    What modules want to be done after a fork (``random`` seeds itself anew, say) is for programs that fork, and
    is told to those: here it would take a quarter of every fork. Returns the supervisor.
    """
    hooks: list[dict[str, Any]] = []
    register, os.register_at_fork = os.register_at_fork, lambda **given: hooks.append(given)
    supervisor = _import_private()
    for name in WARM:
        importlib.import_module(name)
    os.register_at_fork = register
    plan["hooks"] = hooks
    del sys.meta_path[0]  # the finder of these modules, which `boot` put there
    sys.path_importer_cache.clear()
    sys.dont_write_bytecode = True
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update({"HOME": confine.SCRATCH, "TMPDIR": confine.SCRATCH, "PATH": "", "LANG": "C.UTF-8"})
    sys.argv[:] = ["program.py"]
    sys.orig_argv[:] = ["python"]
    sys.modules["random"].seed(0)
    for name in [name for name in sys.modules if name.split(".")[0] in ("inside", "__main__")]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()
    gc.disable()  # until the program runs
    return supervisor


def _import_private() -> ModuleType:
    """The supervisor. What runs beside the program has builtins of its own, out of the program's reach."""
    package = __package__ or "inside"
    for name in ("values", "harness"):
        spec = importlib.util.find_spec(f"{package}.{name}")
        assert spec is not None
        assert spec.loader is not None
        code = spec.loader.get_code(spec.name)  # type: ignore[attr-defined]
        module = ModuleType(spec.name)
        module.__dict__.update(__builtins__=dict(vars(builtins)), __package__=package, __spec__=spec)
        sys.modules[spec.name] = module
        setattr(sys.modules[package], name, module)
        exec(code, module.__dict__)  # noqa: S102  our own source, under private builtins
    return importlib.import_module(f"{package}.supervisor")
