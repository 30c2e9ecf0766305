from __future__ import annotations

import math
from itertools import combinations, permutations
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from assay.errors import InputError
from assay.stats import (
    Agreement,
    clopper_pearson,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)

# Untyped on purpose: the oracle has no stubs.
oracle: Any = inter_rater

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses; one row a patient.
DIAGNOSES = [
    "444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334", "114444", "555555",
    "144444", "124444", "222333", "144444", "224445", "333335", "111455", "111112", "224444", "133555",
    "555555", "244444", "224555", "114444", "144445", "222224", "111155", "224444", "133333", "555555",
]  # fmt: skip
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: a text an observer, 12 units.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]

LABELS = st.sampled_from(["red", "green", "blue"])
two_raters = st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=25)
ragged = st.lists(st.lists(st.integers(1, 4) | st.none(), min_size=2, max_size=5), min_size=2, max_size=12)


def diagnoses() -> list[list[int]]:
    return [[row.count(str(c)) for c in range(1, 6)] for row in DIAGNOSES]


def units() -> list[list[int | None]]:
    return [[None if r == "." else int(r) for r in unit] for unit in zip(*OBSERVERS, strict=True)]


def spread(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """The two raters' labels behind a table of counts."""
    cells = [(i, j) for i, row in enumerate(table) for j, times in enumerate(row) for _ in range(times)]
    return [i for i, _ in cells], [j for _, j in cells]


# Cohen


def test_cohens_own_examples() -> None:
    # Cohen (1960), tables 1 and 2: (.29 - .35) / .65 and (.70 - .41) / .59.
    worse = spread([[25, 13, 12], [12, 2, 16], [3, 15, 2]])
    better = spread([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert cohen_kappa(*worse, key="k", resamples=20).value == pytest.approx(-0.06 / 0.65)
    assert cohen_kappa(*better, key="k", resamples=20).value == pytest.approx(0.29 / 0.59)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize(
    "table", [[[88, 14, 18], [10, 40, 10], [2, 6, 12]], [[0, 4, 1], [0, 8, 0], [0, 1, 5]], [[5, 1], [2, 9]]]
)
def test_cohen_agrees_with_statsmodels(weights: Any, table: list[list[int]]) -> None:
    got = cohen_kappa(*spread(table), weights, key="k", categories=range(len(table)), resamples=20)
    # statsmodels.stats.inter_rater.cohens_kappa(table, wt=..., return_results=False)
    want = oracle.cohens_kappa(np.array(table), wt=weights, return_results=False)
    assert got.value == pytest.approx(want)


def test_the_interval_of_cohens_kappa_is_near_the_asymptotic_one() -> None:
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    got = cohen_kappa(*spread(table), key="k")
    want = oracle.cohens_kappa(np.array(table))
    assert (got.low, got.high) == pytest.approx((want.kappa_low, want.kappa_upp), abs=0.02)
    assert got.standard_error == pytest.approx(want.std_kappa, rel=0.08)


@given(two_raters)
@settings(max_examples=25)
def test_cohen_is_bounded_symmetric_and_blind_to_names_and_order(rows: list[tuple[str, str]]) -> None:
    a, b = [x for x, _ in rows], [y for _, y in rows]
    got = cohen_kappa(a, b, key="k", resamples=2)
    names = {"red": "z", "green": "m", "blue": "a"}
    renamed = cohen_kappa([names[x] for x in a], [names[y] for y in b], key="k", resamples=2)
    for other in (
        renamed,
        cohen_kappa(b, a, key="k", resamples=2),
        cohen_kappa(a[::-1], b[::-1], key="k", resamples=2),
    ):
        assert other.value == (None if got.value is None else pytest.approx(got.value))
    assert got.value is None or -1.0 - 1e-12 <= got.value <= 1.0
    assert (got.value is None) == (len({*a, *b}) == 1)


def test_a_far_miss_costs_more_with_weights() -> None:
    a = [1, 2, 3, 1, 2, 3]
    near, far = [1, 2, 3, 1, 2, 2], [1, 2, 3, 1, 2, 1]
    for weights in ("linear", "quadratic"):
        close = cohen_kappa(a, near, weights, key="k", resamples=5).value
        wide = cohen_kappa(a, far, weights, key="k", resamples=5).value
        assert close is not None
        assert wide is not None
        assert close > wide


def test_weights_need_an_order() -> None:
    with pytest.raises(InputError, match="order"):
        cohen_kappa(["low", "high"], ["high", "low"], "linear", key="k")
    got = cohen_kappa(
        ["low", "high", "mid"],
        ["low", "mid", "mid"],
        "linear",
        key="k",
        categories=["low", "mid", "high"],
        resamples=5,
    )
    assert [c.label for c in got.categories] == ["low", "mid", "high"]
    # By hand: one step apart in one of three items; by chance 7 steps over the 9 pairings.
    assert got.value == pytest.approx(1 - (1 / 3) / (7 / 9))


def test_missing_ratings_of_two_raters_are_refused_or_dropped_as_asked() -> None:
    with pytest.raises(InputError, match="item 1"):
        cohen_kappa([1, None, 2], [1, 1, 2], key="k")
    got = cohen_kappa([1, None, 2], [1, 1, 2], key="k", missing="drop", resamples=5)
    assert (got.n, got.ratings, got.value) == (2, 4, 1.0)


# Fleiss


def test_fleiss_own_example() -> None:
    got = fleiss_kappa(diagnoses(), key="k", resamples=200)
    # Fleiss (1971), tables 1 and 2: overall .430; by diagnosis .245, .245, .520, .471, .566.
    assert got.value == pytest.approx(0.430, abs=5e-4)
    assert [c.value for c in got.categories] == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=6e-4)
    assert (got.n, got.ratings) == (30, 180)
    assert got.low is not None
    assert got.high is not None
    assert 0.25 < got.low < 0.430 < got.high < 0.6


@given(
    st.integers(2, 6).flatmap(
        lambda m: st.lists(st.lists(st.integers(0, 2), min_size=m, max_size=m), min_size=2)
    )
)
@settings(max_examples=25)
def test_fleiss_agrees_with_statsmodels(rows: list[list[int]]) -> None:
    table = [[row.count(c) for c in range(3)] for row in rows]
    got = fleiss_kappa(table, key="k", resamples=2).value
    if len({r for row in rows for r in row}) == 1:
        assert got is None
    else:
        # statsmodels.stats.inter_rater.fleiss_kappa(table)
        assert got == pytest.approx(oracle.fleiss_kappa(np.array(table)), abs=1e-9)


def test_fleiss_tables_must_be_whole() -> None:
    with pytest.raises(InputError, match="item 1 has 2"):
        fleiss_kappa([[2, 1], [1, 1]], key="k")
    with pytest.raises(InputError, match="at least 2"):
        fleiss_kappa([[1, 0], [0, 1]], key="k")
    with pytest.raises(InputError, match="columns"):
        fleiss_kappa([[1, 1], [2]], key="k")
    with pytest.raises(InputError, match="2 columns but 3"):
        fleiss_kappa([[1, 1], [2, 0]], key="k", categories=["a", "b", "c"])
    with pytest.raises(InputError):
        fleiss_kappa([[1.5, 0.5]], key="k")  # type: ignore[list-item]


# Krippendorff


def test_krippendorffs_own_example() -> None:
    # Krippendorff (2011), section C: nominal .743, ordinal .815, interval .849.
    for level, want in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        got = krippendorff_alpha(units(), level, key="k", resamples=20)  # type: ignore[arg-type]
        assert got.value == pytest.approx(want, abs=5e-4)
        # Unit 12 has one rating and drops out: 11 units, 40 ratings that can be paired.
        assert (got.n, got.ratings) == (11, 40)


def alpha_by_pairs(rows: list[list[int | None]]) -> float | None:
    """Nominal alpha from its definition, pair by pair."""
    kept = [[x for x in row if x is not None] for row in rows]
    kept = [row for row in kept if len(row) >= 2]
    values = [x for row in kept for x in row]
    seen = sum(sum(x != y for x, y in permutations(row, 2)) / (len(row) - 1) for row in kept)
    chance = sum(x != y for x, y in permutations(values, 2))
    return 1 - seen * (len(values) - 1) / chance if chance else None


@given(ragged)
@settings(max_examples=40)
def test_alpha_is_what_counting_pairs_gives(rows: list[list[int | None]]) -> None:
    got = krippendorff_alpha(rows, key="k", resamples=2).value
    want = alpha_by_pairs(rows)
    assert got == (None if want is None else pytest.approx(want, abs=1e-9))


@given(ragged, st.sampled_from(["nominal", "ordinal", "interval"]))
@settings(max_examples=25)
def test_alpha_is_at_most_one_and_blind_to_order(rows: list[list[int | None]], level: Any) -> None:
    got = krippendorff_alpha(rows, level, key="k", resamples=2).value
    shuffled = krippendorff_alpha([row[::-1] for row in rows[::-1]], level, key="k", resamples=2).value
    stretched = [[None if x is None else 3 * x - 7 for x in row] for row in rows]
    scaled = krippendorff_alpha(stretched, level, key="k", resamples=2).value
    want = None if got is None else pytest.approx(got)
    assert shuffled == want
    assert scaled == want
    assert got is None or got <= 1.0


def test_only_the_order_counts_for_ordinal_ratings() -> None:
    bent = [[None if x is None else x**3 for x in row] for row in units()]
    straight = krippendorff_alpha(units(), "ordinal", key="k", resamples=5).value
    assert krippendorff_alpha(bent, "ordinal", key="k", resamples=5).value == pytest.approx(straight)
    assert krippendorff_alpha(bent, "interval", key="k", resamples=5).value != pytest.approx(
        krippendorff_alpha(units(), "interval", key="k", resamples=5).value
    )


def test_alpha_of_a_full_table_is_fleiss_kappa_with_its_small_sample_correction() -> None:
    # alpha = 1 - (1 - kappa) (N - 1)/N, N ratings in all.
    rows = [[int(r) for r in row] for row in DIAGNOSES]
    kappa = fleiss_kappa(diagnoses(), key="k", resamples=5).value
    assert kappa is not None
    want = 1 - (1 - kappa) * 179 / 180
    assert krippendorff_alpha(rows, key="k", resamples=5).value == pytest.approx(want)


def test_levels_need_what_they_need() -> None:
    texts = [["a", "b"], ["b", "b"]]
    with pytest.raises(InputError, match="order"):
        krippendorff_alpha(texts, "ordinal", key="k")
    with pytest.raises(InputError, match="numbers"):
        krippendorff_alpha(texts, "interval", key="k", categories=["a", "b"])
    with pytest.raises(InputError, match="level"):
        krippendorff_alpha(texts, "ratio", key="k")  # type: ignore[arg-type]
    assert krippendorff_alpha(texts, "ordinal", key="k", categories=["a", "b"], resamples=5).value is not None


# Percent


@given(ragged)
@settings(max_examples=25)
def test_percent_agreement_is_the_mean_share_of_agreeing_pairs(rows: list[list[int | None]]) -> None:
    got = percent_agreement(rows)
    shares = []
    for row in rows:
        pairs = list(combinations([x for x in row if x is not None], 2))
        if pairs:
            shares.append(sum(x == y for x, y in pairs) / len(pairs))
    assert got.n == len(shares)
    assert got.value == (pytest.approx(sum(shares) / len(shares)) if shares else None)
    assert 0.0 <= got.low <= got.high <= 1.0


def test_two_ratings_an_item_make_a_share() -> None:
    assert percent_agreement([["a", "a"], ["a", "b"], ["b", "b"], ["a", None]]) == clopper_pearson(2, 3)
    assert percent_agreement([]).value is None


# All of them


def everything(same: bool, *, key: Any = "k", **options: Any) -> dict[str, Agreement]:
    rows = [["a", "a"], ["b", "b"], ["a", "a"]] if same else [["a", "a"]] * 3
    table = [[row.count(c) for c in "ab"] for row in rows]
    a, b = [row[0] for row in rows], [row[1] for row in rows]
    return {
        "cohen": cohen_kappa(a, b, key=key, **options),
        "fleiss": fleiss_kappa(table, key=key, **options),
        "krippendorff": krippendorff_alpha(rows, key=key, **options),
    }


def test_full_agreement_is_one() -> None:
    for name, got in everything(True, resamples=50).items():
        assert (got.value, got.low, got.high) == (1.0, 1.0, 1.0), name
        assert got.undefined > 0, name
        assert [c.specific for c in got.categories] == [1.0, 1.0]
        assert [c.value for c in got.categories] == [1.0, 1.0]
        assert [c.share for c in got.categories] == pytest.approx([2 / 3, 1 / 3])


def test_without_variation_agreement_is_undefined_not_perfect() -> None:
    for name, got in everything(False).items():
        assert (got.value, got.low, got.high, got.n) == (None, None, None, 3), name


def test_without_items_nothing_is_said() -> None:
    for got in (cohen_kappa([], [], key="k"), fleiss_kappa([], key="k"), krippendorff_alpha([], key="k")):
        assert (got.value, got.low, got.n, got.ratings) == (None, None, 0, 0)
    assert krippendorff_alpha([[1, None], [None, None]], key="k").n == 0


def test_a_category_nobody_used_has_no_agreement_of_its_own() -> None:
    got = cohen_kappa(["a", "b"], ["a", "b"], key="k", categories=["a", "b", "c"], resamples=5)
    assert (got.categories[2].share, got.categories[2].specific, got.categories[2].value) == (0.0, None, None)


def test_specific_agreement_by_hand() -> None:
    # 40 yes-yes, 10 yes-no, 5 no-yes, 45 no-no: 2·40/(50+45) and 2·45/(50+55).
    got = cohen_kappa(*spread([[40, 10], [5, 45]]), key="k", resamples=5)
    assert [c.specific for c in got.categories] == pytest.approx([80 / 95, 90 / 105])


def test_the_key_makes_the_interval_and_nothing_else_does() -> None:
    a, b = spread([[8, 4, 1], [1, 9, 3], [2, 0, 7]])
    first = cohen_kappa(a, b, key="one", resamples=100)
    assert first == cohen_kappa(a, b, key="one", resamples=100)
    other = cohen_kappa(a, b, key="two", resamples=100)
    assert (other.value, other.low) != (first.value, first.low)
    assert msgspec.json.decode(msgspec.json.encode(first), type=Agreement) == first
    assert cohen_kappa(a, b, key=b"\x01", resamples=5).key == "01"


@pytest.mark.parametrize("labels", [(True, False), (1, 2), (0.5, 1.5), ("a", "b")])
def test_every_kind_of_label_survives_json(labels: Any) -> None:
    first, second = labels
    got = cohen_kappa([first, second, first], [first, second, second], key="k", resamples=5)
    again = msgspec.json.decode(msgspec.json.encode(got), type=Agreement)
    assert again == got
    assert [type(c.label) for c in again.categories] == [type(first)] * 2


@pytest.mark.parametrize("options", [{"key": ""}, {"confidence": 1.0}, {"confidence": 1.0, "key": b"k"}])
@pytest.mark.parametrize("same", [True, False])
def test_wrong_options_are_refused_with_and_without_variation(options: dict[str, Any], same: bool) -> None:
    with pytest.raises(InputError):
        everything(same, **options)


@pytest.mark.parametrize("wrong", [[[1], [2]], math.inf, object()])
def test_a_rating_is_a_text_or_a_finite_number(wrong: Any) -> None:
    with pytest.raises(InputError, match="a text or a finite number"):
        percent_agreement([[wrong, 1]])


def test_ratings_outside_the_categories_are_refused() -> None:
    with pytest.raises(InputError, match="'c' is not one of"):
        cohen_kappa(["a", "c"], ["a", "b"], key="k", categories=["a", "b"])
    with pytest.raises(InputError, match="distinct"):
        cohen_kappa(["a"], ["a"], key="k", categories=["a", "a"])
    with pytest.raises(InputError, match="2 against 1"):
        cohen_kappa(["a", "b"], ["a"], key="k")
    with pytest.raises(InputError, match="weights"):
        cohen_kappa([1], [1], "cubic", key="k")  # type: ignore[arg-type]


def test_numpy_ratings_are_taken_as_they_are() -> None:
    rows = np.array([[1.0, 1.0, np.nan], [2.0, 1.0, 2.0], [2.0, 2.0, 2.0]])
    plain = [[1, 1, None], [2, 1, 2], [2, 2, 2]]
    assert krippendorff_alpha(rows, key="k", resamples=5) == krippendorff_alpha(plain, key="k", resamples=5)  # type: ignore[arg-type]


def kappa_rate(items: int, draws: int) -> float:
    """How often the interval holds the true kappa, .6: the second rater copies the first with chance .6."""
    rng = np.random.Generator(np.random.Philox(key=51))
    hits = 0
    for i in range(draws):
        copied = rng.random(items) < 0.6
        a = rng.integers(0, 2, items)
        b = np.where(copied, a, rng.integers(0, 2, items))
        got = cohen_kappa(a.tolist(), b.tolist(), key=f"{i}", resamples=200)
        assert got.low is not None
        assert got.high is not None
        hits += got.low <= 0.6 <= got.high
    return hits / draws


def test_the_interval_covers_about_what_it_says() -> None:
    assert kappa_rate(60, 60) > 0.8


@pytest.mark.proof
def test_the_interval_covers_about_what_it_says_in_many_draws() -> None:
    assert 0.92 < kappa_rate(100, 1500) < 0.97
