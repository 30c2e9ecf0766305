"""How long ``import assay`` and ``assay --help`` take, beside an interpreter that does nothing.

``python benchmarks/startup.py [--repeats N]``; processes of their own, turn about, medians.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import assay": [sys.executable, "-c", "import assay"],
    "assay --help": [sys.executable, "-m", "assay", "--help"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(given.repeats):
        for name, command in COMMANDS.items():
            begun = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - begun)
    nothing = statistics.median(times["python -c pass"])
    print(f"{'':20}{'seconds':>10}{'beyond nothing':>18}")
    for name, found in times.items():
        print(f"{name:20}{statistics.median(found):10.3f}{statistics.median(found) - nothing:18.3f}")


if __name__ == "__main__":
    main()
