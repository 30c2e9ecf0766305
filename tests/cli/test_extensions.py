"""What an instrument or an adapter does wrong is told under its own name, where it can be before anything is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from assay_drill.ping import Ping

from assay.bench import RunFolder
from assay.subjects.reference import ReferenceSubject
from assay.vocabulary import Reply
from tests.support import ledger_events

from .conftest import Assay

RUN = ("run", "ping", "-s", "reference:mumbler", "--quick", "--name", "r")
SEE = "; set ASSAY_TRACEBACK=1 and run it again to see where\n"
_trials, _score, _rows = Ping.trials, Ping.score, Ping.rows


def giving(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def raising(*_: Any, **__: Any) -> Any:
    raise KeyError("oops")


async def araising(*_: Any, **__: Any) -> Any:
    raise KeyError("oops")


def twice(self: Ping, lock: Any, evidence: Any) -> Any:
    for trial in _trials(self, lock, evidence):
        yield trial
        yield trial


def again(self: Ping, lock: Any, evidence: Any) -> Any:
    first: Any = SimpleNamespace(waves=(), stratum=evidence.stratum)
    return _trials(self, lock, first)


def of_another(self: Ping, lock: Any, evidence: Any) -> Any:
    return (msgspec.structs.replace(trial, version="9") for trial in _trials(self, lock, evidence))


def not_a_number(self: Ping, evidence: Any) -> Any:
    found = _score(self, evidence)
    measures = tuple(msgspec.structs.replace(one, value="high") for one in found.measures)
    return msgspec.structs.replace(found, measures=measures)


BEFORE = {  # what is done wrong, and what is said; nothing has been asked by then
    ("prepare", raising): "the instrument ping failed in prepare (KeyError: 'oops')",
    ("prepare", giving(None)): "failed in prepare (TypeError: it gives NoneType, not Prepared)",
    ("strata", raising): "failed in strata (KeyError: 'oops')",
    ("strata", giving("all")): "failed in strata (TypeError: strata are a list of texts)",
    ("strata", giving([1])): "failed in strata (TypeError: strata are a list of texts)",
    ("strata", giving(["a", "a"])): "failed in strata (ValueError: it names a stratum twice)",
    ("trials", raising): "failed in trials (KeyError: 'oops')",
    ("trials", giving(["trial"])): "failed in trials (TypeError: it yields str, not Trial)",
    ("trials", of_another): "failed in trials (ValueError: it yields a trial of 'ping', version '9')",
    ("trials", twice): "failed in trials: it yields trial",
}
AFTER = {
    ("trials", again): "failed in trials: wave 1 of",
    ("score", raising): "failed in score (KeyError: 'oops')",
    ("score", giving(None)): "failed in score (TypeError: it gives NoneType, not Result)",
    ("score", not_a_number): "failed in score (ValidationError: Expected `float | null`, got `str`",
    ("rows", raising): "failed in rows (KeyError: 'oops')",
    (
        "rows",
        giving([{"what": object()}]),
    ): "failed in rows (TypeError: a field is a text, a number, yes or no",
    ("attachments", giving({"a/b": "text"})): "failed in attachments (TypeError",
}


@pytest.mark.parametrize(("part", "wrong"), BEFORE)
def test_an_instrument_that_breaks_its_contract_is_named_before_anything_is_asked(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, wrong: Any
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(ReferenceSubject, "call", lambda self, *a: asked.append(a))
    monkeypatch.setattr(Ping, part, wrong)
    ended = assay(*RUN)
    assert (ended.code, ended.out, asked) == (70, "", [])
    assert BEFORE[part, wrong] in ended.err
    assert ended.err.endswith(SEE)


@pytest.mark.parametrize(("part", "wrong"), AFTER)
def test_an_instrument_that_fails_after_the_run_publishes_nothing_and_can_be_put_right(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, wrong: Any
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Ping, part, wrong)
        ended = assay(*RUN)
    assert ended.code == 70
    assert AFTER[part, wrong] in ended.err
    assert not list((tmp_path / "runs/r/ledger").glob("manifest-*"))
    assert assay("resume", "r").code == 0
    assert assay("audit", "r").code == 0


@pytest.mark.parametrize(
    "name", ["../../evil", "/tmp/evil", "ledger/0002.jsonl", "lock.json", "report.html/x", "reading-x.json"]
)
def test_an_attachment_stays_in_the_run_s_folder_and_replaces_nothing_of_it(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Ping, "attachments", giving({name.replace("/tmp", str(tmp_path)): b"x"}))
        ended = assay(*RUN)
    assert ended.code == 2
    assert "an attachment " in ended.err
    assert not (tmp_path / "evil").exists()
    assert assay("resume", "r").code == 0
    assert assay("audit", "r").code == 0


async def concludes_wrongly(self: Ping, trial: Any, probe: Any) -> None:
    probe.conclude("great")


async def cancels_itself(self: Ping, trial: Any, probe: Any) -> None:
    raise asyncio.CancelledError


async def leaves(self: Ping, trial: Any, probe: Any) -> None:
    raise SystemExit(5)


async def reports_an_object(self: Ping, trial: Any, probe: Any) -> None:
    probe.conclude("success", "", {"what": object()})


@pytest.mark.parametrize(
    ("conduct", "code", "said"),
    [
        (concludes_wrongly, 70, "'great' is no outcome; known: success, failure, unknown, excluded"),
        (cancels_itself, 70, "the instrument ping failed in conduct (CancelledError)"),
        (leaves, 70, "the instrument ping failed in conduct (SystemExit: 5)"),
        (reports_an_object, 2, " of ping: a value of type object cannot be recorded"),
    ],
)
def test_a_trial_that_goes_wrong_is_named_and_leaves_the_ledger_whole(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conduct: Any, code: int, said: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Ping, "conduct", conduct)
        ended = assay(*RUN)
    assert ended.code == code
    assert "assay: trial " in ended.err
    assert said in ended.err
    assert assay("resume", "r").code == 0
    assert assay("audit", "r").code == 0


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        ("__init__", raising, "the adapter for 'reference' subjects failed in its constructor (KeyError: 'oops')"),
        ("open", araising, "the subject reference:mumbler failed in open (KeyError: 'oops')"),
        ("wire", raising, "the subject reference:mumbler failed in wire (KeyError: 'oops')"),
        ("wire", giving(None), "failed in wire (TypeError: it gives NoneType, not a dict)"),
        ("call", araising, "the subject reference:mumbler failed in call (KeyError: 'oops')"),
    ],
)  # fmt: skip
def test_an_adapter_that_breaks_its_contract_is_named_and_not_the_instrument(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, part: str, wrong: Any, said: str
) -> None:
    monkeypatch.setattr(ReferenceSubject, part, wrong)
    ended = assay(*RUN)
    assert (ended.code, ended.out) == (70, "")
    assert said in ended.err
    assert ended.err.endswith(SEE)


@pytest.mark.parametrize("reply", [None, "text", Reply(None)])  # type: ignore[arg-type]
def test_what_is_no_reply_is_not_recorded(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Any
) -> None:
    async def call(*_: Any) -> Any:
        return reply

    monkeypatch.setattr(ReferenceSubject, "call", call)
    ended = assay(*RUN)
    assert ended.code == 70
    assert "failed in call (TypeError: it gives " in ended.err
    assert not [e for e in ledger_events(RunFolder(tmp_path / "runs/r")) if e["kind"] == "received"]


def test_an_adapter_that_lets_no_call_through_is_refused(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ReferenceSubject.__init__

    def none(self: Any, spec: Any) -> None:
        made(self, spec)
        self.connections = 0

    monkeypatch.setattr(ReferenceSubject, "__init__", none)
    ended = assay(*RUN)
    assert ended.code == 2
    assert "has 0 connections; at least 1" in ended.err


@pytest.mark.parametrize(("part", "value"), [("name", "pong"), ("version", 1)])
def test_an_instrument_is_known_by_the_name_of_its_entry_point_and_a_version_in_text(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, part: str, value: Any
) -> None:
    monkeypatch.setattr(Ping, part, value)
    ended = assay(*RUN)
    assert ended.code == 2
    assert "the name is that of the entry point, and the version a text" in ended.err


def test_a_run_is_scored_once_for_its_reading_its_records_and_its_report(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[str] = []

    def counting(self: Ping, evidence: Any) -> Any:
        scored.append(evidence.instrument)
        return _score(self, evidence)

    monkeypatch.setattr(Ping, "score", counting)
    assert assay(*RUN).code == 0
    assert scored == ["ping"]
