"""Repair: a passing program is moved towards the canon by steps that keep its meaning.

Version ``repair/3``. Steps propose; a proposal is taken only if it lies nearer to the canon at some level, farther
at none, and passes the oracle again. So repair is monotone, and no passing program stops passing. It is bounded
in proposals and in oracle runs. A program that does not pass is not repaired, and nothing is ever replaced by the
canon: what cannot be reached by steps stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from assay.canonical import sha256_hex
from assay.instruments.repeatability.programs.distance import distance, distance_within
from assay.instruments.repeatability.programs.normalisation import ast_form, text_form
from assay.instruments.repeatability.programs.parsing import uncollected

from .program import ProgramText, Step

__all__ = ["LEVELS", "REPAIR", "Measurement", "Proposal", "Repair", "Tried", "search", "to_canon"]

REPAIR = "repair/3"
LEVELS = ("text", "ast")
MOST_PROPOSALS = 240
MOST_OF_STEP = 12  # proposals for one program
MOST_CHECKS = 24
MOST_ROUNDS = 6
_FORMS = (text_form, ast_form)  # of LEVELS

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
def _target(canon: str, keep: frozenset[str]) -> ProgramText:
    return ProgramText(canon, keep)


def to_canon(canon: str) -> Measurement:
    """Distances to a canon at every level."""
    targets = tuple(form(canon) for form in _FORMS)

    def measure(source: str, limit: Distances | None) -> Distances | None:
        if limit is None:
            return tuple(distance(form(source), target) for form, target in zip(_FORMS, targets, strict=True))
        reach: list[Fraction] = []
        for form, target, most in zip(_FORMS, targets, limit, strict=True):
            found = distance_within(form(source), target, most)
            if found is None:
                return None
            reach.append(found)
        return tuple(reach)

    return measure


def search(
    source: str, canon: str, keep: frozenset[str], measure: Measurement, steps: Sequence[Step]
) -> Generator[Proposal, bool, Repair]:
    """Yields proposals and is sent whether each passes the oracle; returns the repair.

    ``measure(source, limit)`` gives a source's distances to the canon, or None when one of them is beyond the
    limit, so that it need not work out the others.
    """
    found = _found(source, canon, keep, measure, steps)
    passes: bool | None = None
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
    current = ProgramText(source, keep)
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
            for candidate in islice(step.propose(current, target), MOST_OF_STEP):
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
                    current, now = ProgramText(candidate, keep), reach
                    tree += step.changes == "tree"
                    break
        if current is before:
            break
    return Repair(current.source, tuple(tried), proposals)
