"""A lock made in one place and run in another; a run moved, renamed and audited there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.bench import RunFolder
from tests.support import command, environment, result_bytes

pytestmark = pytest.mark.slow
STUDY = """\
name: somewhere
subjects: [reference:mixed, {subject: reference:mumbler, label: mumbler}]
instruments:
  repeatability: {contracts_file: mine.yaml, temperatures: [0.5], repetitions: 3}
  drill: {trials: 2}
"""


def _contracts() -> str:
    import msgspec

    from assay.instruments.repeatability.programs.contracts import shipped_contracts

    contract = msgspec.structs.replace(shipped_contracts()["is_even"], solutions=())
    return json.dumps({"is_even": msgspec.to_builtins(contract)})


def test_a_lock_needs_nothing_that_its_study_drew_in(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "study.yaml").write_text(STUDY)
    (here / "mine.yaml").write_text(_contracts())
    locked = command("lock", "study.yaml", "--json", cwd=here)
    assert locked.returncode == 0, locked.stderr
    digest = json.loads(locked.stdout)["digest"]
    first = command("run", "study.lock.json", "--name", "r", cwd=here)
    assert first.returncode == 0, first.stderr
    shutil.copy(here / "study.lock.json", there / "renamed.json")
    env = environment(there)  # another key signs the manifest there
    ran = command("run", "renamed.json", "--name", "r", "--json", cwd=there, env=env)
    assert ran.returncode == 0, ran.stderr
    assert {reading["envelope"]["lock"] for reading in json.loads(ran.stdout)["readings"]} == {digest}
    for instrument in ("repeatability", "drill"):
        results = [result_bytes(RunFolder(place / "runs/r"), instrument) for place in (here, there)]
        assert results[0] == results[1]
    audited = command("audit", "r", cwd=there, env=env)
    assert audited.returncode == 0, audited.stdout
    assert "signed the lock" in audited.stdout, "two keys had a part in it, and that is said"


def test_a_run_that_was_moved_and_renamed_is_audited_where_it_is(tmp_path: Path) -> None:
    ended = command("run", "drill", "-s", "reference:mumbler", "--quick", "--name", "r", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    (tmp_path / "away").mkdir()
    shutil.move(tmp_path / "runs/r", tmp_path / "away/other name")
    assert command("audit", "away/other name", cwd=tmp_path).returncode == 0
    assert (
        command("report", "away/other name", cwd=tmp_path).stdout == "Report   away/other name/report.html\n"
    )
