"""The largest reply: what is longer is cut, never excluded, and nothing appears that was not written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.bench.reply_limit import AT_LEAST, CUT, bounded, largest_reply
from assay.evidence.redaction import Redactor
from assay.study.model import Limits, Study
from assay.testing.stub import stub_process
from assay.vocabulary import Reply, Sampling, ToolCall
from tests.support import audit_run, begin, go, ledger_events, stub_spec

KEY = "sk-proj-9fQz7Rw2Lk_Xv4Tb8NmH3cJd6Ys1"


def cut(reply: Reply, largest: int) -> Reply:
    return bounded(reply, largest, Redactor([KEY]))


def test_a_reply_within_it_is_not_touched() -> None:
    reply = Reply("x" * 90, (ToolCall("1", "f", "{}"),), finish="stop")
    assert cut(reply, 93) is reply


def test_a_longer_text_is_cut_as_by_the_length_limit() -> None:
    found = cut(Reply("x" * 200, finish="stop", notes=("null_content",)), 100)
    assert (found.text, found.finish, found.notes) == ("x" * 100, "length", ("null_content", CUT))


def test_a_tool_call_is_there_whole_or_not_at_all() -> None:
    calls = tuple(ToolCall(str(n), "move", json.dumps({"to": "n" * 20})) for n in range(4))
    found = cut(Reply("go", calls, finish="tool_calls"), 2 + 2 * (4 + len(calls[0].arguments)) + 5)
    assert found.tool_calls == calls[:2]
    assert found.finish == "length"


@pytest.mark.parametrize("largest", range(90, 140, 7))
def test_no_piece_of_a_key_is_left_at_the_cut(largest: int) -> None:
    text = cut(Reply(f"{'x' * 90}{KEY}{'y' * 100}"), largest).text
    assert not any(KEY[at : at + 8] in text for at in range(len(KEY) - 7))


def test_it_is_declared_or_follows_from_the_tokens_asked_for() -> None:
    assert largest_reply(Limits(), Sampling(max_tokens=None)) == AT_LEAST
    assert largest_reply(Limits(), Sampling(max_tokens=100_000)) == 3_200_000
    assert largest_reply(Limits(reply_characters=50), Sampling(max_tokens=100_000)) == 50


def test_a_run_records_and_scores_what_is_within_it(tmp_path: Path) -> None:
    with stub_process(answer=f"fixed:{'x' * 3000}") as stub:
        limits = Limits(reply_characters=1000)
        study = Study(subjects=(stub_spec(stub.url),), instruments={"ping": {"trials": 3}}, limits=limits)
        folder, lock = begin(tmp_path, study)
        assert go(folder, lock)
    replies = [event["data"]["reply"] for event in ledger_events(folder) if event["kind"] == "received"]
    assert [(len(one["text"]), one["finish"], one["notes"]) for one in replies] == [
        (1000, "length", [CUT])
    ] * 3
    assert {e["data"]["outcome"] for e in ledger_events(folder) if e["kind"] == "end"} != {"excluded"}
    assert audit_run(folder, lock).holds
