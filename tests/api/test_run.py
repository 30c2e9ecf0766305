"""`assay.run`: every way of naming a study, resuming, interrupts, what is refused and how."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
import yaml

import assay
from assay.api.declaration import declare
from assay.api.progress import RunProgress
from assay.api.worker_thread import run_apart
from assay.canonical import encode
from assay.errors import InputError, IntegrityError, RunStopped, SubjectRefused, UnknownName
from assay.study import write_lock
from assay.subjects.openai import OpenAISubject
from assay.vocabulary import Result

MUMBLER = "reference:mumbler"
STUDY = {"name": "ping", "subjects": [MUMBLER], "instruments": {"ping": {"trials": 3}}}


def result_of(run: Any, name: str = "ping") -> Result:
    found: Result = run.readings[name].result
    return found


def test_a_name_a_mapping_a_file_and_a_lock_run_the_same_study(here: Path) -> None:
    path = here / "study.yaml"
    path.write_text(yaml.safe_dump(STUDY))
    write_lock(declare(STUDY), here / "study.lock.json")
    runs = [
        assay.run("ping", subject=MUMBLER, trials=3, name="by-name"),
        assay.run(STUDY, name="by-mapping", report=False),
        assay.run(path, name="by-path", report=False),
        assay.run(here / "study.lock.json", name="by-lock", report=False),
    ]
    assert len({run.lock.digest for run in runs}) == 1
    assert len({encode(result_of(run)) for run in runs}) == 1
    assert [run.path for run in runs] == [
        Path("runs", f"by-{n}") for n in ("name", "mapping", "path", "lock")
    ]
    assert (runs[0].path / "report.html").is_file()


def test_it_runs_inside_a_running_event_loop(here: Path) -> None:
    async def cell() -> int:
        return result_of(assay.run("ping", subject=MUMBLER, quick=True, report=False)).measures[0].n

    assert asyncio.run(cell()) == 10


def test_a_budget_leaves_a_run_that_goes_on_by_its_folder_and_by_its_name(here: Path) -> None:
    given: dict[str, Any] = {"subject": MUMBLER, "trials": 6, "connections": 1, "name": "r"}
    with pytest.raises(RunStopped, match=r"calls.*assay\.run\('runs/r'\)"):
        assay.run("ping", budget={"calls": 2}, **given)
    stopped = assay.load("r")
    assert not stopped.finished
    assert str(stopped).endswith("\nProvisional (not finished: all)")
    assert stopped.replies().height == 2
    whole = assay.run("runs/r", budget="calls=100")
    assert whole.finished
    assert whole.replies()["trial"].n_unique() == whole.replies().height == 6
    assert assay.run("runs/r").replies().equals(whole.replies())
    with pytest.raises(InputError, match="another study"):
        assay.run("ping", **{**given, "trials": 7})


def test_the_same_call_under_the_same_name_goes_on_and_asks_nothing_again(here: Path) -> None:
    runs = [assay.run("ping", subject=MUMBLER, trials=4, name="r", report=False) for _ in range(2)]
    assert runs[0].replies().equals(runs[1].replies())
    assert [path.name for path in Path("runs/r/ledger").glob("*.jsonl")] == ["0001.jsonl"]


def test_a_finished_run_is_read_where_nothing_can_be_written(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = assay.run("ping", subject=MUMBLER, trials=3, name="x", report=False)

    real = os.open

    def refuse(path: Any, flags: int, *rest: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *rest)

    monkeypatch.setattr("assay.bench.folder.os.open", refuse)
    assert assay.run("runs/x", report=False).readings == made.readings
    with pytest.raises(InputError, match="cannot be written to: Permission denied"):
        assay.run("runs/x")  # its page is still to be drawn


@pytest.mark.parametrize("report", [True, False])
def test_a_closed_run_that_was_altered_is_refused_before_anything_is_asked(here: Path, report: bool) -> None:
    run = assay.run("ping", subject=MUMBLER, trials=3, name="x", report=False)
    ledger = run.path / "ledger"
    segment = ledger / "0001.jsonl"
    segment.write_bytes(segment.read_bytes()[: segment.stat().st_size // 2])
    before = {path: path.read_bytes() for path in ledger.iterdir()}
    with pytest.raises(IntegrityError, match="not what was signed: 0001"):
        assay.run("runs/x", report=report)
    assert {path: path.read_bytes() for path in ledger.iterdir()} == before


def test_runs_without_a_name_do_not_share_a_folder(here: Path) -> None:
    paths = {assay.run("ping", subject=MUMBLER, trials=1, report=False).path for _ in range(2)}
    assert len(paths) == 2


WAITING = """
import pathlib, time

def answer(messages):
    if pathlib.Path("begun").exists():
        while not pathlib.Path("go").exists():
            time.sleep(0.01)
    pathlib.Path("begun").touch()
    return "yes"
"""


def test_an_interrupt_leaves_a_run_that_goes_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "waiting_subject.py").write_text(WAITING)
    monkeypatch.syspath_prepend(here)
    module = importlib.import_module("waiting_subject")

    def interrupt(progress: RunProgress) -> None:
        if progress.done:
            Path("go").touch()
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as raised:
        assay.run("ping", subject=module.answer, trials=300, name="r", report=False, progress=interrupt)
    assert raised.value.__notes__ == ["What is recorded is safe. Go on with: assay.run('runs/r')"]
    before = assay.load("r")
    assert not before.finished
    assert before.lock.study.specs[0].subject == "python:waiting_subject:answer"
    assert 0 < before.replies().height < 300
    after = assay.run("runs/r", report=False)
    assert after.replies()["trial"].n_unique() == after.replies().height == 300


def test_a_second_interrupt_does_not_wait_for_the_clean_end() -> None:
    main = threading.main_thread().ident
    assert main is not None
    calls: list[str] = []

    def interrupt() -> None:
        raise KeyboardInterrupt

    def stop() -> None:  # asked to stop, it goes on: the user interrupts again
        calls.append("stop")
        signal.pthread_kill(main, signal.SIGINT)

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            calls.append("cancelled")

    with pytest.raises(KeyboardInterrupt):
        run_apart(for_ever, tick=interrupt, stop=stop)
    assert calls == ["stop", "cancelled"]


def test_an_interrupt_while_the_first_one_is_passed_on_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Interrupted(asyncio.SelectorEventLoop):
        def call_soon_threadsafe(self, *given: Any, **more: Any) -> asyncio.Handle:  # type: ignore[override]
            handle = super().call_soon_threadsafe(*given, **more)
            if threading.current_thread() is threading.main_thread() and not calls:
                calls.append("interrupted")
                raise KeyboardInterrupt
            return handle

    def interrupt() -> None:
        raise KeyboardInterrupt

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            calls.append("cancelled")

    monkeypatch.setattr("assay.api.worker_thread.asyncio.new_event_loop", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_apart(for_ever, tick=interrupt, stop=lambda: None)
    assert calls == ["interrupted", "cancelled"]


def test_progress_is_told_to_whoever_asks(here: Path) -> None:
    told: list[RunProgress] = []
    assay.run("ping", subject=MUMBLER, trials=7, report=False, progress=told.append)
    assert (told[-1].done, told[-1].planned, told[-1].calls) == (7, 7, 7)
    assert str(told[-1]).startswith("7/7 trials")


def test_a_display_that_fails_stops_the_run_cleanly(here: Path) -> None:
    def broken(_: RunProgress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        assay.run("ping", subject=MUMBLER, trials=3, name="r", report=False, progress=broken)
    assert assay.run("runs/r", report=False).finished


def test_an_endpoint_that_refuses_is_said_without_its_key(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: OpenAISubject) -> Any:
        raise SubjectRefused(f"wrong key {self.secrets()[0]}\x1b[31m") from ValueError(self.secrets()[0])

    monkeypatch.setenv("MY_KEY", "sk-very-secret-indeed")
    monkeypatch.setattr(OpenAISubject, "open", refuse)
    with pytest.raises(SubjectRefused, match="wrong key") as refused:
        assay.run("ping", subject="openai:m", key_env="MY_KEY", trials=2, name="r")
    told = "".join(traceback.format_exception(refused.value))
    assert "sk-very-secret-indeed" not in told
    assert "\x1b" not in told
    assert not (here / "runs/r").exists()


@pytest.mark.parametrize(
    ("study", "given", "message"),
    [
        ("pnig", {}, "did you mean 'ping'"),
        ("ping", {"trails": 3}, "trails is no option of assay.run, nor of ping; did you mean 'trials'"),
        ("ping", {"trials": "three"}, "trials"),
        ("ping", {"trials": 0}, "trials"),
        ("ping", {"boundary": "none"}, "boundary none: choose core or extended"),
        ("ping", {"connections": 0}, "connections 0: a whole number from 1 to 4096"),
        ("ping", {"budget": "calls=none"}, "budget calls=none: calls must be a whole number"),
        ("ping", {"budget": {"call": 3}}, "did you mean 'calls'"),
        ("ping", {"subject": lambda messages: "yes"}, "python:MODULE:NAME"),
        ("ping", {"subject": 3}, "not int"),
        ("ping", {"subject": {"subjct": "reference:mumbler"}}, "did you mean 'subject'"),
        ("ping", {"ping": 3}, "a mapping"),
        ("ping", {"name": "../out"}, "run name"),
        (["ping", "drill"], {"trials": 3}, "several instruments have it; write ping={'trials': …} or drill="),
        ({"instruments": {"ping": {}}, "subjcts": []}, {}, "did you mean 'subjects'"),
        ("nowhere.yaml", {}, "there is no file nowhere.yaml"),
        (3, {}, "not int"),
        (["ping", 3], {}, "not int"),
        ("", {}, "name a study (FILE.yaml) or an instrument"),
        ("runs/nowhere", {}, "there is nothing at runs/nowhere"),
        ("ping", {"progress": "yes"}, "progress: True, False or a function, not str"),
        ({"instruments": 3}, {"trials": 3}, "instruments: must be a mapping or a list"),
        ("ping", {"seed": "x"}, "seed: must be a whole number, not text"),
        ("ping", {"budget": 3}, "budget: a text or a mapping, not int"),
        ("ping", {"base_url": "http://x"}, "base_url goes with subjects at an endpoint"),
        ("ping", {"require": {"success": object()}}, "require: not plain data"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_nothing_is_left_behind(
    here: Path, study: Any, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as wrong:
        assay.run(study, **{"subject": MUMBLER, **given})
    assert message in str(wrong.value)
    assert not (here / "runs").exists()


def test_what_a_function_raised_is_among_the_replies(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("weak.py").write_text("def answer(messages):\n    raise ValueError('no such city')\n")
    monkeypatch.syspath_prepend(here)
    weak = importlib.import_module("weak")
    replies = assay.run("ping", subject=weak.answer, trials=2, report=False).replies()
    assert set(replies["fault"]) == {"subject_raised"}
    assert set(replies["detail"]) == {"ValueError: no such city"}
    assert replies["text"].null_count() == 2


def test_what_can_never_hold_is_warned_of_before_anything_is_asked(here: Path) -> None:
    given: dict[str, Any] = {"subject": "reference:steady", "contracts": "is_even", "repetitions": 5}
    with pytest.warns(UserWarning, match="can never hold with n = 5"), pytest.raises(RunStopped):
        assay.run("repeatability", require={"pass_rate": 0.9}, budget="calls=1", **given)


def test_a_run_goes_on_as_it_was_declared(here: Path) -> None:
    assay.run("ping", subject=MUMBLER, trials=1, name="r", report=False)
    for given in ({"seed": 3}, {"trials": 3}, {"subject": MUMBLER}):
        with pytest.raises(InputError, match="as it was declared"):
            assay.run("runs/r", **given)


def test_names_that_are_not_offered_are_no_attributes() -> None:
    assert {"audit", "load", "plan", "run", "score"} <= set(dir(assay))
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        assay.nothing_of_ours  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(UnknownName):
        assay.score("pnig", [])
