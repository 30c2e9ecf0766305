"""Programs per second: the sandbox beside bare forks and beside a bare subprocess, neither of them confined.

    python benchmarks/sandbox.py [PROGRAMS]

All run the same tiny program on the same case, one and two at a time, in turns. A bare fork is what any fresh
process from a warm interpreter costs: fork, run, wait, nothing else. The ratio is that of each round, bare forks'
time over the sandbox's; shown is the median of the rounds, which other load on the machine moves little.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from assay.sandbox import Job, Sandbox, sandbox_report, thaw
from assay.sandbox.inside.zygote import WARM
from assay.sandbox.launch import python_files

ROUNDS = 9
SOURCE = "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
JOB = Job(source=SOURCE, entry_point="gcd", cases=({"args": [1071, 462]},))


FORKS = f"""
import gc, importlib, os, sys, time
for name in {WARM!r}:
    importlib.import_module(name)
gc.collect()
gc.freeze()
begun = time.perf_counter()
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        space = {{}}
        exec(compile({SOURCE!r}, "program.py", "exec"), space)
        os._exit(space["gcd"](1071, 462))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 21
print(time.perf_counter() - begun)
"""


def forks(count: int, at_once: int) -> float:
    """Warm interpreters, one for each at once, that fork, run the program in the child and wait for it."""
    shares = [count // at_once + (number < count % at_once) for number in range(at_once)]
    files = python_files()
    command = [files.executable, "-S", "-c", FORKS]
    begun = [
        subprocess.Popen([*command, str(share)], env=files.environment, stdout=subprocess.PIPE)
        for share in shares
    ]
    return max(float(process.communicate()[0]) for process in begun)


def naive(count: int, at_once: int) -> float:
    """A fresh interpreter each, with everything of the caller's in its reach."""

    def one(_: int) -> bytes:
        command = [sys.executable, "-I", "-c", SOURCE + "print(gcd(1071, 462))\n"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    begun = time.perf_counter()
    with ThreadPoolExecutor(at_once) as threads:
        answers = set(threads.map(one, range(count)))
    seconds = time.perf_counter() - begun
    assert answers == {b"21\n"}
    return seconds


def sandboxed(count: int, at_once: int) -> float:
    """The same in the sandbox, its workers started before the clock is."""

    async def all_of_them() -> float:
        async with Sandbox(workers=at_once) as sandbox:
            begun = time.perf_counter()
            runs = await asyncio.gather(*[sandbox.run(JOB) for _ in range(count)])
            seconds = time.perf_counter() - begun
        assert {thaw(run.cases[0].value) for run in runs} == {21}
        return seconds

    return asyncio.run(all_of_them())


def start_up() -> float:
    """Opening and closing a sandbox of two workers."""

    async def open_and_close() -> None:
        async with Sandbox(workers=2):
            pass

    begun = time.perf_counter()
    asyncio.run(open_and_close())
    return time.perf_counter() - begun


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    report = sandbox_report()
    filtered = "seccomp" if report["seccomp"] else "no seccomp"
    print(
        f"Python {report['python']}, {report['confinement']}, Landlock {report['landlock_abi']}, {filtered}"
    )
    print(f"{count} programs of one case each, median of {ROUNDS} rounds")
    print(f"start-up of two workers {1000 * start_up():.0f} ms\n")
    print(f"{'':24}{'at once':>8}{'programs/s':>12}{'ms each':>9}{'of bare forks':>15}")
    ways: list[tuple[str, Callable[[int, int], float]]] = [
        ("bare forks", forks),
        ("assay sandbox", sandboxed),
        ("bare subprocess", naive),
    ]
    for at_once in (1, 2):
        # Turn by turn, so that other load on the machine falls on all.
        rounds = [[way(count, at_once) for _, way in ways] for _ in range(ROUNDS)]
        bare = [times[0] for times in rounds]
        for (name, _), times in zip(ways, zip(*rounds, strict=True), strict=True):
            seconds = statistics.median(times)
            ratio = statistics.median(b / t for b, t in zip(bare, times, strict=True))
            rate, each = count / seconds, 1000 * seconds / count
            print(f"{name:24}{at_once:>8}{rate:>12.0f}{each:>9.2f}{ratio:>15.3f}")


if __name__ == "__main__":
    main()
