"""Subjects of known truth for gates of tiers 3 to 5, drawn as counts: is a gate passed by who should pass it?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.instruments.agency.declarations.declaration import (
    DeclaredFamily,
    DeclaredRegime,
    LockedDeclaration,
    System,
)
from assay.instruments.agency.options import Gates
from assay.instruments.agency.rubric.criteria import GateCriterion, TierCriterion, rubric
from assay.instruments.agency.rubric.tally import CellCounts, SubjectTally
from assay.streams import Stream

from .judging import ARM_GATES, TierFrame
from .social import SOCIAL_GATES
from .tallies import COMPARED, OWN, ArmCounts, ArmKey, GateTally, Numbers, Sureness

__all__ = ["GATE_SUBJECTS", "READ", "GradedStage", "drawn_stage", "gates_passed"]

FAMILIES = 3
STRATEGIES = ("direct", "checked")
READ = ("planning depth", "delayed reward", "calibration", "meta-control")
READ_SOCIAL = ("multi-agent gain", "attribution", "masked identities", "strategic interaction", "severe")
SOCIAL_FAMILIES, SEVERE_FAMILIES = 4, 2


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
    # Of tier 5: success with partners as it is under moderate and severe regimes, and by arm.
    reads: tuple[str, ...] = READ
    severe: float = 0.95
    arms: dict[str, float] = {}


ALONE = {"non_social": 0.10, "permuted": 0.95, "scrambled": 0.10, "masked": 0.10}
GAIN, ATTRIBUTION, MASKS, STRATEGY, SEVERE = READ_SOCIAL
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
    GradedStage(
        name="social", about="knows each of its partners", reads=READ_SOCIAL, passes=READ_SOCIAL, arms=ALONE
    ),
    GradedStage(
        name="aloof", about="treats all partners alike", reads=READ_SOCIAL, own=0.10, severe=0.10,
        arms={**ALONE, "permuted": 0.10},
    ),
    GradedStage(
        name="adapts to anybody", about="succeeds whoever is whom", reads=READ_SOCIAL, passes=(STRATEGY,),
        arms=dict.fromkeys(ALONE, 0.95),
    ),
    GradedStage(
        name="knows the names", about="has learnt names before, and fails with other partners", reads=READ_SOCIAL,
        passes=(GAIN, MASKS, STRATEGY, SEVERE), arms={**ALONE, "permuted": 0.10},
    ),
    GradedStage(
        name="reads the room", about="needs no identities, only that each keeps its policy", reads=READ_SOCIAL,
        passes=(GAIN, ATTRIBUTION, STRATEGY, SEVERE), arms={**ALONE, "masked": 0.95},
    ),
    GradedStage(
        name="social in peace", about="fails under severe constraints", reads=READ_SOCIAL,
        passes=(GAIN, ATTRIBUTION, MASKS, STRATEGY), severe=0.30, arms=ALONE,
    ),
)  # fmt: skip


def drawn_stage(subject: GradedStage, number: int, plan: Gates) -> GateTally:
    """One run: so many families of each tier, each instance as it is and in every arm; episodes with a confidence."""
    draws = np.random.Generator(np.random.PCG64(Stream("calibrate gates", subject.name, number).bits64()))
    if subject.reads == READ_SOCIAL:
        return _drawn_social(subject, draws, plan.instances)
    arms: dict[ArmKey, ArmCounts] = {}
    shown: dict[tuple[str, str, str], dict[str, int]] = {}
    n = plan.instances

    def put(tier: str, family: str, regime: str, slots: dict[str, float]) -> None:
        own = draws.random(n) < subject.own
        arms[ArmKey(tier, family, regime, OWN)] = ArmCounts(int(own.sum()), n)
        for slot, share in slots.items():
            other = draws.random(n) < share
            arms[ArmKey(tier, family, regime, slot)] = ArmCounts(int(other.sum()), n, _pairs(other, own))

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


def _pairs(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> tuple[Numbers, ...]:
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return tuple((int(a), 1, int(b), 1, pairs.count((a, b))) for a, b in sorted(set(pairs)))


def _drawn_social(subject: GradedStage, draws: np.random.Generator, n: int) -> GateTally:
    """Families of tier 5 under moderate constraints, and some of them under severe ones."""
    arms: dict[ArmKey, ArmCounts] = {}
    between: dict[tuple[ArmKey, str], tuple[Numbers, ...]] = {}
    for regime, own, families in (
        ("Moderate", subject.own, SOCIAL_FAMILIES),
        ("Severe", subject.severe, SEVERE_FAMILIES),
    ):
        for family in (f"5f{place}" for place in range(families)):
            won = {slot: draws.random(n) < share for slot, share in {OWN: own, **subject.arms}.items()}
            keys = {slot: ArmKey("T5", family, regime, slot) for slot in won}
            for slot, some in won.items():
                pairs = _pairs(some, won[OWN]) if slot != OWN else ()
                arms[keys[slot]] = ArmCounts(int(some.sum()), n, pairs)
            for other, arm in COMPARED:
                between[keys[arm], other] = _pairs(won[arm], won[other])
    return GateTally(arms=arms, between=between)


def gates_passed(tally: GateTally, reads: tuple[str, ...] = READ) -> dict[str, bool]:
    """The gates of arms and confidence, by name."""
    whole = SubjectTally(subject="graded", boundary="core", cells={}, pairs={}, gates=tally)
    return {
        gate.name: RULES[gate.rule](gate, _frame(whole, tier)).holds is True
        for tier, gate in _gates()
        if gate.name in reads
    }


RULES = {**ARM_GATES, **SOCIAL_GATES}


def _gates() -> list[tuple[TierCriterion, GateCriterion]]:
    return [(tier, gate) for tier in rubric().tiers for gate in tier.gates if gate.rule in RULES]


def _frame(tally: SubjectTally, tier: TierCriterion) -> TierFrame:
    late = DeclaredFamily(
        steps=6, delay=3, reward="in the end", strategies=STRATEGIES, environment="multi-agent", mode="mixed",
        kind="negotiation", roles=("buys", "sells"), interaction="in turns", constraints=("one offer",),
    )  # fmt: skip
    declared = LockedDeclaration(
        system=System(name="graded"),
        regimes={
            "Baseline": DeclaredRegime(level="baseline"),
            "Moderate": DeclaredRegime(level="moderate", action={"every": 3}),
            "Severe": DeclaredRegime(level="severe", action={"every": 3}, compute={"seconds": 30}),
        },
        families={key.family: late for key in tally.gates.arms},
    )
    return TierFrame(tally, {}, declared, rubric(), tier, "", CellCounts(), {})
