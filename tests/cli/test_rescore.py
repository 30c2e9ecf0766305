"""``assay score RUN``: other thresholds on recorded evidence, flagged as after the fact; the run stays as it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import assay as api
from assay.bench.prepare import instruments_of, prepare
from assay.errors import InputError
from assay.evidence import Evidence
from assay.measuring import analysis_options
from assay.study import Study
from tests.support import environment

from .conftest import Assay


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two instruments that nobody changes."""
    root = tmp_path_factory.mktemp("rescore")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", environment(root)["XDG_CONFIG_HOME"])
        api.run(
            ["consistency", "ping"],
            subject="reference:mumbler",
            consistency={
                "returns": 2, "refusals": 2, "near_misses": 1, "repairs": 2, "artifacts": 1, "exchanges": 2,
                "promises": 1,
            },
            ping={"trials": 3},
            name="seen",
            out=root,
            report=False,
        )  # fmt: skip
    return root / "seen"


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "runs" / "seen"))


def readings(assay: Assay, *arguments: str | Path) -> dict[str, Any]:
    ended = assay("score", "seen", *arguments, "--json")
    assert ended.code == 0, ended.err
    return {one["result"]["instrument"]: one for one in json.loads(ended.out)}


def files(run: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}


def test_a_run_is_scored_as_it_was_where_nothing_is_changed(assay: Assay, run: Path) -> None:
    found = readings(assay)
    for name, reading in found.items():
        assert reading == json.loads((run / f"reading-{name}.json").read_bytes())


def test_another_threshold_gives_another_verdict_and_says_so(assay: Assay, run: Path, tmp_path: Path) -> None:
    before = files(run)
    found = readings(assay, "--threshold", "0.01", "--set", "rule=point", "--out", "after.json")
    changed = [
        {"option": "rule", "declared": "interval", "used": "point"},
        {"option": "threshold", "declared": 0.9, "used": 0.01},
    ]
    reading = found["consistency"]
    assert reading["envelope"]["after_the_fact"] == changed
    assert reading["result"]["flags"][0] == {
        "kind": "Limited Comparability",
        "cause": "after the fact: rule point, declared interval; threshold 0.01, declared 0.9",
    }
    declared = json.loads((run / "reading-consistency.json").read_bytes())
    held = [v["holds"] for one in (declared, reading) for v in one["result"]["verdicts"] if v["name"] == "M5"]
    assert held == [
        False,
        None,
    ]  # nobody knows whether M5 reaches 0.01, and that it does not reach 0.9 is known
    assert declared["result"]["measures"] == reading["result"]["measures"]
    assert found["ping"] == json.loads((run / "reading-ping.json").read_bytes())
    assert [
        one["envelope"].get("after_the_fact") for one in json.loads((tmp_path / "after.json").read_bytes())
    ] == [
        changed,
        None,
    ]
    assert files(run) == before


def test_requirements_can_be_tried_out(assay: Assay, run: Path) -> None:
    found = readings(assay, "--set", "ping.require={success: 0.2}")
    verdicts = [v for v in found["ping"]["result"]["verdicts"] if v["kind"] == "requirement"]
    assert [v["holds"] for v in verdicts] == [True]
    shown = assay("score", "seen", "--set", "ping.require={success: 0.2}")
    assert "after the fact" in shown.out
    assert assay("check", "seen", "--strict").code == 1  # the study itself requires nothing


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--returns", "9"), "returns"),
        (("--set", "consistency.temperature=0"), "temperature"),
        (("--set", "ping.trials=9"), "trials"),
        (("--set", "confidance=0.9"), "confidence"),
        (("--set", "bias.tau=1"), "bias"),
        (("--set", "require={success: 0.2}"), "several"),
        (("--set", "ping.require={sucess: 0.2}"), "success"),
        (("--set", "weights={O: 0.9}"), "sum to 1"),
        (("--set", "threshold=high"), "threshold"),
        (("--records", "r.csv"), "--records"),
        (("--out", "runs/seen/reading-ping.json"), "--out"),
        (("--out", "nowhere/x.json"), "--out"),
    ],
)
def test_what_was_asked_and_what_cannot_be_is_refused_by_name(
    assay: Assay, run: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = files(run)
    ended = assay("score", "seen", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert files(run) == before


def test_an_altered_run_is_refused(assay: Assay, run: Path) -> None:
    path = run / "ledger" / "0001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"outcome":"success"', b'"outcome":"failure"', 1))
    assert assay("score", "seen", "--threshold", "0.5").code == 1


def test_an_instrument_without_rows_and_a_run_with_rows_are_no_pair(assay: Assay, run: Path) -> None:
    assert "name the file of its rows" in assay("score", "ping").err
    assert assay("score", "seen", "rows.jsonl").code == 2


def test_the_same_in_python(run: Path) -> None:
    loaded = api.load(run)
    found = loaded.score(threshold=0.01, ping={"require": {"success": 0.2}})
    assert [one["option"] for one in found["consistency"].envelope["after_the_fact"]] == ["threshold"]
    assert [one["option"] for one in found["ping"].envelope["after_the_fact"]] == ["require"]
    with pytest.raises(InputError, match="trials"):
        loaded.score(trials=7)


OTHERS: dict[str, dict[str, Any]] = {
    "repeatability": {"tau": 0.3, "confidence": 0.5, "require": {"pass_rate": 0.1}},
    "consistency": {
        "delta_seconds": 1.0, "threshold": 0.1, "equivalence": 0.5, "rule": "point", "confidence": 0.5,
        "weights": {"O": 0.2, "F": 0.2, "R": 0.2, "P": 0.2, "L": 0.2}, "require": {},
    },
    "agency": {
        "rule": "point", "interval": "exact", "confidence": 0.5, "post_hoc_share": 0.25, "require": {},
        "infrastructure_share": 0.35, "disagreement_share": 0.25,
        "thresholds": {"inbox": {"threshold": 0.5, "reason": "a reason of some length"}},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_options_of_the_analysis_change_nothing_that_is_asked(name: str, tmp_path: Path) -> None:
    def asked(options: dict[str, Any]) -> list[str]:
        study = Study(subjects=("reference:mumbler",), instruments={name: options})
        lock = prepare(study, tmp_path)
        (instrument,) = instruments_of(lock)
        return [
            trial.id
            for stratum in instrument.strata(lock)
            for trial in instrument.trials(lock, Evidence(None, name, stratum, lock=lock))
        ]

    (instrument,) = instruments_of(
        prepare(Study(subjects=("reference:mumbler",), instruments=(name,)), tmp_path)
    )
    assert analysis_options(instrument.option_type) - {"drift_at_most"} == set(OTHERS[name])
    quick = dict(instrument.quick)
    assert asked({**quick, **OTHERS[name]}) == asked(quick)
