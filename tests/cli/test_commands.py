"""Every command with good input: what it prints for people, and that ``--json`` prints one document and no more."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.evidence import manifest_paths, segment_paths
from tests.support import ledger_events, result_bytes

from .conftest import Assay, Ended

# Two strata of five trials each: waves, a world, a clock, conversations, and no figures to draw.
QUICK = ("run", "drill", "-s", "reference:mumbler", "--trials", "1", "--turns", "2", "--name", "one")
STUDY = "name: small\nsubjects: [reference:mumbler]\ninstruments: {drill: {trials: 1}}\n"


def document(ended: Ended, code: int = 0) -> Any:
    """The one JSON document on stdout, with nothing beside it."""
    assert (ended.code, ended.err) == (code, "")
    assert ended.out.endswith("\n")
    assert ended.out.count("\n") == 1
    return json.loads(ended.out)


def test_a_run_prints_its_headline_and_where_everything_is(assay: Assay, tmp_path: Path) -> None:
    ended = assay(*QUICK)
    assert ended.code == 0
    assert ended.out.startswith("Targets reached in the drill\n")
    assert ended.out.endswith(
        "\nRun      runs/one\nReport   runs/one/report.html\nAudit    assay audit runs/one\n"
    )
    assert ended.err.splitlines()[-1].startswith("10/10 trials · ")
    assert {path.name for path in (tmp_path / "runs/one").iterdir()} >= {
        "lock.json", "ledger", "reading-drill.json", "records-drill.csv", "report.html",
    }  # fmt: skip


def test_run_json_is_the_reading(assay: Assay, tmp_path: Path) -> None:
    told = document(assay(*QUICK, "--json"))
    [reading] = told.pop("readings")
    assert told == {"run": "runs/one", "finished": True, "usable": True, "unusable": []}
    assert reading == json.loads((tmp_path / "runs/one/reading-drill.json").read_bytes())
    assert document(assay("report", "one", "--json")) == reading


def test_status_report_and_audit_of_a_finished_run(assay: Assay, tmp_path: Path) -> None:
    assay(*QUICK)
    assert assay("status", "one").out.startswith(
        "runs/one: closed\n  trials  10 of 10 finished, 0 begun\n  waves   6 of 6 closed\n  used    16 calls, "
    )
    told = document(assay("status", "runs/one", "--json"))
    assert (told["state"], told["trials_finished"], told["calls"]) == ("closed", 10, 16)
    (tmp_path / "runs/one/report.html").unlink()
    assert assay("report", "one") == (0, "Report   runs/one/report.html\n", "")
    assert (tmp_path / "runs/one/report.html").read_text().startswith("<!")
    audited = assay("audit", "one")
    assert (audited.code, audited.err) == (0, "")
    assert audited.out.splitlines()[-2].startswith("holds     all that is sealed is as it was declared")
    told = document(assay("audit", "one", "--json"))
    assert (told["holds"], told["faults"], told["trials"]) == (True, [], 10)
    assert (told["asks"], told["steps"]) == (16, 16)  # a step of the world for every reply


def test_an_audit_that_fails_is_exit_code_1_and_names_the_fault(assay: Assay, tmp_path: Path) -> None:
    assay(*QUICK)
    path = tmp_path / "runs/one/reading-drill.json"
    path.write_bytes(path.read_bytes().replace(b'"reached"', b'"reacted"') + b" ")
    ended = assay("audit", "one")
    assert (ended.code, ended.err) == (1, "")
    assert "FAULT     reading-drill.json: not the file that was signed" in ended.out
    assert ended.out.endswith("FAILS\nfinding   Invalid (Non-Compliance)\n")
    told = document(assay("audit", "one", "--json"), 1)
    assert (told["holds"], told["determination"]) == (False, "Invalid (Non-Compliance)")
    assert told["reasons"] == told["faults"]
    line = next((tmp_path / "runs/one/ledger").glob("0001.jsonl"))
    line.write_bytes(line.read_bytes().replace(b"Turn", b"Term", 1))
    assert assay("audit", "one").code == 1
    lock = tmp_path / "runs/one/lock.json"
    lock.write_bytes(lock.read_bytes().replace(b"A", b"B", 1))
    ended = assay("audit", "one")
    assert ended.code == 1
    assert ended.out.startswith("FAULT     lock.json: ")
    assert ended.out.endswith("\nFAILS\nfinding   Invalid (Non-Compliance)\n")


def test_an_audit_by_the_wrong_key_is_exit_code_1(assay: Assay) -> None:
    assay(*QUICK)
    ended = assay("audit", "one", "--signed-by", "0" * 64)
    assert ended.code == 1
    assert ended.out.startswith("FAULT     lock.json: signed by key ")
    told = document(assay("audit", "one", "--json"))
    assert told["determination"] == "Contested (Evidence Insufficient)"
    assert [reason for reason in told["reasons"] if "nobody vouches for the key" in reason] == told["reasons"]
    vouched = assay("audit", "one", "--signed-by", told["keyid"][:16])
    assert (vouched.code, vouched.out.splitlines()[-1]) == (0, "finding   Compliant")


def test_a_plan_says_what_would_be_asked_and_leaves_nothing_behind(assay: Assay, tmp_path: Path) -> None:
    ended = assay(
        "plan", "ping", "drill", "-s", "reference:mumbler", "--set", "ping.trials=7", "--call-seconds", "2"
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("ping: 7 trials, 7 calls\n  tokens     about 64 in, at most 448 out\n")
    assert "\ndrill: " in ended.out
    told = document(assay("plan", "ping", "-s", "reference:mumbler", "--set", "trials=7", "--json"))
    assert (told["calls"], told["instruments"]["ping"]["trials"], told["cost_at_most"]) == (7, 7, None)
    assert not (tmp_path / "runs").exists()


def test_a_plan_of_repeatability_says_what_it_could_detect(assay: Assay) -> None:
    ended = assay("plan", "repeatability", "-s", "reference:mixed", "--quick")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("repeatability: 48 trials, 48 calls\n")
    assert ended.out.count("  detectable ") == 2
    told = document(assay("plan", "repeatability", "-s", "reference:mixed", "--quick", "--json"))
    assert told["calls"] == 48


def test_a_lock_is_run_elsewhere_as_it_was_made(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.yaml").write_text(STUDY)
    told = document(assay("lock", "small.yaml", "--json"))
    assert told["lock"] == "small.lock.json"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "small.lock.json").rename(elsewhere / "small.lock.json")
    (tmp_path / "small.yaml").unlink()
    monkeypatch.chdir(elsewhere)
    assert document(assay("plan", "ping", "-s", "reference:mumbler", "--json"))["calls"] == 100
    ran = document(assay("run", "small.lock.json", "--name", "there", "--json"))
    assert ran["readings"][0]["envelope"]["lock"] == told["digest"]
    assert (elsewhere / "runs/there/lock.json").read_bytes() == (elsewhere / "small.lock.json").read_bytes()
    assert assay("audit", "there", "--signed-by", told["keyid"]).code == 0


def test_a_lock_says_its_digest_and_signature(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(STUDY)
    ended = assay("lock", "small.yaml", "--out", "other.json")
    assert (ended.code, ended.err) == (0, "")
    labels = [line.split()[0] for line in ended.out.splitlines()[:3]]
    assert labels == ["Locked", "Digest", "Signed"]
    assert (tmp_path / "other.json").is_file()


def test_a_budget_stops_with_exit_code_3_and_resume_completes(assay: Assay, tmp_path: Path) -> None:
    assay(*QUICK)
    stopped = assay(*QUICK[:-1], "two", "--budget", "calls=5")
    assert stopped.code == 3
    assert stopped.out == (
        "Stopped: the budget of 5 calls is used up.\nWhat is recorded is safe. Go on with: assay resume runs/two\n"
    )
    told = assay("status", "two").out
    assert told.startswith("runs/two: not finished\n")
    assert told.endswith("  go on with: assay resume runs/two\n")
    again = document(assay("resume", "two", "--json"), 3)
    assert again == {"run": "runs/two", "finished": False, "reason": "the budget of 5 calls is used up"}
    assert document(assay("resume", "two", "--budget", "calls=1e6", "--json"))["finished"] is True
    one, two = RunFolder(tmp_path / "runs/one"), RunFolder(tmp_path / "runs/two")
    assert result_bytes(one) == result_bytes(two)
    assert sum(event["kind"] == "end" for event in ledger_events(two)) == 10


def test_resuming_a_closed_run_shows_it_again_and_writes_no_evidence(assay: Assay, tmp_path: Path) -> None:
    first = assay(*QUICK)
    folder = tmp_path / "runs/one/ledger"
    before = [path.read_bytes() for path in [*segment_paths(folder), *manifest_paths(folder)]]
    again = assay("resume", "one")
    assert (again.code, again.out) == (0, first.out)
    assert [path.read_bytes() for path in [*segment_paths(folder), *manifest_paths(folder)]] == before
    assert assay("audit", "one").code == 0


def test_a_run_that_a_power_cut_ended_is_reported_as_it_stands(assay: Assay, tmp_path: Path) -> None:
    assert assay(*QUICK, "--budget", "calls=9").code == 3
    segment = tmp_path / "runs/one/ledger/0001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-20])
    before = segment.read_bytes()
    assert "torn tail" in assay("status", "one").out
    assert assay("report", "one") == (0, "Report   runs/one/report.html\n", "")
    assert segment.read_bytes() == before, "a report changes no evidence"


def test_lists_name_what_is_installed(assay: Assay) -> None:
    ids = {
        what: [row["id"] for row in document(assay("list", what, "--json"))]
        for what in ("instruments", "subjects", "references", "contracts", "drills")
    }
    assert ids["instruments"] == [
        "agency",
        "bias",
        "consistency",
        "drill",
        "ping",
        "recognition",
        "repeatability",
    ]
    assert {"local:smollm2", "openai:MODEL", "reference:NAME", "python:module:callable"} <= set(
        ids["subjects"]
    )
    assert {"reference:mixed", "reference:mumbler"} <= set(ids["references"])
    assert {"add", "is_even", "square"} <= set(ids["contracts"])
    assert ids["drills"] == ["drill"]
    for what, expected in ids.items():
        plain = assay("list", what)
        assert (plain.code, plain.err) == (0, "")
        assert [line.split()[0] for line in plain.out.splitlines()] == expected


def test_show_prints_an_instance_in_full(assay: Assay) -> None:
    told = document(assay("show", "repeatability", "square", "--json"))
    plain = assay("show", "repeatability", "square")
    assert (plain.code, plain.err) == (0, "")
    assert told["messages"][0]["content"].rstrip() in plain.out
    assert f"--- criterion\n{told['criterion']}\n" in plain.out
    assert "solutions" not in told["contract"] or not told["contract"]["solutions"]
    other = document(assay("show", "repeatability", "square", "--seed", "2", "--json"))
    assert other["instance"] != told["instance"]


def test_score_reads_plain_rows(assay: Assay, tmp_path: Path) -> None:
    programs = ["def add(a, b):\n    return a + b\n"] * 3 + ["def add(a, b):\n    return b\n"]
    row = {"contract": "add", "model": "[red]m</b>", "temperature": 0.5, "outputs": programs}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    told = document(assay("score", "repeatability", "rows.jsonl", "--json"))
    assert told["result"]["source"] == "rows"
    assert {"kind": "Limited Comparability", "cause": "not declared first"} in told["result"]["flags"]
    rates = [m for m in told["result"]["measures"] if m["name"] == "pass_rate"]
    assert [(m["value"], m["n"]) for m in rates] == [(0.75, 4)]
    plain = assay("score", "repeatability", "rows.jsonl")
    assert (plain.code, plain.err) == (0, "")
    assert "same behaviour" in plain.out
    assert "Limited Comparability (not declared first)" in plain.out
    assert f"All {len(told['result']['measures'])} measures: --all" in plain.out
    long = assay("score", "repeatability", "rows.jsonl", "--all")
    assert (long.code, long.err) == (0, "")
    assert "pass_rate" in long.out
    assert "\x1b" not in plain.out + long.out


def test_score_repairs_unless_told_not_to(assay: Assay, tmp_path: Path) -> None:
    programs = ["def add(a, b):\n    return a + b\n"] * 2
    row = {"contract": "add", "model": "m", "outputs": programs}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    names = {}
    for switch in ("--repair", "--no-repair"):
        told = document(assay("score", "repeatability", "rows.jsonl", "--json", switch))
        names[switch] = {m["name"] for m in told["result"]["measures"]}
    assert names["--repair"] - names["--no-repair"] >= {"R_anchor", "rescue_rate", "mu_post"}
    assert "after repair" in assay("score", "repeatability", "rows.jsonl").out
    assert "after repair" not in assay("score", "repeatability", "rows.jsonl", "--no-repair").out


def test_help_and_version(assay: Assay) -> None:
    assert assay("--version").out.startswith("assay ")
    for arguments in ((), ("--help",), ("run", "-h"), ("audit", "--help")):
        ended = assay(*arguments)
        assert (ended.code, ended.err) == (0, "")
        assert "Usage: assay" in ended.out


def test_a_third_party_instrument_runs_from_end_to_end(assay: Assay) -> None:
    listed = assay("list", "instruments").out
    assert "drill          Does a counter reach its target" in listed
    assert "consistency    Does a subject keep to its declared state, boundaries and promises?" in listed
    ran = document(assay("run", "drill", "-s", "reference:mumbler", "--quick", "--name", "d", "--json"))
    assert ran["readings"][0]["result"]["instrument"] == "drill"
    told = document(assay("audit", "d", "--json"))
    assert (told["holds"], told["trials"]) == (True, ran["readings"][0]["result"]["measures"][0]["n"])
    assert assay("report", "d").code == 0


def test_runs_without_a_name_never_share_a_folder_though_begun_in_the_same_second(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.strftime", lambda _: "20260101-000000")
    for _ in range(3):
        assert assay("run", "ping", "-s", "reference:mumbler", "--quick").code == 0
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert names == [f"20260101-000000-ping{number}" for number in ("", "-2", "-3")]


def test_a_run_is_packed_and_audited_as_one_file(assay: Assay, tmp_path: Path) -> None:
    assay(*QUICK)
    packed = assay("bundle", "one")
    assert (packed.code, packed.err) == (0, "")
    first, second, *notes, last = packed.out.splitlines()
    assert (first, last) == ("Bundle   one-bundle.zip", "Audit    assay audit one-bundle.zip")
    assert second.startswith("         8 files, ")
    assert notes == []
    again = assay("bundle", "runs/one")
    assert (again.code, again.out) == (2, "")
    assert "one-bundle.zip exists already" in again.err
    told = document(assay("bundle", "one", "--force", "--json"))
    assert (told["file"], told["files"]) == ("one-bundle.zip", 8)
    (tmp_path / "keys").write_text(f"{told['keyid']} the one who ran it\n")
    audited = assay("audit", "one-bundle.zip", "--signed-by", "keys")
    assert (audited.code, audited.err) == (0, "")
    assert audited.out.splitlines()[-1] == "finding   Compliant"
    assert assay("check", "one", "--signed-by", "keys").code == 0


def test_a_hostile_bundle_is_exit_code_1_with_its_reason_and_a_finding(assay: Assay, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        file.writestr("../\x1b[31mx", b"")
    ended = assay("audit", "b.zip")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith("FAULT     b.zip: the entry '../")
    assert "\x1b" not in ended.out
    told = document(assay("audit", "b.zip", "--json"), 1)
    assert (told["determination"], told["trials"]) == ("Invalid (Non-Compliance)", 0)
    assert told["reasons"] == told["faults"]
