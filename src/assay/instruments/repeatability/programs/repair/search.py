"""Repair: a passing program is moved towards the canon by steps that keep its meaning.

Version ``repair/1``. Steps propose; a proposal is taken only if it lies nearer to the canon at some level, farther
at none, and passes the oracle again. So repair is monotone, and no passing program stops passing. It is bounded
in proposals and in oracle runs. A program that does not pass is not repaired, and nothing is ever replaced by the
canon: what cannot be reached by steps stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from assay.canonical import sha256_hex
from assay.instruments.repeatability.programs.cache import forgetting, remembered
from assay.instruments.repeatability.programs.collector import uncollected

from .model import Program, Step

__all__ = ["REPAIR", "Measurement", "Proposal", "Repair", "Tried", "search"]

REPAIR = "repair/1"
MOST_PROPOSALS = 240
MOST_CHECKS = 24
MOST_ROUNDS = 6

Distances = tuple[Fraction, ...]  # to the canon, one a level; the last is that of the trees
Measurement = Callable[[str, Distances | None], Distances | None]


class Proposal(Struct, frozen=True):
    """A source that lies nearer, to be put to the oracle."""

    step: str
    source: str
    distances: Distances


class Tried(Struct, frozen=True):
    """A proposal that lay nearer, and what became of it."""

    step: str
    digest: str  # SHA-256 of the proposed source
    kept: bool  # False: it did not pass the oracle, and was undone


class Repair(Struct, frozen=True):
    """Where repair ended. ``proposals`` counts those that lay no nearer, too."""

    source: str
    tried: tuple[Tried, ...] = ()
    proposals: int = 0

    @property
    def steps(self) -> tuple[str, ...]:
        return tuple(tried.step for tried in self.tried if tried.kept)


@lru_cache(maxsize=4)  # all outputs of a cell are repaired towards the same canon
def _target(canon: str, keep: frozenset[str]) -> Program:
    return Program(canon, keep)


class _Offered:
    """What a step offers for one program: as much of it as has been asked for.

    The outputs of a cell come together on their way to its canon, so the same program is met again and again.
    """

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: tuple[tuple[str, ...], bool] = (), False  # from the first, and whether these are all


@remembered(4_096)  # texts of some hundred programs: every step has one entry for each
def _offered(step: Step, source: str, canon: str, keep: frozenset[str]) -> _Offered:
    return _Offered()


def _proposals(step: Step, current: Program, target: Program) -> Iterator[str]:
    """As ``step.propose``, which is asked only for what is not known yet."""
    offered = _offered(step, current.source, target.source, current.keep)
    known, complete = offered.known
    yield from known
    if complete:
        return
    # One value that is replaced, never changed: another search may be between two proposals of the same program.
    found: tuple[str, ...] = ()
    for candidate in step.propose(current, target):
        found = (*found, candidate)
        if len(found) > len(known):
            offered.known = found, False
            yield candidate
    offered.known = found, True


def search(
    source: str, canon: str, keep: frozenset[str], measure: Measurement, steps: Sequence[Step]
) -> Generator[Proposal, bool, Repair]:
    """Yields proposals and is sent whether each passes the oracle; returns the repair.

    ``measure(source, limit)`` gives a source's distances to the canon, or None when one of them is beyond the
    limit, so that it need not work out the others.
    """
    found = _found(source, canon, keep, measure, steps)
    passes: bool | None = None
    with forgetting(source):
        while True:
            with uncollected():
                try:
                    proposal = found.send(passes)
                except StopIteration as end:
                    repair: Repair = end.value
                    return repair
            passes = yield proposal


def _found(
    source: str, canon: str, keep: frozenset[str], measure: Measurement, steps: Sequence[Step]
) -> Generator[Proposal, bool | None, Repair]:
    target = _target(canon, keep)
    current = Program(source, keep)
    now = measure(source, None)
    assert now is not None
    tried: list[Tried] = []
    refused = {source}
    idle: dict[str, object] = {}  # step → the tree, or the text, on which it had nothing to offer
    tree, proposals = 0, 0  # trees are numbered by the steps that changed them
    for _ in range(MOST_ROUNDS):
        before = current
        for step in steps:
            if not any(now) or proposals >= MOST_PROPOSALS or len(tried) >= MOST_CHECKS:
                break
            seen: object = tree if step.changes == "tree" else current.source
            if idle.get(step.name) == seen or (step.changes == "tree" and not now[-1]):
                continue
            idle[step.name] = seen
            for candidate in _proposals(step, current, target):
                if proposals >= MOST_PROPOSALS or len(tried) >= MOST_CHECKS:
                    break
                if candidate in refused:
                    continue
                proposals += 1
                refused.add(candidate)
                reach = measure(candidate, now)
                if reach is None or reach == now:
                    continue
                passes = bool((yield Proposal(step.name, candidate, reach)))
                tried.append(Tried(step.name, sha256_hex(candidate.encode()), passes))
                if passes:
                    current, now = Program(candidate, keep), reach
                    tree += step.changes == "tree"
                    break
        if current is before:
            break
    return Repair(current.source, tuple(tried), proposals)
