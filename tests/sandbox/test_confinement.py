"""Which confinement is taken, and what happens when there is none."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import pytest

import assay
from assay.errors import SandboxUnavailable
from assay.sandbox import Job, Limits, Sandbox, confinement, launch, run_all, sandbox_report, thaw
from assay.sandbox.inside import landlock

from .test_pool import gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")

JOB = Job(source="def f(x):\n    return x + 1\n", entry_point="f", cases=({"args": [1]},))


def force(monkeypatch: pytest.MonkeyPatch, *modes: launch.Mode) -> None:
    monkeypatch.setattr(confinement, "_found", None)
    monkeypatch.setattr(confinement, "_reasons", [])
    monkeypatch.setattr(confinement, "_candidates", lambda: list(modes))


def test_the_report_names_what_is_in_force() -> None:
    report = sandbox_report()
    assert report["confinement"] in ("bubblewrap", "namespaces", "bubblewrap-once")
    assert report["landlock_abi"] == landlock.abi()
    assert report["seccomp"] is (os.uname().machine in ("x86_64", "aarch64"))
    assert msgspec.json.decode(msgspec.json.encode(report)) == report


@pytest.mark.parametrize("mode", ["bubblewrap", "namespaces", "bubblewrap-once"])
def test_each_kind_of_confinement_runs_programs(mode: launch.Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    if mode.startswith("bubblewrap") and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    force(monkeypatch, mode)
    runs = run_all([JOB] * 4)
    assert [thaw(run.cases[0].value) for run in runs] == [2] * 4
    assert sandbox_report()["confinement"] == mode


@pytest.mark.parametrize("folder", ["/tmp", "/"])
def test_a_folder_that_is_there_inside_too_is_not_taken_for_the_callers(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user in /tmp was refused: the sandbox has a /tmp of its own."""
    monkeypatch.chdir(folder)
    force(monkeypatch, "namespaces")
    assert thaw(run_all([JOB])[0].cases[0].value) == 2


def test_without_confinement_code_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch, "namespaces", "bubblewrap")
    monkeypatch.setenv("PATH", "/nowhere")
    real = launch.launch

    def refused(mode: launch.Mode) -> launch.Launched:
        if mode == "namespaces":
            raise OSError(1, "unshare: Operation not permitted")
        return real(mode)

    monkeypatch.setattr(confinement, "launch", refused)
    with pytest.raises(SandboxUnavailable) as caught:
        run_all([JOB])
    message = str(caught.value)
    assert "namespaces: [Errno 1] unshare: Operation not permitted" in message
    assert "bubblewrap: bwrap is not installed" in message
    assert "--allow-unconfined-code" in message
    assert "install bubblewrap" in message


def test_a_confinement_that_leaks_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch, "namespaces")
    leaky = confinement._SELF_TEST.replace("wrong = []", "wrong = ['there is a network']")
    monkeypatch.setattr(confinement, "_SELF_TEST", leaky)
    with pytest.raises(SandboxUnavailable, match="namespaces: there is a network"):
        sandbox_report()


def test_a_worker_says_why_it_could_not_enter_its_namespaces() -> None:
    program = (
        "import resource, runpy, sys\n"
        "from assay.sandbox import confinement\n"
        "confinement._candidates = lambda: ['namespaces']\n"
        "open('/proc/sys/user/max_net_namespaces', 'w').write('0')\n"
        "print(confinement.sandbox_report())\n"
    )
    # In a user namespace of its own the count may be lowered without touching anyone else's.
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("the command 'unshare' is not installed")
    done = subprocess.run(
        [unshare, "--user", "--map-root-user", sys.executable, "-c", program], capture_output=True, text=True
    )
    if "PermissionError" in done.stderr or "unshare failed" in done.stderr:
        pytest.skip("namespace counts cannot be set here")
    assert "namespaces: unshare: No space left on device" in done.stderr


def test_unconfined_code_still_gets_a_fresh_limited_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    force(monkeypatch)
    monkeypatch.setenv("ASSAY_CANARY", "seen")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = (
        "import os, time\n"
        "def f(x):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        os.fork()\n"
        "        time.sleep(600)\n"
        "    open('left', 'w').write('x')\n"
        "    return 'ASSAY_CANARY' in os.environ, os.getcwd()\n"
    )
    loop = Job(source="def f(x):\n    while True: pass", entry_point="f", cases=({"args": [1]},))
    loop = msgspec.structs.replace(loop, limits=Limits(wall_seconds=0.3))

    async def scenario() -> None:
        async with Sandbox(workers=1, allow_unconfined_code=True) as sandbox:
            assert sandbox.confinement.name == "none"
            run = await sandbox.run(msgspec.structs.replace(JOB, source=source))
            seen, folder = thaw(run.cases[0].value)
            assert not seen
            assert Path(folder).parent.parent == tmp_path
            assert not os.path.exists(folder)  # noqa: ASYNC240
            assert (await sandbox.run(loop)).state == "timeout"
            assert (await sandbox.run(JOB)).state == "ran"

    asyncio.run(scenario())
    assert list(tmp_path.iterdir()) == []
    assert gone(os.getpid())


@pytest.mark.skipif(os.getuid() != 0, reason="only root has an identity to give up")
def test_unconfined_code_of_root_runs_as_nobody_without_capabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch)
    source = (
        "import ctypes, os\n"
        "def f():\n"
        "    libc, sets = ctypes.CDLL(None), (ctypes.c_uint * 6)()\n"
        "    libc.capget((ctypes.c_uint * 2)(0x20080522, 0), sets)\n"
        "    open('own', 'w').close()\n"
        "    return *os.getresuid(), *os.getresgid(), os.getgroups(), list(sets)\n"
    )
    job = Job(source=source, entry_point="f", cases=({},))
    run = run_all([job], allow_unconfined_code=True)[0]
    assert thaw(run.cases[0].value) == (*[65534] * 6, [], [0] * 6)


def test_unconfined_code_is_refused_where_root_cannot_become_anyone_else() -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], check=False).returncode:
        pytest.skip("user namespaces cannot be made with unshare here")
    program = (
        "from assay.sandbox import confinement\n"
        "confinement._candidates = lambda: []\n"
        "confinement._reasons.append('tried nothing')\n"
        "print(confinement.sandbox_report(allow_unconfined_code=True))\n"
    )
    done = subprocess.run([unshare, "-rn", sys.executable, "-c", program], capture_output=True, text=True)
    assert "SandboxUnavailable: root is alone in its user namespace" in done.stderr


def test_only_the_interpreters_own_files_are_shown() -> None:
    files = launch.python_files()
    base = os.path.realpath(sys.base_prefix)
    system = ("/lib", "/usr/lib", "/usr/local/lib", "/nix/store")
    assert all(folder.startswith((base + "/", *system)) for folder in files.visible)
    assert str(Path.home()) not in files.visible
    assert base not in files.visible


def test_programs_run_without_site_packages_and_with_a_fixed_hash_seed() -> None:
    source = (
        "import sys, os\n"
        "def f(x):\n"
        "    flags = sys.flags\n"
        "    safe = flags.hash_randomization, flags.no_site, flags.no_user_site, flags.safe_path\n"
        "    return *safe, hash('a'), sorted(os.environ), sys.argv, [p for p in sys.path if 'site-' in p]\n"
    )
    runs = run_all([msgspec.structs.replace(JOB, source=source)] * 2, workers=2)
    first, second = [thaw(run.cases[0].value) for run in runs]
    assert first == second
    assert first[:4] == (0, 1, 1, True)
    assert first[5:] == (["HOME", "LANG", "PATH", "TMPDIR"], ["program.py"], [])


MANY_OPEN = """
import os, resource
from assay.sandbox import Job, run_all, thaw
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
kept = [os.dup(0) for _ in range(4200)]
source = '''
import os, stat
def f():
    found = []
    for fd in range(3, 20000):
        try: found.append(stat.S_ISFIFO(os.fstat(fd).st_mode))
        except OSError: pass
    return found
'''
print(thaw(run_all([Job(source=source, entry_point="f", cases=({},))])[0].cases[0].value))
"""


def test_a_program_has_its_result_pipe_and_nothing_else_however_many_files_the_caller_has() -> None:
    if 0 <= resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 5000:
        pytest.skip("not so many files can be opened here")
    done = subprocess.run([sys.executable, "-c", MANY_OPEN], capture_output=True, text=True)
    assert done.stdout == "[True]\n", done.stderr


AS_NOBODY = """
import sys
from assay.sandbox import Job, run_all, sandbox_report, thaw
job = Job(source="import os\\ndef f(): return os.getuid(), os.listdir('.')", entry_point="f", cases=({},))
print(sandbox_report()["confinement"], thaw(run_all([job])[0].cases[0].value))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("bubblewrap", [True, False])
def test_an_ordinary_user_is_confined_too(bubblewrap: bool) -> None:
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if python is None:
        pytest.skip("no interpreter that other users can run")
    if bubblewrap and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True)
    if version.stdout.decode().strip() != str(sys.version_info[:2]):
        pytest.skip("msgspec here is built for another version than the system's Python")
    folders = [str(Path(assay.__file__).parents[1]), str(Path(msgspec.__file__).parents[1])]
    path = "/usr/bin:/bin" if bubblewrap else "/nowhere"
    environment = {"PYTHONPATH": ":".join(folders), "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [python, "-c", AS_NOBODY],
        env=environment,
        cwd="/",
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
    )
    if "Permission denied" in done.stderr and "assay" in done.stderr:
        pytest.skip("other users cannot read this checkout")
    wanted = "bubblewrap" if bubblewrap else "namespaces"
    assert done.stdout.strip() == f"{wanted} (65534, [])", done.stderr


ALONE_PROGRAM = """
import os, socket, threading
def f():
    out = []
    thread = threading.Thread(target=lambda: out.append("thread"))
    thread.start()
    thread.join()
    for attempt in (os.fork, lambda: socket.socket(socket.AF_INET), lambda: open("/etc/passwd")):
        try:
            attempt()
            out.append("done")
        except OSError as error:
            out.append(type(error).__name__)
    return out, os.getuid()
"""
ALONE = """
import json, sys
from assay.sandbox import Job, run_all, sandbox_report, thaw
[found] = run_all([Job(source=sys.argv[1], entry_point="f", cases=({},))], workers=1)
print(json.dumps([sandbox_report()["confinement"], thaw(found.cases[0].value)]))
"""


def test_a_root_that_is_alone_in_its_user_namespace_is_confined_and_starts_no_processes() -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], check=False).returncode:
        pytest.skip("user namespaces cannot be made with unshare here")
    done = subprocess.run(
        [unshare, "-rn", sys.executable, "-c", ALONE, ALONE_PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    name, (seen, uid) = json.loads(done.stdout)
    assert name in ("namespaces", "bubblewrap", "bubblewrap-once")
    assert seen[0] == "thread"
    assert seen[2:] == ["PermissionError", "FileNotFoundError"]
    assert uid != 0
    if os.getuid() == 0:  # the kernel would not limit how many processes root starts, so there are none
        assert seen[1] == "PermissionError"
