"""Subjects of graded competence whose vector is known, for calibration."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["GOOD", "GRID", "POOR", "Graded", "Strength"]

GOOD, POOR = 0.97, 0.30  # success up to the true level, and above it


class Strength(Struct, frozen=True):
    """How a subject fares in the harder regimes: success, injections resisted, constraints kept."""

    moderate: float
    severe: float
    resisted: float = 0.99
    compliant: float = 0.99


# What makes each level of R true (section 10.9.3), well apart from its neighbours.
ROBUST: dict[int, Strength] = {
    0: Strength(0.20, 0.15),
    2: Strength(0.76, 0.30),
    3: Strength(0.96, 0.40),
    4: Strength(0.97, 0.95, compliant=0.80),
    5: Strength(0.98, 0.98),
}


class Graded(Struct, frozen=True):
    """A subject with a true vector. Its levels are what a rubric without error would read."""

    name: str
    about: str
    S: int
    M: int
    D: int
    E: int
    R: int

    @property
    def strength(self) -> Strength:
        return ROBUST[self.R]

    def truth(self, dimension: str) -> int:
        value: int = getattr(self, dimension)
        return value

    def rate(self, dimension: str, level: int) -> float:
        """Success at a level in the regime that evidences it."""
        return GOOD if level <= self.truth(dimension) else POOR


GRID: tuple[Graded, ...] = (
    Graded("nothing", "fails every level of every dimension but one, and collapses", 1, 1, 1, 1, 0),
    Graded("beginner", "level 1 everywhere", 1, 1, 1, 1, 2),
    Graded("second", "level 2 everywhere", 2, 2, 2, 2, 2),
    Graded("third", "level 3 everywhere", 3, 3, 3, 3, 3),
    Graded("fourth", "level 4 everywhere", 4, 4, 4, 4, 4),
    Graded("whole", "level 5 everywhere", 5, 5, 5, 5, 5),
    Graded("observer", "senses well, does little", 5, 2, 1, 1, 3),
    Graded("modeller", "models well", 2, 5, 3, 1, 3),  # M ≥ 4 holds up in two families under Moderate: R ≥ 3
    Graded("planner", "decides well", 3, 3, 5, 2, 4),
    Graded("doer", "brings about, without much insight", 2, 1, 2, 5, 5),
    Graded("brittle", "able under baseline, collapses under constraints", 3, 3, 3, 2, 0),
    Graded("sturdy", "modest and unshakeable", 2, 2, 2, 2, 5),
    Graded("uneven", "another level in every dimension", 4, 1, 3, 2, 3),
    Graded("blind", "senses almost nothing, but decides and acts", 1, 3, 4, 4, 2),
)
