"""``assay check``: a gate that opens when nothing fails, and says what it looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assay.bench import RunFolder
from assay.canonical import encode
from assay.vocabulary import Flag, Reading, Verdict

from .conftest import Assay

Plant = Callable[..., None]

HOLDS = Verdict("a is at least 0.5", "the whole interval", True, "0.9")
FAILS = Verdict("b is at least 0.5", "the whole interval", False, "0.1")
OPEN = Verdict("c is at least 0.5", "the whole interval", None, "no outputs")


def run(assay: Assay, subject: str) -> None:
    """Eight answers at one temperature."""
    ended = assay(
        "run", "repeatability", "-s", f"reference:{subject}", "--quick", "--name", "one",
        "--set", "contracts=add", "--set", "temperatures=0",
    )  # fmt: skip
    assert ended.code == 0, ended.err


def required(folder: Path, subject: str, require: dict[str, float]) -> Path:
    path = folder / "study.yaml"
    options = {"contracts": ["add"], "temperatures": [0.0], "repetitions": 8, "require": require}
    path.write_text(
        json.dumps({"subjects": [f"reference:{subject}"], "instruments": {"repeatability": options}})
    )
    return path


@pytest.fixture
def planted(assay: Assay, tmp_path: Path) -> Plant:
    """A finished run, and a function that puts other verdicts and flags into its reading."""
    run(assay, "steady")
    folder = RunFolder(tmp_path / "runs" / "one")

    def plant(*verdicts: Verdict, flags: tuple[Flag, ...] = (), of_measures: tuple[Flag, ...] = ()) -> None:
        path = folder.reading_path("repeatability")
        reading = msgspec.json.decode(path.read_bytes(), type=Reading)
        measures = tuple(msgspec.structs.replace(m, flags=of_measures) for m in reading.result.measures)
        result = msgspec.structs.replace(reading.result, verdicts=verdicts, flags=flags, measures=measures)
        path.write_bytes(encode(msgspec.structs.replace(reading, result=result)))

    return plant


def test_one_failing_verdict_closes_the_gate_and_strict_wants_all_to_hold(
    assay: Assay, planted: Plant
) -> None:
    gates: list[tuple[tuple[Verdict, ...], int, int]] = [
        ((HOLDS,), 0, 0),
        ((HOLDS, OPEN), 0, 1),
        ((OPEN,), 0, 1),
        ((HOLDS, FAILS, OPEN), 1, 1),
        ((), 0, 1),
    ]
    for verdicts, plain, strict in gates:
        planted(*verdicts)
        for arguments, code in (((), plain), (("--strict",), strict)):
            assert assay("check", "one", *arguments).code == code
            ended = assay("check", "one", "--json", *arguments)
            assert (ended.code, ended.err, ended.out.count("\n")) == (code, "", 1)
            listed = [msgspec.to_builtins(verdict) for verdict in verdicts]
            assert json.loads(ended.out) == {"holds": not code, "verdicts": listed, "invalid": []}


def test_people_are_told_every_verdict_in_one_line(assay: Assay, planted: Plant) -> None:
    planted(HOLDS, FAILS, OPEN)
    assert assay("check", "one").out.splitlines() == [
        "holds            a is at least 0.5: 0.9",
        "fails            b is at least 0.5: 0.1",
        "not established  c is at least 0.5: no outputs",
    ]
    planted()
    assert assay("check", "one").out == "The study declares no requirement, and nothing was compared.\n"


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
    assert ended.out.splitlines()[1:] == ["invalid          Invalid (5 of 8 outputs excluded)"]


# From the study to the gate


@pytest.mark.parametrize(
    ("subject", "require", "code", "strict"),
    [
        ("steady", {"pass_rate": 0.6}, 0, 0),  # 8 of 8: Clopper-Pearson from .631
        ("steady", {"pass_rate": 0.7}, 0, 1),
        ("wrong", {"pass_rate": 0.36}, 0, 1),  # 0 of 8: up to .369
        ("wrong", {"pass_rate": 0.37}, 1, 1),
        ("wrong", {"R_anchor": 0.1}, 0, 1),  # no canon: nothing is established
        ("steady", {"mu_post": 1.0}, 0, 0),
        ("steady", {"mu_post": 0.0}, 0, 1),
    ],
)
def test_what_the_study_requires_is_what_is_checked(
    assay: Assay, tmp_path: Path, subject: str, require: dict[str, float], code: int, strict: int
) -> None:
    assert assay("run", required(tmp_path, subject, require), "--name", "one").code == 0
    assert assay("check", "one").code == code
    assert assay("check", "runs/one", "--strict").code == strict
    told = json.loads(assay("check", "one", "--json").out)
    assert len(told["verdicts"]) == 1


def test_a_requirement_nobody_measured_does_not_pass_a_strict_gate(assay: Assay, tmp_path: Path) -> None:
    study = json.loads(required(tmp_path, "steady", {"R_anchor": 0.1}).read_text())
    study["instruments"]["repeatability"]["repair"] = False
    (tmp_path / "study.yaml").write_text(json.dumps(study))
    assert assay("run", "study.yaml", "--name", "one").code == 0
    ended = assay("check", "one", "--strict")
    assert ended.code == 1
    assert ended.out.startswith("not established  R_anchor ast is at least 0.1 (contract add, ")
    assert ended.out.endswith(": it is not measured in this cell\n")


def test_a_run_that_is_not_there_or_has_no_reading_is_wrong_input(assay: Assay, tmp_path: Path) -> None:
    ended = assay("check", "nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("assay: there is no run at nowhere")
    run(assay, "steady")
    (tmp_path / "runs/one/reading-repeatability.json").unlink()
    ended = assay("check", "one")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "assay: runs/one has no reading yet; go on with: assay resume runs/one\n"


def test_an_unknown_measure_is_refused_before_the_run_with_the_nearest(assay: Assay, tmp_path: Path) -> None:
    ended = assay("run", required(tmp_path, "steady", {"R_row": 0.5}), "--name", "one")
    assert (ended.code, ended.out) == (2, "")
    assert "instruments.repeatability.require: unknown measure 'R_row'; did you mean 'R_raw'?" in ended.err
    assert not (tmp_path / "runs" / "one" / "ledger").exists()
