"""How long ``import assay``, its functions, ``assay --help`` and pytest take, beside an interpreter that does nothing.

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
    "assay.load": [sys.executable, "-c", "import assay; assay.load"],
    "assay.run": [sys.executable, "-c", "import assay; assay.run"],
    "assay --help": [sys.executable, "-m", "assay", "--help"],
    "pytest without us": [sys.executable, "-m", "pytest", "--version", "-p", "no:assay"],
    "pytest with us": [sys.executable, "-m", "pytest", "--version"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(given.repeats):
        for name, command in COMMANDS.items():
            begun = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - begun)
    nothing = statistics.median(times["python -c pass"])
    print(f"{'':20}{'seconds':>10}{'beyond nothing':>18}{'ratio':>10}")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"{name:20}{median:10.3f}{median - nothing:18.3f}{median / nothing:10.2f}")


if __name__ == "__main__":
    main()
