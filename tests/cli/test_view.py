"""``assay view``: a page of trials, one in full; hostile replies, unfinished and torn runs, and nothing is changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.evidence import segment_paths
from assay.evidence.chain import genesis, seal
from assay.study import Lock, Study
from assay.vocabulary import Outcome, Reply, ToolCall, Usage
from tests.support import begin, record_trials

from .conftest import Assay

HOSTILE = "\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>\x00\u202eevil\n--- end: success\n=HYPERLINK(1)"
LONG = "x" * (1 << 20)
REPLIES = ["yes", HOSTILE, LONG, None, "", "no"]
OUTCOMES: tuple[Outcome, ...] = ("success", "failure", "unknown")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[RunFolder, Lock]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    study = Study(subjects=("reference:mumbler",), instruments={"ping": {"trials": 6}})
    return begin(tmp_path / "runs", study, "seen")


def document(assay: Assay, *arguments: str) -> Any:
    ended = assay("view", "seen", *arguments, "--json")
    assert ended.code == 0
    return json.loads(ended.out)


def files(folder: RunFolder) -> dict[str, tuple[int, bytes]]:
    found = [path for path in sorted(folder.path.rglob("*")) if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


def test_a_page_has_a_line_a_trial_and_steers_no_terminal(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    ids = record_trials(*run, REPLIES, outcomes=OUTCOMES)
    before = files(run[0])
    ended = assay("view", "seen")
    assert ended.code == 0
    assert ended.err == ""
    lines = ended.out.splitlines()
    assert [line.split()[1] for line in lines[1:]] == [trial[:12] for trial in ids]
    assert not set(ended.out) & {"\x1b", "\x07", "\x00", "\u202e"}
    assert max(map(len, lines)) <= 160
    assert files(run[0]) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--failed",), [2, 5]),
        (("--unknown",), [3, 6]),
        (("--excluded",), [4]),
        (("--failed", "--excluded"), [2, 4, 5]),
        (("--item", "item-1"), [2, 5]),
        (("--item", "item-?", "--failed", "--limit", "1", "--page", "2"), [5]),
        (("--subject", "reference:*", "--limit", "2", "--page", "2"), [3, 4]),
        (("--item", "item-0", "--excluded", "--unknown"), [4]),
        (("--subject", "reference:*", "--item", "item-2", "--failed"), []),
    ],
)
def test_filters_and_pages(
    assay: Assay, run: tuple[RunFolder, Lock], arguments: tuple[str, ...], expected: list[int]
) -> None:
    record_trials(*run, REPLIES, outcomes=OUTCOMES)
    assert [row["number"] for row in document(assay, *arguments)["trials"]] == expected


def test_json_has_replies_as_they_came(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    record_trials(*run, REPLIES, outcomes=OUTCOMES)
    assert [row["reply"] for row in document(assay)["trials"]] == REPLIES
    whole = document(assay, "2")
    assert whole["reply"] == HOSTILE
    assert [event["kind"] for event in whole["events"]] == ["sent", "received", "end"]


def test_one_trial_in_full_by_number_id_and_prefix(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    ids = record_trials(*run, REPLIES, outcomes=OUTCOMES)
    by_number = assay("view", "seen", "2")
    assert by_number.code == 0
    for name in (ids[1], ids[1][:12]):
        assert assay("view", "seen", name) == by_number
    headings = [line for line in by_number.out.splitlines() if line.startswith("---")]
    assert headings[0] == "--- user"
    assert [line for line in headings if line.startswith("--- end")] == ["--- end: failure"]
    assert "<script>alert(1)</script>" in by_number.out
    assert not set(by_number.out) & {"\x1b", "\x07", "\x00", "\u202e"}
    assert LONG in assay("view", "seen", "3").out


def test_a_lost_trial_shows_what_the_server_said(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    record_trials(*run, REPLIES)
    shown = assay("view", "seen", "4").out
    assert "--- no reply: http_500\n  <h1>no</h1>" in shown
    assert "outcome  excluded (http_500)" in shown


def test_tool_calls_reasoning_and_usage_are_shown(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    call = ToolCall("c1", "open", '{"door":1}')
    record_trials(
        *run, [Reply("", (call,), "tool_calls", Usage(7, 3, 2), "m", reasoning="A door:\nopen it.")]
    )
    shown = assay("view", "seen", "1").out
    assert "--- reasoning\n  A door:\n  open it.\n" in shown
    assert "7 + 3 tokens · 2 of them reasoning" in shown
    assert '--- calls open (c1)\n  {"door":1}' in shown
    assert "7 + 3 tokens" in shown


def test_names_that_fit_no_trial_or_several_are_refused(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    record_trials(*run, ["a"] * 40)
    assert assay("view", "seen", "41").code == 2
    assert assay("view", "seen", "zzz").code == 2
    assert assay("view", "seen", "f" * 64).code == 2
    several = assay("view", "seen", "a")
    assert several.code == 2
    assert "several" in several.err
    assert assay("view", "nowhere").code == 2
    near = assay("view", "seem")
    assert near.code == 2
    assert "did you mean 'seen'?" in near.err
    assert assay("view", "seen", "1", "--failed").code == 2


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (("--subject", "nope"), "reference:mumbler"),
        (("--item", "nope"), "item-0, item-1, item-2"),
        (("--item", "itm-1"), "did you mean 'item-1'?"),
    ],
)
def test_a_name_that_no_trial_has_is_refused_with_those_there_are(
    assay: Assay, run: tuple[RunFolder, Lock], arguments: tuple[str, ...], known: str
) -> None:
    record_trials(*run, ["a"] * 4)
    ended = assay("view", "seen", *arguments)
    assert ended.code == 2
    assert known in ended.err


def test_the_reply_of_a_page_is_its_first_line_that_says_something(
    assay: Assay, run: tuple[RunFolder, Lock]
) -> None:
    record_trials(*run, ["\n```python\n\ndef one():\n    pass\n```\n", "```\n```"])
    first, second = assay("view", "seen").out.splitlines()[1:]
    assert first.endswith("def one():")
    assert second.endswith("```")


def test_trials_that_are_not_finished_are_named_as_they_were_drawn_up(assay: Assay) -> None:
    drill = ("run", "drill", "-s", "reference:mumbler", "--trials", "1", "--turns", "2", "--name", "seen")
    assert assay(*drill, "--budget", "calls=5").code == 3
    rows = document(assay)["trials"]
    assert [row["item"] for row in rows if row["outcome"] is None]
    assert {(row["subject"], row["instrument"]) for row in rows} == {("reference:mumbler", "drill")}
    assert all(row["item"] for row in rows)


def test_an_unfinished_run_shows_what_there_is(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    folder, _ = run
    record_trials(*run, ["one", "two"], finished=False)
    (path,) = segment_paths(folder.ledger)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))  # the last trial has no outcome yet
    first, second = document(assay)["trials"]
    assert (first["outcome"], second["outcome"]) == ("success", None)
    assert second["reply"] == "two"
    assert second["subject"] is None
    assert document(assay, "--failed")["trials"] == []
    assert "not finished" in assay("view", "seen", "2").out


def test_a_torn_tail_is_named_and_stays(assay: Assay, run: tuple[RunFolder, Lock]) -> None:
    folder, _ = run
    ids = record_trials(*run, ["one", "two"])
    (path,) = segment_paths(folder.ledger)
    path.write_bytes(path.read_bytes() + b'{"event":{"at":1.0,"da')
    before = files(folder)
    for arguments in ((), ("1",), (ids[1],)):
        ended = assay("view", "seen", *arguments)
        assert ended.code == 0
        assert "0001.jsonl" in ended.err
    assert document(assay)["torn"] == ["0001.jsonl"]
    assert files(folder) == before


def test_a_line_that_was_altered_ends_the_page_with_its_number(
    assay: Assay, run: tuple[RunFolder, Lock]
) -> None:
    folder, _ = run
    ids = record_trials(*run, ["one", "two", "three"])
    (path,) = segment_paths(folder.ledger)
    path.write_bytes(path.read_bytes().replace(b'"text":"two"', b'"text":"2wo"'))
    ended = assay("view", "seen")
    assert ended.code == 1
    assert "0001.jsonl line 7" in ended.err
    assert ids[0][:12] in ended.out
    assert ids[1][:12] not in ended.out
    assert assay("view", "seen", ids[1]).code == 1
    assert assay("view", "seen", ids[0]).code == 0


WRONG: list[tuple[bytes, bytes]] = [
    (b'"messages":[{', b'"massages":[{'),
    (b'"wire":{', b'"wire":7,"was":{'),
    (b'"tries":[]', b'"tries":[7]'),
    (b'"seconds":0.5', b'"seconds":"long"'),
    (b'"reply":{', b'"reply":7,"was":{'),
    (b'"text":"one"', b'"text":{"one":1}'),
    (b'"at":3.0,', b'"at":1e300,'),
    (b'"cost":0.25', b'"cost":"much"'),
]


@pytest.mark.parametrize(("before", "after"), WRONG)
def test_events_of_another_shape_are_named_and_never_a_fault_of_ours(
    assay: Assay, run: tuple[RunFolder, Lock], before: bytes, after: bytes
) -> None:
    folder, lock = run
    record_trials(folder, lock, ["one", "two"])
    (path,) = segment_paths(folder.ledger)
    head, lines = genesis(lock.digest, path.name), []
    for line in path.read_bytes().splitlines(keepends=True):
        sealed, head = seal(head, line[9:-76].replace(before, after))
        lines.append(sealed)
    path.write_bytes(b"".join(lines))
    for command in (
        ("view", "seen"),
        ("view", "seen", "1"),
        ("export", "seen", "--out", "trials.csv"),
        ("export", "seen", "--what", "calls", "--out", "calls.parquet"),
        ("list", "runs"),
    ):
        assert assay(*command).code in (0, 1), command


def test_what_is_sound_is_shown_although_a_later_segment_is_not(assay: Assay, tmp_path: Path) -> None:
    """Where trials were asked again, later segments are looked at first; what is wrong there hides nothing."""
    (tmp_path / "weak.py").write_text("def answer(messages):\n    raise ValueError('no')\n")
    assert assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=3", "--name", "seen").code == 4
    (tmp_path / "weak.py").write_text("def answer(messages):\n    return 'yes'\n")
    assert assay("resume", "seen", "--retry-lost").code == 0
    second = tmp_path / "runs/seen/ledger/0002.jsonl"
    second.write_bytes(second.read_bytes().replace(b'"kind":"retried"', b'"kind":"retried" ', 1))
    ended = assay("view", "seen")
    assert ended.code == 1
    assert "There are no such trials" not in ended.out
    assert "0002.jsonl" in ended.err
    assert len(ended.out.splitlines()) == 4


def test_the_record_of_a_closed_run_is_shown(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "3", "--name", "real").code == 0
    whole = json.loads(assay("view", "real", "1", "--json").out)
    assert [row["trial"] for row in whole["record"]] == [whole["trial"]]
    assert "\n--- record\n" in assay("view", "real", "1").out
