"""Subjects of known truth for gates of tiers 3 and 4, drawn as counts: is a gate passed by who should pass it?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredFamily,
    DeclaredRegime,
    System,
)
from assay.instruments.agency.options import Gates
from assay.instruments.agency.rubric.criteria import GateCriterion, TierCriterion, rubric
from assay.instruments.agency.rubric.tally import CellCounts, SubjectTally
from assay.streams import Stream

from .judging import ARM_GATES, TierFrame
from .tallies import OWN, ArmCounts, ArmKey, GateTally, Sureness

__all__ = ["GATE_SUBJECTS", "READ", "GradedStage", "drawn_stage", "gates_passed"]

FAMILIES = 3
STRATEGIES = ("direct", "checked")
READ = ("planning depth", "delayed reward", "calibration", "meta-control")


class GradedStage(Struct, frozen=True, kw_only=True):
    """A subject whose gates are known. ``own`` and ``arm``: success as it is and with something withheld.

    ``told``: how its confidence goes with success: it knows, says anything, or is right as often as it says.
    """

    name: str
    about: str
    passes: tuple[str, ...] = ()
    own: float = 0.95
    arm: float = 0.30
    fixed: float = 0.50
    switches: bool = True
    told: str = "knows"


DEPTH, DELAY, CALIBRATION, CONTROL = READ
GATE_SUBJECTS: tuple[GradedStage, ...] = (
    GradedStage(name="reflective", about="plans, knows itself, and switches", passes=READ),
    GradedStage(name="one step", about="does no better with memory than without", passes=(CALIBRATION,), own=0.30),
    GradedStage(
        name="lookup", about="succeeds also where memory is withheld", passes=(DEPTH, CALIBRATION, CONTROL), arm=0.95
    ),
    GradedStage(
        name="little gain", about="gains 5 points over memory withheld", passes=(DEPTH, CALIBRATION, CONTROL), arm=0.90
    ),
    GradedStage(name="fool", about="is sure whatever it does", passes=(DEPTH, DELAY, CONTROL), told="anything"),
    GradedStage(
        name="calibrated", about="is right as often as it says, with evenly spread confidence: ρ is .58",
        passes=(DEPTH, DELAY, CONTROL), told="evenly",
    ),
    GradedStage(
        name="stubborn", about="follows one strategy", passes=(DEPTH, DELAY, CALIBRATION), fixed=0.95, switches=False
    ),
    GradedStage(
        name="aimless switcher", about="switches without gain", passes=(DEPTH, DELAY, CALIBRATION), fixed=0.90
    ),
)  # fmt: skip


def drawn_stage(subject: GradedStage, number: int, plan: Gates) -> GateTally:
    """One run: so many families of each tier, each instance as it is and in every arm; episodes with a confidence."""
    draws = np.random.Generator(np.random.PCG64(Stream("calibrate gates", subject.name, number).bits64()))
    arms: dict[ArmKey, ArmCounts] = {}
    shown: dict[tuple[str, str, str], dict[str, int]] = {}
    n = plan.instances

    def put(tier: str, family: str, regime: str, slots: dict[str, float]) -> None:
        own = draws.random(n) < subject.own
        arms[ArmKey(tier, family, regime, OWN)] = ArmCounts(int(own.sum()), n)
        for slot, share in slots.items():
            other = draws.random(n) < share
            pairs = list(zip(other.tolist(), own.tolist(), strict=True))
            kinds = tuple((int(a), 1, int(b), 1, pairs.count((a, b))) for a, b in sorted(set(pairs)))
            arms[ArmKey(tier, family, regime, slot)] = ArmCounts(int(other.sum()), n, kinds)

    for family in (f"f{place}" for place in range(FAMILIES)):
        put("T3", f"3{family}", "Baseline", {"model_free": subject.arm})
        put("T4", f"4{family}", "Moderate", {f"fixed_strategy:{name}": subject.fixed for name in STRATEGIES})
        first = n // 2 if subject.switches else n
        shown["T4", f"4{family}", "Moderate"] = {
            name: count for name, count in zip(STRATEGIES, (first, n - first), strict=True) if count
        }
    if subject.told == "evenly":
        sure = draws.random(plan.confidence)
        right = draws.random(plan.confidence) < sure
    else:
        right = draws.random(plan.confidence) < 0.5
        known = right if subject.told == "knows" else draws.random(plan.confidence) < 0.5
        slips = draws.random(plan.confidence) < 0.03
        sure = np.where(known ^ slips, 0.95, 0.05)
    told = [Sureness(float(one), bool(good), 1) for one, good in zip(sure, right, strict=True)]
    return GateTally(arms=arms, shown=shown, sureness={("T4", "sure", "Moderate"): tuple(told)})


def gates_passed(tally: GateTally) -> dict[str, bool]:
    """The gates of arms and confidence, by name."""
    whole = SubjectTally(subject="graded", boundary="core", cells={}, pairs={}, gates=tally)
    return {
        gate.name: ARM_GATES[gate.rule](gate, _frame(whole, tier)).holds is True
        for tier, gate in _gates()
        if gate.name in READ
    }


def _gates() -> list[tuple[TierCriterion, GateCriterion]]:
    return [(tier, gate) for tier in rubric().tiers for gate in tier.gates if gate.rule in ARM_GATES]


def _frame(tally: SubjectTally, tier: TierCriterion) -> TierFrame:
    late = DeclaredFamily(steps=6, delay=3, reward="in the end", strategies=STRATEGIES)
    declared = Declaration(
        system=System(name="graded"),
        regimes={
            "Baseline": DeclaredRegime(level="baseline"),
            "Moderate": DeclaredRegime(level="moderate", action={"every": 3}),
        },
        families={key.family: late for key in tally.gates.arms},
    )
    return TierFrame(tally, {}, declared, rubric(), tier, "", CellCounts(), {})
