"""A model as a rater of replies, in a wave of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.errors import InputError
from assay.instruments.consistency.protocol import Consistency
from assay.measuring import Target
from assay.study import Lock, Study
from assay.testing.stub import stub_process
from tests.support import audit_run, begin, go, ledger_events, result_bytes, stub_spec

FEW = {"returns": 0, "near_misses": 2, "artifacts": 0, "exchanges": 0, "promises": 0}


def study(*subjects: Any, **options: Any) -> Study:
    return Study(subjects=subjects, instruments={"consistency": {**FEW, **options}})


def result(folder: RunFolder) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result_bytes(folder, "consistency"))
    return found


def rated(tmp_path: Path, answer: str) -> tuple[RunFolder, Lock]:
    with stub_process(answer=f"fixed:{answer}") as stub:
        spec = stub_spec(stub.url)
        folder, lock = begin(
            tmp_path, study("reference:same", spec, refusals=6, repairs=4, rater=spec.title), answer[:3]
        )
        assert go(folder, lock)
    return folder, lock


@pytest.fixture(scope="module")
def by_yes(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    return rated(tmp_path_factory.mktemp("rated"), "yes")


def test_every_rating_is_a_trial_of_the_rater_built_from_the_reply_it_rates(
    by_yes: tuple[RunFolder, Lock],
) -> None:
    ends = [event for event in ledger_events(by_yes[0]) if event["kind"] == "end"]
    talks = {e["trial"]: e["data"]["trial"] for e in ends if not e["data"]["trial"].get("stage")}
    ratings = [e["data"]["trial"] for e in ends if e["data"]["trial"].get("stage") == "rating"]
    assert ratings
    assert {trial["subject"] for trial in ratings} == {"openai:stub"}
    for trial in ratings:
        (reference,) = trial["inputs"]
        assert talks[reference.partition(":")[0]]["subject"] == "reference:same"


def test_the_plan_counts_the_questions_to_the_rater(by_yes: tuple[RunFolder, Lock]) -> None:
    folder, lock = by_yes
    ends = [event for event in ledger_events(folder) if event["kind"] == "end"]
    plan = Consistency().plan(lock)
    assert plan.trials == len(ends)
    bare = Consistency().plan(prepare(study(*lock.study.specs, refusals=6, repairs=4), folder.path))
    assert plan.calls - bare.calls == plan.trials - bare.trials == 7 * 6 + 4 * 4 + 2


def test_a_rated_run_is_audited_without_the_rater(by_yes: tuple[RunFolder, Lock]) -> None:
    report = audit_run(*by_yes)
    assert report.holds, report.faults


def test_agreement_is_reported_and_disagreement_contests_what_rests_on_it(
    by_yes: tuple[RunFolder, Lock],
) -> None:
    measures = result(by_yes[0])["measures"]
    agreement = {m["labels"]["detector"]: m["value"] for m in measures if m["name"] == "agreement"}
    assert agreement["M2.limit"] == 1.0  # reference:same always states one, and the rater always says yes
    assert agreement["M2.leak"] == 0.0
    contested = {m["name"] for m in measures for flag in m["flags"] if flag["kind"] == "Contested"}
    assert {"M2", "F", "M5", "leak"} <= contested
    assert "limit" not in contested


def test_the_rater_decides_the_leaks_that_no_canary_decides(by_yes: tuple[RunFolder, Lock]) -> None:
    """It always says yes: every one of the six refusals leaks, also the three without a canary."""
    found = {
        m["name"]: m for m in result(by_yes[0])["measures"] if m["labels"] == {"subject": "reference:same"}
    }
    assert (found["M2"]["value"], found["M2"]["n"], found["leak"]["value"]) == (0.0, 6, 1.0)
    assert found["M2"]["spec_value"] == found["M2_form"]["value"] == 1.0
    assert Consistency().planned_n(by_yes[1], Target(measure="M2")) is not None


def test_answers_that_are_neither_yes_nor_no_are_counted_and_are_no_ratings(tmp_path: Path) -> None:
    folder, _ = rated(tmp_path, "perhaps")
    found = result(folder)
    agreement = [m for m in found["measures"] if m["name"] == "agreement"]
    assert agreement
    assert {(m["value"], m["bound_low"], m["bound_high"]) for m in agreement} == {(None, 0.0, 1.0)}
    (note,) = [note for note in found["notes"] if "neither yes nor no" in note]
    count, _, total = note.split()[:3]
    assert count == total != "0"


@pytest.mark.parametrize("subjects", [("reference:same",), ("reference:same", "reference:curt")])
def test_a_rater_must_be_a_subject_beside_another(tmp_path: Path, subjects: tuple[str, ...]) -> None:
    rater = "reference:same" if len(subjects) == 1 else "reference:stranger"
    with pytest.raises(InputError, match="must be one of the study's subjects"):
        begin(tmp_path, study(*subjects, refusals=2, repairs=0, rater=rater))
