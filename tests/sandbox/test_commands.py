"""Programs in other languages, run by a declared command."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import assay
from assay.errors import InputError
from assay.sandbox import CommandJob, CommandRun, Job, Limits, Sandbox, find_command, launch, run_all, thaw
from assay.sandbox.inside import filter as syscall_filter

from .commands import PYTHON, job_of, needed
from .test_confinement import force
from .test_pool import gone, open_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")

PLAIN = Job(source="def f(x):\n    return x + 1\n", entry_point="f", cases=({"args": [1]},))
SLEEP = 'my $n = <STDIN>; select(undef, undef, undef, $n); print "slept $n";'


def shell(script: str, stdin: str = "", **limits: float) -> CommandJob:
    return CommandJob(command=("sh", "-c", script), stdin=stdin, limits=Limits(**limits))  # type: ignore[arg-type]


def run(job: CommandJob) -> CommandRun:
    return run_all([job], workers=1)[0]


def test_what_is_read_and_written_and_the_exit_code() -> None:
    found = run(shell('read -r word; echo "got $word"; echo wrong >&2; exit 3', "a wörd\n"))
    assert (found.state, found.exit_code, found.output, found.errors) == ("ran", 3, "got a wörd\n", "wrong\n")
    assert not found.environment_dependent
    assert not found.cut


def test_node_reads_its_files_and_its_input_whichever_way_it_likes() -> None:
    program = (
        "const fs = require('fs');\n"
        "const double = require('./double.js');\n"
        "const texts = [fs.readFileSync('/dev/stdin', 'utf8'), fs.readFileSync(0, 'utf8')];\n"
        "process.stdin.on('data', (d) => texts.push('stream'));\n"
        "console.log(JSON.stringify(texts.map(Number).map(double)));\n"
    )
    needed("node")
    files = {"main.js": program, "double.js": "module.exports = (x) => 2 * x;\n"}
    found = run(CommandJob(command=("node", "main.js"), files=files, stdin="21"))
    assert (found.state, found.exit_code, found.output, found.errors) == ("ran", 0, "[42,42]\n", "")


def test_node_that_throws_has_run_and_says_so_by_its_exit_code() -> None:
    found = run(job_of("throw new Error('on purpose')"))
    assert (found.state, found.exit_code, found.output) == ("ran", 1, "")
    assert "Error: on purpose\n    at Object.<anonymous> (/tmp/main.js:1:7)" in found.errors


def test_an_interpreter_outside_the_system_folders_finds_its_own_library() -> None:
    found = run(
        job_of("import decimal, json, sys\nprint(decimal.Decimal(sys.stdin.read()) / 4)", ".py", "10")
    )
    assert (found.output, found.errors) == ("2.5\n", "")


def test_both_kinds_of_job_go_into_one_call_and_come_out_in_order() -> None:
    jobs: list[Job | CommandJob] = [shell("echo one"), PLAIN, shell("echo two"), PLAIN, shell("echo three")]
    first, second, third, fourth, fifth = run_all(jobs, workers=2)
    assert [first.output, third.output, fifth.output] == ["one\n", "two\n", "three\n"]
    assert isinstance(second, type(fourth))
    assert not isinstance(second, CommandRun)
    assert thaw(second.cases[0].value) == 2


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_compared_part_is_the_same_every_time(workers: int) -> None:
    needed("perl")
    jobs = [job_of("my $x = <STDIN>; print $x ** 2; warn 'odd' if $x % 2;", ".pl", str(n)) for n in range(6)]
    first, again = run_all(jobs, workers=workers), run_all(jobs, workers=workers)
    assert [found.comparable() for found in first] == [found.comparable() for found in again]
    assert [found.output for found in first] == ["0", "1", "4", "9", "16", "25"]
    assert "seconds" not in first[0].comparable()
    assert first[1].comparable()["errors"].startswith("odd at main.pl")


def test_the_environment_is_four_variables_and_the_time_zone() -> None:
    found = run(job_of("import os\nprint(sorted(os.environ.items()), os.getcwd(), os.listdir())", ".py"))
    names = [("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("PATH", ""), ("TMPDIR", "/tmp"), ("TZ", "UTC")]
    assert found.output == f"{names} /tmp ['main.py']\n"


def test_every_limit_has_its_state() -> None:
    needed("perl")
    tight = Limits(wall_seconds=0.5, memory_bytes=128 << 20)
    jobs = [
        job_of(SLEEP, ".pl", "60", tight),
        job_of("while (1) {}", ".pl", limits=Limits(cpu_seconds=1, wall_seconds=300)),
        job_of("my @kept; push @kept, 'x' x 1000000 while 1;", ".pl", limits=Limits(memory_bytes=128 << 20)),
        job_of("kill 9, $$", ".pl"),
    ]
    runs = run_all(jobs)
    assert [(found.state, found.detail) for found in runs] == [
        ("timeout", "more than 0.5 s of wall time"),
        ("timeout", "more than 1 s of processor time"),
        ("memory", f"more than {128 << 20} bytes of memory"),
        ("killed", "ended by signal SIGKILL"),
    ]
    assert all(found.exit_code is None and found.environment_dependent for found in runs)


def test_a_command_that_only_holds_too_much_memory_is_ended_at_once() -> None:
    needed("perl")
    held = job_of(
        "my $x = 'x' x (64 << 20); sleep 600;", ".pl", limits=Limits(memory_bytes=48 << 20, wall_seconds=60)
    )
    assert run(held).state == "memory"  # without a look at it, its time would have run out first


def test_a_peak_between_two_looks_is_found_all_the_same() -> None:
    needed("perl")
    limits = Limits(memory_bytes=48 << 20)
    short = "my $x = 'x' x (64 << 20); print length $x;"  # over within a few milliseconds
    assert run(job_of(short, ".pl", limits=limits)).state == "memory"
    assert run(job_of(short, ".pl")).output == str(64 << 20)


def test_output_is_cut_at_its_limit_and_that_is_told() -> None:
    found = run(shell("while :; do echo xxxxxxxxx; done", wall_seconds=300, cpu_seconds=1, output_bytes=1000))
    assert (found.state, found.output, found.cut) == ("timeout", "xxxxxxxxx\n" * 100, True)
    exact = run(shell("printf 12345; printf 1234 >&2", output_bytes=5))
    assert (exact.output, exact.errors, exact.cut) == ("12345", "1234", False)


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert run(shell(r"printf 'a\377b'")).output == "a\ufffdb"


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "a/b", "..", ".", ".x", "", "a\0b", "-e", "a\nb", "x" * 101, "ä.js"]
)
def test_a_file_name_that_is_not_plain_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not plain"):
        CommandJob(command=("sh",), files={name: ""})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"command": ()}, "at least the program"),
        ({"command": ("",)}, "at least the program"),
        ({"command": ("./main",)}, "a name found on PATH or an absolute path"),
        ({"command": ("sh", "a\0b")}, "argument 1 of command 'sh' holds a null character"),
        ({"command": ("sh",), "stdin": "\ud800"}, "stdin of command 'sh' is no text"),
        ({"command": ("sh",), "files": {"a": "\udfff"}}, "file 'a' of command 'sh' is no text"),
        ({"command": ("sh",), "files": {"a": "x" * (17 << 20)}}, "scratch_bytes is 16777216"),
    ],
)
def test_a_job_that_cannot_be_run_is_refused_when_it_is_made(fields: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        CommandJob(**fields)  # type: ignore[arg-type]


def test_files_that_just_fit_are_written() -> None:
    files = {"a": "x" * 4096 * 2, "b": "y" * 4095}
    job = CommandJob(command=("sh", "-c", "read -r x < b; echo ${#x}"), files=files)
    job = msgspec.structs.replace(job, limits=Limits(scratch_bytes=6 * 4096))
    assert run(job).output == "4095\n"


def test_a_job_survives_json() -> None:
    job = CommandJob(
        command=("node", "main.js"), files={"main.js": "1"}, stdin="x", limits=Limits(processes=9)
    )
    assert msgspec.json.decode(msgspec.json.encode(job), type=CommandJob) == job


def test_a_missing_command_is_found_before_anything_runs() -> None:
    with pytest.raises(InputError, match="'no-such-language' is not on this machine's PATH"):
        find_command(("no-such-language", "main"))

    async def scenario() -> tuple[CommandRun, int]:
        async with Sandbox(workers=1) as sandbox:
            return await sandbox.run(CommandJob(command=("no-such-language",))), len(sandbox._all)

    found, workers = asyncio.run(scenario())
    assert (found.state, found.exit_code, workers) == ("unavailable", None, 1)
    assert "'no-such-language'" in found.detail
    assert found.environment_dependent


def test_a_script_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "shim"
    script.write_text("#!/bin/sh\necho run\n")
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"'shim' is the script .*; name the program that runs it"):
        find_command(("shim",))


def test_a_program_where_the_scratch_folder_would_cover_it_is_refused(tmp_path: Path) -> None:
    if not str(tmp_path).startswith("/tmp/"):
        pytest.skip("temporary files are not in /tmp here")
    copy = shutil.copy(find_command("sh"), tmp_path / "shell")
    with pytest.raises(InputError, match="lies in /tmp, where programs see their own folder"):
        find_command((str(copy),))


def test_a_command_is_found_behind_links_and_told_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.path.realpath(shutil.which("sh") or "/bin/sh")
    (tmp_path / "myshell").symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_command("myshell") == real
    found = run(CommandJob(command=("myshell", "-c", "echo $0")))
    assert found.output == os.path.join(os.path.dirname(real), "myshell") + "\n"


def test_python_programs_see_nothing_of_a_command_and_keep_their_worker() -> None:
    path = find_command("sh")
    source = f"import os\ndef f(x):\n    return os.path.exists({path!r}), os.path.lexists('/input'), os.listdir()\n"
    look = msgspec.structs.replace(PLAIN, source=source)

    async def scenario() -> None:
        async with Sandbox(workers=1) as sandbox:
            before = set(sandbox._all)
            for _ in range(2):
                assert (await sandbox.run(shell("echo left > file"))).state == "ran"
                assert thaw((await sandbox.run(look)).cases[0].value) == (False, False, [])
            if sandbox.confinement.name != "bubblewrap-once":
                assert before < sandbox._all
                assert len(sandbox._all) == 2

    asyncio.run(scenario())


def test_nothing_is_left_behind() -> None:
    needed("perl")
    run_all([PLAIN, shell(":")])
    before = open_files()
    runs = run_all([job_of(SLEEP, ".pl", "60", Limits(wall_seconds=0.3)), shell("echo x"), PLAIN])
    assert [found.state for found in runs] == ["timeout", "ran", "ran"]
    assert open_files() == before
    assert gone(os.getpid())


def test_a_command_under_which_two_workers_die_is_lost_and_both_are_replaced(started: asyncio.Event) -> None:
    needed("perl")

    async def scenario() -> list[str]:
        async with Sandbox(workers=1) as sandbox:
            python = set(sandbox._all)
            limits = Limits(wall_seconds=600)
            running = asyncio.create_task(sandbox.run(job_of(SLEEP, ".pl", "600", limits)))
            for _ in range(2):
                await started.wait()
                started.clear()
                for worker in sandbox._all - python:
                    worker.launched.process.kill()
            lost = await running
            assert lost.environment_dependent
            return [lost.state, (await sandbox.run(shell("echo"))).state]

    assert asyncio.run(scenario()) == ["lost", "ran"]
    assert gone(os.getpid())


@pytest.mark.parametrize("mode", ["bubblewrap", "namespaces", "bubblewrap-once", "none"])
def test_each_kind_of_confinement_runs_commands(mode: launch.Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    if mode.startswith("bubblewrap") and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    force(monkeypatch, *([] if mode == "none" else [mode]))
    reading = "read -r x; echo $x; if read -r y < /etc/passwd; then echo ESCAPED; fi; (echo ESCAPED)"
    runs = run_all(
        [shell(reading, "in\n"), shell("while :; do :; done", wall_seconds=0.3)], allow_unconfined_code=True
    )
    assert [found.state for found in runs] == ["ran", "timeout"]
    assert runs[0].output == "in\n"


AS_NOBODY = """
import sys
from assay.sandbox import CommandJob, run_all, sandbox_report
script = "read -r x; echo $x; if read -r y < /etc/passwd; then echo ESCAPED; fi; (echo ESCAPED)"
shell = CommandJob(command=(sys.argv[1], "-c", script), stdin="in")
print(sandbox_report()["confinement"], run_all([shell])[0].output)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("bubblewrap", [True, False])
def test_an_ordinary_user_runs_commands_too(bubblewrap: bool) -> None:
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if python is None:
        pytest.skip("no interpreter that other users can run")
    if bubblewrap and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True)
    if version.stdout.decode().strip() != str(sys.version_info[:2]):
        pytest.skip("msgspec here is built for another version than the system's Python")
    path = "/usr/bin:/bin" if bubblewrap else "/nowhere"
    folders = [str(Path(assay.__file__).parents[1]), str(Path(msgspec.__file__).parents[1])]
    done = subprocess.run(
        [python, "-c", AS_NOBODY, find_command("sh")],
        env={"PYTHONPATH": ":".join(folders), "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
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
    assert done.stdout.strip() == f"{wanted} in", done.stderr


def test_a_root_that_is_alone_in_its_user_namespace_runs_commands_too() -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], check=False).returncode:
        pytest.skip("user namespaces cannot be made with unshare here")
    command = [unshare, "-rn", sys.executable, "-c", AS_NOBODY, find_command("sh")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    name, output = done.stdout.split()
    assert name in ("namespaces", "bubblewrap", "bubblewrap-once")
    assert output == "in"


def test_without_the_question_about_exec_no_command_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syscall_filter, "supported", lambda: False)
    with pytest.raises(OSError, match="are not known here"):
        syscall_filter.Filter(ask=True)


def test_only_the_command_its_libraries_and_its_language_are_shown() -> None:
    from assay.sandbox.tools import find_tool

    tool = find_tool((PYTHON,))
    prefix = os.path.dirname(os.path.dirname(PYTHON))
    shown = [*tool.folders, *[at for _, at in tool.files]]
    assert PYTHON in shown
    assert {prefix, "/", "/usr", "/usr/local", str(Path.home())}.isdisjoint(shown)
    package = str(Path(assay.__file__).parent)
    assert not [folder for folder in tool.folders if package.startswith(folder + "/")]
    assert all(folder.startswith(tool.folders) for folder in tool.masked)
    library = os.path.join(prefix, "lib", f"python3.{sys.version_info.minor}")
    if os.path.isdir(library):
        assert library in tool.folders or any(library.startswith(folder + "/") for folder in tool.folders)
