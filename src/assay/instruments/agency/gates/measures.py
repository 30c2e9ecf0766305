"""The numbers that gates of tiers rest on: success by arm, what is gained over it, and confidence."""

from __future__ import annotations

from collections.abc import Iterator

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.rubric.levels import interval_of
from assay.measuring import Labels, measure_of
from assay.stats import Interval
from assay.vocabulary import Measure

from .comparison import ArmGain, arm_gain, discrimination_of
from .tallies import OWN, ArmCounts, ArmKey, GateTally

__all__ = ["gate_measures"]

SUBJECT, AFTER = "as it is", "post"  # after an intervention
OVER_PHASE = "success after the intervention less success in this phase, on the same instances (12.9.2)"
GAIN = "success as it is less success in the arm, on the same instances (12.3.2)"
BETWEEN = "success in the arm `over` less success in the arm, on the same instances (12.8.2)"


def gate_measures(tally: GateTally, declaration: Declaration, labels: Labels) -> Iterator[Measure]:
    """Of every tier, family, regime and arm."""
    for key, counts in sorted(tally.arms.items()):
        where: Labels = {**labels, "tier": key.tier[1:], "family": key.family, "regime": key.regime}
        arm = {"arm": key.slot or (AFTER if key.tier == "T6" else SUBJECT)}
        yield measure_of(
            "arm_rate",
            interval_of(counts.k, counts.n, declaration),
            {**where, **arm},
            why_null="no instance can be scored",
        )
        if key.slot == OWN:
            continue
        own = tally.arms.get(key._replace(slot=OWN), ArmCounts(0, 0))
        gain = arm_gain(own, counts, declaration.confidence)
        if gain.value is not None:
            note = OVER_PHASE if key.tier == "T6" else GAIN
            yield measure_of(
                "arm_gain", _interval(gain, declaration), {**where, **arm}, units="difference", notes=(note,)
            )
    for (key, other), pairs in sorted(tally.between.items()):
        counts = tally.arms[key]._replace(pairs=pairs)
        gain = arm_gain(tally.arms[key._replace(slot=other)], counts, declaration.confidence)
        place: Labels = {**labels, "tier": key.tier[1:], "family": key.family, "regime": key.regime}
        yield measure_of(
            "between_arms",
            _interval(gain, declaration),
            {**place, "arm": key.slot, "over": other},
            units="difference",
            notes=(BETWEEN,),
        )
    for (tier, family, regime), shown in sorted(tally.shown.items()):
        own = tally.arms[_own(tally, tier, family, regime)]
        for strategy, number in sorted(shown.items()):
            place = {**labels, "tier": tier[1:], "family": family, "regime": regime, "strategy": strategy}
            yield measure_of("strategy_share", interval_of(number, own.n, declaration), place)
    by_regime: dict[tuple[str, str], list[str]] = {}
    for tier, family, regime in sorted(tally.sureness):
        by_regime.setdefault((tier, regime), []).append(family)
    for (tier, regime), families in by_regime.items():
        sure = [one for family in families for one in tally.sureness[tier, family, regime]]
        found = discrimination_of(sure, declaration.confidence)
        if found.value is None:
            continue
        interval = Interval(
            value=found.value,
            low=found.low,
            high=found.high,
            confidence=found.confidence,
            n=found.n,
            method="spearman, bonett-wright or jackknife",
        )
        notes = (
            f"with these confidences and {found.k} successes at most {found.attainable:.3f} can be reached",
        )
        yield measure_of(
            "confidence_correlation",
            interval,
            {**labels, "tier": tier[1:], "regime": regime},
            units="correlation",
            notes=notes,
        )


def _interval(gain: ArmGain, declaration: Declaration) -> Interval:
    assert gain.value is not None
    return Interval(
        value=float(gain.value),
        low=gain.low,
        high=gain.high,
        confidence=declaration.confidence,
        n=gain.n,
        method="gaffke, paired",
    )


def _own(tally: GateTally, tier: str, family: str, regime: str) -> ArmKey:
    return ArmKey(tier, family, regime, OWN)
