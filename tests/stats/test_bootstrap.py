from __future__ import annotations

import hashlib
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.errors import InputError
from assay.stats import bootstrap, cluster_bootstrap, draw_indices, draw_signs, philox

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

X = np.random.Generator(np.random.Philox(key=1)).exponential(size=60)


def mean(rows: Any) -> float:
    return float(rows.mean())


def test_a_key_is_its_own_stream_and_never_another() -> None:
    raw = philox("a").random_raw(4)
    assert (raw == philox(b"a").random_raw(4)).all()
    assert (raw != philox("b").random_raw(4)).any()
    assert (raw != philox("a", 1).random_raw(4)).any()


def test_the_words_of_a_key_are_pinned() -> None:
    # numpy.random.Philox(key=first 16 bytes of sha256(b"assay"), little-endian words).random_raw(2)
    digest = hashlib.sha256(b"assay").digest()
    want = np.random.Philox(key=int.from_bytes(digest[:16], "little")).random_raw(2)
    assert philox("assay").random_raw(2).tolist() == want.tolist()


@pytest.mark.parametrize("wrong", ["", b"", 7, None])
def test_randomness_without_a_key_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="key"):
        philox(wrong)


def test_indices_are_uniform_and_in_range() -> None:
    for n in (1, 2, 3, 7, 1000):
        drawn = draw_indices("k", 0, n, 200 * n)
        assert drawn.min() >= 0
        assert drawn.max() < n
        # scipy.stats.chisquare: a fixed draw, so this either always passes or never does
        assert n == 1 or scipy_stats.chisquare(np.bincount(drawn, minlength=n)).pvalue > 1e-4


def test_coins_are_fair() -> None:
    coins = draw_signs("k", 3, 10_001)
    assert len(coins) == 10_001
    assert scipy_stats.binomtest(int(coins.sum()), 10_001).pvalue > 1e-4


def test_the_same_key_gives_the_same_interval_and_another_key_another() -> None:
    first = bootstrap(X, mean, key="a", resamples=200)
    assert first == bootstrap(X, mean, key="a", resamples=200)
    assert first != bootstrap(X, mean, key="b", resamples=200)


def test_more_resamples_keep_the_earlier_ones() -> None:
    seen: dict[int, list[float]] = {}
    for resamples in (5, 8):
        drawn: list[float] = []

        def note(rows: Any, drawn: list[float] = drawn) -> float:
            drawn.append(float(rows.mean()))
            return drawn[-1]

        bootstrap(X, note, key="a", resamples=resamples)
        seen[resamples] = drawn
    assert seen[5][:6] == seen[8][:6]


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("statistic", [np.mean, np.std])
def test_agrees_with_scipy_up_to_the_noise_of_resampling(method: Any, statistic: Any) -> None:
    got = bootstrap(X, lambda rows: float(statistic(rows)), key="x", resamples=3000, method=method)
    # scipy.stats.bootstrap((X,), statistic, n_resamples=3000, method=...)
    want = scipy_stats.bootstrap(
        (X,), statistic, n_resamples=3000, method=method, rng=np.random.default_rng(0), vectorized=True
    )
    width = want.confidence_interval.high - want.confidence_interval.low
    assert got.low == pytest.approx(want.confidence_interval.low, abs=0.08 * width)
    assert got.high == pytest.approx(want.confidence_interval.high, abs=0.08 * width)
    assert got.standard_error == pytest.approx(want.standard_error, rel=0.08)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("statistic", [np.mean, np.std, np.median])
def test_agrees_with_scipy_on_the_same_resamples(method: Any, statistic: Any) -> None:
    got = bootstrap(X, lambda rows: float(statistic(rows)), key="x", resamples=500, method=method)
    drawn = np.array([statistic(X[draw_indices("x", r, 60, 60)]) for r in range(500)])
    # scipy.stats.bootstrap((X,), statistic, n_resamples=0, method=..., bootstrap_result=those resamples)
    want = scipy_stats.bootstrap(
        (X,),
        statistic,
        n_resamples=0,
        method=method,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn),
        vectorized=True,
    )
    assert got.low == pytest.approx(want.confidence_interval.low, rel=1e-10)
    assert got.high == pytest.approx(want.confidence_interval.high, rel=1e-10)


def test_clusters_of_copies_count_once() -> None:
    copies, labels = np.repeat(X, 10), np.repeat(np.arange(60), 10).tolist()
    clustered = cluster_bootstrap(copies, labels, mean, key="a", resamples=300)
    plain = bootstrap(X, mean, key="a", resamples=300)
    assert clustered.low == pytest.approx(plain.low)
    assert clustered.high == pytest.approx(plain.high)
    assert (clustered.n, clustered.clusters) == (600, 60)
    naive = bootstrap(copies, mean, key="a", resamples=300)
    assert naive.low is not None
    assert clustered.low is not None
    assert naive.low > clustered.low


def test_clusters_of_unequal_size_bring_all_their_rows() -> None:
    sizes: set[int] = set()

    def note(rows: Any) -> float:
        sizes.add(len(rows))
        return float(rows.sum())

    cluster_bootstrap([1.0, 2.0, 3.0], ["a", "a", "b"], note, key="k", resamples=50)
    assert sizes == {2, 3, 4}


def test_rows_may_have_columns() -> None:
    pairs = np.column_stack([X, 2 * X + 1])
    got = bootstrap(pairs, lambda rows: float(np.corrcoef(rows.T)[0, 1]), key="k", resamples=50)
    assert got.low == pytest.approx(1.0)


def test_too_little_data_has_no_interval() -> None:
    none = bootstrap(np.array([]), mean, key="k")
    assert (none.value, none.low, none.high, none.n) == (None, None, None, 0)
    one = bootstrap([0.4], mean, key="k")
    assert (one.value, one.low, one.high) == (0.4, None, None)
    same = cluster_bootstrap([0.4, 0.5], ["a", "a"], mean, key="k")
    assert (same.low, same.clusters) == (None, 1)


def test_data_without_spread_give_a_point_with_both_methods() -> None:
    for method in ("percentile", "bca"):
        got = bootstrap([0.5] * 9, mean, key="k", resamples=20, method=method)
        assert (got.low, got.value, got.high) == (0.5, 0.5, 0.5)


def test_missing_rows_are_refused_or_dropped_as_asked() -> None:
    rows = [1.0, math.nan, 3.0]
    with pytest.raises(InputError, match="row 1"):
        bootstrap(rows, mean, key="k")
    got = cluster_bootstrap(rows, ["a", "b", "c"], mean, key="k", resamples=20, missing="drop")
    assert (got.value, got.n, got.clusters) == (2.0, 2, 2)


def test_undefined_resamples_are_refused_or_counted_as_asked() -> None:
    def ratio(rows: Any) -> float:
        return float(rows[:, 0].sum() / rows[:, 1].sum()) if rows[:, 1].sum() else math.nan

    rows = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(InputError, match="undefined"):
        bootstrap(rows, ratio, key="k", resamples=100)
    got = bootstrap(rows, ratio, key="k", resamples=100, undefined="drop")
    assert 0 < got.undefined < 100


def test_bca_says_so_where_it_is_not_defined() -> None:
    with pytest.raises(InputError, match="BCa is undefined"):
        bootstrap(
            np.arange(30.0),
            lambda rows: float(len(np.unique(rows))),
            key="k",
            resamples=50,
            method="bca",
        )


@pytest.mark.parametrize(
    "options", [{"method": "basic"}, {"resamples": 0}, {"confidence": 2.0}, {"missing": "zero"}]
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        bootstrap(X, mean, key="k", **options)


def test_labels_must_match_rows() -> None:
    with pytest.raises(InputError, match="3 rows but 2"):
        cluster_bootstrap([1.0, 2.0, 3.0], ["a", "b"], mean, key="k")
    with pytest.raises(InputError, match="first axis"):
        bootstrap(3.0, mean, key="k")


def cluster_rate(draws: int) -> float:
    """How often the interval holds the true mean 0: 40 clusters of 5 rows that share a cluster effect."""
    g = np.random.Generator(np.random.Philox(key=9))
    labels = np.repeat(np.arange(40), 5).tolist()
    hits = 0
    for i in range(draws):
        rows = np.repeat(g.normal(size=40), 5) + 0.5 * g.normal(size=200)
        got = cluster_bootstrap(rows, labels, mean, key=f"{i}", resamples=200)
        assert got.low is not None
        assert got.high is not None
        hits += got.low <= 0.0 <= got.high
    return hits / draws


def test_the_cluster_bootstrap_covers_about_what_it_says() -> None:
    assert cluster_rate(60) > 0.8


@pytest.mark.proof
def test_the_cluster_bootstrap_covers_about_what_it_says_in_many_draws() -> None:
    assert 0.91 < cluster_rate(1500) < 0.97
