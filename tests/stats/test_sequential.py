from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.stats import (
    SequentialShare,
    fixed_share_size,
    fraction,
    philox,
    power_one,
    required_n_one,
    sequential_properties,
    sequential_share,
    wilson,
)
from assay.stats.sequential import crossing, refuted

# Untyped on purpose: the oracle is called in ways its stubs do not know.
scipy_stats: Any = stats

AGENCY: dict[str, Any] = {"threshold": 0.70, "alternative": 0.85, "least": 20, "most": 200}
shares = st.sampled_from([0.05, 0.2, 0.25, 0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
levels = st.sampled_from([0.5, 0.25, 0.125, 0.1, 0.05, 0.025])


@st.composite
def designs(draw: st.DrawFn, most: int = 40) -> dict[str, Any]:
    low, high = sorted(draw(st.lists(shares, min_size=2, max_size=2, unique=True)))
    last = draw(st.integers(1, most))
    return {
        "threshold": low,
        "alternative": high,
        "alpha": draw(levels),
        "beta": draw(levels),
        "least": draw(st.integers(1, last)),
        "most": last,
    }


def evidence(k: int, n: int, design: dict[str, Any]) -> Fraction:
    p0, p1 = fraction(design["threshold"]), fraction(design["alternative"])
    return (p1 / p0) ** k * ((1 - p1) / (1 - p0)) ** (n - k)


def written_out(outcomes: list[int], design: dict[str, Any]) -> tuple[str, int]:
    """The definition, in fractions, one outcome after the other."""
    for n in range(design["least"], min(len(outcomes), design["most"]) + 1):
        e = evidence(sum(outcomes[:n]), n, design)
        if e >= 1 / fraction(design["alpha"]):
            return "satisfied", n
        if 1 / e >= 1 / fraction(design["beta"]):
            return "not satisfied", n
    if len(outcomes) >= design["most"]:
        return "undecided", design["most"]
    return "continue", len(outcomes)


def test_successes_in_a_row_satisfy_once_the_evidence_reaches_twenty() -> None:
    # (.85/.70)**15 = 18.4 and (.85/.70)**16 = 22.3
    found = sequential_share([1] * 50, threshold=0.7, least=1, most=100)
    assert (found.decision, found.n, found.successes) == ("satisfied", 16, 16)
    assert found.e_value == pytest.approx((0.85 / 0.70) ** 16)
    assert found.log_e == pytest.approx(16 * math.log(0.85 / 0.70))
    assert found.log_e_mirror == -found.log_e


def test_failures_in_a_row_refute_the_alternative() -> None:
    # Each failure doubles the mirror evidence: 16 after four, 32 after five.
    found = sequential_share([False] * 9, threshold=0.7, least=1, most=100)
    assert (found.decision, found.n, found.successes) == ("not satisfied", 5, 0)
    assert found.log_e_mirror == pytest.approx(5 * math.log(2))


def test_nothing_is_decided_before_the_least_n_nor_asked_after_the_most() -> None:
    early = sequential_share([1] * 19, **AGENCY)
    assert (early.decision, early.n) == ("continue", 19)
    assert early.then([1]).decision == "satisfied"
    wavering = [1, 1, 1, 0] * 100  # 75 %: between threshold and alternative
    late = sequential_share(wavering, threshold=0.7, least=20, most=30)
    assert (late.decision, late.n) == ("undecided", 30)


def test_running_out_of_outcomes_is_not_being_undecided() -> None:
    assert sequential_share([1, 1, 0, 1], **AGENCY).decision == "continue"
    assert sequential_share([], **AGENCY).n == 0
    assert sequential_share([], **AGENCY).e_value == 1.0


@pytest.mark.parametrize(
    ("threshold", "alternative", "alpha", "needed"),
    [
        (0.25, 0.5, 0.0625, 4),
        (0.1, 0.2, 0.125, 3),
        (0.2, 0.8, 0.015625, 3),
        (0.05, 0.25, 0.008, 3),
        (0.1, 0.2, 0.03125, 5),
    ],
)
def test_evidence_that_equals_the_line_on_paper_reaches_it(
    threshold: float, alternative: float, alpha: float, needed: int
) -> None:
    # The last two come out one too many in floats.
    design: dict[str, Any] = {
        "threshold": threshold,
        "alternative": alternative,
        "alpha": alpha,
        "beta": 1e-9,
    }
    assert sequential_share([1] * 9, **design, least=1, most=9).n == needed
    mirrored: dict[str, Any] = {
        "threshold": round(1 - alternative, 9),
        "alternative": round(1 - threshold, 9),
        "beta": alpha,
    }
    found = sequential_share([0] * 9, **mirrored, alpha=1e-9, least=1, most=9)
    assert (found.decision, found.n) == ("not satisfied", needed)


@settings(max_examples=150)
@given(designs(), st.lists(st.integers(0, 1), max_size=45))
def test_it_decides_what_the_definition_decides_in_fractions(
    design: dict[str, Any], outcomes: list[int]
) -> None:
    found = sequential_share(outcomes, **design)
    assert (found.decision, found.n) == written_out(outcomes, design)
    assert found.successes == sum(outcomes[: found.n])
    assert found.log_e == pytest.approx(math.log(evidence(found.successes, found.n, design)), abs=1e-9)
    if found.decision == "satisfied":
        assert Fraction(found.successes, found.n) > fraction(design["threshold"])


@settings(max_examples=60)
@given(designs(), st.lists(st.lists(st.integers(0, 1), max_size=12), max_size=5))
def test_step_by_step_and_over_json_is_the_same_as_at_once(
    design: dict[str, Any], waves: list[list[int]]
) -> None:
    standing = sequential_share([], **design)
    for wave in waves:
        standing = msgspec.json.decode(msgspec.json.encode(standing.then(wave)), type=SequentialShare)
    assert standing == sequential_share(itertools.chain(*waves), **design)


def test_what_comes_after_the_decision_is_not_even_read() -> None:
    source = iter([1] * 30)
    found = sequential_share(source, **AGENCY)
    assert len(list(source)) == 30 - found.n
    assert found.then([0] * 100) is found


@settings(max_examples=60)
@given(designs(), st.lists(st.integers(0, 1), max_size=30))
def test_soonest_is_how_many_can_be_asked_at_once_without_waste(
    design: dict[str, Any], outcomes: list[int]
) -> None:
    standing = sequential_share(outcomes, **design)
    if standing.decision != "continue":
        assert standing.soonest == 0
        return

    def settled(further: int) -> bool:
        paths = (
            itertools.product((0, 1), repeat=further) if further <= 6 else [(0,) * further, (1,) * further]
        )
        return any(standing.then(path).decision != "continue" for path in paths)

    assert not settled(standing.soonest - 1)
    assert settled(standing.soonest)


@pytest.mark.parametrize("share", [0.7, 0.6, 0.2])
def test_the_evidence_is_no_more_than_one_on_average_where_the_share_is_not_above_the_threshold(
    share: float,
) -> None:
    n = 30
    each = [
        scipy_stats.binom.pmf(k, n, share)
        * sequential_share([1] * k + [0] * (n - k), threshold=0.7, least=n, most=n).e_value
        for k in range(n + 1)
    ]
    assert math.fsum(each) <= 1 + 1e-9
    assert (math.fsum(each) == pytest.approx(1, abs=1e-9)) == (share == 0.7)


@settings(max_examples=8)
@given(designs(most=9), st.sampled_from([0.0, 0.1, 0.5, 0.7, 0.93, 1.0]))
def test_properties_are_the_sum_over_all_sequences(design: dict[str, Any], share: float) -> None:
    chances = {"satisfied": 0.0, "not satisfied": 0.0, "undecided": 0.0}
    expected = 0.0
    for outcomes in itertools.product((0, 1), repeat=design["most"]):
        chance = math.prod(share if outcome else 1 - share for outcome in outcomes)
        decision, n = written_out(list(outcomes), design)
        chances[decision] += chance
        expected += chance * n
    found = sequential_properties(share, **design)
    assert [found.satisfied, found.not_satisfied, found.undecided] == pytest.approx(
        list(chances.values()), abs=1e-12
    )
    assert found.expected_n == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.7, 0.9])
def test_properties_are_those_of_the_gamblers_ruin(share: float) -> None:
    # With p1 = 1 - p0 a failure undoes a success. Lines at +-4, as (7/3)**4 > 20 > (7/3)**3; Feller, volume 1,
    # XIV.2 and XIV.3: P(up) = 1/(1 + (q/p)**4), E(n) = 4 (2 P(up) - 1)/(p - q).
    found = sequential_properties(share, threshold=0.3, alternative=0.7, least=1, most=3000)
    up = 1 / (1 + ((1 - share) / share) ** 4)
    assert found.satisfied == pytest.approx(up, abs=1e-12)
    assert found.not_satisfied == pytest.approx(1 - up, abs=1e-12)
    assert found.expected_n == pytest.approx(4 * (2 * up - 1) / (2 * share - 1), rel=1e-10)


@settings(max_examples=40)
@given(designs(most=300))
def test_neither_error_passes_its_bound(design: dict[str, Any]) -> None:
    at_threshold = sequential_properties(design["threshold"], **design)
    at_alternative = sequential_properties(design["alternative"], **design)
    assert at_threshold.error is not None
    assert at_threshold.error <= design["alpha"] * (1 + 1e-9)
    assert at_alternative.error is not None
    assert at_alternative.error <= design["beta"] * (1 + 1e-9)
    for found in (at_threshold, at_alternative):
        assert found.satisfied + found.not_satisfied + found.undecided == pytest.approx(1, abs=1e-12)
        assert design["least"] - 1e-9 <= found.expected_n <= design["most"] + 1e-9


@settings(max_examples=20)
@given(designs(most=120))
def test_the_chance_of_satisfied_rises_with_the_share(design: dict[str, Any]) -> None:
    rising = [sequential_properties(p, **design).satisfied for p in np.linspace(0, 1, 21)]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(rising))


def test_error_and_power_are_only_where_they_mean_something() -> None:
    below, between, above = (sequential_properties(p, **AGENCY) for p in (0.6, 0.8, 0.9))
    assert (below.error, below.power) == (below.satisfied, None)
    assert (between.error, between.power) == (None, between.satisfied)
    assert (above.error, above.power) == (above.not_satisfied, above.satisfied)


def test_peeking_at_an_ordinary_interval_is_wrong_where_this_is_not() -> None:
    clears = [
        next((k for k in range(n + 1) if wilson(k, n).low > 0.7), n + 1) if n >= 20 else n + 1
        for n in range(201)
    ]
    peeking = crossing(clears, [-1] * 201, 0.7)[0]
    assert peeking > 0.13  # five times the .025 the lower end of a 95 % interval stands for
    assert sequential_properties(0.7, alpha=0.025, **AGENCY).satisfied <= 0.025


def test_it_asks_for_about_half_of_what_a_fixed_n_of_equal_error_and_power_does() -> None:
    at_threshold, at_alternative = (sequential_properties(p, **AGENCY) for p in (0.7, 0.85))
    fixed = fixed_share_size(0.7, 0.85, at_threshold.satisfied, at_alternative.satisfied)
    assert fixed.n is not None
    assert fixed.error is not None
    assert fixed.error <= at_threshold.satisfied
    assert max(at_threshold.expected_n, at_alternative.expected_n) < 0.55 * fixed.n


@settings(max_examples=25)
@given(
    st.sampled_from([(0.5, 0.9), (0.7, 0.85), (0.7, 0.95), (0.25, 0.5), (0.9, 0.99)]),
    st.sampled_from([0.01, 0.025, 0.05, 0.2]),
    st.sampled_from([0.3, 0.8, 0.95]),
)
def test_the_fixed_n_is_the_smallest(pair: tuple[float, float], alpha: float, power: float) -> None:
    found = fixed_share_size(*pair, alpha, power)
    n = np.arange(1, 600)
    critical = scipy_stats.binom.isf(alpha, n, pair[0]) + 1
    reached = scipy_stats.binom.sf(critical - 1, n, pair[1])
    first = int(np.argmax(reached >= power))
    assert (found.n, found.critical) == (n[first], critical[first])
    assert found.reached == pytest.approx(reached[first], abs=1e-12)
    assert found.error == pytest.approx(
        scipy_stats.binom.sf(critical[first] - 1, n[first], pair[0]), abs=1e-12
    )


def test_the_fixed_n_agrees_with_the_planning_functions() -> None:
    found = fixed_share_size(0.7, 0.85, 0.05, 0.8)
    assert found.n is not None
    assert found.reached == pytest.approx(
        power_one(0.7, 0.85, found.n, alternative="greater").power, abs=1e-12
    )
    lasting = required_n_one(0.7, 0.85, alternative="greater").n
    assert lasting is not None
    assert found.n <= lasting


@pytest.mark.parametrize("alpha", [0.025, 0.05])
def test_the_wilson_size_is_the_smallest_at_which_the_lower_bound_clears_often_enough(alpha: float) -> None:
    def critical(n: int) -> int:
        return next((k for k in range(n + 1) if wilson(k, n, 1 - alpha, side="lower").low > 0.7), n + 1)

    want = next(n for n in itertools.count(1) if scipy_stats.binom.sf(critical(n) - 1, n, 0.85) >= 0.8)
    found = fixed_share_size(0.7, 0.85, alpha, 0.8, "wilson")
    assert (found.n, found.critical) == (want, critical(want))
    assert found.error == pytest.approx(scipy_stats.binom.sf(critical(want) - 1, want, 0.7), abs=1e-12)


def test_too_few_is_none_and_not_a_number() -> None:
    found = fixed_share_size(0.7, 0.71, max_n=50)
    assert (found.n, found.critical, found.error, found.reached) == (None, None, None, None)


def test_overwhelming_evidence_stays_a_number() -> None:
    found = sequential_share([1] * 5000, threshold=0.7, least=5000, most=5000)
    assert math.isfinite(found.e_value)
    assert found.log_e == pytest.approx(5000 * math.log(0.85 / 0.7))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": 0.85}, "alternative must be above the threshold"),
        ({"threshold": 0.9}, "alternative must be above the threshold"),
        ({"threshold": 0.0}, r"threshold must lie in \(0, 1\)"),
        ({"alternative": 1.0}, r"alternative must lie in \(0, 1\)"),
        ({"alpha": 0.0}, r"alpha must lie in \(0, 1\)"),
        ({"beta": 1.5}, r"beta must lie in \(0, 1\)"),
        ({"least": 0}, "least must lie between 1 and most = 200, not 0"),
        ({"least": 201}, "least must lie between 1 and most = 200, not 201"),
        ({"most": 20.5}, "most must be a whole number"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sequential_share([], **AGENCY | wrong)
    with pytest.raises(InputError, match=message):
        sequential_properties(0.5, **AGENCY | wrong)


@pytest.mark.parametrize("outcome", [None, 2, -1, 0.5, 1.0, "1", math.nan, [1]])
def test_an_outcome_that_is_neither_is_refused_by_its_number(outcome: Any) -> None:
    with pytest.raises(InputError, match="outcome 3 must be true or false"):
        sequential_share([1, 0, outcome], **AGENCY)


def test_numpy_outcomes_are_outcomes() -> None:
    hits = np.arange(25) != 7
    assert sequential_share(hits, **AGENCY) == sequential_share(hits.astype(np.int64), **AGENCY)
    assert sequential_share(hits, **AGENCY) == sequential_share(hits.tolist(), **AGENCY)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "normal"}, "method must be"),
        ({"power": 1.0}, "power must lie"),
        ({"alpha": 0}, "alpha must lie"),
    ],
)
def test_a_fixed_size_that_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fixed_share_size(0.7, **wrong)


def uniforms(stream: int, rows: int, columns: int) -> np.ndarray[Any, Any]:
    raw = philox("tests.sequential", stream).random_raw(rows * columns)
    return ((np.asarray(raw) >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(rows, columns)


def simulated(
    hits: np.ndarray[Any, Any], design: dict[str, Any]
) -> tuple[float, float, np.ndarray[Any, Any]]:
    """(share satisfied, share not satisfied, each n) over rows of outcomes, from the logarithms themselves."""
    p0, p1 = design["threshold"], design["alternative"]
    n = np.arange(1, hits.shape[1] + 1)
    steps = np.where(hits, math.log(p1 / p0), math.log((1 - p1) / (1 - p0)))
    log_e = np.where(n < design["least"], 0.0, np.cumsum(steps, axis=1))
    out = np.abs(log_e) >= math.log(20)
    stopped = out.any(axis=1)
    at = np.where(stopped, out.argmax(axis=1), hits.shape[1] - 1)
    end = log_e[np.arange(len(at)), at]
    return float((stopped & (end > 0)).mean()), float((stopped & (end < 0)).mean()), at + 1


@given(st.integers(0, 60), st.integers(0, 60))
def test_what_is_reported_of_a_test_can_be_worked_out_again(k: int, failures: int) -> None:
    n = k + failures
    exact = Fraction(17, 14) ** k * Fraction(1, 2) ** failures >= 20 if n else False
    assert refuted(n, k, 0.7) is exact


def test_more_successes_than_outcomes_are_refused() -> None:
    with pytest.raises(InputError, match="3 successes are more than the 2 outcomes"):
        refuted(2, 3, 0.7)


@pytest.mark.proof
@pytest.mark.parametrize("least", [1, 20])
@pytest.mark.parametrize("alternative", [0.8, 0.85, 0.95])
@pytest.mark.parametrize("share", [0.5, 0.7, 0.8, 0.85, 0.95])
def test_simulation_gives_the_computed_properties(share: float, alternative: float, least: int) -> None:
    design = AGENCY | {"alternative": alternative, "least": least}
    rows = 20_000
    found = sequential_properties(share, **design)
    up, down, used = simulated(uniforms(round(1000 * share), rows, design["most"]) < share, design)
    for seen, chance in ((up, found.satisfied), (down, found.not_satisfied)):
        assert abs(seen - chance) <= 4.5 * math.sqrt(max(chance * (1 - chance), 1 / rows) / rows)
    assert abs(used.mean() - found.expected_n) <= 4.5 * used.std() / math.sqrt(rows) + 1e-9


@pytest.mark.proof
def test_the_error_holds_where_the_share_varies_below_the_threshold() -> None:
    rows, most = 40_000, AGENCY["most"]
    draws = uniforms(1, rows, most)
    drifting = draws < np.linspace(0.7, 0.4, most)
    # At the threshold after a success, far below after a failure: outcomes that come in runs.
    sticky = np.zeros_like(drifting)
    before = np.ones(rows, dtype=np.bool_)
    for n in range(most):
        before = draws[:, n] < np.where(before, 0.7, 0.55)
        sticky[:, n] = before
    for hits in (drifting, sticky):
        satisfied = simulated(hits, AGENCY | {"least": 1})[0]
        assert 0.001 < satisfied <= 0.05
