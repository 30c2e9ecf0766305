"""Resident memory of a run: 20,000 trials beside 200,000. It must stay flat.

``python benchmarks/memory.py [--small N] [--large N]``; each run is a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.testing.stub import stub_process
from throughput import assay, study


def child(url: str, trials: int) -> None:
    lock = study(url, trials, 64)
    with tempfile.TemporaryDirectory() as root:
        rate = asyncio.run(assay(lock, trials, Path(root)))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, rate)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=200_000)
    parser.add_argument("--child", nargs=2, metavar=("URL", "TRIALS"))
    given = parser.parse_args()
    if given.child:
        child(given.child[0], int(given.child[1]))
        return
    print(f"{'trials':>10}{'peak RSS, MB':>16}{'calls/s':>12}")
    peaks = []
    with stub_process() as stub:
        for trials in (given.small, given.large):
            run = [sys.executable, __file__, "--child", stub.url, str(trials)]
            peak, rate = map(
                float, subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
            )
            peaks.append(peak)
            stub.reset()
            print(f"{trials:>10,}{peak:16.1f}{rate:12,.0f}")
    print(f"large over small: {peaks[1] / peaks[0]:.3f}")


if __name__ == "__main__":
    main()
