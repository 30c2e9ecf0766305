"""docs/results.md: runs go on where they ended, and every number on the page is of a reading."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import yaml

import assay
from assay.bench import RunFolder
from assay.bench.prepare import read_study
from assay.signing import load_key
from assay.study import Budget, Lock
from assay.vocabulary import Measure
from tests.pages import ROOT
from tests.support import begin, command, environment, go

sys.path.insert(0, str(ROOT / "docs"))

import results
from comparisons import differences
from results_page import page, studies_of

STUDY = {
    "subjects": ["reference:wrong", "reference:mixed", "reference:steady"],
    "instruments": {
        "repeatability": {
            "contracts": ["add", "is_even"],
            "temperatures": [0.0],
            "repetitions": 4,
            "repair": False,
        }
    },
}


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies of one instrument, and how it is shown."""
    folder = tmp_path_factory.mktemp("declared") / "results"
    (folder / "repeatability").mkdir(parents=True)
    for name in ("first", "second"):
        (folder / "repeatability" / f"{name}.yaml").write_text(yaml.safe_dump({**STUDY, "name": name}))
    shown = {"repeatability": {"measures": ["pass_rate"], "over": "contract", "tables": ["pass_rate"]}}
    (folder / "results.yaml").write_text(yaml.safe_dump(shown))
    (folder / "notes.md").write_text("# Results\n")
    return folder


@pytest.fixture
def runs(declared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first study was begun and stopped after a few calls."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    folder, lock = _begun(declared, tmp_path)
    assert not go(folder, lock, budget=Budget(calls=5))
    return tmp_path / "runs"


def _begun(declared: Path, root: Path) -> tuple[RunFolder, Lock]:
    study, _ = read_study(declared / "repeatability" / "first.yaml")
    return begin(root / "runs", study, "repeatability-first")


def test_what_was_begun_goes_on_and_what_is_finished_is_not_run_again(
    declared: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def finish(command: Sequence[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        asked.append(list(command[3:]))
        if command[3] == "resume":
            folder = RunFolder(Path(command[4]))
            assert go(folder, folder.read_lock())
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("results.subprocess.run", finish)
    studies = studies_of(declared)["repeatability"]
    assert results.measure(studies, runs) == 0
    assert [one[0] for one in asked] == ["resume", "run"]
    assert asked[1][1:4] == [str(studies[1]), "--name", "repeatability-second"]
    asked.clear()
    assert results.measure(studies[:1], runs) == 0
    assert asked == []


def test_a_run_that_stops_ends_it_with_its_code(
    declared: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def stop(command: Sequence[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr("results.subprocess.run", stop)
    assert results.measure(studies_of(declared)["repeatability"], runs) == 3
    assert len(asked) == 1


def test_the_page_says_what_is_not_finished_and_what_was_not_begun(declared: Path, runs: Path) -> None:
    text = page(declared, runs, runs)
    assert "| `repeatability-first` | **not finished: add, is_even**; numbers are of n so far |" in text
    assert "Declared and not begun: `repeatability-second`." in text
    assert " 1.000 " not in text


def test_the_page_has_the_numbers_and_digests_of_the_readings(declared: Path, runs: Path) -> None:
    folder = RunFolder(runs / "repeatability-first")
    assert go(folder, folder.read_lock())
    run = assay.load(folder.path)
    text = page(declared, runs, runs)
    assert run.lock.digest in text
    assert all(head in text for head in run.readings["repeatability"].envelope["ledger"].values())
    steady = "| 1.000 (0.398–1.000) |"  # 4 of 4, Clopper–Pearson
    wrong = "| 0.000 (0.000–0.602) |"
    rows = [line for line in text.splitlines() if line.startswith(("| add |", "| is_even |"))]
    assert len(rows) == 2
    assert all(steady in row and wrong in row for row in rows)
    assert "### `reference:wrong` and `reference:mixed`" in text
    assert "`pass_rate` (temperature 0.0)" in text


@pytest.mark.slow
def test_the_command_runs_what_is_declared_and_writes_the_page(declared: Path, tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "docs" / "results.py"), "--results", str(declared)]
    script += ["--runs", str(tmp_path / "runs"), "--page", str(tmp_path / "page.md"), "repeatability"]
    for said in ("", "repeatability-first is finished\nrepeatability-second is finished\n"):
        done = subprocess.run(script, env=environment(tmp_path), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert "not begun" not in (tmp_path / "page.md").read_text("utf-8")
    assert command("audit", tmp_path / "runs" / "repeatability-first", cwd=tmp_path).returncode == 0


def test_runs_are_kept_and_taken_from_there_where_they_are_not(
    declared: Path, runs: Path, tmp_path: Path
) -> None:
    bundles, other, third = (tmp_path / name for name in ("bundles", "other", "third"))
    names = ["repeatability-first", "repeatability-second"]
    results.keep(runs, bundles, names, {})
    assert [path.name for path in bundles.iterdir()] == ["repeatability-first.begun.zip"]
    results.unpack(bundles, other)
    folder = RunFolder(other / "repeatability-first")
    assert go(folder, folder.read_lock())  # it goes on
    results.keep(other, bundles, names, {})
    assert [path.name for path in bundles.iterdir()] == ["repeatability-first.zip"]
    results.unpack(bundles, third)
    assert page(declared, third, third) == page(declared, other, other)
    (third / "repeatability-first" / "mark").touch()
    results.unpack(bundles, third)
    assert (third / "repeatability-first" / "mark").exists()


def test_a_run_of_two_hands_is_shown_where_both_are_named(
    declared: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(runs / "repeatability-first")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another machine"))
    assert go(folder, folder.read_lock())
    assert "is left out" in page(declared, runs, runs)
    both = [folder.read_lock().keyid, load_key().public_key.keyid]
    named = tmp_path / "named"
    shutil.copytree(declared, named)
    (named / "signers.yaml").write_text(yaml.safe_dump({folder.path.name: both}))
    text = page(named, runs, runs)
    assert f"repeatability-first  keys    --signed-by {both[0]} --signed-by {both[1]}" in text
    results.keep(runs, tmp_path / "bundles", [folder.path.name], {folder.path.name: both})
    assert (tmp_path / "bundles" / "repeatability-first.zip").exists()


# What tells two subjects apart.


def share(subject: str, k: int, n: int, **labels: str) -> Measure:
    low, high = max(0.0, k / n - 0.1), min(1.0, k / n + 0.1)
    of = {"subject": subject, **labels}
    ends = {"low": low, "high": high, "method": "clopper-pearson"}
    return Measure(name="hits", value=k / n, k=k, n=n, units="share", labels=of, **ends)  # type: ignore[arg-type]


def test_two_shares_are_told_apart_by_the_interval_of_their_difference() -> None:
    far = differences({"run": [share("a", 0, 50), share("b", 40, 50)]}, "a", "b")
    near = differences({"run": [share("a", 5, 10), share("b", 7, 10)]}, "a", "b")
    assert [one.told for one in far + near] == ["yes", "no"]
    assert far[0].apart.startswith("+0.800 [")
    assert near[0].n == "10 and 10"


def test_a_difference_that_does_not_survive_the_number_of_comparisons_is_said_to_be_at_95_percent_alone() -> (
    None
):
    pair = [share("a", 2, 20), share("b", 9, 20)]
    assert [one.told for one in differences({"run": pair}, "a", "b")] == ["yes"]
    further = [share(who, 10, 20, part=str(n)) for n in range(30) for who in "ab"]
    many = differences({"run": pair + further}, "a", "b")
    assert many[0].told == "at 95 % alone"
    assert {one.told for one in many[1:]} == {"no"}


def test_units_of_all_runs_count_once_each() -> None:
    runs = {f"run{n}": [share("a", 0, 4, item=str(n)), share("b", 4, 4, item=str(n))] for n in range(12)}
    (found,) = differences(runs, "a", "b", over="item")
    assert (found.first, found.second, found.n, found.told) == ("0.000", "1.000", "12", "yes")
    assert found.one_by_one == "0 of 12"  # 0 of 4 and 4 of 4, at a confidence for twelve


def test_shifts_that_may_be_below_zero_are_compared_where_they_are_named() -> None:
    pairs = [(-0.5, 0.5), (-0.25, 0.5), (-0.5, 0.25)] * 8
    shifts = [
        Measure(
            name="shift",
            value=value,
            n=9,
            units="difference of shares",
            labels={"subject": who, "item": str(n)},
        )
        for n, pair in enumerate(pairs)
        for who, value in zip("ab", pair, strict=True)
    ]
    assert differences({"run": shifts}, "a", "b", over="item") == []
    (found,) = differences({"run": shifts}, "a", "b", over="item", names=["shift"])
    assert (found.first, found.second, found.told) == ("-0.417", "0.417", "yes")
    assert found.apart.startswith("+0.833 [")


def test_units_that_tell_two_subjects_apart_by_themselves_are_counted() -> None:
    runs = {"run": [share(who, k, 20, item=str(n)) for n, k in enumerate((0, 20, 20)) for who in "ab"]}
    runs["run"] += [share("a", 0, 20, item="x"), share("b", 20, 20, item="x")]
    (found,) = differences(runs, "a", "b", over="item")
    assert (found.told, found.one_by_one) == ("no", "1 of 4")


def test_parts_and_measures_that_are_not_named_are_left_out() -> None:
    measures = [share("a", 1, 9), share("b", 1, 9), share("a", 1, 9, part="x"), share("b", 1, 9, part="x")]
    assert len(differences({"run": measures}, "a", "b")) == 2
    assert len(differences({"run": measures}, "a", "b", without=["part"])) == 1
    assert differences({"run": measures}, "a", "b", names=["misses"]) == []


def test_a_measure_that_one_of_them_lacks_is_not_compared() -> None:
    nothing = msgspec.structs.replace(share("b", 1, 9), value=None, k=None)
    assert differences({"run": [share("a", 1, 9), nothing]}, "a", "b") == []


def test_other_measures_are_told_apart_where_their_intervals_do_not_meet() -> None:
    pairs = [(0.1, 0.9, "intervals do not meet"), (0.5, 0.6, "no")]
    for one, two, told in pairs:
        measures = [
            msgspec.structs.replace(share(who, round(10 * value), 10), k=None, method="weighted-chernoff")
            for who, value in (("a", one), ("b", two))
        ]
        assert [found.told for found in differences({"run": measures}, "a", "b")] == [told]
