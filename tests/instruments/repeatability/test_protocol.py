"""The protocol on the bench: which trials, how one is conducted, and what was lost or cut on the way."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.canonical import sha256_hex
from assay.evidence import Evidence, LedgerIndex
from assay.evidence.events import Event
from assay.evidence.records import Record
from assay.instruments.repeatability import Repeatability
from assay.instruments.repeatability.programs.contracts import shipped_contracts
from assay.study import Budget
from assay.study.model import SamplingDefaults
from assay.vocabulary import Result
from tests.support import audit_run, begin, go, ledger_events, result_bytes

from .running import Fresh, conducted, locked, measures, result, study, trials

# Trials


def test_trials_are_subjects_times_temperatures_times_repetitions_with_unique_ids(tmp_path: Path) -> None:
    lock = locked(tmp_path, "reference:mixed", "reference:steady", contracts=["add", "square"])
    found = trials(lock)
    assert len(found) == 2 * 2 * 2 * 4
    assert len({trial.id for trial in found}) == len(found)
    cells = Counter((t.instance.item, t.subject, t.sampling.temperature) for t in found)
    assert set(cells.values()) == {4}
    assert len(cells) == 8


def test_every_subject_and_temperature_meets_the_same_instance(tmp_path: Path) -> None:
    found = trials(locked(tmp_path, "reference:mixed", "reference:steady"))
    instances = Counter(trial.instance.digest for trial in found)
    assert len(instances) == 4  # one a repetition
    assert set(instances.values()) == {4}  # two subjects at two temperatures


def test_a_stratum_has_a_second_wave_only_for_repair(tmp_path: Path) -> None:
    closed: Any = Fresh("add")
    closed.waves = 1
    assert list(Repeatability().trials(locked(tmp_path, repair=False), closed)) == []
    closed.waves = 2
    assert list(Repeatability().trials(locked(tmp_path), closed)) == []


def test_contracts_are_begun_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    named = locked(tmp_path, contracts=["square", "add", "square"])
    assert list(Repeatability().strata(named)) == ["square", "add"]
    everything = locked(tmp_path, contracts="all")
    assert list(Repeatability().strata(everything)) == sorted(shipped_contracts())


def test_the_order_of_subjects_does_not_change_a_trials_id(tmp_path: Path) -> None:
    one = trials(locked(tmp_path, "reference:mixed", "reference:steady"))
    other = trials(locked(tmp_path, "reference:steady", "reference:mixed"))
    assert {trial.id for trial in one} == {trial.id for trial in other}


def test_another_study_seed_is_another_instance(tmp_path: Path) -> None:
    one = prepare(study(), tmp_path)
    other = prepare(msgspec.structs.replace(study(), seed=2), tmp_path)
    assert not {t.id for t in trials(one)} & {t.id for t in trials(other)}


# Conduct, score and audit


def sent_seeds(folder: RunFolder) -> list[int | None]:
    return [event["data"]["wire"]["seed"] for event in ledger_events(folder) if event["kind"] == "sent"]


@pytest.mark.parametrize(("seeding", "different"), [("derived", 8), ("same", 1), ("none", 1)])
def test_seeds_differ_between_repetitions_unless_the_study_says_same(
    tmp_path: Path, seeding: Any, different: int
) -> None:
    folder, lock = begin(tmp_path, study(sampling=SamplingDefaults(seed=seeding)))
    assert go(folder, lock)
    seeds = sent_seeds(folder)
    assert len(seeds) == 8
    assert len(set(seeds)) == different
    assert (seeds == [None] * 8) == (seeding == "none")


def test_a_run_with_a_reference_ends_closed_and_its_audit_holds(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, study(contracts=["add", "bounded_queue"], repetitions=6))
    assert go(folder, lock)
    report = audit_run(folder, lock)
    assert report.holds, report.faults
    repairs = [
        e for e in ledger_events(folder) if e["kind"] == "end" and e["data"]["trial"]["stage"] == "repair"
    ]
    assert repairs
    assert report.trials == 2 * 2 * 6 + len(repairs)
    found = result(folder)
    assert (found.instrument, found.version, found.source) == ("repeatability", "2", "ledger")
    assert found.versions["extraction"] == "extract/1"
    cells = [m for m in found.measures if m.name != "difference"]
    assert {m.labels["contract"] for m in cells} == {"add", "bounded_queue"}
    assert {m.n for m in measures(folder, "R_raw")} == {6}


def test_one_request_is_the_prompt_alone_or_with_the_declared_system_text(tmp_path: Path) -> None:
    prompt = shipped_contracts()["add"].prompt
    for name, system, expected in (
        ("bare", "", [("user", prompt)]),
        ("told", "Be brief.", [("system", "Be brief."), ("user", prompt)]),
    ):
        folder, lock = begin(tmp_path, study(repetitions=1, temperatures=[0.5], system=system), name)
        assert go(folder, lock)
        (event,) = [event for event in ledger_events(folder) if event["kind"] == "sent"]
        wire = event["data"]["wire"]
        assert [message["role"] for message in wire["messages"]] == [role for role, _ in expected]
        for message, (_, text) in zip(wire["messages"], expected, strict=True):
            # a long text stands in the ledger once and is referred to by its digest
            assert message["content"] in (text, {"sha256": sha256_hex(text.encode())})
        assert wire["sampling"]["temperature"] == 0.5


def test_two_runs_of_one_lock_read_the_same_to_the_byte(tmp_path: Path) -> None:
    results = set()
    for name in ("one", "two"):
        folder, lock = begin(tmp_path, study(), name)
        assert go(folder, lock)
        results.add(result_bytes(folder, "repeatability"))
    assert len(results) == 1


def test_no_solution_and_no_expectation_is_put_to_a_subject(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, study())
    assert all("solutions" not in c for c in lock.materials["repeatability"]["contracts"].values())
    go(folder, lock)
    sent = json.dumps([e["data"] for e in ledger_events(folder) if e["kind"] == "sent"])
    assert "expected" not in sent


# The records


def test_the_records_hold_one_row_an_output_at_full_precision(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "mixed", repetitions=10)
    index = LedgerIndex(folder.ledger, folder.read_lock().digest)
    try:
        rows = list(Repeatability().rows(Evidence(index, "repeatability", lock=folder.read_lock())))
    finally:
        index.close()
    assert len(rows) == 20
    assert [row["repetition"] for row in rows] == [*range(10)] * 2
    (path,) = folder.path.rglob("*.csv")
    written = list(csv.DictReader(path.read_text().splitlines()))
    assert [r["distance_ast"] for r in written] == [
        "" if row["distance_ast"] is None else repr(row["distance_ast"]) for row in rows
    ]


# What infrastructure lost, and what was cut


class _Lossy(Evidence):
    """Evidence of which some trials were lost on the way and some replies cut."""

    lost = cut = 0

    def __iter__(self) -> Iterator[Record]:
        for record in super().__iter__():
            repetition = record.trial.instance.repetition
            if repetition < self.lost:
                yield msgspec.structs.replace(record, outcome="excluded", reason="http_503")
            elif repetition < self.lost + self.cut:
                yield msgspec.structs.replace(record, events=tuple(_shortened(e) for e in record.events))
            else:
                yield record


def _shortened(event: Event) -> Event:
    if event.kind != "received":
        return event
    reply = {**event.data["reply"], "finish": "length"}
    return msgspec.structs.replace(event, data={**event.data, "reply": reply})


def rescored(folder: RunFolder, *, lost: int = 0, cut: int = 0) -> Result:
    index = LedgerIndex(folder.ledger, folder.read_lock().digest)
    try:
        evidence = _Lossy(index, "repeatability", lock=folder.read_lock())
        evidence.lost, evidence.cut = lost, cut
        return Repeatability().score(evidence)
    finally:
        index.close()


def test_losses_are_counted_by_name_and_beyond_the_declared_share_the_cell_is_invalid(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady", repetitions=10, temperatures=[0.0])
    assert rescored(folder) == result(folder)
    for lost, kind in ((1, "Provisional"), (2, "Invalid")):  # a tenth is the declared share
        found = rescored(folder, lost=lost)
        assert [(e.reason, e.count) for e in found.excluded] == [("http_503", lost)]
        assert {m.n for m in found.measures} == {10 - lost}
        assert {tuple(flag.kind for flag in m.flags) for m in found.measures} == {(kind,)}
        # a later output is the first that is left: positions count what was there
        assert [m.value for m in found.measures if m.name == "canon_index"] == [0.0]


def test_replies_cut_by_their_limit_are_scored_and_noted(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady", repetitions=4, temperatures=[0.0])
    found = rescored(folder, cut=3)
    assert found.notes == ("3 replies were cut by their length limit; they are scored as they came",)
    assert found.measures == result(folder).measures


def test_a_reading_before_the_end_is_provisional_and_says_what_is_open(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, study("reference:steady", contracts=["square", "add"]))
    assert not go(folder, lock, budget=Budget(calls=1))
    found = rescored(folder)
    assert [str(flag) for flag in found.flags] == ["Provisional (not finished: square, add)"]
    assert found.measures == ()
