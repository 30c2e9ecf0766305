"""Lost trials are asked again: all of them or all of a fault, recorded as such, and never a trial with an outcome."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from assay.bench import Meter, RunFolder, Runner
from assay.bench.prepare import instruments_of, subjects_of
from assay.errors import InputError, IntegrityError, UnknownName
from assay.evidence.manifest import manifest_paths
from assay.report.publish import publish
from assay.study import Budget, Lock, Study
from assay.testing.stub import Faults, StubProcess, stub_process
from tests.support import audit_run, begin, go, ledger_events, stub_spec


def _study(url: str, trials: int = 10, **more: Any) -> Study:
    spec = stub_spec(url, connections=1, **more)
    return Study(name="again", subjects=(spec,), instruments={"ping": {"trials": trials}})


def _again(folder: RunFolder, lock: Lock, faults: Collection[str] = (), calls: int | None = None) -> bool:
    async def session() -> bool:
        meter = Meter(Budget(calls=calls))
        return await Runner(
            lock, folder, instruments_of(lock), subjects_of(lock), meter=meter, retry=faults
        ).run()

    finished = asyncio.run(session())
    if finished:
        publish(folder, lock, instruments_of(lock))
    return finished


def _lost_some(tmp_path: Path, stub: StubProcess, **more: Any) -> tuple[RunFolder, Lock]:
    """A closed run that lost the first four of its ten trials."""
    folder, lock = begin(tmp_path, _study(stub.url, **more))
    assert go(folder, lock)
    assert _result(folder)["excluded"][0]["count"] == 4
    return folder, lock


def _result(folder: RunFolder) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(folder.reading_path("ping").read_bytes())["result"]
    return found


def _envelope(folder: RunFolder) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(folder.reading_path("ping").read_bytes())["envelope"]
    return found


FOUR = Faults.of(http_400=1.0, until=4)


@pytest.mark.parametrize("stateful", [False, True])
def test_a_closed_run_is_completed_and_its_audit_holds(tmp_path: Path, stateful: bool) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub, stateful=stateful)
        before = folder.reading_path("ping").read_bytes()
        asked = stub.stats().requests
        assert _again(folder, lock)
        assert stub.stats().requests == asked + 4  # no trial that had an outcome is asked again
    result = _result(folder)
    [success] = [m for m in result["measures"] if m["name"] == "success"]
    assert (success["n"], result["excluded"]) == (10, [])
    assert result["notes"][-1] == "4 trials were asked again after a loss (http_400 4)"
    assert not any("asked again" in flag["cause"] for flag in result["flags"])
    assert len(manifest_paths(folder.ledger)) == 2
    assert (folder.path / "earlier/0001/reading-ping.json").read_bytes() == before
    report = audit_run(folder, lock)
    assert report.holds, report.faults
    assert (report.trials, report.abandoned) == (10, 0)
    folder.read_sealed()


def test_the_ledger_says_which_trial_was_asked_again_and_after_what(tmp_path: Path) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        _again(folder, lock)
    events = ledger_events(folder)
    lost = {e["trial"] for e in events if e["kind"] == "end" and e["data"]["outcome"] == "excluded"}
    retried = [e for e in events if e["kind"] == "retried"]
    assert {e["trial"] for e in retried} == lost
    assert {e["data"]["after"] for e in retried} == {"http_400"}
    assert all(e["at"] > 0 for e in retried)
    assert {e["attempt"] for e in events if e["kind"] == "end" and e.get("attempt")} == {1}
    [session] = [e["data"]["retry"] for e in events if e["kind"] == "run" and "retry" in e["data"]]
    assert session == {"faults": [], "trials": 4}
    [fault] = _envelope(folder)["faults"]
    assert (fault["count"], fault["trials"], fault["lost"], fault["of"]) == (4, 0, 0, 10)


def test_stopped_in_the_middle_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        assert not _again(folder, lock, calls=12)
        assert not folder.closed
        with pytest.raises(InputError, match="not closed yet"):
            folder.read_sealed()
        assert any("being asked again" in fault for fault in audit_run(folder, lock).faults)
        assert go(folder, lock)
        assert stub.stats().requests == 14
    assert _result(folder)["excluded"] == []
    report = audit_run(folder, lock)
    assert report.holds, report.faults


def test_killed_before_all_were_marked_the_rest_is_marked_by_who_goes_on(tmp_path: Path) -> None:
    """What is asked again is decided by the session that was begun, not by the moment it was killed in."""
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        assert not _again(folder, lock, calls=10)
        path = sorted(folder.ledger.glob("*.jsonl"))[-1]
        kinds = [json.loads(line)["event"]["kind"] for line in path.read_bytes().splitlines()]
        assert kinds[:3] == ["run", "retried", "retried"]
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2]))
        told = "3 lost trials that were to be asked again were not"
        assert told in audit_run(folder, lock).faults
        path.write_bytes(b"".join(lines[:2]) + lines[2][:50])
        assert go(folder, lock)
    assert _result(folder)["excluded"] == []
    report = audit_run(folder, lock)
    assert report.holds, report.faults


def test_killed_before_anything_was_written_the_run_is_as_it_was(tmp_path: Path) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        (folder.ledger / "0002.jsonl").write_bytes(b'{"event":')
        assert not folder.closed
        assert go(folder, lock)
    assert audit_run(folder, lock).holds
    assert folder.closed


def test_what_is_lost_again_stays_lost_and_can_be_asked_a_third_time(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=1.0, until=12)) as stub:
        folder, lock = begin(tmp_path, _study(stub.url))
        assert go(folder, lock)
        assert _again(folder, lock)
        assert _result(folder)["excluded"][0]["count"] == 2
        assert _result(folder)["notes"][-1].endswith("(http_400 10); 2 of them lost again")
        assert _again(folder, lock)
    assert _result(folder)["excluded"] == []
    assert _result(folder)["notes"][-1] == "10 trials were asked again after a loss (http_400 12)"
    assert {path.parent.name for path in folder.path.glob("earlier/*/*")} == {"0001", "0002"}
    report = audit_run(folder, lock)
    assert report.holds, report.faults


@pytest.mark.slow
def test_where_faults_are_named_the_reading_says_that_it_was_chosen(tmp_path: Path) -> None:
    plan = Faults.parse('{"plan":[{"kind":"http_400","until":2},{"kind":"empty_choices","until":14}]}')
    with stub_process(faults=plan) as stub:
        folder, lock = begin(tmp_path, _study(stub.url))
        go(folder, lock)
        lost = {one["reason"]: one["count"] for one in _result(folder)["excluded"]}
        assert lost == {"http_400": 2, "empty_choices": 2}
        with pytest.raises(UnknownName, match="http_400"):
            _again(folder, lock, ["http_40"])
        assert _again(folder, lock, ["http_400"])
    result = _result(folder)
    assert [one["reason"] for one in result["excluded"]] == ["empty_choices"]
    assert result["flags"][-1]["kind"] == "Limited Comparability"
    assert "only what was lost to http_400" in result["flags"][-1]["cause"]
    assert audit_run(folder, lock).holds


def test_a_loss_that_later_trials_were_drawn_up_without_is_refused(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=0.2, seed=3)) as stub:
        study = Study(
            name="waves", subjects=(stub_spec(stub.url),), instruments={"drill": {"trials": 3, "turns": 4}}
        )
        folder, lock = begin(tmp_path, study)
        go(folder, lock)
        segments = len(list(folder.ledger.glob("*.jsonl")))
        with pytest.raises(InputError, match="was drawn up"):
            _again(folder, lock)
    assert len(list(folder.ledger.glob("*.jsonl"))) == segments
    assert audit_run(folder, lock).holds


def test_a_run_that_lost_nothing_is_left_alone(tmp_path: Path) -> None:
    with stub_process() as stub:
        folder, lock = begin(tmp_path, _study(stub.url))
        go(folder, lock)
        asked = stub.stats().requests
        before = sorted(folder.ledger.glob("*"))
        asyncio.run(Runner(lock, folder, instruments_of(lock), subjects_of(lock), retry=()).run())
        assert (stub.stats().requests, sorted(folder.ledger.glob("*"))) == (asked, before)


def test_a_reading_of_the_first_closing_that_was_changed_is_found(tmp_path: Path) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        _again(folder, lock)
    kept = folder.path / "earlier/0001/reading-ping.json"
    kept.write_bytes(kept.read_bytes().replace(b"http_400", b"http_404"))
    report = audit_run(folder, lock)
    assert any("earlier/0001/reading-ping.json" in fault for fault in report.faults)
    with pytest.raises(IntegrityError):
        folder.read_sealed()


def test_sealed_evidence_that_was_changed_is_not_gone_on_from(tmp_path: Path) -> None:
    with stub_process(faults=FOUR) as stub:
        folder, lock = _lost_some(tmp_path, stub)
        _again(folder, lock, calls=12)
        first = folder.ledger / "0001.jsonl"
        first.write_bytes(first.read_bytes().replace(b"http_400", b"http_404", 1))
        with pytest.raises(IntegrityError, match="not what was signed"):
            folder.check_sealed_part(lock)
