"""Looking into a large run: the first page, one trial, and exports. Nothing may need the whole ledger in memory.

A run of 20,000 and one of 200,000 trials are written by the real writer, without asking anything; then every command is
started as a user would. The first page has to be there within two seconds and memory has to stay flat: the last
column is its peak at 200,000 trials over that at 20,000. Exports are also given in trials a second of processor time.
``python benchmarks/view.py [--small N] [--large N]``
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.evidence import Event, Ledger
from assay.evidence.records import End
from assay.study import Study, SubjectSpec, read_lock, write_lock
from assay.vocabulary import Instance, Outcome, Trial

PROMPT = "Is anybody there? Answer in one word, and then say in a sentence or two how you came to it. " * 4
REPLY = "Yes. I take the question as it stands, and whoever answers a question has to be there to do so. " * 4
LIMIT = 2.0  # seconds until the first page


CHILD = """
import atexit, sys
told = lambda: next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
atexit.register(lambda: sys.stderr.write(told()))
from assay.cli import main
main()
"""  # what a parent sees of a child's memory begins with its own


class Measured(NamedTuple):
    seconds: float
    processor: float  # seconds
    peak: float  # MB


def write_run(root: Path, trials: int) -> tuple[RunFolder, str]:
    """A run that is finished and not closed, one failure in ten; also the id of a trial in the middle."""
    folder = RunFolder.create(root, f"run-{trials}")
    spec = SubjectSpec("openai:stub", base_url="http://127.0.0.1:9/v1")
    write_lock(
        prepare(Study(subjects=(spec,), instruments={"ping": {"trials": trials}}), root), folder.lock_path
    )
    lock = read_lock(folder.lock_path)
    ledger = Ledger(folder.ledger, lock.digest)
    ledger.append(Event("run", 1.0, data={"lock": lock.digest, "after": {}}))
    key = hashlib.sha256(PROMPT.encode()).hexdigest()
    ledger.append(Event("text", 1.0, data={"sha256": key, "text": PROMPT}))
    middle = ""
    for number in range(trials):
        trial = Trial(instance=Instance("ping", "ping", number, 1), version="1", subject="openai:stub")
        wire = {"model": "stub", "messages": [{"role": "user", "content": {"sha256": key}}], "seed": number}
        reply = {"text": f"{REPLY}{number}", "finish": "stop", "usage": {"input": 90, "output": 80}}
        outcome: Outcome = "failure" if number % 10 == 9 else "success"
        ident = trial.id
        middle = ident if number == trials // 2 else middle
        ledger.append(Event("sent", 2.0 + number, ident, data={"wire": wire}))
        ledger.append(
            Event("received", 2.1 + number, ident, data={"tries": [], "seconds": 0.1, "reply": reply})
        )
        ledger.append(Event("end", 2.2 + number, ident, 0, 1, End(outcome, trial, "ping", "all", 0)))
    ledger.close()
    return folder, middle


def measure(root: Path, *arguments: str) -> Measured:
    """Wall time, processor time and peak memory of a command in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments],
        cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(seconds, processor, int(ended.stderr.split()[-2]) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=200_000)
    given = parser.parse_args()
    sizes = (given.small, given.large)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        runs = [write_run(root, trials) for trials in sizes]
        ledger = sum(path.stat().st_size for path in runs[1][0].ledger.iterdir())
        print(f"{given.small:,} and {given.large:,} trials, ledger of the large run {ledger / 1e6:,.0f} MB")
        print(f"{'':34}{'seconds':>16}{'trials/s':>12}{'peak RSS, MB':>18}{'ratio':>9}")
        first = 0.0
        for title, arguments in (
            ("view RUN", ["view", "RUN"]),
            ("view RUN --failed", ["view", "RUN", "--failed"]),
            ("view RUN --excluded (none)", ["view", "RUN", "--excluded"]),
            ("view RUN ID", ["view", "RUN", "ID"]),
            ("view RUN NUMBER (in the middle)", ["view", "RUN", "NUMBER"]),
            ("export --format jsonl", ["export", "RUN", "--force", "--out", "out.jsonl"]),
            ("export --format csv", ["export", "RUN", "--force", "--out", "out.csv"]),
            ("export --format parquet", ["export", "RUN", "--force", "--out", "out.parquet"]),
            (
                "export --what calls, jsonl",
                ["export", "RUN", "--force", "--what", "calls", "--out", "out.jsonl"],
            ),
        ):
            found = []
            for (folder, middle), trials in zip(runs, sizes, strict=True):
                stands_for = {"RUN": str(folder.path), "ID": middle[:16], "NUMBER": str(trials // 2)}
                found.append(measure(root, *(stands_for.get(one, one) for one in arguments)))
            first = first or found[1].seconds
            small, large = found
            rate = f"{given.large / large.processor:,.0f}" if arguments[0] == "export" else ""
            print(
                f"{title:34}{small.seconds:8.2f}{large.seconds:8.2f}{rate:>12}"
                f"{small.peak:9.1f}{large.peak:9.1f}{large.peak / small.peak:9.3f}"
            )
    print(f"the first page took {first:.2f} s of at most {LIMIT:g}")
    assert first < LIMIT


if __name__ == "__main__":
    main()
