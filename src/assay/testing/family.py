"""``check_family``: the contract of a family of worlds, with the sandbox for those that want programs run."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import ContractBroken
from assay.instruments.agency.episodes.programs import ProgramRunner
from assay.worlds import Family, Regime
from assay.worlds.conformance import RULES
from assay.worlds.conformance import check_family as find_broken

from .conformance import Conformance

__all__ = ["check_family"]


def check_family(
    family: Family, *, instances: int = 40, regimes: Sequence[Regime] | None = None
) -> Conformance:
    """Raise ``ContractBroken`` with every rule that the family breaks, or tell what was checked.

    All levels are tried, in all published regimes unless others are named.
    ``instances`` are those of a level and regime; a family whose state is real may do with fewer.
    """
    with ProgramRunner() as run:
        found = find_broken(family, instances=instances, regimes=regimes, run=run)
    if found:
        raise ContractBroken(f"the family {family.name}", [(one.rule, one.told) for one in found])
    return Conformance(f"the family {family.name}", RULES)
