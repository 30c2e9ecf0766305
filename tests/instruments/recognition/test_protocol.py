"""The protocol on the bench: the waves of a run, subjects of known truth, a stored fleet, fleets that are too small."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import assay
from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.errors import InputError
from assay.evidence import LedgerIndex
from assay.evidence.records import Evidence, Record
from assay.instruments.recognition.design.prompts import shown_parts
from assay.instruments.recognition.protocol import Recognition
from assay.measuring import find_measure
from assay.measuring.blinding import redact
from assay.study import Lock, Study, SubjectSpec
from assay.vocabulary import Result
from tests.support import audit_run, begin, go

SMALL: dict[str, Any] = {
    "probes": ["impersonation", "inner_voice", "own_mistakes", "neighbour_bread", "harbour_at_dusk"],
    "lineups": 3,
    "ordinary_lineups": 2,
    "token_lineups": 1,
    "forgery_lineups": 1,
    "gold": 2,
    "inverse": 3,
    "bidirectional": 2,
}
SPECS = (
    SubjectSpec("reference:knowing", label="alpha", maker="Ada Works"),
    SubjectSpec("reference:first_text", label="beta", maker="Beta Works"),
    SubjectSpec("reference:leaking", label="gamma", maker="Gamma Works"),
    SubjectSpec("reference:guessing", label="delta", maker="Ada Works"),
    SubjectSpec("reference:longest", label="epsilon", maker="Eps Works"),
)


class Finished(NamedTuple):
    folder: RunFolder
    lock: Lock
    evidence: Evidence
    result: Result

    def asked(self, stage: str, **factors: str) -> list[Record]:
        records = [one for one in self.evidence if one.trial.stage == stage]
        return [one for one in records if factors.items() <= one.trial.factors.items()]


def finished(root: Path, *specs: SubjectSpec, **options: Any) -> Finished:
    folder, lock = begin(
        root, Study(subjects=specs, instruments={"recognition": {**SMALL, **options}}, seed=5)
    )
    assert go(folder, lock)
    assert audit_run(folder, lock).holds
    evidence = Evidence(LedgerIndex(folder.ledger, lock.digest), "recognition", lock=lock)
    return Finished(folder, lock, evidence, Recognition().score(evidence))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return finished(tmp_path_factory.mktemp("fleet"), *SPECS)


def prompt_of(record: Record) -> str:
    return str(record.asks[-1].wire["messages"][-1]["content"])


def test_everything_declared_is_asked(run: Finished) -> None:
    stages = Counter(one.trial.stage for one in run.evidence)
    assert stages["collect"] == 5 * 5 * 2
    assert stages["drift"] == 5 * 2
    assert stages["forge"] == 5 * 3
    assert stages["inverse"] == 5 * 3
    assert stages["forward"] == stages["characteristics"] == 5 * 2
    lineups = Counter(
        (
            str(one.trial.factors["question"]),
            str(one.trial.factors.get("condition", "")),
            one.trial.subject == one.trial.factors["target"],
        )
        for one in run.asked("lineup")
    )
    assert lineups["own", "", True] == 5 * 3 * 4
    assert lineups["own", "", False] == 5 * 3 * 4  # one neutral judge: the others are needed as foils
    assert lineups["own", "ordinary", True] == 5 * 2 * 4
    assert lineups["own", "forgeries", True] == 5 * 4
    assert lineups["token", "tokens", True] == 5 * 2  # two samples: two texts, two orders
    assert lineups["best", "", True] == 5 * 3
    assert lineups["gold", "", True] == lineups["gold", "", False] == 5 * 2


def test_the_plan_says_so_before(run: Finished) -> None:
    plan = Recognition().plan(run.lock)
    assert plan.trials == len(run.evidence)
    assert plan.calls == sum(len(one.asks) for one in run.evidence)


def test_a_judge_never_has_a_text_in_the_lineup(run: Finished) -> None:
    wrote = {one.said: one.trial.subject for one in run.evidence}
    for one in [*run.asked("lineup", question="own"), *run.asked("lineup", question="gold")]:
        authors = [wrote[reference] for reference in one.trial.inputs]
        assert (one.trial.subject in authors) == (one.trial.subject == one.trial.factors["target"])


def test_the_own_text_stands_equally_often_at_each_place(run: Finished) -> None:
    for spec in SPECS:
        own = [
            one
            for one in run.asked("lineup", question="own", target=spec.title)
            if one.trial.subject == spec.title
        ]
        places = Counter(one.report["own"] for one in own if one.report["options"] == 4)
        assert len({*places.values()}) == 1


def test_names_and_lengths_tell_nothing(run: Finished) -> None:
    names = ["Veldt", "Ostrava", *(spec.maker or "" for spec in SPECS)]
    for one in run.asked("lineup"):
        texts = [text for name, text in shown_parts(prompt_of(one)).items() if name != "request"]
        assert max(map(len, texts)) <= 1.25 * min(map(len, texts))
        assert not any(redact(text, names).found for text in texts)
        assert len(texts) == one.report["options"]


def test_subjects_of_known_truth_read_as_they_are(run: Finished) -> None:
    def value(name: str, subject: str, **labels: str) -> float | None:
        found = find_measure(run.result, name, subject=subject, **labels)
        assert found is not None, (name, subject)
        return found.value

    assert value("accuracy", "alpha", phase="self") == 1.0
    assert value("order_consistent", "alpha", phase="self") == 1.0
    assert (
        value("accuracy", "beta", phase="self") == value("accuracy_corrected", "beta", phase="self") == 0.25
    )
    assert value("position_share", "beta", phase="self", position="1") == 1.0
    assert value("leak_rate", "gamma", redaction="before") == 1.0
    assert value("leak_rate", "gamma", redaction="after") == 0.0
    assert value("leak_rate", "alpha", redaction="before") == 0.0
    assert (
        value("accuracy", "alpha", phase="gold") or 0.0
    ) >= 0.5  # a cut may take what tells its texts apart
    assert value("accuracy", "alpha", phase="forward") == 1.0
    assert value("accuracy", "alpha", condition="ordinary") == 1.0
    assert (value("peak_drift", "alpha") or 0.0) > 0.0


def test_rows_of_a_run_score_as_the_run(run: Finished) -> None:
    measured = {(m.name, tuple(sorted(m.labels.items()))): m for m in run.result.measures}
    scored = assay.score("recognition", list(Recognition().plain_rows(run.evidence))).result
    assert len(scored.measures) > 300
    for m in scored.measures:
        assert measured[m.name, tuple(sorted(m.labels.items()))] == m
    own = {(v.name, tuple(v.labels.items())): v.holds for v in run.result.verdicts}
    assert all(own[v.name, tuple(v.labels.items())] == v.holds for v in scored.verdicts)


def test_a_stored_fleet_lets_one_subject_be_tested_alone(run: Finished, tmp_path: Path) -> None:
    stored = Recognition().attachments(run.evidence)["fleet.jsonl"]
    (tmp_path / "fleet.jsonl").write_bytes(stored)
    alone = finished(tmp_path / "again", SPECS[0], fleet=str(tmp_path / "fleet.jsonl"))
    stages = Counter(one.trial.stage for one in alone.evidence)
    assert stages["collect"] == stages["drift"] == stages["forge"] == 0
    assert stages["lineup"] > 12
    found = find_measure(alone.result, "accuracy", subject="alpha", phase="self")
    assert found is not None
    assert found.value == 1.0
    advantage = find_measure(alone.result, "self_advantage", subject="alpha", phase="self")
    assert advantage is not None
    assert advantage.value is None
    assert any("no neutral judge" in note for note in alone.result.notes)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_small_fleet_does_what_it_can_and_says_what_it_cannot(count: int, tmp_path: Path) -> None:
    few = finished(tmp_path, *SPECS[:count], ordinary_lineups=0, token_lineups=0, forgery_lineups=0)
    phases = {
        m.labels["phase"]
        for m in few.result.measures
        if m.name == "accuracy" and m.value is not None and "phase" in m.labels
    }
    alone = {"gold", "forward", "characteristics"}
    assert phases == (alone if count == 1 else {*alone, "self", "inverse"})
    assert any("fleet of one" in note for note in few.result.notes) == (count == 1)
    assert any("no neutral judge" in note for note in few.result.notes) == (count == 2)
    assert [
        w for w in Recognition().warnings(few.lock) if "fleet of one" in w or "no neutral judge" in w
    ] == [note for note in few.result.notes if "fleet of one" in note or "no neutral judge" in note]
    options = {one.report["options"] for one in few.asked("lineup", question="own")}
    assert options == {1: set(), 2: {2}, 3: {2, 3}}[count]


def test_what_cannot_be_established_is_planned_for() -> None:
    def said(lineups: int, *names: str, probes: str = "all") -> str:
        subjects = tuple(f"reference:{name}" for name in names)
        options = {"lineups": lineups, "probes": probes}
        lock = prepare(Study(subjects=subjects, instruments={"recognition": options}), Path())
        return " ".join(Recognition().detectable(lock, ()))

    two, four = ("knowing", "guessing"), ("knowing", "guessing", "longest", "critic")
    assert "on 10 prompts" in said(10, *two)
    assert "16 prompts would do" in said(10, *two)
    assert "at least 16 are answered" in said(16, *two)
    assert "would do" not in said(20, *four)
    # A probe that comes again with another text is the same prompt; one subject alone is asked nothing.
    assert "on 10 prompts" in said(20, *two, probes="spec")
    assert said(20, "knowing") == ""


KINDS = ("identity", "ordinary")
FLEET = {"subject": "x", "probe": "inner_voice", "response": "I see."}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{**FLEET, "response": None}], "response"),
        ([{"subject": "x", "response": "a"}], "probe"),
        ([{**FLEET, "subject": ""}], "subject"),
        ([FLEET, FLEET], "same row"),
        ([{**FLEET, "probe": "inner_voise"}], "none of the shipped probes"),
        ([{**FLEET, "prompt": "Another?"}], "another prompt's id"),
        ([{**FLEET, "phase": "midway"}], "phase"),
        ([{**FLEET, "sample": -1}], "sample"),
        ([{**FLEET, "turn": 2}], "no phase"),
        ([{**FLEET, "phase": "baseline", "sample": 1}], "stored once"),
        ([{**FLEET, "maker": "a"}, {**FLEET, "sample": 1, "maker": "b"}], "another one before"),
        (
            [
                {**FLEET, "probe": "own", "prompt": "Why?", "sample": n, "kind": kind}
                for n, kind in enumerate(KINDS)
            ],
            "another one before",
        ),
    ],
)
def test_a_fleet_file_that_is_wrong_is_refused_with_its_row(
    rows: list[dict[str, Any]], said: str, tmp_path: Path
) -> None:
    (tmp_path / "fleet.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=said) as refused:
        prepare(
            Study(subjects=("reference:knowing",), instruments={"recognition": {"fleet": "fleet.jsonl"}}),
            base=tmp_path,
        )
    assert "fleet.jsonl" in str(refused.value)


def test_a_fleet_file_may_bring_prompts_of_its_own(tmp_path: Path) -> None:
    rows = [
        {**FLEET, "subject": name, "probe": "mine", "prompt": "Who are you?", "kind": "identity"}
        for name in "xyz"
    ]
    (tmp_path / "fleet.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lock = prepare(
        Study(
            subjects=("reference:knowing",),
            instruments={"recognition": {"fleet": "fleet.jsonl", "probes": ["inner_voice"]}},
        ),
        base=tmp_path,
    )
    assert "mine" in {one["id"] for one in lock.materials["recognition"]["content"]["identity"]}


def test_an_unknown_probe_is_refused() -> None:
    with pytest.raises(InputError, match="inner_voice"):
        prepare(
            Study(subjects=("reference:knowing",), instruments={"recognition": {"probes": ["inner_voise"]}}),
            Path(),
        )


def test_a_maker_cannot_be_called_unknown() -> None:
    study = Study(
        subjects=(SubjectSpec("reference:knowing", maker="unknown"),), instruments={"recognition": {}}
    )
    with pytest.raises(InputError, match="answer of its own"):
        prepare(study, Path())


@pytest.mark.parametrize("count", [3, 4])
def test_the_best_text_is_asked_for_with_the_own_text_at_place_after_place(
    count: int, tmp_path: Path
) -> None:
    none = dict.fromkeys(("ordinary_lineups", "token_lineups", "gold", "inverse", "bidirectional"), 0)
    few = finished(tmp_path, *SPECS[:count], lineups=8, **none)
    places = Counter(
        (one.report["options"], one.report["own"]) for one in few.asked("lineup", question="best")
    )
    sizes = {options for options, _ in places}
    assert sizes == {count - 1, count}
    each = {k: Counter(own for options, own in places if options == k) for k in sizes}
    assert {k: len(found) for k, found in each.items()} == {k: min(k, 3) for k in sizes}  # three of each size
    # Among several texts by one forger the own one would be the odd one out.
    wrote = {one.said: one.trial.subject for one in few.evidence}
    forged = few.asked("lineup", condition="forgeries")
    assert {one.report["options"] for one in forged} == {count}
    assert all(len({wrote[text] for text in one.trial.inputs}) == count for one in forged)


def test_a_question_without_a_right_answer_ends_as_read(run: Finished) -> None:
    """Which text is best, and what a neutral judge takes for its own; of a subject's own text an answer can fail."""
    own = Counter[str]()
    for record in run.asked("lineup"):
        found, factors = record.report or {}, record.trial.factors
        right = found["choice"] == found["own"]
        if factors["question"] == "best" or factors["target"] != record.trial.subject:
            own["neither right"] += not right
            right = True
        else:
            own["wrong"] += not right
        read = found["choice"] is not None
        assert record.outcome == ("unknown" if not read else "success" if right else "failure")
    assert min(own.values()) > 0


def test_rows_of_a_run_all_have_the_same_fields(run: Finished) -> None:
    fields = {tuple(row) for row in Recognition().plain_rows(run.evidence)}
    assert len(fields) == 1


def test_estimates_have_an_error_beside_their_thirds(run: Finished) -> None:
    right = find_measure(run.result, "forward_error", subject="alpha", dimension="D_identity")
    assert right is not None
    assert right.value == pytest.approx(0.0, abs=0.01)
