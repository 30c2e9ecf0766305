"""One value, one encoding; what has none is refused."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.canonical import clean_text, decode, digest, encode, real, sha256_hex
from assay.errors import InputError

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        random.Random(7).shuffle(items)
        return {key: shuffled(item) for key, item in items}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(plain)
def test_every_plain_value_comes_back_exactly(value: Any) -> None:
    data = encode(value)
    assert decode(data) == value
    assert json.loads(data) == value, "the standard library reads it as well"
    assert encode(decode(data)) == data


@given(plain)
def test_the_order_of_keys_makes_no_difference(value: Any) -> None:
    assert encode(shuffled(value)) == encode(value)
    assert digest(shuffled(value)) == digest(value) == sha256_hex(encode(value))


def test_the_encoding_is_compact_sorted_utf8() -> None:
    assert (
        encode({"b": 1, "a": [1.0, 10**30, "é\n"]})
        == '{"a":[1.0,1000000000000000000000000000000,"é\\n"],"b":1}'.encode()
    )


class Box(msgspec.Struct):
    value: Any


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused_wherever_it_stands(number: float) -> None:
    for value in (number, [number], {"a": {"b": [None, number]}}, Box(number), {"x": Box((1, number))}):
        with pytest.raises(InputError, match="is not a number that can be recorded"):
            encode(value)


def test_nothing_and_the_word_null_are_still_recorded() -> None:
    assert encode([None, "null", Box(None)]) == b'[null,"null",{"value":null}]'


@pytest.mark.parametrize("value", [{1: 2}, object(), {"a": object()}, "\ud800", {"\udfff": 1}, 1j])
def test_what_json_cannot_hold_is_refused_in_words(value: Any) -> None:
    with pytest.raises(InputError, match="cannot be recorded"):
        encode(value)


def test_endless_nesting_is_refused_in_words() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InputError, match="cannot be recorded"):
        encode(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), (0.1 + 0.2, 0.3), (1 / 3, 0.333333333333), (-0.0, 0.0), (1e-300, 1e-300), (2, 2.0)],
)
def test_reals_are_reported_with_twelve_digits(value: float | None, expected: float | None) -> None:
    found = real(value)
    assert found == expected
    if found is not None:
        assert math.copysign(1, found) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_real_that_is_none_cannot_be_reported(value: float) -> None:
    with pytest.raises(InputError, match="is not a number that can be reported"):
        real(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é", ("plain é", False)),
        ("\ud83d\ude00", ("😀", True)),
        ("a\ud800b", ("a\ufffdb", True)),
        ("\udc00", ("\ufffd", True)),
    ],
)
def test_lone_surrogates_are_replaced_and_it_is_told(text: str, expected: tuple[str, bool]) -> None:
    assert clean_text(text) == expected


@given(st.text(st.characters()))
def test_cleaned_text_can_always_be_recorded(text: str) -> None:
    cleaned, replaced = clean_text(text)
    assert decode(encode(cleaned)) == cleaned
    assert replaced == (cleaned != text)
