"""A whole run of bias beside a bare client that sends the same prompts, and how long prompts take to write.

Both send the same requests to the same stub, turn about; the ratio of medians is what counts.
``python benchmarks/bias_run.py [--latency S] [--connections N] [--repeats N] [--prompts N]``
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import aiohttp

from assay.bench import RunFolder, Runner
from assay.bench.prepare import instruments_of, prepare, subjects_of
from assay.evidence.records import Evidence
from assay.instruments.bias.protocol import Bias, condition_of
from assay.study import Lock, Study, SubjectSpec
from assay.testing.stub import stub_process
from assay.vocabulary import Message, Request, Trial

OPTIONS = {"debias": "all", "debias_intensities": ["weak", "moderate", "strong", "adversarial"], "trials": 3}


def study(url: str, connections: int) -> Lock:
    spec = SubjectSpec("openai:stub", base_url=url, connections=connections)
    return prepare(Study(subjects=(spec,), instruments={"bias": {**OPTIONS, "instances": 2}}), Path())


def trials_of(lock: Lock) -> list[Trial]:
    bias = Bias()
    return [
        t for s in bias.strata(lock) for t in bias.trials(lock, Evidence(None, "bias", s, lock=lock, upto=0))
    ]


def prompts_of(lock: Lock, trials: list[Trial]) -> list[str]:
    bias = Bias()
    return [bias.instance_of(lock, trial.instance).prompt(condition_of(trial)) for trial in trials]


async def bare(lock: Lock, url: str, prompts: list[str], trials: list[Trial], connections: int) -> float:
    subject = subjects_of(lock)[0]
    bodies = iter(
        [
            subject.wire(Request((Message("user", prompt),), trial.sampling, number))
            for number, (prompt, trial) in enumerate(zip(prompts, trials, strict=True))
        ]
    )
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def worker() -> None:
            for body in bodies:
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    assert (await response.json())["choices"][0]["message"]["content"]

        begun = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(connections)))
        return time.perf_counter() - begun


async def whole(lock: Lock, root: Path, calls: int) -> float:
    folder = RunFolder(root / "run")
    folder.ledger.mkdir(parents=True)
    runner = Runner(lock, folder, instruments_of(lock), subjects_of(lock))
    begun = time.perf_counter()
    assert await runner.run()
    assert runner.meter.replies == calls
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=100_000)
    given = parser.parse_args()
    rows = []
    with stub_process(answer="fixed:Answer: A\nConfidence: 80", latency=given.latency) as stub:
        lock = study(stub.url, given.connections)
        trials = trials_of(lock)
        prompts = prompts_of(lock, trials)
        asyncio.run(bare(lock, stub.url, prompts[:500], trials[:500], given.connections))  # warm up
        for _ in range(given.repeats):
            with tempfile.TemporaryDirectory() as root:
                beside = asyncio.run(bare(lock, stub.url, prompts, trials, given.connections))
                rows.append((beside, asyncio.run(whole(lock, Path(root), len(trials)))))
    plain, ours = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{len(trials):,} calls, {given.connections} connections, latency {given.latency:g} s")
    print(f"{'':24}{'seconds':>10}{'of bare':>10}")
    for name, seconds in (("bare aiohttp loop", plain), ("assay run bias", ours)):
        print(f"{name:24}{seconds:10.1f}{seconds / plain:10.2f}")
    many = (trials * (given.prompts // len(trials) + 1))[: given.prompts]
    begun = time.perf_counter()
    prompts_of(lock, many)
    print(f"{given.prompts:,} prompts written in {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
