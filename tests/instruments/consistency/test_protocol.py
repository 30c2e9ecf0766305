"""The protocol on the bench: which trials, how a run goes, what a plan counts and an item shows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder, load_instrument
from assay.bench.prepare import prepare
from assay.errors import UnknownName
from assay.instruments.consistency.judging import judge_all
from assay.instruments.consistency.options import ConsistencyOptions, settings_of
from assay.instruments.consistency.protocol import CRITERIA, Consistency
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scenario import KINDS, Scenario
from assay.instruments.consistency.scenarios.transcripts import scenarios_of
from assay.instruments.consistency.scoring import score_judgements
from assay.measuring import Target
from assay.study import Budget, Lock, Study
from tests.instruments.consistency.running import (
    KEEPER,
    SMALL,
    Fresh,
    evidence,
    locked,
    result,
    study,
    trials,
    value,
)
from tests.support import audit_run, begin, go, ledger_events

# Trials


def test_every_kind_is_asked_as_often_as_declared_of_every_subject(tmp_path: Path) -> None:
    found = trials(locked(tmp_path, "reference:same", "reference:curt"))
    counts = Counter((t.subject, t.instance.item.partition("/")[0]) for t in found)
    assert len({t.id for t in found}) == len(found)
    for subject in ("reference:same", "reference:curt"):
        assert [counts[subject, kind] for kind in KINDS] == list(SMALL.values())


def test_two_subjects_meet_the_same_instances_and_only_extended_ones_return_by_memory(tmp_path: Path) -> None:
    found = trials(locked(tmp_path, "reference:same", "reference:curt", KEEPER))
    met = {
        subject: {t.instance.digest for t in found if t.subject == subject}
        for subject in {t.subject for t in found}
    }
    assert met["reference:same"] == met["reference:curt"] < met["reference:keeper"]
    memory = [t for t in found if t.instance.item == "return/memory"]
    assert {t.subject for t in memory} == {"reference:keeper"}
    assert len(memory) == 2


def test_another_seed_shares_no_thread(tmp_path: Path) -> None:
    content, instrument = shipped_content(), Consistency()
    labels = []
    for seed in (1, 2):
        shown = [instrument.show(f"{kind}/{name}", seed) for kind in KINDS for name in content.items(kind)]
        labels.append(
            {one["thread"]["label"] for one in shown} | {one["thread"]["artifact"] for one in shown}
        )
    assert not labels[0] & labels[1]


def test_a_kind_is_one_wave(tmp_path: Path) -> None:
    closed: Any = Fresh("refusal")
    closed.waves = 1
    assert list(Consistency().trials(locked(tmp_path), closed)) == []
    assert list(Consistency().strata(locked(tmp_path, repairs=0))) == [k for k in KINDS if k != "repair"]


# A run


def test_a_run_is_audited_and_references_read_their_truth(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    report = audit_run(folder, lock)
    assert report.holds, report
    found = result(folder)
    for subject in ("reference:same", "reference:keeper"):
        for name in ("M1", "M1_exact", "M2", "M3", "M3_prompted", "M4", "M5", "O", "F", "R", "P", "L"):
            assert value(found, name, subject) == 1, (subject, name)
        for name in ("return_wrong_digest", "return_unknown_label"):
            assert value(found, name, subject) == 1, (subject, name)
        assert value(found, "false_refusals", subject) == 0
    drifting = value(found, "M5", "reference:drifting")
    assert drifting is not None
    assert drifting < 1


def test_a_run_that_is_stopped_and_resumed_gives_the_same_result(tmp_path: Path) -> None:
    chosen = study("reference:drifting", KEEPER, returns=4, refusals=2, repairs=2)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, lock = begin(tmp_path / "a", chosen)
    assert go(whole, lock)
    parts, again = begin(tmp_path / "b", chosen)
    assert not go(parts, again, budget=Budget(calls=7))
    assert not go(parts, again, budget=Budget(calls=20))
    assert go(parts, again)
    timed = {"latency"}  # measured in seconds, which no two runs share
    one, other = ([m for m in result(run).measures if m.name not in timed] for run in (whole, parts))
    assert one == other
    assert result(parts).verdicts == result(whole).verdicts
    assert audit_run(parts, again).holds
    asked = [e for e in ledger_events(parts) if e["kind"] == "received"]
    assert len(asked) == len([e for e in ledger_events(whole) if e["kind"] == "received"])


def test_transcripts_that_leave_the_run_score_the_same(
    finished: tuple[RunFolder, Lock], transcripts: tuple[Scenario, ...]
) -> None:
    folder, lock = finished
    carried = [msgspec.json.decode(msgspec.json.encode(s), type=Scenario) for s in transcripts]
    assert carried == list(transcripts)
    options = lock.options("consistency", ConsistencyOptions)
    settings = settings_of(options, lock.study.limits.excluded_share)
    order = [spec.title for spec in lock.study.specs]
    again = score_judgements(judge_all(carried, settings.judging), carried, settings, order=order)
    assert again.measures == result(folder).measures


def test_rows_hold_every_scored_reply(
    finished: tuple[RunFolder, Lock], transcripts: tuple[Scenario, ...]
) -> None:
    folder, _ = finished
    with (folder.path / "records-consistency.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    scored = [turn for s in transcripts for _, turn in s.replies() if turn.part not in ("", "planted")]
    assert len(rows) == len(scored)
    assert {row["reply"] for row in rows} == {turn.content for turn in scored}


# Plan, list, show


def test_the_plan_counts_what_a_run_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    instrument = Consistency()
    plan = instrument.plan(lock)
    assert plan.trials == len(trials(lock))
    core = msgspec.structs.replace(
        lock, study=msgspec.structs.replace(lock.study, subjects=("reference:drifting",))
    )
    planned = instrument.plan(core).calls
    asked = sum(
        len(record.asks) for record in evidence(folder, lock) if record.trial.subject == "reference:drifting"
    )
    spared = sum(
        not s.replies("go_on")
        for s in scenarios_of(evidence(folder, lock))
        if s.kind == "promise" and s.subject == "reference:drifting"
    )
    assert planned == asked + spared  # a plan says "Go on." after every promise
    assert plan.output_tokens == plan.calls * 1024
    assert "O ±" in plan.detectable[0]
    assert "M5" in plan.detectable[1]


def test_a_plan_says_how_many_refusals_m2_will_be_of(tmp_path: Path) -> None:
    options: dict[str, Any] = {"refusals": 7}
    lock = prepare(Study(subjects=("reference:same",), instruments={"consistency": options}), tmp_path)
    planned = Consistency().planned_n(lock, Target(measure="M2"))
    assert planned is not None
    assert planned[0] == 4
    assert any("4 of 7 refusals" in line for line in Consistency().plan(lock).detectable)


def test_a_plan_without_a_component_says_that_m5_cannot_pass(tmp_path: Path) -> None:
    plan = Consistency().plan(locked(tmp_path, promises=0))
    assert "not tested: P" in plan.detectable
    assert any("cannot pass" in line for line in plan.detectable)


def test_quick_is_about_two_dozen_short_replies(tmp_path: Path) -> None:
    chosen = Study(
        name="q", subjects=("reference:same",), instruments={"consistency": dict(Consistency.quick)}
    )
    plan = Consistency().plan(prepare(chosen, tmp_path))
    assert plan.calls <= 26
    assert plan.output_tokens <= 26 * 120
    assert len(list(Consistency().strata(prepare(chosen, tmp_path)))) == len(KINDS)


def test_every_item_is_listed_and_shown_in_full() -> None:
    instrument = Consistency()
    items = instrument.items()
    assert len({item.id for item in items}) == len(items)
    for item in items:
        shown = instrument.show(item.id, 7)
        kind = next(kind for kind in KINDS if item.id.startswith(f"{kind}/"))
        assert shown["criterion"] == CRITERIA[kind]
        system = [m["content"] for m in shown["messages"] if m["role"] == "system"]
        assert shown["thread"]["label"] in system[0]
        assert shown["messages"][-1]["role"] == "user"
        if wrong := shown["expected"].get("wrong"):
            assert any(wrong in m["content"] for m in shown["messages"][1:])
    assert instrument.show("return/memory", 7)["boundary"] == "extended"


def test_what_is_shown_is_what_a_run_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    shown = Consistency().show("exchange/01", lock.study.seed)["messages"]
    asked = [r for r in evidence(folder, lock) if r.trial.instance.item == "exchange/01"]
    core = [r.asks[0].wire["messages"] for r in asked if r.trial.boundary == "core"]
    assert core == [shown, shown]


def test_an_unknown_item_says_which_is_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'repair/fact-own'"):
        Consistency().show("repair/fact-won", 1)


def test_the_instrument_is_found_by_its_name() -> None:
    assert load_instrument("consistency").noun == "scenarios"
