"""Every definition, edge case and validation rule of the spec, as far as it stands before repair."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.errors import IntegrityError
from assay.instruments.repeatability.cells.cell import Cell
from assay.instruments.repeatability.cells.records import record_rows
from assay.instruments.repeatability.measures.settings import NO_CANON
from assay.instruments.repeatability.scoring import Settings, check_consistency
from assay.vocabulary import Measure

from .making import anchors_of, cell_of, measure, score, summary

A = "def f(x):\n    return x + 1\n"
A_RESTYLED = 'def f(x):\n    """Add one."""\n    return x + 1  # that is all\n'
B = "def f(y):\n    return 1 + y\n"
CODES = st.sampled_from([A, A_RESTYLED, B, "", "nonsense (", "x = 1"])
STATES = st.sampled_from(["pass", "wrong", "exception"])


# R_raw


def test_R_raw_is_the_share_of_the_most_frequent_program() -> None:
    assert measure(score(cell_of(A, B, A, A_RESTYLED)), "R_raw").value == 0.5


def test_R_raw_counts_bytes_not_meaning() -> None:
    assert measure(score(cell_of(A, A + "\n")), "R_raw").value == 0.5
    assert measure(score(cell_of(A, A.replace("\n", "\r\n"))), "R_raw").value == 0.5


def test_R_raw_of_an_empty_output_set_is_null_and_by_the_spec_zero() -> None:
    found = measure(score(cell_of()), "R_raw")
    assert (found.value, found.spec_value, found.n, found.notes) == (None, 0.0, 0, ("no outputs",))
    assert (found.low, found.high) == (None, None)


def test_R_raw_of_a_single_output_is_one() -> None:
    found = measure(score(cell_of(A)), "R_raw")
    assert (found.value, found.spec_value, found.n) == (1.0, None, 1)


def test_R_raw_of_outputs_that_are_all_the_same_is_one() -> None:
    assert measure(score(cell_of(A, A, A)), "R_raw").value == 1.0


def test_R_raw_of_outputs_that_are_all_unique_is_one_over_n() -> None:
    found = measure(score(cell_of(*[f"x = {i}" for i in range(7)])), "R_raw")
    assert found.value == pytest.approx(1 / 7, abs=1e-12)


# R_ast


def test_R_ast_sees_through_comments_and_layout_but_keeps_docstrings() -> None:
    commented = A.replace("x + 1", "(x  +  1)  # done")
    result = score(cell_of(A, commented, A_RESTYLED, B))
    assert measure(result, "R_ast").value == 0.5
    assert measure(result, "R_raw").value == 0.25


def test_R_ast_of_an_empty_output_set_is_null_and_by_the_spec_zero() -> None:
    found = measure(score(cell_of()), "R_ast")
    assert (found.value, found.spec_value) == (None, 0.0)


def test_R_ast_counts_what_does_not_parse_by_its_text() -> None:
    result = score(cell_of("def f(", "def f(  \n", "def g(", A))
    assert measure(result, "R_ast").value == 0.5


# R_anchor, mu and P_tau before repair


def test_R_anchor_is_the_share_at_distance_zero_and_the_canon_counts() -> None:
    result = score(cell_of(A, A + "  \n", A_RESTYLED, B))
    assert measure(result, "R_anchor_pre", "text").value == 0.5
    assert measure(result, "R_anchor_pre", "ast").value == 0.75


def test_mu_pre_is_the_mean_distance_to_the_canon() -> None:
    # a: "x = 1", then one edit of five, then all of nothing: (0 + 1/5 + 1) / 3
    found = summary(score(cell_of("x = 1", "x = 2", ("", "wrong"))))
    assert found == (0.333333333333, 0.4, 0.333333333333)


def test_P_tau_is_the_share_within_tau_and_its_default_is_a_tenth() -> None:
    assert Settings().tau == Fraction(1, 10)
    near, far = "abcdefghiX", "abcdefghXY"  # one and two of ten
    assert measure(score(cell_of("abcdefghij", near, far)), "P_tau_pre", "text").value == pytest.approx(2 / 3)


def test_outputs_that_fail_the_oracle_are_measured_too() -> None:
    assert summary(score(cell_of((A, "wrong"), A, (A, "timeout"), (B, "exception"))))[0] == 0.75


def test_no_canon_gives_null_with_the_conventional_values_and_the_reason() -> None:
    result = score(cell_of((A, "wrong"), ("x (", "exception")))
    for level in ("text", "ast"):
        for name, conventional in (("R_anchor_pre", 0.0), ("mu_pre", 1.0), ("P_tau_pre", 0.0)):
            found = measure(result, name, level)
            assert (found.value, found.spec_value, found.n) == (None, conventional, 2)
            assert (found.low, found.high) == (None, None)
            assert found.notes == (NO_CANON,)
    index = measure(result, "canon_index")
    assert (index.value, index.notes) == (None, (NO_CANON,))
    assert "canon" not in index.labels
    assert measure(result, "R_raw").value == 0.5


def test_an_empty_cell_has_no_canon_and_the_conventional_values() -> None:
    result = score(cell_of())
    assert summary(result) == (None, None, None)
    assert [measure(result, n, "ast").spec_value for n in ("R_anchor_pre", "mu_pre", "P_tau_pre")] == [
        0,
        1,
        0,
    ]
    assert measure(result, "pass_rate").value is None


def test_missing_canon_leaves_the_distances_of_the_rows_empty_not_zero() -> None:
    cell = cell_of((A, "wrong"))
    (row,) = record_rows([cell], anchors_of([cell]))
    assert (row["distance_text"], row["distance_ast"], row["canon"]) == (None, None, None)
    assert len(row["signature_text"]) == 64


def test_empty_normalised_text_is_at_distance_one_from_text_and_zero_from_itself() -> None:
    assert summary(score(cell_of(A, "", "  \n")))[:2] == (0.333333333333, 0.666666666667)
    assert summary(score(cell_of("", " \r\n")))[:2] == (1.0, 0.0)


def test_syntax_errors_are_compared_by_their_text_and_said_to_be_so() -> None:
    cell = cell_of(A, ("def f(x):\n    return x +\n", "exception"))
    rows = list(record_rows([cell], anchors_of([cell])))
    assert [row["unparseable"] for row in rows] == [False, True]
    assert 0 < rows[1]["distance_ast"] < 0.2


# Canon establishment


def test_the_canon_is_the_first_output_that_passes() -> None:
    result = score(cell_of((A, "wrong"), (B, "exception"), A_RESTYLED, A))
    assert measure(result, "canon_index").value == 2
    assert summary(result)[0] == 0.25


def test_the_canon_is_found_by_repetition_number_not_by_arrival() -> None:
    cell = cell_of((A, "wrong"), B, A)
    arrived = Cell(cell.key, list(reversed(cell.outputs)))
    assert measure(score(arrived), "canon_index").value == 1
    assert encode(score(arrived)) == encode(score(cell))


@settings(max_examples=25)
@given(st.lists(st.tuples(CODES, STATES), min_size=1, max_size=8).flatmap(lambda o: st.permutations(o)))
def test_the_order_of_outputs_moves_the_canon_but_no_share_without_one(
    outputs: list[tuple[str, str]],
) -> None:
    here, sorted_ = score(cell_of(*outputs)), score(cell_of(*sorted(outputs)))
    for name in ("R_raw", "R_ast", "pass_rate"):
        assert measure(here, name) == measure(sorted_, name)
    passing = [i for i, (_, state) in enumerate(outputs) if state == "pass"]
    assert measure(here, "canon_index").value == (passing[0] if passing else None)


def test_another_order_can_mean_another_canon() -> None:
    one, other = score(cell_of(A, A, B)), score(cell_of(B, A, A))
    assert summary(one)[0] != summary(other)[0]
    assert measure(one, "canon_index").labels["canon"] != measure(other, "canon_index").labels["canon"]


# Validation


@settings(max_examples=25)
@given(st.lists(st.tuples(CODES, STATES), max_size=8))
def test_ranges_and_consistency_hold_for_whatever_comes(outputs: list[tuple[str, str]]) -> None:
    result = score(cell_of(*outputs))
    for found in result.measures:
        if found.value is not None and found.units in ("share", "distance"):
            assert 0 <= found.value <= 1
        if found.name == "entropy":
            assert found.high is None
            assert found.value is None or 0 <= (found.low or 0) <= found.value
            continue
        if found.low is not None:
            assert found.high is not None
            assert 0 <= found.low <= found.high <= 1
        assert found.value is not None or found.notes
    if outputs:
        raw, tree = measure(result, "R_raw").value, measure(result, "R_ast").value
        assert raw is not None
        assert tree is not None
        assert 1 / len(outputs) - 1e-12 <= raw <= tree <= 1


@settings(max_examples=25)
@given(st.lists(st.tuples(CODES, STATES), max_size=6))
def test_repeated_computation_yields_identical_bytes(outputs: list[tuple[str, str]]) -> None:
    assert encode(score(cell_of(*outputs))) == encode(score(cell_of(*outputs)))


def _share(name: str, value: float, units: str = "share", level: str = "text") -> Measure:
    labels: dict[str, str | float] = {"contract": "c", "subject": "m", "level": level}
    return Measure(name=name, value=value, n=1, units=units, labels=labels)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([_share("R_raw", 1.5)], "R_raw = 1.5 is outside [0, 1]"),
        ([_share("mu_pre", -0.1, "distance")], "mu_pre = -0.1 is outside [0, 1]"),
        ([_share("mu_pre", float("nan"), "distance")], "mu_pre = nan is outside [0, 1]"),
        ([_share("R_ast", 0.0)], "R_ast of c, m, text is zero although there are outputs"),
        (
            [_share("R_anchor_pre", 0.5), _share("P_tau_pre", 0.4)],
            "P_tau_pre of c, m, text is less than its R_anchor_pre",
        ),
        (
            [_share("R_anchor", 0.5), _share("P_tau_post", 0.4)],
            "P_tau_post of c, m, text is less than its R_anchor",
        ),
        (
            [_share("R_anchor_pre", 0.5), _share("R_anchor", 0.4)],
            "R_anchor of c, m, text is less than its R_anchor_pre",
        ),
        (
            [_share("P_tau_post", 0.5), _share("P_tau_pre", 0.6)],
            "P_tau_post of c, m, text is less than its P_tau_pre",
        ),
        (
            [_share("mu_pre", 0.1, "distance"), _share("mu_post", 0.2, "distance")],
            "mu_pre of c, m, text is less than its mu_post",
        ),
        ([_share("delta_mu", 0.1, "distance")], "delta_mu = 0.1 is outside [-1, 0]"),
        ([_share("delta_mu", -1.1, "distance")], "delta_mu = -1.1 is outside [-1, 0]"),
        ([_share("delta_P_tau", -0.1)], "delta_P_tau = -0.1 is outside [0, 1]"),
        ([_share("rescue_rate", 1.1)], "rescue_rate = 1.1 is outside [0, 1]"),
    ],
)
def test_a_breach_of_the_validation_rules_is_never_reported_as_a_result(
    measures: list[Measure], message: str
) -> None:
    with pytest.raises(IntegrityError) as caught:
        check_consistency(measures)
    assert str(caught.value) == message


def test_the_rules_are_held_per_level_and_skip_what_is_null() -> None:
    text = [_share("R_anchor_pre", 0.2), _share("P_tau_pre", 0.4)]
    check_consistency(
        [*text, _share("R_anchor_pre", 0.5, level="ast"), _share("P_tau_pre", 0.6, level="ast")]
    )
    check_consistency([Measure(name="R_raw", value=None, n=0, units="share")])
    check_consistency([_share("canon_index", 7.0, "position")])


# Precision


def test_rows_keep_full_precision_and_results_twelve_digits() -> None:
    cell = cell_of("abc", "abX")
    rows = list(record_rows([cell], anchors_of([cell])))
    assert rows[1]["distance_text"] == 1 / 3  # to the last bit, not 0.333
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    (_, again) = csv.DictReader(io.StringIO(out.getvalue()))
    assert float(again["distance_text"]) == 1 / 3
    assert measure(score(cell), "mu_pre", "text").value == 0.166666666667


def test_rows_carry_the_versions_that_define_their_numbers() -> None:
    cell = cell_of(A)
    (row,) = record_rows([cell], anchors_of([cell]))
    assert row["normalisation_text"] == "text/2"
    assert row["normalisation_ast"].startswith("ast/1+py")
    assert (row["oracle"], row["distance"]) == ("oracle/1", "levenshtein/1")
    assert row["canon"] == measure(score(cell), "canon_index").labels["canon"]
