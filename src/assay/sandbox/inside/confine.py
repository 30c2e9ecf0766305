"""What is taken away from a process before it runs untrusted code.

`build_root` and `prepare` are done once a worker, inside fresh namespaces: an empty read-only root holding
only the interpreter's library. `confine_program` and `filter_calls` are done once a program: limits, identity,
capabilities, Landlock and the system call filter, in that order, because each takes away what the next would
need.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from typing import Any, Final

from . import kernel, landlock
from .filter import Filter

__all__ = [
    "DEVICES",
    "INPUT",
    "NOBODY",
    "SCRATCH",
    "build_root",
    "confine_program",
    "filter_calls",
    "make_folder",
    "mount_input",
    "mount_scratch",
    "prepare",
    "remove_folder",
]

SCRATCH: Final = "/tmp"  # noqa: S108  the path inside the sandbox's own root
INPUT: Final = "/input"  # holds what a command reads; there for commands only
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
NOBODY: Final = 65534
_STACKS: Final = 256 * 1024 * 1024  # what the threads of a command reserve and never use
_NOTHING: Final = (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE)
_LIMITED: Final = (
    resource.RLIMIT_CPU,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_AS,
    resource.RLIMIT_DATA,
    resource.RLIMIT_NPROC,
)


def build_root(visible: list[str], masked: list[str], files: Iterable[tuple[str, str]] | None = None) -> None:
    """Leave the caller's file system for one that shows ``visible`` alone, read-only.

    ``masked`` folders (site-packages) are covered by empty ones. ``files``, for a command, are single files
    and where they are shown. The way is bubblewrap's: a temporary root
    first, so that a folder to be shown may lie anywhere.
    """
    kernel.make_mounts_private()
    base = "/tmp"  # noqa: S108  any folder that exists; it is covered in this mount namespace only
    kernel.mount_tmpfs(base, options="mode=755,size=1m")
    os.mkdir(base + "/old")
    os.mkdir(base + "/new")
    kernel.pivot_root(base, base + "/old")
    os.chdir("/")
    kernel.mount_tmpfs("/new", options="mode=755,size=1m")
    for folder in visible:
        os.makedirs("/new" + folder, exist_ok=True)
        kernel.bind_read_only("/old" + folder, "/new" + folder)
    for folder in masked:
        kernel.mount_tmpfs("/new" + folder, options="mode=755,size=4k")
        kernel.remount_read_only("/new" + folder)
    for name in ("lib", "lib64", "lib32", "usr/lib64"):
        if os.path.islink(f"/old/{name}") and not os.path.lexists(f"/new/{name}"):
            os.makedirs(os.path.dirname(f"/new/{name}"), exist_ok=True)
            os.symlink(os.readlink(f"/old/{name}"), f"/new/{name}")
    os.makedirs("/new/dev")
    for device in DEVICES:
        with open("/new" + device, "xb"):
            pass
        kernel.bind_read_only("/old" + device, "/new" + device, device=True)
    if files is not None:
        _show_files(files)
    os.makedirs("/new" + SCRATCH, exist_ok=True)
    kernel.unmount("/old")
    os.chdir("/new")
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    kernel.mount_tmpfs(SCRATCH, options="mode=755,size=4k")
    kernel.remount_read_only("/", recursive=False)  # the devices mounted on it have to stay usable


def _show_files(files: Iterable[tuple[str, str]]) -> None:
    """What a command needs on top: single files, and a place for its input. There is no ``/proc/self/fd``."""
    for source, shown in files:
        os.makedirs(os.path.dirname("/new" + shown), exist_ok=True)
        with open("/new" + shown, "xb"):
            pass
        kernel.bind_read_only("/old" + source, "/new" + shown)
    os.mkdir("/new" + INPUT)
    os.symlink(INPUT + "/stdin", "/new/dev/stdin")


def mount_input(size: int) -> None:
    """A fresh folder for the ``size`` bytes a command is to read."""
    kernel.mount_tmpfs(INPUT, options=f"mode=755,size={size // 4096 * 4096 + 8192}")


def mount_scratch(size: int) -> None:
    """A fresh scratch folder in memory, of limited size, which goes away with its mount namespace."""
    pages = max(1, size // 4096)
    options = f"mode=700,uid={NOBODY},gid={NOBODY},size={pages * 4096},nr_inodes={min(pages, 4096) + 16}"
    kernel.mount_tmpfs(SCRATCH, options=options)


def make_folder(plan: dict[str, Any]) -> str:
    """A fresh folder for a program where it has no mount namespace of its own."""
    import tempfile  # with its compression libraries it is a tenth of a worker, and most have no use for it

    folder: str = tempfile.mkdtemp(dir=plan["scratch_root"])
    if plan["switch_user"]:
        os.chown(folder, NOBODY, NOBODY)
    return folder


def remove_folder(folder: str) -> None:
    """Remove what `make_folder` made, with everything that was put into it."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def confine_program(limits: dict[str, Any], plan: dict[str, Any], scratch: str) -> None:
    """Take everything away from this process that the program is not to have; `filter_calls` does the rest.

    Raises OSError if any part of the declared confinement cannot be put in force: the program then does not
    run. Without namespaces (``plan["mode"] == "none"``) Landlock and the filter are still used if they exist.
    """
    os.chdir(scratch)
    _set_limits(limits, plan)
    if plan["switch_user"]:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel.drop_capabilities()
    kernel.die_with_parent()
    kernel.no_new_privileges()
    if plan["ruleset"] is not None:
        plan["ruleset"].restrict([INPUT] if plan["tool"] is not None and plan["mode"] != "none" else [])


def filter_calls(plan: dict[str, Any]) -> int | None:
    """Put the system call filter in force, the last step: it takes away what the others need.

    For a declared command the answer is the descriptor its one ``execve`` is asked about on.
    """
    if plan["filter"] is None:
        return None
    if plan["tool"] is not None:
        return int(plan["filter"].install_asking())
    plan["filter"].install()
    return None


def prepare(plan: dict[str, Any]) -> None:
    """Once a worker: make ready what every program is confined with, and set what is the same for all."""
    os.umask(0o077)
    for kind in _NOTHING:
        resource.setrlimit(kind, (0, 0))
    plan["ceilings"] = {kind: resource.getrlimit(kind)[1] for kind in _LIMITED}
    tool = plan["tool"]
    plan["ruleset"] = plan["filter"] = None
    if plan["landlock"]:
        devices = [path for path in DEVICES if os.path.exists(path)]
        readable, executable = (
            (plan["visible"], ()) if tool is None else (tool["readable"], tool["executables"])
        )
        plan["ruleset"] = landlock.Ruleset(readable, devices, executable)
    if plan["seccomp"] or (tool is not None and plan["mode"] != "none"):
        plan["filter"] = Filter(no_processes=plan["no_processes"], ask=tool is not None)


def _set_limits(limits: dict[str, Any], plan: dict[str, Any]) -> None:
    cpu = int(limits["cpu_seconds"])
    wanted = {
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (limits["scratch_bytes"], limits["scratch_bytes"]),
        resource.RLIMIT_NOFILE: (64, 64),
    }
    if plan["tool"] is None:
        wanted[resource.RLIMIT_AS] = (limits["memory_bytes"], limits["memory_bytes"])
    else:  # reserves far more than it uses: the supervisor measures that, and this bounds a sudden rise
        wanted[resource.RLIMIT_DATA] = (limits["memory_bytes"] + _STACKS, limits["memory_bytes"] + _STACKS)
    if plan["mode"] != "none":
        # Counted for each user of a user namespace (Linux 5.14); there it includes the supervising processes.
        count = limits["processes"] + (0 if plan["switch_user"] else 4)
        wanted[resource.RLIMIT_NPROC] = (count, count)
    for kind, (soft, hard) in wanted.items():
        ceiling = plan["ceilings"][kind]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
