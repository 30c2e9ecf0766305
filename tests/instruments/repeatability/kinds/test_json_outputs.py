"""JSON outputs: what is JSON, which are the same at which rung, how far apart values lie, what the oracle says."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import JsonOutputs, examined_from, kind_of
from assay.instruments.repeatability.kinds.json_outputs import schema_fault
from assay.instruments.repeatability.kinds.json_values import DEEPEST, NotJson, leaves, read_json, written
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.oracle import OracleJudgement

KIND = JsonOutputs()
OBJECT = {"type": "object"}


def contract(schema: Any = OBJECT, **more: Any) -> Contract:
    value = {"id": "c", "prompt": "Write JSON.", "kind": "json", "schema": schema}
    return msgspec.convert({**value, **more}, Contract)


def judged(asked: Contract, output: str) -> OracleJudgement:
    return examined_from(kind_of(asked).examine(output, asked, ()), ()).judgement


def same_from(one: str, other: str) -> str | None:
    """The first rung at which two outputs are the same."""
    outputs = [Output(i, text, "pass", 1, 1) for i, text in enumerate((one, other))]
    ladder = Cell(CellKey("c", "m"), outputs, kind=KIND).ladder
    return next((rung for rung, classes in ladder.items() if len(set(classes)) == 1), None)


def level_distance(one: str, other: str, level: str = "value") -> Fraction:
    return KIND.distance(KIND.forms(one), KIND.forms(other), level)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("one", "other", "rung"),
    [
        ('{"a": 1}', '{"a": 1}', "bytes"),
        ('{"a": 1}', '{"a": 1}  \r\n', "text"),
        ('{"a": 1}', '{\n\t"a" : 1\n}', "layout"),
        ('{"a": " x"}', '{"a": "x"}', None),
        ('{"a": 1, "b": [2, 3]}', '{"b":[2,3],"a":1}', "keys"),
        ('{"a": "é/"}', '{"a": "\\u00e9\\/"}', "keys"),
        ('{"a": {"b": 1, "c": 2}}', '{"a": {"c": 2, "b": 1}}', "keys"),
        ("[1]", "[1.0]", "value"),
        ("[100]", "[1e2]", "value"),
        ("[0]", "[-0.0]", "value"),
        ("[0.1]", "[1E-1]", "value"),
        ("[9007199254740993]", "[9007199254740992]", None),
        ("[0.1]", "[0.10000000000000000001]", None),
        ("[1, 2]", "[2, 1]", None),
        ("[1]", '["1"]', None),
        ("[1]", "[true]", None),
        ('{"a": null}', "{}", None),
    ],
)
def test_outputs_are_the_same_from_one_rung_on(one: str, other: str, rung: str | None) -> None:
    assert same_from(one, other) == rung
    assert same_from(other, one) == rung


NOT_JSON = [
    "",
    "NaN",
    '{"a": Infinity}',
    '{"a": 1, "a": 1}',
    "{'a': 1}",
    '{"a": 1,}',
    '{"a": 1} and more',
    '{"a": "\\ud800"}',
    "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
    "[1e1000000000]",
    "[" + "1" * 1001 + "]",
]


@pytest.mark.parametrize("text", NOT_JSON)
def test_what_is_not_json_is_like_nothing_but_its_own_text(text: str) -> None:
    with pytest.raises(NotJson):
        read_json(text)
    assert same_from(text, text) == "bytes"
    assert all(same_from(text, other) is None for other in (*NOT_JSON, "{}") if other != text)
    assert level_distance(text, '{"a": 1}') == 1
    assert judged(contract(), text).state == "unparseable"


@pytest.mark.parametrize("text", ["[" * 1_000_000, '"\\"' * 300_000, '{"' * 300_000, "[{" * 300_000 + '"'])
def test_hostile_texts_take_no_time(text: str) -> None:
    assert KIND.find(text, contract()) == (0, len(text))
    assert KIND.forms(text).fallback


@given(values, values, values)
def test_the_distance_of_values_is_a_distance(a: Any, b: Any, c: Any) -> None:
    one, two, three = (json.dumps(value) for value in (a, b, c))
    assert level_distance(one, one) == 0
    assert level_distance(one, two) == level_distance(two, one)
    assert 0 <= level_distance(one, two) <= 1
    assert (level_distance(one, two) == 0) == (KIND.forms(one).value == KIND.forms(two).value)
    assert level_distance(one, three) <= level_distance(one, two) + level_distance(two, three)


def test_the_distance_is_the_share_of_leaves_that_differ() -> None:
    assert level_distance('{"a": 1, "b": 2}', '{"b": 2.0, "a": 3}') == Fraction(1, 2)
    assert level_distance('{"a": 1}', '{"a": 1, "b": {"c": 1, "d": []}}') == Fraction(2, 3)
    assert level_distance("[]", "{}") == 1
    assert leaves(read_json('{"a/b": [1.0], "~": {}}')) == {"/a~1b/0": "1", "/~0": "{}"}


@given(values)
def test_reading_what_was_written_gives_the_same_value(value: Any) -> None:
    text = json.dumps(value)
    form = written(read_json(text), numbers=True)
    assert written(read_json(form), numbers=True) == form
    assert json.loads(form) == json.loads(text)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('  {"a": 1}\n', '  {"a": 1}\n'),
        ('Sure:\n```json\n{"a": 1}\n```\nDone.', '{"a": 1}\n'),
        ('```\nno\n```\n```\n{"a": 1}\n```', '{"a": 1}\n'),
        ('```json\n{"a": 1,}\n```', '{"a": 1,}\n'),
        ('It is {"a": {"b": "}"}}, as in [1].', '{"a": {"b": "}"}}'),
        ('As [1] says, {"a": 1}.', '{"a": 1}'),
        ("See [1].", "[1]"),
        ('He said "look" [as in {"a": 1}', '{"a": 1}'),
        ('[{"a": 1}, {"a": ', '[{"a": 1}, {"a": '),
        ("None at all", "None at all"),
    ],
)
def test_json_is_found_in_fences_and_prose(reply: str, found: str) -> None:
    start, end = KIND.find(reply, contract())
    assert reply[start:end] == found


FIELDS = [
    {"pointer": "/total", "expected": 90, "tolerance": 0.01},
    {"pointer": "/who/0", "any_of": ["Ada", "A."]},
    {"pointer": "/note"},
]


@pytest.mark.parametrize(
    ("output", "state", "passed", "failing"),
    [
        ('{"total": 90.01, "who": ["A."]}', "pass", 3, None),
        ('{"total": 90.0100001, "who": ["Ada"]}', "wrong", 2, 1),
        ('{"total": 90, "who": ["Eve"]}', "wrong", 2, 2),
        ('{"total": 90, "who": []}', "wrong", 2, 2),
        ('{"total": "90", "who": ["Ada"]}', "wrong", 2, 1),
        ('{"total": 1e999999, "who": ["Ada"]}', "wrong", 2, 1),
        ("[]", "invalid", 0, 0),
        ("90", "invalid", 0, 0),
        ("{", "unparseable", 0, 0),
    ],
)
def test_the_oracle_checks_the_schema_and_every_field(
    output: str, state: str, passed: int, failing: int | None
) -> None:
    found = judged(contract(fields=FIELDS), output)
    assert (found.state, found.passed, found.tests, found.failing) == (state, passed, 3, failing)


def test_the_whole_value_may_be_expected() -> None:
    asked = contract(expected={"a": 1.5, "b": [None, "é"]})
    assert judged(asked, '{"b": [null, "\\u00e9"], "a": 15e-1}').state == "pass"
    assert judged(asked, '{"b": ["é", null], "a": 1.5}').state == "wrong"
    assert kind_of(asked).fields == ("/a", "/b/0", "/b/1")


def test_numbers_are_checked_as_they_are_written() -> None:
    asked = contract({"type": "integer", "maximum": 10**30})
    assert judged(asked, str(10**30)).state == "pass"
    assert judged(asked, str(10**30 + 1)).state == "invalid"
    assert judged(asked, "1.0").state == "pass"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/x.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "#/nowhere"},
        {"pattern": "(?=a)b"},
        {"pattern": r"(a)\1"},
        {"type": "objct"},
        {"format": "dat"},
    ],
)
def test_schemas_that_fetch_or_go_back_or_mean_nothing_are_refused(schema: dict[str, Any]) -> None:
    assert schema_fault(schema)


def test_expressions_of_a_schema_take_linear_time() -> None:
    asked = contract({"type": "string", "pattern": "^(a+)+$"})
    assert judged(asked, json.dumps("a" * 1_000_000 + "!")).state == "invalid"


def test_fields_agree_pair_by_pair() -> None:
    texts = ['{"a": 1, "b": 2}', '{"a": 1.0}', '{"a": 2}', "{", "{", "["]
    outputs = [Output(i, text, "pass", 1, 1) for i, text in enumerate(texts)]
    cell = Cell(CellKey("c", "m"), outputs, kind=JsonOutputs(("/a", "/b")))
    assert cell.field_counts("/a") == [2, 2, 1, 1]  # 1 and 1.0; twice the same text that is no JSON
    assert cell.field_counts("/b") == [2, 2, 1, 1]  # absent, and absent
