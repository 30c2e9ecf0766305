"""Lost trials are asked again where later waves only computed: those are withdrawn and drawn up anew."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.bench import Meter, RunFolder, Runner
from assay.bench.history import History
from assay.bench.prepare import instruments_of, subjects_of
from assay.canonical import encode
from assay.errors import InputError
from assay.evidence.chain import genesis, seal
from assay.evidence.ledger import segment_paths
from assay.evidence.manifest import manifest_paths
from assay.evidence.trial_reader import TrialReader
from assay.report.publish import publish
from assay.study import Budget, Lock, Study
from assay.testing.stub import Faults, StubProcess, stub_process
from tests.support import audit_run, begin, go, ledger_events, stub_spec

Event = dict[str, Any]
CASES = [{"args": [2], "expected": 4}, {"args": [-3], "expected": -6}]
CONTRACT = {"prompt": "Double n.", "entry_point": "solve", "kind": "function", "test_cases": CASES}
LOST = 1  # the first request: the canon of its cell is another one without it


def _study(root: Path, url: str) -> Study:
    (root / "mine.json").write_text(json.dumps({"one": CONTRACT, "two": {**CONTRACT, "prompt": "Twice n."}}))
    options = {"contracts_file": "mine.json", "repetitions": 4, "temperatures": [0.2, 0.7]}
    return Study(
        name="doubling", subjects=(stub_spec(url, connections=1),), instruments={"repeatability": options}
    )


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProcess]:
    """Four ways to double a number, by the request: the same trial is always answered alike."""
    with stub_process(answer="code:4", faults=Faults.of(http_400=1.0, until=LOST)) as process:
        yield process


@pytest.fixture(scope="module")
def partial(stub: StubProcess, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A closed run that lost a trial of one stratum, and whose repairs were drawn up without it."""
    root = tmp_path_factory.mktemp("partial")
    folder, lock = begin(root, _study(root, stub.url))
    assert go(folder, lock)
    assert [one["count"] for one in _result(folder)["excluded"]] == [LOST]
    return folder


@pytest.fixture(scope="module")
def whole(stub: StubProcess, partial: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The same study at the same endpoint, which by now loses nothing."""
    root = tmp_path_factory.mktemp("whole")
    folder, lock = begin(root, _study(root, stub.url))
    assert go(folder, lock)
    return folder


@pytest.fixture(scope="module")
def completed(stub: StubProcess, partial: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The partial run after its lost trial was asked again."""
    folder = _copy(partial, tmp_path_factory.mktemp("completed"))
    asked = stub.stats().requests
    assert _again(folder)
    assert stub.stats().requests == asked + LOST
    return folder


def _copy(folder: RunFolder, root: Path) -> RunFolder:
    return RunFolder(Path(shutil.copytree(folder.path, root / "run")))


def _again(folder: RunFolder, *, close: bool = True) -> bool:
    lock = folder.read_lock()

    async def session() -> bool:
        meter = Meter(Budget())
        return await Runner(
            lock, folder, instruments_of(lock), subjects_of(lock), meter=meter, retry=()
        ).run()

    finished = asyncio.run(session())
    if finished and close:
        publish(folder, lock, instruments_of(lock))
    return finished


def _result(folder: RunFolder) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(folder.reading_path("repeatability").read_bytes())["result"]
    return found


def _same_reading(one: RunFolder, other: RunFolder) -> None:
    """But for what says that trials were asked again."""
    first, second = ({**_result(folder), "notes": [], "flags": []} for folder in (one, other))
    assert first == second


def _repairs(events: list[Event]) -> list[Event]:
    return [e for e in events if e["kind"] == "end" and e["data"]["wave"] == 1]


def _holds(folder: RunFolder) -> None:
    report = audit_run(folder, folder.read_lock())
    assert report.holds, report.faults


def test_all_repetitions_count_and_the_reading_is_that_of_a_run_that_lost_nothing(
    completed: RunFolder, whole: RunFolder, partial: RunFolder
) -> None:
    result = _result(completed)
    assert result["excluded"] == []
    assert {m["n"] for m in result["measures"] if m["name"] == "pass_rate"} == {4}
    assert result["notes"][-1] == "1 trial was asked again after a loss (http_400 1)"
    _same_reading(completed, whole)
    assert (
        completed.records_path("repeatability").read_bytes()
        == whole.records_path("repeatability").read_bytes()
    )
    kept = completed.path / "earlier/0001/reading-repeatability.json"
    assert kept.read_bytes() == partial.reading_path("repeatability").read_bytes()
    assert len(manifest_paths(completed.ledger)) == 2
    assert {path.name for path in (whole.path / "canons").iterdir()} <= {
        path.name for path in (completed.path / "canons").iterdir()
    }


def test_the_audit_replays_what_was_withdrawn_and_counts_what_counts(completed: RunFolder) -> None:
    report = audit_run(completed, completed.read_lock())
    assert report.holds, report.faults
    assert report.trials == len(list(_reader(completed)))
    assert any("were withdrawn: trials of wave 0 are asked again" in note for note in report.notes)


def test_the_ledger_says_what_was_withdrawn_and_keeps_it(completed: RunFolder, partial: RunFolder) -> None:
    events = ledger_events(completed)
    [withdrawn] = [e["data"] for e in events if e["kind"] == "withdrawn"]
    assert withdrawn == {
        "instrument": "repeatability",
        "stratum": "one",
        "number": 1,
        "because": "trials of wave 0 are asked again",
    }
    before = ledger_events(partial)
    assert events[: len(before)] == before
    later = events[len(before) :]
    assert [e["kind"] for e in later][:3] == ["run", "withdrawn", "retried"]
    assert {e["data"]["stratum"] for e in later if e["kind"] in ("wave", "end", "closed")} == {"one"}


def test_every_trial_is_shown_once_and_only_those_that_count(completed: RunFolder, whole: RunFolder) -> None:
    shown = [trial.read() for trial in _reader(completed)]
    assert len({log.id for log in shown}) == len(shown)
    assert all(log.end is not None and log.end.outcome != "excluded" for log in shown)
    assert len(shown) == len(list(_reader(whole))) == _reader(completed).planned()
    lock = completed.read_lock()
    history = History.read(completed.ledger, lock.digest, Meter(Budget()), repair=False)
    assert (len(history.finished), len(history.begun)) == (len(shown), 0)
    [fault] = history.listed_faults(lock)
    assert (fault.count, fault.trials, fault.lost, fault.of) == (LOST, 0, 0, len(shown))


def test_a_repair_that_is_drawn_up_again_is_computed_in_a_new_attempt(
    completed: RunFolder, partial: RunFolder
) -> None:
    """One cell has another canon now, so that its repairs are others; the other cell has the same ones."""
    before = [e["trial"] for e in _repairs(ledger_events(partial)) if e["data"]["stratum"] == "one"]
    reader = _reader(completed)
    shown = {log.id: log for log in (trial.read() for trial in reader)}
    again, gone = [t for t in before if t in shown], [t for t in before if t not in shown]
    assert again
    assert gone
    for trial in again:
        assert shown[trial].counting == 1
        assert set(reader.find(trial).attempts) == {0, 1}
        assert reader.find(trial).counting == 1
    for trial in gone:
        found = reader.find(trial)
        assert (found.counting, found.withdrawn) == (None, True)


def _reader(folder: RunFolder) -> TrialReader:
    return TrialReader(folder.ledger, folder.read_lock().digest)


@pytest.mark.slow
@pytest.mark.parametrize("last", ["run", "withdrawn", "retried", "computed"])
def test_killed_at_any_moment_it_goes_on(
    stub: StubProcess, partial: RunFolder, whole: RunFolder, tmp_path: Path, last: str
) -> None:
    folder = _copy(partial, tmp_path)
    assert _again(folder, close=False)
    path = segment_paths(folder.ledger)[-1]
    lines = path.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["event"]["kind"] for line in lines]
    keep = len(kinds) - kinds[::-1].index(last)
    path.write_bytes(b"".join(lines[:keep]) + lines[keep][:40])
    asked = stub.stats().requests
    assert go(folder, folder.read_lock())
    assert stub.stats().requests - asked == (0 if last == "computed" else LOST)
    _same_reading(folder, whole)
    _holds(folder)


@pytest.mark.slow
def test_stopped_in_the_middle_of_the_repairs_what_was_begun_is_withdrawn_too(
    partial: RunFolder, whole: RunFolder, tmp_path: Path
) -> None:
    folder = _copy(partial, tmp_path)
    for path in manifest_paths(folder.ledger):
        path.unlink()
    (path,) = segment_paths(folder.ledger)
    lines = path.read_bytes().splitlines(keepends=True)
    events = [json.loads(line)["event"] for line in lines]
    first = _repairs(events)[0]
    assert first["data"]["stratum"] == "one"
    keep = next(
        n for n, e in enumerate(events) if e.get("trial") == first["trial"] and e["kind"] == "computed"
    )
    path.write_bytes(b"".join(lines[: keep + 1]))
    assert _again(folder)
    [withdrawn] = [e["data"] for e in ledger_events(folder) if e["kind"] == "withdrawn"]
    assert withdrawn["unfinished"] == [first["trial"]]
    _same_reading(folder, whole)
    _holds(folder)
    assert all(trial.end is not None for trial in _reader(folder))


def test_a_lost_repair_of_a_withdrawn_wave_is_not_asked_again_by_itself(
    partial: RunFolder, whole: RunFolder, tmp_path: Path
) -> None:
    folder, lock = _copy(partial, tmp_path), partial.read_lock()
    for manifest in manifest_paths(folder.ledger):
        manifest.unlink()
    lost = _repairs(ledger_events(folder))[0]["trial"]

    def lose(event: Event) -> Event:
        if event["kind"] == "end" and event["trial"] == lost:
            event["data"] |= {"outcome": "excluded", "reason": "sandbox_lost"}
        return event

    (path,) = segment_paths(folder.ledger)
    _write(path, lock, [lose(json.loads(line)["event"]) for line in path.read_bytes().splitlines()])
    assert _again(folder)
    events = ledger_events(folder)
    assert {e["data"]["after"] for e in events if e["kind"] == "retried"} == {"http_400"}
    assert [e["data"]["retry"]["trials"] for e in events if "retry" in (e.get("data") or {})] == [LOST]
    _same_reading(folder, whole)
    history = History.read(folder.ledger, lock.digest, Meter(Budget()), repair=False)
    assert [(one.fault, one.lost) for one in history.listed_faults(lock)] == [
        ("http_400", 0),
        ("sandbox_lost", 0),
    ]


@pytest.mark.slow
def test_what_is_lost_again_is_asked_a_third_time_and_repairs_are_withdrawn_twice(tmp_path: Path) -> None:
    loses_two_then_one = Faults.of(http_400=0.15, seed=18)
    with stub_process(answer="code:4", faults=loses_two_then_one) as stub:
        folder, lock = begin(tmp_path, _study(tmp_path, stub.url))
        assert go(folder, lock)
        sessions = 0
        while _result(folder)["excluded"]:
            assert _again(folder)
            sessions += 1
    assert sessions == 2
    withdrawn = [e["data"]["stratum"] for e in ledger_events(folder) if e["kind"] == "withdrawn"]
    assert withdrawn == ["one", "two", "two"]
    assert len({trial.id for trial in _reader(folder)}) == len(list(_reader(folder)))
    _holds(folder)


def test_a_later_wave_that_was_asking_is_not_withdrawn(tmp_path: Path) -> None:
    """Nor is one that had only begun to."""
    with stub_process(faults=Faults.of(http_400=1.0, until=1)) as stub:
        options = {"trials": 1, "turns": 1, "strata": ["north"]}
        study = Study(subjects=(stub_spec(stub.url, connections=1),), instruments={"drill": options})
        folder, lock = begin(tmp_path, study)
        assert go(folder, lock)
        with pytest.raises(InputError, match="wave 1 was drawn up"):
            _again(folder)
        for manifest in manifest_paths(folder.ledger):
            manifest.unlink()
        (path,) = segment_paths(folder.ledger)
        lines = path.read_bytes().splitlines(keepends=True)
        kinds = [json.loads(line)["event"]["kind"] for line in lines]
        opened = [n for n, kind in enumerate(kinds) if kind == "wave"][1]
        path.write_bytes(b"".join(lines[: kinds.index("sent", opened) + 1]))
        with pytest.raises(InputError, match="wave 1 was drawn up"):
            _again(folder)


# What somebody who holds the key could try: alter the events and hash the chain anew.


def _forge(folder: RunFolder, change: Callable[[Event], Event | None]) -> list[str]:
    """Change events (None drops one), hash the chain anew, and see what an audit finds."""
    lock = folder.read_lock()
    for path in segment_paths(folder.ledger):
        _write(path, lock, [change(json.loads(line)["event"]) for line in path.read_bytes().splitlines()])
    return [fault for fault in audit_run(folder, lock).faults if "signed" not in fault]


def _write(path: Path, lock: Lock, events: list[Event | None]) -> None:
    head, lines = genesis(lock.digest, path.name), []
    for event in events:
        if event is not None:
            sealed, head = seal(head, encode(event))
            lines.append(sealed)
    path.write_bytes(b"".join(lines))


def _without(kind: str) -> Callable[[Event], Event | None]:
    return lambda event: None if event["kind"] == kind else event


def test_a_withdrawal_without_a_trial_that_is_asked_again_is_found(
    completed: RunFolder, tmp_path: Path
) -> None:
    faults = _forge(_copy(completed, tmp_path), _without("retried"))
    assert any("lost trials that were to be asked again were not" in fault for fault in faults)


def test_a_withdrawal_that_no_session_was_to_make_is_found(completed: RunFolder, tmp_path: Path) -> None:
    def change(event: Event) -> Event | None:
        if event["kind"] == "run":
            event["data"].pop("retry", None)
        return event

    faults = _forge(_copy(completed, tmp_path), change)
    assert any("no trial of the wave before it is asked again" in fault for fault in faults)


def test_waves_that_were_drawn_up_anew_and_not_withdrawn_are_found(
    completed: RunFolder, tmp_path: Path
) -> None:
    faults = _forge(_copy(completed, tmp_path), _without("withdrawn"))
    assert any("it is not the last one" in fault for fault in faults)


def test_a_withdrawn_attempt_that_counts_all_the_same_is_found(completed: RunFolder, tmp_path: Path) -> None:
    repairs = {e["trial"] for e in _repairs(ledger_events(completed)) if e.get("attempt")}

    def change(event: Event) -> Event | None:
        if event.get("trial") in repairs:
            event.pop("attempt", None)
        return event

    faults = _forge(_copy(completed, tmp_path), change)
    assert any("an attempt that was withdrawn goes on" in fault for fault in faults)


def test_a_withdrawn_repair_that_never_was_is_found(completed: RunFolder, tmp_path: Path) -> None:
    """What does not count any more has to have happened as it is recorded, too."""
    first = _repairs(ledger_events(completed))[0]["trial"]

    def change(event: Event) -> Event | None:
        mine = event.get("trial") == first and not event.get("attempt")
        if mine and event["kind"] == "end":
            event["data"]["outcome"] = "failure"
        return event

    faults = _forge(_copy(completed, tmp_path), change)
    assert any(fault.startswith(f"trial {first[:12]}") and "recorded as failure" in fault for fault in faults)


def test_a_withdrawal_that_hides_a_trial_of_another_stratum_is_found(
    completed: RunFolder, tmp_path: Path
) -> None:
    hidden = next(e for e in _repairs(ledger_events(completed)) if e["data"]["stratum"] == "two")

    def change(event: Event) -> Event | None:
        if event["kind"] == "withdrawn":
            event["data"]["unfinished"] = [hidden["trial"]]
        return event

    faults = _forge(_copy(completed, tmp_path), change)
    assert any("withdrawn as unfinished" in fault for fault in faults)


def test_withdrawing_a_wave_that_asked_is_found(tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_400=1.0, until=1)) as stub:
        options = {"trials": 1, "turns": 1, "strata": ["north"]}
        study = Study(subjects=(stub_spec(stub.url, connections=1),), instruments={"drill": options})
        folder, lock = begin(tmp_path, study)
        assert go(folder, lock)
    [lost] = [e for e in ledger_events(folder) if e.get("data", {}).get("outcome") == "excluded"]
    withdrawn = {"instrument": "drill", "stratum": "north", "number": 1, "because": "better luck"}
    events: list[Event | None] = [
        {"kind": "run", "at": 9.0, "data": {"lock": lock.digest, "retry": {"faults": [], "trials": 1}}},
        {"kind": "withdrawn", "at": 9.0, "data": withdrawn},
        {"kind": "retried", "at": 9.0, "trial": lost["trial"], "ordinal": lost["ordinal"] + 1, "data": {}},
    ]
    _write(folder.ledger / "0002.jsonl", lock, events)
    faults = audit_run(folder, lock).faults
    assert any("not all that was done there can be computed anew" in fault for fault in faults)
