"""Whatever a subject writes: an episode ends, is scored as behaviour, and is replayed."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.bench.prepare import instruments_of
from assay.errors import InputError, SubjectFault
from assay.instruments.agency.episodes.interface import NOT_DONE
from assay.instruments.agency.options import read_options
from assay.instruments.agency.reference import REFERENCES
from assay.report.publish import write_report
from assay.study import Budget, Lock, Study, SubjectSpec
from assay.subjects import reference
from assay.vocabulary import Reply, ToolCall
from assay.worlds import all_families
from assay.worlds.families.helpdesk import Helpdesk
from tests.support import audit_run, begin, go, ledger_events, result_bytes
from tests.worlds.counter import Counter

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\x1b]0;t\x07\u202e\x00=1+1'); DROP TABLE x; --"


class Subject:
    """A subject in this process that answers as it is told."""

    about = "for a test"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def answer(self, messages: list[dict[str, Any]], stream: Any) -> Any:
        return self._answer(messages)


def calls(*given: tuple[str, str, str]) -> Reply:
    return Reply(HOSTILE, tuple(ToolCall(*one) for one in given))


ANSWERS: dict[str, Any] = {
    "a thousand calls without an id": lambda m: calls(*[("", "look", "{}")] * 1000),
    "one id for all": lambda m: calls(*[("same", "register", '{"sender": 1}')] * 20),
    "no call": lambda m: Reply("ACTION look {}"),
    "no name": lambda m: calls(("1", "", "")),
    "a hostile name": lambda m: calls(("1", HOSTILE, json.dumps({HOSTILE: HOSTILE, "a.b": {}}))),
    "hostile arguments": lambda m: calls(
        (
            "1",
            "register",
            json.dumps(dict.fromkeys(("sender", "subject"), HOSTILE) | {"priority": "high", "received": "x"}),
        )
    ),
    "no JSON": lambda m: calls(("1", "register", "{" * 5000)),
    "deep JSON": lambda m: calls(("1", "register", '{"a":' * 900 + "1" + "}" * 900)),
    "numbers out of range": lambda m: calls(("1", "finish", '{"achieved": 1e400}')),
    "a boast": lambda m: calls(("1", "finish", json.dumps({"achieved": True, "note": HOSTILE}))),
    "nothing": lambda m: Reply(""),
    "megabytes": lambda m: Reply("\n" * 1_000_000),
}


def study(name: str, **options: Any) -> Study:
    chosen = {
        "dimensions": ["S"], "families": ["inbox"], "levels": [1], "instances": 2, "regimes": ["Baseline"],
        "interface": "tools", **options,
    }  # fmt: skip
    return Study(name="h", subjects=(f"reference:{name}",), instruments={"agency": chosen})


def ends(folder: RunFolder) -> list[dict[str, Any]]:
    return [e["data"] for e in ledger_events(folder) if e["kind"] == "end"]


def run(root: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, **options: Any) -> tuple[RunFolder, Lock]:
    known = {**reference.references(), "hostile": Subject(answer)}
    monkeypatch.setattr(reference, "references", lambda: known)
    folder, lock = begin(root, study("hostile", **options))
    assert go(folder, lock)
    return folder, lock


@pytest.mark.parametrize("how", ANSWERS)
def test_it_is_a_failure_and_the_audit_holds(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lock = run(tmp_path, monkeypatch, ANSWERS[how])
    assert {end["outcome"] for end in ends(folder)} == {"failure"}
    assert audit_run(folder, lock).faults == []
    sent = [e["data"]["wire"]["messages"] for e in ledger_events(folder) if e["kind"] == "sent"]
    for messages in sent:  # a strict endpoint takes it: every call has an id, a name, an object and an answer
        made = [c for m in messages for c in m.get("tool_calls", ())]
        assert all(c["id"] and c["function"]["name"] for c in made)
        assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in made)
        answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
        assert answered == [c["id"] for c in made]


def test_what_it_writes_reaches_nobody_as_anything_but_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lock = run(tmp_path, monkeypatch, ANSWERS["a hostile name"])
    page = write_report(folder, lock, instruments_of(lock))[0].read_text()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert not [sign for sign in ("<img src", "\x1b", "\u202e", "\x00") if sign in page]
    with (folder.path / "records-agency.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@") or "\x1b" in cell]


def test_that_further_actions_were_not_done_is_said_where_it_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    replies = [
        "ACTION look {}",
        "ACTION look {}\nACTION look {}\nACTION look {}",
        "ACTION look {}",
        'ACTION finish {"achieved": false}',
    ]

    def several(messages: list[dict[str, Any]]) -> Any:
        asked[:] = messages
        return replies[sum(message["role"] == "assistant" for message in messages)]

    folder, lock = run(tmp_path, monkeypatch, several, interface="text", instances=1)
    said = [NOT_DONE in message["content"] for message in asked if message["role"] == "user"]
    assert said == [False, False, True, False]
    assert audit_run(folder, lock).faults == []


def late(messages: list[dict[str, Any]]) -> Any:
    if any(message["role"] == "assistant" for message in messages):
        raise SubjectFault("timeout", "no answer", retriable=False)
    return REFERENCES["solver"].answer(messages, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("timed", [True, False])
def test_no_answer_in_time_is_a_failure_where_time_is_limited_and_lost_where_it_is_not(
    timed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regime = {"id": "Timed", "level": "moderate", "compute": {"seconds": 60.0}}
    options = {"dimensions": ["D", "R"], "families": ["counter"], "robustness_instances": 2}
    monkeypatch.setitem(all_families(), "counter", Counter())
    folder, lock = run(tmp_path, monkeypatch, late, regimes=["Baseline", regime], **options)
    found = [end for end in ends(folder) if (end["trial"]["regime"] == "Timed") is timed]
    assert {end["outcome"] for end in found} == {"failure" if timed else "excluded"}
    if timed:  # though the first action had brought the state about
        assert {end["report"]["because"][-1] for end in found} == {"no decision in time"}
        assert any(len(end["report"]["because"]) == 1 for end in found)
    assert audit_run(folder, lock).faults == []


def test_sampling_goes_on_past_what_robustness_has_asked(tmp_path: Path) -> None:
    plan = {"batch": 5, "most": 60}
    chosen = study(
        "able", dimensions=["S", "R"], sequential=plan, robustness_instances=30, interface="text"
    )  # fmt: skip
    folder, lock = begin(tmp_path, chosen)
    assert go(folder, lock)
    result = json.loads(result_bytes(folder, "agency"))
    told = next(v["because"] for v in result["verdicts"] if v["claim"].startswith("S ≥ 1"))
    assert "continue after" not in told
    assert len(ends(folder)) == 60 or "satisfied after" in told
    assert len(ends(folder)) > 30
    assert audit_run(folder, lock).holds


@pytest.mark.parametrize("calls_before", [7, 31, 64])
def test_a_sequential_run_that_was_stopped_opens_the_same_waves(calls_before: int, tmp_path: Path) -> None:
    def waves(folder: RunFolder) -> list[dict[str, Any]]:
        found = [e["data"] for e in ledger_events(folder) if e["kind"] == "wave"]
        return sorted(found, key=lambda wave: (wave["stratum"], wave["number"]))

    def told(folder: RunFolder) -> list[Any]:
        result = json.loads(result_bytes(folder, "agency"))
        return [(v["claim"], v["because"]) for v in result["verdicts"] if "≥" in v["claim"]]

    chosen = study("clerk", levels=[1, 4], sequential={"batch": 3, "most": 30}, interface="text",
                   regimes=["Baseline", "Moderate-Standard"])  # fmt: skip
    whole, lock = begin(tmp_path, chosen, "whole")
    assert go(whole, lock)
    stopped, lock = begin(tmp_path, chosen, "stopped")
    assert not go(stopped, lock, budget=Budget(calls=calls_before))
    assert go(stopped, lock)
    assert len(waves(whole)) > 3
    assert waves(stopped) == waves(whole)
    assert told(stopped) == told(whole)
    assert audit_run(stopped, lock).faults == []


def test_how_many_at_once_changes_nothing(tmp_path: Path) -> None:
    found = []
    for connections in (1, 7):
        chosen = study("clerk", levels=[1, 4], instances=6, interface="text")
        spec = SubjectSpec("reference:clerk", label="x", connections=connections)
        folder, lock = begin(
            tmp_path, Study(name="h", subjects=(spec,), instruments=chosen.instruments), f"at{connections}"
        )
        assert go(folder, lock)
        result = json.loads(result_bytes(folder, "agency"))
        found.append([(m["name"], m["labels"], m["value"], m["low"]) for m in result["measures"]])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"levels": [1], "robustness_families": ["courier"]}, "'courier' has no level that is asked for"),
        ({"sequential": {"alternative": 0.7}}, "must be more than the threshold"),
        (
            {"regimes": ["Baseline", {"id": "Severe-Standard", "level": "moderate", "action": {"every": 2}}]},
            "the id of a published regime",
        ),
        (
            {
                "regimes": [
                    "Baseline",
                    {
                        "id": "Moderate-Standard",
                        "level": "severe",
                        "information": {"noise": "words", "noise_rate": 0.2, "distractors": 0.2},
                        "stability": {"timeouts": 0.12, "lost": 0.03, "drift": True},
                    },
                ]
            },
            "the id of a published regime",
        ),
    ],
)
def test_options_that_would_measure_something_else_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_options(options, None, ())


def test_a_reference_that_cannot_read_what_it_sees_gives_up_and_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, brief: object) -> object:
        raise ValueError("nothing can be read")

    monkeypatch.setattr(Helpdesk, "oracle", broken)
    folder, lock = begin(tmp_path, study("solver", families=["helpdesk"]))
    assert go(folder, lock)
    assert {(end["outcome"], end["report"]["claimed"]) for end in ends(folder)} == {("failure", False)}
    assert audit_run(folder, lock).holds
