"""Which episodes evidence the gates of tiers, and in which arms (12.3.2).

``T3/FAMILY``, ``T4/FAMILY`` and ``T5/FAMILY`` are strata of families with comparison arms: every instance is met as the
subject is, and in each arm. ``T5/FAMILY/severe`` are the same instances under severe constraints. ``T4/confidence`` are
episodes of ordinary families, after which the subject says how sure it is.

``T5/FAMILY/partners`` are the instances of the moderate regime with another subject in the partner's seat.

``N/FAMILY`` are families that offer occasions to break bounds (14.2), where ``governance`` is on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.instruments.agency.declarations.outcome import OCCASIONS
from assay.instruments.agency.episodes.schedule import strata_of
from assay.instruments.agency.intervention.sessions import intervention_sessions
from assay.instruments.agency.learning.sessions import sessions_of
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.instruments.agency.rubric.criteria import TierCriterion, rubric
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Family, Task, all_families, drawn_task, family_named
from assay.worlds.tiers import FIXED, SeatedFamily, TierFamily

__all__ = [
    "GateStratum",
    "GateTrial",
    "all_strata",
    "arm_of",
    "gate_families",
    "gate_strata",
    "gate_task",
    "gate_trials",
    "match_strata",
    "occasion_families",
    "tier_family",
]

CONFIDENCE = "confidence"
GATE = "gate"
SEVERE = 2  # families of a tier above 4 that are met under severe constraints
DIMENSIONS = ("S", "M", "D", "E")


class GateStratum(NamedTuple):
    """``places``: family and level. ``arms``: without the subject as it is."""

    stratum: str
    stage: str
    dimension: str
    places: tuple[tuple[str, int], ...]
    regime: str
    arms: tuple[str, ...]
    instances: int


class GateTrial(NamedTuple):
    """One episode, of any subject. ``arm`` is empty for the subject as it is."""

    stage: str
    item: str
    number: int
    regime: str
    arm: str


def tier_family(name: str) -> TierFamily:
    family = family_named(name)
    assert isinstance(family, TierFamily), f"{name} has no arms"
    return family


def gate_families(options: AgencyOptions, tier: int) -> list[TierFamily]:
    """The families with arms that evidence a tier."""
    chosen = options.gates.families or tuple(sorted(all_families()))
    return [tier_family(name) for name in chosen if all_families()[name].dimension == f"T{tier}"]


def gate_strata(options: AgencyOptions) -> list[GateStratum]:
    """The declared ones. A tier whose regime is not declared has none."""
    found: list[GateStratum] = []
    for tier in rubric().tiers:
        if tier.tier not in options.tiers or "T6" in tier.asks:  # that has sessions
            continue
        under = _regime(options, tier.regimes[0])
        if under is None:
            continue
        found += [
            GateStratum(
                f"T{tier.tier}/{family.name}",
                GATE,
                f"T{tier.tier}",
                ((family.name, min(family.levels)),),
                under,
                tuple(family.arms),
                options.gates.instances,
            )
            for family in gate_families(options, tier.tier)
        ]
        found += _severe(tier, options)
        if any(gate.rule == "calibration" for gate in tier.gates):
            places = tuple(_ordinary(options))
            name = f"T{tier.tier}/{CONFIDENCE}"
            found.append(
                GateStratum(name, CONFIDENCE, f"T{tier.tier}", places, under, (), options.gates.confidence)
            )
    return [*found, *_occasions(options)]


def match_strata(options: AgencyOptions) -> list[GateStratum]:
    """Families of tier 5 in which subjects meet each other; they have no arms, and evidence no gate."""
    if options.gates.partners == "scripted":
        return []
    return [
        one._replace(stratum=f"{one.stratum}/partners", arms=())
        for one in gate_strata(options)
        if one.stratum == f"T5/{one.places[0][0]}"
        and isinstance(family_named(one.places[0][0]), SeatedFamily)
    ]


def _occasions(options: AgencyOptions) -> Iterator[GateStratum]:
    """Under baseline: no constraint of a regime explains what is done there."""
    under = _regime(options, "baseline")
    if under is None:
        return
    for family in occasion_families(options):
        places = tuple((family.name, level) for level in sorted(family.levels))
        yield GateStratum(
            f"{OCCASIONS}/{family.name}", GATE, OCCASIONS, places, under, (), options.gates.instances
        )


def occasion_families(options: AgencyOptions) -> list[Family]:
    """Those that are named, else all that are installed."""
    every = {name: one for name, one in sorted(all_families().items()) if one.dimension == OCCASIONS}
    named = [one for name, one in every.items() if name in options.gates.families]
    return (named or [*every.values()]) if options.governance else []


def _severe(tier: TierCriterion, options: AgencyOptions) -> Iterator[GateStratum]:
    """12.3.3: the first families of a tier that one of them must show under severe constraints, too."""
    under = _regime(options, "severe") if any(gate.rule == "severe" for gate in tier.gates) else None
    if under is not None:
        for family in gate_families(options, tier.tier)[:SEVERE]:
            place = (family.name, min(family.levels))
            name = f"T{tier.tier}/{family.name}/severe"
            yield GateStratum(
                name, GATE, f"T{tier.tier}", (place,), under, tuple(family.arms), options.gates.instances
            )


def all_strata(options: AgencyOptions) -> list[str]:
    """The strata of a run: dimensions, sessions of learners, and what evidences tiers."""
    sessions = [one.stratum for one in sessions_of(options)]
    sessions += [one.stratum for one in intervention_sessions(options)]
    gates = [*gate_strata(options), *match_strata(options)]
    return [*strata_of(options), *sessions, *(one.stratum for one in gates)]


def _regime(options: AgencyOptions, intensity: str) -> str | None:
    plain = (
        id_ for id_, one in regimes_of(options).items() if one.level == intensity and not one.adversarial
    )
    return next(plain, None)


def _ordinary(options: AgencyOptions) -> Iterator[tuple[str, int]]:
    """Families and levels of episodes with a confidence: hard ones and easy ones take turns."""
    chosen = options.gates.confidence_families
    families = [
        family
        for name, family in sorted(all_families().items())
        if family.dimension in DIMENSIONS and (name in chosen if chosen else not family.real)
    ]
    places = [(family.name, level) for family in families for level in sorted(family.levels)]
    yield from sorted(places, key=lambda place: (_turn(place, places), place))


def _turn(place: tuple[str, int], places: list[tuple[str, int]]) -> int:
    return [one for one in places if one[0] == place[0]].index(place)


def gate_trials(stratum: GateStratum) -> Iterator[GateTrial]:
    """All episodes of a stratum, for one subject."""
    prefix = f"{CONFIDENCE}/" if stratum.stage == CONFIDENCE else ""
    for place in range(stratum.instances):
        (name, level), number = stratum.places[place % len(stratum.places)], place // len(stratum.places)
        for arm in ("", *stratum.arms):
            yield GateTrial(stratum.stage, f"{prefix}{name}/{level}", number, stratum.regime, arm)


def gate_task(instance: Instance, stream: Stream) -> tuple[Family, Task]:
    """The family and the task of an instance; of an episode with a confidence it is one that is held out."""
    prefix, _, rest = instance.item.partition("/")
    held_out = prefix == CONFIDENCE
    name, level = (rest if held_out else instance.item).split("/")
    family = family_named(name)
    return family, drawn_task(family, int(level), stream, held_out=held_out)


def arm_of(arm: str) -> tuple[str, str]:
    """The arm and the strategy of a row, by the name of a family's arm."""
    if arm.startswith(FIXED):
        return "fixed_strategy", arm.removeprefix(FIXED)
    return arm, ""
