"""How soon a large run that was stopped sends its first new call.

A run of 200,000 one-call trials is stopped with 1,000 missing; then ``assay resume`` is started as a user would,
and the time until a call arrives at the endpoint is taken, beside the time of ``assay --help`` alone.
``python benchmarks/resume.py [--trials N] [--missing N] [--repeats N]``
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assay.bench import Meter, RunFolder, Runner
from assay.bench.prepare import instruments_of, subjects_of
from assay.study import Budget, read_lock, write_lock
from assay.testing.stub import stub_process
from throughput import study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200_000)
    parser.add_argument("--missing", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    times = []
    with tempfile.TemporaryDirectory() as root, stub_process() as stub:
        folder = RunFolder.create(Path(root), "run")
        write_lock(study(stub.url, given.trials, 64), folder.lock_path)
        lock = read_lock(folder.lock_path)

        async def most() -> None:
            meter = Meter(Budget(calls=given.trials - given.missing))
            runner = Runner(lock, folder, instruments_of(lock), subjects_of(lock), meter=meter)
            assert not await runner.run()

        asyncio.run(most())
        for number in range(given.repeats):
            copy = Path(root) / f"copy{number}"
            shutil.copytree(folder.path, copy)
            stub.reset()
            command = [sys.executable, "-m", "assay", "resume", str(copy), "--json"]
            begun = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=root)
            while not stub.stats().requests:
                assert process.poll() is None, "the run ended without a call"
                time.sleep(0.01)
            times.append(time.perf_counter() - begun)
            process.kill()
            process.wait()
        size = sum(path.stat().st_size for path in folder.ledger.iterdir())
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "assay", "--help"], stdout=subprocess.DEVNULL, check=True)
    alone = time.perf_counter() - begun
    print(f"{given.trials:,} trials, {given.missing:,} missing, ledger {size / 1e6:,.0f} MB")
    print(f"{'first new call after':28}{statistics.median(times):8.2f} s  (of {len(times)}, median)")
    print(f"{'assay --help alone':28}{alone:8.2f} s")


if __name__ == "__main__":
    main()
