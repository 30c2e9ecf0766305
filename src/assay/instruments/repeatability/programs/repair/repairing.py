"""One program's repair against the oracle."""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from functools import lru_cache

from assay.instruments.repeatability.programs.distance import distance, distance_within
from assay.instruments.repeatability.programs.normalisation import ast_form, text_form

from .search import Proposal, Repair, search
from .steps import STEPS

__all__ = ["LEVELS", "LONGEST", "repair_program"]

LEVELS = ("text", "ast")
LONGEST = 50_000  # characters; a longer program is left as it is, for repair would take minutes
_FORMS = (text_form, ast_form)  # of LEVELS


@lru_cache(maxsize=4)  # all outputs of a cell are repaired towards the same canon
def _targets(canon: str) -> tuple[str, ...]:
    return tuple(form(canon) for form in _FORMS)


def repair_program(source: str, canon: str, keep: frozenset[str]) -> Generator[Proposal, bool, Repair]:
    """Yields what is to be put to the oracle; is sent whether it passes; returns the repair."""
    targets = _targets(canon)
    steps = STEPS if max(len(source), len(canon)) <= LONGEST else ()

    def measure(code: str, limit: tuple[Fraction, ...] | None) -> tuple[Fraction, ...] | None:
        if limit is None:
            return tuple(distance(form(code), target) for form, target in zip(_FORMS, targets, strict=True))
        reach: list[Fraction] = []
        for form, target, most in zip(_FORMS, targets, limit, strict=True):
            found = distance_within(form(code), target, most)
            if found is None:
                return None
            reach.append(found)
        return tuple(reach)

    return search(source, canon, keep, measure, steps)
