"""100,000 texts signed, both versions, on one core, beside a plain reading of version 1's definition in Python.

The texts are made of common words and keywords, about 300 words each, as long as answers to identity probes are; half
of them have curly apostrophes. The whole command is timed, too: reading JSON Lines, signing, printing.
``python benchmarks/signature.py [--texts N]``
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from assay.instruments.recognition.signature import DIMENSIONS, definition, sign

LIMIT = 20.0
COMMON = (
    "the a of and to in is that it for as with this be are on not an or by have from at but what which when can their",
    "more how there about would there's don't its into they we you time some AI system language model question answer",
    "way people think process response training pattern care honest helpful it’s I’m I’d",
)


def made(number: int) -> list[str]:
    draw = np.random.default_rng(3)
    keywords = [word for words in definition(1)["keywords"].values() for word in words]
    pool = np.array([*" ".join(COMMON).split() * 12, *keywords, "I", "my", "me", "I", "my"], dtype=object)
    distinct = [" ".join(pool[draw.integers(0, len(pool), draw.integers(150, 450))]) for _ in range(2000)]
    return [f"{distinct[n % len(distinct)]} {n}" for n in range(number)]


def plain(texts: list[str]) -> list[list[float]]:
    """Version 1 as its definition reads."""
    keywords, vectors = definition(1)["keywords"], []
    for text in texts:
        words, lower, vector = len(text.split()), text.lower(), []
        for name in DIMENSIONS:
            if name == "D_identity":
                vector.append(sum(lower.count(one) for one in keywords[name]) / max(1, words / 50))
            else:
                vector.append(sum(one in lower for one in keywords[name]) / max(1, words / 100))
        vectors.append(vector)
    return vectors


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    os.environ["POLARS_MAX_THREADS"] = "1"  # polars is imported with the first text
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    texts = made(parser.parse_args().texts)
    sign(texts[:10], 1), sign(texts[:10], 2)
    assert sign(texts[:5000], 1).tolist() == plain(texts[:5000])
    wall, loop = seconds(lambda: plain(texts))
    print(
        f"{len(texts):,} texts of {sum(map(len, texts)) / len(texts):,.0f} characters; limit {LIMIT:g} s on one core"
    )
    print(f"{'':38}{'wall s':>8}{'CPU s':>8}{'× loop':>8}")
    print(f"{'version 1, a plain loop':38}{wall:8.1f}{loop:8.1f}{1:8.2f}")
    for version in (1, 2):
        wall, cpu = seconds(lambda: sign(texts, 1 if version == 1 else 2))  # noqa: B023
        print(f"{f'version {version}':38}{wall:8.1f}{cpu:8.1f}{cpu / loop:8.2f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(json.dumps({"response": text}) + "\n" for text in texts), "utf-8")
        for version in (1, 2):
            began, before = time.perf_counter(), os.times()
            command = [
                sys.executable,
                "-m",
                "assay",
                "signature",
                str(path),
                "--json",
                "--version",
                str(version),
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            wall, after = time.perf_counter() - began, os.times()
            cpu = sum(after[2:4]) - sum(before[2:4])
            print(f"{f'assay signature --version {version} --json':38}{wall:8.1f}{cpu:8.1f}{cpu / loop:8.2f}")


if __name__ == "__main__":
    main()
