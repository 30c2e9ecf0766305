from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.stats import (
    Entropy,
    bootstrap,
    distinct,
    novelty,
    pairwise_agreement,
    pairwise_agreement_array,
    shannon_entropy,
    unseen_chao1,
    wilson,
)

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

counts = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(lambda c: sum(c) > 0)


@given(counts)
@settings(max_examples=20)
def test_the_entropy_of_the_shares_is_scipys(c: list[int]) -> None:
    got = shannon_entropy(c)
    # scipy.stats.entropy(c, base=2)
    assert got.value == pytest.approx(scipy_stats.entropy(c, base=2), abs=1e-12)
    assert got == shannon_entropy(sorted(c)) == shannon_entropy([0, *c])
    assert got.value is not None
    assert 0.0 <= got.low <= got.value
    assert got.distinct == distinct(c) == sum(x > 0 for x in c)


def test_entropy_by_hand() -> None:
    assert shannon_entropy([8]).value == 0.0
    assert shannon_entropy([4, 4]).value == 1.0
    assert shannon_entropy([4, 2, 1, 1]).value == 1.75
    assert shannon_entropy([1] * 64).value == 6.0


@pytest.mark.parametrize("c", [[9, 3, 3, 1], [40, 10], [5] * 10])
def test_the_lower_bound_is_the_collision_entropy_at_the_upper_bound(c: list[int]) -> None:
    upper = pairwise_agreement(c, 0.9, side="upper").high
    assert shannon_entropy(c, 0.9).low == pytest.approx(-math.log2(upper))


def test_the_bound_is_cut_at_the_value() -> None:
    # Fifty different outputs: the source has more than log2(50) bits, which the plug-in value cannot say.
    got = shannon_entropy([1] * 50)
    assert -math.log2(pairwise_agreement([1] * 50, 0.95, side="upper").high) > math.log2(50)
    assert got.low == got.value == pytest.approx(math.log2(50))


def test_there_is_no_upper_end_and_json_says_so() -> None:
    got = shannon_entropy([3, 1])
    assert got.high is None
    assert msgspec.json.decode(msgspec.json.encode(got), type=Entropy) == got


def test_without_data_nothing_is_zero() -> None:
    for empty in ([], [0, 0]):
        assert (shannon_entropy(empty).value, shannon_entropy(empty).low) == (None, 0.0)
        assert unseen_chao1(empty).value is None
        assert distinct(empty) == 0
        got = novelty(empty)
        assert (got.value, got.low, got.high, got.n) == (None, 0.0, 1.0, 0)


@pytest.mark.parametrize(
    ("c", "want"),
    [
        # f1 (f1 - 1) / (2 (f2 + 1)), by hand
        ([5, 3], 0.0),
        ([5, 1], 0.0),
        ([1, 1], 1.0),
        ([1, 1, 1, 2, 9], 1.5),
        ([1] * 10 + [2] * 4, 9.0),
    ],
)
def test_chao1_by_hand(c: list[int], want: float) -> None:
    assert unseen_chao1(c).value == want
    assert unseen_chao1([*reversed(c), 0]) == unseen_chao1(c)


def test_chao1_is_a_lower_bound_on_average() -> None:
    # Zipf over 200: the estimate falls short of what is unseen, and does not overshoot it.
    rng = np.random.Generator(np.random.Philox(key=31))
    p = np.arange(1, 201) ** -1.0
    draws = rng.multinomial(100, p / p.sum(), size=300)
    unseen = np.mean([200 - distinct(c) for c in draws])
    estimate = np.mean([unseen_chao1(c).value for c in draws])
    assert 0.2 * unseen < estimate < unseen


@given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_novelty_holds_its_value_whatever_the_order(c: list[int], confidence: float) -> None:
    got = novelty(c, confidence)
    assert got == novelty(sorted(c), confidence) == novelty([*c, 0], confidence)
    assert got.value == c.count(1) / sum(c)
    assert 0.0 <= got.low <= got.value <= got.high <= 1.0


@given(counts)
def test_novelty_is_never_wider_than_bounded_differences(c: list[int]) -> None:
    got = novelty(c)
    assert got.value is not None
    reach = math.sqrt(2 * math.log(40) / got.n)
    assert got.high <= min(1.0, got.value + reach)
    assert got.low >= max(0.0, got.value - reach)


def test_novelty_by_hand() -> None:
    # n = 20, nothing seen once: Q <= ln 40 - ln(e^-20 20^20 / 20!), times e (19/20)^19 / 20.
    weight = -20 + 20 * math.log(20) - math.log(math.factorial(20))
    want = (math.log(40) - weight) * math.e * 0.95**19 / 20
    assert novelty([20]).high == pytest.approx(want, rel=1e-9)
    # n = 100, all seen once: bounded differences alone.
    assert novelty([1] * 100).low == pytest.approx(1 - math.sqrt(2 * math.log(40) / 100))
    one = novelty([1])
    assert (one.value, one.low, one.high) == (1.0, 1.0, 1.0)


def test_the_steps_from_poisson_to_n_values_hold() -> None:
    # The two inequalities of the derivation, on a fine grid of p.
    p = np.linspace(0.0, 1.0, 20_001)
    for n in (2, 3, 5, 20, 100, 1000):
        exact, poisson = (1 - p) ** (n - 1), np.exp(-n * p)
        assert (exact <= math.e * (1 - 1 / n) ** (n - 1) * poisson * (1 + 1e-12)).all()
        assert (poisson - exact).max() <= 4 / (math.e**2 * n)


@pytest.mark.parametrize("function", [distinct, novelty, shannon_entropy, unseen_chao1])
@pytest.mark.parametrize("wrong", [[-1], [1.5], [True]])
def test_wrong_counts_are_refused(function: Any, wrong: Any) -> None:
    with pytest.raises(InputError):
        function(wrong)


@pytest.mark.parametrize("function", [novelty, shannon_entropy])
def test_a_confidence_is_a_probability(function: Any) -> None:
    with pytest.raises(InputError):
        function([1, 2], 1.0)


def shapes() -> dict[str, np.ndarray[Any, Any]]:
    """The declared grid of truths."""
    uniform = {f"uniform over {m}": np.full(m, 1 / m) for m in (1, 2, 10, 100, 2000)}
    dominant = {
        f"{p} and {m} rare": np.array([p, *[(1 - p) / m] * m]) for p in (0.3, 0.9, 0.97) for m in (20, 2000)
    }
    zipf = {f"zipf {s}": (w := np.arange(1, 501) ** -s) / w.sum() for s in (1.0, 2.0)}
    return uniform | dominant | zipf


def misses(sizes: list[int], draws: int) -> dict[str, tuple[float, float]]:
    """How often the entropy's bound (before it is cut at the value) and the novelty's interval fail."""
    rng = np.random.Generator(np.random.Philox(key=32))
    out = {}
    for name, p in shapes().items():
        bits = float(scipy_stats.entropy(p, base=2))
        for n in sizes:
            parts = [rng.multinomial(n, p, size=min(draws, 1000)) for _ in range(0, draws, 1000)]
            pairs = np.concatenate([(c * (c - 1)).sum(axis=1) // 2 for c in parts])
            once = np.concatenate([(c == 1).sum(axis=1) for c in parts])
            low = -np.log2(pairwise_agreement_array(pairs, n, side="upper").high)
            chance = float((p * (1 - p) ** (n - 1)).sum())
            missed = np.zeros(n + 1, np.bool_)
            for k in np.unique(once).tolist():
                got = novelty([1] * k + [n - k])
                missed[k] = got.low > chance + 1e-9 or got.high < chance - 1e-9
            out[f"{name}, n = {n}"] = float((low > bits + 1e-9).mean()), float(missed[once].mean())
    return out


def check(sizes: list[int], draws: int) -> None:
    slack = 4.5 * math.sqrt(0.05 * 0.95 / draws)
    for name, (entropy, novel) in misses(sizes, draws).items():
        assert entropy <= 0.05 + slack, name
        assert novel <= 0.05 + slack, name


def test_both_hold_on_the_declared_grid() -> None:
    check([2, 20, 100], 400)


def test_a_bootstrap_of_the_entropy_does_not_cover() -> None:
    # Why there is no upper end: a source of 11 bits, 50 values, and resampling never gets beyond log2(50).
    rng = np.random.Generator(np.random.Philox(key=33))

    def plug_in(rows: Any) -> float:
        return float(scipy_stats.entropy(np.unique(rows, return_counts=True)[1], base=2))

    for i in range(5):
        values = rng.integers(0, 2048, 50)
        naive = bootstrap(values, plug_in, key=f"{i}", resamples=100)
        assert naive.high is not None
        assert naive.high < 11.0
        assert shannon_entropy(np.unique(values, return_counts=True)[1]).low <= 11.0


def test_a_binomial_interval_on_the_categories_seen_once_does_not_cover() -> None:
    # Why novelty is not a share: a repeat takes two values out of f1 at once.
    rng = np.random.Generator(np.random.Philox(key=34))
    n, kinds = 400, 2000
    chance = (1 - 1 / kinds) ** (n - 1)
    wrong = np.zeros(2)
    for _ in range(1000):
        seen = np.unique(rng.integers(0, kinds, n), return_counts=True)[1]
        for i, got in enumerate((wilson(int((seen == 1).sum()), n), novelty(seen))):
            wrong[i] += not got.low <= chance <= got.high
    assert wrong[0] > 80
    assert wrong[1] <= 50


@pytest.mark.proof
def test_both_hold_on_the_declared_grid_with_many_draws() -> None:
    check([2, 3, 5, 10, 20, 45, 100], 20_000)
