"""The same number of one-call trials through Inspect AI, in an environment of its own, beside Assay.

Inspect AI does more per sample than this needs (scoring, transcripts, its own log format), so this is no race: it
shows what a user would wait. Where it cannot be installed, that is said and nothing is compared.
``python benchmarks/inspect_beside.py [--trials N] [--connections N]``
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.testing.stub import stub_process
from throughput import assay, study

CHILD = """
import sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate
url, trials, connections, logs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
samples = [Sample(input="Is anybody there? Answer in one word.", id=n) for n in range(trials)]
begun = time.perf_counter()
[log] = eval(
    Task(dataset=samples, solver=generate(), config=GenerateConfig(max_tokens=64, temperature=0.7)),
    model="openai/stub", model_base_url=url, model_args={"responses_api": False},
    max_connections=connections, max_samples=connections, log_dir=logs, display="none",
)
seconds = time.perf_counter() - begun
assert log.status == "success", log.error
print(trials / seconds)
"""


def environment() -> Path | None:
    """The interpreter of an environment with Inspect AI in it, made once; None where it cannot be had."""
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay" / "bench-inspect"
    python = base / "bin" / "python"
    if not (base / ".made").exists():
        subprocess.run([sys.executable, "-m", "venv", base], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "inspect_ai", "openai"]
        if subprocess.run(install, capture_output=True, check=False).returncode:
            return None
        (base / ".made").touch()
    return python


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--connections", type=int, default=64)
    given = parser.parse_args()
    python = environment()
    if python is None:
        print("inspect_ai cannot be installed here; nothing to compare with")
        return
    with stub_process() as stub, tempfile.TemporaryDirectory() as root:
        arguments = [stub.url, str(given.trials), str(given.connections), f"{root}/logs"]
        done = subprocess.run(
            [python, "-c", CHILD, *arguments],
            env={**os.environ, "OPENAI_API_KEY": "none", "INSPECT_DISPLAY": "none"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"inspect_ai did not finish:\n{done.stderr[-2000:]}")
        theirs = float(done.stdout.split()[-1])
        ours = asyncio.run(assay(study(stub.url, given.trials, given.connections), given.trials, Path(root)))
    print(f"{given.trials:,} one-call trials, {given.connections} connections, zero latency")
    print(f"{'':24}{'calls/s':>12}{'of inspect_ai':>16}")
    print(f"{'inspect_ai':24}{theirs:12,.0f}{1:16.2f}")
    print(f"{'assay run':24}{ours:12,.0f}{ours / theirs:16.2f}")


if __name__ == "__main__":
    main()
