"""Calls per second of a whole run (trials, ledger, replay keys) beside a bare aiohttp loop.

Both send the same number of the same requests to the same stub, turn about, and the ratio of medians is what
counts. ``python benchmarks/throughput.py [--trials N] [--connections N] [--latency S] [--repeats N]``
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import aiohttp

from assay.bench import RunFolder, Runner
from assay.bench.prepare import instruments_of, prepare, subjects_of
from assay.canonical import decode, encode
from assay.study import Lock, Study, SubjectSpec
from assay.subjects.stub import stub_process


def study(url: str, trials: int, connections: int) -> Lock:
    spec = SubjectSpec("openai:stub", base_url=url, connections=connections)
    return prepare(Study(name="throughput", subjects=(spec,), instruments={"ping": {"trials": trials}}), Path())


async def bare(lock: Lock, url: str, trials: int, connections: int) -> float:
    """The same bodies, posted by workers that read and decode the reply and keep nothing."""
    subject = subjects_of(lock)[0]
    body = subject.wire(_request())
    numbers = iter(range(trials))
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections), headers={"Content-Type": "application/json"}
    ) as session:

        async def worker() -> None:
            for number in numbers:
                data = encode({**body, "seed": number})
                async with session.post(f"{url}/chat/completions", data=data) as response:
                    reply = decode(await response.read())
                    assert reply["choices"][0]["message"]["content"]

        begun = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(connections)))
        return trials / (time.perf_counter() - begun)


def _request():  # type: ignore[no-untyped-def]
    from assay.vocabulary import Message, Request, Sampling

    text = "Is anybody there? Answer in one word."
    return Request((Message("user", text),), Sampling(temperature=0.7, max_tokens=64), 1)


async def assay(lock: Lock, trials: int, root: Path) -> float:
    folder = RunFolder(root / "run")
    folder.ledger.mkdir(parents=True)
    runner = Runner(lock, folder, instruments_of(lock), subjects_of(lock))
    begun = time.perf_counter()
    assert await runner.run()
    seconds = time.perf_counter() - begun
    assert runner.meter.replies == trials
    return trials / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    rows: list[tuple[float, float]] = []
    with stub_process(latency=given.latency) as stub:
        lock = study(stub.url, given.trials, given.connections)
        asyncio.run(bare(lock, stub.url, min(given.trials, 2000), given.connections))  # warm up
        for _ in range(given.repeats):
            root = Path(tempfile.mkdtemp())
            try:
                plain = asyncio.run(bare(lock, stub.url, given.trials, given.connections))
                rows.append((plain, asyncio.run(assay(lock, given.trials, root))))
            finally:
                shutil.rmtree(root)
    ideal = given.connections / given.latency if given.latency else None
    first, second = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{given.trials:,} one-call trials, {given.connections} connections, latency {given.latency:g} s")
    print(f"{'':24}{'calls/s':>12}{'of bare':>12}{'of ideal':>12}")
    for name, value in (("bare aiohttp loop", first), ("assay run", second)):
        of_ideal = f"{value / ideal:12.3f}" if ideal else f"{'–':>12}"
        print(f"{name:24}{value:12,.0f}{value / first:12.3f}{of_ideal}")


if __name__ == "__main__":
    main()
