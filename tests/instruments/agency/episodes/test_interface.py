"""How worlds are offered, and how decisions are read from what a model writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.agency.episodes.interface import (
    MOST_CALLS,
    NOT_DONE,
    echoed,
    moves_of,
    opening,
    shown,
    tools_of,
)
from assay.instruments.agency.episodes.players import read_conversation
from assay.streams import Stream
from assay.vocabulary import Reply, ToolCall
from assay.worlds import Action, Brief, Episode, Seen, Task, all_families, draw_task, shipped_regimes
from assay.worlds.learning import learning_families
from assay.worlds.model import WorldSource
from assay.worlds.schema import complaint


def read(text: str) -> tuple[str, object, str]:
    (move,) = moves_of(Reply(text), "text")
    return move.name, move.arguments, move.unreadable


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('ACTION register {"sender": "Ada"}', "register", {"sender": "Ada"}),
        ('ACTION: register {"sender": "Ada"}', "register", {"sender": "Ada"}),
        ("ACTION look {}", "look", {}),
        ("ACTION look", "look", {}),
        ('I think so.\n  ACTION move {"to": "B"}\nThat should do.', "move", {"to": "B"}),
        ('**ACTION** ', "", None),
        ('> ACTION move {"to": "B"}', "move", {"to": "B"}),
        ('```\nACTION move {"to": "B"}\n```', "move", {"to": "B"}),
        ('ACTION move {\n  "to": "B"\n}', "move", {"to": "B"}),
        ('ACTION move {"to": "a } b", "x": {"y": [1, {}]}} and so', "move", {"to": "a } b", "x": {"y": [1, {}]}}),
        ('ACTION move {"to": "quote \\" } here"}', "move", {"to": 'quote " } here'}),
    ],
)  # fmt: skip
def test_an_action_is_read_from_its_line(text: str, name: str, arguments: object) -> None:
    found = read(text)
    assert found[0] == name
    assert found[1] == arguments


def test_only_the_first_action_counts() -> None:
    assert read('ACTION look {}\nACTION move {"to": "B"}')[0] == "look"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would look around first.",
        "The ACTION look {} would be best.",  # in a sentence it is no line of its own
        "ACTION move {to: B}",
        'ACTION move ["B"]',
        'ACTION move {"to": NaN}',
        'ACTION move {"to": "\\ud800"}',
        "action move {}",
        'ACTION move {"to": "B"',
        "ACTION grant {...}",
        "ACTION next {…}",
    ],
)
def test_what_cannot_be_read_says_why_and_is_no_action(text: str) -> None:
    name, arguments, unreadable = read(text)
    assert unreadable
    assert name == ""
    assert arguments is None


def test_too_long_arguments_are_not_read() -> None:
    assert "longer" in read('ACTION note {"text": "' + "x" * 50_000 + '"}')[2]


@given(st.text(max_size=300))
def test_any_text_is_read_or_is_not(text: str) -> None:
    (move,) = moves_of(Reply(text), "text")
    assert bool(move.name) != bool(move.unreadable)


@given(st.text(max_size=60), st.text(max_size=200))
def test_any_native_call_is_read_or_is_not(name: str, arguments: str) -> None:
    (move,) = moves_of(Reply("", (ToolCall("1", name, arguments),)), "tools")
    assert move.call == "1"
    assert move.unreadable or isinstance(move.arguments, dict)


def test_native_calls_come_in_order_up_to_a_limit() -> None:
    calls = tuple(ToolCall(str(n), "look", "{}") for n in range(20))
    moves = moves_of(Reply("", calls), "tools")
    assert [move.call for move in moves] == [str(n) for n in range(MOST_CALLS)]


def test_speaking_without_a_call_is_no_action() -> None:
    (move,) = moves_of(Reply("I would press the button."), "tools")
    assert "no tool was called" in move.unreadable


def openings(regime: str) -> Iterator[tuple[Seen, Brief]]:
    """The first view of every shipped family at every level, learning families included."""
    drawn: list[tuple[WorldSource, Task]] = []
    for family in all_families().values():
        drawn += [(family, draw_task(family, n, Stream("shown", family.name, str(n)))) for n in family.levels]
    for learnt in learning_families().values():
        stream = Stream("shown", learnt.name)
        drawn.append((learnt, learnt.draw("practice", learnt.secret(stream), stream)))
    for source, task in drawn:
        episode = Episode(source, task, shipped_regimes()[regime], Stream("faults", source.name))
        try:
            yield episode.begin(), episode.brief
        finally:
            episode.close()


@pytest.mark.parametrize("regime", sorted(shipped_regimes()))
def test_the_example_that_is_shown_is_read_and_fits_the_actions_schema(regime: str) -> None:
    """`ACTION grant {...}`, which was shown, is refused; a small model copied it in 36 of 200 episodes."""
    for seen, brief in openings(regime):
        line = opening(brief, seen, "text")[1].content.splitlines()[-1].partition("for example: ")[2]
        (move,) = moves_of(Reply(line), "text")
        first = brief.actions[0]
        assert (move.name, move.unreadable, move.further) == (first.name, "", False), line
        assert set(move.arguments) == set(first.parameters.get("required", ())), line
        assert complaint(first.parameters, move.arguments) == "", line


def test_the_example_is_filled_in_with_the_first_value_of_every_type() -> None:
    parts: dict[str, Any] = {
        "to": {"type": "string", "enum": ["B", "A"]},
        "note": {"type": "string", "maxLength": 80},
        "count": {"type": "integer", "minimum": 2, "maximum": 9},
        "off": {"type": "number", "maximum": -0.5},
        "any": {"type": "integer"},
        "sure": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "rest": {"type": "array"},
        "at": {"type": "object", "properties": {"day": {"type": "integer", "minimum": 0}}, "required": ["day"]},
    }  # fmt: skip
    schema = {"properties": {**parts, "why": {"type": "string"}}, "required": list(parts)}
    brief = Brief(family="f", level=1, goal="Go.", observation={}, most=3, queries=None,
                  actions=(Action(name="go", about="Goes.", parameters=schema),))  # fmt: skip
    asked = opening(brief, Seen(observation={}, left=3), "text")[1].content
    assert asked.endswith(
        'for example: ACTION go {"to": "B", "note": "text", "count": 2, "off": -0.5, "any": 1, "sure": true, '
        '"names": ["text"], "rest": [], "at": {"day": 0}}'
    )


FOUR = 'ACTION grant {"request": "R2"}\nACTION grant {"request": "R5"}\nACTION grant {"request": "R1"}\nACTION look {}'


@pytest.mark.parametrize(
    ("text", "further"),
    [
        (FOUR, True),  # as a model wrote it, which then went on as if all four had been done
        ('ACTION move {\n"to": "B"\n}\n\nThen:\n**ACTION look {}', True),
        ("ACTION grant {...}\nACTION next {}", True),
        ('ACTION note {"text": "' + "x" * 30_000 + '"}\nACTION next {}', True),
        ('ACTION note {"text": "then ACTION look {}"}', False),
        ('ACTION note {"text":\n"a",\n"b": "ACTION look"}', False),
        ("ACTION look {}\nThe ACTION grant {} comes next.", False),
        ("ACTION look", False),
        ("I would look.", False),
    ],
)
def test_that_a_reply_holds_further_actions_is_read(text: str, further: bool) -> None:
    (move,) = moves_of(Reply(text), "text")
    assert move.further is further


def test_that_further_actions_were_not_done_is_shown_where_it_happened() -> None:
    seen = Seen(observation={"a": 1}, error="there is no such road", left=3)
    assert NOT_DONE not in shown(seen)
    assert shown(seen, further=True) == f"{NOT_DONE}\n{shown(seen)}"


@pytest.mark.parametrize("name", sorted(all_families()))
@pytest.mark.parametrize("regime", sorted(shipped_regimes()))
def test_what_is_said_is_what_is_heard(name: str, regime: str) -> None:
    """A reader of the conversation finds the goal, the limits, the actions and every observation in it, and
    neither the family nor its level."""
    family = all_families()[name]
    for level in family.levels:
        task = draw_task(family, level, Stream("said", name, str(level)))
        episode = Episode(family, task, shipped_regimes()[regime], Stream("faults", name))
        try:
            seen, brief = episode.begin(), episode.brief
        finally:
            episode.close()
        messages = [{"role": m.role, "content": m.content} for m in opening(brief, seen, "text")]
        asked = messages[1]["content"].replace(task.goal, "").partition("Observation:")[0]
        assert name not in asked
        assert "level" not in asked
        told, views = read_conversation(messages)
        assert (told.family, told.level, told.goal) == (name, level, task.goal)
        assert (told.most, told.queries) == (brief.most, brief.queries)
        assert [action.name for action in told.actions] == [action.name for action in brief.actions]
        assert views[0].observation == seen.observation
        for here, there in zip(told.actions, brief.actions, strict=True):
            named = there.parameters["properties"]
            assert list(here.parameters["properties"]) == list(named)
            for key, part in named.items():
                assert here.parameters["properties"][key].get("enum") == part.get("enum")
        assert [tool["function"]["name"] for tool in tools_of(brief)] == [a.name for a in brief.actions]


def test_faults_and_errors_are_told_apart() -> None:
    fault = shown(Seen(observation={}, error="timeout: it did not answer", fault="timeout", left=3))
    error = shown(Seen(observation={"a": 1}, error="there is no such road", left=3, queries_left=2))
    assert fault.startswith("Fault (timeout): ")
    assert error.splitlines() == [
        "Error: there is no such road",
        'Observation: {"a":1}',
        "Actions left: 3. Queries left: 2.",
    ]


@pytest.mark.parametrize("unit", ["\n", "* \n", "> ", "ACTION ", "`", "{", '{"'])
def test_a_reply_of_two_million_characters_is_read_in_one_pass(unit: str) -> None:
    assert read(unit * (2_000_000 // len(unit)))[2]


def test_arguments_may_begin_on_the_next_line_and_what_follows_is_no_argument() -> None:
    assert read('ACTION move\n{"to": "B"}') == ("move", {"to": "B"}, "")
    assert read("ACTION look\nThat is all.") == ("look", {}, "")


@pytest.mark.parametrize("depth", [21, 300, 900, 3000])
def test_what_nests_too_deep_is_told_in_the_same_words_at_any_depth(depth: int) -> None:
    assert read("ACTION a " + '{"a":' * depth + "1" + "}" * depth)[2].endswith("they nest more than 20 deep")
    (move,) = moves_of(Reply("", (ToolCall("1", "a", '{"a":' + "[" * depth + "]" * depth + "}"),)), "tools")
    assert move.unreadable.endswith("they nest more than 20 deep")


def test_what_nests_twenty_deep_is_read() -> None:
    assert read("ACTION a " + '{"a":' * 20 + "1" + "}" * 20)[0] == "a"


def test_a_turn_is_shown_again_in_a_form_that_strict_endpoints_take() -> None:
    calls = (
        ToolCall("", "look", ""),
        ToolCall("x", "no such name!\n", "{"),
        ToolCall("y", "", "[1]"),
        ToolCall("z", "move", '{"to": "B"}'),
        ToolCall("w", "move", '{"to": "' + "x" * 50_000 + '"}'),
    )
    shown_again = echoed(Reply("so", calls), "tools")
    assert shown_again.content == "so"
    assert [(c.id, c.name, c.arguments) for c in shown_again.tool_calls] == [
        ("call_0", "look", "{}"),
        ("x", "unknown", "{}"),
        ("y", "unknown", "{}"),
        ("z", "move", '{"to": "B"}'),
        ("w", "move", "{}"),
    ]
    assert moves_of(Reply("so", calls), "tools")[0].call == "call_0"


def test_native_calls_that_were_not_offered_are_not_shown_again() -> None:
    assert echoed(Reply("ACTION look {}", (ToolCall("1", "look", "{}"),)), "text").tool_calls == ()


CALL = '{"name": "route", "arguments": {"ticket": 248, "queue": "billing"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{CALL}\n```",
        f"I will do that.\n\n```\n{CALL}\n```\nDone.",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"```json\n{{{CALL}}}\n```",
        f"```python\nprint(1)\n```\n```json\n{CALL}\n```\n```json\n{CALL.replace('248', '9')}\n```",
    ],
)
def test_a_tool_call_written_as_text_is_read_where_the_lock_says_so(text: str) -> None:
    (move,) = moves_of(Reply(text), "text", written_calls=True)
    assert (move.name, move.arguments) == ("route", {"ticket": 248, "queue": "billing"})
    assert move.written
    assert move.further == (text.count("route") > 1)
    (before,) = moves_of(Reply(text), "text")
    assert before.unreadable


@pytest.mark.parametrize(
    "text",
    [
        f"For example {CALL}",
        '```json\n{"name": "route"}\n```',
        '```json\n{"name": 3, "arguments": {}}\n```',
        '```json\n{"name": "route", "arguments": []}\n```',
        '```json\n{"name": "route", "arguments": {\n```',
        "```json\n[1]\n```",
        "```json\n" * 50_000,
    ],
)
def test_what_is_no_written_tool_call_is_not_read_as_one(text: str) -> None:
    (move,) = moves_of(Reply(text), "text", written_calls=True)
    assert move.unreadable


def test_a_line_of_text_goes_before_a_written_tool_call() -> None:
    (move,) = moves_of(Reply(f"```json\n{CALL}\n```\nACTION look {{}}"), "text", written_calls=True)
    assert (move.name, move.written) == ("look", False)
