from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.stats import clopper_pearson, fraction, share, share_bounds, wilson

few = st.integers(0, 40)


def test_unknowns_are_shown_as_bounds() -> None:
    got = share_bounds(6, 2, 2)
    assert (got.value, got.bound_low, got.bound_high, got.n) == (0.75, 0.6, 0.8, 8)
    assert got.envelope_low == wilson(6, 10).low
    assert got.envelope_high == wilson(8, 10).high


def test_without_unknowns_everything_is_the_plain_interval() -> None:
    got, plain = share_bounds(6, 2, 0, method="clopper-pearson"), clopper_pearson(6, 8)
    assert (got.envelope_low, got.envelope_high) == (got.low, got.high) == (plain.low, plain.high)
    assert got.bound_low == got.bound_high == got.value == 0.75


def test_only_unknowns_have_no_value_and_full_bounds() -> None:
    got = share_bounds(0, 0, 5)
    assert (got.value, got.low, got.high) == (None, 0.0, 1.0)
    assert (got.bound_low, got.bound_high) == (0.0, 1.0)


def test_no_outcome_at_all_has_no_bounds() -> None:
    got = share_bounds(0, 0, 0)
    assert (got.value, got.bound_low, got.bound_high) == (None, None, None)
    assert (got.envelope_low, got.envelope_high) == (0.0, 1.0)
    assert got.settled(0.5) is None


@pytest.mark.parametrize("method", ["wilson", "agresti-coull", "clopper-pearson"])
@given(good=few, bad=few, unknown=st.integers(0, 20), data=st.data())
def test_the_envelope_holds_whatever_the_unknowns_were(
    method: Any, good: int, bad: int, unknown: int, data: st.DataObject
) -> None:
    got = share_bounds(good, bad, unknown, method=method)
    turned = data.draw(st.integers(0, unknown))
    truth = share_bounds(good + turned, bad + unknown - turned, 0, method=method)
    assert got.envelope_low <= truth.low + 1e-12
    assert truth.high <= got.envelope_high + 1e-12
    assert got.envelope_low <= got.low + 1e-12
    assert got.high <= got.envelope_high + 1e-12
    if truth.value is not None:
        assert got.bound_low is not None
        assert got.bound_high is not None
        assert got.bound_low <= truth.value <= got.bound_high


def test_a_threshold_is_settled_only_where_the_unknowns_cannot_matter() -> None:
    got = share_bounds(17, 1, 2)  # 17/20 .. 19/20
    assert got.settled(0.85) is True
    assert got.settled("0.9") is None
    assert got.settled(0.951) is False


def test_shares_are_compared_as_on_paper() -> None:
    assert 0.85 - 0.70 > 0.15
    assert fraction(0.85) - fraction(0.70) <= fraction(0.15)
    assert (
        share(17, 20) == fraction(0.85) == fraction("0.85") == fraction(Decimal("0.85")) == Fraction(17, 20)
    )
    assert share(0, 0) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_fraction_reads_back_as_the_same_float(number: float) -> None:
    assert float(fraction(number)) == number


@pytest.mark.parametrize("wrong", [True, float("nan"), float("inf"), "one half", "1/0"])
def test_what_is_no_number_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        fraction(wrong)


def test_wrong_counts_are_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        share_bounds(1, 1, -1)
    with pytest.raises(InputError, match="method"):
        share_bounds(1, 1, 1, method="wald")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="more than"):
        share(3, 2)
