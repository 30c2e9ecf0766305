"""A run, its resumption and its audit, on an instrument that uses everything the bench offers."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder, Runner
from assay.bench.prepare import instruments_of, subjects_of
from assay.errors import AssayError, InputError, IntegrityError, SubjectRefused
from assay.evidence import LedgerIndex, segment_paths
from assay.evidence.chain import genesis, seal
from assay.study import Budget, Limits, Study
from assay.testing.stub import Faults, stub_process
from tests.support import audit_run, begin, go, ledger_events, result_bytes, stub_spec

DRILL: dict[str, Any] = {"drill": {"trials": 3, "turns": 4}}


def _study(*subjects: Any, **more: Any) -> Study:
    return Study(name="drill", subjects=subjects or ("reference:mumbler",), instruments=DRILL, **more)


def test_a_run_ends_closed_and_its_audit_holds(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    assert go(folder, lock)
    report = audit_run(folder, lock)
    assert report.holds, report.faults
    assert report.trials == 2 * (3 * 2 + 6 + 1)
    assert report.asks >= report.trials


def test_later_waves_are_built_from_earlier_evidence(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    ends = [e["data"] for e in ledger_events(folder) if e["kind"] == "end"]
    first = {e["trial"] for e in ledger_events(folder) if e["kind"] == "end" and e["data"]["wave"] == 0}
    follow_ups = [end["trial"]["inputs"] for end in ends if end["wave"] == 1]
    assert len(follow_ups) == len(first)
    assert {inputs[0] for inputs in follow_ups} == first


def test_two_runs_of_one_lock_give_the_same_result(tmp_path: Path) -> None:
    first, lock = begin(tmp_path, _study(), "first")
    go(first, lock)
    second = RunFolder.create(tmp_path, "second")
    shutil.copy(first.lock_path, second.lock_path)
    go(second, second.read_lock())
    assert result_bytes(first) == result_bytes(second)


def test_the_number_of_connections_does_not_change_the_result(tmp_path: Path) -> None:
    results = set()
    with stub_process() as stub:
        for connections in (1, 3, 16):
            spec = stub_spec(stub.url, connections=connections)
            folder, lock = begin(tmp_path, _study(spec), f"c{connections}")
            assert go(folder, lock)
            results.add(result_bytes(folder))
    assert len(results) == 1


@pytest.mark.parametrize("stateful", [False, True])
def test_a_budget_stops_cleanly_and_resuming_completes_the_run(tmp_path: Path, stateful: bool) -> None:
    with stub_process() as stub:
        spec = stub_spec(stub.url, connections=2, stateful=stateful)
        whole, lock = begin(tmp_path, _study(spec), "whole")
        assert go(whole, lock)
        needed = stub.stats().requests
        stub.reset()
        folder = RunFolder.create(tmp_path, "stopped")
        shutil.copy(whole.lock_path, folder.lock_path)
        lock = folder.read_lock()
        sessions = 1
        while not go(folder, lock, budget=Budget(calls=7 * sessions)):
            assert stub.stats().requests <= 7 * sessions
            sessions += 1
            assert sessions < 200
        sent = stub.stats().requests
    events = ledger_events(folder)
    abandoned = {(e["trial"], e.get("attempt", 0)) for e in events if e["kind"] == "abandoned"}
    in_vain = sum(e["kind"] == "received" and (e["trial"], e.get("attempt", 0)) in abandoned for e in events)
    assert (
        sent == needed + in_vain
    )  # attempts that could not be continued, and nothing else, were asked again
    assert sessions > 3
    assert result_bytes(folder) == result_bytes(whole)
    assert audit_run(folder, lock).holds


def test_a_stateful_subject_is_attempted_again_and_the_abandoned_attempt_stays(tmp_path: Path) -> None:
    with stub_process() as stub:
        folder, lock = begin(tmp_path, _study(stub_spec(stub.url, connections=1, stateful=True)))
        sessions = 1
        while not go(folder, lock, budget=Budget(calls=5 * sessions)):
            sessions += 1
    events = ledger_events(folder)
    abandoned = {(e["trial"], e.get("attempt", 0)) for e in events if e["kind"] == "abandoned"}
    assert abandoned
    ended = {(e["trial"], e.get("attempt", 0)) for e in events if e["kind"] == "end"}
    assert not abandoned & ended
    assert {(trial, attempt + 1) for trial, attempt in abandoned} & ended
    assert all(
        any(e["trial"] == t and e.get("attempt", 0) == a for e in events if "trial" in e)
        for t, a in abandoned
    )


def test_resuming_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    with stub_process() as stub:
        folder, lock = begin(tmp_path, _study(stub_spec(stub.url)))
        go(folder, lock)
        before = stub.stats().requests
        segments = len(segment_paths(folder.ledger))

        async def again() -> bool:
            return await Runner(lock, folder, instruments_of(lock), subjects_of(lock)).run()

        assert asyncio.run(again())
        assert stub.stats().requests == before
        assert len(segment_paths(folder.ledger)) == segments


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    folder, _ = begin(tmp_path, _study())
    with folder, pytest.raises(InputError, match="another process is running"), RunFolder(folder.path):
        pass


def test_an_existing_run_is_never_reused(tmp_path: Path) -> None:
    begin(tmp_path, _study())
    with pytest.raises(InputError, match="assay resume"):
        RunFolder.create(tmp_path, "run")


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "x" * 200, "a\nb"])
def test_a_run_cannot_be_named_out_of_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="run name"):
        RunFolder.create(tmp_path, name)


def test_infrastructure_failures_are_excluded_under_their_own_name(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=0.2, seed=3)) as stub:
        folder, lock = begin(tmp_path, _study(stub_spec(stub.url)))
        assert go(folder, lock)
    reading = json.loads(folder.reading_path("drill").read_bytes())
    [excluded] = reading["result"]["excluded"]
    assert excluded["reason"] == "http_400"
    assert excluded["count"] > 0
    assert reading["envelope"]["efficiency"]["faults"]["http_400"] == excluded["count"]
    assert audit_run(folder, lock).holds


def test_an_endpoint_that_refuses_us_stops_the_run_at_once(tmp_path: Path) -> None:
    with stub_process(required_key="secret-key-1") as stub:
        folder, lock = begin(tmp_path, _study(stub_spec(stub.url)))
        with pytest.raises(SubjectRefused, match="401"):
            go(folder, lock)
        assert stub.stats().requests <= 8
    assert ledger_events(folder)[-1]["kind"] == "stopped"


def test_an_endpoint_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=1.0)) as stub:
        study = _study(stub_spec(stub.url, connections=1), limits=Limits(give_up_after=4))
        folder, lock = begin(tmp_path, study)
        with pytest.raises(AssayError, match="does not answer"):
            go(folder, lock)
        assert stub.stats().requests <= 5


def test_a_trial_that_takes_too_long_is_excluded_and_the_run_goes_on(tmp_path: Path) -> None:
    with stub_process(latency=0.3) as stub:
        study = _study(stub_spec(stub.url, connections=8), limits=Limits(trial_seconds=0.5))
        folder, lock = begin(tmp_path, study)
        assert go(folder, lock)
    reasons = {e["data"].get("reason") for e in ledger_events(folder) if e["kind"] == "end"}
    assert "trial_timeout" in reasons
    assert audit_run(folder, lock).holds


def test_a_trial_that_has_said_how_it_ended_is_not_cut_off_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit comes to what it said, however long it took to put things away."""
    folder, lock = begin(tmp_path, _study(limits=Limits(trial_seconds=0.05)))
    drill = type(instruments_of(lock)[0])
    tidying = [600.0]

    async def conduct(self: Any, trial: Any, probe: Any) -> None:
        probe.conclude("success", report={"words": 1})
        await asyncio.sleep(tidying[0])

    monkeypatch.setattr(drill, "conduct", conduct)
    assert go(folder, lock)
    assert {e["data"]["outcome"] for e in ledger_events(folder) if e["kind"] == "end"} == {"success"}
    tidying[0] = 0.0
    assert audit_run(folder, lock).holds


def _rewrite(folder: RunFolder, lock_digest: str, change: Any) -> None:
    """Alter events and hash the chain anew, as a careful forger would."""
    for path in segment_paths(folder.ledger):
        head, lines = genesis(lock_digest, path.name), []
        for line in path.read_bytes().splitlines():
            event = json.loads(line)["event"]
            change(event)
            sealed, head = seal(head, json.dumps(event, sort_keys=True, separators=(",", ":")).encode())
            lines.append(sealed)
        path.write_bytes(b"".join(lines))


def test_an_audit_names_the_trial_whose_reply_was_changed(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    changed: list[str] = []

    def change(event: dict[str, Any]) -> None:
        if event["kind"] == "received" and not changed:
            event["data"]["reply"]["text"] += " and more"
            changed.append(event["trial"])

    _rewrite(folder, lock.digest, change)
    report = audit_run(folder, lock)
    assert any("not the events that were signed" in fault for fault in report.faults)
    assert any(changed[0][:12] in fault for fault in report.faults)


def test_an_audit_finds_an_outcome_that_was_turned(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    for manifest in folder.ledger.glob("manifest-*"):
        manifest.unlink()

    def change(event: dict[str, Any]) -> None:
        if event["kind"] == "end" and event["data"]["outcome"] == "failure":
            event["data"]["outcome"] = "success"

    _rewrite(folder, lock.digest, change)
    report = audit_run(folder, lock)
    assert any("ends as failure, recorded as success" in fault for fault in report.faults)


def test_an_audit_finds_a_result_that_was_polished(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    path = folder.reading_path("drill")
    reading = json.loads(path.read_bytes())
    reading["result"]["measures"][1]["value"] = 0.99
    path.write_text(json.dumps(reading))
    report = audit_run(folder, lock)
    assert any("published as 0.99" in fault for fault in report.faults)
    assert any("not the file that was signed" in fault for fault in report.faults)


def test_an_audit_says_what_of_a_measure_was_changed_where_it_is_not_its_value(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    path = folder.reading_path("drill")
    reading = json.loads(path.read_bytes())
    reading["result"]["measures"][0]["flags"] = [{"kind": "Contested", "cause": "it was not"}]
    path.write_text(json.dumps(reading))
    assert any("has other flags by the evidence" in fault for fault in audit_run(folder, lock).faults)


def test_an_audit_finds_trials_that_the_study_does_not_know(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)

    def change(event: dict[str, Any]) -> None:
        if event.get("trial"):
            event["trial"] = event["trial"][::-1]

    _rewrite(folder, lock.digest, change)
    report = audit_run(folder, lock)
    assert any("in the ledger but not in the study" in fault for fault in report.faults)


def test_a_ledger_altered_in_the_middle_is_not_resumed(tmp_path: Path) -> None:
    with stub_process() as stub:
        folder, lock = begin(tmp_path, _study(stub_spec(stub.url)))
        assert not go(folder, lock, budget=Budget(calls=9))
        path = segment_paths(folder.ledger)[0]
        lines = path.read_bytes().splitlines(keepends=True)
        number = next(n for n, line in enumerate(lines) if b"Turn" in line)
        lines[number] = lines[number].replace(b"Turn", b"Term", 1)
        path.write_bytes(b"".join(lines))
        with pytest.raises(IntegrityError, match=rf"0001\.jsonl line {number + 1}:"):
            go(folder, lock)


def test_a_conversation_is_recorded_without_repeating_its_turns(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, _study())
    go(folder, lock)
    system = "You are drilled."
    texts = [e["data"]["text"] for e in ledger_events(folder) if e["kind"] == "text"]
    assert sum(text.startswith(system) for text in texts) == 1
    index = LedgerIndex(folder.ledger, lock.digest)
    index.refresh()
    sent = [
        e for t in index.trials() for events in index.attempts(t).values() for e in events if e.kind == "sent"
    ]
    index.close()
    assert all(event.data["wire"]["messages"][0]["content"].startswith(system) for event in sent)
