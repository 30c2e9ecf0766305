"""A lock made in one place and run in another; a run moved, renamed, packed, and audited there."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.bench import RunFolder
from tests.support import ASSAY, command, environment, result_bytes

STUDY = """\
name: somewhere
subjects: [{subject: "python:agent:answer", label: one}, {subject: "python:agent:answer", label: two}]
instruments:
  repeatability: {contracts_file: mine.yaml, temperatures: [0.5], repetitions: 3}
  drill: {trials: 2}
"""


def _contracts() -> str:
    import msgspec

    from assay.instruments.repeatability.programs.contracts import shipped_contracts

    contract = msgspec.structs.replace(shipped_contracts()["is_even"], solutions=())
    return json.dumps({"is_even": msgspec.to_builtins(contract)})


AGENT = "def answer(messages):\n    return '```python\\ndef is_even(n):\\n    return n % 2 == 0\\n```'\n"


@pytest.mark.slow
def test_a_lock_needs_nothing_that_its_study_drew_in(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    for place in (here, there):
        (place / "agent.py").write_text(AGENT)
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
    assert audited.returncode == 1
    assert " the lock; where both are known to you, name both: --signed-by " in audited.stdout
    named = audited.stdout.partition("name both: ")[2].splitlines()[0].split()
    assert command("audit", "r", *named, cwd=there, env=env).returncode == 0, "two keys had a part in it"


@pytest.mark.slow
def test_a_run_that_was_moved_and_renamed_is_audited_where_it_is(tmp_path: Path) -> None:
    ended = command("run", "drill", "-s", "reference:mumbler", "--quick", "--name", "r", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    (tmp_path / "away").mkdir()
    shutil.move(tmp_path / "runs/r", tmp_path / "away/other name")
    assert command("audit", "away/other name", cwd=tmp_path).returncode == 0
    assert (
        command("report", "away/other name", cwd=tmp_path).stdout == "Report   away/other name/report.html\n"
    )


def test_a_bundle_is_audited_by_another_user_without_network_and_without_the_subject(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "agent.py").write_text(AGENT)
    ran = command("run", "ping", "-s", "python:agent:answer", "--trials", "3", "--name", "r", cwd=here)
    assert ran.returncode == 0, ran.stderr
    packed = json.loads(command("bundle", "r", "--json", cwd=here).stdout)
    shutil.move(here / packed["file"], there / "sent.zip")
    shutil.rmtree(here)
    (there / "agent.py").write_text("raise SystemExit('imported')\n")
    audit = [*ASSAY, "audit", "sent.zip", "--signed-by", packed["keyid"], "--json"]
    unplugged = ["unshare", "-rn", *audit] if _can_unshare() else audit
    ended = subprocess.run(
        unplugged, cwd=there, env=environment(there), capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)
    assert (told["determination"], told["trials"], told["asks"]) == ("Compliant", 3, 3)
    assert {path.name for path in there.iterdir()} == {"sent.zip", "agent.py"}


def _can_unshare() -> bool:
    found = shutil.which("unshare")
    return bool(found) and subprocess.run(["unshare", "-rn", "true"], check=False).returncode == 0
