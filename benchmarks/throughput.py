"""Calls per second of a whole run (trials, ledger, replay keys) beside a bare aiohttp loop.

Both send the same number of the same requests to the same stub, turn about, and the ratio of medians is what
counts. ``python benchmarks/throughput.py [--trials N] [--connections N] [--latency S] [--repeats N]``
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp

from assay.bench import RunFolder, Runner
from assay.bench.prepare import instruments_of, prepare, subjects_of
from assay.canonical import decode, encode
from assay.study import Lock, Study, SubjectSpec
from assay.testing.stub import stub_process
from assay.vocabulary import Message, Request, Sampling


def study(url: str, trials: int, connections: int) -> Lock:
    spec = SubjectSpec("openai:stub", base_url=url, connections=connections)
    return prepare(
        Study(name="throughput", subjects=(spec,), instruments={"ping": {"trials": trials}}), Path()
    )


def _bodies(lock: Lock) -> dict[str, Any]:
    """What the run sends, but for the seed, which differs from call to call."""
    text = "Is anybody there? Answer in one word."
    request = Request((Message("user", text),), Sampling(temperature=0.7, max_tokens=64), 1)
    return subjects_of(lock)[0].wire(request)


async def bare(lock: Lock, url: str, trials: int, connections: int, *, stripped: bool = False) -> float:
    """The same requests, posted by workers that read the reply and keep nothing.

    As one would write it (``json=`` and ``.json()``), or stripped to bytes in and out with the fastest JSON there is.
    """
    body = _bodies(lock)
    numbers = iter(range(trials))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def idiomatic(number: int) -> Any:
            async with session.post(f"{url}/chat/completions", json={**body, "seed": number}) as response:
                return await response.json()

        async def bytes_only(number: int) -> Any:
            data = encode({**body, "seed": number})
            headers = {"Content-Type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=data, headers=headers) as response:
                return decode(await response.read())

        one = bytes_only if stripped else idiomatic

        async def worker() -> None:
            for number in numbers:
                assert (await one(number))["choices"][0]["message"]["content"]

        begun = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(connections)))
        return trials / (time.perf_counter() - begun)


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
    rows: list[tuple[float, ...]] = []
    with stub_process(latency=given.latency) as stub:
        lock = study(stub.url, given.trials, given.connections)
        sizes = (given.trials, given.connections)
        asyncio.run(bare(lock, stub.url, min(given.trials, 2000), given.connections))  # warm up
        for _ in range(given.repeats):
            with tempfile.TemporaryDirectory() as root:
                rows.append(
                    (
                        asyncio.run(bare(lock, stub.url, *sizes)),
                        asyncio.run(assay(lock, given.trials, Path(root))),
                        asyncio.run(bare(lock, stub.url, *sizes, stripped=True)),
                    )
                )
    ideal = given.connections / given.latency if given.latency else None
    plain, ours, stripped = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{given.trials:,} one-call trials, {given.connections} connections, latency {given.latency:g} s")
    print(f"{'':34}{'calls/s':>12}{'of bare':>12}{'of ideal':>12}")
    names = ("bare aiohttp loop", "assay run", "bare aiohttp, bytes in and out")
    for name, value in zip(names, (plain, ours, stripped), strict=True):
        of_ideal = f"{value / ideal:12.3f}" if ideal else f"{'–':>12}"
        print(f"{name:34}{value:12,.0f}{value / plain:12.3f}{of_ideal}")


if __name__ == "__main__":
    main()
