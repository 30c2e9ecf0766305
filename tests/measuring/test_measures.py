"""One builder for every measure: no data has a reason and no interval, unknowns have bounds, shares a count."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.measuring import (
    Labelled,
    exclusion_flags,
    find_measure,
    lost_of,
    measure_of,
    plain_measure,
    share_of_outcomes,
    with_flags,
)
from assay.stats import bounded_mean, clopper_pearson
from assay.vocabulary import Exclusion, Flag, Measure, Result

counts = st.integers(0, 40)


@given(counts, counts, counts)
def test_a_share_carries_its_count_and_unknown_outcomes_only_widen_its_bounds(
    good: int, bad: int, open_: int
) -> None:
    found = share_of_outcomes("s", {"subject": "a"}, good, bad, open_)
    assert (found.n, found.k) == (good + bad, good if good + bad else None)
    if not good + bad:
        assert (found.value, found.low, found.high) == (None, None, None)
        assert found.notes
    else:
        assert found.value == pytest.approx(good / (good + bad), abs=1e-12)
        ends = (found.low, found.value, found.high)
        assert sorted(end for end in ends if end is not None) == list(ends)
    if open_:
        total = good + bad + open_
        assert found.bound_low == pytest.approx(good / total, abs=1e-12)
        assert found.bound_high == pytest.approx((good + open_) / total, abs=1e-12)
    else:
        assert (found.bound_low, found.bound_high) == (None, None)


def test_no_data_never_has_an_interval_and_always_a_reason() -> None:
    empty = measure_of(
        "s", clopper_pearson(0, 0), {}, why_null="nothing was asked", spec_value=0.0, notes=["n"]
    )
    assert (empty.value, empty.low, empty.high, empty.k, empty.n) == (None, None, None, None, 0)
    assert (empty.notes, empty.spec_value) == (("nothing was asked", "n"), 0.0)
    # A value may be missing although its interval is not: then the interval goes, too.
    gone = measure_of("s", clopper_pearson(3, 4), {}, value=None)
    assert (gone.value, gone.low, gone.high, gone.k) == (None, None, None, None)
    assert plain_measure("level", None, {}, n=3, units="level", method="m").notes


def test_a_value_may_count_what_its_interval_leaves_out() -> None:
    found = measure_of("R", clopper_pearson(2, 3), {}, value=Fraction(3, 4), k=3, n=4)
    assert (found.value, found.k, found.n) == (0.75, 3, 4)
    assert found.low == pytest.approx(clopper_pearson(2, 3).low, abs=1e-12)
    # Without its own count there is none: the interval's is not of this value.
    assert measure_of("R", clopper_pearson(2, 3), {}, value=Fraction(3, 4), n=4).k is None
    assert measure_of("d", bounded_mean([0.5, 0.5], 0.95), {}, units="distance").k is None


@pytest.mark.parametrize(
    ("lost", "planned", "kind"),
    [(0, 10, None), (1, 10, "Provisional"), (2, 10, "Invalid"), (3, 30, "Provisional"), (1, 1, "Invalid")],
)
def test_what_was_lost_is_flagged_and_past_the_declared_share_invalid(
    lost: int, planned: int, kind: str | None
) -> None:
    flags = exclusion_flags(lost, planned, 0.1, "outputs")
    assert [flag.kind for flag in flags] == ([kind] if kind else [])
    assert all(flag.cause.startswith(f"{lost} of {planned} outputs excluded") for flag in flags)


def test_measures_are_found_by_name_and_labels() -> None:
    def made(name: str, **labels: str | float) -> Measure:
        return Measure(name=name, value=1.0, n=1, labels=labels)

    whole, part, other = made("a", subject="x"), made("a", subject="x", part="p"), made("b", subject="y")
    found = Labelled([whole, part, other])
    assert found.all("a") == found.all("a", {"subject": "x"}) == [whole, part]
    assert found.get("a", {"part": "p"}) == found.exact("a", {"subject": "x", "part": "p"}) == part
    assert (found.get("a", {"subject": "y"}), found.exact("a", {}), found.get("c")) == (None, None, None)
    assert list(found.label_values("a", "subject")) == ["x"]
    result = Result(instrument="i", version="1", source="rows", measures=(whole, part, other))
    assert find_measure(result, "b", subject="y") == other


def test_flags_are_added_and_losses_counted_by_label() -> None:
    plain = Measure(name="a", value=1.0, n=1, flags=(Flag("Provisional", "x"),))
    assert with_flags(plain, ()) is plain
    assert [f.cause for f in with_flags(plain, [Flag("Invalid", "y")]).flags] == ["x", "y"]
    excluded = [Exclusion("timeout", 2, {"subject": "a"}), Exclusion("http_500", 3, {"subject": "b"})]
    assert (lost_of(excluded), lost_of(excluded, subject="b"), lost_of(excluded, subject="c")) == (5, 3, 0)
