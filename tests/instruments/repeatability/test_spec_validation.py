"""The spec's validation rules, for whatever outputs come and whatever repair made of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import IntegrityError
from assay.instruments.repeatability.cells.cell import Cell
from assay.instruments.repeatability.measures.anchored import anchored_measures
from assay.instruments.repeatability.scoring import check_consistency
from assay.vocabulary import Measure

from .making import anchors_of, cell_of, score
from .test_spec import AFTER, ALL_OFF, CANON, FIVE_OFF, LEVELS, ONE_OFF, REPAIRED, TWO_OFF, planted

NEARER = {FIVE_OFF: [FIVE_OFF, TWO_OFF, ONE_OFF, CANON], TWO_OFF: [TWO_OFF, ONE_OFF, CANON], ONE_OFF: [CANON]}
OUTPUTS = st.lists(
    st.tuples(
        st.sampled_from([CANON, ONE_OFF, TWO_OFF, FIVE_OFF, ALL_OFF, "", "a ("]),
        st.sampled_from(["pass", "pass", "wrong", "timeout"]),
    ),
    max_size=8,
)


@st.composite
def repaired_cells(draw: st.DrawFn) -> Cell:
    """Any outputs, and any repairs that move towards ``CANON``, which is the first of them."""
    cell = cell_of(CANON, *draw(OUTPUTS))
    return planted(cell, {code: draw(st.sampled_from(ends)) for code, ends in NEARER.items()})


def against_canon(cell: Cell, level: str) -> dict[str, Measure]:
    """The measures of one level, by name."""
    (anchor,) = anchors_of([cell], REPAIRED)
    return {found.name: found for found in anchored_measures(cell, anchor, level, REPAIRED, ())}


def values(cell: Cell, level: str) -> dict[str, float]:
    found = {name: one.value for name, one in against_canon(cell, level).items()}
    return {name: number for name, number in found.items() if number is not None}


some = settings(max_examples=50)
each_level = pytest.mark.parametrize("level", LEVELS)


@each_level
@some
@given(repaired_cells())
def test_every_measure_after_repair_is_within_its_range(level: str, cell: Cell) -> None:
    found = against_canon(cell, level)
    assert set(found) == {"R_anchor_pre", "mu_pre", "P_tau_pre", *AFTER}
    for name, one in found.items():
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        least, most = (-1.0, 0.0) if name == "delta_mu" else (0.0, 1.0)
        assert least <= one.value <= most
        assert least <= one.low <= one.high <= most
    check_consistency(found.values())


@each_level
@some
@given(repaired_cells())
def test_mu_post_never_exceeds_mu_pre(level: str, cell: Cell) -> None:
    found = values(cell, level)
    assert found["mu_post"] <= found["mu_pre"]
    assert found["P_tau_post"] >= found["P_tau_pre"]


@each_level
@some
@given(repaired_cells())
def test_delta_mu_is_never_positive(level: str, cell: Cell) -> None:
    found = values(cell, level)
    assert found["delta_mu"] <= 0
    assert found["delta_mu"] == pytest.approx(found["mu_post"] - found["mu_pre"], abs=1e-11)


@each_level
@some
@given(repaired_cells())
def test_every_difference_of_shares_is_that_of_its_two_shares(level: str, cell: Cell) -> None:
    found = values(cell, level)
    observed = found["R_anchor"] - found["R_anchor_pre"]
    assert found["delta_R_anchor_observed"] == pytest.approx(observed, abs=1e-11)
    assert found["rescue_rate"] == found["delta_R_anchor_observed"]
    assert found["delta_P_tau"] == pytest.approx(found["P_tau_post"] - found["P_tau_pre"], abs=1e-11)
    assert found["delta_R_anchor"] == found["R_anchor"]


@pytest.mark.parametrize(
    "ends",
    [
        {ONE_OFF: TWO_OFF},
        {ONE_OFF: TWO_OFF, FIVE_OFF: CANON},  # the means hide it
        {CANON: ONE_OFF, FIVE_OFF: CANON},  # the shares hide it, too
    ],
)
def test_a_repair_that_moved_an_output_away_is_never_reported(ends: dict[str, str]) -> None:
    with pytest.raises(IntegrityError) as caught:
        score(planted(cell_of(CANON, ONE_OFF, FIVE_OFF), ends), settings=REPAIRED)
    assert str(caught.value) == "a repair in c, m, 0.0 moved an output away from its canon at level text"
