from __future__ import annotations

from fractions import Fraction

import pytest

from assay.errors import InputError
from assay.instruments.consistency.measures.composite import compose, composite_measure, composite_verdict
from assay.instruments.consistency.measures.shares import (
    COMPONENTS,
    ConsistencySettings,
    Share,
    share_of,
    strata,
)
from assay.stats import Part, weighted_mean, weighted_value
from tests.instruments.consistency.made import Made, measure


def share(good: int, n: int, name: str) -> Share:
    return share_of((f"{name}{i}", i < good) for i in range(n))


def shares(**counts: tuple[int, int]) -> dict[str, Share]:
    """O and L on the same exchanges."""
    return {
        name: share(*counts.get(name, (0, 0)), "exchange" if name in "OL" else name) for name in COMPONENTS
    }


def test_the_worked_example_of_the_spec_gives_985() -> None:
    made = Made().exchanges(10, 9, 10).share("M2", 3, 3).share("M3", 2, 2).share("P", 2, 2)
    found = measure(made.score(), "M5")
    assert found.value == 0.985
    assert found.n == 17  # scenarios: ten exchanges, not twenty
    assert compose(
        "a", shares(O=(10, 10), F=(3, 3), R=(2, 2), P=(2, 2), L=(9, 10)), ConsistencySettings()
    ).value == Fraction(985, 1000)


def test_exchanges_that_count_twice_are_one_part() -> None:
    all_five = shares(O=(10, 10), F=(5, 5), R=(5, 5), P=(5, 5), L=(9, 10))
    parts = strata(all_five, ConsistencySettings().weights)
    assert sorted((p.weight, p.n) for p in parts) == [(Fraction(1, 5), 5)] * 3 + [(Fraction(2, 5), 10)]
    assert weighted_value(parts) == Fraction(985, 1000)


def test_several_outcomes_of_one_scenario_keep_the_plain_ratio() -> None:
    uneven = Share({"a": (2, 2), "b": (0, 1), "c": (1, 3)})
    assert uneven.value == Fraction(3, 6)
    interval = uneven.interval(0.95)
    assert interval.value == 0.5
    assert interval.n == 3  # conversations
    even = Share({"a": (2, 2), "b": (1, 2)})
    assert even.interval(0.95).low == pytest.approx(weighted_mean([Part(1, Fraction(3, 4), 2)]).low)


def test_a_component_without_data_leaves_m5_provisional_and_the_claim_open() -> None:
    settings = ConsistencySettings(rule="point")
    found = compose("a", shares(O=(60, 60), F=(60, 60), R=(60, 60), L=(60, 60)), settings)
    told = composite_measure(found, settings)
    assert told.value == 1
    assert [str(flag) for flag in told.flags] == [
        "Provisional (no data for P; the value is of the other components)"
    ]
    assert told.notes == ("P would carry 0.2 of the weight",)
    for rule in (settings, ConsistencySettings()):
        verdict = composite_verdict(found, rule)
        assert verdict.holds is None
        assert verdict.because.endswith("but nothing was tested for P")


def test_what_fails_without_a_component_fails() -> None:
    found = compose("a", shares(O=(0, 60), F=(0, 60), R=(0, 60), L=(0, 60)), ConsistencySettings())
    assert composite_verdict(found, ConsistencySettings()).holds is False


def test_what_a_missing_component_could_mend_has_not_failed() -> None:
    """.85 of what was tested; with a perfect P it would be .88, with P weighing half .925."""
    tested = shares(O=(850, 1000), F=(850, 1000), R=(850, 1000), L=(850, 1000))
    heavy = {
        "O": Fraction(1, 8),
        "F": Fraction(1, 8),
        "R": Fraction(1, 8),
        "P": Fraction(1, 2),
        "L": Fraction(1, 8),
    }
    for rule in ("point", "interval"):
        light = ConsistencySettings(rule=rule)
        assert composite_verdict(compose("a", tested, light), light).holds is False
        settings = ConsistencySettings(rule=rule, weights=heavy)
        verdict = composite_verdict(compose("a", tested, settings), settings)
        assert verdict.holds is None
        assert verdict.because.endswith("but nothing was tested for P")


def test_the_weights_of_what_was_tested_are_renormalised() -> None:
    found = compose("a", shares(O=(1, 2), F=(1, 1)), ConsistencySettings())
    assert found.value == (Fraction(25, 45) / 2 + Fraction(20, 45))
    assert found.missing == ("R", "P", "L")


def test_nothing_at_all_is_null_with_the_reason() -> None:
    found = compose("a", shares(), ConsistencySettings())
    told = composite_measure(found, ConsistencySettings())
    assert (told.value, told.low, told.high, told.n) == (None, None, None, 0)
    assert told.notes == ("none of its components was tested",)
    assert composite_verdict(found, ConsistencySettings()).holds is None


def test_a_threshold_is_met_exactly_where_floats_would_miss_it() -> None:
    settings = ConsistencySettings(rule="point")
    found = compose("a", shares(O=(9, 10), F=(7, 10), R=(10, 10), P=(10, 10), L=(9, 10)), settings)
    assert found.value == settings.threshold
    assert 0.25 * 0.9 + 0.2 * 0.7 + 0.2 * 1.0 + 0.2 * 1.0 + 0.15 * 0.9 < 0.9
    assert composite_verdict(found, settings).holds is True


@pytest.mark.parametrize(
    ("good", "n", "holds", "marginal"),
    [(100, 100, True, False), (45, 50, None, True), (20, 100, False, False), (29, 30, None, True)],
)
def test_by_the_interval_a_claim_holds_fails_or_stays_open(
    good: int, n: int, holds: bool | None, marginal: bool
) -> None:
    found = compose("a", shares(**dict.fromkeys(COMPONENTS, (good, n))), ConsistencySettings())
    verdict = composite_verdict(found, ConsistencySettings())
    assert verdict.holds is holds
    assert ("marginal" in verdict.because) is marginal


def test_weights_must_sum_to_one_and_name_every_component() -> None:
    with pytest.raises(InputError, match=r"these sum to 0\.95"):
        ConsistencySettings(
            weights=ConsistencySettings.weights_from({"O": 0.2, "F": 0.2, "R": 0.2, "P": 0.2, "L": 0.15})
        )
    with pytest.raises(InputError, match="weights are needed for O, F, R, P, L, not O, F"):
        ConsistencySettings(weights=ConsistencySettings.weights_from({"O": 0.5, "F": 0.5}))
    with pytest.raises(InputError, match="below 0"):
        ConsistencySettings(
            weights=ConsistencySettings.weights_from({"O": 1.2, "F": -0.2, "R": 0, "P": 0, "L": 0})
        )


def test_a_component_of_no_weight_is_not_missed() -> None:
    settings = ConsistencySettings(
        weights=ConsistencySettings.weights_from({"O": 0.5, "F": 0.5, "R": 0, "P": 0, "L": 0})
    )
    assert compose("a", shares(O=(1, 1), F=(1, 1)), settings).complete
