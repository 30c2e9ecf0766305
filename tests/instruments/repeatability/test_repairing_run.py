"""A run with repair, without a model: the second wave, its events, its resumption, and what an audit makes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder
from assay.bench.prepare import instruments_of
from assay.canonical import encode, sha256_hex
from assay.errors import IntegrityError
from assay.evidence import Evidence, LedgerIndex, segment_paths
from assay.evidence.chain import genesis, seal
from assay.instruments.repeatability import Repeatability
from assay.instruments.repeatability.programs.extraction import extract_code
from assay.instruments.repeatability.programs.repair import STEPS
from assay.report.publish import publish
from assay.study import Lock, Study
from assay.vocabulary import Measure, Reading, Result
from tests.support import audit_run, begin, go, ledger_events, result_bytes

Event = dict[str, Any]
OPTIONS: dict[str, Any] = {"contracts": ["add"], "temperatures": [0.0, 0.7], "repetitions": 6}


def study(*subjects: str, **options: Any) -> Study:
    return Study(
        name="r",
        subjects=subjects or ("reference:mixed",),
        instruments={"repeatability": {**OPTIONS, **options}},
    )


def conducted(root: Path, *subjects: str, name: str = "run", **options: Any) -> tuple[RunFolder, Lock]:
    folder, lock = begin(root, study(*subjects, **options), name)
    assert go(folder, lock)
    return folder, lock


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    """A finished run that nobody changes."""
    return conducted(tmp_path_factory.mktemp("whole"))


def result(folder: RunFolder) -> Result:
    return msgspec.json.decode(folder.reading_path("repeatability").read_bytes(), type=Reading).result


def measures(found: Result, name: str, level: str) -> list[Measure]:
    return [m for m in found.measures if m.name == name and m.labels.get("level") == level]


def trial_of(event: Event) -> Event:
    found: Event = event["data"]["trial"]
    return found


def ends(folder: RunFolder, *, repairs: bool) -> list[Event]:
    """The last events of the trials of the first wave, or of the second."""
    return [
        event
        for event in ledger_events(folder)
        if event["kind"] == "end" and (trial_of(event)["stage"] == "repair") == repairs
    ]


def test_the_versions_of_all_rules_stand_in_the_lock_and_in_the_ledger(whole: tuple[RunFolder, Lock]) -> None:
    """Spec, Version Requirements: "All logs MUST record" them."""
    folder, lock = whole
    declared = lock.materials["repeatability"]["versions"]
    read = {name: version.partition("+")[0] for name, version in result(folder).versions.items()}
    assert read == declared == folder.read_lock().materials["repeatability"]["versions"]
    for repairs, names in (
        (False, {"extraction", "normalisation.text", "oracle"}),
        (True, {"oracle", "repair"}),
    ):
        for event in ends(folder, repairs=repairs):
            recorded = event["data"]["report"]["versions"]
            assert recorded == {name: declared[name] for name in names}


# The second wave


def test_every_repair_is_built_from_the_output_and_from_its_canon(whole: tuple[RunFolder, Lock]) -> None:
    folder, _ = whole
    first = {event["trial"]: event for event in ends(folder, repairs=False)}
    repairs = ends(folder, repairs=True)
    assert repairs
    for event in repairs:
        output, canon = (first[reference.partition(":")[0]] for reference in trial_of(event)["inputs"])
        assert output["data"]["outcome"] == canon["data"]["outcome"] == "success"
        assert trial_of(event)["factors"] == trial_of(output)["factors"]
        assert trial_of(event)["instance"] == trial_of(output)["instance"]
        assert trial_of(canon)["factors"] == trial_of(output)["factors"]
        assert trial_of(canon)["instance"]["repetition"] < trial_of(output)["instance"]["repetition"]


def test_every_proposal_is_run_and_recorded_with_its_step_its_end_and_its_distances(
    whole: tuple[RunFolder, Lock],
) -> None:
    folder, _ = whole
    names = {step.name for step in STEPS}
    events = ledger_events(folder)
    for end in ends(folder, repairs=True):
        mine = [e for e in events if e.get("trial") == end["trial"] and e["kind"] == "computed"]
        assert [e["data"]["name"] for e in mine] == ["execute", "repair"] * (len(mine) // 2)
        proposals = [e["data"] for e in mine[1::2]]
        before = None
        for proposal in proposals:
            assert set(proposal["request"]) == {"step", "source"}
            assert proposal["request"]["step"] in names
            reach = [Fraction(*pair) for pair in proposal["result"]["distances"]]
            assert all(0 <= distance <= 1 for distance in reach)
            if before is not None:
                assert all(now <= then for now, then in zip(reach, before, strict=True))
            before = reach if proposal["result"]["kept"] else before
        report = end["data"]["report"]
        assert [(t["step"], t["digest"], t["kept"]) for t in report["tried"]] == [
            (p["request"]["step"], p["request"]["source"], p["result"]["kept"]) for p in proposals
        ]
        kept = [p["request"]["source"] for p in proposals if p["result"]["kept"]]
        if kept:
            assert sha256_hex(report["source"].encode()) == kept[-1]


def test_no_model_is_asked_in_the_second_wave(whole: tuple[RunFolder, Lock]) -> None:
    folder, _ = whole
    repaired = {event["trial"] for event in ends(folder, repairs=True)}
    asked = {event["trial"] for event in ledger_events(folder) if event["kind"] == "sent"}
    assert not repaired & asked
    assert len(asked) == 12


def test_without_repair_there_is_one_wave_and_nothing_is_said_of_what_comes_after(tmp_path: Path) -> None:
    folder, lock = conducted(tmp_path, repair=False)
    assert ends(folder, repairs=True) == []
    found = result(folder)
    assert not {m.name for m in found.measures} & {"R_anchor", "rescue_rate", "mu_post", "delta_mu"}
    assert "repair" not in found.versions
    assert audit_run(folder, lock).holds


def test_two_formattings_of_one_program_are_one_program_after_repair(tmp_path: Path) -> None:
    folder, _ = conducted(tmp_path, "reference:restyled", repetitions=8)
    found = result(folder)
    assert {m.value for m in measures(found, "R_anchor", "text")} == {1.0}
    for after, before in zip(
        measures(found, "R_anchor", "text"), measures(found, "R_anchor_pre", "text"), strict=True
    ):
        assert before.value is not None
        assert before.value < 1
        assert after.labels == before.labels


def test_wrong_programs_are_not_repaired(tmp_path: Path) -> None:
    folder, lock = conducted(tmp_path, "reference:wrong")
    assert ends(folder, repairs=True) == []
    assert {m.value for m in measures(result(folder), "R_anchor", "ast")} == {None}
    assert audit_run(folder, lock).holds


# Broken off and taken up again


def cut(whole: RunFolder, lines: int, root: Path, name: str) -> RunFolder:
    """The run as a kill after so many events would have left it."""
    folder = RunFolder.create(root, name)
    shutil.copy(whole.lock_path, folder.lock_path)
    folder.ledger.mkdir(exist_ok=True)
    (path,) = segment_paths(whole.ledger)
    kept = path.read_bytes().splitlines(keepends=True)[:lines]
    (folder.ledger / path.name).write_bytes(b"".join(kept))
    return folder


def places(folder: RunFolder) -> dict[str, int]:
    """Moments in the second wave, by the number of events before them."""
    events = ledger_events(folder)
    second = next(i for i, e in enumerate(events) if e["kind"] == "wave" and e["data"]["number"] == 1)
    tried = [i for i, e in enumerate(events) if e["kind"] == "computed" and e["data"]["name"] == "repair"]
    return {
        "before the second wave": second,
        "after it was opened": second + 1,
        "between a run and what became of it": tried[0],
        "in the middle of a repair": tried[0] + 1,
        "late": tried[-1] + 1,
    }


def scored(folder: RunFolder, lock: Lock) -> Result:
    index = LedgerIndex(folder.ledger, lock.digest)
    try:
        index.refresh()
        return Repeatability().score(Evidence(index, "repeatability", lock=lock))
    finally:
        index.close()


@pytest.mark.parametrize(
    "moment",
    [
        "before the second wave",
        "after it was opened",
        "between a run and what became of it",
        "in the middle of a repair",
        "late",
    ],
)
def test_a_run_broken_off_in_the_second_wave_ends_as_if_it_had_not_been(
    tmp_path: Path, whole: tuple[RunFolder, Lock], moment: str
) -> None:
    folder, lock = whole
    broken = cut(folder, places(folder)[moment], tmp_path, "broken")
    told = [str(flag) for flag in scored(broken, lock).flags]
    assert len(told) == 1
    assert told[0].startswith("Provisional (not finished: ")
    assert go(broken, lock)
    assert result_bytes(broken, "repeatability") == result_bytes(folder, "repeatability")
    asked = [e for e in ledger_events(broken) if e["kind"] == "sent"]
    assert len(asked) == 12
    assert audit_run(broken, lock).holds


def test_between_the_waves_nothing_is_rescued_yet_and_the_reading_says_so(
    tmp_path: Path, whole: tuple[RunFolder, Lock]
) -> None:
    folder, lock = whole
    found = scored(cut(folder, places(folder)["before the second wave"], tmp_path, "broken"), lock)
    assert {m.value for m in measures(found, "rescue_rate", "ast")} == {0.0}
    assert [flag.kind for flag in found.flags] == ["Provisional"]
    assert scored(folder, lock).flags == result(folder).flags == ()


# Audit


def forged(whole: RunFolder, lock: Lock, root: Path, change: Callable[[Event], None]) -> RunFolder:
    """Events changed, the chain hashed anew, what it now amounts to published, and all of that signed."""
    folder = cut(whole, 1 << 30, root, "forged")
    for path in segment_paths(folder.ledger):
        head, lines = genesis(lock.digest, path.name), []
        for line in path.read_bytes().splitlines():
            event = json.loads(line)["event"]
            change(event)
            sealed, head = seal(head, encode(event))
            lines.append(sealed)
        path.write_bytes(b"".join(lines))
    publish(folder, lock, instruments_of(lock))
    return folder


def test_a_run_with_repair_holds_and_so_does_its_copy(tmp_path: Path, whole: tuple[RunFolder, Lock]) -> None:
    folder, lock = whole
    assert audit_run(folder, lock).holds
    report = audit_run(forged(folder, lock, tmp_path, lambda event: None), lock)
    assert report.holds, report.faults


def test_a_repaired_program_that_was_put_in_afterwards_is_found(
    tmp_path: Path, whole: tuple[RunFolder, Lock]
) -> None:
    """The canon in the place of what repair reached: replacing is not repairing."""
    folder, lock = whole
    changed: list[str] = []
    index = LedgerIndex(folder.ledger, lock.digest)
    index.refresh()

    def replace(event: Event) -> None:
        report = event["data"].get("report") if event["kind"] == "end" else None
        if report and "source" in report:
            canon = extract_code(index.earlier(trial_of(event)["inputs"][1]).replies[0].text, "add")
            if report["source"] != canon:
                report["source"] = canon
                changed.append(event["trial"])

    report = audit_run(forged(folder, lock, tmp_path, replace), lock)
    index.close()
    assert changed
    assert all(any(trial[:12] in fault for fault in report.faults) for trial in changed)


def test_a_repair_that_leads_away_cannot_even_be_published(
    tmp_path: Path, whole: tuple[RunFolder, Lock]
) -> None:
    folder, lock = whole

    def spoil(event: Event) -> None:
        if event["kind"] == "end" and event["data"].get("report"):
            event["data"]["report"]["source"] = "nothing like it"

    with pytest.raises(IntegrityError, match="moved an output away from its canon"):
        forged(folder, lock, tmp_path, spoil)


@pytest.mark.parametrize("field", ["distances", "kept"])
def test_a_changed_distance_or_a_proposal_said_to_be_refused_is_found(
    tmp_path: Path, whole: tuple[RunFolder, Lock], field: str
) -> None:
    folder, lock = whole
    changed: list[str] = []

    def alter(event: Event) -> None:
        other = [[0, 1], [0, 1]] if field == "distances" else False
        mine = event["kind"] == "computed" and event["data"]["name"] == "repair" and not changed
        if mine and event["data"]["result"][field] != other:
            event["data"]["result"][field] = other
            changed.append(event["trial"])

    report = audit_run(forged(folder, lock, tmp_path, alter), lock)
    assert any(
        changed[0][:12] in fault and "repair gives another result than was recorded" in fault
        for fault in report.faults
    )


def test_an_output_that_was_changed_after_it_was_repaired_is_found(
    tmp_path: Path, whole: tuple[RunFolder, Lock]
) -> None:
    folder, lock = whole
    used = trial_of(ends(folder, repairs=True)[0])["inputs"][0].partition(":")[0]

    def alter(event: Event) -> None:
        if event.get("trial") == used and event["kind"] == "received":
            event["data"]["reply"]["text"] += "\n"

    report = audit_run(forged(folder, lock, tmp_path, alter), lock)
    assert any("wave 1: the protocol yields other trials than were run" in fault for fault in report.faults)


# Canons from elsewhere


def canons_folder(folder: RunFolder) -> str:
    return str(folder.path / "canons")


def test_repair_towards_a_declared_canon_needs_one_input_and_holds(tmp_path: Path) -> None:
    steady, _ = conducted(tmp_path, "reference:steady", name="steady")
    folder, lock = conducted(tmp_path, "reference:renamed", name="later", canons_file=canons_folder(steady))
    repairs = ends(folder, repairs=True)
    assert repairs
    assert {len(trial_of(event)["inputs"]) for event in repairs} == {1}
    found = result(folder)
    assert {m.value for m in measures(found, "R_anchor", "ast")} == {1.0}
    assert all((m.value or 0) > 0 for m in measures(found, "rescue_rate", "ast"))
    assert audit_run(folder, lock).holds


def test_repair_towards_the_canons_of_an_earlier_run_holds(tmp_path: Path) -> None:
    steady, _ = conducted(tmp_path, "reference:steady", name="steady")
    folder, lock = conducted(tmp_path, "reference:formatting", name="later", drift_from=str(steady.path))
    repairs = ends(folder, repairs=True)
    assert repairs
    assert {len(trial_of(event)["inputs"]) for event in repairs} == {1}
    assert {m.value for m in measures(result(folder), "R_anchor", "text")} == {1.0}
    assert [m for m in result(folder).measures if m.name == "drift"]
    assert audit_run(folder, lock).holds


def test_with_one_canon_a_contract_repairs_refer_to_the_cell_that_holds_it(tmp_path: Path) -> None:
    subjects = ("reference:restyled", "reference:renamed")
    folder, lock = conducted(tmp_path, *subjects, canon_scope="contract", repetitions=5)
    first = {event["trial"]: event for event in ends(folder, repairs=False)}
    repairs = ends(folder, repairs=True)
    holders = {trial_of(event)["inputs"][1] for event in repairs}
    assert len(holders) == 1
    (holder,) = (trial_of(first[reference.partition(":")[0]]) for reference in holders)
    assert holder["subject"] == "reference:restyled"  # declared first, and last by the alphabet
    assert {trial_of(event)["subject"] for event in repairs} >= {"reference:renamed"}
    assert {m.value for m in measures(result(folder), "R_anchor", "ast")} == {1.0}
    assert audit_run(folder, lock).holds


def test_an_earlier_run_whose_files_are_not_those_that_were_signed_is_refused(tmp_path: Path) -> None:
    """A reading that was made to say something else, and agrees with itself, decided a drift once."""
    earlier, lock = begin(tmp_path, study(contracts=["add"], repetitions=6), "earlier")
    assert go(earlier, lock)
    declared = {"contracts": ["add"], "repetitions": 6, "drift_from": str(earlier.path)}
    begin(tmp_path, study(**declared), "honest")
    path = earlier.reading_path("repeatability")
    path.write_bytes(path.read_bytes().replace(b'"value":1.0', b'"value":0.5', 1))
    with pytest.raises(IntegrityError, match=r"is not what was signed: .*not the file that was signed"):
        begin(tmp_path, study(**declared), "deceived")
