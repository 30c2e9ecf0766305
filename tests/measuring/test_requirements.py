"""Requirements: a bound is kept by the whole interval, broken by all of it, or nothing is established."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring import Bound, Target, against, flawless, plain_measure, share_of_outcomes
from assay.measuring.requirements import check_requirements, least_n, requirement_verdicts, warnings_of
from assay.measuring.verdicts import bounded
from assay.stats import clopper_pearson
from assay.vocabulary import Flag, Measure, Verdict

TARGETS = {
    "share": Target(measure="share"),
    "distance": Target(measure="distance", side="at most"),
    "R": Target(measure="R", labels={"rung": "ast"}),
    "R text": Target(measure="R", labels={"rung": "text"}),
    "S": Target(measure="S", by="value", highest=5.0),
}
WHO: dict[str, str | float] = {"subject": "a"}
hundredths = st.integers(0, 100).map(lambda n: n / 100)


def taken(low: float | None, high: float | None, name: str = "share", **more: Any) -> Measure:
    value = None if low is None or high is None else (low + high) / 2
    labels = {**WHO, **more.pop("labels", {})}
    return Measure(name=name, value=value, low=low, high=high, confidence=0.95, n=9, labels=labels, **more)


def judged(found: Measure, name: str, bound: float | Bound) -> Verdict:
    (verdict,) = requirement_verdicts([found], {name: bound}, TARGETS, [WHO])
    assert (verdict.name, verdict.kind, verdict.labels) == (name, "requirement", WHO)
    return verdict


@pytest.mark.parametrize(
    ("low", "high", "bound", "holds"),
    [
        (0.5, 0.8, 0.5, True),  # the lower end is the bound itself
        (0.5, 0.8, 0.50001, None),
        (0.5, 0.8, 0.8, None),  # the upper end is the bound itself: it may just be reached
        (0.5, 0.8, 0.80001, False),
        (0.0, 1.0, 0.0, True),
        (1.0, 1.0, 1.0, True),
        (0.0, 0.0, 1.0, False),
        (0.15, 0.9, 0.15, True),  # in binary .15 is not .15; here it is
    ],
)
def test_what_should_be_high_must_be_at_least_its_bound_and_distances_mirror_that(
    low: float, high: float, bound: float, holds: bool | None
) -> None:
    assert judged(taken(low, high), "share", bound).holds is holds
    mirrored = taken(round(1 - high, 5), round(1 - low, 5), "distance")
    assert judged(mirrored, "distance", round(1 - bound, 5)).holds is holds


@given(hundredths, hundredths, hundredths, hundredths)
def test_a_lower_bound_is_never_harder_to_keep(a: float, b: float, c: float, d: float) -> None:
    low, high = sorted((a, b))
    easy, hard = (bounded(low, high, "at least", bound) for bound in sorted((c, d)))
    rank = {False: 0, None: 1, True: 2}
    assert rank[easy] >= rank[hard]


def test_a_bound_may_name_its_side_and_what_it_is_judged_by() -> None:
    found = taken(0.5, 0.8)
    assert judged(found, "share", Bound(at_most=0.9)).holds is True
    assert judged(found, "share", Bound(at_most=0.4)).holds is False
    assert judged(found, "share", 0.6).holds is None
    assert judged(found, "share", Bound(at_least=0.6, by="value")).holds is True
    assert "compared exactly" in judged(found, "share", Bound(at_least=0.6, by="value")).rule


def test_a_level_goes_by_its_value_and_too_little_evidence_is_no_failure() -> None:
    level = plain_measure("S", 2.0, WHO, n=50, units="level", method="m")
    assert [judged(level, "S", bound).holds for bound in (1, 2, 3)] == [True, True, False]
    few = plain_measure("S", 2.0, WHO, n=5, units="level", method="m", flags=[Flag("Provisional", "n < 20")])
    assert [judged(few, "S", bound).holds for bound in (2, 3)] == [True, None]


def test_only_levels_are_excused_by_too_little_evidence() -> None:
    lost = (Flag("Provisional", "2 of 60 outputs excluded"),)
    low, high = taken(0.0, 0.1, flags=lost), taken(0.9, 1.0, flags=lost)
    assert judged(low, "share", Bound(at_least=0.9, by="value")).holds is False
    assert judged(high, "share", Bound(at_most=0.1, by="value")).holds is False
    level = plain_measure("S", 4.0, WHO, n=9, units="level", method="m", flags=lost)
    assert judged(level, "S", Bound(at_most=3)).holds is False


def test_unknown_outcomes_establish_nothing_that_they_could_overturn() -> None:
    half = share_of_outcomes("share", WHO, 100, 0, 900)
    assert judged(half, "share", 0.9).holds is None
    assert judged(half, "share", 0.05).holds is True
    assert judged(share_of_outcomes("share", WHO, 0, 100, 10), "share", 0.5).holds is False


def test_a_share_is_compared_by_its_count() -> None:
    third = share_of_outcomes("share", WHO, 1, 2)
    assert judged(third, "share", Bound(at_least=1 / 3, by="value")).holds is True
    # 2 of 3 is more than .6666666666666666
    assert (
        judged(share_of_outcomes("share", WHO, 2, 1), "share", Bound(at_most=2 / 3, by="value")).holds
        is False
    )


def test_parts_without_a_whole_do_not_speak_for_it() -> None:
    parts = [taken(v, v, labels={"variant": name}) for name, v in (("x", 1.0), ("y", 0.0))]
    (verdict,) = requirement_verdicts(parts, {"share": 0.5}, TARGETS, [WHO])
    assert verdict.holds is None
    (verdict,) = requirement_verdicts([], {"share": 0.5}, TARGETS, [])
    assert (verdict.holds, verdict.labels) == (None, {})


def test_nothing_is_established_of_what_is_null_invalid_or_not_measured() -> None:
    null = judged(taken(None, None, notes=("no outputs",)), "share", 0.0)
    assert (null.holds, null.because) == (None, "no outputs")
    assert judged(taken(1.0, 1.0, flags=(Flag("Invalid", "lost"),)), "share", 0.5).holds is None
    absent = judged(taken(1.0, 1.0), "R", 0.5)
    assert (absent.holds, absent.because) == (None, "it is not measured in this cell")


def test_every_cell_is_judged_and_labels_say_which_measure_is_meant() -> None:
    measures = [
        Measure(name="R", value=v, low=v, high=v, n=9, labels={"subject": who, "rung": rung})
        for who, rung, v in [("a", "text", 0.1), ("a", "ast", 0.9), ("b", "ast", 0.2)]
    ]
    cells = [{"subject": "a"}, {"subject": "b"}]
    found = requirement_verdicts(measures, {"R": 0.5, "R text": 0.5}, TARGETS, cells)
    assert [(v.name, v.labels["subject"], v.holds) for v in found] == [
        ("R", "a", True), ("R", "b", False), ("R text", "a", False), ("R text", "b", None),
    ]  # fmt: skip


def test_the_whole_is_judged_where_there_are_parts() -> None:
    whole, part = taken(0.9, 0.9), taken(0.1, 0.1, labels={"variant": "v"})
    (verdict,) = requirement_verdicts([part, whole], {"share": 0.5}, TARGETS, [WHO])
    assert verdict.holds is True


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ({"shares": 0.5}, "unknown measure 'shares'; did you mean 'share'?"),
        ({"share": 1.5}, "share: 1.5 is asked for, but it lies between 0 and 1"),
        ({"distance": -0.1}, "distance: -0.1 is asked for, but it lies between 0 and 1"),
        ({"share": float("nan")}, "share: nan is asked for, but it lies between 0 and 1"),
        ({"S": Bound(at_least=2, by="interval")}, "S: has no interval and goes by its value"),
        ({"share": Bound()}, "share: give one of at_least and at_most"),
        ({"share": Bound(at_least=0.1, at_most=0.2)}, "share: give one of at_least and at_most"),
    ],
)
def test_what_cannot_be_required_is_refused(required: dict[str, float | Bound], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_requirements(required, TARGETS)
    assert str(caught.value).startswith(message)


@given(hundredths.filter(lambda b: 0 < b < 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_least_n_is_enough_and_one_less_is_not(bound: float, confidence: float) -> None:
    at = flawless(confidence)
    n = least_n(bound, at)
    assert n is not None
    assert clopper_pearson(n, n, confidence).low >= bound
    assert n == 1 or clopper_pearson(n - 1, n - 1, confidence).low < bound


def test_what_no_n_can_satisfy_is_said() -> None:
    def said(required: dict[str, float | Bound], n: int) -> list[str]:
        return warnings_of(required, TARGETS, lambda _: (n, flawless(0.95)))

    assert said({"share": 0.9}, 36) == []  # .025 ** (1 / 36) = .9026
    (text,) = said({"share": 0.9}, 35)
    assert text.endswith("it takes at least 36")
    assert said({"share": 1.0}, 10)[0].endswith("no n does")
    assert said({"share": Bound(at_least=0.9, by="value")}, 5) == []
    assert said({"share": 0.5}, 0)[0].endswith("it takes at least 6")
    assert said({"distance": 0.1}, 35)[0].endswith("it takes at least 36")


def test_a_measure_without_an_interval_establishes_nothing_by_interval() -> None:
    count = plain_measure("distinct", 3.0, WHO, n=9, units="count", method="count")
    found = against(count, "at most", 5, name="distinct", kind="threshold", claim="c")
    assert (found.holds, found.kind, found.labels) == (None, "threshold", WHO)
