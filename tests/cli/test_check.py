"""``assay check``: a gate over what the study requires, on a run that is what was signed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from assay_drill.reference import Mumbler

from assay.bench import RunFolder
from assay.canonical import encode
from assay.evidence import manifest_paths, write_manifest
from assay.signing import load_key, open_envelope
from assay.vocabulary import Flag, Reading, Verdict, VerdictKind

from .conftest import Assay

Plant = Callable[..., None]


def verdict(claim: str, holds: bool | None, because: str, kind: VerdictKind = "requirement") -> Verdict:
    return Verdict(name="a", kind=kind, claim=claim, rule="the whole interval", holds=holds, because=because)


HOLDS = verdict("a is at least 0.5", True, "0.9")
FAILS = verdict("b is at least 0.5", False, "0.1")
OPEN = verdict("c is at least 0.5", None, "no outputs")
DIFFERS = verdict("d differs", True, "p = .01", "comparison")
TOO_LOW = verdict("level 3 is reached", False, "0.2", "threshold")


def run(assay: Assay, name: str = "one") -> None:
    """Two answers, of which nothing is required."""
    ended = assay("run", "ping", "-s", "reference:mumbler", "--trials", "2", "--name", name)
    assert ended.code == 0, ended.err


def answering(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    """From now on the mumbler says this; ping counts an empty reply as a failure."""
    monkeypatch.setattr(Mumbler, "answer", lambda *_: reply)


def ping(assay: Assay, require: dict[str, Any]) -> None:
    """Eight questions, and what is required of the share that is answered."""
    subject = ("-s", "reference:mumbler", "--trials", "8", "--name", "one")
    assert assay("run", "ping", *subject, "--require", json.dumps(require)).code == 0


def required(folder: Path, subject: str, require: dict[str, Any], **options: Any) -> Path:
    path = folder / "study.yaml"
    chosen = {"contracts": ["add"], "temperatures": [0.0], "repetitions": 8, "require": require, **options}
    path.write_text(
        json.dumps({"subjects": [f"reference:{subject}"], "instruments": {"repeatability": chosen}})
    )
    return path


def sealed_again(folder: RunFolder) -> None:
    """A new manifest over the files as they are now, in place of the old one."""
    (path,) = manifest_paths(folder.ledger)
    names = open_envelope(path.read_bytes(), path.name).predicate["attachments"]
    path.unlink()
    write_manifest(
        folder.ledger, folder.read_lock().digest, {name: folder.path / name for name in names}, load_key()
    )


@pytest.fixture
def planted(assay: Assay, tmp_path: Path) -> Plant:
    """A finished run, and a function that puts other verdicts and flags into its reading and signs it again."""
    run(assay)
    folder = RunFolder(tmp_path / "runs" / "one")

    def plant(*verdicts: Verdict, flags: tuple[Flag, ...] = (), of_measures: tuple[Flag, ...] = ()) -> None:
        path = folder.reading_path("ping")
        reading = msgspec.json.decode(path.read_bytes(), type=Reading)
        measures = tuple(msgspec.structs.replace(m, flags=of_measures) for m in reading.result.measures)
        result = msgspec.structs.replace(reading.result, verdicts=verdicts, flags=flags, measures=measures)
        path.write_bytes(encode(msgspec.structs.replace(reading, result=result)))
        sealed_again(folder)

    return plant


def test_one_failing_requirement_closes_the_gate_and_strict_wants_all_to_hold(
    assay: Assay, planted: Plant
) -> None:
    gates: list[tuple[tuple[Verdict, ...], int, int]] = [
        ((HOLDS,), 0, 0),
        ((HOLDS, OPEN), 0, 1),
        ((OPEN,), 0, 1),
        ((HOLDS, FAILS, OPEN), 1, 1),
        ((), 0, 1),
        ((HOLDS, DIFFERS, TOO_LOW), 0, 0),  # neither was required
        ((DIFFERS, TOO_LOW), 0, 1),
    ]
    for verdicts, plain, strict in gates:
        planted(*verdicts)
        listed = [msgspec.to_builtins(v) for v in verdicts if v.kind == "requirement"]
        for arguments, code in (((), plain), (("--strict",), strict)):
            assert assay("check", "one", *arguments).code == code
            ended = assay("check", "one", "--json", *arguments)
            assert (ended.code, ended.err, ended.out.count("\n")) == (code, "", 1)
            found = json.loads(ended.out)
            assert (found["holds"], found["verdicts"], found["invalid"]) == (not code, listed, [])
            assert (found["required"], len(found["signed_by"])) == (len(listed), 1)


def test_people_see_every_requirement_in_one_line_and_the_rest_when_they_ask(
    assay: Assay, planted: Plant
) -> None:
    planted(HOLDS, FAILS, OPEN, DIFFERS)
    lines = [
        "holds            a is at least 0.5: 0.9",
        "fails            b is at least 0.5: 0.1",
        "not established  c is at least 0.5: no outputs",
    ]
    assert assay("check", "one").out.splitlines() == lines
    last = "holds            d differs: p = .01 [comparison, does not gate]"
    assert assay("check", "one", "--all").out.splitlines() == [*lines, last]
    planted()
    assert assay("check", "one").out.startswith("The study requires nothing")


def test_an_invalid_reading_closes_the_gate(assay: Assay, planted: Plant) -> None:
    planted(HOLDS, flags=(Flag("Provisional", "not finished"),))
    assert assay("check", "one").code == 0
    planted(HOLDS, flags=(Flag("Invalid", "too many were lost"),))
    ended = assay("check", "one")
    assert ended.code == 1
    assert ended.out.endswith("invalid          Invalid (too many were lost)\n")
    assert json.loads(assay("check", "one", "--json").out)["invalid"] == ["Invalid (too many were lost)"]
    # The numbers of a cell that lost too much: not established is not enough, and one line says it.
    planted(OPEN, of_measures=(Flag("Invalid", "5 of 8 outputs excluded"),))
    ended = assay("check", "one")
    assert ended.code == 1
    assert ended.out.splitlines()[1:] == [
        "invalid          Invalid (5 of 8 outputs excluded), reference:mumbler"
    ]


def test_junit_has_a_test_a_requirement(assay: Assay, planted: Plant, tmp_path: Path) -> None:
    hostile = verdict('<b>\x00"&', False, "\x1b[31mred")
    planted(HOLDS, FAILS, OPEN, DIFFERS, hostile, flags=(Flag("Invalid", "lost"),))
    assert assay("check", "one", "--junit", "gate.xml").code == 1
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "skipped", "errors")}
    assert counts == {
        "name": "ping", "tests": "5", "failures": "2", "skipped": "1", "errors": "1",
    }  # fmt: skip
    outcomes = [(case.get("name"), [child.tag for child in case]) for case in suite]
    assert outcomes[:3] == [(HOLDS.claim, []), (FAILS.claim, ["failure"]), (OPEN.claim, ["skipped"])]
    assay("check", "one", "--junit", "gate.xml", "--strict")
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("3", "0")


# A run that is not what was signed


def test_an_edited_reading_is_refused_by_every_command_that_believes_it(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, "")
    ping(assay, {"success": 0.9})
    assert assay("check", "one").code == 1
    path = tmp_path / "runs/one/reading-ping.json"
    edited = path.read_bytes().replace(b'"holds":false', b'"holds":true')
    assert edited != path.read_bytes()
    path.write_bytes(edited)
    for command in ("check", "report", "resume"):
        ended = assay(command, "one")
        assert ended.code == 1, command
        assert "reading-ping.json: not the file that was signed" in ended.err
        assert ended.out == ""


def test_a_broken_chain_is_refused(assay: Assay, tmp_path: Path) -> None:
    run(assay)
    path = tmp_path / "runs/one/ledger/0001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    ended = assay("check", "one")
    assert (ended.code, ended.out) == (1, "")
    assert "0001.jsonl line 4" in ended.err


def test_the_reading_of_another_run_is_refused_even_when_it_is_sealed_again(
    assay: Assay, tmp_path: Path
) -> None:
    run(assay, "one")
    assert assay("run", "ping", "-s", "reference:mumbler", "--trials", "3", "--name", "two").code == 0
    ours, theirs = (RunFolder(tmp_path / "runs" / name) for name in ("one", "two"))
    shutil.copy(ours.reading_path("ping"), theirs.reading_path("ping"))
    assert "not the file that was signed" in assay("check", "two").err
    sealed_again(theirs)
    ended = assay("check", "two")
    assert (ended.code, ended.out) == (1, "")
    assert "reading-ping.json: a reading of another run" in ended.err


def test_a_run_that_is_not_there_or_not_closed_is_wrong_input(assay: Assay, tmp_path: Path) -> None:
    ended = assay("check", "nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("assay: there is no run at nowhere")
    run(assay)
    (manifest,) = manifest_paths(tmp_path / "runs/one/ledger")
    manifest.unlink()
    ended = assay("check", "one")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "assay: runs/one is not closed yet; go on with: assay resume runs/one\n"


# From the study to the gate


@pytest.mark.parametrize(
    ("reply", "bound", "code", "strict"),
    [
        ("yes", 0.6, 0, 0),  # 8 of 8: Clopper-Pearson from .631
        ("yes", 0.7, 0, 1),
        ("yes", {"at_least": 0.9, "by": "value"}, 0, 0),
        ("yes", {"at_most": 0.5}, 1, 1),
        ("", 0.36, 0, 1),  # 0 of 8: up to .369
        ("", 0.37, 1, 1),
    ],
)
def test_what_the_study_requires_is_what_is_checked(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, reply: str, bound: Any, code: int, strict: int
) -> None:
    answering(monkeypatch, reply)
    ping(assay, {"success": bound})
    assert assay("check", "one").code == code
    assert assay("check", "runs/one", "--strict").code == strict
    found = json.loads(assay("check", "one", "--json").out)
    assert [v["kind"] for v in found["verdicts"]] == ["requirement"]


@pytest.mark.parametrize(
    ("subject", "require", "code", "strict"),
    [
        ("wrong", {"R_anchor": 0.1}, 0, 1),  # no canon: nothing is established
        ("steady", {"mu_post": 1.0}, 0, 0),  # a distance: at most
    ],
)
def test_a_measure_that_is_null_and_one_that_should_be_low_gate_as_they_should(
    assay: Assay, tmp_path: Path, subject: str, require: dict[str, Any], code: int, strict: int
) -> None:
    assert assay("run", required(tmp_path, subject, require), "--name", "one").code == 0
    assert (assay("check", "one").code, assay("check", "one", "--strict").code) == (code, strict)


def test_comparisons_that_nobody_declared_do_not_gate(assay: Assay, tmp_path: Path) -> None:
    study = required(tmp_path, "steady", {"pass_rate": 0.6}, temperatures=[0.0, 0.5, 1.0])
    assert assay("run", study, "--name", "one").code == 0
    assert assay("check", "one", "--strict").code == 0
    kinds = [v["kind"] for v in json.loads(assay("check", "one", "--all", "--json").out)["verdicts"]]
    assert kinds.count("comparison") > kinds.count("requirement") == 3


def test_a_drift_is_a_failure_and_none_is_not(assay: Assay, tmp_path: Path) -> None:
    def run_of(subject: str, name: str, **options: Any) -> int:
        study = required(tmp_path, subject, {}, repetitions=12, **options)
        return assay("run", study, "--name", name).code

    assert run_of("steady", "then") == 0
    assert run_of("steady", "same", drift_from="runs/then") == 0
    assert assay("check", "same", "--strict").code == 0
    assert run_of("renamed", "drifted", drift_from="runs/then") == 0
    ended = assay("check", "drifted")
    assert ended.code == 1
    assert ended.out.startswith("fails            no drift is shown: reference:renamed on add against")


def test_levels_gate_by_what_is_required_of_them_and_by_nothing_else(assay: Assay, tmp_path: Path) -> None:
    options = {"dimensions": ["S"], "levels": [1, 2], "families": ["inbox"], "instances": 20}
    study: dict[str, Any] = {"subjects": ["reference:solver"], "instruments": {"agency": options}}

    def gate(name: str, require: dict[str, float]) -> tuple[int, int]:
        options["require"] = require
        (tmp_path / "study.yaml").write_text(json.dumps(study))
        assert assay("run", "study.yaml", "--name", name).code == 0
        return assay("check", name).code, assay("check", name, "--strict").code

    assert gate("nothing", {}) == (0, 1)
    assert gate("reached", {"S": 1}) == (0, 0)


def test_a_run_says_how_many_requirements_do_not_hold_and_ends_as_before(
    assay: Assay, tmp_path: Path
) -> None:
    require = {"pass_rate": 0.05, "R bytes": 0.9, "R_raw": 0.9}
    study = required(tmp_path, "renamed", require, repetitions=12)
    said = "Check    2 of 3 requirements do not hold (2 fail): assay check runs/one"
    for command in (["run", study, "--name", "one"], ["resume", "one"]):
        ended = assay(*command)
        assert (ended.code, said in ended.out.splitlines()) == (0, True), ended.out
    assert assay("check", "one").code == 1
    held = assay("run", required(tmp_path, "renamed", {"pass_rate": 0.05}), "--name", "two")
    assert "requirement" not in held.out


def test_what_n_can_never_satisfy_is_a_warning_with_the_n_that_could(assay: Assay, tmp_path: Path) -> None:
    study = required(tmp_path, "steady", {"pass_rate": 0.9, "R_raw": 0.3})
    ended = assay("plan", study)
    assert ended.code == 0
    (said,) = [line for line in ended.out.splitlines() if line.startswith("warning")]
    # 36 of 36 is the first flawless sample whose Clopper-Pearson interval begins at .9 or above: .025 ** (1 / 36).
    assert "pass_rate is at least 0.9 can never hold with n = 8" in said
    assert said.endswith("it takes at least 36")
    assert json.loads(assay("plan", study, "--json").out)["warnings"] == [
        said.removeprefix("warning").strip()
    ]
    ended = assay("run", study, "--name", "one")
    assert ended.code == 0
    assert "can never hold with n = 8" in ended.err


def test_an_unknown_measure_is_refused_before_the_run_with_the_nearest(assay: Assay, tmp_path: Path) -> None:
    ended = assay("run", required(tmp_path, "steady", {"R_row": 0.5}), "--name", "one")
    assert (ended.code, ended.out) == (2, "")
    assert "instruments.repeatability.require: unknown measure 'R_row'; did you mean 'R_raw'?" in ended.err
    assert not (tmp_path / "runs" / "one" / "ledger").exists()


def test_a_gate_does_not_open_because_nobody_looked(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", required(tmp_path, "steady", {}), "--name", "then").code == 0
    # Another contract than the earlier run had: nothing is established of it, and strict says so.
    other = required(tmp_path, "steady", {}, contracts=["add", "is_even"], drift_from="runs/then")
    assert assay("run", other, "--name", "wider").code == 0
    found = json.loads(assay("check", "wider", "--json").out)["verdicts"]
    assert {v["labels"]["contract"]: v["holds"] for v in found} == {"add": True, "is_even": None}
    assert (assay("check", "wider").code, assay("check", "wider", "--strict").code) == (0, 1)
    ended = assay("run", required(tmp_path, "steady", {}, drift_at_most=0.1), "--name", "x")
    assert ended.code == 2
    assert "drift_at_most: is a limit of drift from an earlier run" in ended.err


def test_a_limit_of_drift_that_can_never_be_judged_is_a_warning(assay: Assay, tmp_path: Path) -> None:
    then = required(tmp_path, "steady", {})
    study = json.loads(then.read_text())
    then.write_text(json.dumps(study | {"subjects": ["reference:steady", "reference:renamed"]}))
    assert assay("run", then, "--name", "then").code == 0

    limit = {"drift_from": "runs/then", "drift_at_most": 0.1}
    new = required(tmp_path, "rewritten", {}, **limit)
    said = (
        "repeatability: no drift of more than 0.1 can never hold of reference:rewritten in 1 of 1 cells (the first: "
        "contract add, temperature 0): the earlier run measured several subjects, and not this one"
    )
    assert said in " ".join(assay("plan", new).out.split())
    assert f"warning: {said}" in assay("lock", new).err
    assert f"warning: {said}" in assay("run", new, "--name", "now").err

    wider = required(tmp_path, "steady", {}, contracts=["add", "is_even"], **limit)
    shown = " ".join(assay("plan", wider).out.split())
    assert "of reference:steady in 1 of 2 cells (the first: contract is_even, temperature 0)" in shown
    assert "the earlier run has no such cell" in shown
    assert "warning" not in assay("plan", required(tmp_path, "steady", {}, **limit)).out


def test_what_an_instrument_does_not_judge_itself_is_judged_all_the_same(
    assay: Assay, tmp_path: Path
) -> None:
    study = {
        "subjects": ["reference:mumbler"],
        "instruments": {"ping": {"trials": 5, "require": {"success": 0.1}}},
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study))
    assert assay("run", "study.yaml", "--name", "one").code == 0
    (verdict,) = json.loads(assay("check", "one", "--json").out)["verdicts"]
    assert (verdict["name"], verdict["kind"]) == ("success", "requirement")


def test_the_key_that_must_have_signed_can_be_named(assay: Assay, tmp_path: Path) -> None:
    run(assay)
    folder = RunFolder(tmp_path / "runs" / "one")
    ours = folder.read_lock().keyid
    assert assay("check", "one", "--signed-by", ours).code == 0
    assert assay("check", "one", "--signed-by", "0" * 16).code == 1
    (tmp_path / "config" / "assay" / "key.pem").unlink()  # somebody else's key is made in its place
    sealed_again(folder)
    ended = assay("check", "one")  # two signers, and nobody said that both may
    assert (ended.code, ended.err.count("--signed-by")) == (1, 2)
    assert assay("check", "one", "--signed-by", ours).code == 1
    theirs = str(load_key(tmp_path / "config" / "assay" / "key.pem").public_key.keyid)
    assert assay("check", "one", "--signed-by", ours, "--signed-by", theirs).code == 0


def test_junit_of_a_strict_gate_without_requirements_is_not_green(assay: Assay, tmp_path: Path) -> None:
    run(assay)
    assert assay("check", "one", "--strict", "--junit", "gate.xml").code == 1
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
