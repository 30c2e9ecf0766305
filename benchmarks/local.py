"""How fast ``local:`` models answer, served as they were before their serving was declared and as they are now.

``python benchmarks/local.py [--model NAME] [--turns 6] [--episodes 4] [--repeats 3] [--threads N]``. An episode is a
conversation in the form of agency's, the same words for all: a long opening, then a short observation and a short reply
a turn. Before: four slots, a context of 2,048, the whole conversation read anew each turn. Now: the model's defaults.
Both are served in turn, as often as ``--repeats`` says; medians. Tokens read do not depend on the machine.

``--at-once 32``: instead, requests of one turn, one after the other and so many at once, with weights rearranged for
the processor (``repack``) and not; all tokens, read and written, by the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from typing import NamedTuple

import msgspec

from assay.study.model import LlamaCpp, SubjectSpec
from assay.subjects.base import Call
from assay.subjects.llama_cpp import EARLIER, EARLIER_CONNECTIONS, with_defaults
from assay.subjects.local import LocalSubject
from assay.subjects.models import MODELS, kept_at
from assay.vocabulary import Message, Request, Sampling

RULES = (
    "You act in a small world. Answer with one action, on a line of its own: ACTION name {...}. The actions: "
)
ACTIONS = "\n".join(
    f"- move_{n} {{to: one of north, east, south, west}}: go to another room" for n in range(12)
)
SEEN = "Observation: the room has doors to the north and the east; on the table are {n} letters. Actions left: 9."
REPLY_TOKENS = 16
TASK = "Write a Python function for task {n}: it takes a list of Roman numerals and gives their sum. Explain each line."


class Speed(NamedTuple):
    seconds: float  # an episode
    read: float  # tokens of prompts that were read, an episode
    reading: float  # tokens a second, in one conversation
    writing: float


class Work(NamedTuple):
    """Tokens of one conversation and the server's own times for them."""

    read: int
    reading_seconds: float
    written: int
    writing_seconds: float


async def episode(subject: LocalSubject, key: str, turns: int) -> Work:
    messages = [Message("system", RULES + ACTIONS)]
    read, reading, written, writing = 0, 0.0, 0, 0.0
    for turn in range(turns):
        messages.append(Message("user", SEEN.format(n=f"{key} and {turn}")))
        asked = Request(tuple(messages), Sampling(temperature=0.0, max_tokens=REPLY_TOKENS), seed=1)
        reply = await subject.call(subject.wire(asked), Call(key, 0, turn), 3600)
        times = reply.rest["timings"]
        read, reading = read + times["prompt_n"], reading + times["prompt_ms"] / 1000
        written, writing = written + times["predicted_n"], writing + times["predicted_ms"] / 1000
        messages.append(Message("assistant", reply.text))
    await subject.forget(f"{key}/0")
    return Work(read, reading, written, writing)


async def served(spec: SubjectSpec, episodes: int, turns: int) -> Speed:
    subject = LocalSubject(spec)
    await subject.open()
    try:
        await episode(subject, "first", 1)
        places = asyncio.Semaphore(subject.connections)

        async def one(number: int) -> Work:
            async with places:
                return await episode(subject, f"episode {number}", turns)

        begun = time.perf_counter()
        done = await asyncio.gather(*(one(number) for number in range(episodes)))
        spent = time.perf_counter() - begun
    finally:
        await subject.close()
    read, reading, written, writing = map(sum, zip(*done, strict=True))
    return Speed(spent / episodes, read / episodes, read / reading, written / writing)


async def crowd(spec: SubjectSpec, count: int) -> float:
    """Tokens a second, read and written, of ``count`` requests, as many at once as the subject has connections."""
    subject = LocalSubject(spec)
    await subject.open()
    try:
        await episode(subject, "first", 1)
        places = asyncio.Semaphore(subject.connections)

        async def one(number: int) -> int:
            asked = Request(
                (Message("user", TASK.format(n=number)),), Sampling(temperature=0.8, max_tokens=80), seed=1
            )
            async with places:
                reply = await subject.call(subject.wire(asked), Call(f"request {number}", 0, 0), 3600)
                await subject.forget(f"request {number}/0")
            return (reply.usage.input or 0) + (reply.usage.output or 0)

        begun = time.perf_counter()
        tokens = await asyncio.gather(*(one(number) for number in range(count)))
        return sum(tokens) / (time.perf_counter() - begun)
    finally:
        await subject.close()


def crowds(name: str, at_once: int, repeats: int, threads: int | None) -> None:
    ways = [(1, True), (1, False), (at_once, True), (at_once, False)]
    found: dict[tuple[int, bool], list[float]] = {way: [] for way in ways}
    for _ in range(repeats):
        for slots, repack in ways:
            serving = LlamaCpp(context=1024, threads=threads, repack=repack)
            spec = with_defaults(SubjectSpec(f"local:{name}", connections=slots, llama_cpp=serving))
            found[slots, repack].append(asyncio.run(crowd(spec, 4 if slots == 1 else at_once)))
    first = statistics.median(found[ways[0]])
    for (slots, repack), speeds in found.items():
        speed = statistics.median(speeds)
        print(f"{name:20}{slots:8}{'yes' if repack else 'no':>8}{speed:11.1f}{speed / first:7.2f}")


def specs_of(name: str, threads: int | None) -> dict[str, SubjectSpec]:
    before = SubjectSpec(
        f"local:{name}",
        connections=EARLIER_CONNECTIONS,
        llama_cpp=msgspec.structs.replace(EARLIER, threads=threads),
    )
    now = with_defaults(SubjectSpec(f"local:{name}", llama_cpp=LlamaCpp(threads=threads)))
    return {"before": before, "now": now}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--at-once", type=int, default=0)
    given = parser.parse_args()
    if given.at_once:
        print(f"{'':20}{'at once':>8}{'repack':>8}{'tokens/s':>11}{'ratio':>7}")
        for name in given.model or MODELS:
            crowds(name, given.at_once, given.repeats, given.threads)
        return
    print(f"{given.episodes} episodes of {given.turns} turns, median of {given.repeats}")
    print(
        f"{'':20}{'':8}{'slots':>6}{'s/episode':>11}{'tokens read':>13}{'read/s':>8}{'written/s':>11}{'ratio':>7}"
    )
    for name in given.model or MODELS:
        if not kept_at(MODELS[name]).is_file():
            print(f"{name:20}is not on this machine and is left out; fetch it with: assay pull {name}")
            continue
        specs = specs_of(name, given.threads)
        found: dict[str, list[Speed]] = {kind: [] for kind in specs}
        for _ in range(given.repeats):
            for kind, spec in specs.items():
                found[kind].append(asyncio.run(served(spec, given.episodes, given.turns)))
        middle = {
            kind: Speed(*map(statistics.median, zip(*speeds, strict=True))) for kind, speeds in found.items()
        }
        for kind, speed in middle.items():
            print(
                f"{name:20}{kind:8}{specs[kind].connections:6}{speed.seconds:11.2f}{speed.read:13,.0f}"
                f"{speed.reading:8.1f}{speed.writing:11.1f}{speed.seconds / middle['before'].seconds:7.2f}"
            )


if __name__ == "__main__":
    main()
