"""Arguments as a world takes them: JSON Schema calls 3.0 a whole number, a world counts with ints."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Episode, all_families, draw_task, shipped_regimes
from assay.worlds.schema import LARGEST, obj, taken

from .counter import Counter

WHOLE = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "given", "found"),
    [
        (WHOLE, 3.0, 3),
        (WHOLE, -0.0, 0),
        ({"enum": [1, 2]}, 2.0, 2),
        ({"type": "number"}, 3.0, 3.0),
        ({"type": "boolean"}, True, True),
        (
            obj({"a": WHOLE, "b": {"type": "array", "items": WHOLE}}),
            {"a": 1.0, "b": [2.0]},
            {"a": 1, "b": [2]},
        ),
        ({}, {"x": [1.0]}, {"x": [1.0]}),
    ],
)
def test_what_is_whole_becomes_an_int_and_nothing_else_changes(
    schema: dict[str, Any], given: Any, found: Any
) -> None:
    made = taken(schema, given)
    assert made == found
    assert repr(made) == repr(found)


@pytest.mark.parametrize("number", [LARGEST + 1, -LARGEST - 1, 1e300, -1e300, 10**40])
def test_numbers_out_of_all_range_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="numbers lie between"):
        taken(obj({"a": {"type": "number"}}), {"a": number})


@pytest.mark.parametrize("arguments", [{"times": 1e300}, {"times": [[[]]] * 3}, {"times": {"a": {}}}])
def test_an_episode_counts_them_as_invalid_arguments(arguments: dict[str, Any]) -> None:
    family = Counter()
    one = Episode(family, draw_task(family, 2, Stream("x")), shipped_regimes()["Baseline"], Stream("f"))
    one.begin()
    assert "arguments of press" in one.act("press", arguments).error
    assert one.counts["invalid"] == 1


def test_arguments_that_nest_deeper_than_the_validator_goes_are_invalid_arguments() -> None:
    deep: Any = 1
    for _ in range(600):
        deep = [deep]
    family = Counter()
    one = Episode(family, draw_task(family, 2, Stream("x")), shipped_regimes()["Baseline"], Stream("f"))
    one.begin()
    assert one.act("press", {"times": deep}).error
    assert one.counts["invalid"] == 1


@pytest.mark.parametrize(
    ("name", "action", "arguments"),
    [
        ("accounts", "set_balance", {"balance": 3.0}),
        ("stockroom", "", {}),
    ],
)
def test_a_whole_number_written_as_a_real_is_judged_like_any_other(
    name: str, action: str, arguments: dict[str, Any]
) -> None:
    family = all_families()[name]
    task = draw_task(family, 1, Stream("whole", name))
    chosen = next(a for a in task.actions if "integer" in str(a.parameters) and action in a.name)
    judged = []
    for kind in (int, float):
        one = Episode(family, task, shipped_regimes()["Baseline"], Stream("f"))
        one.begin()
        given = {part: _any(of, kind) for part, of in chosen.parameters["properties"].items()}
        assert not one.act(chosen.name, {**given, **({k: kind(v) for k, v in arguments.items()})}).error
        state = one.snapshot()
        judged.append((repr(state), one.judge(state)))
        one.close()
    assert judged[0] == judged[1]


def _any(schema: dict[str, Any], kind: type) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    return kind(schema.get("minimum", 1)) if schema["type"] == "integer" else "x"
