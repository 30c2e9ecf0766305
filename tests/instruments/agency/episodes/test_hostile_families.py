"""Anybody's family: what it does wrong is told as its own, and no trial of it is half scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench.prepare import instruments_of, prepare
from assay.errors import InputError
from assay.instruments.agency.protocol import Agency
from assay.report.publish import score_run
from assay.study import Study
from assay.worlds import FamilyFault, all_families, guarded
from assay.worlds.model import Effect, Task
from assay.worlds.registry import _wrong
from tests.support import audit_run, begin, go, ledger_events
from tests.worlds.counter import Button, Counter


def boom(*_: Any, **__: Any) -> Any:
    raise KeyError(f"no such thing at {object()!r}")


def leave(*_: Any, **__: Any) -> Any:
    raise SystemExit(3)


def install(monkeypatch: pytest.MonkeyPatch, **parts: Any) -> Counter:
    family: Any = type("Broken", (Counter,), parts)()
    monkeypatch.setitem(all_families(), "counter", family)
    return family  # type: ignore[no-any-return]


def opened(**parts: Any) -> dict[str, Any]:
    """A family whose worlds have other parts."""
    made = type("BrokenButton", (Button,), parts)
    return {"open": lambda self, task, *, drift: made()}


def study(*families: str, **options: Any) -> Study:
    chosen = {
        "families": list(families or ("counter", "inbox")),
        "levels": [1],
        "instances": 3,
        "robustness_instances": 2,
        "regimes": ["Baseline"],
        **options,
    }
    return Study(name="f", subjects=("reference:solver",), instruments={"agency": chosen})


def altered(family: Counter, level: int, situation: str, stream: Any, **action: Any) -> Task:
    """A task whose first action has other parts."""
    task = Counter.draw(family, level, situation, stream)
    first, *others = task.actions
    return msgspec.structs.replace(task, actions=(msgspec.structs.replace(first, **action), *others))


BROKEN: dict[str, dict[str, Any]] = {
    "open raises": {"open": boom},
    "open leaves": {"open": leave},
    "open gives nothing": {"open": lambda self, task, *, drift: None},
    "an action whose schema is none": {
        "draw": lambda self, *given: altered(self, *given, parameters={"type": 7, "properties": {}})
    },
    "an action that cannot be told": {
        "draw": lambda self, *given: altered(
            self,
            *given,
            parameters={"type": "object", "properties": {"times": {"type": "array", "items": True}}},
        )
    },
    "look raises": opened(look=boom),
    "look gives a list": opened(look=lambda self: [1]),
    "look gives what JSON cannot hold": opened(look=lambda self: {"pressed": float("nan"), "note": ""}),
    "act raises": opened(act=boom),
    "act leaves": opened(act=leave),
    "act gives nothing": opened(act=lambda self, name, arguments: None),
    "act gives wrong parts": opened(act=lambda self, name, arguments: Effect(error=7)),  # type: ignore[arg-type]
    "snapshot raises": opened(snapshot=boom),
    "snapshot gives a set": opened(snapshot=lambda self: {1, 2}),
    "snapshot gives an object": opened(snapshot=lambda self: {"me": self}),
    "checks raises": {"checks": boom},
    "judge raises": {"judge": boom},
    "judge gives a bool": {"judge": lambda self, task, state, runs: True},
    "judge gives a word": {"judge": lambda self, task, state, runs: "success"},
}


@pytest.mark.parametrize("how", BROKEN)
def test_its_trials_are_excluded_with_the_reason_and_the_others_stand(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, **BROKEN[how])
    folder, lock = begin(tmp_path, study())
    assert go(folder, lock)
    ends = [e["data"] for e in ledger_events(folder) if e["kind"] == "end"]
    by_family: dict[str, set[str]] = {}
    for end in ends:
        by_family.setdefault(end["trial"]["instance"]["item"], set()).add(end["outcome"])
    assert by_family == {"counter/1": {"excluded"}, "inbox/1": {"success"}}
    told = {end["reason"] for end in ends if end["outcome"] == "excluded"}
    assert len(told) == 1
    assert told.pop().startswith("the family counter failed: ")
    assert audit_run(folder, lock).holds


def test_a_close_that_raises_changes_no_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, **opened(close=boom))
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    assert {e["data"]["outcome"] for e in ledger_events(folder) if e["kind"] == "end"} == {"success"}


def sometimes(self: Counter, level: int, situation: str, stream: Any) -> Task:
    if situation != "lift":
        raise RuntimeError("only lifts")
    return Counter.draw(self, level, situation, stream)


def test_a_family_that_cannot_draw_what_a_study_needs_is_named_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, draw=sometimes)
    with pytest.raises(InputError, match="the family counter failed: draw of level 1 raised RuntimeError"):
        prepare(study("counter", instances=30), tmp_path)
    with pytest.raises(FamilyFault, match="only lifts"):
        [Agency().show("counter", seed) for seed in range(30)]


def test_a_family_that_cannot_draw_any_more_invalidates_the_reading_and_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    install(monkeypatch, draw=boom)
    [(reading, _)] = score_run(folder, lock, instruments_of(lock))
    assert any(f.kind == "Invalid" and "counter failed" in f.cause for f in reading.result.flags)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"draw": boom}, "draw of level 1 raised KeyError"),
        ({"draw": lambda self, level, situation, stream: None}, "NoneType instead of a Task"),
        (
            {"draw": lambda self, level, situation, stream: Counter.draw(self, 1, situation, stream)},
            "a task of counter, level 1",
        ),
        ({"draw": lambda self, *given: altered(self, *given, name="finish")}, "which every episode has"),
        ({"draw": lambda self, *given: altered(self, *given, name="peek")}, "actions of one name"),
        (
            {"draw": lambda self, *given: altered(self, *given, parameters={"type": "object"})},
            "the schema of an object with properties",
        ),
        ({"levels": [1, 2]}, "must be dicts"),
        ({"version": 1}, "its version is 1"),
        ({"situations": 5}, "its form cannot be read"),
        ({"chance": {1: "low", 2: "low"}}, "its form cannot be read"),
    ],
)
def test_a_family_of_a_wrong_form_is_left_out_when_it_is_loaded(parts: dict[str, Any], told: str) -> None:
    family = type("Broken", (Counter,), parts)()
    assert told in _wrong("counter", family)
    assert _wrong("counter", Counter()) == ""


def test_what_is_said_of_a_fault_is_the_same_every_time() -> None:
    faults = []
    for _ in range(2):
        with pytest.raises(FamilyFault) as caught:
            guarded("x", "act", boom)
        faults.append((caught.value.reason, caught.value.detail))
    assert faults[0] == faults[1]
    assert "0x…" in faults[0][1]


def test_a_run_whose_family_is_gone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    monkeypatch.delitem(all_families(), "counter")
    with pytest.raises(InputError, match="unknown family 'counter'"):
        audit_run(folder, lock)


def test_a_run_whose_family_has_another_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    install(monkeypatch, version="2")
    with pytest.raises(InputError, match="version 1 of the family counter, here is 2"):
        audit_run(folder, lock)
    assert msgspec.to_builtins(lock.materials["agency"]["families"]["counter"])["version"] == "1"


def test_a_run_whose_family_acts_otherwise_under_the_same_version_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    install(monkeypatch, **opened(look=lambda self: {"pressed": self.pressed, "note": "another note"}))
    report = audit_run(folder, lock)
    assert not report.holds
    assert any("begin gives another result than was recorded" in fault for fault in report.faults)


def test_a_family_that_is_installed_later_is_no_part_of_an_earlier_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = study(families=[], instances=2, dimensions=["D", "R"])
    folder, lock = begin(tmp_path, chosen)
    before = list(Agency().strata(lock))
    assert go(folder, lock)
    install(monkeypatch)  # of the same dimension and level, and first by name
    assert list(Agency().strata(lock)) == before
    assert audit_run(folder, lock).faults == []
    assert "counter" in prepare(chosen, tmp_path).materials["agency"]["families"]


def test_a_run_whose_family_has_other_criteria_under_the_same_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(self: Counter, level: int, situation: str, stream: Any) -> Task:
        task = Counter.draw(self, level, situation, stream)
        return msgspec.structs.replace(task, criterion=msgspec.structs.replace(task.criterion, expected=0))

    install(monkeypatch)
    folder, lock = begin(tmp_path, study("counter"))
    assert go(folder, lock)
    install(monkeypatch, draw=other)
    with pytest.raises(InputError, match="criteria are not those that the lock has fixed: counter/1;"):
        audit_run(folder, lock)


@pytest.mark.parametrize("name", ["a/b", "", "a b", "1a", "<b>", "x" * 41])
def test_a_family_has_a_plain_name(name: str) -> None:
    assert "its name is" in _wrong(name, type("Named", (Counter,), {"name": name})())
