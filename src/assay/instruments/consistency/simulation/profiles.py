"""The grid of the calibration: how often a subject takes which way, which subjects are compared, and in which sizes.

The profiles are data (``data/calibration.yaml``). A cell is drawn from a profile: so many scenarios of every
behaviour, each with the way that was taken and the scene it was taken in.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from assay.stats import philox

from .pool import SCENES
from .ways import BEHAVIOURS, Behaviour

__all__ = [
    "PARTS",
    "QUICK_SIZES",
    "SIZES",
    "DrawnCells",
    "Profile",
    "ProfilePair",
    "draw",
    "pairs",
    "profiles",
]

SIZES = (5, 10, 20, 30, 60)
QUICK_SIZES = (5, 20)
PARTS = 10_000
# What is right and what is wrong where a profile has no more than a rate.
_RIGHT_AND_WRONG = {
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


class Profile(Struct, frozen=True):
    """How often a subject takes which way: parts by way, for every behaviour."""

    name: str
    about: str
    parts: dict[str, dict[str, int]]

    def share(self, behaviour: str, way: str) -> Fraction:
        return Fraction(self.parts[behaviour].get(way, 0), PARTS)


class ProfilePair(Struct, frozen=True):
    """Two profiles that are compared."""

    first: Profile
    second: Profile

    @property
    def name(self) -> str:
        return f"{self.first.name} against {self.second.name}"

    @property
    def about(self) -> str:
        return f"{self.first.about}; and {self.second.about}"


class DrawnCells(Struct, frozen=True, eq=False):
    """The cells of one behaviour, a row each: which way was taken, in which scene."""

    way: Ids
    scene: Ids


class _Declared(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    about: str
    rate: float
    rates: dict[str, float] = {}
    ways: dict[str, dict[str, int]] = {}


class _Grid(Struct, frozen=True, forbid_unknown_fields=True):
    profiles: tuple[_Declared, ...]
    pairs: tuple[tuple[str, str], ...]


@cache
def _declared() -> _Grid:
    place = files("assay.instruments.consistency").joinpath("data", "calibration.yaml")
    return msgspec.yaml.decode(place.read_bytes(), type=_Grid)


@cache
def profiles() -> dict[str, Profile]:
    """The declared profiles by name."""
    return {
        one.name: Profile(one.name, one.about, {**_rated(one.rate, one.rates), **one.ways})
        for one in _declared().profiles
    }


@cache
def pairs() -> tuple[ProfilePair, ...]:
    """The pairs of profiles that are compared."""
    named = profiles()
    return tuple(ProfilePair(named[first], named[second]) for first, second in _declared().pairs)


def _rated(rate: float, own: dict[str, float]) -> dict[str, dict[str, int]]:
    """Everything right with one rate, each independently; ``own`` are the rates of what has its own."""
    parts = {}
    for behaviour, (right, wrong) in _RIGHT_AND_WRONG.items():
        share = round(own.get(behaviour, rate) * PARTS)
        parts[behaviour] = {right: share, wrong: PARTS - share}
    order, words = own.get("order", rate), own.get("lexicon", rate)
    parts["exchanges"] = {
        f"{o}, {w}": round(p * q * PARTS)
        for o, p in (("legal", order), ("move first", 1 - order))
        for w, q in (("exact", words), ("none", 1 - words))
    }
    return parts


def draw(profile: Profile, n: int, runs: int, side: str = "") -> dict[str, DrawnCells]:
    """Cells of n scenarios of every behaviour. Row r is the same whatever the number of runs."""
    key = f"calibrate consistency {profile.name} {n} {side}"
    words = np.stack([philox(key, run).random_raw(2 * n * len(BEHAVIOURS)) for run in range(runs)])
    # 53 bits of a fair draw; that the parts do not divide their number shifts no share by more than 1e-11.
    fair = (words.astype(np.uint64) >> np.uint64(11)).reshape(runs, len(BEHAVIOURS), 2, n)
    return {b.name: _drawn(profile, b, fair[:, place]) for place, b in enumerate(BEHAVIOURS)}


def _drawn(profile: Profile, behaviour: Behaviour, fair: npt.NDArray[np.uint64]) -> DrawnCells:
    parts = profile.parts[behaviour.name]
    points = (fair[:, 0] % np.uint64(PARTS)).astype(np.int64)
    chosen = np.searchsorted(np.cumsum(list(parts.values())), points, side="right")
    ways = np.array([behaviour.way(name) for name in parts], np.int64)[chosen]
    # How many outcomes a scenario has is the instrument's design and not drawn: scenarios take turns.
    turns = len(behaviour.outcomes)
    scenes = (fair[:, 1] % np.uint64(SCENES // turns)).astype(np.int64) * turns
    return DrawnCells(ways, scenes + np.arange(fair.shape[2]) % turns)
