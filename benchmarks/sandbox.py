"""Programs per second: the sandbox beside a bare, unconfined ``subprocess.run([python, "-I", "-c", ...])``.

    python benchmarks/sandbox.py [PROGRAMS]

Both run the same tiny program on the same case, one and two at a time, in turns; the median of five rounds.
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

ROUNDS = 5
SOURCE = "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
JOB = Job(source=SOURCE, entry_point="gcd", cases=({"args": [1071, 462]},))


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
    print(f"{'':24}{'at once':>8}{'programs/s':>12}{'ms each':>9}")
    ways: list[tuple[str, Callable[[int, int], float]]] = [
        ("bare subprocess", naive),
        ("assay sandbox", sandboxed),
    ]
    for at_once in (1, 2):
        # Turn by turn, so that other load on the machine falls on both.
        rounds = [[way(count, at_once) for _, way in ways] for _ in range(ROUNDS)]
        for (name, _), times in zip(ways, zip(*rounds, strict=True), strict=True):
            seconds = statistics.median(times)
            print(f"{name:24}{at_once:>8}{count / seconds:>12.0f}{1000 * seconds / count:>9.2f}")


if __name__ == "__main__":
    main()
