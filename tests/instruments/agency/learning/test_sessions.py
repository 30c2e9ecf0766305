"""Sessions of learners: practice is serial, memory is as declared, arms are apart, nothing is done twice."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.evidence.records import Evidence, LedgerIndex
from assay.instruments.agency.learning.conduct import KEPT, OVER
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.protocol import Agency
from assay.study import Budget, Lock, Study, SubjectSpec
from tests.support import audit_run, begin, go, ledger_events

PLAN: dict[str, Any] = {"learners": 2, "practice": 4, "tests": 3, "repeats": 2, "families": ["sorting"]}
Rows = list[dict[str, Any]]


def study(*subjects: str | SubjectSpec, memory: str = "conversation", **options: Any) -> Study:
    given = {"dimensions": ["L"], "levels": [1, 2, 3], "regimes": ["Baseline"], **options}
    return Study(
        name="a",
        seed=3,
        subjects=subjects or ("reference:learner",),
        instruments={"agency": {"learning": {**PLAN, "memory": memory}, **given}},
    )


def ends(folder: RunFolder) -> list[dict[str, Any]]:
    """Every finished trial with the place of its end in the ledger."""
    return [
        {**event["data"]["trial"], "outcome": event["data"]["outcome"], "place": place}
        for place, event in enumerate(ledger_events(folder))
        if event["kind"] == "end"
    ]


def records(folder: RunFolder, lock: Lock) -> Evidence:
    return Evidence(LedgerIndex(folder.ledger, lock.digest), "agency", lock=lock)


def shares(folder: RunFolder) -> dict[tuple[str, str], tuple[int, int]]:
    won: Counter[tuple[str, str]] = Counter()
    all_: Counter[tuple[str, str]] = Counter()
    for trial in ends(folder):
        key = trial["stage"], trial["factors"]["arm"]
        all_[key] += 1
        won[key] += trial["outcome"] == "success"
    return {key: (won[key], n) for key, n in all_.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    folder, lock = begin(tmp_path_factory.mktemp("learn"), study())
    assert go(folder, lock)
    return folder, lock


def test_each_practice_episode_is_built_from_all_before_it(finished: tuple[RunFolder, Lock]) -> None:
    practice = [trial for trial in ends(finished[0]) if trial["stage"] == "practice"]
    for arm in ("feedback", "no_feedback"):
        for learner in ("1", "2"):
            mine = [
                one
                for one in practice
                if one["factors"]["arm"] == arm and one["instance"]["item"].split("/")[1] == learner
            ]
            mine.sort(key=lambda one: one["place"])
            assert [one["factors"]["turn"] for one in mine] == [0, 1, 2, 3]
            assert [len(one.get("inputs", ())) for one in mine] == [0, 1, 2, 3]


def test_tests_meet_the_same_instances_before_and_after_and_in_every_arm(
    finished: tuple[RunFolder, Lock],
) -> None:
    met: dict[tuple[str, str], set[str]] = {}
    for trial in ends(finished[0]):
        if trial["stage"] in ("pre", "post"):
            instance = trial["instance"]
            key = trial["stage"], trial["factors"]["arm"]
            met.setdefault(key, set()).add(f"{instance['item']} {instance.get('repetition', 0)}")
    assert set(met) == {("pre", "feedback"), ("post", "feedback"), ("post", "no_feedback"), ("post", "wiped")}
    assert len({frozenset(some) for some in met.values()}) == 1


def test_only_practice_with_feedback_that_is_remembered_helps(finished: tuple[RunFolder, Lock]) -> None:
    found = shares(finished[0])
    assert found["pre", "feedback"][0] == found["post", "wiped"][0] == found["post", "no_feedback"][0] == 0
    assert found["post", "feedback"][0] >= 4
    assert found["repeat", "feedback"] == (4, 4)


def test_a_wiped_memory_shows_nothing_and_one_without_feedback_no_answers(
    finished: tuple[RunFolder, Lock],
) -> None:
    folder, lock = finished
    for record in records(folder, lock):
        said = str(record.asks[0].wire["messages"])
        arm, stage = record.trial.factors["arm"], record.trial.stage
        if stage == "pre" or (stage == "post" and arm == "wiped"):
            assert OVER not in said
        elif stage == "post":
            assert said.count(OVER) == 4
            assert ("Right would have been" in said) == (arm == "feedback")


def test_roles_alternate_however_long_the_memory(finished: tuple[RunFolder, Lock]) -> None:
    _check_roles(*finished)


def _check_roles(folder: RunFolder, lock: Lock) -> None:
    for record in records(folder, lock):
        for ask in record.asks:
            roles = [message["role"] for message in ask.wire["messages"]]
            assert roles[0] == "system"
            assert all(one != other for one, other in pairwise(roles[1:]))


def test_a_plan_counts_every_trial_of_a_session(finished: tuple[RunFolder, Lock]) -> None:
    assert Agency().plan(finished[1]).trials == len(ends(finished[0]))


def test_an_audit_does_every_session_again(finished: tuple[RunFolder, Lock]) -> None:
    found = audit_run(*finished)
    assert found.faults == []


def test_notes_are_all_that_is_kept(tmp_path: Path) -> None:
    spec = SubjectSpec("reference:learner", boundary="extended", includes=("notes",))
    folder, lock = begin(tmp_path, study(spec, memory="notes"))
    assert go(folder, lock)
    found = shares(folder)
    assert found["post", "feedback"][0] >= 4
    assert found["post", "wiped"][0] == 0
    _check_roles(folder, lock)
    for record in records(folder, lock):
        if record.trial.stage == "post" and record.trial.factors["arm"] == "feedback":
            said = str(record.asks[0].wire["messages"])
            assert KEPT.partition("{")[0].split(":")[0] in said
            assert OVER not in said
    assert audit_run(folder, lock).faults == []


def test_a_session_that_was_cut_goes_on_where_it_was(
    finished: tuple[RunFolder, Lock], tmp_path: Path
) -> None:
    folder, lock = begin(tmp_path, study())
    for calls in (50, 61, 73):
        assert not go(folder, lock, budget=Budget(calls=calls))
    assert go(folder, lock)
    whole, cut = (Counter(event["kind"] for event in ledger_events(one)) for one in (finished[0], folder))
    assert cut["sent"] == whole["sent"]
    outcomes = [{record.id: record.outcome for record in records(*one)} for one in (finished, (folder, lock))]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", ["memoriser", "within", "unteachable"])
def test_who_does_not_transfer_gains_nothing_on_held_out_variants(tmp_path: Path, name: str) -> None:
    folder, lock = begin(tmp_path, study(f"reference:{name}"))
    assert go(folder, lock)
    found = shares(folder)
    assert found["post", "feedback"][0] <= 1
    assert found["repeat", "feedback"] == ((0, 4) if name == "unteachable" else (4, 4))


def test_options_are_read_with_their_defaults() -> None:
    assert AgencyOptions().learning.memory == "conversation"
    assert "L" not in AgencyOptions().dimensions
