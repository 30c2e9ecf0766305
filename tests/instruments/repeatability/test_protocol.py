"""The protocol on the bench: which trials, how one is conducted, and what references of known truth read."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder, load_instrument
from assay.bench.prepare import prepare
from assay.canonical import sha256_hex
from assay.errors import InputError
from assay.evidence import Evidence, LedgerIndex
from assay.evidence.events import Event
from assay.evidence.records import Record
from assay.instruments.repeatability import Repeatability
from assay.instruments.repeatability.canons import canon_bytes
from assay.instruments.repeatability.cells import Canon
from assay.instruments.repeatability.contracts import shipped_contracts
from assay.instruments.repeatability.reference import REFERENCES
from assay.streams import Stream
from assay.study import Budget, Lock, Study, read_source
from assay.study.model import SamplingDefaults
from assay.vocabulary import Measure, Reading, Result, Trial
from tests.support import audit_run, begin, go, ledger_events, result_bytes

QUICK: dict[str, Any] = {"contracts": ["add"], "temperatures": [0.0, 0.7], "repetitions": 4}


def study(*subjects: str, sampling: SamplingDefaults | None = None, **options: Any) -> Study:
    return Study(
        name="r",
        subjects=subjects or ("reference:mixed",),
        instruments={"repeatability": {**QUICK, **options}},
        sampling=sampling or SamplingDefaults(),
    )


def locked(folder: Path, *subjects: str, **options: Any) -> Lock:
    return prepare(study(*subjects, **options), folder)


class _Fresh:
    """The evidence of a stratum in which nothing has happened yet."""

    waves = 0

    def __init__(self, stratum: str) -> None:
        self.stratum = stratum


def trials(lock: Lock) -> list[Trial]:
    instrument = Repeatability()
    fresh: Any = _Fresh
    return [t for stratum in instrument.strata(lock) for t in instrument.trials(lock, fresh(stratum))]


def result(folder: RunFolder) -> Result:
    return msgspec.json.decode(folder.reading_path("repeatability").read_bytes(), type=Reading).result


def measures(folder: RunFolder, name: str, level: str | None = None) -> Iterator[Measure]:
    return (m for m in result(folder).measures if m.name == name and m.labels.get("level") == level)


def values(folder: RunFolder, name: str, level: str | None = None) -> set[float | None]:
    return {m.value for m in measures(folder, name, level)}


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
    closed: Any = _Fresh("add")
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
        e for e in ledger_events(folder) if e["kind"] == "end" and "repair" in e["data"]["trial"]["condition"]
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


# References of known truth


def conducted(root: Path, subject: str, **options: Any) -> RunFolder:
    folder, lock = begin(root, study(f"reference:{subject}", **options), subject)
    assert go(folder, lock)
    return folder


def test_steady_reads_one_everywhere(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady", contracts=["add", "bounded_queue"])
    for name in ("R_raw", "R_ast", "R_reply", "pass_rate"):
        assert values(folder, name) == {1.0}
    for level in ("text", "ast"):
        assert values(folder, "R_anchor_pre", level) == {1.0}
        assert values(folder, "P_tau_pre", level) == {1.0}
        assert values(folder, "mu_pre", level) == {0.0}
    assert values(folder, "canon_index") == {0.0}


def test_scattered_never_repeats_and_is_one_program_all_the_same(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "scattered", contracts=["add", "square"])
    assert values(folder, "R_raw") == {0.25}
    assert values(folder, "R_reply") == {0.25}
    assert values(folder, "R_ast") == {1.0}
    assert values(folder, "R_anchor_pre", "text") == {0.25}
    assert values(folder, "R_anchor_pre", "ast") == {1.0}


def test_dressed_is_one_program_in_two_dresses(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "dressed", repetitions=12)
    assert values(folder, "R_anchor_pre", "ast") == {1.0}
    assert values(folder, "mu_pre", "ast") == {0.0}
    assert values(folder, "pass_rate") == {1.0}
    assert all(value is not None and 0.5 <= value < 1 for value in values(folder, "R_raw"))


def test_wrong_has_no_canon(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "wrong", contracts=["add", "square"])
    assert values(folder, "pass_rate") == {0.0}
    assert values(folder, "canon_index") == {None}
    assert values(folder, "R_anchor_pre", "text") == {None}
    assert {m.spec_value for m in measures(folder, "mu_pre", "ast")} == {1.0}
    assert list(folder.path.rglob("canons/*.json")) == []


def test_talker_fails_with_exceptions_and_its_prose_is_scored(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "talker")
    ends = [event["data"] for event in ledger_events(folder) if event["kind"] == "end"]
    assert {(end["outcome"], end["reason"]) for end in ends} == {("failure", "exception")}
    assert values(folder, "R_raw") == {1.0}
    assert values(folder, "canon_index") == {None}


def test_every_reference_answers_every_shipped_contract() -> None:
    for name, policy in REFERENCES.items():
        assert policy.about
        for contract in shipped_contracts().values():
            messages = [{"role": "user", "content": contract.prompt}]
            first = [policy.answer(messages, Stream("t", name, i)) for i in range(8)]
            assert first == [policy.answer(messages, Stream("t", name, i)) for i in range(8)]
            assert all(text.startswith("```python\n") for text in first) == (name != "talker")


# Canons in a run


def test_canons_are_kept_by_digest_and_an_older_one_can_be_declared(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady")
    stored = sorted(folder.path.rglob("canons/*.json"))
    (canon,) = [msgspec.json.decode(path.read_bytes(), type=Canon) for path in stored]
    assert [path.stem for path in stored] == [canon.digest]
    again, lock = begin(tmp_path, study("reference:scattered", canons_file=str(stored[0].parent)), "declared")
    assert go(again, lock)
    assert values(again, "R_anchor_pre", "ast") == {1.0}
    assert values(again, "R_anchor_pre", "text") == {0.0}
    assert {m.notes for m in measures(again, "canon_index")} == {("the canon was declared",)}
    assert {m.labels["canon"] for m in measures(again, "canon_index")} == {canon.digest}
    assert audit_run(again, lock).holds


def test_a_later_subject_never_changes_an_earlier_ones_canon(tmp_path: Path) -> None:
    """The canon was one mutable file a contract: later models were measured against another's leftover."""
    alone = conducted(tmp_path, "steady")
    both, lock = begin(tmp_path, study("reference:dressed", "reference:steady"), "both")
    assert go(both, lock)
    own = {m.labels["canon"] for m in measures(alone, "canon_index")}
    beside = {
        m.labels["canon"] for m in measures(both, "canon_index") if m.labels["model"] == "reference:steady"
    }
    assert own == beside


def test_a_declared_canon_of_another_contract_version_is_refused_before_anything_runs(tmp_path: Path) -> None:
    old = Canon(contract="add", snapshot="0" * 64, code="def add(a, b): return a + b")
    path = tmp_path / f"{old.digest}.json"
    path.write_bytes(canon_bytes(old))
    with pytest.raises(InputError, match="was made for another version of the contract 'add'"):
        locked(tmp_path, canons_file=path.name)


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


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperatures": []}, "instruments.repeatability.temperatures: give at least one temperature"),
        (
            {"temperatures": [0.5, 0.5]},
            "instruments.repeatability.temperatures: a temperature is given twice",
        ),
        (
            {"contracts": ["ad"]},
            "instruments.repeatability.contracts: unknown contract 'ad'; did you mean 'add'?",
        ),
        ({"contracts": []}, "instruments.repeatability.contracts: no contract was chosen"),
        (
            {"repetition": 3},
            "instruments.repeatability.repetition: unknown field; did you mean 'repetitions'?",
        ),
        ({"tau": 2}, "instruments.repeatability.tau: must be a number, at most 1"),
        ({"repetitions": 0}, "instruments.repeatability.repetitions: must be a whole number, at least 1"),
    ],
)
def test_wrong_options_are_refused_by_name(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        locked(tmp_path, **options)
    assert str(caught.value) == message


def test_wrong_options_in_a_file_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "subjects: [reference:steady]\ninstruments:\n  repeatability:\n    temperatures: [0.1, 0.1]\n"
    )
    source = read_source(path)
    with pytest.raises(InputError) as caught:
        prepare(msgspec.convert(source.value, Study), tmp_path, source)
    assert str(caught.value) == (
        f"{path}:4: instruments.repeatability.temperatures: a temperature is given twice"
    )


def test_quick_names_shipped_contracts_only(tmp_path: Path) -> None:
    assert list(locked(tmp_path, contracts="quick").materials["repeatability"]["contracts"]) == [
        "add",
        "is_even",
        "square",
    ]
    mine = {
        "f": {
            "prompt": "p",
            "entry_point": "f",
            "kind": "function",
            "test_cases": [{"args": [], "expected": 1}],
        }
    }
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    assert list(
        locked(tmp_path, contracts="all", contracts_file="mine.json").materials["repeatability"]["contracts"]
    ) == ["f"]
    with pytest.raises(InputError, match="'quick' names shipped contracts; leave contracts_file out"):
        locked(tmp_path, contracts="quick", contracts_file="mine.json")


def test_the_plan_counts_what_would_be_asked(tmp_path: Path) -> None:
    lock = locked(tmp_path, "reference:mixed", "reference:steady", repetitions=20)
    plan = Repeatability().plan(lock)
    assert (plan.trials, plan.calls) == (80, 80)
    assert plan.trials == len(trials(lock))
    assert plan.output_tokens == 80 * 1024
    assert plan.detectable[0].startswith("a share in one cell of 20 outputs is known to within 0.4")
    assert "can be told from 0.9" in plan.detectable[1]
    few = Repeatability().plan(locked(tmp_path, repetitions=1))
    assert "too few to show any difference" in few.detectable[1]


def test_one_item_can_be_shown_in_full_without_its_solutions() -> None:
    instrument = load_instrument("repeatability")
    shown = instrument.show("add", 7)
    assert shown["messages"] == [{"role": "user", "content": shipped_contracts()["add"].prompt}]
    assert "solutions" not in shown["contract"]
    assert shown["snapshot"] == shipped_contracts()["add"].snapshot
    assert [item.id for item in instrument.items()] == list(shipped_contracts())
    with pytest.raises(InputError, match="did you mean 'add'"):
        instrument.show("ad", 7)
