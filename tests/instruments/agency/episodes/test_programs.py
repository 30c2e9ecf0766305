"""Only families that want programs run need the sandbox: the others are measured on any machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.bench.instrument import runs_code
from assay.bench.prepare import instruments_of
from assay.cli.session import run_session
from assay.errors import SandboxUnavailable
from assay.report.publish import score_run
from assay.study import Lock, Study
from assay.worlds import all_families
from assay.worlds.model import Effect, Program, Task
from tests.support import begin, go
from tests.worlds.counter import Button, Counter

PROGRAM = Program(source="def f(): return 1\n", entry_point="f", cases=({"args": []},))


def study(*families: str, level: int = 1) -> Study:
    chosen = {
        "families": list(families),
        "levels": [level],
        "instances": 2,
        "robustness_instances": 1,
        "regimes": ["Baseline", "Moderate-Standard"],
    }
    return Study(name="c", subjects=("reference:solver",), instruments={"agency": chosen})


def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*, allow_unconfined_code: bool = False) -> Any:
        raise SandboxUnavailable("there is none here")

    monkeypatch.setattr("assay.sandbox.sandbox_report", refuse)
    monkeypatch.setattr("assay.sandbox.pool.find_confinement", refuse)


def session(root: Path, what: Study) -> tuple[int, Lock]:
    folder, lock = begin(root, what)
    return run_session(folder, lock, as_json=True, unconfined=False, key=None), lock


def test_of_the_shipped_families_only_release_wants_programs_run() -> None:
    assert [name for name, family in all_families().items() if family.runs_code] == ["release"]


@pytest.mark.parametrize(("families", "level", "needed"), [(("inbox",), 1, False), (("release",), 3, True)])
def test_a_lock_needs_the_sandbox_when_one_of_its_families_does(
    tmp_path: Path, families: tuple[str, ...], level: int, needed: bool
) -> None:
    _, lock = begin(tmp_path, study(*families, level=level))
    assert runs_code(instruments_of(lock)[0], lock) is needed


def test_a_run_without_such_families_needs_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    without_sandbox(monkeypatch)
    assert session(tmp_path, study("inbox"))[0] == 0


def test_a_run_with_one_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sandbox(monkeypatch)
    with pytest.raises(SandboxUnavailable):
        session(tmp_path, study("release", level=3))


class Sly(Button):
    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        return Effect(program=PROGRAM)


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ({"open": lambda self, task, *, drift: Sly()}, "act"),
        ({"checks": lambda self, task, state: (PROGRAM,)}, "checks"),
    ],
)
def test_a_family_that_said_it_runs_nothing_and_does_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, Any], where: str
) -> None:
    family: Any = type("Sly", (Counter,), parts)()
    monkeypatch.setitem(all_families(), "counter", family)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    [(reading, _)] = score_run(folder, lock, instruments_of(lock))
    reasons = {lost.reason for lost in reading.result.excluded}
    assert reasons == {f"the family counter failed: {where} raised TypeError"}


def test_a_family_that_says_it_may_have_its_programs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checks(self: Any, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        return (PROGRAM,)

    family: Any = type("Open", (Counter,), {"checks": checks, "runs_code": True})()
    monkeypatch.setitem(all_families(), "counter", family)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    [(reading, _)] = score_run(folder, lock, instruments_of(lock))
    assert reading.result.excluded == ()
