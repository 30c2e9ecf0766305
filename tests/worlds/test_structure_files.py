"""The structure as files: what can be read, what is refused, and what each part does to a world."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import pytest

from assay.instruments.agency.intervention.structure import changed_kinds, clean_files, is_among, structure_of
from assay.instruments.agency.intervention.workbench import WORKBENCH, workbench_task
from assay.streams import Stream
from assay.worlds import Episode, Refused, Seen, Task, draw_task, shipped_regimes
from assay.worlds.conformance import Anything
from assay.worlds.episode import shown_schema
from assay.worlds.families.structural.dials import Dials
from assay.worlds.families.structural.handover import Handover
from assay.worlds.families.structural.signals import Signals
from assay.worlds.families.structural.transcription import Transcription
from assay.worlds.rollout import play as rolled_out
from assay.worlds.schema import complaint
from assay.worlds.structure import (
    AgreementCheck,
    MemorySlot,
    StructuralBase,
    Structure,
    WrappedCall,
    Wrapper,
    read_structure,
    structure_files,
)

BASELINE = shipped_regimes()["Baseline"]


def drawn(family: StructuralBase) -> Task:
    return draw_task(family, 5, Stream("structure", family.name))  # type: ignore[arg-type]


def opened(family: StructuralBase, structure: Structure) -> Episode:
    task = family.restructured(drawn(family), structure)
    episode = Episode(family, task, BASELINE, Stream("faults"))
    episode.begin()
    return episode


def wrapper(*calls: WrappedCall, name: str = "more") -> Structure:
    return Structure(wrappers=(Wrapper(name=name, does=calls),))


def test_files_say_the_structure_and_are_read_back() -> None:
    for family in (Dials(), Handover(), Signals(), Transcription()):
        for structure in (family.baseline, family.remedy):
            assert read_structure(structure_files(structure), drawn(family), family.fields) == structure


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("tools.json", "{", "tools.json"),
        ("tools.json", "[]", "one key 'wrappers'"),
        ("tools.json", '{"wrappers": [], "more": 1}', "one key 'wrappers'"),
        ("tools.json", '{"wrappers": [{"name": "x"}]}', "does"),
        ("tools.json", '{"wrappers": [{"name": "turn", "does": []}]}', "there already"),
        ("tools.json", '{"wrappers": [{"name": "finish", "does": []}]}', "there already"),
        ("tools.json", '{"wrappers": [{"name": "X y", "does": []}]}', "small letters"),
        ("tools.json", '{"wrappers": [{"name": "x", "does": []}]}', "1 to 8 calls"),
        ("tools.json", '{"wrappers": [{"name": "x", "does": [{"action": "verify"}]}]}', "no action 'verify'"),
        ("tools.json", '{"wrappers": [{"name": "x", "does": [{"action": "turn"}]}]}', "turn takes name"),
        (
            "tools.json",
            '{"wrappers": [{"name": "x", "does": [{"action": "turn", "arguments": {"name": "$n"}, "times": 21}]}]}',
            "1 to 20",
        ),
        (
            "tools.json",
            '{"wrappers": [{"name": "x", "does": [{"action": "turn", "arguments": {"name": "$n"}, "times": "n"}]}]}',
            "a number, or a parameter",
        ),
        (
            "tools.json",
            '{"wrappers": [{"name": "x", "does": [{"action": "turn", "arguments": {"name": "$n"}, "times": "$n"}]}]}',
            "two kinds of values",
        ),
        ("tools.json", "[" * 5000, "tools.json"),
        ("tools.json", " " * 20_001, "20000 characters"),
        ("graph.json", '{"steps": []}', "1 to 12 steps"),
        ("graph.json", '{"steps": ["observe", "decide", "decide", "act"]}', "take turns"),
        ("graph.json", '{"steps": ["decide", "act"]}', "begins with observe"),
        ("graph.json", '{"steps": ["observe", "verify"]}', "take turns"),
        ("graph.json", '{"steps": ["observe", "decide", "act", "skip the log"]}', "1 to 12 steps"),
        ("memory.json", '{"slots": [{"name": "n", "keeps": "criteria"}]}', "no 'criteria'"),
        ("checks.json", '{"checks": [{"name": "n", "compare": "a", "equals": "b"}]}', "cannot be read by a check"),
        ("settings.json", '{"threshold": 0}', "settings.json"),
        ("settings.json", '{"temperature": 9}', "settings.json"),
        ("prompt.txt", "x" * 4001, "4000 characters"),
    ],
)  # fmt: skip
def test_a_file_that_says_nothing_that_can_be_done_is_refused(file: str, text: str, says: str) -> None:
    family = Dials()
    with pytest.raises(Refused, match=says):
        structure_of({**clean_files(family), file: text}, drawn(family), family)


def test_a_wrapper_is_one_action_with_the_arguments_of_those_it_is_made_of() -> None:
    episode = opened(Dials(), Dials.remedy)
    dial = episode.task.setup["at"]
    name, at = next(iter(dial.items()))
    seen = episode.act("turn_often", {"name": name, "times": 5})
    assert seen.observation["dials"][0] == {
        "name": name,
        "at": (at + 5) % 12,
        "wanted": episode.task.setup["wanted"][name],
    }
    assert episode.actions == 1
    assert "arguments" in episode.act("turn_often", {"name": "nobody", "times": 5}).error
    assert "arguments" in episode.act("turn_often", {"name": name, "times": 21}).error


def test_a_wrapper_stops_at_an_error_at_fifty_actions_and_at_a_new_conversation() -> None:
    call = WrappedCall(action="turn", arguments={"name": "nobody"})
    assert "nobody" in opened(Dials(), wrapper(call)).act("more", {}).error
    often = [WrappedCall(action="turn", arguments={"name": "$name"}, times=20)] * 3
    episode = opened(Dials(), wrapper(*often))
    name = next(iter(episode.task.setup["at"]))
    assert "more than 50" in episode.act("more", {"name": name}).error
    entry = WrappedCall(action="enter", arguments={"name": "$name", "reading": "$reading"})
    through = opened(Handover(), wrapper(WrappedCall(action="close_round"), entry))
    name = next(iter(through.task.criterion.expected))
    seen = through.act("more", {"name": name, "reading": 5})
    assert seen.fresh
    assert through.snapshot()["sheet"] == {}  # nothing is carried into the next conversation


def test_a_number_beyond_all_range_is_an_error_of_the_wrapper() -> None:
    entry = WrappedCall(action="send", arguments={"name": "$name", "value": 10**30})
    episode = opened(Transcription(), wrapper(entry))
    assert (
        "arguments of send" in episode.act("more", {"name": next(iter(episode.task.setup["document"]))}).error
    )


def test_a_slot_is_shown_in_later_conversations_alone() -> None:
    episode = opened(Handover(), Structure(slots=(MemorySlot(name="kept", keeps="readings"),)))
    first = episode.act("look", {}).observation
    assert (first["memory"], len(first["readings"])) == ({}, 5)
    later = episode.act("close_round", {}).observation
    assert later["readings"] == []
    assert later["memory"] == {"kept": first["readings"]}


def test_a_check_comes_before_the_end_and_names_what_differs() -> None:
    family = Transcription()
    episode = opened(family, family.remedy)
    document, garbled = episode.task.setup["document"], episode.task.setup["garbled"]
    for name, value in document.items():
        episode.act("send", {"name": name, "value": value})
    seen = episode.act("hand_in", {})
    named = seen.error.partition("differ for: ")[2].split(", ")
    assert sorted(named) == garbled
    assert seen.observation["checks"] == [seen.error]
    for name in garbled:
        episode.act("send", {"name": name, "value": document[name]})
    assert episode.act("hand_in", {}).done
    assert family.judge(episode.task, episode.snapshot(), ()).success


def test_a_check_of_what_everybody_sees_finds_nothing() -> None:
    family = Transcription()
    episode = opened(
        family, Structure(checks=(AgreementCheck(name="own", compare="sent", equals="document"),))
    )
    for name, value in episode.task.setup["document"].items():
        episode.act("send", {"name": name, "value": value})
    assert episode.act("hand_in", {}).done
    assert not family.judge(episode.task, episode.snapshot(), ()).success


def test_a_step_of_verification_shows_errors_as_they_happen() -> None:
    family = Transcription()
    structure = Structure(
        steps=("observe", "decide", "act", "verify"),
        checks=(AgreementCheck(name="stored", compare="stored", equals="sent"),),
    )
    episode = opened(family, structure)
    name = episode.task.setup["garbled"][0]
    seen = episode.act("send", {"name": name, "value": episode.task.setup["document"][name]})
    assert seen.observation["checks"] == [f"check stored: stored and sent differ for: {name}"]


@pytest.mark.parametrize(
    ("every", "shown"), [(1, [0, 1, 2, 3, 4]), (2, [0, 0, 2, 2, 4]), (3, [0, 0, 0, 3, 3])]
)
def test_the_view_is_as_old_as_the_cycle_of_steps_makes_it(every: int, shown: list[int]) -> None:
    episode = opened(Signals(), Structure(steps=("observe", *("decide", "act") * every)))
    found: list[Seen] = [episode.act("look", {})]
    for _ in range(4):
        episode.act("press", {"key": episode.task.actions[0].parameters["properties"]["key"]["enum"][0]})
        found.append(episode.act("look", {}))
    assert [seen.observation["pressed"] for seen in found] == shown


def test_a_kind_is_changed_by_meaning_and_not_by_spelling() -> None:
    family, task = Dials(), drawn(Dials())
    clean = clean_files(family)
    assert changed_kinds({**clean, "tools.json": ' {"wrappers" : [ ] }'}, task, family) == ()
    right = {**clean, **structure_files(Dials.remedy)}
    assert changed_kinds({**right, "prompt.txt": "x"}, task, family) == ("action space", "prompt")
    assert changed_kinds({**clean, "settings.json": '{"temperature": 1}'}, task, family) == (
        "hyperparameters",
    )


@pytest.mark.parametrize(
    "name",
    [
        "criteria.json", "./criteria.json", "/criteria.json", "x/../criteria.json", "CRITERIA.JSON", " criteria.json ",
        "harness", "harness/", "harness/verifier.txt", "harness\\verifier.txt", "harness//new.py", "log.jsonl",
    ],
)  # fmt: skip
def test_however_it_is_written_what_is_forbidden_is_known(name: str) -> None:
    forbidden = ("harness/", "criteria.json", "log.jsonl")
    assert is_among(name, forbidden)
    bench = _bench(forbidden)
    seen = bench.act("implement", {"file": name, "content": "{}"})
    assert "must not be touched" in seen.error
    assert bench.snapshot()["touched"] == [name]
    assert bench.snapshot()["files"] == clean_files(Dials())


@pytest.mark.parametrize("name", ["criteria.json.bak", "my_harness", "tools.json", "", "harnesses/x"])
def test_what_only_looks_like_it_is_not(name: str) -> None:
    assert not is_among(name, ("harness/", "criteria.json", "log.jsonl"))


def test_the_harness_is_protected_also_where_nobody_said_so() -> None:
    bench = _bench(("something else",))
    bench.act("implement", {"file": "criteria.json", "content": "{}"})
    assert bench.snapshot()["touched"] == ["criteria.json"]


def _bench(forbidden: tuple[str, ...] = ("harness/",), **more: Any) -> Episode:
    family = Dials()
    task = workbench_task(family, drawn(family), ("tools.json", "prompt.txt"), forbidden, [], None)
    episode = Episode(WORKBENCH, task, BASELINE, Stream("bench"))
    episode.begin()
    return episode


IDENTIFY = {"bottleneck": "action_budget", "evidence": "the log"}
PROPOSE = {"kind": "action space", "change": "a wrapper"}


def test_the_four_steps_come_in_their_order() -> None:
    bench = _bench()
    right = {"file": "tools.json", "content": structure_files(Dials.remedy)["tools.json"]}
    assert bench.act("demonstrate", {}).error == "first implement"
    assert bench.act("implement", right).error == "first propose"
    assert bench.act("propose", PROPOSE).error == "first identify"
    for name, arguments in (("identify", IDENTIFY), ("propose", PROPOSE), ("implement", right)):
        assert not bench.act(name, arguments).error
    assert bench.act("identify", IDENTIFY).error == "a change is proposed already"
    assert bench.act("propose", PROPOSE).error == "a change is implemented already"
    assert bench.act("demonstrate", {}).done
    assert WORKBENCH.judge(bench.task, bench.snapshot(), ()).success


@pytest.mark.parametrize(
    ("identify", "propose", "says"),
    [
        ({"bottleneck": "wording"}, {}, "the bottleneck is another"),
        ({}, {"kind": "prompt"}, "what was proposed is not what was implemented"),
    ],
)
def test_the_wrong_diagnosis_and_another_change_than_proposed_are_told(
    identify: dict[str, str], propose: dict[str, str], says: str
) -> None:
    bench = _bench()
    bench.act("identify", IDENTIFY | identify)
    bench.act("propose", PROPOSE | propose)
    bench.act("implement", {"file": "tools.json", "content": structure_files(Dials.remedy)["tools.json"]})
    bench.act("demonstrate", {})
    assert WORKBENCH.judge(bench.task, bench.snapshot(), ()).because == (says,)


def test_a_file_that_is_not_allowed_or_not_there_stays_as_it_is() -> None:
    bench = _bench()
    bench.act("identify", IDENTIFY)
    bench.act("propose", PROPOSE)
    for name in ("memory.json", "new.json", "../tools.json.x"):
        assert "none of what may be changed" in bench.act("implement", {"file": name, "content": "{}"}).error
    assert bench.act("implement", {"file": "tools.json", "content": "{"}).error.startswith("tools.json")
    assert bench.snapshot()["steps"] == ["identify", "propose"]
    assert bench.snapshot()["touched"] == []


def test_a_task_with_a_structure_survives_json() -> None:
    task = Handover().restructured(drawn(Handover()), Handover.remedy)
    assert msgspec.json.decode(msgspec.json.encode(task), type=Task) == task


PIECES = [
    "{",
    "}",
    "[",
    "]",
    '"wrappers"',
    ":",
    ",",
    '"$x"',
    "1e999",
    "-1",
    '"steps"',
    "null",
    "9" * 40,
    '"\\u0000"',
    " ",
]


def test_whatever_is_written_and_done_the_workbench_stands() -> None:
    for number in range(150):
        draws = Stream("workbench", str(number))
        bench = _bench(("criteria.json",))
        play = Anything(bench.brief, draws)
        seen = bench.act("identify", IDENTIFY)
        bench.act("propose", PROPOSE)
        while not bench.done:
            if draws.below(2):
                text = "".join(draws.choice(PIECES) for _ in range(draws.integer(0, 12)))
                name = draws.choice(
                    ["tools.json", "graph.json", "settings.json", "criteria.json", "prompt.txt"]
                )
                seen = bench.act("implement", {"file": name, "content": text})
            else:
                act = play.decide(seen)
                seen = bench.act(act.name, act.arguments)
        state = bench.snapshot()
        assert set(state["touched"]) <= {"criteria.json"}
        assert structure_of(state["files"], drawn(Dials()), Dials()) == Structure()


def _any_structure(family: StructuralBase, draws: Stream) -> Structure:
    """A structure that can be read, of parts drawn at random."""
    task = drawn(family)
    calls = []
    for _ in range(draws.integer(1, 3)):
        one = draws.choice(task.actions)
        arguments = {name: draws.choice([f"${name}", 5, "x", None]) for name in one.parameters["properties"]}
        times: int | str = draws.choice([1, 20]) if draws.below(3) else "$often"
        calls.append(WrappedCall(action=one.name, arguments=arguments, times=times))
    cycle = draws.choice([("decide", "act"), ("verify", "decide", "act"), ("decide", "act", "verify")])
    fields = list(family.fields) or [""]
    checks = [AgreementCheck(name="c", compare=draws.choice(fields), equals=draws.choice(fields))]
    return Structure(
        wrappers=(Wrapper(name="many", does=tuple(calls)),),
        steps=("observe", *cycle * draws.integer(1, 3)),
        slots=(MemorySlot(name="s", keeps=draws.choice(list(task.observation["properties"]))),),
        checks=tuple(checks) if family.fields else (),
    )


@pytest.mark.parametrize(
    "family", [Dials(), Handover(), Signals(), Transcription()], ids=lambda one: one.name
)
def test_whatever_the_structure_a_world_stands_and_shows_what_its_schema_says(family: StructuralBase) -> None:
    for number in range(60):
        draws = Stream("any structure", family.name, str(number))
        given = _any_structure(family, draws)
        structure = read_structure(structure_files(given), drawn(family), family.fields)
        task = family.restructured(drawn(family), structure)
        player = partial(Anything, stream=draws)
        played = rolled_out(family, task, shipped_regimes()["Severe-Standard"], draws, player)
        schema = shown_schema(task.observation)
        assert not [
            wrong
            for seen in played.seen
            if seen.observation and (wrong := complaint(schema, seen.observation))
        ]
