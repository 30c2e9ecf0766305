from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from assay.errors import InputError
from assay.stats import Adjusted, benjamini_hochberg, holm

METHODS: list[tuple[Callable[..., Adjusted], str]] = [(holm, "holm"), (benjamini_hochberg, "fdr_bh")]
each = pytest.mark.parametrize(("function", "oracle"), METHODS)
p_lists = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30)


@pytest.mark.slow
@each
@settings(max_examples=25)
@given(p=p_lists)
def test_agrees_with_statsmodels(function: Callable[..., Adjusted], oracle: str, p: list[float]) -> None:
    # statsmodels.stats.multitest.multipletests(p, method=...)
    want = multipletests(p, method=oracle)[1]
    assert function(p).adjusted == pytest.approx(want.tolist(), rel=1e-9, abs=1e-300)


def test_benjamini_and_hochbergs_published_example() -> None:
    # Benjamini and Hochberg (1995), their example of 15 tests: at .05 their method rejects 4, Bonferroni 3.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert sum(map(bool, benjamini_hochberg(p).rejected(0.05))) == 4
    assert sum(map(bool, holm(p).rejected(0.05))) == 3


def test_a_larger_p_value_never_ends_up_below_a_smaller_one() -> None:
    # Without the running maximum Holm would give .03, .022, .05.
    assert holm([0.01, 0.011, 0.05]).adjusted == pytest.approx((0.03, 0.03, 0.05))


@each
@given(p=p_lists)
def test_adjusted_values_are_monotone_and_never_below_the_raw_ones(
    function: Callable[..., Adjusted], oracle: str, p: list[float]
) -> None:
    got = function(p)
    both = sorted(
        (r, a) for r, a in zip(got.raw, got.adjusted, strict=True) if r is not None and a is not None
    )
    assert all(r <= a <= 1.0 for r, a in both)
    assert all(a[1] <= b[1] for a, b in pairwise(both))


@each
@given(p=p_lists, data=st.data())
def test_order_does_not_matter(
    function: Callable[..., Adjusted], oracle: str, p: list[float], data: st.DataObject
) -> None:
    places = data.draw(st.permutations(range(len(p))))
    shuffled = function([p[i] for i in places]).adjusted
    assert tuple(function(p).adjusted[i] for i in places) == shuffled


@given(p_lists)
def test_holm_is_never_more_lenient_than_benjamini_hochberg(p: list[float]) -> None:
    for h, b in zip(holm(p).adjusted, benjamini_hochberg(p).adjusted, strict=True):
        assert h is not None
        assert b is not None
        assert h >= b - 1e-12


@each
def test_one_test_needs_no_correction_and_none_is_no_test(
    function: Callable[..., Adjusted], oracle: str
) -> None:
    assert function([0.03]).adjusted == (0.03,)
    assert function([]).adjusted == ()
    with pytest.raises(InputError, match="missing"):
        function([0.03, None])
    got = function([None, 0.03], missing="drop")
    assert (got.adjusted, got.tests, got.rejected(0.05)) == ((None, 0.03), 1, (None, True))


@each
@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(function: Callable[..., Adjusted], oracle: str, wrong: Any) -> None:
    with pytest.raises(InputError, match="p-value"):
        function([0.5, wrong])
