"""Inputs beyond the tests: the same for everyone, within what the tests show, and never a test again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.instruments.repeatability.programs.contracts import Contract, shipped_programs
from assay.instruments.repeatability.programs.inputs import LONGEST, MOST, generated_inputs, plain_case
from tests.instruments.repeatability.making import contract

SCALARS = st.one_of(
    st.integers(-50, 50),
    st.floats(-5, 5, allow_nan=False),
    st.text(alphabet="abc ", max_size=4),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["k", "l"]), inner, max_size=2)
    ),
    max_leaves=6,
)


def asked(*calls: list[Any], **more: Any) -> Contract:
    return contract([{"args": args, "expected": None} for args in calls], **more)


def drawn(*calls: list[Any], seed: int = 1) -> list[list[Any]]:
    return [case["args"] for case in generated_inputs(asked(*calls), seed)]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


@settings(max_examples=60)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=3), min_size=1, max_size=4), st.integers(1, 3))
def test_whatever_the_tests_hold_inputs_are_few_new_and_drawn_alike_every_time(
    calls: list[list[Any]], seed: int
) -> None:
    made = asked(*calls)
    found = generated_inputs(made, seed)
    assert found == generated_inputs(made, seed)
    assert len(found) <= MOST
    keys = [encode(case) for case in found]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {encode(plain_case(made, case)) for case in made.test_cases}
    shapes = {len(call) for call in calls}
    assert all(len(case["args"]) in shapes for case in found)


@settings(max_examples=60)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=2), min_size=1, max_size=4))
def test_no_number_lies_beyond_those_of_the_tests_and_no_character_is_new(calls: list[list[Any]]) -> None:
    given_ = [leaf for call in calls for leaf in leaves(call)]
    for call in drawn(*calls):
        for leaf in leaves(call):
            alike = [other for other in given_ if type(other) is type(leaf)]
            assert alike, "a type that the tests do not show"
            if isinstance(leaf, str):
                assert set(leaf) <= set("".join(alike))
                assert len(leaf) <= max(map(len, alike))
            elif leaf is not None:
                assert min(alike) <= leaf <= max(alike)


@pytest.mark.parametrize(
    ("low", "high"), [(0.0001, 0.0002), (1e-9, 3e-9), (0.12345, 0.12346), (-2.5, 1e6), (-1.7e308, 1.7e308)]
)
def test_small_numbers_stay_between_their_ends_and_are_not_rounded_away(low: float, high: float) -> None:
    found = [value for (value,) in drawn([low], [high])]
    assert len(found) > 5
    assert all(low <= value <= high for value in found)


def test_a_single_real_number_is_left_as_it_is() -> None:
    assert drawn([0.12345]) == []


def test_lists_that_are_always_sorted_or_without_repeats_stay_so() -> None:
    found = [items for (items,) in drawn([[1, 3, 8]], [[2, 9]], [[]])]
    assert len(found) > 10
    assert all(items == sorted(set(items)) for items in found)
    loose = [items for (items,) in drawn([[3, 1, 1]], [[2, 2]])]
    assert any(items != sorted(items) for items in loose)
    assert any(len(set(items)) < len(items) for items in loose)


def test_lists_of_what_cannot_be_put_in_one_order_are_drawn_all_the_same() -> None:
    found = drawn([[1, 2]], [["a", "b"]], [[None]])
    assert found
    assert {type(leaf) for call in found for leaf in leaves(call)} <= {int, str, type(None)}


def test_rows_that_are_always_as_long_as_each_other_stay_so() -> None:
    found = [rows for (rows,) in drawn([[[1, 2], [3, 4]]], [[[5, 6, 7]]], [[[1], [2], [3]]])]
    assert len(found) > 10
    assert all(len({len(row) for row in rows}) <= 1 for rows in found)


def test_a_long_list_among_the_tests_makes_no_long_input() -> None:
    found = [items for (items,) in drawn([list(range(3_000))], [[3, 1]])]
    assert found
    assert max(map(len, found)) <= LONGEST


def test_cases_that_expect_an_exception_are_no_model() -> None:
    cases: list[dict[str, Any]] = [
        {"args": [5], "expected": 1},
        {"args": [7], "expected": 1},
        {"args": [-900], "raises": "ValueError"},
    ]
    assert all(5 <= case["args"][0] <= 7 for case in generated_inputs(contract(cases), 1))
    assert generated_inputs(contract(cases[2:]), 1) == ()


def test_declared_inputs_are_taken_as_they_are() -> None:
    found = generated_inputs(asked([1], [99], inputs=[{"args": [4]}, {"args": [1]}]), 1)
    assert found == ({"args": [4], "kwargs": {}}, {"args": [1], "kwargs": {}})


def test_another_seed_and_another_contract_draw_other_inputs() -> None:
    assert drawn([1], [999]) != drawn([1], [999], seed=2)
    other = asked([1], [999], prompt="Write f, please.")
    assert generated_inputs(other, 1) != generated_inputs(asked([1], [999]), 1)


def test_keywords_keep_their_names_and_scripts_their_methods() -> None:
    named = contract(
        [{"args": [1], "kwargs": {"by": 2}, "expected": 3}, {"args": [9], "kwargs": {"by": 7}, "expected": 3}]
    )
    assert all(
        set(case["kwargs"]) == {"by"} and 2 <= case["kwargs"]["by"] <= 7
        for case in generated_inputs(named, 1)
    )
    script = {"init": [4], "calls": [{"method": "push", "args": [8]}, {"method": "pop", "expected": 8}]}
    other = {"init": [9], "calls": [{"method": "push", "args": [2]}, {"method": "pop", "expected": 2}]}
    for case in generated_inputs(contract([script, other], kind="class"), 1):
        assert [call["method"] for call in case["calls"]] == ["push", "pop"]
        assert 4 <= case["init"][0] <= 9


@pytest.mark.parametrize("name", sorted(shipped_programs()))
def test_every_shipped_contract_has_further_inputs_without_expectations(name: str) -> None:
    found = generated_inputs(shipped_programs()[name], 1)
    assert found
    assert not any({"expected", "raises", "tolerance"} & set(case) for case in found)
