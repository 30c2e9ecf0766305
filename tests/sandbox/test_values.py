"""Plain values cross the boundary unchanged; anything else crosses as a name."""

from __future__ import annotations

import collections
import enum
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay.sandbox
from assay.errors import InputError
from assay.sandbox import Opaque, freeze, thaw
from assay.sandbox.inside.values import TooLarge, check, encode

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**50, max_value=2**60),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters()),  # lone surrogates included
    st.binary(),
)
HASHABLE = st.recursive(
    ATOMS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=6
)
VALUES = st.recursive(
    HASHABLE | st.binary().map(bytearray),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.sets(HASHABLE, max_size=4)
    ),
    max_leaves=12,
)


def same(a: Any, b: Any) -> bool:
    """Equal in value and type all the way down; nan is the same as nan, 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, set | frozenset):
        return sorted(map(encode, a)) == sorted(map(encode, b))
    return repr(a) == repr(b)


@given(VALUES)
def test_a_plain_value_comes_back_as_it_was(value: object) -> None:
    assert same(thaw(freeze(value)), value)


@given(VALUES)
def test_what_is_encoded_is_strict_json_and_passes_the_check(value: object) -> None:
    frozen = freeze(value)
    assert msgspec.json.decode(msgspec.json.encode(frozen)) == frozen
    check(frozen)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tuple", "set", "dict", "int", "float", "str", "bytes", "opaque", "x"]),
            inner,
            max_size=2,
        )
    ),
)


@given(JSON)
def test_whatever_passes_the_check_can_be_thawed(value: object) -> None:
    try:
        check(value)
    except ValueError:
        with pytest.raises(ValueError):
            thaw(value)
    else:
        thaw(value)


class Colour(enum.IntEnum):
    RED = 3


class Point(NamedTuple):
    x: int
    y: int


class Liar(list[int]):
    def __eq__(self, other: object) -> bool:
        return True

    def __iter__(self) -> Any:
        raise AssertionError("the value's own code was run")

    __len__ = __repr__ = __iter__
    __hash__ = None


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.defaultdict(int, {(1, 2): 3}), {(1, 2): 3}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (Colour.RED, 3),
        (Point(1, 2), (1, 2)),
        (Liar([1, 2]), [1, 2]),
    ],
)
def test_a_subclass_of_a_builtin_becomes_its_base(value: object, plain: object) -> None:
    assert same(thaw(freeze(value)), plain)


@pytest.mark.parametrize("value", [object(), len, range(3), iter([]), type, {1: object()}.values()])
def test_anything_else_is_opaque_and_equals_nothing(value: object) -> None:
    found = thaw(msgspec.json.decode(encode(value)))
    assert isinstance(found, Opaque)
    assert found != found
    assert found.type_name == type(value).__name__
    assert "0x" not in encode(value)


def test_an_opaque_value_inside_plain_ones_makes_them_unequal() -> None:
    assert thaw(msgspec.json.decode(encode([1, object()]))) != [1, 2]
    assert thaw(msgspec.json.decode(encode({object(): 1}))) != {1: 1}


def test_types_that_compare_equal_to_nothing_else_are_told_apart() -> None:
    values = [(1,), [1], {1}, {1: 1}, b"1", "1", None]
    thawed = [thaw(freeze(value)) for value in values]
    assert [[a == b for b in thawed] for a in thawed] == [[a == b for b in values] for a in values]


def test_numbers_compare_outside_as_they_would_inside() -> None:
    assert thaw(freeze(1.0)) == 1 == thaw(freeze(True))
    assert type(thaw(freeze(1.0))) is float
    assert math.isnan(thaw(freeze(math.nan)))
    assert thaw(freeze(-math.inf)) == -math.inf
    assert thaw(freeze(10**5000)) == 10**5000


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([0] * 1000, "larger"),
        ("x" * 1000, "larger"),
        (1 << 10_000, "larger"),
        ({n: n for n in range(500)}, "larger"),
        ([[[[[[]]]]]], "deeper"),
    ],
)
def test_a_value_past_the_limits_is_refused(value: object, why: str) -> None:
    with pytest.raises(TooLarge, match=why):
        encode(value, max_bytes=500, max_depth=4)


def test_freezing_what_is_not_plain_names_its_type() -> None:
    with pytest.raises(InputError, match="object is not plain data"):
        freeze([object()])


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        2**60,
        {},
        {"a": 1, "b": 2},
        {"float": "1.50"},
        {"tuple": 3},
        {"set": [[1]]},
        {"dict": [[[1], 2]]},
        {"dict": [[1]]},
        {"bytes": "?"},
        {"int": 5},
        {"frozenset": [{"bytearray": ""}]},
    ],
)
def test_what_the_encoder_never_writes_is_refused(value: object) -> None:
    for read in (check, thaw):
        with pytest.raises(ValueError):
            read(value)


def test_the_encoding_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from inside.values import encode; "
        "print(encode([{'b', 'a', 'c', 1, 2.5, (1, 'x')}, frozenset('hello'), {k for k in 'xyz'}]))"
    )
    folder = str(Path(assay.sandbox.__file__).parent)
    texts = set()
    for seed in "0", "1", "2", "77":
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": folder}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1
