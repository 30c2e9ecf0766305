"""A third-party agent with a loop of its own, installed as a package, measured at the extended boundary."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder
from assay.study import Lock, Study, SubjectSpec
from assay.vocabulary import Measure, Reading
from tests.support import audit_run, begin, go, ledger_events

pytestmark = pytest.mark.skipif(find_spec("errand_agent") is None, reason="pip install ./tests/agent")

OPTIONS: dict[str, Any] = {
    "dimensions": ["S"], "families": ["inbox"], "levels": [1], "instances": 12,
    "human_assistance": "none: nobody takes part",
}  # fmt: skip


def measured(root: Path, name: str) -> tuple[RunFolder, Lock, dict[str, Measure]]:
    agent = SubjectSpec(
        f"python:errand_agent:{name}", boundary="extended", includes=("a loop of its own", "a field finder")
    )
    folder, lock = begin(root, Study(subjects=(agent,), instruments={"agency": OPTIONS}))
    assert go(folder, lock)
    found = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading).result
    return folder, lock, {measure.name: measure for measure in found.measures}


@pytest.mark.parametrize("name", ["solve", "Errand"])
def test_an_agent_that_knows_nothing_of_assay_is_measured_and_audited(tmp_path: Path, name: str) -> None:
    folder, lock, found = measured(tmp_path, name)
    assert found["S"].value == 1
    assert found["S"].labels["boundary"] == "extended"
    assert "Extended Boundary" in found["S"].notes[0]
    audited = audit_run(folder, lock)
    assert audited.faults == []
    assert audited.steps >= 12 * 4
    acts = [e for e in ledger_events(folder) if e["kind"] == "computed" and e["data"]["name"] == "act"]
    assert len(acts) >= 12


def test_an_agent_that_cheats_and_boasts_is_credited_with_nothing(tmp_path: Path) -> None:
    folder, lock, found = measured(tmp_path, "boast")
    assert found["S"].value == 0
    assert found["rate"].value == 0
    assert found["undeclared_calls"].value == 1
    assert found["false_claims"].value == 1
    assert audit_run(folder, lock).holds


def test_what_happens_inside_an_agent_is_said_to_be_unrecorded(tmp_path: Path) -> None:
    folder, _, _ = measured(tmp_path, "solve")
    flags = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading).result.flags
    assert any(flag.kind == "Limited Comparability" and "not recorded" in flag.cause for flag in flags)
    for name in ("agency-card", "technical-report"):  # their tuples are those of the reading
        (path,) = (folder.path / name).iterdir()
        assert "Limited Comparability (" in path.read_text()


def test_a_caveat_of_one_subject_is_no_other_subjects(tmp_path: Path) -> None:
    agent = SubjectSpec("python:errand_agent:solve", boundary="extended", includes=("a loop of its own",))
    both = Study(subjects=(agent, "reference:solver"), instruments={"agency": OPTIONS})
    folder, lock = begin(tmp_path, both)
    assert go(folder, lock)
    result = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading).result
    told = {str(m.labels["boundary"]): m.notes[0] for m in result.measures if m.name == "S"}
    assert "not recorded" in told["extended"]
    assert "not recorded" not in told["core"]


BREAKING = """
def solve(task, act):
    act("look")
    raise RuntimeError("I was not made for this")
"""


def test_an_agent_whose_own_code_breaks_has_failed_and_is_not_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaking_agent.py").write_text(BREAKING)
    monkeypatch.chdir(tmp_path)
    agent = SubjectSpec("python:breaking_agent:solve", boundary="extended", includes=("its own code",))
    folder, lock = begin(tmp_path, Study(subjects=(agent,), instruments={"agency": OPTIONS}))
    assert go(folder, lock)
    found = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading).result
    assert found.excluded == ()
    assert [(m.value, m.n) for m in found.measures if m.name == "rate"] == [(0.0, 12)]
    assert audit_run(folder, lock).holds
