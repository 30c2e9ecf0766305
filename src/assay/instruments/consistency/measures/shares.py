"""How outcomes become measures: counted by scenario, which is the unit of independence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from msgspec import Struct, field

from assay.errors import InputError
from assay.instruments.consistency.judging.judgement import ReplyJudgement, hangs_on_its_time, undecided
from assay.instruments.consistency.judging.settings import Judging
from assay.measuring import measure_of
from assay.stats import Interval, Part, clopper_pearson, fraction, weighted_mean
from assay.vocabulary import Measure

__all__ = [
    "COMPONENTS",
    "WEIGHTS",
    "ConsistencySettings",
    "Share",
    "bounds_of",
    "share_measure",
    "share_of",
    "strata",
    "success_share",
]

COMPONENTS = ("O", "F", "R", "P", "L")
WEIGHTS: Mapping[str, Fraction] = {
    "O": Fraction(25, 100),
    "F": Fraction(20, 100),
    "R": Fraction(20, 100),
    "P": Fraction(20, 100),
    "L": Fraction(15, 100),
}


class ConsistencySettings(Struct, frozen=True, kw_only=True):
    """What was declared. Numbers that decide are fractions: .85 − .70 is within .15, as on paper."""

    weights: dict[str, Fraction] = field(default_factory=lambda: dict(WEIGHTS))
    threshold: Fraction = Fraction(9, 10)  # of M5
    tolerance: Fraction = Fraction(1, 20)  # of the difference of two M5
    rule: Literal["interval", "point"] = "interval"
    judging: Judging = Judging()  # the numbers that the rules go by; Δ is among them
    confidence: float = 0.95
    marginal: Fraction = Fraction(1, 50)  # an M5 this near to the threshold is called marginal
    contested: Fraction = Fraction(1, 5)  # the share of disagreement above which a measure is Contested
    excluded_share: Fraction = Fraction(
        1, 10
    )  # of scenarios lost to infrastructure; beyond it nothing is valid

    def __post_init__(self) -> None:
        if set(self.weights) != set(COMPONENTS):
            raise InputError(f"weights are needed for {', '.join(COMPONENTS)}, not {', '.join(self.weights)}")
        if min(self.weights.values()) < 0:
            raise InputError("a weight must not be below 0")
        total = sum(self.weights.values())
        if total != 1:
            raise InputError(f"weights must sum to 1; these sum to {float(total):g}")

    @property
    def delta(self) -> Fraction:
        """Δ, the seconds within which a repair counts."""
        return fraction(self.judging.delta_seconds)

    @staticmethod
    def weights_from(given: Mapping[str, float | str]) -> dict[str, Fraction]:
        """Weights as people write them: .15 is 3/20."""
        return {name: fraction(weight) for name, weight in given.items()}


class Share(NamedTuple):
    """Successes among outcomes, by scenario: ``counts[scenario] = (successes, outcomes)``.

    ``doubtful`` of the successes and ``hopeful`` of the failures could be the other: their time is unknown.
    ``undecided`` outcomes are not among them: whether they leak is unknown; without a leak ``promising`` would succeed.
    """

    counts: Mapping[str, tuple[int, int]]
    doubtful: int = 0
    hopeful: int = 0
    undecided: int = 0
    promising: int = 0

    @property
    def successes(self) -> int:
        return sum(good for good, _ in self.counts.values())

    @property
    def total(self) -> int:
        return sum(number for _, number in self.counts.values())

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.successes, self.total) if self.total else None

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        """The share of all if everything unknown were a failure, and a success; None where nothing is unknown."""
        if not self.doubtful and not self.hopeful and not self.undecided:
            return None
        low, high = self.successes - self.doubtful, self.successes + self.hopeful + self.promising
        whole = self.total + self.undecided
        return Fraction(low, whole), Fraction(high, whole)

    @property
    def single(self) -> bool:
        """Does every scenario give one outcome?"""
        return all(number == 1 for _, number in self.counts.values())

    def interval(self, confidence: float) -> Interval:
        """Clopper–Pearson where outcomes are independent, else by scenario."""
        if self.single:
            return clopper_pearson(self.successes, self.total, confidence)
        return weighted_mean(strata({"": self}, {"": Fraction(1)}), confidence)


def bounds_of(ends: tuple[Fraction, Fraction] | None) -> tuple[float | None, float | None]:
    return (None, None) if ends is None else (float(ends[0]), float(ends[1]))


def share_of(outcomes: Iterable[tuple[str, bool]]) -> Share:
    """From pairs of scenario and success."""
    counts: dict[str, tuple[int, int]] = {}
    for scenario, success in outcomes:
        good, number = counts.get(scenario, (0, 0))
        counts[scenario] = good + success, number + 1
    return Share(counts)


def strata(shares: Mapping[str, Share], weights: Mapping[str, Fraction]) -> list[Part]:
    """A weighted mean of shares taken apart by scenario, so that the parts are independent.

    A scenario with m of a share's N outcomes adds at most w·m/N to the sum. What it adds, over the most it could, is
    one value in [0, 1]; scenarios that count in the same way make a part.
    """
    totals = {name: share.total for name, share in shares.items()}
    shapes: dict[str, dict[str, tuple[int, int]]] = {}
    for name, share in shares.items():
        for scenario, counts in share.counts.items():
            shapes.setdefault(scenario, {})[name] = counts
    most: dict[tuple[tuple[str, int], ...], Fraction] = {}
    added: dict[tuple[tuple[str, int], ...], Fraction] = {}
    number: dict[tuple[tuple[str, int], ...], int] = {}
    for found in shapes.values():
        shape = tuple(sorted((name, outcomes) for name, (_, outcomes) in found.items()))
        if shape not in most:
            most[shape] = sum((weights[name] * m / totals[name] for name, m in shape), Fraction(0))
        got = sum((weights[name] * good / totals[name] for name, (good, _) in found.items()), Fraction(0))
        added[shape] = added.get(shape, Fraction(0)) + got
        number[shape] = number.get(shape, 0) + 1
    return [
        Part(most[shape] * number[shape], added[shape] / (most[shape] * number[shape]), number[shape])
        for shape in sorted(most)
        if most[shape]
    ]


def share_measure(
    name: str,
    share: Share,
    labels: Mapping[str, str | float],
    settings: ConsistencySettings,
    why_null: str,
    spec_value: float | None = None,
) -> Measure:
    notes = () if share.single else (f"{share.total} outcomes of {len(share.counts)} scenarios",)
    interval = share.interval(settings.confidence)
    return measure_of(
        name,
        interval,
        labels,
        value=share.value,
        k=share.successes,
        n=share.total,
        why_null=why_null,
        bounds=bounds_of(share.ends),
        spec_value=spec_value,
        notes=notes if share.total else (),
    )


def success_share(outcomes: Iterable[ReplyJudgement]) -> Share:
    """What the outcomes' own measure counts."""
    given = list(outcomes)
    found = [outcome for outcome in given if not undecided(outcome)]
    left = [outcome.success for outcome in given if undecided(outcome)]
    open_ = [outcome.success for outcome in found if hangs_on_its_time(outcome)]
    counts = share_of((outcome.scenario, outcome.success) for outcome in found).counts
    return Share(counts, open_.count(True), open_.count(False), len(left), left.count(True))
