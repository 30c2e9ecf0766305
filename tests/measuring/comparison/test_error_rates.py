"""Two subjects that do not differ are rarely declared different: shares, means and the rates of levels, any n."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.measuring.comparison import Observation, PairedSamples
from assay.measuring.comparison.difference import corrected, grouped

Draw = Callable[[np.random.Generator, int], list[float]]
MOST = 0.07


def shares(p: float) -> Draw:
    return lambda rng, n: [float(x) for x in rng.random(n) < p]


def means(a: float, b: float) -> Draw:
    return lambda rng, n: [float(x) for x in rng.beta(a, b, n)]


def rarely_large(rng: np.random.Generator, n: int) -> list[float]:
    return [float(x) for x in np.where(rng.random(n) < 0.1, 1.0, rng.random(n) * 0.05)]


DRAWS: dict[str, Draw] = {
    "share of .05": shares(0.05),
    "share of .5": shares(0.5),
    "share of .9": shares(0.9),
    "mean of a hump": means(2, 5),
    "mean of two ends": means(0.3, 0.3),
    "mean with rare large values": rarely_large,
}


def side(values: list[float], answers: int = 1, parts: int = 1) -> list[Observation]:
    """Values of units, each with so many answers, spread over parts."""
    return [
        Observation("m", "x", value, f"u{number}", "item", part=str(number % parts))
        for number, value in enumerate(values)
        for _ in range(answers)
    ]


def declared(draw: Draw, n: int, runs: int, *, paired: bool, parts: int = 1, seed: int = 1) -> float:
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(runs):
        samples = PairedSamples(
            side(draw(rng, n), parts=parts), side(draw(rng, n), parts=parts), paired=paired
        )
        (one,) = corrected([samples.difference("m", {})])
        found += one.different is True
    return found / runs


def levels(rng: np.random.Generator, instances: int) -> list[Observation]:
    """The rates that agency levels rest on: four dimensions, three levels, families of their own difficulty."""
    found = []
    for dimension in "SMDE":
        for level in (1, 2, 3):
            for number in range(instances):
                family = f"{dimension}{number % 2}"
                p = 0.95 - 0.2 * level + 0.1 * (number % 2)
                value = float(rng.random() < p)
                at = {"dimension": dimension, "level": str(level), "regime": "Baseline"}
                found.append(Observation("level_rate", "x", value, f"{family}/{level}/{number}", family, at))
    return found


def declared_levels(instances: int, runs: int, *, paired: bool, seed: int = 2) -> float:
    """How often any rate of any level is called different."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(runs):
        one, two = grouped(levels(rng, instances)), grouped(levels(rng, instances))
        every = [PairedSamples(one[cell], two[cell], paired=paired).difference("r", {}) for cell in one]
        found += any(each.different for each in corrected(every))
    return found / runs


@pytest.mark.parametrize("name", ["share of .5", "share of .9", "mean with rare large values"])
@pytest.mark.parametrize("paired", [True, False])
def test_equal_subjects_are_rarely_declared_different(name: str, paired: bool) -> None:
    assert declared(DRAWS[name], 24, 250, paired=paired) <= MOST


def test_equal_subjects_rarely_differ_in_any_rate_of_a_level() -> None:
    assert declared_levels(20, 30, paired=True) <= MOST


def test_a_large_difference_is_found() -> None:
    """The same count can tell: it is not that nothing is ever declared."""
    rng = np.random.default_rng(3)
    found = [
        corrected(
            [PairedSamples(side(shares(0.5)(rng, 40)), side(shares(0.9)(rng, 40))).difference("m", {})]
        )[0]
        for _ in range(50)
    ]
    assert sum(one.different is True for one in found) > 40


@pytest.mark.proof
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("n", [5, 20, 100])
@pytest.mark.parametrize(("paired", "parts"), [(True, 1), (False, 1), (True, 3), (False, 3)])
def test_of_1000_pairs_without_a_difference_at_most_7_in_100_are_declared(
    name: str, n: int, paired: bool, parts: int
) -> None:
    assert declared(DRAWS[name], n, 1000, paired=paired, parts=parts) <= MOST


@pytest.mark.proof
@pytest.mark.parametrize("instances", [10, 30])
@pytest.mark.parametrize("paired", [True, False])
def test_of_1000_pairs_of_equal_levels_at_most_7_in_100_are_declared(instances: int, paired: bool) -> None:
    assert declared_levels(instances, 1000, paired=paired) <= MOST
