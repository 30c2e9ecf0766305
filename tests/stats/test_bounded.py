from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.stats import bounded_mean, bounded_mean_rows
from assay.stats.bounded import Betting

BETTINGS: list[Betting] = ["hedged", "mixture"]
Sampler = Callable[[np.random.Generator, tuple[int, int]], np.ndarray[Any, Any]]

unit = st.floats(0.0, 1.0, allow_nan=False)
values = st.lists(unit, min_size=1, max_size=40)
both = pytest.mark.parametrize("betting", BETTINGS)


def straightforward_hedged(x: list[float], alpha: float, breaks: int) -> tuple[float, float]:
    """The paper's interval as written there: a grid of candidate means, loops, plain products."""
    n, kept = len(x), []
    for j in range(breaks + 1):
        m = j / breaks
        up = down = 1.0
        total, squares, alive = 0.5, 0.25, True
        for t, value in enumerate(x, start=1):
            stake = (2 * np.log(2 / alpha) / (n * squares / t)) ** 0.5
            up *= 1 + min(stake, 0.75 / m if m else np.inf) * (value - m)
            down *= 1 - min(stake, 0.75 / (1 - m) if m < 1 else np.inf) * (value - m)
            alive = alive and max(up, down) / 2 < 1 / alpha
            total += value
            squares += (value - total / (t + 1)) ** 2
        if alive:
            kept.append(m)
    return min(kept), max(kept)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("n", [1, 4, 15, 60])
def test_hedged_agrees_with_the_definition_written_out(n: int, confidence: float) -> None:
    x = np.random.Generator(np.random.Philox(key=n)).beta(0.6, 1.4, n).tolist()
    breaks = 2000
    low, high = straightforward_hedged(x, 1 - confidence, breaks)
    got = bounded_mean(x, confidence)
    assert got.low == pytest.approx(low, abs=1.001 / breaks)
    assert got.high == pytest.approx(high, abs=1.001 / breaks)


@pytest.mark.parametrize("n", [1, 5, 30])
def test_mixture_solves_its_equation_for_zeros(n: int) -> None:
    # For x = 0 the wealth against "lower" is the mean over stakes of (1 + part m / (1-m))^n.
    m = bounded_mean([0.0] * n, betting="mixture").high
    parts = np.geomspace(0.5 / np.sqrt(n), 0.99, 24)
    assert np.mean((1 + parts * m / (1 - m)) ** n) == pytest.approx(2 / 0.05, rel=1e-6)


@both
def test_no_data_is_not_zero(betting: Betting) -> None:
    got = bounded_mean([], betting=betting)
    assert (got.value, got.low, got.high, got.n) == (None, 0.0, 1.0, 0)


@both
def test_five_zeros_are_not_certainty(betting: Betting) -> None:
    got = bounded_mean([0.0] * 5, betting=betting)
    assert (got.value, got.low) == (0.0, 0.0)
    assert got.high > 0.4


@both
def test_more_zeros_say_more(betting: Betting) -> None:
    highs = [bounded_mean([0.0] * n, betting=betting).high for n in (1, 2, 5, 10, 50, 200)]
    assert highs == sorted(highs, reverse=True)
    assert highs[-1] < 0.05


def test_missing_values_are_refused_or_dropped_as_asked() -> None:
    with pytest.raises(InputError, match="value 1 is missing"):
        bounded_mean([0.5, None])
    assert bounded_mean([0.5, None, float("nan"), 0.7], missing="drop") == bounded_mean([0.5, 0.7])


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [float("inf")], [[0.5]], ["x"]])
def test_values_out_of_range_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        bounded_mean(wrong)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="betting"):
        bounded_mean([0.5], betting="all-in")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="missing"):
        bounded_mean([0.5], missing="zero")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rows"):
        bounded_mean_rows(np.zeros(3))
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        bounded_mean_rows(np.full((1, 2), np.nan))


@both
@settings(max_examples=40)
@given(x=values)
def test_the_interval_holds_the_mean_and_stays_in_range(betting: Betting, x: list[float]) -> None:
    got = bounded_mean(x, betting=betting)
    assert got.value == pytest.approx(sum(x) / len(x))
    assert got.value is not None
    assert 0.0 <= got.low <= got.value <= got.high <= 1.0


@both
@settings(max_examples=40)
@given(x=values)
def test_higher_confidence_contains_lower_for_repeated_values(betting: Betting, x: list[float]) -> None:
    # Hedged stakes depend on the confidence, so nesting is claimed where the order carries no news.
    same = [x[0]] * len(x)
    inner, outer = bounded_mean(same, 0.8, betting=betting), bounded_mean(same, 0.99, betting=betting)
    assert outer.low <= inner.low
    assert inner.high <= outer.high


@settings(max_examples=40)
@given(x=values, data=st.data())
def test_mixture_is_the_same_in_any_order(x: list[float], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(x))
    assert bounded_mean(x, betting="mixture") == bounded_mean(shuffled, betting="mixture")


@both
@settings(max_examples=40)
@given(x=values)
def test_turning_the_scale_round_mirrors_the_interval(betting: Betting, x: list[float]) -> None:
    here = bounded_mean(x, betting=betting)
    there = bounded_mean([1.0 - v for v in x], betting=betting)
    assert here.low == pytest.approx(1.0 - there.high, abs=1e-9)
    assert here.high == pytest.approx(1.0 - there.low, abs=1e-9)


@both
def test_rows_give_the_same_bits_as_one_at_a_time(betting: Betting) -> None:
    x = np.random.Generator(np.random.Philox(key=3)).random((7, 12))
    bulk = bounded_mean_rows(x, betting=betting)
    for i, row in enumerate(x):
        one = bounded_mean(row, betting=betting)
        assert (one.value, one.low, one.high) == (bulk.value[i], bulk.low[i], bulk.high[i])


TRUTHS: dict[str, tuple[float, Sampler]] = {
    "all zeros": (0.0, lambda g, s: np.zeros(s)),
    "all ones": (1.0, lambda g, s: np.ones(s)),
    "coin .5": (0.5, lambda g, s: (g.random(s) < 0.5) * 1.0),
    "coin .05": (0.05, lambda g, s: (g.random(s) < 0.05) * 1.0),
    "coin .95": (0.95, lambda g, s: (g.random(s) < 0.95) * 1.0),
    "two points": (0.45, lambda g, s: np.where(g.random(s) < 0.5, 0.3, 0.6)),
    "beta(2, 5)": (2 / 7, lambda g, s: g.beta(2, 5, s)),
    "beta(.2, .2)": (0.5, lambda g, s: g.beta(0.2, 0.2, s)),
    "four fifths at zero": (0.1, lambda g, s: (g.random(s) < 0.2) * g.random(s)),
    "rare large": (0.009, lambda g, s: (g.random(s) < 0.01) * 0.9),
}


def rates(betting: Betting, sizes: list[int], draws: int) -> dict[str, tuple[float, float]]:
    g = np.random.Generator(np.random.Philox(key=5))
    out = {}
    for name, (mean, sample) in TRUTHS.items():
        for n in sizes:
            got = bounded_mean_rows(sample(g, (draws, n)), betting=betting)
            out[f"{name}, n = {n}"] = (float((got.low > mean).mean()), float((got.high < mean).mean()))
    return out


@both
def test_the_interval_covers(betting: Betting) -> None:
    draws = 150
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in rates(betting, [2, 8, 25], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name


@both
def test_the_interval_shrinks_with_n(betting: Betting) -> None:
    g = np.random.Generator(np.random.Philox(key=6))
    got = [bounded_mean(g.beta(2, 5, n), betting=betting) for n in (10, 100, 1000)]
    widths = [i.high - i.low for i in got]
    assert widths == sorted(widths, reverse=True)
    # Hoeffding's width at n = 1000 is 2 sqrt(ln(2/.05) / 2000); betting uses the small variance.
    assert widths[-1] < 2 * np.sqrt(np.log(40) / 2000)


@pytest.mark.proof
@both
def test_the_interval_covers_with_many_draws(betting: Betting) -> None:
    draws = 5_000
    slack = 4.5 * np.sqrt(0.025 * 0.975 / draws)
    for name, (above, below) in rates(betting, [1, 2, 5, 10, 30, 100], draws).items():
        assert above <= 0.025 + slack, name
        assert below <= 0.025 + slack, name
