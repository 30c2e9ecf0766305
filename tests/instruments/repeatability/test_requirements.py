"""Requirements: a bound is reached by the whole interval, missed by all of it, or not established."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bench.prepare import prepare
from assay.errors import InputError
from assay.instruments.repeatability.cells import Cell
from assay.instruments.repeatability.requirements import (
    DISTANCES,
    KNOWN,
    check_requirements,
    requirement_verdicts,
)
from assay.instruments.repeatability.scoring import Settings
from assay.study import Study
from assay.vocabulary import Flag, Measure, Verdict

from .making import cell_of, measure, score

A, B = "def f(x):\n    return x\n", "def f(y):\n    return y\n"
SHARES = st.integers(0, 100).map(lambda hundredths: hundredths / 100)


def taken(low: float | None, high: float | None, name: str = "pass_rate", **more: Any) -> Measure:
    labels = {"contract": "c", "model": "m", **more.pop("labels", {})}
    value = None if low is None or high is None else (low + high) / 2
    units = "distance" if name in DISTANCES else "share"
    return Measure(
        name=name, value=value, low=low, high=high, confidence=0.95, n=9, units=units, labels=labels, **more
    )


def judged(found: Measure, name: str, bound: float) -> Verdict:
    """The one verdict on a measure of a cell; its pass rate says that the cell is there."""
    cell = [] if found.name == "pass_rate" else [taken(0.0, 1.0)]
    (verdict,) = requirement_verdicts([*cell, found], {name: bound})
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
def test_a_share_must_be_at_least_its_bound(
    low: float, high: float, bound: float, holds: bool | None
) -> None:
    assert judged(taken(low, high), "pass_rate", bound).holds is holds


@pytest.mark.parametrize(
    ("low", "high", "bound", "holds"),
    [
        (0.1, 0.3, 0.3, True),
        (0.1, 0.3, 0.29999, None),
        (0.1, 0.3, 0.1, None),
        (0.1, 0.3, 0.09999, False),
        (0.0, 0.0, 0.0, True),
        (0.0, 1.0, 1.0, True),
    ],
)
@pytest.mark.parametrize("name", DISTANCES)
def test_a_distance_must_be_at_most_its_bound(
    name: str, low: float, high: float, bound: float, holds: bool | None
) -> None:
    verdict = judged(taken(low, high, name, labels={"level": "ast"}), name, bound)
    assert verdict.holds is holds
    assert " is at most " in verdict.claim


@given(SHARES, SHARES, SHARES)
def test_a_stricter_bound_never_holds_where_a_looser_one_does_not(a: float, b: float, bound: float) -> None:
    found = taken(min(a, b), max(a, b))
    order = {True: 2, None: 1, False: 0}
    here = order[judged(found, "pass_rate", bound).holds]
    assert here >= order[judged(found, "pass_rate", min(1.0, bound + 0.01)).holds]


def test_the_verdict_names_the_claim_the_rule_and_the_numbers() -> None:
    found = taken(0.5, 0.75, labels={"temperature": 0.7})
    assert judged(found, "pass_rate", 0.5) == Verdict(
        "pass_rate is at least 0.5 (contract c, model m, temperature 0.7)",
        "the whole 95% interval",
        True,
        "0.625, interval 0.500 to 0.750, n = 9",
    )


def test_what_has_no_value_is_not_established_and_the_reason_is_told() -> None:
    verdict = judged(taken(None, None, notes=("no outputs",)), "pass_rate", 0.0)
    assert (verdict.holds, verdict.because) == (None, "no outputs")


def test_an_invalid_measure_establishes_nothing() -> None:
    found = taken(1.0, 1.0, flags=(Flag("Invalid", "too many were lost"),))
    verdict = judged(found, "pass_rate", 0.5)
    assert verdict.holds is None
    assert verdict.because.endswith("but the measure is invalid")


def test_a_name_without_rung_or_level_is_that_of_trees() -> None:
    for name, place in (
        ("R", "rung"),
        ("pairwise_agreement", "rung"),
        ("R_anchor", "level"),
        ("mu_post", "level"),
    ):
        other = taken(0.0, 1.0, name, labels={place: "text"})
        found = taken(0.5, 0.5, name, labels={place: "ast"})
        (verdict,) = requirement_verdicts([taken(0.0, 1.0), other, found], {name: 0.5})
        assert verdict.claim.startswith(f"{name} ast is at ")
        assert verdict.holds


def test_every_cell_is_judged_in_order() -> None:
    cells = [cell_of(*[A] * 9, temperature=t) for t in (0.0, 1.0)]
    result = score(*cells, settings=Settings(require={"R behaviour": 0.5, "R_raw": 0.9}))
    mine = [v for v in result.verdicts if v.claim.startswith("R")]
    assert [v.claim for v in mine] == [
        "R behaviour is at least 0.5 (contract c, model m, temperature 0.0)",
        "R behaviour is at least 0.5 (contract c, model m, temperature 1.0)",
        "R_raw is at least 0.9 (contract c, model m, temperature 0.0)",
        "R_raw is at least 0.9 (contract c, model m, temperature 1.0)",
    ]
    assert [v.holds for v in mine] == [True, True, None, None]


@pytest.mark.parametrize("name", KNOWN)
def test_every_measure_that_can_be_required_is_taken_and_judged(name: str) -> None:
    """R_reply is that of a whole reply: rows have none, and then nothing is established."""
    cell = cell_of(*[A] * 6, B)
    result = score(cell, settings=Settings(repair=True, require={name: 0.5}))
    (verdict,) = result.verdicts
    if name == "R_reply":
        assert (verdict.holds, verdict.because) == (None, "it is not measured in this cell")
    else:
        base, _, place = name.partition(" ")
        found = [
            m
            for m in result.measures
            if m.name == base and place in (m.labels.get("rung", m.labels.get("level")), "")
        ]
        assert verdict.because.startswith(f"{found[0].value:.3f}, interval ")


def test_what_is_required_and_not_measured_is_told_and_not_passed_over() -> None:
    """A gate must not open because nobody looked."""
    unrepaired = score(cell_of(A, B), settings=Settings(require={"R_anchor": 0.1}))
    made = cell_of(A, B)
    foreign = score(
        Cell(made.key, made.outputs, language="awk"), settings=Settings(repair=True, require={"R": 0.1})
    )
    for result in (unrepaired, foreign):
        (verdict,) = result.verdicts
        assert (verdict.holds, verdict.because) == (None, "it is not measured in this cell")


def test_without_a_canon_what_is_required_against_it_is_not_established() -> None:
    result = score(cell_of((A, "wrong")), settings=Settings(repair=True, require={"R_anchor": 0.0}))
    (verdict,) = result.verdicts
    assert (verdict.holds, verdict.because) == (None, "; ".join(measure(result, "R_anchor", "ast").notes))


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ({"R_row": 0.5}, "unknown measure 'R_row'; did you mean 'R_raw'?"),
        ({"R behavior": 0.5}, "unknown measure 'R behavior'; did you mean 'R behaviour'?"),
        ({"R_anchor names": 0.5}, "unknown measure 'R_anchor names'; did you mean 'R_anchor ast'?"),
        ({"R_raw": 1.5}, "R_raw: 1.5 is asked for, but it lies between 0 and 1"),
        ({"mu_pre": -0.1}, "mu_pre: -0.1 is asked for, but it lies between 0 and 1"),
        ({"R_raw": float("nan")}, "R_raw: nan is asked for, but it lies between 0 and 1"),
    ],
)
def test_what_cannot_be_required_is_refused_before_anything_is_asked(
    tmp_path: Path, required: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_requirements(required)
    assert str(caught.value).startswith(message)
    study = Study(subjects=("reference:steady",), instruments={"repeatability": {"require": required}})
    with pytest.raises(InputError) as caught:
        prepare(study, tmp_path)
    assert str(caught.value).startswith(f"instruments.repeatability.require: {message}")
