"""An endpoint that fails in every way there is: the run ends, each fault is counted by name, nothing is made up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.bench import RunFolder
from assay.errors import SubjectRefused
from assay.evidence import LedgerIndex
from assay.study import Limits, Lock, Study
from assay.testing.stub import KINDS, Fault, Faults, Stats, answerer, stub_process
from tests.subjects.certificates import authority, certificate, tls_server
from tests.support import audit_run, begin, go, ledger_events, stub_spec

LIMITS = Limits(call_seconds=300.0, tries=8)
IMPATIENT = Limits(
    call_seconds=5.0, tries=30
)  # a hang costs so much; a reply that took as long would be miscounted
TRIALS = 60


class Kind(NamedTuple):
    """What becomes of a kind of fault: the name it is counted under, and what it may turn a reply into."""

    counted: str | None = None
    excluded: bool = False  # no retry helps: the trial is lost, under the same name
    text: Callable[[str], str] = str


# 401, 404 and an echoed key in a 401 end the session; they have a test of their own.
KIND = {
    **{f"http_{status}": Kind(f"http_{status}") for status in (429, 500, 502, 503, 504)},
    "http_400": Kind("http_400", excluded=True),
    "reset": Kind("reset"),
    "close_before_reply": Kind("disconnected"),
    "hang": Kind("timeout"),
    "slow": Kind(),
    "slow_body": Kind(),
    "malformed_json": Kind("malformed_json"),
    "truncated_json": Kind("truncated_body"),
    "wrong_content_type": Kind("wrong_content_type"),
    "empty_choices": Kind("empty_choices"),
    "no_choices": Kind("wrong_shape"),
    "null_content": Kind(text=lambda text: ""),
    "huge_body": Kind("oversized_body", excluded=True),
    "wrong_encoding": Kind("wrong_encoding"),
    "lone_surrogate": Kind(text=lambda text: "\ufffd" + text),
    "echo_key": Kind("http_500"),
    "content_filter": Kind(text=lambda text: ""),
    "length": Kind(text=lambda text: text[: len(text) // 2]),
    "chunked": Kind(),
    "gzip": Kind(),
    "nul_bytes": Kind("malformed_json"),
    "deep_json": Kind("too_deep"),
    "wrong_shape": Kind("wrong_shape"),
    "double_header": Kind("malformed_http"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "hang": {"rate": 0.04},
    "slow": {"seconds": 0.05},
    "slow_body": {"seconds": 0.05},
    "huge_body": {"size": 50_000_000},
    "echo_key": {"form": "500"},
    "nul_bytes": {"form": "raw"},
    "double_header": {"form": "conflict"},
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.bench.caller.FIRST_WAIT", 0.005)
    monkeypatch.setattr("assay.bench.caller.LONGEST_WAIT", 0.05)


def _begin(root: Path, url: str, trials: int, limits: Limits = LIMITS) -> tuple[RunFolder, Lock]:
    study = Study(
        subjects=(stub_spec(url, connections=16),), instruments={"ping": {"trials": trials}}, limits=limits
    )
    return begin(root, study)


def _counted(folder: RunFolder) -> dict[str, int]:
    reading = json.loads(folder.reading_path("ping").read_bytes())
    faults: dict[str, int] = reading["envelope"]["efficiency"]["faults"]
    return faults


def _replies(folder: RunFolder, lock: Lock) -> dict[str, tuple[str, str]]:
    """Scored trial → the text in the ledger, and the text the stub answers to what was sent."""
    answer = answerer("digest")
    index = LedgerIndex(folder.ledger, lock.digest)
    index.refresh()
    found = {}
    for trial in index.trials():
        [events] = index.attempts(trial).values()
        [sent] = [event.data["wire"] for event in events if event.kind == "sent"]
        [received] = [event.data for event in events if event.kind == "received"]
        [end] = [event.data for event in events if event.kind == "end"]
        if end["outcome"] == "excluded":
            assert "reply" not in received
            assert end["reason"] == received["fault"]
        else:
            found[trial] = (received["reply"]["text"], answer(sent))
    index.close()
    return found


def _holds(folder: RunFolder, lock: Lock, trials: int) -> Counter[str]:
    """What must be so whatever happened; returns the outcomes."""
    ends = [event for event in ledger_events(folder) if event["kind"] == "end"]
    assert len(ends) == len({end["trial"] for end in ends}) == trials
    report = audit_run(folder, lock)
    assert report.holds, report.faults
    return Counter(end["data"]["outcome"] for end in ends)


def test_every_kind_of_fault_has_its_row_here() -> None:
    assert {*KIND, "http_401", "http_404", "redirect"} == set(KINDS)


@pytest.mark.parametrize("kind", KIND)
def test_a_run_ends_whatever_fault_the_endpoint_has(tmp_path: Path, kind: Any) -> None:
    row = KIND[kind]
    plan = Faults((Fault(**{"kind": kind, "rate": 0.3, **SETTINGS.get(kind, {})}),), seed=1)
    with stub_process(faults=plan) as stub:
        folder, lock = _begin(tmp_path, stub.url, TRIALS, IMPATIENT if kind == "hang" else LIMITS)
        assert go(folder, lock)
        stats = stub.stats()
    happened = stats.faults[kind]
    assert happened
    assert _counted(folder) == ({row.counted: happened} if row.counted else {})
    outcomes = _holds(folder, lock, TRIALS)
    assert outcomes["excluded"] == (happened if row.excluded else 0)
    replies = _replies(folder, lock)
    assert len(replies) == TRIALS - outcomes["excluded"]
    changed = 0
    for text, said in replies.values():
        assert text in (said, row.text(said))
        changed += text != said
    assert changed == (happened if row.text("long enough") != "long enough" else 0)
    assert stats.requests == len(replies) + sum(_counted(folder).values())


@pytest.mark.parametrize(
    ("kind", "form"), [("http_401", None), ("http_404", None), ("echo_key", "401"), ("redirect", None)]
)
def test_a_refusal_ends_the_session_and_the_run_goes_on_when_it_is_over(
    tmp_path: Path, kind: Any, form: str | None
) -> None:
    with stub_process(faults=Faults((Fault(kind, until=5, form=form),))) as stub:
        folder, lock = _begin(tmp_path, stub.url, TRIALS)
        for _ in range(6):
            try:
                assert go(folder, lock)
                break
            except SubjectRefused:
                assert ledger_events(folder)[-1]["kind"] == "stopped"
        assert stub.stats().faults == {kind: 5}
    assert _holds(folder, lock, TRIALS) == {"success": TRIALS}
    assert all(text == said for text, said in _replies(folder, lock).values())


def test_a_certificate_that_is_not_accepted_loses_no_trial(tmp_path: Path) -> None:
    signer, _ = authority(tmp_path)
    with tls_server(certificate(tmp_path, "self-signed", signer)) as url:
        folder, lock = _begin(tmp_path, url, TRIALS)
        with pytest.raises(SubjectRefused, match="is self-signed"):
            go(folder, lock)
    events = ledger_events(folder)
    assert "end" not in {event["kind"] for event in events}
    assert events[-1]["kind"] == "stopped"
    assert "is self-signed" in events[-1]["data"]["reason"]


def _storm_counts(stats: Stats) -> Counter[str]:
    expected: Counter[str] = Counter()
    for kind, happened in stats.faults.items():
        if (counted := KIND[kind].counted) is not None:
            expected[counted] += happened
    return expected


@pytest.mark.slow
def test_a_storm_costs_time_and_nothing_else(tmp_path: Path) -> None:
    with stub_process(faults=Faults.storm(0.6, seed=2)) as stub:
        folder, lock = _begin(tmp_path, stub.url, 150, IMPATIENT)
        assert go(folder, lock)
        stats = stub.stats()
    assert set(stats.faults) == {fault.kind for fault in Faults.storm().plan}
    assert _holds(folder, lock, 150) == {"success": 150}
    assert all(text == said for text, said in _replies(folder, lock).values())
    assert _counted(folder) == _storm_counts(stats)


@pytest.mark.proof
def test_two_thousand_trials_in_a_storm_of_every_kind(tmp_path: Path) -> None:
    """60 % of all calls fail, in every way but those that refuse us, and replies of every odd form between them."""
    few = {"hang": 0.003, "huge_body": 0.003}
    rate = (0.6 - sum(few.values())) / (len(KIND) - len(few))
    plan = tuple(
        Fault(**{**SETTINGS.get(kind, {}), "kind": kind, "rate": few.get(kind, rate)}) for kind in KIND
    )
    trials = 2000
    with stub_process(faults=Faults(plan, seed=3)) as stub:
        folder, lock = _begin(tmp_path, stub.url, trials, IMPATIENT)
        assert go(folder, lock)
        stats = stub.stats()
    assert set(stats.faults) == set(KIND)
    assert _counted(folder) == _storm_counts(stats)
    lost = sum(stats.faults[kind] for kind, row in KIND.items() if row.excluded)
    outcomes = _holds(folder, lock, trials)
    assert outcomes["excluded"] == lost
    replies = _replies(folder, lock)
    assert len(replies) == trials - lost
    for text, said in replies.values():
        assert text in {row.text(said) for row in KIND.values()}
