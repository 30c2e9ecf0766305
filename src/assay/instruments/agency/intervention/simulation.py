"""Subjects of known truth for Tier 6, drawn as counts: is a gate of results passed by who should pass it?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from assay.instruments.agency.declarations.declaration import (
    DeclaredIntervention,
    DeclaredRegime,
    LockedDeclaration,
    System,
)
from assay.instruments.agency.gates.judging import TierFrame
from assay.instruments.agency.gates.structure import STRUCTURE_GATES
from assay.instruments.agency.gates.tallies import OWN, ArmCounts, ArmKey, GateTally
from assay.instruments.agency.options import Intervention
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.tally import CellCounts, SubjectTally
from assay.streams import Stream

__all__ = ["INTERVENERS", "RESULTS", "GradedIntervener", "drawn_intervener", "results_passed"]

IMPACT, AGAIN, SEVERE = RESULTS = ("impact", "reproducibility", "severe regime")
FAMILIES, SEVERE_FAMILIES = 4, 2


class GradedIntervener(Struct, frozen=True, kw_only=True):
    """Success before the intervention, after it and after its re-application. ``steady``: an instance that comes out as
    it did at first whenever the two are the same; else every outcome is drawn anew.
    """

    name: str
    about: str
    passes: tuple[str, ...] = ()
    pre: float = 0.10
    post: float = 0.95
    again: float = 0.95
    kind: str = "action space"
    steady: bool = True


INTERVENERS: tuple[GradedIntervener, ...] = (
    GradedIntervener(name="architect", about="changes its structure, and can do so again", passes=RESULTS),
    GradedIntervener(
        name="unsteady architect", about="the same, and every outcome is drawn anew", passes=RESULTS, steady=False,
        post=0.98, again=0.98,
    ),
    GradedIntervener(name="tuner", about="gains by another prompt", kind="prompt"),
    GradedIntervener(name="no effect", about="changes it in vain", passes=(AGAIN,), pre=0.5, post=0.5, again=0.5),
    GradedIntervener(name="little effect", about="gains 5 points", passes=(AGAIN,), pre=0.6, post=0.65, again=0.65),
    GradedIntervener(name="one time", about="succeeds at first, and not again", passes=(IMPACT, SEVERE), again=0.10),
    GradedIntervener(name="fading", about="loses 15 points when it does it again", passes=(IMPACT, SEVERE), again=0.80),
)  # fmt: skip


def drawn_intervener(subject: GradedIntervener, number: int, plan: Intervention) -> GateTally:
    """One run: so many families under moderate, some of them under severe; the same instances in every phase."""
    draws = np.random.Generator(np.random.PCG64(Stream("calibrate tier 6", subject.name, number).bits64()))
    arms: dict[ArmKey, ArmCounts] = {}
    n = plan.tests
    for place in range(FAMILIES):
        for regime in ("Moderate", "Severe") if place < SEVERE_FAMILIES else ("Moderate",):
            own = draws.random(n) < subject.post
            same = subject.steady and subject.again == subject.post
            slots = {
                "pre": draws.random(n) < subject.pre,
                "reapplied": own if same else draws.random(n) < subject.again,
            }
            family = f"f{place}"
            arms[ArmKey("T6", family, regime, OWN)] = ArmCounts(int(own.sum()), n)
            for slot, other in slots.items():
                pairs = list(zip(other.tolist(), own.tolist(), strict=True))
                kinds = tuple((int(a), 1, int(b), 1, pairs.count((a, b))) for a, b in sorted(set(pairs)))
                arms[ArmKey("T6", family, regime, slot)] = ArmCounts(int(other.sum()), n, kinds)
    return GateTally(arms=arms)


def results_passed(subject: GradedIntervener, tally: GateTally) -> dict[str, bool]:
    """The gates of results, by name."""
    whole = SubjectTally(subject="graded", boundary="extended", cells={}, pairs={}, gates=tally)
    tier = next(one for one in rubric().tiers if "T6" in one.asks)
    made = DeclaredIntervention(
        kind=subject.kind, identified=True, proposed=True, implemented=True, demonstrated=True
    )
    declared = LockedDeclaration(
        system=System(name="graded"),
        regimes={
            "Moderate": DeclaredRegime(level="moderate", action={"every": 3}),
            "Severe": DeclaredRegime(level="severe", action={"every": 3}, compute={"tokens": 100}),
        },
        interventions=(made,),
    )
    frame = TierFrame(whole, {}, declared, rubric(), tier, "", CellCounts(), {})
    return {
        gate.name: STRUCTURE_GATES[gate.rule](gate, frame).holds is True
        for gate in tier.gates
        if gate.name in RESULTS
    }
