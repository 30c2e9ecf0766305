"""What somebody who holds the key could try: alter, hash anew, sign anew. The replay must still see it."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from assay.bench import Meter, RunFolder
from assay.bench.history import History
from assay.bench.prepare import instruments_of
from assay.canonical import encode
from assay.errors import InputError, IntegrityError
from assay.evidence import chain, segment_paths, write_manifest
from assay.evidence.chain import genesis, seal
from assay.report.publish import score_run, write_report
from assay.signing import load_key
from assay.study import Budget, Lock, Study
from assay.testing.stub import Faults, stub_process
from tests.support import audit_run, begin, go, ledger_events, result_bytes, stub_spec

Event = dict[str, Any]


def _run(root: Path, subject: Any = "reference:wrong", contract: str = "add") -> tuple[RunFolder, Lock]:
    options = {"contracts": [contract], "repetitions": 4, "temperatures": [0.0]}
    folder, lock = begin(root, Study(subjects=(subject,), instruments={"repeatability": options}))
    assert go(folder, lock)
    return folder, lock


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return _run(tmp_path_factory.mktemp("finished"))[0]


@pytest.fixture
def run(finished: RunFolder, tmp_path: Path) -> tuple[RunFolder, Lock]:
    """A finished run that may be altered."""
    folder = RunFolder(Path(shutil.copytree(finished.path, tmp_path / "run")))
    return folder, folder.read_lock()


def _forge(folder: RunFolder, lock: Lock, change: Callable[[int, Event], Event | None]) -> None:
    """Change events (None drops one), hash the chain anew, publish what it now amounts to, and seal that."""
    for path in segment_paths(folder.ledger):
        head, lines = genesis(lock.digest, path.name), []
        for number, line in enumerate(path.read_bytes().splitlines()):
            event = change(number, json.loads(line)["event"])
            if event is not None:
                sealed, head = seal(head, encode(event))
                lines.append(sealed)
        path.write_bytes(b"".join(lines))
    for manifest in folder.ledger.glob("manifest-*"):
        manifest.unlink()
    [(reading, _)] = score_run(folder, lock, instruments_of(lock))
    path = folder.reading_path("repeatability")
    path.write_bytes(encode(reading) + b"\n")
    write_manifest(folder.ledger, lock.digest, {"lock.json": folder.lock_path, path.name: path}, load_key())


def test_a_forger_who_does_everything_right_but_changes_nothing_passes(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    _forge(folder, lock, lambda _, event: event)
    assert audit_run(folder, lock).holds


def test_a_result_that_calls_itself_environment_dependent_is_not_believed(
    run: tuple[RunFolder, Lock],
) -> None:
    folder, lock = run
    good = [{"state": "value", "value": 5, "exception": "", "message": "", "bases": [], "call": None}] * 10

    def change(_: int, event: Event) -> Event:
        if event["kind"] == "computed" and event["data"]["result"]["state"] == "ran":
            event["data"]["environment_dependent"] = True
            event["data"]["result"] = {"state": "ran", "detail": "", "output": "", "cases": good}
        return event

    _forge(folder, lock, change)
    faults = audit_run(folder, lock).faults
    assert any("another result than was recorded" in fault for fault in faults)


def test_a_trial_cannot_be_moved_out_of_its_wave(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run

    def change(_: int, event: Event) -> Event:
        if event["kind"] == "end" and event["data"]["trial"]["instance"]["repetition"] == 0:
            event["data"]["wave"] = 99
        return event

    _forge(folder, lock, change)
    assert any("part of another wave" in fault for fault in audit_run(folder, lock).faults)


def test_a_missing_oracle_run_is_a_fault_not_a_crash(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    for path in segment_paths(folder.ledger):
        head, lines = genesis(lock.digest, path.name), []
        for line in path.read_bytes().splitlines():
            event = json.loads(line)["event"]
            if event["kind"] != "computed":
                sealed, head = seal(head, encode(event))
                lines.append(sealed)
        path.write_bytes(b"".join(lines))
    faults = audit_run(folder, lock).faults
    assert any("cannot be scored" in fault for fault in faults)
    assert any("where the record has ended" in fault for fault in faults)
    assert any("the protocol cannot be run on the record" in fault for fault in faults)


def test_a_better_attempt_cannot_be_chosen(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    chosen: list[str] = []

    def change(_: int, event: Event) -> Event:
        trial = event.get("trial")
        if trial and not chosen:
            chosen.append(trial)
        if trial and trial == chosen[0]:
            event["attempt"] = 1
        return event

    _forge(folder, lock, change)
    assert any("given up without a reason" in fault for fault in audit_run(folder, lock).faults)


def test_a_segment_must_follow_from_those_before_it(tmp_path: Path) -> None:
    with stub_process(answer="code:3") as stub:
        options = {"contracts": ["add"], "repetitions": 4, "temperatures": [0.0]}
        study = Study(subjects=(stub_spec(stub.url, connections=1),), instruments={"repeatability": options})
        folder, lock = begin(tmp_path, study)
        assert not go(folder, lock, budget=Budget(calls=2))
        assert go(folder, lock)

    def change(number: int, event: Event) -> Event:
        if event["kind"] == "run" and event["data"]["after"]:
            event["data"]["after"] = {}
        return event

    _forge(folder, lock, change)
    assert any("0002.jsonl line 1" in fault for fault in audit_run(folder, lock).faults)


def test_waves_of_a_stratum_that_the_study_does_not_have_are_told(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run

    def change(_: int, event: Event) -> Event:
        if event["kind"] in ("wave", "closed"):
            event["data"]["stratum"] = "ghost"
        return event

    _forge(folder, lock, change)
    assert any("'ghost': is in the ledger but not in the study" in f for f in audit_run(folder, lock).faults)


def test_an_unknown_event_is_refused_and_nothing_is_asked_again(tmp_path: Path) -> None:
    with stub_process() as stub:
        study = Study(subjects=(stub_spec(stub.url),), instruments={"ping": {"trials": 6}})
        folder, lock = begin(tmp_path, study)
        assert not go(folder, lock, budget=Budget(calls=3))
        path = segment_paths(folder.ledger)[0]
        head, lines = genesis(lock.digest, path.name), []
        for number, line in enumerate(path.read_bytes().splitlines()):
            event = json.loads(line)["event"]
            for one in [event, {"kind": "rating", "at": 1.0}] if number == 2 else [event]:
                sealed, head = seal(head, encode(one))
                lines.append(sealed)
        path.write_bytes(b"".join(lines))
        before = stub.stats().requests
        with pytest.raises(IntegrityError, match=r"0001\.jsonl line 4: an event of an unknown kind 'rating'"):
            go(folder, lock)
        assert stub.stats().requests == before


def test_programs_that_read_the_clock_do_not_fail_an_honest_audit(tmp_path: Path) -> None:
    code = "```python\nimport time\ndef add(a, b):\n    return time.time()\n```"
    with stub_process(answer=f"fixed:{code}") as stub:
        folder, lock = _run(tmp_path, stub_spec(stub.url))
    report = audit_run(folder, lock, signers=[lock.keyid])
    assert report.holds, report.faults
    assert report.not_deterministic == 8  # on its tests, and on further inputs
    assert report.determination == "Contested (Evidence Insufficient)"
    assert report.reasons == ["8 programs differ from themselves when run twice"]


def test_an_endpoint_that_is_down_costs_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.bench.caller.FIRST_WAIT", 0.01)
    with socket.socket() as held:  # ours throughout: nobody else can answer there
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        spec = stub_spec(f"http://127.0.0.1:{port}/v1", connections=2)
        folder, lock = begin(tmp_path, Study(subjects=(spec,), instruments={"ping": {"trials": 6}}))
        with pytest.raises(Exception, match="cannot be reached"):
            go(folder, lock)
        assert not [e for e in ledger_events(folder) if e["kind"] == "end"]
        with stub_process(port=port):
            assert go(folder, lock)
    assert json.loads(result_bytes(folder, "ping"))["measures"][0]["k"] == 6
    assert audit_run(folder, lock).holds


def test_a_budget_of_seconds_stops_a_run_that_only_waits(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_429=1.0)) as stub:
        study = Study(subjects=(stub_spec(stub.url),), instruments={"ping": {"trials": 3}})
        folder, lock = begin(tmp_path, study)
        assert not go(folder, lock, budget=Budget(seconds=1.0))
    assert "1 s" in ledger_events(folder)[-1]["data"]["reason"]


def test_a_key_that_is_a_word_of_the_study_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDY", "answer")
    with stub_process() as stub:
        spec = stub_spec(stub.url, key_env="WORDY")
        study = Study(name="an answer", subjects=(spec,), instruments={"ping": {}})
        folder, lock = begin(tmp_path, study)
        with pytest.raises(InputError, match="also stands in the study"):
            go(folder, lock)
        assert not segment_paths(folder.ledger)


def test_a_link_left_in_a_run_is_not_written_through(run: tuple[RunFolder, Lock], tmp_path: Path) -> None:
    folder, lock = run
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in ("report.html", ".report.html.new"):
        (folder.path / name).unlink(missing_ok=True)
        os.symlink(victim, folder.path / name)
    write_report(folder, lock, instruments_of(lock))
    assert victim.read_text() == "mine"
    assert not folder.report_path.is_symlink()


def test_a_history_of_the_wrong_shape_is_named_by_line(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    path = segment_paths(folder.ledger)[0]
    sealed, _ = seal(genesis(lock.digest, path.name), encode({"kind": "wave", "data": []}))
    path.write_bytes(sealed)
    with pytest.raises(IntegrityError, match=r"0001\.jsonl line 1: not an event of ours"):
        History.read(folder.ledger, lock.digest, Meter(Budget()))


def test_files_that_nobody_sealed_are_named_and_fail_nothing(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    (folder.report_path).write_text("<h1>all is well</h1>")
    (folder.path / "reading-other.json").write_text("{}")
    (folder.ledger / "0001.jsonl.torn-7").write_text("half a line")
    report = audit_run(folder, lock)
    assert report.holds
    assert report.notes == [
        "report.html is not sealed and was not checked; assay report draws it anew",
        "torn tails that a resume cut off and kept, no part of the run: ledger/0001.jsonl.torn-7",
        "not sealed, and no part of the run: reading-other.json",
    ]


def test_a_pipe_in_place_of_a_reading_is_a_fault_and_is_not_waited_on(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    [reading] = folder.path.glob("reading-*.json")
    reading.unlink()
    os.mkfifo(reading)
    assert f"{reading.name}: not an ordinary file" in audit_run(folder, lock).faults


def test_a_limit_that_falls_nowhere_near_did_not_fall(tmp_path: Path) -> None:
    """Programs that pass quickly, recorded as time-outs: running them again shows that they were not."""
    folder, lock = _run(tmp_path, "reference:steady")
    assert audit_run(folder, lock).holds

    def change(_: int, event: Event) -> Event:
        if event["kind"] == "computed":
            none: Event = {
                "state": "not_run",
                "value": None,
                "exception": "",
                "message": "",
                "bases": [],
                "call": None,
            }
            out = {**none, "state": "timeout"}
            cases = [out, *[none] * (len(event["data"]["result"]["cases"]) - 1)]
            event["data"]["result"] = {"state": "timeout", "detail": "", "output": "", "cases": cases}
        return event

    _forge(folder, lock, change)
    report = audit_run(folder, lock)
    assert any("another result than was recorded" in fault for fault in report.faults)


def test_a_second_signer_is_a_fault_unless_both_are_named(
    run: tuple[RunFolder, Lock], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lock = run
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    _forge(folder, lock, lambda _, event: event)
    other = str(load_key().public_key.keyid)
    assert other != lock.keyid
    assert any(other[:16] in fault for fault in audit_run(folder, lock).faults)
    with pytest.raises(IntegrityError, match="signed"):
        folder.read_sealed()
    assert not audit_run(folder, lock, signers=[lock.keyid]).holds
    both = audit_run(folder, lock, signers=[lock.keyid, other])
    assert both.holds
    assert both.vouched
    assert folder.read_sealed([lock.keyid, other]).keyids == (other,)


def test_nobody_vouches_for_a_key_that_was_not_named(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    assert not audit_run(folder, lock).vouched
    assert audit_run(folder, lock, signers=[lock.keyid]).vouched


def _seal_all(folder: RunFolder, lock: Lock) -> None:
    for manifest in folder.ledger.glob("manifest-*"):
        manifest.unlink()
    paths = [folder.lock_path, folder.reading_path("repeatability"), folder.records_path("repeatability")]
    write_manifest(folder.ledger, lock.digest, {path.name: path for path in paths}, load_key())


def test_records_are_derived_again(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run
    path = folder.records_path("repeatability")
    whole = path.read_bytes()
    for altered in (whole.replace(b"wrong", b"right", 1), whole + whole.splitlines(keepends=True)[-1], b""):
        path.write_bytes(altered)
        _seal_all(folder, lock)
        assert any(path.name in fault for fault in audit_run(folder, lock).faults)
    path.write_bytes(whole)
    _seal_all(folder, lock)
    assert audit_run(folder, lock).holds


@pytest.mark.parametrize(
    ("field", "value"), [("begun", "2020-01-01T00:00:00+00:00"), ("efficiency", {"calls": 0}), ("more", 1)]
)
def test_the_envelope_is_derived_again(run: tuple[RunFolder, Lock], field: str, value: Any) -> None:
    folder, lock = run
    path = folder.reading_path("repeatability")
    reading = json.loads(path.read_bytes())
    reading["envelope"][field] = value
    path.write_bytes(encode(reading) + b"\n")
    _seal_all(folder, lock)
    assert [fault for fault in audit_run(folder, lock).faults if f"other {field}" in fault]


def test_a_clock_that_was_set_back_is_said(run: tuple[RunFolder, Lock]) -> None:
    folder, lock = run

    def change(_: int, event: Event) -> Event:
        return {**event, "at": event["at"] - 3600.0} if event["kind"] == "finished" else event

    _forge(folder, lock, change)
    envelope = folder.read_reading("repeatability").envelope
    assert envelope["ended"] < envelope["begun"]
    assert envelope["clock_set_back"] > 3500
    report = audit_run(folder, lock, signers=[lock.keyid])
    assert (report.holds, report.determination) == (True, "Contested (Evidence Insufficient)")
    assert [reason for reason in report.reasons if "set back" in reason] == report.reasons


def test_a_segment_without_an_end_is_refused(
    run: tuple[RunFolder, Lock], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sparse file costs its sender nothing; read as one line it would cost the reader all memory."""
    folder, lock = run
    monkeypatch.setattr("assay.evidence.chain.LONGEST", 1 << 20)
    read: list[int] = []
    with segment_paths(folder.ledger)[0].open("r+b") as file:
        file.truncate(1 << 26)
    lines = chain._lines

    def counted(file: BinaryIO) -> Iterator[bytes]:
        for line in lines(file):
            read.append(len(line))
            yield line

    monkeypatch.setattr(chain, "_lines", counted)
    assert audit_run(folder, lock).faults
    assert max(read) <= 1 << 20


def test_a_lock_file_that_is_a_link_is_not_followed(run: tuple[RunFolder, Lock], tmp_path: Path) -> None:
    folder, _ = run
    (folder.path / ".writer").unlink(missing_ok=True)
    (folder.path / ".writer").symlink_to(tmp_path / "made")
    with pytest.raises(InputError, match="cannot be written to"), folder:
        pass
    assert not (tmp_path / "made").exists()
