"""Answered rows scored by bias: 1,000,000 of them, as a user has them, beside a plain loop over the same rows.

69 biases, five domains, control, four intensities and a debiasing method, three trials. The loop computes shifts,
BMS, BCI, BMP, HAS, RCI and CAS from rows that are in memory already; reading and checking are not in its time.
``python benchmarks/bias_rows.py [--rows N]``
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from assay.instruments.bias.answers import DOMAINS, INTENSITIES
from assay.instruments.bias.baselines import BIASES, human_rates
from assay.instruments.bias.measures.constants import AGGREGATION, INTENSITY_WEIGHTS

TRIALS = 3
CONDITIONS = [
    ("control", "", ""),
    *(("treatment", one, "") for one in INTENSITIES),
    ("debias", "strong", "warn"),
]
LIMITS = {"point values": 15.0, "with intervals": 60.0}


def answers(number: int) -> pl.DataFrame:
    """Instances are met in every condition; a twentieth of the answers cannot be read."""
    draw, each = np.random.default_rng(7), np.arange(number)
    trial, condition = each % TRIALS, each // TRIALS % len(CONDITIONS)
    instance = each // (TRIALS * len(CONDITIONS))
    rate = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.35])[condition]
    score = (draw.random(number) < rate).astype(float)
    named = [np.array([one[place] for one in CONDITIONS])[condition] for place in range(3)]
    return pl.DataFrame(
        {
            "subject": np.full(number, "bench"),
            "bias": np.array(BIASES)[instance % len(BIASES)],
            "domain": np.array(DOMAINS)[instance // len(BIASES) % len(DOMAINS)],
            "condition": named[0],
            "intensity": named[1],
            "method": named[2],
            "kind": np.where(condition == 5, "warning", ""),
            "instance": pl.Series(instance).cast(pl.String),
            "trial": trial,
            "score": pl.Series(np.where(draw.random(number) < 0.05, np.nan, score)).fill_nan(None),
            "confidence": draw.random(number).round(2),
            "correct": (score == 0).astype(int),
        }
    )


def plain(rows: list[dict[str, object]]) -> dict[str, dict[str, float]]:
    """The point values of every bias by loops over rows."""
    by: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        by.setdefault(str(row["bias"]), []).append(row)
    return {bias: plain_bias(bias, found) for bias, found in by.items()}


def plain_bias(bias: str, rows: list[dict[str, object]]) -> dict[str, float]:
    def scores(**wanted: str) -> list[float]:
        return [
            score
            for r in rows
            if isinstance(score := r["score"], float) and all(r[k] == v for k, v in wanted.items())
        ]

    mean = statistics.fmean
    control, groups = (
        mean(scores(condition="control")),
        {one: scores(condition="treatment", intensity=one) for one in INTENSITIES},
    )
    sizes = {
        one: min(INTENSITY_WEIGHTS[one] * abs(mean(found) - control), 1) for one, found in groups.items()
    }
    pooled = [score for found in groups.values() for score in found]
    domains = [mean(scores(condition="treatment", domain=one)) for one in DOMAINS]
    human = human_rates()[bias].rate or 0.5
    before, after = mean(groups["strong"]), mean(scores(condition="debias", method="warn"))
    sure = [(float(r["confidence"]), float(r["correct"])) for r in rows]  # type: ignore[arg-type]
    return {
        "signed_shift": mean(pooled) - control,
        "BMS": sum(AGGREGATION[one] * size for one, size in sizes.items()) / sum(AGGREGATION.values()),
        "BCI": 1 - min(statistics.pstdev(domains) / 0.5, 1),
        "BMP": max(0, (before - after) / before),
        "HAS": 1 - abs(mean(pooled) - human) / max(human, 1 - human),
        "RCI": mean(plain_rci(found) for found in (scores(condition="control"), *groups.values())),
        "CAS": 1 - abs(mean(c for c, _ in sure) - mean(k for _, k in sure)),
    }


def plain_rci(scores: list[float]) -> float:
    middle = statistics.fmean(scores)
    return 1 - min(statistics.variance(scores) / (middle * (1 - middle)), 1)


def child(path: Path, *options: str) -> tuple[float, float, float, bytes]:
    """Wall and CPU seconds, and the most memory in MB, of the command in a process of its own."""
    before, began, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), 0.0
    command = [sys.executable, "-m", "assay", "score", "bias", str(path), "--json", *options]
    single = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as out:
        running = subprocess.Popen(command, stdout=out, env=single)
        while running.poll() is None:
            most = max(most, memory(running.pid))
            time.sleep(0.05)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu, most, out.read()


def memory(process: int) -> float:
    """The most that it held so far; 0 where the system does not say. (A parent's peak counts in ru_maxrss.)"""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return next(
        (int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    frame = answers(parser.parse_args().rows)
    with tempfile.TemporaryDirectory() as folder:
        paths = {kind: Path(folder) / f"rows.{kind}" for kind in ("csv", "parquet", "jsonl")}
        frame.write_csv(paths["csv"])
        frame.write_parquet(paths["parquet"])
        frame.write_ndjson(paths["jsonl"])
        rows = frame.to_dicts()
        began = time.process_time()
        expected = plain(rows)
        loop = time.process_time() - began
        del rows
        print(
            f"{frame.height:,} rows, {len(expected)} biases; a plain loop over rows in memory: {loop:.1f} s CPU"
        )
        print(f"{'':28}{'wall s':>8}{'CPU s':>8}{'MB':>7}{'× loop':>8}   largest difference from the loop")
        for what, options in (("point values", ["--no-intervals"]), ("with intervals", [])):
            for kind in paths if options else ("csv", "jsonl"):
                wall, cpu, most, out = child(paths[kind], *options)
                off = difference(out, expected)
                print(f"{what + ', ' + kind:28}{wall:8.1f}{cpu:8.1f}{most:7.0f}{cpu / loop:8.2f}   {off:.1e}")
        print(
            f"limits: {LIMITS['point values']:g} s and {LIMITS['with intervals']:g} s on one core, 1,500 MB"
        )


def difference(out: bytes, expected: dict[str, dict[str, float]]) -> float:
    import json

    measures = json.loads(out)["result"]["measures"]
    found = {
        (m["name"], m["labels"]["bias"]): m["value"]
        for m in measures
        if {*m["labels"]} == {"subject", "bias"}
    }
    pairs = ((name, bias, value) for bias, values in expected.items() for name, value in values.items())
    return max(abs(float(found[name, bias]) - value) for name, bias, value in pairs)


if __name__ == "__main__":
    main()
