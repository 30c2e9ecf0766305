"""``check_family`` and ``check_learning_family``: the contracts of families, with the sandbox for programs."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import ContractBroken
from assay.instruments.agency.episodes.programs import ProgramRunner
from assay.worlds import Family, Regime
from assay.worlds.conformance import RULES, Violation
from assay.worlds.conformance import check_family as find_broken
from assay.worlds.learning import LearningFamily
from assay.worlds.learning_conformance import LEARNING_RULES
from assay.worlds.learning_conformance import check_learning_family as find_broken_learning

from .conformance import Conformance

__all__ = ["check_family", "check_learning_family"]


def check_family(
    family: Family, *, instances: int = 40, regimes: Sequence[Regime] | None = None
) -> Conformance:
    """Raise ``ContractBroken`` with every rule that the family breaks, or tell what was checked.

    All levels are tried, in all published regimes unless others are named.
    ``instances`` are those of a level and regime; a family whose state is real may do with fewer.
    """
    with ProgramRunner() as run:
        found = find_broken(family, instances=instances, regimes=regimes, run=run)
    return _concluded(family.name, RULES, found)


def check_learning_family(family: LearningFamily, *, learners: int = 24) -> Conformance:
    """The same for a family in which something can be learnt. ``learners`` are played, each with its own secret."""
    with ProgramRunner() as run:
        found = find_broken_learning(family, learners=learners, run=run)
    return _concluded(family.name, LEARNING_RULES, found)


def _concluded(name: str, rules: tuple[str, ...], found: Sequence[Violation]) -> Conformance:
    if found:
        raise ContractBroken(f"the family {name}", [(one.rule, one.told) for one in found])
    return Conformance(f"the family {name}", rules)
