"""How a worker is started under each kind of confinement."""

from __future__ import annotations

import contextlib
import functools
import glob
import marshal
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import IO, Any, Final, Literal

import msgspec

from assay.errors import SandboxUnavailable
from assay.sandbox.inside.confine import DEVICES, INPUT, SCRATCH
from assay.sandbox.inside.wire import send_bytes
from assay.sandbox.model import Limits
from assay.sandbox.tools import Tool, outermost

__all__ = ["Launched", "Mode", "launch", "python_files"]

Mode = Literal["bubblewrap", "namespaces", "bubblewrap-once", "none"]
_INSIDE: Final = Path(__file__).parent / "inside"
# -I would ignore PYTHONHASHSEED; these flags and an environment made from nothing come to the same.
_FLAGS: Final = ("-S", "-s", "-P", "-B")
_ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "MALLOC_ARENA_MAX": "1",  # every further arena reserves 64 MiB of the address space limit
}


class PythonFiles(msgspec.Struct, frozen=True):
    """Where the interpreter's own files are: all that a program gets to read."""

    executable: str
    environment: dict[str, str]
    visible: list[str]
    masked: list[str]
    library: list[str]


class Launched(msgspec.Struct, frozen=True):
    """A worker that was started: its process, the caller's end of the line, and its error output."""

    process: subprocess.Popen[bytes]
    line: socket.socket
    errors: IO[bytes]

    def complaint(self) -> str:
        """What the process wrote to its error output, for the message when it did not come up."""
        self.errors.seek(0)
        return self.errors.read(2000).decode("utf-8", "replace").strip()

    def close(self, patience: float = 2.0) -> None:
        """Hang up and wait; a worker ends its program and itself when the line is closed."""
        self.line.close()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()


@functools.cache
def python_files() -> PythonFiles:
    """Ask the base interpreter, in a process of its own, which folders it needs."""
    executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    environments = [dict(_ENVIRONMENT)]
    if "LD_LIBRARY_PATH" in os.environ:  # an interpreter that does not find its own library otherwise
        environments.append({**_ENVIRONMENT, "LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]})
    survey = (
        f"import sys; sys.path.insert(0, {str(_INSIDE.parent)!r}); from inside.zygote import survey; survey()"
    )
    command = [executable, *_FLAGS, "-c", survey]
    for environment in environments:
        done = subprocess.run(command, env=environment, capture_output=True, check=False, cwd="/")  # noqa: S603
        if done.returncode == 0:
            found = msgspec.json.decode(done.stdout, type=dict[str, list[str]])
            return PythonFiles(executable=executable, environment=environment, **found)
    complaint = done.stderr.decode("utf-8", "replace").strip()
    raise SandboxUnavailable(f"the interpreter {executable} could not be started: {complaint[-500:]}")


@functools.cache
def _modules() -> tuple[str, dict[str, CodeType]]:
    """The program text a worker starts with, and the modules it is sent. Nothing in them names their folder."""
    codes = {}
    for file in sorted(_INSIDE.glob("*.py")):
        inside = "inside" if file.stem == "__init__" else f"inside.{file.stem}"
        code = SourceFileLoader(f"assay.sandbox.{inside}", str(file)).get_code(f"assay.sandbox.{inside}")
        assert code is not None
        codes[inside] = _renamed(code, f"inside/{file.name}")
    return (_INSIDE / "boot.py").read_text("utf-8"), codes


def _renamed(code: CodeType, name: str) -> CodeType:
    """The code as if it stood in a file of this name."""
    constants = [_renamed(one, name) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.replace(co_filename=name, co_consts=tuple(constants))


def launch(mode: Mode, *, scratch_root: str | None = None, tool: Tool | None = None) -> Launched:
    """Start a worker, for Python programs or for those that ``tool`` runs.

    Its hello, or its reason for failing, is the first message on the line.
    """
    files = _with_tool(python_files(), tool)
    shown = None if tool is None else _shown(tool, files)
    bubbled = mode in ("bubblewrap", "bubblewrap-once")
    wrapper = _bubblewrap(files, shown, nested=mode == "bubblewrap") if bubbled else []
    ours, theirs = socket.socketpair()
    errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by Launched.close
    # A command's memory is measured from outside; the supervisor has no other way to see it.
    proc = None if tool is None else os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    config: dict[str, Any] = {
        "mode": mode,
        "visible": files.visible,
        "masked": files.masked,
        "scratch_root": scratch_root or SCRATCH,
        "tool": shown,
        "proc": proc,
    }
    text, codes = _modules()
    told = {"caller": os.getpid(), "fd": theirs.fileno()}
    arguments = [*_FLAGS, "-c", text, msgspec.json.encode(told).decode()]
    command = [*wrapper, files.executable, *arguments]
    passed = [theirs.fileno(), *([] if proc is None else [proc])]
    try:
        process = subprocess.Popen(  # noqa: S603  our own interpreter and arguments
            command,
            env=files.environment,
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd="/",
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        errors.close()
        raise
    finally:
        theirs.close()
        if proc is not None:
            os.close(proc)
    with contextlib.suppress(OSError):  # one that ended at once has said why
        send_bytes(ours, marshal.dumps((config, codes)))
    return Launched(process, ours, errors)


def _with_tool(files: PythonFiles, tool: Tool | None) -> PythonFiles:
    """What the worker itself needs, and beside it what the tool does."""
    if tool is None:
        return files
    visible = list(outermost([*files.visible, *tool.folders]))
    masked = sorted({*files.masked, *tool.masked})
    return msgspec.structs.replace(files, visible=visible, masked=masked)


def _shown(tool: Tool, files: PythonFiles) -> dict[str, Any]:
    """The tool as its worker and its programs know it."""
    inside = tuple(folder + "/" for folder in files.visible)
    return {
        "executable": tool.executable,
        "name": tool.name,
        "executables": list(tool.executables),
        "readable": [*tool.folders, *[at for _, at in tool.files]],
        "files": [(source, at) for source, at in tool.files if not at.startswith(inside)],
    }


def _bubblewrap(files: PythonFiles, tool: dict[str, Any] | None, *, nested: bool) -> list[str]:
    """The command line before the interpreter's: everything unshared, only its own files shown."""
    path = shutil.which("bwrap")
    if path is None:
        raise FileNotFoundError("bwrap is not installed")
    command = [path, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--die-with-parent"]
    if nested:  # lets the worker give every program namespaces of its own; programs lose it
        command += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    for folder in files.visible:
        command += ["--ro-bind", folder, folder]
    for folder in files.masked:
        command += ["--tmpfs", folder, "--remount-ro", folder]
    command += ["--ro-bind", files.executable, files.executable]
    for name in ("/lib", "/lib64", "/lib32", "/usr/lib64"):
        if os.path.islink(name):
            command += ["--symlink", os.readlink(name), name]
    for loader in sorted([*glob.glob("/lib64/ld-*.so*"), *glob.glob("/lib/ld-*.so*")]):
        shown = os.path.join(os.path.realpath(os.path.dirname(loader)), os.path.basename(loader))
        if not any(shown.startswith(folder + "/") for folder in files.visible):
            command += ["--ro-bind", os.path.realpath(loader), shown]
    for source, shown in () if tool is None else tool["files"]:
        command += ["--ro-bind", source, shown]
    if tool is not None:
        command += ["--tmpfs", INPUT, "--symlink", f"{INPUT}/stdin", "/dev/stdin"]
    for device in DEVICES:
        command += ["--dev-bind", device, device]
    command += ["--size", str(Limits().scratch_bytes), "--tmpfs", SCRATCH, "--remount-ro", "/"]
    return [*command, "--chdir", "/", "--"]
