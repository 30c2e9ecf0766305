"""Distances to the canon: 1,000 outputs of 2,000 characters beside a straightforward pure-Python Levenshtein.

The pure-Python one is timed on a few pairs of the same outputs, turn about, and compared per pair.
``python benchmarks/distance.py [--outputs N] [--length N] [--pure N]``
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from assay.instruments.repeatability.programs.distance import distance


def pure(a: str, b: str) -> int:
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def outputs(count: int, length: int) -> list[str]:
    """Program-like texts that share much with each other, as outputs of one request do."""
    draw = random.Random(7)
    lines = [f"    value_{draw.randrange(90)} = compute({draw.randrange(900)}, item[{n}])" for n in range(80)]
    made = []
    for _ in range(count):
        chosen = [line if draw.random() < 0.8 else line.replace("compute", "derive") for line in lines]
        draw.shuffle(chosen[10:20])
        made.append("\n".join(chosen)[:length])
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outputs", type=int, default=1_000)
    parser.add_argument("--length", type=int, default=2_000)
    parser.add_argument("--pure", type=int, default=5)
    given = parser.parse_args()
    texts = outputs(given.outputs, given.length)
    canon, ours, theirs = texts[0], [], []
    for number in range(given.pure):
        begun = time.perf_counter()
        found = [distance(text, canon) for text in texts[1:]]
        ours.append((time.perf_counter() - begun) / len(found))
        text = texts[1 + number]
        begun = time.perf_counter()
        edits = pure(text, canon)
        theirs.append(time.perf_counter() - begun)
        assert found[number] * max(len(text), len(canon)) == edits, "the two disagree"
    fast, slow = statistics.median(ours), statistics.median(theirs)
    print(f"{given.outputs:,} outputs of {given.length:,} characters")
    print(f"{'':24}{'ms a pair':>12}{'times as fast':>16}")
    print(f"{'pure Python':24}{slow * 1e3:12.3f}{1:16.0f}")
    print(f"{'assay':24}{fast * 1e3:12.3f}{slow / fast:16.0f}")


if __name__ == "__main__":
    main()
