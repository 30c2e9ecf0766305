"""``assay challenge``: lists, adds and settles; what a challenger writes steers no terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evidence.ledgers import new_signer

from .conftest import Assay

HOSTILE = "filing was run\n\x1b[2J\x1b]0;owned\x07and left out <b>\n"
OPTIONS = [
    "--set", "families=inbox", "--set", "levels=1", "--set", "instances=2", "--set", "regimes=Baseline",
    "--set", "robustness_instances=1",
]  # fmt: skip


@pytest.fixture
def run(assay: Assay, tmp_path: Path) -> Path:
    done = assay("run", "agency", "--subject", "reference:able", *OPTIONS, "--name", "one")
    assert done.code == 0, done.err
    (tmp_path / "text.txt").write_text(HOSTILE)
    (tmp_path / "other.pem").touch(0o600)
    (tmp_path / "other.pem").write_bytes(new_signer().private_bytes)
    return tmp_path / "runs" / "one"


def test_a_challenge_is_listed_flagged_and_settled(assay: Assay, run: Path) -> None:
    who = ["--text", "text.txt", "--by", "Eve <eve@example.org>"]
    assert assay("challenge", run).out == "Nobody has challenged this run.\n"
    assert assay("report", run, "--document", "agency-card").code == 0
    made = assay("challenge", run, "--ground", "suite-divergence", *who, "--key", "other.pem")
    assert made.code == 0, made.err
    assert "Contested (Under Challenge: challenge 1" in made.out
    assert "    | filing was run" in made.out
    assert "\x1b" not in made.out
    assert "\x07" not in made.out
    card = run / "documents" / "agency-card.html"
    assert "Contested (Under Challenge)" in card.read_text(), "documents that are there are drawn again"
    for command in (["status"], ["check"], ["score"], ["audit"], ["report", "--json"]):
        name, *more = command
        assert "Under Challenge" in assay(name, run, *more).out, command
    assert "Under Challenge" in assay("view", run).err
    assert assay("bundle", run, "--out", "one.zip").code == 0
    audited = assay("audit", "one.zip")
    assert audited.code == 0, audited.out
    assert "documents/agency-card.html is signed with the bundle" in audited.out
    told = json.loads(assay("check", run, "--json").out)
    assert told["contested"][0].startswith("Contested (Under Challenge")
    done = assay("challenge", run, "--resolve", "1", "--outcome", "withdrawn", *who)
    assert "the evaluator withdraws the claim" in done.out
    assert "Under Challenge" not in card.read_text()
    assert "Invalid (Withdrawn" in card.read_text()
    assert assay("check", run).code == 1


def test_the_ninety_days_are_counted_to_the_day_that_is_named(assay: Assay, run: Path) -> None:
    who = ["--text", "text.txt", "--by", "Eve"]
    made = assay("challenge", run, "--ground", "suite-divergence", *who, "--key", "other.pem", "--json")
    [challenge] = json.loads(made.out)["challenges"]
    ends = challenge["ends"]
    found = json.loads(assay("challenge", run, "--as-of", ends, "--json").out)
    assert found["challenges"][0]["state"].startswith("unresolved after 90 days")
    assert found["challenges"][0]["flag"] == challenge["flag"], "the flag does not depend on the clock"
    assert "open, " in assay("challenge", run, "--as-of", challenge["acts"][0]["at"]).out


WRONG: list[tuple[list[str], str]] = [
    (["--ground", "suite-divergence"], "a record needs --text FILE"),
    (["--by", "Eve"], "say what to do"),
    (["--ground", "suite-divergence", "--respond", "1"], "one act at a time"),
    (["--as-of", "tomorrow"], "not an ISO 8601 time"),
    (
        ["--respond", "1", "--as-of", "2027-01-01", "--text", "text.txt", "--by", "E"],
        "--as-of is for the list",
    ),
    (["--resolve", "1", "--text", "text.txt", "--by", "E"], "a resolution lacks its outcome"),
    (["--respond", "4", "--text", "text.txt", "--by", "E"], "there is no challenge 4"),
    (["--ground", "x", "--text", "text.txt", "--by", "E"], "'--ground': 'x' is not one of"),
    (["--ground", "suite-divergence", "--text", "none.txt", "--by", "E"], "none.txt: cannot be read"),
]


def test_wrong_input_is_refused_with_what_would_be_right(assay: Assay, run: Path) -> None:
    for options, message in WRONG:
        done = assay("challenge", run, *options)
        assert done.code == 2, options
        assert message in done.err
    assert not [*(run / "ledger").glob("challenge-*")]


def test_a_run_that_is_not_closed_cannot_be_challenged(assay: Assay, run: Path) -> None:
    (run / "ledger" / "manifest-0001.json").unlink()
    done = assay("challenge", run, "--ground", "suite-divergence", "--text", "text.txt", "--by", "E")
    assert done.code == 2
    assert "is not closed yet" in done.err
