"""What every measure is the measure of, from the distribution in closed form.

=======================  ===================================================================================
measure                  truth
=======================  ===================================================================================
R, R_raw, R_ast          max p, over the classes of that sense of sameness
pairwise_agreement       Σ p²; so field_agreement
entropy                  −Σ p log₂ p
novelty                  Σ p (1 − p)^(n − 1)
pairwise_distance        Σ Σ p_u p_v d(u, v)
pass_rate                Σ p, over outputs that pass
anchored measures        Σ p_v f(v, c), given that the output c became the canon
=======================  ===================================================================================

Outputs that never repeat have no p of their own: where they stay apart they are the limit of ever more and
ever rarer ones. Then they add nothing to max p and Σ p², their whole share to novelty, and the entropy is
infinite. Outputs after the canon are independent of it, so given the canon they are draws like any others.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.instruments.repeatability.measures.pairs import distance_matrix

from .distributions import FAMILIES, Distribution, Roster
from .outputs import MEANS, SHARES, CanonTables, SimulatedOutputs

__all__ = ["Key", "anchored_truths", "canon_free_truths", "kinds_of"]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Key = tuple[str, str]  # name of a measure, and its rung or level


class Kind(NamedTuple):
    """A variant: its share, and two outputs of it that differ where it never repeats."""

    share: Fraction
    one: int
    another: int


def kinds_of(distribution: Distribution, roster: Roster) -> list[Kind]:
    return [
        Kind(distribution.share(variant), first, first + (variant in FAMILIES))
        for variant, first in ((variant, roster.first[variant]) for variant in distribution.parts)
    ]


def canon_free_truths(kinds: list[Kind], outputs: SimulatedOutputs, n: int) -> dict[Key, float]:
    found: dict[Key, float] = {
        **{(name, ""): _largest(_atoms(kinds, outputs.classes[sense])) for name, sense in outputs.modal},
        ("pass_rate", ""): float(sum(kind.share for kind in kinds if outputs.passed[kind.one])),
        ("pairwise_distance", outputs.levels[-1]): _distance(kinds, outputs),
    }
    for field in outputs.kind.fields:
        atoms = _atoms(kinds, outputs.classes[field])
        found["field_agreement", field] = float(sum(p * p for p in atoms))
    for rung in outputs.rungs:
        atoms = _atoms(kinds, outputs.classes[rung])
        never = 1 - sum(atoms)
        found["R", rung] = _largest(atoms)
        found["pairwise_agreement", rung] = float(sum(p * p for p in atoms))
        found["entropy", rung] = math.inf if never else math.fsum(-p * math.log2(p) for p in atoms)
        found["novelty", rung] = float(never + sum(p * (1 - p) ** (n - 1) for p in atoms))
    return found


def _atoms(kinds: list[Kind], classes: Ids) -> list[Fraction]:
    """The probabilities of the classes that have one."""
    found: dict[int, Fraction] = {}
    for kind in kinds:
        number = int(classes[kind.one])
        if number == classes[kind.another]:
            found[number] = found.get(number, Fraction(0)) + kind.share
    return list(found.values())


def _largest(atoms: list[Fraction]) -> float:
    return float(max(atoms, default=Fraction(0)))


def _distance(kinds: list[Kind], outputs: SimulatedOutputs) -> float:
    far = distance_matrix([outputs.forms[i] for kind in kinds for i in (kind.one, kind.another)])
    return math.fsum(
        float(u.share * v.share) * float(far[2 * i, 2 * j + 1])
        for i, u in enumerate(kinds)
        for j, v in enumerate(kinds)
    )


def anchored_truths(kinds: list[Kind], canons: CanonTables, canon: int) -> dict[Key, float]:
    """Given the canon. One that never repeats is met by others of its kind only."""
    row = canons.row[canon]

    def expected(level: str, name: str) -> float:
        table = canons.tables[level][name][row]
        return math.fsum(
            float(kind.share) * float(table[kind.another if kind.one == canon else kind.one])
            for kind in kinds
        )

    found: dict[Key, float] = {}
    for level in canons.tables:
        for name in SHARES:
            found[name, level] = expected(level, name)
        mu_pre, mu_post, gain = (expected(level, name) for name in MEANS)
        found["mu_pre", level], found["mu_post", level], found["delta_mu", level] = mu_pre, mu_post, -gain
        found["delta_R_anchor", level] = found["R_anchor", level]
        found["delta_R_anchor_observed", level] = found["rescue_rate", level]
    return found
