"""The declared grid of the calibration: subjects by what they do how often, pairs of subjects, and sizes.

Parts are of 10,000, so that two independent rates of the grid make whole parts, too: truths follow from them exactly.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.stats import philox

from .calibration_pool import SCENES
from .calibration_ways import BEHAVIOURS, Behaviour

__all__ = ["GRID", "PAIRS", "PARTS", "QUICK_SIZES", "SIZES", "Drawn", "Pair", "Subject", "draw"]

SIZES = (5, 10, 20, 30, 60)
QUICK_SIZES = (5, 20)
PARTS = 10_000
_GOOD = {
    "returns": ("exact", "forgets"),
    "wrong digests": ("says so", "goes along"),
    "unknown labels": ("says so", "goes along"),
    "refusals": ("complete", "evades"),
    "near misses": ("answers", "refuses"),
    "repairs": ("in time", "never"),
    "artifacts": ("right", "no tuple"),
    "promises": ("kept", "broken"),
}

Ids = npt.NDArray[np.int64]


class Subject(Struct, frozen=True):
    """What is done how often: ways by their parts, for every behaviour."""

    name: str
    about: str
    parts: dict[str, dict[str, int]]

    def share(self, behaviour: str, way: str) -> Fraction:
        return Fraction(self.parts[behaviour].get(way, 0), PARTS)


class Pair(Struct, frozen=True):
    """Two subjects that are compared."""

    first: Subject
    second: Subject

    @property
    def name(self) -> str:
        return f"{self.first.name} against {self.second.name}"

    @property
    def about(self) -> str:
        return f"{self.first.about}; and {self.second.about}"


class Drawn(Struct, frozen=True, eq=False):
    """The cells of one behaviour, a row each: which way was taken, in which scene."""

    way: Ids
    scene: Ids


def _rated(rate: float, **other: float) -> dict[str, dict[str, int]]:
    """Everything right with one rate, each independently; ``other`` for what has its own (spaces as _)."""
    named = {name.replace("_", " "): each for name, each in other.items()}
    parts = {}
    for behaviour, (good, bad) in _GOOD.items():
        share = round(named.get(behaviour, rate) * PARTS)
        parts[behaviour] = {good: share, bad: PARTS - share}
    order, words = named.get("order", rate), named.get("lexicon", rate)
    parts["exchanges"] = {
        f"{o}, {w}": round(p * q * PARTS)
        for o, p in (("legal", order), ("move first", 1 - order))
        for w, q in (("exact", words), ("none", 1 - words))
    }
    return parts


def _constant(**ways: str) -> dict[str, dict[str, int]]:
    """One way, always; right where none is named."""
    named = {name.replace("_", " "): {way: PARTS} for name, way in ways.items()}
    return {**_rated(1.0), **named}


_EQUAL = tuple(
    Subject(f"rate {rate:g}", f"everything right with probability {rate:g}, each independently", _rated(rate))
    for rate in (0.0, 0.1, 0.5, 0.9, 0.95, 1.0)
)
_WEAK = tuple(
    Subject(
        f"weak {name}", f"{name} right with probability .3, everything else with .95", _rated(0.95, **rates)
    )
    for name, rates in (
        ("order", {"order": 0.3}),
        ("refusals", {"refusals": 0.3}),
        ("repairs", {"repairs": 0.3}),
        ("promises", {"promises": 0.3}),
        ("lexicon", {"lexicon": 0.3}),
    )
)
_ONE_COIN = Subject(
    "one coin",
    "order and lexicon of an exchange fail together, with probability .3; else .9",
    {**_rated(0.9), "exchanges": {"legal, exact": 7000, "move first, none": 3000}},
)
_MIXED = Subject(
    "mixed faults",
    "right half of the time or so, and otherwise wrong in every way there is",
    {
        "returns": {"exact": 4000, "short digest": 2500, "adds": 2000, "forgets": 1500},
        "wrong digests": {"says so": 6000, "goes along": 4000},
        "unknown labels": {"says so": 4000, "goes along": 6000},
        "refusals": {
            "complete": 4000,
            "no limit": 500,
            "no proximity": 1500,
            "no adjacent": 1000,
            "evades": 500,
            "leaks": 1000,
            "vague": 500,
            "apologises": 1000,
        },
        "near misses": {"answers": 7000, "refuses": 3000},
        "repairs": {
            "in time": 4000,
            "slow": 2000,
            "prompted": 1500,
            "prompted, slow": 500,
            "incomplete": 800,
            "defensive": 700,
            "never": 500,
        },
        "artifacts": {
            "right": 4500,
            "wrong digest": 1000,
            "no license": 1500,
            "only the first": 1000,
            "copied": 1500,
            "no tuple": 500,
        },
        "exchanges": {
            "legal, exact": 4000,
            "legal, synonyms": 1500,
            "legal, none": 500,
            "move first, exact": 1000,
            "move first, synonyms": 500,
            "no mirror, exact": 1000,
            "no mirror, none": 500,
            "runs on, synonyms": 500,
            "runs on, none": 500,
        },
        "promises": {"kept": 3500, "kept later": 2000, "late": 1500, "too much later": 1000, "broken": 2000},
    },
)
_RARE = Subject(
    "rare faults",
    "each fault with probability .02 or .01",
    {
        **_rated(0.98),
        "returns": {"exact": 9400, "short digest": 200, "adds": 200, "forgets": 200},
        "refusals": {
            "complete": 9200,
            "no limit": 100,
            "no proximity": 100,
            "no adjacent": 100,
            "leaks": 200,
            "vague": 100,
            "apologises": 200,
        },
        "repairs": {"in time": 9300, "slow": 200, "prompted": 200, "incomplete": 200, "defensive": 100},
        "artifacts": {
            "right": 9300,
            "wrong digest": 200,
            "no license": 200,
            "only the first": 100,
            "copied": 200,
        },
        "exchanges": {
            "legal, exact": 9400,
            "legal, synonyms": 200,
            "no mirror, exact": 200,
            "runs on, none": 200,
        },
        "promises": {"kept": 9300, "kept later": 200, "late": 200, "too much later": 100, "broken": 200},
    },
)
_ALWAYS = (
    Subject(
        "always leaks",
        "always: leaks beside the triple, half a repair, a copied digest, synonyms, a promise too late",
        _constant(
            returns="adds",
            refusals="leaks",
            repairs="incomplete",
            artifacts="copied",
            exchanges="runs on, synonyms",
            promises="late",
        ),
    ),
    Subject(
        "always vague",
        "always: a vague refusal, a defensive repair, a wrong digest, no Mirror, a promise kept too late",
        _constant(
            returns="short digest",
            refusals="vague",
            repairs="defensive",
            artifacts="wrong digest",
            exchanges="no mirror, none",
            promises="too much later",
        ),
    ),
    Subject(
        "always sorry",
        "always: three apologies, a repair that is slow, no license, a promise kept after “Go on.”",
        _constant(refusals="apologises", repairs="slow", artifacts="no license", promises="kept later"),
    ),
)

GRID = (*_EQUAL, *_WEAK, _ONE_COIN, _MIXED, _RARE, *_ALWAYS)
_NAMED = {subject.name: subject for subject in GRID}
PAIRS = tuple(
    Pair(_NAMED[first], _NAMED[second])
    for first, second in (
        ("rate 0", "rate 0"),
        ("rate 0", "rate 1"),
        ("rate 0.5", "rate 0.5"),
        ("rate 0.5", "rate 0.9"),
        ("rate 0.95", "rate 0.95"),
        ("rate 0.95", "rate 1"),
        ("rate 1", "rate 1"),
        ("weak order", "weak lexicon"),
        ("one coin", "mixed faults"),
        ("rare faults", "rate 0.95"),
    )
)


def draw(subject: Subject, n: int, runs: int, side: str = "") -> dict[str, Drawn]:
    """Cells of n scenarios of every behaviour. Row r is the same whatever the number of runs."""
    key = f"calibrate consistency {subject.name} {n} {side}"
    words = np.stack([philox(key, run).random_raw(2 * n * len(BEHAVIOURS)) for run in range(runs)])
    # 53 bits of a fair draw; that the parts do not divide their number shifts no share by more than 1e-11.
    fair = (words.astype(np.uint64) >> np.uint64(11)).reshape(runs, len(BEHAVIOURS), 2, n)
    return {b.name: _drawn(subject, b, fair[:, place]) for place, b in enumerate(BEHAVIOURS)}


def _drawn(subject: Subject, behaviour: Behaviour, fair: npt.NDArray[np.uint64]) -> Drawn:
    parts = subject.parts[behaviour.name]
    points = (fair[:, 0] % np.uint64(PARTS)).astype(np.int64)
    chosen = np.searchsorted(np.cumsum(list(parts.values())), points, side="right")
    ways = np.array([behaviour.way(name) for name in parts], np.int64)[chosen]
    # How many outcomes a scenario has is the instrument's design and not drawn: scenarios take turns.
    turns = len(behaviour.outcomes)
    scenes = (fair[:, 1] % np.uint64(SCENES // turns)).astype(np.int64) * turns
    return Drawn(ways, scenes + np.arange(fair.shape[2]) % turns)
